"""Sightline from Python: open a workspace, and get the same results as the other fronts.

    import sightline

    with sightline.open("path/to/project") as workspace:
        result = workspace.build("src/app.py::main", max_input_tokens=32_000)
        print(result.rendered or result.refusal.sentence())

Paths are relative to the root. A refusal is an ordinary result. Only a root that cannot be opened
raises `WorkspaceError`. Use a workspace from one thread only.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from sightline.bundle import BuildResult, Purpose, Status
from sightline.context import BuildRequest, Constraint, Intent, LastError, PlanStep
from sightline.engine.allow import list_allowances
from sightline.engine.build import build, refused_build
from sightline.engine.diff import diff
from sightline.engine.doctor import doctor
from sightline.engine.explain import explain
from sightline.engine.find import find
from sightline.engine.find_results import FindResult
from sightline.engine.harmless import list_marks
from sightline.engine.host import Host, Progress, no_workspace, open_host, wrong_request
from sightline.engine.index import index_status
from sightline.engine.outline import outline
from sightline.engine.pack_results import ProjectPackResult
from sightline.engine.packs import build_project_pack, pack_request
from sightline.engine.references import references
from sightline.engine.requests import (
    ExplainRequest,
    FindRequest,
    ReferencesRequest,
    SliceRequest,
    build_request,
)
from sightline.engine.results import (
    AllowResult,
    BudgetStatus,
    ExplainResult,
    HarmlessResult,
    IndexResult,
    OutlineResult,
    ReferencesResult,
    SettingsResult,
    SliceResult,
    SnapshotResult,
    VerifyResult,
    refused,
)
from sightline.engine.settings import settings_of
from sightline.engine.slice import slice_file
from sightline.engine.snapshot_requests import SnapshotRequest, answer_snapshot, record_build
from sightline.engine.status import budget_status, no_status
from sightline.engine.typed_targets import typed_symbol, typed_target, typed_targets
from sightline.engine.verify import verify, wrong_overrides
from sightline.refusals import Refusal, RefusalKind

__all__ = ["OpenWorkspace", "WorkspaceError", "diff", "doctor", "open"]


class WorkspaceError(Exception):
    """A workspace cannot be opened; `refusal` says why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.sentence())
        self.refusal = refusal


def open(
    root: str | Path,
    *,
    settings: Mapping[str, object] | None = None,
    progress: Progress | None = None,
    large: bool = False,
) -> OpenWorkspace:
    """Open the workspace in a directory and index it. Raises `WorkspaceError`.

    `settings` maps dotted keys, as `sightline settings` lists them, to values, and overrides the
    settings files. `progress` is called with the number of files read and the number of files in
    total. A directory without a repository that holds very many files (more than `index.ask_above`)
    is indexed only with `large=True`.
    """
    if not str(root):
        # An empty string would mean the current directory; it is more likely a mistake.
        raise WorkspaceError(no_workspace())
    host = open_host(Path(root), settings)
    if isinstance(host, Refusal):
        raise WorkspaceError(host)
    refusal = wrong_request(host.loaded)
    if refusal is not None:
        host.close()
        raise WorkspaceError(refusal)
    refusal = host.open_index(progress, is_agreed=large)
    if refusal is not None:
        host.close()
        raise WorkspaceError(refusal)
    return OpenWorkspace(host)


class OpenWorkspace:
    """An open workspace. Close it, or use it in a `with` statement."""

    def __init__(self, host: Host) -> None:
        self._open_host = host

    def __enter__(self) -> OpenWorkspace:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the worker processes. Closing it again does nothing."""
        self._open_host.close()

    @property
    def root(self) -> Path:
        return self._open_host.root

    @property
    def _host(self) -> Host:
        if self._open_host.is_closed:
            raise WorkspaceError(_closed())
        return self._open_host

    def refresh(self) -> IndexResult:
        """Bring the index up to date with the disk."""
        self._host.project.refresh()
        return self.index()

    def build(
        self,
        *targets: str,
        symbols: Iterable[str] = (),
        purpose: str = "diff",
        intent: str | None = None,
        step: str | None = None,
        constraints: Iterable[str] = (),
        add: Iterable[str] = (),
        drop: Iterable[str] = (),
        error: str | None = None,
        error_at: str | None = None,
        model: str | None = None,
        max_input_tokens: int | None = None,
        format: str | None = None,
        settings: Mapping[str, object] | None = None,
        correlation_id: str | None = None,
    ) -> BuildResult:
        """Build the context bundle for targets: `PATH`, `PATH:LINE` or `PATH::SYMBOL`.

        `symbols` are names of symbols in any file. `settings` maps dotted keys to values for this
        build only.
        """
        request = self._request(targets, symbols, add, drop, error, error_at)
        if isinstance(request, Refusal):
            return refused_build(request)
        parts = {
            "purpose": Purpose(purpose) if purpose in tuple(Purpose) else purpose,
            "intent": Intent(intent) if intent is not None else None,
            "plan_step": PlanStep(description=step) if step is not None else None,
            "constraints": tuple(Constraint(each) for each in _strings(constraints)),
        }
        checked = build_request({**msgspec.to_builtins(request), **parts})
        if isinstance(checked, Refusal):
            return refused_build(checked)
        overrides = {
            "model.name": model,
            "budget.max_input_tokens": max_input_tokens,
            "render.format": format,
            **(settings or {}),
        }
        return self._build(checked, overrides, correlation_id)

    def slice(
        self, path: str, level: str = "full", symbols: Iterable[str] = (), docs: str | None = None
    ) -> SliceResult:
        """Cut a file to a level: `full`, `region`, `signatures` or `summary`."""
        inside = self._path(path)
        if isinstance(inside, Refusal):
            return refused(SliceResult, inside)
        return slice_file(self._host, SliceRequest(inside, level, _strings(symbols), docs=docs))

    def outline(self, path: str) -> OutlineResult:
        """List the symbols of a file."""
        inside = self._path(path)
        if isinstance(inside, Refusal):
            return refused(OutlineResult, inside)
        return outline(self._host, inside)

    def find(self, text: str, *, limit: int = 10) -> FindResult:
        """Return the files and symbols that a task in words is likely about."""
        return find(self._host, FindRequest(text, limit))

    def references(self, symbol: str, hops: int = 1) -> ReferencesResult:
        """Find who uses a symbol: `NAME`, `Container.NAME` or `PATH::NAME`."""
        return references(self._host, ReferencesRequest(symbol, hops))

    def explain(
        self,
        path: str,
        line: int | None = None,
        target: str | None = None,
        hops: int = 1,
        settings: Mapping[str, object] | None = None,
    ) -> ExplainResult:
        """Explain what a file, a symbol (`PATH::SYMBOL`) or the symbol around a line relates to.

        With `target`, also say whether a bundle for that target includes the file.
        """
        path, _, symbol = path.partition("::")
        inside = self._path(path)
        if isinstance(inside, Refusal):
            return refused(ExplainResult, inside)
        wanted = typed_target(self._host, target, self.root) if target is not None else None
        if isinstance(wanted, Refusal):
            return refused(ExplainResult, wanted)
        refusal = wrong_overrides(self._host, settings or {})
        if refusal is not None:
            return refused(ExplainResult, refusal)
        request = ExplainRequest(inside, line=line, symbol=symbol or None, target=wanted, hops=hops)
        return explain(self._host, request, settings)

    def verify(self, recorded: BuildResult | bytes) -> VerifyResult:
        """Compare a build, or its JSON, with a fresh build of the same request."""
        return verify(self._host, recorded)

    def status(self, target: str) -> BudgetStatus:
        """Estimate what the bundle for a target would cost."""
        wanted = typed_target(self._host, target, self.root)
        if isinstance(wanted, Refusal):
            return no_status(wanted)
        return budget_status(self._host, BuildRequest(targets=(wanted,)))

    def index(self) -> IndexResult:
        """Return what the index contains."""
        return index_status(self._host)

    def settings(self) -> SettingsResult:
        """Return the settings in force and where each comes from."""
        return settings_of(self._host.loaded)

    def allowances(self) -> AllowResult:
        """List what the user has allowed in this workspace. To allow something, use the shell or an
        editor.
        """
        return list_allowances(self._host)

    def harmless_marks(self) -> HarmlessResult:
        """List what the user has marked as harmless in this workspace. To mark a value, use the
        shell or an editor.
        """
        return list_marks(self._host)

    def pack(
        self,
        *paths: str,
        type: str = "auto",
        format: str = "markdown",
        include: Iterable[str] = (),
        exclude: Iterable[str] = (),
        map_tokens: int = 4096,
        timestamp: str = "",
        **limits: object,
    ) -> ProjectPackResult:
        """Describe the project, or some of its folders and files, to somebody who does not know it.

        `type` is `auto`, `full`, `summary` or `map`; `limits` are `max_content_bytes`, `max_files`,
        `prefer_summary` and `provider_limits`.
        """
        request = pack_request(
            {
                "paths": [str(self.root / each) for each in paths],
                "type": type,
                "format": format,
                "include": _strings(include),
                "exclude": _strings(exclude),
                "map_tokens": map_tokens,
                "timestamp": timestamp,
                "constraints": limits,
            }
        )
        if isinstance(request, Refusal):
            return ProjectPackResult(Status.REFUSED, request)
        return build_project_pack(self._host, request, is_agreed=True)

    @property
    def snapshots(self) -> SnapshotAccess:
        """Context snapshots of the workspace's repository."""
        return SnapshotAccess(self._host)

    def _build(
        self, request: BuildRequest, overrides: Mapping[str, object], correlation_id: str | None
    ) -> BuildResult:
        refusal = wrong_overrides(self._host, overrides) or _wrong_id(correlation_id)
        if refusal is not None:
            return refused_build(refusal)
        return build(self._host, request, overrides, correlation_id=correlation_id)

    def _request(
        self,
        targets: Iterable[str],
        symbols: Iterable[str],
        add: Iterable[str],
        drop: Iterable[str],
        error: str | None,
        error_at: str | None,
    ) -> BuildRequest | Refusal:
        if error_at is not None and error is None:
            return _wrong_use("error_at needs error: the message of the error")
        wanted = typed_targets(self._host, list(targets), self.root)
        added = typed_targets(self._host, _strings(add), self.root)
        place = typed_target(self._host, error_at, self.root) if error_at is not None else None
        dropped = [self._path(each) for each in _strings(drop)]
        is_outside = isinstance(place, Refusal) and place.reason == "outside_sandbox"
        if is_outside:
            place = None
        for each in (wanted, added, place, *dropped):
            if isinstance(each, Refusal):
                return each
        assert not isinstance(wanted, Refusal)
        assert not isinstance(added, Refusal)
        assert not isinstance(place, Refusal)
        named = [typed_symbol(self._host, each, self.root) for each in _strings(symbols)]
        last_error = None
        if error is not None:
            path, line = (place.path, place.line) if place is not None else (None, None)
            last_error = LastError(error, path, line, is_outside=is_outside)
        return BuildRequest(
            targets=(*wanted, *named),
            user_selected_targets=tuple(added),
            dropped_paths=tuple(each for each in dropped if isinstance(each, str)),
            last_error=last_error,
        )

    def _path(self, written: str) -> str | Refusal:
        return self._host.path_of(str(self.root / written))


class SnapshotAccess:
    """Context snapshots: what an AI saw, stored in the repository so that it can be proved."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def record(
        self,
        result: BuildResult,
        *,
        created_by: str = "other:unknown",
        retention: str = "refs",
        summary: str | None = None,
    ) -> SnapshotResult:
        """Store a bundle that this workspace built just now."""
        return record_build(self._host, result, created_by, retention, summary)

    def create(
        self,
        *items: tuple[str, str, bytes],
        created_by: str = "other:unknown",
        retention: str = "refs",
        summary: str | None = None,
    ) -> SnapshotResult:
        """Store items, each a kind, a path and a content. The content of a `file` is read from its
        path.
        """
        return self._ask(
            "create", items=items, created_by=created_by, retention=retention, summary=summary
        )

    def list(
        self, *, path: str | None = None, since: str | None = None, commit: str | None = None
    ) -> SnapshotResult:
        """List snapshots, the oldest first: all, or those of a file, since a
        time, or of a commit.
        """
        return self._ask("list", path=path, since=since, commit=commit)

    def show(self, name: str) -> SnapshotResult:
        return self._ask("show", id=name)

    def cat(self, name: str, path: str | None = None) -> SnapshotResult:
        """Return what was sent, or one item of it, in `rendered`."""
        return self._ask("cat", id=name, path=path)

    def diff(self, one: str, other: str) -> SnapshotResult:
        return self._ask("diff", id=one, other=other)

    def verify(self, name: str) -> SnapshotResult:
        """Check a snapshot, and build its bundle again from the snapshot alone."""
        return self._ask("verify", id=name)

    def prune(self, name: str) -> SnapshotResult:
        return self._ask("prune", id=name)

    def _ask(self, action: str, **fields: Any) -> SnapshotResult:
        return answer_snapshot(self._host, SnapshotRequest(action=action, **fields))


def _strings(given: Iterable[str]) -> tuple[str, ...]:
    """Return a tuple of strings. A single string becomes a tuple of one, not of its characters."""
    return (given,) if isinstance(given, str) else tuple(given)


def _wrong_id(correlation_id: str | None) -> Refusal | None:
    try:
        uuid.UUID(correlation_id or "0" * 32)
    except ValueError:
        return _wrong_use("correlation_id is not a UUID")
    return None


def _wrong_use(problem: str) -> Refusal:
    return Refusal(RefusalKind.INVALID_REQUEST, "usage", None, problem, "see docs/python.md")


def _closed() -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "closed",
        None,
        "the workspace is closed",
        "open it again with sightline.open",
    )
