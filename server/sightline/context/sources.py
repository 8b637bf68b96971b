"""Where a build gets its bytes: they are pushed in, and this is the shape of the hand.

`context` does no I/O. Whoever builds reads documents, has them parsed and scanned, and hands over
what came of it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Protocol

import attrs

from sightline.bundle import Encoding, Source
from sightline.egress import Finding, ScanFailure
from sightline.index import Snapshot
from sightline.languages import Language
from sightline.refusals import Refusal
from sightline.slicing import Slice, SymbolPlace
from sightline.symbols import FileSummary
from sightline.text import Text


@attrs.frozen
class Document:
    """A text as it stood when it was read, with what a scan found in it."""

    path: str
    text: Text
    sha256: str
    """Of the bytes on disk; of the editor's text as UTF-8 where that is the source."""
    encoding: Encoding
    byte_size: int
    source: Source
    version: int | None
    """The editor's."""
    language: Language | None
    digest: bytes
    """SHA-256 of the text, by which the index and whatever is kept of it know it."""
    findings: tuple[Finding, ...] | ScanFailure


@attrs.frozen
class Cut:
    """How a document can be cut."""

    summary: FileSummary
    signatures: Slice | Refusal


class Sources(Protocol):
    """What a build may ask for. Answers for one build do not change while it runs."""

    @property
    def snapshot(self) -> Snapshot: ...

    def expect(self, meant: Mapping[str, Sequence[SymbolPlace]]) -> None:
        """Files that will be asked for soon, each with the symbols that will be: all for none.

        It decides nothing but what is begun while others are read.
        """

    def documents(self, paths: Sequence[str]) -> Mapping[str, Document | Refusal]:
        """Each document as it is now: the editor's text, else the disk's."""

    def cuts(self, documents: Iterable[Document]) -> Mapping[str, Cut | Refusal]:
        """By path, how each can be cut; the documents are of a known language."""

    def glimpses(
        self, wanted: Iterable[tuple[Document, Sequence[SymbolPlace]]]
    ) -> Mapping[str, Slice]:
        """By path, the signatures of some symbols, as they would be cut out of the whole text.

        Where there is none the document has to be cut.
        """

    def scan(self, content: str) -> tuple[Finding, ...] | ScanFailure:
        """What a scan finds in a text that is no document: spans are of its UTF-8 bytes."""

    def counted(self, block: Hashable, count: Callable[[], tuple[int, ...]]) -> tuple[int, ...]:
        """The counts of a rendered block, from a build before this one if they are known.

        `block` is everything that decides them.
        """
