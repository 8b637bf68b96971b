"""A scanner that raises, hangs or answers nonsense withholds: at every place where a build asks it.

Each broken scanner is sound for every text but one: the one that carries the mark. So a build gets
as far as that text, and whatever comes of it shows what a build does with a text that no scan
cleared.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import attrs
import pytest

from sightline.bundle import ExclusionReason, RedactionReason
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
from sightline.egress import Certainty, Finding, HarmlessValues, guarded_scan, guarding, scan
from sightline.engine.cache import BuildCache
from sightline.languages import load_registry
from sightline.refusals import RefusalKind
from sightline.text import Span
from sightline.workers import Workers
from tests.properties.bundles import (
    build,
    build_cache_on,
    built,
    everything,
    settings,
    write,
)

_MARK = "quagga"
_FILES: Mapping[str, str] = {
    "pyproject.toml": '[project]\nname = "farm"\n',
    "base.py": "class Base:\n    pass\n",
    "target.py": "from base import Base\n\n\nclass Here(Base):\n    pass\n",
    "caller.py": "from target import Here\n\nHERE = Here()\n",
    "alone.py": "first = 1\nsecond = 2\n",
}
_REQUEST = BuildRequest(targets=(TargetSpec(path="target.py"),))


@attrs.frozen
class _Site:
    """A place where a scan is asked for: what puts the mark there, and what must come of it."""

    files: Mapping[str, str]
    request: BuildRequest
    withheld: str | None
    """The path that is left out; None where the whole build is refused."""


def _marked(path: str) -> dict[str, str]:
    return {**_FILES, path: f"{_FILES[path]}# {_MARK}\n"}


_ERROR = LastError("it broke", "alone.py", 2)
_SITES = {
    "intent": _Site(_FILES, BuildRequest(targets=_REQUEST.targets, intent=Intent(_MARK)), None),
    "intent id": _Site(
        _FILES, BuildRequest(targets=_REQUEST.targets, intent=Intent("", _MARK)), None
    ),
    "step": _Site(_FILES, BuildRequest(targets=_REQUEST.targets, plan_step=PlanStep(_MARK)), None),
    "step text": _Site(
        _FILES,
        BuildRequest(targets=_REQUEST.targets, plan_step=PlanStep(description=_MARK)),
        None,
    ),
    "constraint": _Site(
        _FILES, BuildRequest(targets=_REQUEST.targets, constraints=(Constraint(_MARK),)), None
    ),
    "error message": _Site(
        _FILES, BuildRequest(targets=_REQUEST.targets, last_error=LastError(_MARK)), None
    ),
    "error code": _Site(
        _FILES, BuildRequest(targets=_REQUEST.targets, last_error=LastError("", code=_MARK)), None
    ),
    "name of a target": _Site(
        {**_FILES, f"{_MARK}.py": ""}, BuildRequest(targets=(TargetSpec(path=f"{_MARK}.py"),)), None
    ),
    "dropped path": _Site(
        _FILES, BuildRequest(targets=_REQUEST.targets, dropped_paths=(f"{_MARK}.py",)), None
    ),
    "target": _Site(_marked("target.py"), _REQUEST, None),
    "symbol of a target": _Site(
        _marked("target.py"),
        BuildRequest(targets=(TargetSpec(path="target.py", symbol="Here"),)),
        None,
    ),
    "dependency": _Site(_marked("base.py"), _REQUEST, "base.py"),
    "caller": _Site(_marked("caller.py"), _REQUEST, "caller.py"),
    "configuration": _Site(_marked("pyproject.toml"), _REQUEST, "pyproject.toml"),
    "selected file": _Site(
        _marked("alone.py"),
        BuildRequest(
            targets=_REQUEST.targets, user_selected_targets=(TargetSpec(path="alone.py"),)
        ),
        "alone.py",
    ),
    "file of the error": _Site(
        _marked("alone.py"), BuildRequest(targets=_REQUEST.targets, last_error=_ERROR), "alone.py"
    ),
}


class _Raising(tuple[Finding, ...]):
    def __iter__(self) -> Iterator[Finding]:
        raise RuntimeError(_MARK)


class _Another(Finding):
    pass


def _finding(**changes: object) -> Finding:
    sound = Finding(Span(0, 1), "name", "kind", Certainty.CERTAIN, True)
    return attrs.evolve(sound, **changes)  # type: ignore[arg-type]


def _raised(error: BaseException) -> Callable[[], object]:
    def raise_it() -> object:
        raise error

    return raise_it


def _endless() -> Iterator[Finding]:
    yield _finding()
    raise RuntimeError(_MARK)


_BROKEN: Mapping[str, Callable[[], object]] = {
    "raises": _raised(RuntimeError(_MARK)),
    "runs out of memory": _raised(MemoryError()),
    "recurses": _raised(RecursionError()),
    "leaves": _raised(SystemExit(0)),
    "is interrupted": _raised(KeyboardInterrupt()),
    "stops": _raised(StopIteration(())),
    "says None": lambda: None,
    "says False": lambda: False,
    "says 0": lambda: 0,
    "says nothing": lambda: "",
    "says a list": list,
    "says a set": lambda: frozenset(),
    "says a mapping": dict,
    "says a generator": _endless,
    "says an iterator": lambda: iter(()),
    "says a tuple that raises": lambda: _Raising((_finding(),)),
    "finds None": lambda: (None,),
    "finds a span": lambda: (Span(0, 1),),
    "finds a class": lambda: (Finding,),
    "finds another kind of finding": lambda: (
        _Another(Span(0, 1), "name", "kind", Certainty.CERTAIN, True),
    ),
    "span is negative": lambda: (_finding(span=Span(-2, 1)),),
    "span is empty": lambda: (_finding(span=Span(1, 1)),),
    "span is turned around": lambda: (_finding(span=Span(3, 1)),),
    "span is outside": lambda: (_finding(span=Span(0, 1 << 40)),),
    "span is all outside": lambda: (_finding(span=Span(1 << 40, 1 << 41)),),
    "span is a pair": lambda: (_finding(span=(0, 1)),),
    "span is None": lambda: (_finding(span=None),),
    "span is of floats": lambda: (_finding(span=Span(0.0, 1.0)),),  # type: ignore[arg-type]
    "span is of booleans": lambda: (_finding(span=Span(False, True)),),
    "spans are not in order": lambda: (_finding(span=Span(1, 2)), _finding(span=Span(0, 1))),
    "detector is bytes": lambda: (_finding(detector=b"name"),),
    "kind is None": lambda: (_finding(kind=None),),
    "certainty is a word": lambda: (_finding(certainty="certain"),),
    "bounds are a number": lambda: (_finding(is_bounded=1),),
    "the second is nonsense": lambda: (_finding(), None),
}


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers(1, time_limit=60) as workers:
        yield workers


@pytest.mark.parametrize("name", _SITES)
def test_what_a_broken_scanner_was_asked_about_is_withheld(
    name: str, tmp_path: Path, workers: Workers
) -> None:
    """Every broken scanner at every place; the same build cache with a sound one does build."""
    site = _SITES[name]
    with build_cache_on(write(tmp_path, site.files), workers) as sound:
        assert isinstance(build(sound, site.request, settings()), Built)
        outcomes = {
            fault: build(_with(sound, workers, broken), site.request, settings())
            for fault, broken in _BROKEN.items()
        }
    assert len(outcomes) >= 30
    assert [fault for fault, outcome in outcomes.items() if not _is_withheld(site, outcome)] == []


@pytest.mark.parametrize("name", ["intent", "target", "dependency", "selected file"])
def test_a_scanner_that_hangs_is_not_waited_for(
    name: str, tmp_path: Path, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its time is up at some point, and what it was asked about is withheld."""
    monkeypatch.setattr(guarding, "_STUCK_SECONDS", 1)
    site, end = _SITES[name], threading.Event()
    with build_cache_on(write(tmp_path, site.files), workers) as sound:
        try:
            outcome = build(_with(sound, workers, end.wait), site.request, settings())
        finally:
            end.set()
    assert _is_withheld(site, outcome), outcome


@pytest.mark.parametrize("form", ["markdown", "xml", "json"])
def test_a_finished_text_that_cannot_be_scanned_is_not_sent(
    form: str, tmp_path: Path, workers: Workers
) -> None:
    """Every part was cleared before, and it makes no difference."""
    chosen = settings(render__format=form)
    with build_cache_on(write(tmp_path, _FILES), workers) as sound:
        finished = built(build(sound, _REQUEST, chosen)).rendering.text.encode("utf-8")
        for broken in _BROKEN.values():
            build_cache = _with(sound, workers, broken, finished.__eq__)
            outcome = build(build_cache, _REQUEST, chosen)
            assert isinstance(outcome, Refused)
            assert outcome.refusal.kind is RefusalKind.SECRET_RISK


def test_a_scanner_that_always_fails_lets_nothing_through(tmp_path: Path, workers: Workers) -> None:
    """For every purpose, whatever the person allows to be redacted."""
    with build_cache_on(write(tmp_path, _FILES), workers) as sound:
        for broken in _BROKEN.values():
            build_cache = _with(sound, workers, broken, bool)
            for purpose in ("intent", "plan", "diff"):
                request = BuildRequest(purpose=purpose, targets=_REQUEST.targets)  # type: ignore[arg-type]
                outcome = build(build_cache, request, settings(secrets__on_target_secret="redact"))
                assert isinstance(outcome, Refused)
                assert outcome.refusal.kind is RefusalKind.SECRET_RISK


def test_a_failure_is_not_remembered(tmp_path: Path, workers: Workers) -> None:
    """A scanner that works again is asked again."""
    is_broken = True

    def once_broken() -> object:
        if is_broken:
            raise RuntimeError(_MARK)
        return ()

    site = _SITES["dependency"]
    with build_cache_on(write(tmp_path, site.files), workers) as sound:
        build_cache = _with(sound, workers, once_broken)
        assert _is_withheld(site, build(build_cache, site.request, settings()))
        is_broken = False
        assert everything(build(build_cache, site.request, settings())) == everything(
            build(sound, site.request, settings())
        )


def _with(
    sound: BuildCache,
    workers: Workers,
    answer: Callable[[], object],
    is_meant: Callable[[bytes], bool] = lambda data: _MARK.encode() in data,
) -> BuildCache:
    """A build cache on the same project, with a scanner that is broken for some texts."""

    def scanner(data: bytes, harmless: HarmlessValues) -> tuple[Finding, ...]:
        return answer() if is_meant(data) else scan(data, harmless)  # type: ignore[return-value]

    broken = functools.partial(guarded_scan, scanner=scanner)
    return BuildCache(sound.project, load_registry(), workers, broken)


def _is_withheld(site: _Site, outcome: Built | Refused) -> bool:
    if isinstance(outcome, Refused):
        return site.withheld is None and outcome.refusal.kind is RefusalKind.SECRET_RISK
    if site.withheld is None or _MARK.encode() in everything(outcome):
        return False
    excluded = {each.path: each.reason for each in outcome.manifest.selection.excluded_candidates}
    redacted = [
        each.target
        for each in outcome.redaction_report.redactions
        if each.reason is RedactionReason.SECRET
    ]
    shown = [each.meta.path for each in outcome.bundle.blocks]
    is_candidate = site.request.last_error is None
    return (
        site.withheld in redacted
        and site.withheld not in shown
        and (not is_candidate or excluded.get(site.withheld) is ExclusionReason.SECRET_RISK)
        and _FILES[site.withheld].splitlines()[0] not in outcome.rendering.text
    )
