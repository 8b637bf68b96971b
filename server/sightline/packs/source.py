"""What this package gets instead of a disk, an index and a repository.

Invariants:

* Every text and signature of a source was scanned, with secrets replaced: it may be shown. The one
  exception is `peek`, whose texts are only for counting: the builder of a pack clears every name,
  number and sentence of it once more before it leaves.
* Every list is ordered: paths bytewise, the rest as its field says.
* What is not known is empty or None, never an exception.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from sightline.packs.model import EncodingIssue, ExclusionReason


class SymbolFact(msgspec.Struct, frozen=True):
    """A definition in the index."""

    path: str
    name: str
    qualified_name: str
    """With the names around it: `Client.send`."""
    kind: str
    """`class`, `function`, `method`, `interface`, …"""
    start_line: int
    end_line: int
    """1-based, inclusive."""


class SymbolUse(msgspec.Struct, frozen=True):
    """How often a file uses a definition of another file."""

    path: str
    """The path of the file that defines it."""
    qualified_name: str
    count: int


class FileFacts(msgspec.Struct, frozen=True):
    """The index entry of a file."""

    language: str
    symbols: Sequence[SymbolFact] = ()
    """In the order of the file."""
    imports: Sequence[str] = ()
    """Modules as they are written, each once, in the order of the file."""
    depends_on: Sequence[str] = ()
    """Files of the workspace that it imports or uses, bytewise: its fan-out."""
    used_by: Sequence[str] = ()
    """Files of the workspace that import or use it, bytewise: its fan-in."""
    uses: Sequence[SymbolUse] = ()
    """Definitions of other files that it uses, by path and name."""
    deepest_block: int = 0
    """The largest depth of nested blocks."""


class FileHistory(msgspec.Struct, frozen=True):
    """What git knows about a file in the commits that were read."""

    commits: int
    authors: int


class PackSource(Protocol):
    """One moment of a workspace."""

    @property
    def paths(self) -> Sequence[str]:
        """Every visible text file of the packed folders, in bytewise order."""

    def size(self, path: str) -> int:
        """Return the size of a file on the disk in bytes; 0 for one that is not visible."""

    def read(self, path: str) -> str | None:
        """Return a file's text with secrets replaced; None if it cannot be shown."""

    def expect(self, paths: Sequence[str], most_bytes: int) -> None:
        """Read the files that will be requested next, in order, up to so many bytes.

        A secret of one of them is a secret in all of them.
        """

    def withheld(self, path: str) -> ExclusionReason:
        """Return why `read` returned nothing."""

    def peek(self, path: str) -> str | None:
        """Return a file's unchanged text; None if there is none."""

    @property
    def encoding_issues(self) -> Sequence[EncodingIssue]:
        """Files that are not UTF-8, and how they were handled, bytewise."""

    @property
    def redactions(self) -> Mapping[str, int]:
        """The number of secrets of each kind that were replaced in the texts that were read."""

    def facts(self, path: str) -> FileFacts | None:
        """Return the index entry of a file; None if there is no index, or no language."""

    def signature(self, symbol: SymbolFact) -> str:
        """Return the header of a definition with secrets replaced; empty if it is withheld."""

    def history(self, path: str) -> FileHistory | None:
        """Return what git knows of a file; None without a repository."""

    @property
    def commits_seen(self) -> int:
        """The number of commits that `history` read; 0 without a repository."""
