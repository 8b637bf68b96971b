"""Assembly: the blocks that the targets need, whatever the budget is.

These are the targets, P1, and the eight best P2 candidates by the contract's rank. How much of a
file is shown depends only on its size and on the parts that are meant. If the parts of a file cost
much, the largest are shown as signatures; enrichment may raise them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import attrs

from sightline.bundle import (
    BlockRelation,
    ExcludedCandidate,
    ExclusionReason,
    Priority,
    Reason,
)
from sightline.context.blocks import BlockShape, Item, ItemRole
from sightline.context.candidates import (
    Candidate,
    FilePart,
    merged_relations,
    rank,
    score,
    similar_score,
)
from sightline.context.fitting import rest_of
from sightline.context.layout import Entry, Layout
from sightline.context.selecting import DocumentReader, Selected, file_size
from sightline.context.sources import ScannedDocument, Sources

MOST_P2 = 8
WHOLE_SYMBOL_TARGET = 1_500
"""If the target is a symbol, its whole file is shown up to so many tokens."""
WHOLE_FILE = 600
"""Any other file is shown whole up to so many tokens."""
WHOLE_CONFIG = 250
"""A configuration file is shown whole up to so many tokens, otherwise not at all."""
LARGEST_PART = 3_000
"""The most tokens for the shown parts of a file that is not a target."""
LARGEST_NEEDED = 700
"""The same for a file that a target needs: the largest parts become signatures
until there is room.
"""


@attrs.frozen
class Gathered:
    """What leads to a file, and which parts of it are meant."""

    candidates: tuple[Candidate, ...] = ()
    similar: tuple[tuple[FilePart, BlockRelation, int], ...] = ()
    """Parts that are similar to the target, each with its evidence and its score."""
    outlined: frozenset[FilePart] = frozenset()
    """Parts for which signatures are enough until there is room for more."""

    def with_candidates(self, more: Iterable[Candidate]) -> Gathered:
        return attrs.evolve(self, candidates=tuple(dict.fromkeys((*self.candidates, *more))))

    @property
    def parts(self) -> tuple[FilePart, ...]:
        """Return the parts that are meant, in order; empty if only the file itself is."""
        found = {each.part for each in self.candidates} | {part for part, _, _ in self.similar}
        return tuple(sorted(each for each in found if each is not None))


class Assembly:
    """The files of a bundle while it grows: what leads to each, and how much of it is shown."""

    def __init__(
        self,
        layout: Layout,
        reader: DocumentReader,
        represented: frozenset[str],
    ) -> None:
        self.layout = layout
        self.reader = reader
        self.gathered: dict[str, Gathered] = {}
        self.excluded: dict[str, ExcludedCandidate] = {}
        """By path: files that may not be shown."""
        self._represented = represented
        self._contents: dict[bytes, str] = {}
        """Each content that is shown, with its path."""

    def put_own(self, items: Sequence[Item], target_level: str) -> None:
        """Show the targets and the files that the user added."""
        self.layout.cutter.prepare(items)
        for item in items:
            self._contents.setdefault(item.document.text.data, item.path)
            for entry in self._own_entries(item, target_level):
                self.layout.put(entry)

    def _own_entries(self, item: Item, target_level: str) -> list[Entry]:
        layout = self.layout
        whole = layout.entry(item, BlockShape.FULL)
        region = layout.entry(item, BlockShape.REGION) if item.targets else None
        if item.role is ItemRole.SELECTED:
            is_whole = region is None or (
                whole is not None and layout.tokens_of(whole) <= WHOLE_FILE
            )
            chosen = whole if is_whole else region
            return [chosen] if chosen is not None else []
        is_whole = whole is not None and (
            region is None
            or target_level == "full"
            or (target_level == "auto" and layout.tokens_of(whole) <= WHOLE_SYMBOL_TARGET)
        )
        if is_whole and whole is not None:
            return [whole]
        assert region is not None, "a target can be shown whole or as its region"
        rest = rest_of(layout, item)
        return [region] if rest is None else [region, rest]

    def is_shown(self, candidate: Candidate) -> bool:
        """True if a block shows a candidate, at any level."""
        for entry in self.layout.of_path(candidate.path):
            if entry.shape is not BlockShape.REGION or entry.item.targets:
                if entry.item.role is not ItemRole.TARGET or entry.shape is BlockShape.FULL:
                    return True
            elif candidate.part is None or candidate.part in entry.item.parts:
                return True
        return False

    def grown(self, path: str, gathered: Gathered) -> Entry | None:
        """Return the block of a file with everything gathered for it that is not shown yet.

        None if the file may not be shown or is a copy of another, if it has no such block, or if
        the block is shown already.
        """
        layout = self.layout
        own = [each for each in layout.of_path(path) if each.item.role is not ItemRole.RELATED]
        if any(
            each.shape is BlockShape.FULL or not each.item.targets or each.item.is_secretive
            for each in own[:1]
        ):
            return None
        document = self.document(path)
        if document is None:
            return None
        item = self._item(document, gathered, ItemRole.MORE if own else ItemRole.RELATED)
        current = layout.get((path, item.role))
        if current is not None and current.shape is BlockShape.FULL:
            return self._same_shape(current, item)
        if item.reason is Reason.CONFIG:
            return self._config(item)
        entry = self._level(item, is_own=bool(own))
        if entry is None:
            if not own and current is None:
                most = LARGEST_PART if item.parts else LARGEST_NEEDED
                self._exclude(path, ExclusionReason.TOO_LARGE, f"no slice of at most {most} tokens")
            return None
        return entry

    def _same_shape(self, current: Entry, item: Item) -> Entry | None:
        """Add further reasons to a file that is already shown whole."""
        same = self.layout.entry(item, current.shape)
        is_other = same is not None and same.block.block_id != current.block.block_id
        return same if is_other else None

    def document(self, path: str) -> ScannedDocument | None:
        """Return the document of a file if it may be shown and is not a copy of a shown one."""
        if path in self.excluded:
            return None
        document = self.reader.document(path)
        if isinstance(document, ExcludedCandidate):
            self.excluded[path] = document
            return None
        if document is None:
            return None
        first = self._contents.setdefault(document.text.data, path)
        if first != path:
            self._exclude(path, ExclusionReason.DUPLICATE, f"same content as {first}")
            return None
        return document

    def _exclude(self, path: str, reason: ExclusionReason, rule: str) -> None:
        self.excluded[path] = ExcludedCandidate(path, reason, rule, "selection")

    def _item(self, document: ScannedDocument, gathered: Gathered, role: ItemRole) -> Item:
        path, size = document.path, document.byte_size
        is_represented = path in self._represented or role is ItemRole.MORE
        ordered = sorted(
            gathered.candidates, key=lambda each: rank(each, size, is_represented=is_represented)
        )
        similar = sorted(gathered.similar, key=lambda each: (-each[2], each[0]))
        relations = merged_relations(ordered) or tuple(each for _, each, _ in similar[:1])
        best = ordered[0] if ordered else None
        return Item(
            role,
            min((each.priority for each in ordered), default=Priority.P3),
            document,
            best.reason if best else None,
            score(best, size, is_represented=is_represented)
            if best
            else similar_score(size, is_represented=is_represented),
            relations=relations,
            parts=gathered.parts,
            outlined=tuple(sorted(gathered.outlined)),
            hops=best.hops if best else 1,
            likeness=similar[0][2] if similar else None,
        )

    def _config(self, item: Item) -> Entry | None:
        whole = self.layout.entry(item, BlockShape.FULL)
        assert whole is not None
        if self.layout.tokens_of(whole) <= WHOLE_CONFIG:
            return whole
        self._exclude(
            item.path, ExclusionReason.TOO_LARGE, f"configuration over {WHOLE_CONFIG} tokens"
        )
        return None

    def _level(self, item: Item, *, is_own: bool) -> Entry | None:
        """Return how a file that is not a target is shown: whole if small, otherwise parts,
        otherwise signatures.
        """
        layout = self.layout
        if is_own:
            return layout.entry(item, BlockShape.REGION)
        whole = layout.entry(item, BlockShape.FULL)
        assert whole is not None
        cost = layout.tokens_of(whole)
        if cost <= WHOLE_FILE:
            return whole
        if not item.parts:
            entry = self._outline(item)
            return entry or (whole if cost <= LARGEST_NEEDED else None)
        for shape in (BlockShape.REGION, BlockShape.RELATED_SIGNATURES):
            entry = layout.entry(item, shape)
            if entry is not None and shape is BlockShape.REGION:
                # Little would be left out: the markers would cost as much.
                return whole if layout.tokens_of(entry) * 10 >= cost * 9 else entry
            if entry is not None:
                return entry
        return whole if cost <= LARGEST_PART else None

    def _outline(self, item: Item) -> Entry | None:
        """Return the signatures of a file; for a large file, those that a target names."""
        entry = self.layout.entry(item, BlockShape.SIGNATURES)
        if entry is None or self.layout.tokens_of(entry) <= LARGEST_NEEDED:
            return entry
        named = self.layout.cutter.named_parts(item)
        if not named:
            return None
        return self.layout.entry(attrs.evolve(item, parts=named, outlined=named), BlockShape.REGION)

    def lean(self, path: str, gathered: Gathered) -> Gathered:
        """Use signatures for the largest parts if all parts of a file would cost too much."""
        entry = self.grown(path, gathered)
        parts = self.layout.cutter.bytes_of(entry.item) if entry is not None else []
        count = 1
        while entry is not None and self.layout.tokens_of(entry) > LARGEST_NEEDED:
            largest = frozenset(part for _, part in parts[:count])
            gathered = attrs.evolve(gathered, outlined=gathered.outlined | largest)
            if count >= len(parts):
                break
            entry = self.grown(path, gathered)
            count *= 2
        return gathered


def assemble(
    sources: Sources, selected: Selected, assembly: Assembly, target_level: str, depth: str
) -> None:
    """Show the targets and what they need."""
    assembly.put_own(selected.items, target_level)
    if depth == "target":
        return
    by_path: dict[str, list[Candidate]] = {}
    for each in selected.candidates:
        if each.priority is Priority.P1:
            by_path.setdefault(each.path, []).append(each)
    assembly.reader.expect(by_path)
    for path, candidates in by_path.items():
        _put(assembly, path, candidates)
    _put_best(sources, selected, assembly)


def _put_best(sources: Sources, selected: Selected, assembly: Assembly) -> None:
    """Show the best P2 candidates."""
    sizes: Mapping[str, int] = {
        each.path: file_size(sources, each.path)
        for each in selected.candidates
        if each.priority is Priority.P2
    }
    ordered = sorted(
        (each for each in selected.candidates if each.priority is Priority.P2),
        key=lambda each: rank(each, sizes[each.path], is_represented=False),
    )
    assembly.reader.expect(each.path for each in ordered[:MOST_P2])
    count = 0
    for each in ordered:
        if count == MOST_P2:
            break
        if not assembly.is_shown(each):
            _put(assembly, each.path, [each])
        count += assembly.is_shown(each)


def _put(assembly: Assembly, path: str, candidates: Sequence[Candidate]) -> None:
    gathered = assembly.gathered.get(path, Gathered()).with_candidates(candidates)
    gathered = assembly.lean(path, gathered)
    entry = assembly.grown(path, gathered)
    if entry is not None:
        assembly.gathered[path] = gathered
        assembly.layout.put(entry)
