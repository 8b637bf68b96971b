"""Where a build gets its documents from.

`context` does no I/O: the caller reads documents, has them parsed and scanned, and provides them as
`Sources`.
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
    """A text at the time when it was read, with the findings in it."""

    path: str
    text: Text
    sha256: str
    """The hash of the bytes on disk, or of the editor's text as UTF-8."""
    encoding: Encoding
    byte_size: int
    source: Source
    version: int | None
    """The editor's version of the text."""
    language: Language | None
    digest: bytes
    """The SHA-256 of the text: its key in the index and in caches."""
    findings: tuple[Finding, ...] | ScanFailure
    bom: bool = False
    """True if the bytes on disk begin with a byte order mark."""
    own_findings: tuple[Finding, ...] | None = None
    """The findings from the text alone, if other documents added some; None if `findings` has only
    those.
    """


@attrs.frozen
class DocumentCut:
    """How a document can be cut."""

    summary: FileSummary
    signatures: Slice | Refusal


class Sources(Protocol):
    """What a build may ask for. Answers do not change during one build."""

    @property
    def snapshot(self) -> Snapshot: ...

    def expect(self, meant: Mapping[str, Sequence[SymbolPlace]]) -> None:
        """Announce files that will be read soon, each with the symbols that will be shown.

        No symbols means the whole file. This only decides which work is started early.
        """

    def documents(self, paths: Sequence[str]) -> Mapping[str, ScannedDocument | Refusal]:
        """Return the current state of each document: the editor's text, otherwise the disk's."""

    def cuts(self, documents: Iterable[ScannedDocument]) -> Mapping[str, DocumentCut | Refusal]:
        """Return, by path, how each document can be cut; all are of a known language."""

    def partial_signatures(
        self, wanted: Iterable[tuple[ScannedDocument, Sequence[SymbolPlace]]]
    ) -> Mapping[str, Slice]:
        """Return, by path, the signatures of some symbols, as they would be cut out of the whole
        text.

        A missing path must be cut as a whole.
        """

    def scan(self, content: str) -> tuple[Finding, ...] | ScanFailure:
        """Return the secrets in a text that is not a document, without weak ones. Spans count its
        UTF-8 bytes.
        """

    def weak(self, content: str) -> tuple[Finding, ...]:
        """Return the weak secrets in a text that is not a document; none if the scan fails."""

    def spread(self) -> bool:
        """Treat the certain secrets of every document that was read as secrets everywhere.

        From now on `documents` and `scan` find them too, in whatever order the documents were read.
        Return False if no document has a certain secret.
        """

    def counted(self, block: Hashable, count: Callable[[], tuple[int, ...]]) -> tuple[int, ...]:
        """Return the token counts of a rendered block, from an earlier build if they are cached.

        `block` is the key: everything that decides the counts.
        """
