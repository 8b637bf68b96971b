"""Compare builds: a record with a fresh build, or the inputs of two records.

A record is not trusted: its shape is checked, and its ids and sums are computed again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

import msgspec

from sightline.bundle import (
    BuildResult,
    ContextBlock,
    ContextBundle,
    Difference,
    ExcludedCandidate,
    IncludedFile,
    OptionalFile,
    Selection,
    Status,
    content_id,
)
from sightline.context.reports import bundle_fingerprint
from sightline.context.request import without_values
from sightline.refusals import Refusal, RefusalKind

_SHORT = 12
_HASH = 64
_LONGEST_SHOWN = 80
_LARGEST_EXACT = 2**53 - 1
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})"
)
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SHOWN_TEXTS = frozenset(["path", "symbol", "purpose", "scope", "severity"])
"""Fields of a request with names and choices. Its other texts are a person's own words."""
_DIFF_SIDES = ("the first", "the second")
_VERIFY_SIDES = ("the record", "what a build gives now")


def read_result(data: bytes) -> BuildResult | Refusal:
    """Read a record that `build --format json` wrote; refuse one with anything else in it."""
    try:
        result = msgspec.json.decode(data, type=BuildResult)
        written = json.loads(data, object_pairs_hook=_without_repeated_names)
        problem = _unknown_part(written, msgspec.to_builtins(result), "")
    except msgspec.ValidationError as error:
        problem = without_values(str(error))
    except (msgspec.DecodeError, ValueError, RecursionError):
        problem = "it is not JSON, or holds a name twice"
    if problem is None:
        return result
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "not_a_bundle",
        None,
        f"this is not a build that can be compared: {problem}",
        "give the file that 'sightline build --format json' wrote",
    )


def differences(recorded: BuildResult, derived: BuildResult) -> list[Difference]:
    """Return every difference between a record and a fresh build."""
    # Both go through JSON, so that a list equals a tuple.
    recorded, derived = _through_json(recorded), _through_json(derived)
    # Overrides that protect something are not replayed. `_tampered` compares overrides with the
    # record's settings, and `_inputs` compares those with the current settings.
    derived = msgspec.structs.replace(derived, overrides=recorded.overrides)
    found = [*_tampered(recorded), *_inputs(recorded, derived, _VERIFY_SIDES)]
    if recorded.bundle is not None and derived.bundle is not None:
        found += _blocks(recorded.bundle, derived.bundle)
    if recorded.manifest is not None and derived.manifest is not None:
        found += _candidates(
            recorded.manifest.selection.excluded_candidates,
            derived.manifest.selection.excluded_candidates,
        )
        mine = recorded.manifest.fingerprints.bundle_fingerprint
        now = derived.manifest.fingerprints.bundle_fingerprint
        if mine != now:
            found.append(_changed("fingerprint", "bundle_fingerprint", "", mine, now))
    for name in ("redaction_report", "budget_report"):
        found += _report(name, getattr(recorded, name), getattr(derived, name))
    if recorded.index_complete != derived.index_complete:
        found.append(Difference("index", "index_complete", "is another"))
    if recorded.rendered != derived.rendered:
        found.append(Difference("text", "rendered", "is another"))
    if not found and _anonymous(recorded) != _anonymous(derived):
        found.append(Difference("record", "build", "is another"))
    return found


def changed_inputs(first: BuildResult, second: BuildResult) -> list[Difference]:
    """Return the inputs in which two builds differ: request, settings, files and fingerprints."""
    return _inputs(first, second, _DIFF_SIDES)


def _inputs(first: BuildResult, second: BuildResult, sides: tuple[str, str]) -> list[Difference]:
    found: list[Difference] = []
    if first.status != second.status:
        found.append(_changed("status", "build", "", first.status.value, second.status.value))
    if first.refusal != second.refusal:
        found.append(
            Difference("refusal", "build", f"{_kind(first.refusal)} and {_kind(second.refusal)}")
        )
    found += _values("request", "", first.request, second.request)
    found += _values("setting", "", first.settings, second.settings)
    before, after = first.manifest, second.manifest
    if before is None or after is None:
        return found
    found += _files(_shown_files(before.selection), _shown_files(after.selection), sides)
    for name in ("target_files", "target_symbols"):
        if getattr(before.selection, name) != getattr(after.selection, name):
            found.append(Difference("selection", name, "is another"))
    mine, now = before.fingerprints, after.fingerprints
    for name in ("project_index_fingerprint", "config_fingerprint"):
        if getattr(mine, name) != getattr(now, name):
            found.append(_changed("fingerprint", name, "", getattr(mine, name), getattr(now, name)))
    return found


def _kind(refusal: Refusal | None) -> str:
    return "none" if refusal is None else f"{refusal.kind.value} ({refusal.reason[: _SHORT * 3]})"


def _shown_files(selection: Selection) -> tuple[IncludedFile | OptionalFile, ...]:
    return (*selection.included_files, *selection.optional_files)


def _files(
    first: Sequence[IncludedFile | OptionalFile],
    second: Sequence[IncludedFile | OptionalFile],
    sides: tuple[str, str],
) -> Iterator[Difference]:
    before = {each.path: each for each in first}
    after = {each.path: each for each in second}
    for path in sorted({*before, *after}):
        mine, now = before.get(path), after.get(path)
        if mine is None or now is None:
            yield Difference("file", path, f"is in {sides[0 if now is None else 1]} alone")
            continue
        if mine.hash != now.hash:
            yield Difference(
                "file",
                path,
                f"has another content: sha256 {mine.hash[:_SHORT]} and {now.hash[:_SHORT]}, "
                f"{mine.byte_size} and {now.byte_size} bytes",
            )
        elif mine.byte_size != now.byte_size:
            yield _changed("file", path, "bytes ", str(mine.byte_size), str(now.byte_size))
        for name in ("encoding", "level", "reason", "score", "source"):
            one, other = str(getattr(mine, name)), str(getattr(now, name))
            if one != other:
                yield _changed("file", path, f"{name} ", one, other)
        if mine.relation != now.relation:
            yield Difference("file", path, "has another evidence")


def _blocks(first: ContextBundle, second: ContextBundle) -> Iterator[Difference]:
    before = {_key(block): block for block in first.blocks}
    after = {_key(block): block for block in second.blocks}
    for key in sorted({*before, *after}):
        mine, now = before.get(key), after.get(key)
        where = " ".join(filter(None, key))
        if mine is None or now is None:
            yield Difference(
                "block", where, f"is in {_VERIFY_SIDES[0 if now is None else 1]} alone"
            )
        elif mine != now:
            part = "content" if mine.content != now.content else "description"
            yield Difference("block", where, f"has another {part}")
    if first.model != second.model:
        yield Difference("model", first.model.model[:_LONGEST_SHOWN], "has other limits")


def _key(block: ContextBlock) -> tuple[str, str, str]:
    return block.block_type.value, block.title, block.meta.symbol or ""


def _candidates(
    first: Sequence[ExcludedCandidate], second: Sequence[ExcludedCandidate]
) -> Iterator[Difference]:
    """Yield differences between the excluded candidates."""
    for path in sorted({each.path for each in (*first, *second)}):
        mine = [each for each in first if each.path == path]
        now = [each for each in second if each.path == path]
        if not mine or not now:
            side = _VERIFY_SIDES[1 if not mine else 0]
            yield Difference("candidate", path, f"stays out in {side} alone")
        elif mine != now:
            yield Difference("candidate", path, "stays out for another reason")


def _report(name: str, first: object, second: object) -> Iterator[Difference]:
    mine, now = _anonymous(first), _anonymous(second)
    if isinstance(mine, dict) and isinstance(now, dict):
        fields = [field for field in mine if mine[field] != now.get(field)]
        if fields:
            yield Difference("report", name, f"{', '.join(fields)}: not the same")
    elif mine != now:
        yield Difference("report", name, "is not there" if mine is None else "is not made now")


def _tampered(result: BuildResult) -> Iterator[Difference]:
    """Yield every place where a record contradicts itself: ids and fingerprints are made from
    content.
    """
    yield from _unfounded_overrides(result)
    bundle, manifest = result.bundle, result.manifest
    is_built = result.status is Status.OK
    if is_built != (bundle is not None) or is_built != (manifest is not None):
        yield Difference("tampered", "status", f"is {result.status.value}, and the parts deny it")
    if is_built == (result.refusal is not None):
        yield Difference("tampered", "refusal", f"does not go with {result.status.value}")
    if bundle is None or manifest is None:
        return
    for block in bundle.blocks:
        if content_id(msgspec.structs.replace(block, block_id="")) != block.block_id:
            yield Difference("tampered", block.title, "the block's id is not that of its content")
    if not _TIME.fullmatch(bundle.created_at):
        yield Difference("tampered", "created_at", "is no time")
    if not _UUID.fullmatch(bundle.correlation_id):
        yield Difference("tampered", "correlation_id", "is no UUID")
    anonymous = msgspec.structs.replace(bundle, bundle_id="", created_at="", correlation_id="")
    if content_id(anonymous) != bundle.bundle_id:
        yield Difference("tampered", "bundle_id", "is not that of the bundle's content")
    if bundle_fingerprint(bundle) != manifest.fingerprints.bundle_fingerprint:
        yield Difference("tampered", "bundle_fingerprint", "is not that of the bundle's content")
    reports = (manifest, result.redaction_report, result.budget_report)
    if any(each is None or each.bundle_id != bundle.bundle_id for each in reports):
        yield Difference("tampered", "bundle_id", "a report is of another bundle")
    if (manifest.purpose, manifest.correlation_id) != (bundle.purpose, bundle.correlation_id):
        yield Difference("tampered", "manifest", "is of another bundle")
    shown = _shown_files(manifest.selection)
    if len({each.path for each in shown}) != len(shown):
        yield Difference("tampered", "manifest", "has a file twice")
    budget = result.budget_report
    if budget is not None:
        total = budget.framing_tokens + sum(each.tokens for each in budget.blocks)
        if total != budget.estimated_input_tokens:
            yield Difference("tampered", "budget_report", "its sums do not add up")


def _unfounded_overrides(result: BuildResult) -> Iterator[Difference]:
    """Yield overrides that contradict the settings of the same record."""
    for key in sorted(result.overrides):
        section, _, field = key.partition(".")
        values = result.settings.get(section)
        value = values.get(field) if isinstance(values, Mapping) else None
        if value != result.overrides[key]:
            yield Difference("tampered", "overrides", "the settings beside them say otherwise")
            return


def _values(what: str, prefix: str, first: object, second: object) -> Iterator[Difference]:
    """Yield the leaves in which two JSON values differ, by dotted name."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        for name in sorted({*first, *second}):
            where = f"{prefix}.{name}" if prefix else name
            yield from _values(what, where, first.get(name), second.get(name))
    elif _is_list(first) and _is_list(second) and len(first) == len(second):
        for index, (mine, now) in enumerate(zip(first, second, strict=True)):
            yield from _values(what, f"{prefix}[{index}]", mine, now)
    elif first != second:
        is_shown = what == "setting" or prefix.rpartition(".")[2] in _SHOWN_TEXTS
        shown = [_shown(each, with_texts=is_shown) for each in (first, second)]
        known = all(each is not None for each in shown)
        detail = f"{shown[0]} and {shown[1]}" if known else "is another"
        yield Difference(what, prefix or "all of it", detail)


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, list | tuple)


def _shown(value: object, *, with_texts: bool) -> str | None:
    """Return a plain value in the form of a difference; None for one that is not shown."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if with_texts and isinstance(value, str) and len(value) <= _LONGEST_SHOWN:
        return f"'{value}'"
    if _is_list(value):
        return f"{len(value)} entries"
    return None


def _changed(what: str, where: str, name: str, first: str, second: str) -> Difference:
    mine, now = (each[:_SHORT] if len(each) == _HASH else each for each in (first, second))
    return Difference(what, where, f"{name}{mine} and {now}")


def _anonymous(value: object) -> object:
    """Return plain values without ids and the time, which are compared separately."""
    plain = msgspec.to_builtins(value)
    if isinstance(plain, dict):
        for each in (plain, plain.get("bundle"), plain.get("manifest")):
            if isinstance(each, dict):
                for name in ("bundle_id", "created_at", "correlation_id"):
                    each.pop(name, None)
    return plain


def _through_json(result: BuildResult) -> BuildResult:
    return msgspec.json.decode(msgspec.json.encode(result), type=BuildResult)


def _without_repeated_names(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _unknown_part(written: object, known: object, where: str) -> str | None:
    """Return the first part of a record's file that is unknown; None if all are known."""
    if isinstance(written, dict) and isinstance(known, Mapping):
        for name, value in written.items():
            if name not in known:
                return f"{where or 'it'} has a field that no build writes"
            problem = _unknown_part(value, known[name], f"{where}.{name}" if where else name)
            if problem is not None:
                return problem
    elif isinstance(written, list) and _is_list(known):
        for index, (value, read) in enumerate(zip(written, known, strict=True)):
            problem = _unknown_part(value, read, f"{where}[{index}]")
            if problem is not None:
                return problem
    elif isinstance(written, int) and abs(written) > _LARGEST_EXACT:
        return f"{where} is a number that is not exact in JSON"
    return None
