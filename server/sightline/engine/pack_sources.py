"""The material for packs from an open workspace: texts, facts of the index, history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import attrs

from sightline.context import ScannedDocument
from sightline.context.selecting import cleared_document
from sightline.egress import (
    NOTHING_KNOWN,
    Finding,
    KnownSecrets,
    ScanFailure,
    known_secrets,
    made_visible,
    redacted,
    with_known,
)
from sightline.engine.host import Host
from sightline.engine.pack_facts import IndexFacts
from sightline.engine.pack_scanning import ScannedProject
from sightline.engine.taking_turns import now_and_then
from sightline.packs.model import EncodingIssue, ExclusionReason
from sightline.packs.source import FileFacts, FileHistory, SymbolFact
from sightline.refusals import Refusal
from sightline.text import Span
from sightline.workspace import Workspace
from sightline.workspace.git_history import GitFault, GitHistory

_MOST_COMMITS = 200
_MOST_KEPT_BYTES = 8 << 20
"""The most bytes of documents that are kept with their findings; most packs show fewer."""
_MOST_KEPT = 4_000
"""The most documents that are kept."""
_ASKED_AT_ONCE = 500
"""Paths that git is asked about in one message."""


class HostPackSource:
    """A `PackSource` over an open workspace. For one thread."""

    def __init__(self, host: Host, scanned: ScannedProject) -> None:
        self._host = host
        self._files = {each.path: each.size_bytes for each in scanned.snapshot.files}
        self._issues = {each.path: each for each in scanned.encoding_issues}
        self._replaced = {
            each.path for each in scanned.encoding_issues if each.action == "replaced"
        }
        self._documents: dict[str, ScannedDocument | Refusal] = {}
        self._kept_bytes = 0
        self._holders: dict[str, tuple[bytes, tuple[Finding, ...]]] = {}
        """Texts that contain secrets, by path."""
        self._known: KnownSecrets = NOTHING_KNOWN
        self._redactions: dict[str, Counter[str]] = {}

    @cached_property
    def paths(self) -> Sequence[str]:
        return tuple(self._files)

    def size(self, path: str) -> int:
        return self._files.get(path, 0)

    def expect(self, paths: Sequence[str], most_bytes: int) -> None:
        room = most_bytes
        for number, path in enumerate(now_and_then(paths)):
            if room <= 0:
                break
            if number % _ASKED_AT_ONCE == 0:
                self._host.project.expect(_with_folders(paths[number : number + _ASKED_AT_ONCE]))
            self._document(path)
            room -= min(self.size(path), most_bytes)
        # What git said is not kept for later.
        self._host.project.expect(())
        self._known = self.known_with([])

    def known_with(self, more: Iterable[str]) -> KnownSecrets:
        """Return the known secrets of all documents that were read, and of some more."""
        for path in more:
            self._document(path)
        return known_secrets([self._holders[path] for path in sorted(self._holders)])

    def read(self, path: str) -> str | None:
        if path not in self._files:
            return None
        document = self._shown(path)
        if document is None:
            return None
        findings = document.findings
        assert not isinstance(findings, ScanFailure), "what could not be scanned is not shown"
        self._redactions[path] = Counter(each.kind for each in findings)
        if str(document.encoding) not in ("utf-8", "ascii") and path not in self._issues:
            self._issues[path] = EncodingIssue(path, str(document.encoding), "decoded")
        whole = Span(0, len(document.text.data))
        return made_visible(redacted(document.text.data, whole, findings))[0]

    @property
    def read_paths(self) -> Sequence[str]:
        """Return the files that contain secrets."""
        return sorted(self._holders, key=_bytes)

    def withheld(self, path: str) -> ExclusionReason:
        found = self._document(path)
        if isinstance(found, Refusal):
            return "size_limit" if found.reason == "too_large" else "binary"
        return "credentials"

    def peek(self, path: str) -> str | None:
        if path not in self._files:
            return None
        text = self._host.project.text_of(path)
        if text is not None:
            return text.data.decode("utf-8")
        workspace = self._replacing if path in self._replaced else self._host.workspace
        raw = workspace.read_raw(path)
        return None if isinstance(raw, Refusal) else raw.data.decode("utf-8")

    @property
    def encoding_issues(self) -> Sequence[EncodingIssue]:
        return [self._issues[path] for path in sorted(self._issues, key=_bytes)]

    @property
    def redactions(self) -> Mapping[str, int]:
        total: Counter[str] = Counter()
        for found in self._redactions.values():
            total.update(found)
        return dict(sorted(total.items()))

    def facts(self, path: str) -> FileFacts | None:
        return self._index.facts(path)

    def signature(self, symbol: SymbolFact) -> str:
        document = self._shown(symbol.path)
        if document is None:
            return ""
        span = self._index.header(symbol, document.text)
        if span is None:
            return ""
        assert not isinstance(document.findings, ScanFailure)
        header = made_visible(redacted(document.text.data, span, document.findings))[0]
        return header.rstrip().removesuffix("{").rstrip()

    def history(self, path: str) -> FileHistory | None:
        return self._histories.get(path, FileHistory(0, 0)) if self.commits_seen else None

    @cached_property
    def commits_seen(self) -> int:
        return len(self._commits)

    @cached_property
    def _replacing(self) -> Workspace:
        workspace = self._host.workspace.copy()
        workspace.replaced = frozenset(self._replaced)
        return workspace

    @cached_property
    def _index(self) -> IndexFacts:
        return IndexFacts(self._host.snapshot, self.paths)

    @cached_property
    def _commits(self) -> Sequence[tuple[str, tuple[str, ...]]]:
        found = GitHistory(self._host.root).changes(_MOST_COMMITS)
        return [] if isinstance(found, GitFault) else [(each.author, each.paths) for each in found]

    @cached_property
    def _histories(self) -> Mapping[str, FileHistory]:
        commits: Counter[str] = Counter()
        authors: dict[str, set[str]] = {}
        for author, paths in self._commits:
            for path in paths:
                commits[path] += 1
                authors.setdefault(path, set()).add(author)
        return {
            path: FileHistory(count, len(authors[path]))
            for path, count in commits.items()
            if path in self._files
        }

    def _shown(self, path: str) -> ScannedDocument | None:
        """Return a document if all its secrets can be replaced."""
        document = self._document(path)
        if isinstance(document, Refusal):
            return None
        if self._known and not isinstance(document.findings, ScanFailure):
            findings = with_known(document.text.data, document.findings, self._known)
            document = attrs.evolve(document, findings=findings)
        cleared = cleared_document(document)
        return cleared if isinstance(cleared, ScannedDocument) else None

    def _document(self, path: str) -> ScannedDocument | Refusal:
        if path not in self._documents:
            if len(self._documents) >= _MOST_KEPT or self._kept_bytes > _MOST_KEPT_BYTES:
                self._documents.clear()
                self._kept_bytes = 0
            document = self._documents[path] = self._scanned(path)
            self._kept_bytes += self.size(path)
            if not isinstance(document, Refusal):
                findings = document.findings
                if findings and not isinstance(findings, ScanFailure):
                    self._holders[path] = (document.text.data, findings)
        return self._documents[path]

    def _scanned(self, path: str) -> ScannedDocument | Refusal:
        host = self._host
        found = host.cache.look_at(path)
        if isinstance(found, Refusal) and path in self._replaced:
            read = self._replacing.read(path)
            found = read if isinstance(read, Refusal) else host.cache.disk_document(read)
        return host.cache.with_findings(found, host.harmless, keeps_weak=host.keeps_weak)


def _with_folders(paths: Sequence[str]) -> list[str]:
    """Return paths and the folders around them, which rules judge first; a folder ends in `/`."""
    folders: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and f"{folder}/" not in folders:
            folders.add(f"{folder}/")
            folder = folder.rpartition("/")[0]
    return [*sorted(folders, key=_bytes), *paths]


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "replace")
