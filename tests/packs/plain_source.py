"""A project in memory, for the pure parts of project packs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from sightline.packs.model import EncodingIssue, ExclusionReason
from sightline.packs.source import FileFacts, FileHistory, SymbolFact


@attrs.frozen
class PlainSource:
    texts: Mapping[str, str]
    known: Mapping[str, FileFacts] = attrs.field(factory=dict)
    histories: Mapping[str, FileHistory] = attrs.field(factory=dict)
    commits_seen: int = 0

    @property
    def paths(self) -> Sequence[str]:
        return sorted(self.texts, key=str.encode)

    def size(self, path: str) -> int:
        return len(self.texts.get(path, "").encode())

    def read(self, path: str) -> str | None:
        return self.texts.get(path)

    def peek(self, path: str) -> str | None:
        return self.texts.get(path)

    def expect(self, paths: Sequence[str], most_bytes: int) -> None:
        """Everything is here already."""

    def withheld(self, path: str) -> ExclusionReason:
        return "binary" if path in self.texts else "size_limit"

    @property
    def encoding_issues(self) -> Sequence[EncodingIssue]:
        return ()

    @property
    def redactions(self) -> Mapping[str, int]:
        return {}

    def facts(self, path: str) -> FileFacts | None:
        return self.known.get(path)

    def signature(self, symbol: SymbolFact) -> str:
        return self.texts[symbol.path].split("\n")[symbol.start_line - 1]

    def history(self, path: str) -> FileHistory | None:
        return self.histories.get(path)
