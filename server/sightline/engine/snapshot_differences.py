"""Describe for people how two context snapshots differ: items, regions, settings."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

import attrs

from sightline.bundle import BuildResult
from sightline.engine.diff import diff
from sightline.engine.snapshot_builds import EXCLUDE, RECORD, RENDERED
from sightline.engine.snapshot_store import Objects, SnapshotInfo
from sightline.engine.verify import read_record
from sightline.provenance.model import ContextItem
from sightline.provenance.vocabulary import ContextItemKind
from sightline.refusals import Refusal
from sightline.workspace.git_objects import ObjectFault

_OWN = (RECORD, RENDERED, EXCLUDE)
_INPUTS = ("setting", "request", "policy")
_LARGEST_PATCH = 1 << 20


@attrs.frozen
class SnapshotDifference:
    """One thing that differs between two snapshots."""

    mark: str
    """`-` only in the first, `+` only in the second, `~` in both and changed."""
    what: str
    """`file`, `url`, another kind of item, `region`, `setting`, `request`, `commit`, …"""
    where: str
    detail: str = ""
    patch: str = ""
    """The changed lines of an item that is a text, as git prints them."""

    def sentence(self) -> str:
        where = f" {self.where}" if self.where else ""
        return f"{self.mark} {self.what}{where}" + (f": {self.detail}" if self.detail else "")


def compare_snapshots(
    one: tuple[SnapshotInfo, Objects], other: tuple[SnapshotInfo, Objects]
) -> list[SnapshotDifference]:
    """Return how two snapshots differ: items first, then regions, then the request."""
    before, after = _items(one[0]), _items(other[0])
    found = [SnapshotDifference("-", *key) for key in sorted(before.keys() - after.keys())]
    found += [SnapshotDifference("+", *key) for key in sorted(after.keys() - before.keys())]
    for kind, path in sorted(before.keys() & after.keys()):
        first, second = before[kind, path], after[kind, path]
        if first.blob != second.blob:
            found.append(_changed_item(one[1], other[1], first, second))
        elif first.more != second.more:
            detail = f"{_note(first)} → {_note(second)}"
            found.append(SnapshotDifference("~", kind, path, detail))
    records = [_record(*each) for each in (one, other)]
    if isinstance(records[0], BuildResult) and isinstance(records[1], BuildResult):
        found += _regions(records[0], records[1])
        differences = diff(records[0], records[1]).differences
        found += [
            SnapshotDifference("~", each.what, each.where, each.detail)
            for each in differences
            if each.what in _INPUTS
        ]
    return [*found, *_headers(one[0], other[0])]


def _items(info: SnapshotInfo) -> dict[tuple[str, str], ContextItem]:
    return {
        (str(each.kind), each.path): each for each in info.snapshot.items if each.kind not in _OWN
    }


def _note(item: ContextItem) -> str:
    return str(item.more.get("note", "as committed"))


def _changed_item(
    one: Objects, other: Objects, first: ContextItem, second: ContextItem
) -> SnapshotDifference:
    """Return how the content of an item changed."""
    plain = SnapshotDifference("~", str(first.kind), first.path)
    data = [_data(objects, item) for objects, item in ((one, first), (other, second))]
    if data[0] is None or data[1] is None:
        return attrs.evolve(plain, detail="the content of one is missing")
    is_text = first.kind != ContextItemKind.IMAGE and not any(
        b"\0" in each for each in data if each
    )
    if not is_text or max(len(data[0]), len(data[1])) > _LARGEST_PATCH:
        return attrs.evolve(plain, detail=f"{len(data[0])} → {len(data[1])} bytes")
    lines = [each.decode("utf-8", "replace").splitlines() for each in (data[0], data[1])]
    names = (f"a/{first.path}", f"b/{second.path}")
    patch = list(difflib.unified_diff(lines[0], lines[1], *names, lineterm=""))
    added = sum(each.startswith("+") for each in patch[2:])
    removed = sum(each.startswith("-") for each in patch[2:])
    return attrs.evolve(plain, detail=f"+{added} -{removed} lines", patch="\n".join(patch) + "\n")


def _data(objects: Objects, item: ContextItem) -> bytes | None:
    found = objects.read([item.blob or ""])
    return None if isinstance(found, ObjectFault) else found[0]


def _record(info: SnapshotInfo, objects: Objects) -> BuildResult | None:
    for item in info.snapshot.items:
        if item.kind == RECORD and (data := _data(objects, item)) is not None:
            record = read_record(data)
            return None if isinstance(record, Refusal) else record
    return None


def _regions(one: BuildResult, other: BuildResult) -> Iterable[SnapshotDifference]:
    """Return the symbols and lines that only one of two bundles shows."""
    before, after = _shown(one), _shown(other)
    for path in sorted({*before, *after}):
        first, second = before.get(path, {}), after.get(path, {})
        if not first or not second:
            # The file itself is in only one.
            continue
        for name in sorted(first.keys() - second.keys()):
            yield SnapshotDifference("-", "region", f"{path}::{name}", first[name])
        for name in sorted(second.keys() - first.keys()):
            yield SnapshotDifference("+", "region", f"{path}::{name}", second[name])
        for name in sorted(first.keys() & second.keys()):
            if first[name] != second[name]:
                detail = f"{first[name]} → {second[name]}"
                yield SnapshotDifference("~", "region", f"{path}::{name}", detail)


def _shown(record: BuildResult) -> dict[str, dict[str, str]]:
    """Return the regions of a bundle by path and symbol, each with its level and lines."""
    found: dict[str, dict[str, str]] = {}
    for block in record.bundle.blocks if record.bundle is not None else ():
        meta = block.meta
        if meta.path is None:
            continue
        regions = found.setdefault(meta.path, {})
        for region in meta.regions:
            name = region.symbol or "lines outside of symbols"
            regions[name] = f"{meta.level} {region.start_line}-{region.end_line}"
        if not meta.regions:
            regions["whole file"] = str(meta.level)
    return found


def _headers(one: SnapshotInfo, other: SnapshotInfo) -> Iterable[SnapshotDifference]:
    for name in ("selection_strategy", "summary", "created_by"):
        before, after = getattr(one.snapshot, name), getattr(other.snapshot, name)
        if before != after:
            yield SnapshotDifference("~", name, "", f"{_said(before)} → {_said(after)}")
    builds = [each.snapshot.more.get("build") for each in (one, other)]
    first, second = (each if isinstance(each, Mapping) else {} for each in builds)
    for name in ("commit", "tool_version"):
        if first.get(name) != second.get(name):
            detail = f"{_said(first.get(name))} → {_said(second.get(name))}"
            yield SnapshotDifference("~", name, "", detail)


def _said(value: object) -> str:
    if value is None:
        return "none"
    name, kind = getattr(value, "id", None), getattr(value, "kind", None)
    return f"{kind}:{name}" if name is not None else str(value)
