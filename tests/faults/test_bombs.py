"""Parser bombs: small texts that take a grammar for ever, in every grammar.

A bomb costs one worker. The answer is a typed refusal or, where the grammar copes, a summary; the
next request is served as if nothing had happened.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sightline.languages import Registry, load_registry
from sightline.refusals import Refusal, RefusalKind
from sightline.workers import Answer, Request, Task, Workers

_BOMBS = {
    "double quotes": b'"' * 300_000,
    "single quotes": b"'" * 300_000,
    "backquotes": b"`" * 300_000,
    "tags": b"<a>" * 100_000,
    "parentheses": b"(" * 200_000,
    "braces": b"{" * 200_000,
    "brackets": b"[" * 200_000,
    "nested calls": b"f(" * 50_000 + b")" * 50_000,
    "long line": b"x = 1; " * 500_000,
}
_LANGUAGES = sorted(load_registry().languages)


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers(1) as workers:
        yield workers


@pytest.mark.parametrize("language", _LANGUAGES)
@pytest.mark.parametrize("bomb", _BOMBS)
def test_a_bomb_costs_one_worker(workers: Workers, language: str, bomb: str) -> None:
    answer = workers.ask(Request(Task.SIGNATURES, language, _BOMBS[bomb]))
    if isinstance(answer, Refusal):
        assert answer.kind is RefusalKind.UNSUPPORTED_TARGET
        assert answer.reason in ("time_out", "parser_crash")
        assert answer.advice
    else:
        assert answer.signatures is not None or answer.refusal is not None
    assert isinstance(workers.ask(Request(Task.SUMMARIZE, language, b"\n")), Answer)


def test_some_bombs_do_go_off(workers: Workers) -> None:
    """The tests above would prove nothing if every grammar coped with every bomb."""
    answer = workers.ask(Request(Task.SUMMARIZE, "python", _BOMBS["tags"]))
    assert isinstance(answer, Refusal)
    assert answer.reason == "time_out"


@pytest.mark.parametrize("extension", ["py", "js", "rs", "sh"])
def test_the_command_line_refuses_a_bomb_and_ends(tmp_path: Path, extension: str) -> None:
    bomb = _BOMBS["tags"] if extension in ("py", "sh") else _BOMBS["double quotes"]
    file = tmp_path / f"bomb.{extension}"
    file.write_bytes(bomb)
    result = _sightline("outline", file.name, "--format", "json", cwd=tmp_path)
    assert result.returncode == 3
    record = json.loads(result.stdout)
    assert record["refusal"]["reason"] == "time_out"
    assert result.stderr.count(b"\n") == 1


def test_a_line_of_twenty_megabytes_is_refused_by_its_size(
    tmp_path: Path, registry: Registry
) -> None:
    for language in registry.languages.values():
        (tmp_path / f"long{language.extensions[0]}").write_bytes(b"a" * 20_000_000)
    names = sorted(file.name for file in tmp_path.iterdir())
    result = _sightline("outline", *names, "--format", "json", cwd=tmp_path)
    assert result.returncode == 3
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [record["path"] for record in records] == names
    assert {record["refusal"]["reason"] for record in records} == {"too_large"}


def test_answers_keep_the_order_of_requests_around_a_bomb() -> None:
    sources = [b"def f%d(): pass\n" % number for number in range(30)]
    sources[7] = _BOMBS["tags"]
    with Workers(2) as workers:
        answers = list(
            workers.ask_all(Request(Task.SUMMARIZE, "python", source) for source in sources)
        )
    assert isinstance(answers[7], Refusal)
    for number, answer in enumerate(answers):
        if number != 7:
            assert isinstance(answer, Answer)
            assert answer.summary.symbols[0].name == f"f{number}"


def _sightline(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    # The time-out is there so that a hang fails the test instead of the whole run.
    return subprocess.run(
        [sys.executable, "-P", "-m", "sightline.cli", *arguments],
        cwd=cwd,
        capture_output=True,
        timeout=120,
        check=False,
    )
