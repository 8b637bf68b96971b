"""Build a context bundle from the current state of the workspace and its editors.

Invariants:

* A document is what an editor or the disk has at the time of the build, never what the index
  remembers. If the two differ, the index is updated and the build starts again.
* If a document exceeds a limit, it is set aside and the build starts again without its tree: the
  bundle follows from the index that its fingerprint describes.
"""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Callable, Mapping

import attrs
import msgspec

from sightline.bundle import BuildResult, Status
from sightline.context import (
    ERROR_OUTSIDE,
    SHOWN_WHOLE,
    BuildRequest,
    Built,
    Refused,
    build_context,
    check_request,
)
from sightline.engine.build_sources import BuildSources
from sightline.engine.cache import BuildCache
from sightline.engine.cancelling import Cancellation
from sightline.engine.hidden_counts import with_amount
from sightline.engine.host import Host
from sightline.refusals import Refusal, RefusalKind
from sightline.render import to_json
from sightline.settings import Loaded, Settings

_MOST_TRIES = 3


def build(
    host: Host,
    request: BuildRequest,
    overrides: Mapping[str, object] | None = None,
    *,
    created_at: str | None = None,
    correlation_id: str | None = None,
    cancellation: Cancellation | None = None,
    loaded: Loaded | None = None,
) -> BuildResult:
    """Return the bundle for a request, or why there is none. Raises `BuildCancelledError`.

    `overrides` are settings for this build only, by dotted key; `loaded` is the result of applying
    them, if the caller has it already.
    """
    given = {key: value for key, value in (overrides or {}).items() if value is not None}
    problem = check_request(request)
    in_force = problem or loaded or host.settings_with(given)
    if isinstance(in_force, Refusal):
        return refused_build(in_force)
    attempt = attempt_build(
        host.cache,
        request,
        in_force.settings,
        created_at=created_at or now(),
        correlation_id=(correlation_id or str(uuid.uuid4())).lower(),
        cancellation=cancellation,
        refresh=host.refresh,
    )
    return _result(host, attempt, in_force.settings, given)


@attrs.frozen
class BuildAttempt:
    outcome: Built | Refused
    index_complete: bool
    """True if every visible file had been read, and its words counted, when the build began."""


def attempt_build(
    cache: BuildCache,
    request: BuildRequest,
    settings: Settings,
    *,
    created_at: str,
    correlation_id: str,
    cancellation: Cancellation | None = None,
    refresh: Callable[[], object] | None = None,
) -> BuildAttempt:
    """Build until the documents match the index. Raises `BuildCancelledError`."""
    cancellation = cancellation or Cancellation()
    refresh = refresh or cache.project.refresh
    tries = 0
    while tries < _MOST_TRIES:
        cancellation.check()
        sources = BuildSources(cache, cache.project.snapshot, settings, cancellation)
        snapshot = sources.snapshot
        is_complete = snapshot.index_complete and snapshot.terms_complete
        try:
            outcome = build_context(
                sources, request, settings, created_at=created_at, correlation_id=correlation_id
            )
        finally:
            cache.end_build()
        if sources.has_set_aside(cache.project.snapshot):
            # Only a part of it was built with the tree of that document.
            continue
        if not sources.is_stale or not snapshot.is_scanned:
            # During a scan, an answer says that it is incomplete.
            return BuildAttempt(outcome, is_complete)
        refresh()
        tries += 1
    refusal = _unlisted(sources.unlisted) if sources.unlisted else _unsteady()
    return BuildAttempt(Refused(refusal, request=outcome.request), is_complete)


def result_json(result: BuildResult) -> bytes:
    """Return a result in the form that `verify` and `diff` read: canonical JSON."""
    return to_json(result)


def refused_build(refusal: Refusal) -> BuildResult:
    """Return the result for a request that was not understood or not scanned.

    It contains nothing of the request.
    """
    return BuildResult(
        status=Status.REFUSED,
        bundle=None,
        manifest=None,
        redaction_report=None,
        budget_report=None,
        refusal=refusal,
        request={},
        settings={},
        overrides={},
        index_complete=False,
    )


def now() -> str:
    """Return the time in the contract's form."""
    time = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
    return time.isoformat().replace("+00:00", "Z")


def _result(
    host: Host,
    attempt: BuildAttempt,
    settings: Settings,
    overrides: Mapping[str, object],
) -> BuildResult:
    outcome = attempt.outcome
    request = outcome.request
    built = outcome if isinstance(outcome, Built) else None
    refusal = with_amount(host, outcome.refusal) if isinstance(outcome, Refused) else None
    return BuildResult(
        status=Status.OK if built else Status.REFUSED,
        bundle=built.bundle if built else None,
        manifest=built.manifest if built else None,
        redaction_report=built.redaction_report if built else None,
        budget_report=outcome.budget_report,
        refusal=refusal,
        request=msgspec.json.decode(msgspec.json.encode(request)) if request is not None else {},
        settings=dict(settings.canonical()),
        overrides=dict(overrides),
        index_complete=attempt.index_complete,
        rendered=built.rendering.text if built else None,
    )


def _unsteady() -> Refusal:
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        "unsteady",
        None,
        "files kept changing while they were read",
        "wait until no program writes to the workspace, and ask again",
        rule="what cannot be read deterministically is not sent",
    )


def _unlisted(path: str) -> Refusal:
    """The workspace scan follows no link to a folder, so it never finds this file."""
    return Refusal(
        RefusalKind.UNSUPPORTED_TARGET,
        "behind_link",
        path,
        "the path goes through a link to a folder; the index has only the real path of the file",
        "name the file by the path that the link leads to",
    )


def told_besides(result: BuildResult) -> list[str]:
    """Return notes on what is shown in another way than requested.

    These are a symbol whose whole file is shown, and an error without its location.
    """
    notes = result.budget_report.notes if result.budget_report is not None else ()
    return [each for each in notes if SHOWN_WHOLE in each or each == ERROR_OUTSIDE]
