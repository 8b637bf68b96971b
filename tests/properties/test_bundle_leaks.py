"""No secret leaves, from wherever it stands: in no object, text, report, log, stream or store."""

from __future__ import annotations

import base64
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import attrs
import pytest

from sightline.bundle import Purpose
from sightline.context import (
    BuildRequest,
    Built,
    Constraint,
    Intent,
    LastError,
    PlanStep,
    Refused,
    TargetSpec,
)
from sightline.refusals import RefusalKind
from sightline.text import Text
from sightline.workers import Workers
from tests.properties.bundles import build, build_cache_on, built, everything, settings, write
from tests.properties.canaries import Canary, canaries, token, traces

_FILES: Mapping[str, str] = {
    "base.py": "class Base:\n    pass\n",
    "target.py": "from base import Base\n\n\nclass Here(Base):\n    def go(self):\n        pass\n",
    "caller.py": "from target import Here\n\n\ndef call():\n    return Here().go()\n",
    "pyproject.toml": '[project]\nname = "farm"\n',
    "alone.py": "first = 1\nsecond = 2\n",
}
_TARGET = (TargetSpec(path="target.py"),)
_SECRETS = canaries("leaks")


@attrs.frozen
class _Place:
    """Where a secret stands: in which file, and what leads to that file."""

    path: str
    request: BuildRequest
    is_shown: bool = False
    """The text is an editor's, and never on the disk."""


_PLACES = {
    "dependency": _Place("base.py", BuildRequest(targets=_TARGET)),
    "caller": _Place("caller.py", BuildRequest(targets=_TARGET)),
    "caller of a symbol": _Place(
        "caller.py", BuildRequest(targets=(TargetSpec(path="target.py", symbol="Here.go"),))
    ),
    "editor": _Place("base.py", BuildRequest(targets=_TARGET), is_shown=True),
    "selected": _Place(
        "alone.py",
        BuildRequest(targets=_TARGET, user_selected_targets=(TargetSpec(path="alone.py"),)),
    ),
    "error": _Place(
        "alone.py", BuildRequest(targets=_TARGET, last_error=LastError("it broke", "alone.py", 1))
    ),
}
_BUDGETS = (64_000, 420)


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers(1, time_limit=60) as workers:
        yield workers


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    place = tmp_path / "cache"
    place.mkdir(0o700)
    return place


@pytest.mark.parametrize("form", ["markdown", "xml", "json"])
@pytest.mark.parametrize("name", _PLACES)
def test_a_secret_beside_the_target_is_nowhere(
    name: str,
    form: str,
    tmp_path: Path,
    cache: Path,
    workers: Workers,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Replaced, or its file left out, and the report says so."""
    caplog.set_level(logging.DEBUG)
    place = _PLACES[name]
    with build_cache_on(write(tmp_path / "root", _FILES), workers, cache=cache) as build_cache:
        for kind, canary in _SECRETS.items():
            text = canary.lines + _FILES[place.path]
            if place.is_shown:
                build_cache.project.show(place.path, Text.of(text), 1)
            else:
                (tmp_path / "root" / place.path).write_bytes(text.encode("utf-8"))
                build_cache.project.refresh()
            for budget in _BUDGETS:
                chosen = settings(
                    render__format=form,
                    budget__max_input_tokens=budget,
                    budget__response_token_reserve=0,
                    budget__estimator="chars4",
                )
                outcome = built(build(build_cache, place.request, chosen))
                assert traces(canary.value, everything(outcome)) == [], kind
                assert traces(canary.value, repr(outcome).encode("utf-8")) == [], kind
            if place.request.last_error is None:
                reported = [each.target for each in outcome.redaction_report.redactions]
                assert place.path in reported, kind
            build_cache.project.save()
            assert traces(canary.value, _kept(cache)) == [], kind
            assert traces(canary.value, caplog.text.encode("utf-8")) == [], kind


def test_lines_of_an_error_that_lost_a_secret_say_so(tmp_path: Path, workers: Workers) -> None:
    """What was replaced in them is in the redaction report, although the file is no candidate."""
    place, canary = _PLACES["error"], _SECRETS["github"]
    files = {**_FILES, place.path: canary.lines + _FILES[place.path]}
    with build_cache_on(write(tmp_path, files), workers) as build_cache:
        outcome = built(build(build_cache, place.request, settings()))
    assert "[REDACTED:" in outcome.rendering.text
    assert [each.target for each in outcome.redaction_report.redactions] == [place.path]


@pytest.mark.parametrize("choice", ["refuse", "redact"])
def test_a_secret_in_the_target_is_refused_or_replaced(
    choice: str, tmp_path: Path, workers: Workers, caplog: pytest.LogCaptureFixture
) -> None:
    """The refusal says where and which rule, and never what."""
    caplog.set_level(logging.DEBUG)
    chosen = settings(secrets__on_target_secret=choice)
    with build_cache_on(write(tmp_path, _FILES), workers) as build_cache:
        for kind, canary in _SECRETS.items():
            text = canary.lines + _FILES["target.py"]
            build_cache.project.show("target.py", Text.of(text), 1)
            outcome = build(build_cache, BuildRequest(targets=_TARGET), chosen)
            if isinstance(outcome, Refused):
                assert outcome.refusal.kind is RefusalKind.SECRET_RISK
                assert outcome.refusal.path == "target.py"
            else:
                assert choice == "redact"
                assert "[REDACTED:" in outcome.rendering.text
            answer = everything(outcome) + repr(outcome).encode("utf-8")
            assert traces(canary.value, answer + caplog.text.encode("utf-8")) == [], kind


_WORDS: Mapping[str, Callable[[str], BuildRequest]] = {
    "intent": lambda text: BuildRequest(targets=_TARGET, intent=Intent(text)),
    "intent alone": lambda text: BuildRequest(purpose=Purpose.INTENT, intent=Intent(text)),
    "step": lambda text: BuildRequest(targets=_TARGET, plan_step=PlanStep(description=text)),
    "title of the step": lambda text: BuildRequest(targets=_TARGET, plan_step=PlanStep(title=text)),
    "constraint": lambda text: BuildRequest(targets=_TARGET, constraints=(Constraint(text),)),
    "error": lambda text: BuildRequest(targets=_TARGET, last_error=LastError(text)),
}


@pytest.mark.parametrize("name", _WORDS)
def test_a_secret_in_what_is_asked_is_refused(name: str, tmp_path: Path, workers: Workers) -> None:
    """Task, constraints and error messages are sent as well."""
    with build_cache_on(write(tmp_path, _FILES), workers) as build_cache:
        for kind, canary in _SECRETS.items():
            outcome = build(build_cache, _WORDS[name](f"please\n{canary.lines}"), settings())
            assert isinstance(outcome, Refused), kind
            assert outcome.refusal.kind is RefusalKind.SECRET_RISK
            assert traces(canary.value, everything(outcome)) == [], kind


_NAMED: Mapping[str, Callable[[str], BuildRequest]] = {
    "symbol": lambda name: BuildRequest(targets=(TargetSpec(symbol=name),)),
    "symbol of a file": lambda name: BuildRequest(
        targets=(TargetSpec(path="target.py", symbol=name),)
    ),
    "path": lambda name: BuildRequest(targets=(TargetSpec(path=f"{name}.py"),)),
    "active": lambda name: BuildRequest(active=TargetSpec(path=f"{name}.py", line=1)),
    "dropped": lambda name: BuildRequest(targets=_TARGET, dropped_paths=(name,)),
    "path of the error": lambda name: BuildRequest(
        targets=_TARGET, last_error=LastError("it broke", f"{name}.py", 1)
    ),
    "file of the step": lambda name: BuildRequest(plan_step=PlanStep(target_files=(f"{name}.py",))),
}


@pytest.mark.parametrize("name", _NAMED)
def test_a_secret_in_a_name_that_is_asked_for_is_refused(
    name: str, tmp_path: Path, workers: Workers
) -> None:
    """Whether there is such a file or not."""
    secret = token("asked for")
    for files in (_FILES, {**_FILES, f"{secret}.py": "x = 1\n"}):
        with build_cache_on(write(tmp_path, files), workers) as build_cache:
            outcome = build(build_cache, _NAMED[name](secret), settings())
            assert isinstance(outcome, Refused)
            assert traces(secret, everything(outcome)) == []


_USER = "from target import Here\n\n\ndef {name}():\n    return Here().go()\n"
_NAMES: Mapping[str, Callable[[str], Mapping[str, str]]] = {
    "file": lambda name: {f"{name}.py": _USER.format(name="call")},
    "copy of a file": lambda name: {f"{name}.py": _FILES["caller.py"]},
    "folder": lambda name: {f"{name}/call.py": _USER.format(name="call")},
    "inner folder": lambda name: {f"inner/{name}/call.py": _USER.format(name="call")},
    "function": lambda name: {"user.py": _USER.format(name=name)},
    "argument": lambda name: {"user.py": f"from target import Here\n\nHere({name}=1)\n"},
    "module": lambda name: {"user.py": f"import {name}\nfrom target import Here as {name}x\n"},
    "namesake": lambda name: {f"{name}.py": "class Here:\n    pass\n"},
}


@pytest.mark.parametrize(
    "asked", [TargetSpec(path="target.py"), TargetSpec(symbol="Here")], ids=str
)
@pytest.mark.parametrize("name", _NAMES)
def test_a_secret_that_is_a_name_is_nowhere(
    name: str, asked: TargetSpec, tmp_path: Path, workers: Workers
) -> None:
    """Paths and symbols go into reports, evidence and lists of choices."""
    secret = token("name")
    with build_cache_on(
        write(tmp_path, {**_FILES, **_NAMES[name](secret)}), workers
    ) as build_cache:
        for budget in _BUDGETS:
            chosen = settings(
                budget__max_input_tokens=budget,
                budget__response_token_reserve=0,
                budget__estimator="chars4",
            )
            outcome = build(build_cache, BuildRequest(targets=(asked,)), chosen)
            assert traces(secret, everything(outcome)) == []


_DENIED = (".env", "keys/server.pem", "secrets.toml", "node_modules/x/index.js", "private/note.py")


def test_a_secret_in_a_file_that_is_denied_is_nowhere(
    tmp_path: Path, cache: Path, workers: Workers, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever the request says about it: target, selection, active file, error, drop."""
    caplog.set_level(logging.DEBUG)
    secret = token("denied")
    files = {**_FILES, ".gitignore": "private/\n"}
    files |= dict.fromkeys(_DENIED, f"from target import Here\nNAME = '{secret}'\n")
    with build_cache_on(write(tmp_path / "root", files), workers, cache=cache) as build_cache:
        for path in _DENIED:
            build_cache.project.show(path, Text.of(f"SHOWN = '{secret}'\n"), 1)
            for request in (
                BuildRequest(targets=(TargetSpec(path=path),)),
                BuildRequest(active=TargetSpec(path=path, line=1)),
                BuildRequest(targets=_TARGET, user_selected_targets=(TargetSpec(path=path),)),
                BuildRequest(targets=_TARGET, last_error=LastError("it broke", path, 1)),
                BuildRequest(targets=_TARGET, dropped_paths=(path,)),
            ):
                outcome = build(build_cache, request, settings())
                answer = everything(outcome) + repr(outcome).encode("utf-8")
                assert traces(secret, answer + caplog.text.encode("utf-8")) == [], path
        build_cache.project.save()
    assert traces(secret, _kept(cache)) == []


def test_an_address_that_is_imported_leaves_no_password_in_the_store(
    tmp_path: Path, cache: Path, workers: Workers
) -> None:
    """What a file imports is kept by name, and an address may have a password in it."""
    secret = token("imported")
    source = f'import {{ y }} from "https://me:{secret}@host.example/m.ts";\nexport const x = y;\n'
    files = {"dep.ts": source, "target.ts": 'import { x } from "./dep";\nexport const z = x;\n'}
    with build_cache_on(write(tmp_path / "root", files), workers, cache=cache) as build_cache:
        outcome = build(
            build_cache, BuildRequest(targets=(TargetSpec(path="target.ts"),)), settings()
        )
        build_cache.project.save()
    assert isinstance(outcome, Built)
    assert traces(secret, everything(outcome) + _kept(cache)) == []


@pytest.mark.parametrize("form", ["json", "markdown", "xml"])
def test_the_command_line_prints_no_secret(form: str, tmp_path: Path) -> None:
    """Bundle, explanation, refusals and what is kept, with a secret of another form everywhere."""
    files = {
        "base.py": _SECRETS["github"].lines + _FILES["base.py"],
        "caller.py": _SECRETS["private key"].lines + _FILES["caller.py"],
        "alone.py": _SECRETS["password"].lines + _FILES["alone.py"],
        "extra.py": _SECRETS["private key without end"].lines,
        "held.py": _SECRETS["aws"].lines,
        ".env": _SECRETS["key"].lines,
    }
    write(tmp_path / "root", {**_FILES, **files})
    asked = ["--add", "extra.py", "--error", "it broke", "--error-at", "alone.py:1", "--explain"]
    runs = [
        (_run(tmp_path, form, "target.py", *asked), 0),
        (_run(tmp_path, form, "held.py", "--explain"), 3),
        (_run(tmp_path, form, ".env"), 3),
        (_run(tmp_path, form, "target.py", "--intent", _SECRETS["openai"].value), 3),
    ]
    assert [done.returncode for done, _ in runs] == [expected for _, expected in runs]
    assert b"[REDACTED:" in runs[0][0].stdout
    printed = b"".join(done.stdout + done.stderr for done, _ in runs) + _kept(tmp_path / "cache")
    assert {
        kind: found for kind, canary in _SECRETS.items() if (found := traces(canary.value, printed))
    } == {}


def test_every_canary_is_seen_where_it_is() -> None:
    """What looks for traces does find them, in every writing; else the other tests say nothing."""
    for canary in _SECRETS.values():
        assert _seen(canary) == ["as it is"]
    value = _SECRETS["aws"].value
    assert traces(value, b"x" + value[5:13].encode()) == ["as it is"]
    assert "as hexadecimal" in traces(value, value.encode().hex().encode())
    assert "as base64, 1 off" in traces(value, base64.b64encode(f"'{value}'".encode()))


def _seen(canary: Canary) -> list[str]:
    found = traces(canary.value, canary.lines.encode("utf-8"))
    return [each for each in found if "URL" not in each]


def _kept(cache: Path) -> bytes:
    """Everything that the store has on the disk."""
    files = sorted(each for each in cache.rglob("*") if each.is_file())
    assert files
    return b"\n".join(each.read_bytes() for each in files)


def _run(place: Path, form: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """`sightline build` as a person has it, but with a cache and settings of its own."""
    return subprocess.run(
        [
            *(sys.executable, "-P", "-m", "sightline.cli"),
            *("build", "--format", form, "--jobs", "1", *arguments),
        ],
        cwd=place / "root",
        env={
            **os.environ,
            "SIGHTLINE_CACHE_DIR": str(place / "cache"),
            "SIGHTLINE_CONFIG_DIR": str(place / "settings"),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=300,
        check=False,
    )
