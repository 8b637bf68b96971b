"""Blocks: the content that is shown of a file, in each possible shape.

A shape is cut from the original, and every secret in it is replaced on the way: the document was
scanned as a whole, and each finding is followed through the cut by its span. Invisible characters
are written as escapes.

Invariants:

* A shape that cannot be cut exactly does not exist; nothing replaces it.
* A block's content contains no byte of a finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from enum import IntEnum

import attrs

from sightline.bundle import (
    BlockMeta,
    BlockRegion,
    BlockRelation,
    BlockType,
    ContextBlock,
    Encoding,
    Priority,
    Reason,
    Source,
    identified,
)
from sightline.context.candidates import FilePart, bytewise
from sightline.context.sources import DocumentCut, ScannedDocument, Sources
from sightline.egress import ScanFailure, made_visible, redacted
from sightline.index import Snapshot, SymbolId
from sightline.refusals import Refusal
from sightline.slicing import (
    Level,
    Slice,
    full_file,
    outside_bodies,
    parts,
    region_signatures,
    regions,
    summary_only,
)
from sightline.symbols import TYPE_KINDS, FileSummary, Symbol
from sightline.text import Span

_TYPE_ORDER = {each: number for number, each in enumerate(BlockType)}


class BlockShape(IntEnum):
    """How much of a file is shown, from the whole file to only its names."""

    FULL = 0
    REGION = 1
    SIGNATURES = 2
    RELATED_SIGNATURES = 3
    """Only the signatures of the symbols that are meant."""
    SUMMARY = 4


class ItemRole(IntEnum):
    TARGET = 0
    REST = 1
    """The rest of a target's file, as signatures."""
    SELECTED = 2
    RELATED = 3
    MORE = 4
    """Related parts of a target's file."""


_TITLES = {ItemRole.REST: " (the rest of it)", ItemRole.MORE: " (more of it)"}
_HOLDERS = TYPE_KINDS | {"module"}
_LONGEST_TYPE = 3_000
_LONGEST_FUNCTION = 12_000
"""In bytes. A longer function is shown as a signature."""
_MOST_MEMBERS = 12
"""For a type with more members, only members that a target names are among the signatures."""


@attrs.frozen(eq=False)
class Item:
    """A file that may become a block."""

    role: ItemRole
    priority: Priority
    document: ScannedDocument
    reason: Reason | None
    """None for a file that is only similar to a target."""
    score: int
    targets: tuple[SymbolId, ...] = ()
    """Definitions that are meant, in a target or a selected file."""
    relations: tuple[BlockRelation, ...] = ()
    """The best first."""
    parts: tuple[FilePart, ...] = ()
    """The parts of a related file that are meant, in order; empty for the whole file."""
    outlined: tuple[FilePart, ...] = ()
    """Those parts for which signatures are enough."""
    hops: int = 1
    likeness: int | None = None
    largest: BlockShape = BlockShape.FULL
    """The largest shape that may be shown: less than the whole file if it contains a secret."""
    is_alone: bool = False
    """True if a secret excludes the signatures of the rest of a target's file."""
    is_secretive: bool = False
    """True if a secret is the reason that only less than the whole file may be shown."""

    @property
    def path(self) -> str:
        return self.document.path

    @property
    def rank(self) -> tuple[object, ...]:
        """The contract's order, the best first."""
        return (-self.score, self.hops, self.document.byte_size, bytewise(self.path), self.role)


class BlockCutter:
    """Cuts the items of one build, each shape once and on demand."""

    def __init__(
        self, sources: Sources, *, allow_summary: bool, named: Set[str] = frozenset()
    ) -> None:
        """`named` are the words of the targets: of a large type, members with
        such names are shown.
        """
        self._sources = sources
        self._allow_summary = allow_summary
        self._named = named
        self._cuts: dict[str, DocumentCut | Refusal] = {}
        self._blocks: dict[tuple[Item, BlockShape], ContextBlock | None] = {}
        self._problems: dict[tuple[str, BlockShape], str] = {}
        self.escaped: dict[str, int] = {}
        """By path: the largest number of invisible characters in a block of the file."""

    def prepare(self, items: Iterable[Item]) -> None:
        """Start parsing the items' files, all at once."""
        missing = {
            item.path: item.document
            for item in items
            if item.document.language is not None and item.path not in self._cuts
        }
        if missing:
            self._cuts.update(self._sources.cuts(missing.values()))

    def block(self, item: Item, shape: BlockShape) -> ContextBlock | None:
        """Return the item in a shape; None if it has no such shape."""
        if shape < item.largest:
            return None
        key = (item, shape)
        if key not in self._blocks:
            slice_ = self._slice(item, shape)
            if isinstance(slice_, Refusal):
                self._problems[(item.path, shape)] = slice_.message
                slice_ = None
            self._blocks[key] = None if slice_ is None else self._block(item, slice_)
        return self._blocks[key]

    def _block(self, item: Item, slice_: Slice) -> ContextBlock:
        content, escaped = _shown(item.document, slice_)
        self.escaped[item.path] = max(escaped, self.escaped.get(item.path, 0))
        return _block(item, slice_, content)

    def problem(self, path: str, shape: BlockShape) -> str | None:
        """Return why a file could not be cut."""
        return self._problems.get((path, shape))

    def regions_of(self, item: Item) -> list[tuple[Symbol, ContextBlock]]:
        """Return each reliable symbol of a target, with the block that its region would be."""
        cut = self._cut(item)
        language = item.document.language
        if not isinstance(cut, DocumentCut) or language is None:
            return []
        shown = []
        meant = [each.region for each in self._meant(item, cut.summary)]
        for symbol in cut.summary.symbols:
            if meant and not any(
                region.contains(symbol.region) and region != symbol.region for region in meant
            ):
                continue
            slice_ = regions(language, item.document.text, cut.summary, [symbol])
            if isinstance(slice_, Slice):
                shown.append((symbol, self._block(item, slice_)))
        return shown

    def bytes_of(self, item: Item) -> list[tuple[int, FilePart]]:
        """Return the sizes of the regions of an item's symbols, the largest first."""
        cut = self._cut(item)
        if not isinstance(cut, DocumentCut):
            return []
        found = [
            (-each.region.size, part)
            for part in item.parts
            for each in _symbols_of(cut.summary, [part])
        ]
        return [(-size, part) for size, part in sorted(found)]

    def named_parts(self, item: Item) -> tuple[FilePart, ...]:
        """Return the outermost symbols of an item's file that a target names."""
        cut = self._cut(item)
        if not isinstance(cut, DocumentCut):
            return ()
        symbols = cut.summary.symbols
        return tuple(
            FilePart(each.name_line, each.qualified_name)
            for each in symbols
            if each.name in self._named
            and (each.parent < 0 or symbols[each.parent].kind == "module")
        )

    def types_around(self, item: Item) -> tuple[FilePart, ...]:
        """Return the outermost type around each target of a file."""
        cut = self._cut(item)
        if not isinstance(cut, DocumentCut):
            return ()
        symbols = cut.summary.symbols
        found: set[FilePart] = set()
        for symbol in self._meant(item, cut.summary):
            index = symbol.parent
            outermost = None
            while index >= 0:
                around = symbols[index]
                outermost = around if around.kind in TYPE_KINDS else outermost
                index = around.parent
            if outermost is not None:
                found.add(FilePart(outermost.name_line, outermost.qualified_name))
        return tuple(sorted(found))

    def _cut(self, item: Item) -> DocumentCut | Refusal | None:
        self.prepare([item])
        return self._cuts.get(item.path)

    def _slice(self, item: Item, shape: BlockShape) -> Slice | Refusal | None:
        document = item.document
        if shape is BlockShape.FULL:
            return full_file(document.text)
        language = document.language
        cut = self._cut(item)
        if language is None or cut is None or isinstance(cut, Refusal):
            return cut if isinstance(cut, Refusal) else None
        if shape is BlockShape.SUMMARY:
            return (
                summary_only(item.path, language.title, cut.summary)
                if self._allow_summary
                else None
            )
        if shape is BlockShape.SIGNATURES:
            return cut.signatures
        if shape is BlockShape.REGION and item.targets:
            symbols = self._meant(item, cut.summary)
            return regions(language, document.text, cut.summary, symbols) if symbols else None
        if shape is BlockShape.REGION:
            return _parts_slice(document, cut, item.parts, item.outlined, self._named)
        if isinstance(cut.signatures, Refusal):
            return cut.signatures
        symbols = outside_bodies(cut.summary, self._meant(item, cut.summary))
        if not symbols:
            return None
        return region_signatures(language, document.text, cut.summary, symbols, cut.signatures)

    def _meant(self, item: Item, summary: FileSummary) -> list[Symbol]:
        """Return the symbols that an item is about, in source order."""
        if item.targets:
            return meant_symbols(self._sources.snapshot, item.path, item.targets, summary)
        return _symbols_of(summary, item.parts)


def _symbols_of(summary: FileSummary, meant: Sequence[FilePart]) -> list[Symbol]:
    """Return the symbols that some parts mean, in source order."""
    by_name: dict[str, list[FilePart]] = {}
    for part in meant:
        by_name.setdefault(part.symbol, []).append(part)
    return [
        each
        for each in summary.symbols
        if any(
            part.means(each.qualified_name, each.name_line)
            and not (part.last_line and each.kind in _HOLDERS)
            for part in by_name.get(each.qualified_name, ())
        )
    ]


def _parts_slice(
    document: ScannedDocument,
    cut: DocumentCut,
    meant: Sequence[FilePart],
    outlined: Sequence[FilePart],
    words: Set[str],
) -> Slice | Refusal | None:
    """Cut the parts of a file that are meant: regions, or signatures of long ones."""
    summary, text, language = cut.summary, document.text, document.language
    assert language is not None, "it was cut"
    named = _symbols_of(summary, meant)
    known = {each.qualified_name for each in named}
    lines = [
        (each.line, each.last_line) for each in meant if each.last_line and each.symbol not in known
    ]
    beside = _symbols_on(summary, lines)
    starts = {each.name_span for each in (*named, *beside)}
    found = [each for each in summary.symbols if each.reliable and each.name_span in starts]
    signatures = cut.signatures if isinstance(cut.signatures, Slice) else None
    enough = {each.name_span for each in _symbols_of(summary, outlined)}
    long_ = [each for each in found if _is_long(each) or each.name_span in enough]
    long_ = long_ if signatures is not None else []
    outlines = outside_bodies(summary, _lean(summary, long_, words)) if long_ else []
    whole = [each for each in found if each not in long_]
    statements = [
        span
        for span in summary.statements
        if any(
            first <= text.line_of(span.end - 1) + 1 and text.line_of(span.start) + 1 <= last
            for first, last in lines
        )
    ]
    if not whole and not outlines and not statements:
        return None
    return parts(language, text, summary, whole, statements, outlines, signatures)


def _lean(summary: FileSummary, symbols: Sequence[Symbol], words: Set[str]) -> list[Symbol]:
    """Return the symbols; for a large type only the named members, otherwise its constructors."""
    chosen: list[Symbol] = []
    for symbol in symbols:
        index = next(n for n, each in enumerate(summary.symbols) if each is symbol)
        members = [each for each in summary.symbols if each.parent == index and each.reliable]
        if symbol.kind not in _HOLDERS or len(members) <= _MOST_MEMBERS:
            chosen.append(symbol)
            continue
        named = [each for each in members if each.name in words]
        makers = [each for each in members if each.kind == "constructor"] or members
        chosen += named or makers[:1]
    return chosen


def _symbols_on(summary: FileSummary, lines: Sequence[tuple[int, int]]) -> list[Symbol]:
    """Return the symbols on some lines, without functions and without types that extend beyond
    them.
    """
    found: dict[int, Symbol] = {}
    closed: set[int] = set()
    for index, symbol in enumerate(summary.symbols):
        if symbol.parent in closed or symbol.parent in found:
            closed.add(index)
            continue
        if symbol.has_implementation:
            closed.add(index)
        is_plain = symbol.kind not in _HOLDERS and not symbol.has_implementation
        if any(
            (first <= symbol.start_line and symbol.end_line <= last)
            or (is_plain and symbol.start_line <= last and first <= symbol.end_line)
            for first, last in lines
        ):
            found[index] = symbol
    return list(found.values())


def _is_long(symbol: Symbol) -> bool:
    return symbol.region.size > (_LONGEST_TYPE if symbol.kind in _HOLDERS else _LONGEST_FUNCTION)


def meant_symbols(
    snapshot: Snapshot, path: str, targets: Sequence[SymbolId], summary: FileSummary
) -> list[Symbol]:
    """Return the symbols of a file that are targets, in source order."""
    scope = snapshot.scope(path)
    if scope is None:
        return []
    starts = {scope.definitions[index].name_start for _, index in targets}
    return [each for each in summary.symbols if each.name_span.start in starts]


def content_block(
    block_type: BlockType, priority: Priority, title: str, content: str, source: Source
) -> ContextBlock:
    """Return a block of a text that is not from a file."""
    size = len(content.encode("utf-8"))
    lines = content.count("\n") + (1 if content and not content.endswith("\n") else 0)
    meta = BlockMeta(None, None, None, Encoding.UTF_8, size, lines, source)
    return identified(block_type, priority, title, content, meta)


def order(block: ContextBlock) -> tuple[str, int, bytes, bytes, bytes]:
    """Sort key of INV-CONTEXT-1: priority, type, then path, symbol or title."""
    path, symbol = block.meta.path or "", block.meta.symbol or ""
    key = {BlockType.FILE: path, BlockType.SYMBOL: symbol}.get(block.block_type, block.title)
    return (
        block.priority.value,
        _TYPE_ORDER[block.block_type],
        bytewise(key),
        bytewise(path),
        bytewise(block.title),
    )


def shown_lines(document: ScannedDocument, first: int, last: int) -> str:
    """Return some lines of a document with secrets replaced."""
    text = document.text
    span = Span(text.line_start(first - 1), text.next_line_start(last - 1))
    return _visible(document, [span])


def _block(item: Item, slice_: Slice, content: str) -> ContextBlock:
    document = item.document
    is_part = slice_.level is Level.SIGNATURES_ONLY and bool(slice_.regions)
    names = list(dict.fromkeys(region.symbol for region in slice_.regions if region.symbol))
    text = document.text
    relations = item.relations
    meta = BlockMeta(
        path=item.path,
        symbol=", ".join(names) or None,
        hash=document.sha256,
        encoding=document.encoding,
        byte_size=document.byte_size,
        line_count=text.last_line_number,
        source=document.source,
        level=slice_.level.value,
        language=document.language.name if document.language else None,
        regions=tuple(
            BlockRegion(each.symbol, each.start_line, each.end_line, each.sha256)
            for each in slice_.regions
        ),
        document_version=document.version,
        reason=item.reason,
        score=item.score,
        relation=relations[0] if relations else None,
        further_relations=relations[1:],
        check=(
            f"{slice_.check.declarations_kept}/{slice_.check.declarations_expected}"
            if slice_.check
            else None
        ),
        likeness=item.likeness if item.priority is Priority.P3 else None,
    )
    return identified(
        BlockType.SYMBOL if is_part else BlockType.FILE,
        item.priority,
        item.path + _TITLES.get(item.role, ""),
        content,
        meta,
    )


def _shown(document: ScannedDocument, slice_: Slice) -> tuple[str, int]:
    """Return the content of a slice in its shown form, and its number of invisible characters."""
    findings = document.findings
    assert not isinstance(findings, ScanFailure), "a document that was not scanned makes no block"
    data = document.text.data
    pieces = [
        piece.literal if piece.span is None else redacted(data, piece.span, findings)
        for piece in slice_.pieces
    ]
    return made_visible(b"".join(pieces))


def _visible(document: ScannedDocument, spans: Sequence[Span]) -> str:
    findings = document.findings
    assert not isinstance(findings, ScanFailure), "a document that was not scanned makes no block"
    data = b"".join(redacted(document.text.data, span, findings) for span in spans)
    return made_visible(data)[0]
