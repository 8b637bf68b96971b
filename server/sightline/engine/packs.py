"""Build a project pack: what a codebase is, for somebody who does not know it.

Invariants:

* Everything comes through the host: its policy, its scanner, the texts that editors show.
* No clock is read: the timestamp is the caller's.
* Secrets are removed from every string of a pack: those that its own scan finds, and those in the
  documents from which it was made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from sightline.budget import Estimator, estimator
from sightline.bundle import Status
from sightline.engine.hidden_counts import hidden_files, is_under
from sightline.engine.host import Host
from sightline.engine.pack_process import made_pack
from sightline.engine.pack_results import ProjectPackResult
from sightline.engine.pack_scanning import (
    PackScope,
    Progress,
    ScannedProject,
    as_utf8,
    scan_project,
)
from sightline.engine.pack_sources import HostPackSource
from sightline.engine.shown import Concealer, conceal_names, concealed
from sightline.packs.full_pack import PackLimits
from sightline.packs.model import (
    ContextPack,
    EncodingConfig,
    ExclusionsByReason,
    FullPack,
    MapMetadata,
    PackConstraints,
    PackType,
    ProjectSnapshot,
    RepositoryMap,
    TransparencyRecord,
)
from sightline.packs.pack_selection import PackChoice, select_pack
from sightline.packs.repository_map import repository_map
from sightline.packs.serializing import AnyPack, pack_fields, packed
from sightline.refusals import Refusal, RefusalKind
from sightline.render.pack_text import PackText, pack_markdown, pack_xml

TYPES = ("auto", "full", "summary", "map")
FORMATS = ("json", "msgpack", "markdown", "xml")
MAP_TOKENS = (1024, 2048, 4096, 8192)
_LEAST_SPLIT = 1_000
_CONTENTS = frozenset(["contents", "key_files"])


class PackRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to pack, and how."""

    paths: tuple[str, ...] = ()
    """Folders and files; empty for the whole workspace."""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    type: str = "auto"
    format: str = "markdown"
    constraints: PackConstraints = PackConstraints()
    encoding: EncodingConfig = EncodingConfig()
    map_tokens: int = 4096
    timestamp: str = ""


def pack_request(fields: Mapping[str, object]) -> PackRequest | Refusal:
    """Return a request from plain values; None means the default."""
    given = {key: value for key, value in fields.items() if value is not None}
    try:
        return msgspec.convert(given, PackRequest)
    except msgspec.ValidationError as error:
        return _wrong(f"the request for a pack is wrong: {error}", "see docs/packs.md")


def build_project_pack(
    host: Host,
    request: PackRequest,
    progress: Progress | None = None,
    *,
    opens_index: bool = True,
    is_agreed: bool = False,
) -> ProjectPackResult:
    """Return the requested pack, or why there is none.

    `opens_index` says that this thread may index the workspace if that is needed.
    """
    made = _made(host, request, progress, opens_index=opens_index, is_agreed=is_agreed)
    if isinstance(made, Refusal):
        return ProjectPackResult(Status.REFUSED, concealed(host, made))
    fields, warnings = made
    count = token_count(host)
    text = rendered_pack(fields, request.format, count)
    return ProjectPackResult(
        status=Status.OK,
        type=fields["type"],
        pack=fields,
        rendered=text,
        tokens=count(text) if text is not None else 0,
        warnings=warnings,
    )


def token_count(host: Host) -> Callable[[str], int]:
    """Return a function that counts tokens, by the settings of a workspace."""
    counting = estimator(host.settings.profile()[0].estimator)
    return counting.tokens if isinstance(counting, Estimator) else lambda text: len(text) // 4


def rendered_pack(fields: Mapping[str, Any], form: str, count: Callable[[str], int]) -> str | None:
    """Return a pack as text; None for MessagePack."""
    if form == "msgpack":
        return None
    if form == "json":
        return packed(fields, "json").decode("utf-8") + "\n"
    return pack_text(fields, form, count).whole


def pack_text(fields: Mapping[str, Any], form: str, count: Callable[[str], int]) -> PackText:
    return pack_xml(fields, count) if form == "xml" else pack_markdown(fields, count)


def pack_bytes(fields: Mapping[str, Any]) -> bytes:
    """Return a pack as MessagePack."""
    return packed(fields, "msgpack")


def split_pack(
    host: Host, fields: Mapping[str, Any], form: str, most_bytes: int
) -> list[str] | Refusal:
    """Return a pack in parts of at most so many bytes, except for files that are longer."""
    if form not in ("markdown", "xml"):
        return _wrong("only Markdown and XML can be split", "leave --split out, or name --format")
    if most_bytes < _LEAST_SPLIT:
        return _wrong(f"a part has at least {_LEAST_SPLIT} bytes", "give a larger --split")
    return pack_text(fields, form, token_count(host)).split(most_bytes)


def _made(
    host: Host,
    request: PackRequest,
    progress: Progress | None,
    *,
    opens_index: bool,
    is_agreed: bool,
) -> tuple[dict[str, Any], tuple[str, ...]] | Refusal:
    refusal = _check(request) or _too_large(host, is_agreed=is_agreed)
    if refusal is not None:
        return refusal
    scope = PackScope(request.paths, request.include, request.exclude)
    wants_index = request.type in ("summary", "map") or request.constraints.prefer_summary
    if wants_index and (refusal := _indexed(host, progress, opens_index, is_agreed)) is not None:
        return refusal
    scanned = scan_project(host, scope, request.encoding, request.timestamp, progress)
    if isinstance(scanned, Refusal):
        return scanned
    selection = _selection(scanned.snapshot, request)
    form = request.type if request.type != "auto" else selection.type
    if form == "summary" and (refusal := _indexed(host, progress, opens_index, is_agreed)):
        return refusal
    source = HostPackSource(host, scanned)
    pack: AnyPack | Refusal
    if form == "map":
        pack = build_map(host, scanned.snapshot, source, request.map_tokens)
    else:
        pack = build_pack_of(form, scanned.snapshot, source, PackLimits(request.constraints), host)
    if isinstance(pack, Refusal):
        return pack
    fields = cleared_fields(host, source, pack)
    record = transparency(pack, scanned.snapshot, selection.reason)
    warnings = (*_warnings(scanned, pack), *_hidden(host, scanned.snapshot))
    return {**fields, "context_pack_info": msgspec.to_builtins(record)}, warnings


def build_pack_of(
    form: str,
    snapshot: ProjectSnapshot,
    source: HostPackSource,
    limits: PackLimits,
    host: Host,
) -> ContextPack | Refusal:
    name = as_utf8(host.root.name) or "project"
    return made_pack(form, snapshot, source, limits, name)


def build_map(
    host: Host, snapshot: ProjectSnapshot, source: HostPackSource, tokens: int
) -> RepositoryMap:
    count = token_count(host)
    made = repository_map(source, tokens, count)
    scanned = snapshot.total_files + snapshot.exclusion_stats.total
    return RepositoryMap(
        map=made.text,
        tokens=count(made.text),
        max_tokens=tokens,
        metadata=MapMetadata(
            created_at=snapshot.scan_timestamp,
            source_root=".",
            total_files_scanned=scanned,
            files_included=made.files,
            symbols_shown=made.shown,
            symbols_ranked=made.ranked,
        ),
    )


def transparency(pack: AnyPack, snapshot: ProjectSnapshot, reason: str) -> TransparencyRecord:
    """Return the document's `context_pack_info` for a pack."""
    stats = snapshot.exclusion_stats
    counts = {
        "credentials": stats.by_credentials,
        "binary": stats.by_binary,
        "size": stats.by_size,
        "pattern": stats.by_pattern,
    }
    scanned = snapshot.total_files + stats.total
    truncated = content = 0
    if isinstance(pack, FullPack):
        excluded = {each.path for each in snapshot.excluded_files}
        for each in pack.file_index:
            if each.exclusion_reason is not None and each.path not in excluded:
                counts[_COUNTED.get(each.exclusion_reason, "pattern")] += 1
        truncated = sum(each.truncated for each in pack.contents)
        content = pack.metadata.total_content_bytes
        hidden = pack.metadata.files_excluded - sum(counts.values())
        counts["credentials"] += (
            max(0, hidden) if snapshot.total_files == len(snapshot.files) else 0
        )
    included = pack.metadata.files_included
    return TransparencyRecord(
        type=pack.type,
        selection_reason=reason,
        files_scanned=scanned,
        files_included=included,
        files_excluded=scanned - included,
        exclusions_by_reason=ExclusionsByReason(**counts),
        content_bytes=content,
        truncated_files=truncated,
    )


_COUNTED = {"binary": "binary", "size_limit": "size", "credentials": "credentials"}


def cleared_fields(host: Host, source: HostPackSource, pack: AnyPack) -> dict[str, Any]:
    """Return the fields of a pack without secrets."""
    fields = pack_fields(pack)
    # Contents were scanned as whole files, and the index contains every file name.
    names = {key: value for key, value in fields.items() if key not in _CONTENTS}
    concealer = conceal_names(host, [*source.read_paths, *_rested_on(fields)], set(_strings(names)))
    return {key: _cleared(concealer, value) for key, value in fields.items()}


def _rested_on(fields: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files whose text a summary contains parts of."""
    for key in ("key_files_summary", "entrypoints", "risk_hotspots"):
        for each in fields.get(key, ()):
            yield each["path"]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, Sequence):
        for each in value:
            yield from _strings(each)


def _cleared(concealer: Concealer, value: Any) -> Any:
    if isinstance(value, str):
        return concealer.text(value)
    if isinstance(value, Mapping):
        return {key: _cleared(concealer, each) for key, each in value.items()}
    if isinstance(value, Sequence):
        return [_cleared(concealer, each) for each in value]
    return value


def _selection(snapshot: ProjectSnapshot, request: PackRequest) -> PackChoice:
    if request.type == "auto":
        return select_pack(snapshot, request.constraints)
    # A map is not one of the document's types, and is never chosen automatically.
    form: PackType = "full" if request.type == "full" else "summary"
    return PackChoice(form, f"the type {request.type} was asked for")


def _indexed(
    host: Host, progress: Progress | None, opens_index: bool, is_agreed: bool
) -> Refusal | None:
    if host.snapshot.index_complete:
        return None
    if not opens_index:
        return Refusal(
            RefusalKind.INDEX_UNAVAILABLE,
            "index_incomplete",
            None,
            "the workspace is still being indexed",
            "ask again when it is done, or for a full pack",
        )
    return host.open_index(progress, is_agreed=is_agreed, counts_terms=False)


def _too_large(host: Host, *, is_agreed: bool) -> Refusal | None:
    if is_agreed or host.snapshot.index_complete:
        return None
    return host.take_first_look()


def _check(request: PackRequest) -> Refusal | None:
    if request.type not in TYPES:
        return _wrong("there is no such type of pack", f"use {', '.join(TYPES)}")
    if request.format not in FORMATS:
        return _wrong("there is no such format of packs", f"use {', '.join(FORMATS)}")
    limits = request.constraints
    numbers = (limits.max_content_bytes, limits.max_files, *limits.provider_limits.values())
    if any(each < 0 for each in numbers):
        return _wrong("a limit of a pack is a number from zero up", "give another limit")
    if not 1 <= request.map_tokens <= 1_000_000:
        return _wrong("a map has between 1 and 1,000,000 tokens", "give another --map-tokens")
    return None


def _warnings(scanned: ScannedProject, pack: AnyPack) -> tuple[str, ...]:
    found = []
    skipped = [each for each in scanned.encoding_issues if each.action == "skipped"]
    if skipped:
        found.append(
            f"{len(skipped)} files were skipped: their encoding is not certain "
            "(--on-decode-error replace takes them)"
        )
    snapshot = scanned.snapshot
    if snapshot.total_files > len(snapshot.files):
        found.append(f"{len(snapshot.files):,} of {snapshot.total_files:,} files are listed")
    if isinstance(pack, FullPack) and pack.metadata.truncation_applied:
        cut = sum(each.truncated for each in pack.contents)
        left = sum(each.exclusion_reason == "size_limit" for each in pack.file_index)
        found.append(f"{cut} files were cut and {left} left out to keep the limits")
    return tuple(found)


def _hidden(host: Host, snapshot: ProjectSnapshot) -> Iterator[str]:
    """Yield what rules hide in the packed part, and how a person allows it."""
    folders = [
        each.path.rstrip("/").split("/")
        for each in snapshot.excluded_files
        if each.path.endswith("/")
    ]
    for each in hidden_files(host):
        if any(is_under(names, each.rule) for names in folders):
            yield each.sentence()


def _wrong(problem: str, advice: str) -> Refusal:
    return Refusal(RefusalKind.INVALID_REQUEST, "usage", None, problem, advice)
