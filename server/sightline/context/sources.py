"""Where a build gets its documents from.

`context` does no I/O: the caller reads documents, has them parsed and scanned, and hands them over
as `Sources`.
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
class ScannedDocument:
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
    """SHA-256 of the text: the key under which the index and the caches know it."""
    findings: tuple[Finding, ...] | ScanFailure
    bom: bool = False
    """True if the bytes on disk begin with a byte order mark."""
    own_findings: tuple[Finding, ...] | None = None
    """What the text tells by itself, where others told more; None where `findings` is just that."""


@attrs.frozen
class DocumentCut:
    """How a document can be cut."""

    summary: FileSummary
    signatures: Slice | Refusal


class Sources(Protocol):
    """What a build may ask for. Answers for one build do not change while it runs."""

    @property
    def snapshot(self) -> Snapshot: ...

    def expect(self, meant: Mapping[str, Sequence[SymbolPlace]]) -> None:
        """Announce files that will be read soon, each with the symbols that will be shown.

        No symbols means the whole file. It only decides what is started early.
        """

    def documents(self, paths: Sequence[str]) -> Mapping[str, ScannedDocument | Refusal]:
        """Each document as it is now: the editor's text, else the disk's."""

    def cuts(self, documents: Iterable[ScannedDocument]) -> Mapping[str, DocumentCut | Refusal]:
        """By path, how each can be cut; the documents are of a known language."""

    def partial_signatures(
        self, wanted: Iterable[tuple[ScannedDocument, Sequence[SymbolPlace]]]
    ) -> Mapping[str, Slice]:
        """By path, the signatures of some symbols, as they would be cut out of the whole text.

        A path that is missing has to be cut as a whole.
        """

    def scan(self, content: str) -> tuple[Finding, ...] | ScanFailure:
        """The secrets in a text that is not a document; spans count its UTF-8 bytes.

        Weak ones are not among them.
        """

    def weak(self, content: str) -> tuple[Finding, ...]:
        """The weak secrets in a text that is not a document; none where the scan fails."""

    def spread(self) -> bool:
        """Take the certain secrets of every document that was read for secrets everywhere.

        From now on `documents` and `scan` find them too, in whatever order the documents were
        read. False if there are none.
        """

    def counted(self, block: Hashable, count: Callable[[], tuple[int, ...]]) -> tuple[int, ...]:
        """The token counts of a rendered block, from an earlier build if they are known.

        `block` is the key: everything that decides the counts.
        """
