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

from sightline.engine.cache import BuildCache
from sightline.index.store import Fault, NoStore
from sightline.languages import Registry, load_registry
from sightline.project import Project
from sightline.refusals import Refusal, RefusalKind
from sightline.slicing import PartialParsePlan, SignatureDocs
from sightline.text import Span
from sightline.workers import (
    ParseAnswer,
    ParseRequest,
    ParseTask,
    PartialParseAnswer,
    PartialParseRequest,
    Workers,
)
from sightline.workers.process import WATCHDOG
from sightline.workspace import Workspace

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
    with Workers(1, time_limit=1.0) as workers:
        yield workers


@pytest.mark.parametrize("language", _LANGUAGES)
@pytest.mark.parametrize("bomb", _BOMBS)
def test_a_bomb_costs_one_worker(workers: Workers, language: str, bomb: str) -> None:
    answer = workers.ask(ParseRequest(ParseTask.SIGNATURES, language, _BOMBS[bomb]))
    if isinstance(answer, Refusal):
        assert answer.kind is RefusalKind.INDEX_UNAVAILABLE
        assert answer.reason in ("time_out", "parser_crash")
        assert answer.advice
    else:
        assert answer.signatures is not None or answer.refusal is not None
    assert isinstance(workers.ask(ParseRequest(ParseTask.SUMMARIZE, language, b"\n")), ParseAnswer)


def test_a_bomb_costs_a_partial_parse_one_worker(workers: Workers) -> None:
    plan = PartialParsePlan((), (("x", 1, Span(0, 1)),))
    answer = workers.begin_partial_parse(
        PartialParseRequest("python", _BOMBS["tags"], plan)
    ).result()
    assert isinstance(answer, Refusal)
    assert answer.reason == "time_out"
    assert isinstance(
        workers.begin_partial_parse(PartialParseRequest("python", b"x = 1\n", plan)).result(),
        PartialParseAnswer,
    )


def test_partial_parses_behind_a_bomb_are_answered(workers: Workers) -> None:
    """They go to a worker together, and it is lost with the first."""
    plan = PartialParsePlan((), (("x", 1, Span(0, 1)),))
    asked = [
        workers.begin_partial_parse(PartialParseRequest("python", data, plan))
        for data in (b"x = 0\n", _BOMBS["tags"], *(b"x = %d\n" % n for n in range(1, 12)))
    ]
    answers = [each.result(timeout=300) for each in asked]
    assert isinstance(answers.pop(1), Refusal)
    shown = [each.signatures for each in answers if isinstance(each, PartialParseAnswer)]
    assert [each.content for each in shown if each] == [b"x = %d\n" % n for n in range(12)]
    assert WATCHDOG.is_idle, "a worker that has answered is not to be killed"


def test_who_waits_for_a_partial_parse_is_told_of_the_end() -> None:
    plan = PartialParsePlan((), (("x", 1, Span(0, 1)),))
    with Workers(1) as workers:
        asked = [
            workers.begin_partial_parse(PartialParseRequest("python", _BOMBS["tags"], plan))
            for _ in range(20)
        ]
    for each in asked:
        assert each.cancelled() or isinstance(each.exception(timeout=300), RuntimeError | None)


def test_two_copies_of_a_bomb_are_two_refusals(
    workers: Workers, registry: Registry, tmp_path: Path
) -> None:
    """What a worker did not survive is not kept: whoever has the same text hears the same."""
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_bytes(_BOMBS["tags"])
    project = Project(Workspace(tmp_path), registry, workers, NoStore(Fault.UNAVAILABLE))
    build_cache = BuildCache(project, registry, workers)
    documents = [build_cache.look_at(name) for name in ("one.py", "two.py")]
    bombs = [each for each in documents if not isinstance(each, Refusal)]
    assert len(bombs) == 2
    cuts = build_cache.cut(bombs, SignatureDocs.NONE)
    assert [type(cut) for cut in cuts.values()] == [Refusal, Refusal]


def test_some_bombs_do_go_off(workers: Workers) -> None:
    """The tests above would prove nothing if every grammar coped with every bomb."""
    answer = workers.ask(ParseRequest(ParseTask.SUMMARIZE, "python", _BOMBS["tags"]))
    assert isinstance(answer, Refusal)
    assert answer.reason == "time_out"


@pytest.mark.parametrize("extension", ["py", "js"])
def test_the_command_line_refuses_a_bomb_and_ends(tmp_path: Path, extension: str) -> None:
    bomb = _BOMBS["tags"] if extension == "py" else _BOMBS["double quotes"]
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
        (tmp_path / f"long{language.files.extensions[0]}").write_bytes(b"a" * 20_000_000)
    names = sorted(file.name for file in tmp_path.iterdir())
    result = _sightline("outline", *names, "--format", "json", cwd=tmp_path)
    assert result.returncode == 3
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [record["path"] for record in records] == names
    assert {record["refusal"]["reason"] for record in records} == {"too_large"}


def test_answers_keep_the_order_of_requests_around_a_bomb() -> None:
    sources = [b"def f%d(): pass\n" % number for number in range(30)]
    sources[7] = _BOMBS["tags"]
    with Workers(2, time_limit=1.0) as workers:
        answers = list(
            workers.ask_all(
                ParseRequest(ParseTask.SUMMARIZE, "python", source) for source in sources
            )
        )
    assert isinstance(answers[7], Refusal)
    for number, answer in enumerate(answers):
        if number != 7:
            assert isinstance(answer, ParseAnswer)
            assert answer.summary.symbols[0].name == f"f{number}"


def _sightline(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    # The time-out is there so that a hang fails the test instead of the whole run.
    return subprocess.run(
        [sys.executable, "-P", "-m", "sightline.cli", *arguments],
        cwd=cwd,
        capture_output=True,
        timeout=600,
        check=False,
    )
