"""Weak secrets: replaced in place, in targets too; they refuse nothing and count nowhere else."""

from __future__ import annotations

import re

import pytest

from sightline.context import Constraint, Intent, LastError, PlanStep, TargetSpec
from sightline.egress import Certainty, Finding, HarmlessValues, ScanFailure, guarded_scan
from sightline.egress.tiers import is_test_path
from sightline.settings import Loaded, load
from sightline.text import Span
from tests.context.bench import Bench, block_of, block_of_type, everything, redactions
from tests.context.conftest import MakeBench

_WORD = "sun" + "shine"
_SOURCE = f'password = "{_WORD}"\n\n\ndef {_WORD}():\n    return 1\n'
_KEEP = {"secrets.weak": "keep", "context.depth": "needed"}


def _scan(data: bytes, harmless: HarmlessValues) -> tuple[Finding, ...] | ScanFailure:
    """The scan, with each value behind `password =` as a weak secret."""
    weak = [
        Finding(Span(*found.span(1)), "weak-password", "weak", Certainty.WEAK, True)
        for found in re.finditer(rb'password = "?([a-z]+)', data)
    ]
    found = guarded_scan(data, harmless)
    assert not isinstance(found, ScanFailure)
    others = [each for each in found if not each.is_weak]
    return tuple(sorted([*weak, *others], key=lambda each: each.span))


@pytest.fixture
def made(bench: MakeBench) -> Bench:
    return bench(
        {
            "target.py": _SOURCE,
            "asks.py": f"import target\n\n\ndef run():\n    return target.{_WORD}()\n",
            "tests/test_it.py": f'password = "{_WORD}"\n',
        }
    )


@pytest.mark.parametrize("target", ["target.py", f"target.py::{_WORD}", "target.py:1"])
def test_a_weak_secret_in_a_target_is_replaced(made: Bench, target: str) -> None:
    built = made.build(target, build_cache=made.build_cache(scan=_scan))
    content = block_of(built, "target.py").content
    assert content == _SOURCE.replace(f'"{_WORD}"', '"[REDACTED:weak-password]"')


def test_a_weak_secret_is_looked_for_nowhere_else(made: Bench) -> None:
    """A word stands in too many places."""
    built = made.build("asks.py", build_cache=made.build_cache(scan=_scan))
    assert f"target.{_WORD}()" in block_of(built, "asks.py").content
    assert f"def {_WORD}()" in block_of(built, "target.py").content


def test_weak_secrets_are_counted_apart(made: Bench) -> None:
    built = made.build("asks.py", build_cache=made.build_cache(scan=_scan))
    (weak,) = built.redaction_report.weak
    assert (weak.target, weak.count, weak.lines) == ("target.py", 1, (1,))
    assert built.manifest.weak_redactions == 1
    assert redactions(built, "pattern_redacted") == []


def test_weak_secrets_of_tests_can_be_kept(made: Bench) -> None:
    """By a setting of the user's, in files below test folders alone."""
    cache = made.build_cache(scan=_scan)
    kept = made.build("tests/test_it.py", build_cache=cache, settings=_KEEP)
    assert block_of(kept, "tests/test_it.py").content == f'password = "{_WORD}"\n'
    assert kept.manifest.weak_redactions == 0
    elsewhere = made.build("target.py", build_cache=cache, settings=_KEEP)
    assert elsewhere.manifest.weak_redactions == 1
    replaced = made.build(
        "tests/test_it.py", build_cache=cache, settings={"context.depth": "needed"}
    )
    assert replaced.manifest.weak_redactions == 1
    fingerprints = [each.manifest.fingerprints.config_fingerprint for each in (kept, replaced)]
    assert fingerprints[0] != fingerprints[1]


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("tests/a.py", True),
        ("src/Test/java/A.java", True),
        ("app/__tests__/a.ts", True),
        ("spec/a_spec.rb", True),
        ("pkg/testdata/a.txt", True),
        ("Shop.Tests/A.cs", True),
        ("integration-tests/a.go", True),
        ("web/fixtures/a.json", True),
        ("test_a.py", False),
        ("src/latest/a.py", False),
        ("contest/a.py", False),
        ("src/testing.py", False),
        ("protest/tests.py", False),
    ],
)
def test_which_folders_are_of_tests(path: str, *, is_one: bool) -> None:
    assert is_test_path(path) is is_one


@pytest.mark.parametrize(
    "words",
    [
        {"intent": Intent(f"set password = {_WORD}")},
        {"plan_step": PlanStep(description=f"set password = {_WORD}")},
        {"constraints": (Constraint(f"keep password = {_WORD}"),)},
        {"last_error": LastError(f"no login, password = {_WORD}")},
    ],
)
def test_a_weak_secret_in_a_request_is_replaced(bench: MakeBench, words: dict[str, object]) -> None:
    """In what is sent, and in the request as it is recorded: a record verifies."""
    made = bench({"a.py": "first = 1\n"})
    built = made.build("a.py", build_cache=made.build_cache(scan=_scan), **words)
    assert _WORD not in everything(built)
    assert _WORD not in str(built.request)
    (weak,) = built.redaction_report.weak
    assert (weak.target, weak.count) == (next(iter(words)), 1)
    again = made.build("a.py", build_cache=made.build_cache(scan=_scan), **_words(built.request))
    assert again.bundle == built.bundle


def _words(request: object) -> dict[str, object]:
    names = ("intent", "plan_step", "constraints", "last_error")
    return {name: getattr(request, name) for name in names}


def test_a_weak_secret_in_the_lines_around_the_last_error(made: Bench) -> None:
    built = made.build(
        TargetSpec(path="asks.py"),
        build_cache=made.build_cache(scan=_scan),
        last_error=LastError("it broke", "tests/test_it.py", 1),
    )
    block = block_of_type(built, "error_context")
    assert 'password = "[REDACTED:weak-password]"' in block.content


def test_a_workspace_cannot_keep_weak_secrets() -> None:
    """Only the user's own file can; a workspace's may only say to replace them."""
    keep = '[secrets]\nweak = "keep"\n'
    workspace = load(keep, None, {}, {})
    assert isinstance(workspace, Loaded)
    assert workspace.settings.secrets.weak == "redact"
    assert [each.key for each in workspace.messages] == ["secrets.weak"]
    user = load(None, keep, {}, {})
    assert isinstance(user, Loaded)
    assert user.settings.secrets.weak == "keep"
    both = load(keep.replace("keep", "redact"), keep, {}, {})
    assert isinstance(both, Loaded)
    assert both.settings.secrets.weak == "redact"
