"""What one build sees: each document read once, and the index of one moment."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

import attrs

from sightline.context import DocumentCut, ScannedDocument, pending_file
from sightline.egress import (
    NOTHING_KNOWN,
    Finding,
    ScanFailure,
    known_secrets,
    with_known,
)
from sightline.engine.cache import BuildCache
from sightline.engine.cancelling import Cancellation
from sightline.index import PENDING, Snapshot
from sightline.refusals import Refusal
from sightline.settings import Settings, harmless_values
from sightline.slicing import PartialParsePlan, SignatureDocs, Slice, SymbolPlace


class BuildSources:
    """The `Sources` of one build."""

    def __init__(
        self,
        cache: BuildCache,
        snapshot: Snapshot,
        settings: Settings,
        cancellation: Cancellation,
    ) -> None:
        self._cache = cache
        self._cancellation = cancellation
        self._docs = SignatureDocs(settings.slicing.signature_docs)
        self._harmless = harmless_values(settings, os.environ)
        self._keeps_weak = settings.secrets.weak == "keep"
        self._known = NOTHING_KNOWN
        self._documents: dict[str, ScannedDocument | Refusal] = {}
        self._expected: dict[str, ScannedDocument | Refusal] = {}
        """Documents that were read and are scanned on demand."""
        self._plans: dict[tuple[str, tuple[SymbolPlace, ...]], PartialParsePlan | None] = {}
        self.snapshot = snapshot
        self.is_stale = False
        """True if a document that was read differs from the index."""
        self.unlisted: str | None = None
        """A document that was read and is not in the index."""

    def has_set_aside(self, now: Snapshot) -> bool:
        """True if a document that was read has been quarantined since."""
        return any(
            path in self.snapshot.files
            and path in now.files
            and now.files[path].limit != self.snapshot.files[path].limit
            for path in self._documents
        )

    def expect(self, meant: Mapping[str, Sequence[SymbolPlace]]) -> None:
        self._cancellation.check()
        for path, symbols in meant.items():
            if path not in self._documents and path not in self._expected:
                document = self._expected[path] = self._cache.look_at(path)
                if isinstance(document, Refusal) or document.language is None:
                    continue
                if not self._is_pending(document):
                    self._begin(document, symbols)

    def _begin(self, document: ScannedDocument, symbols: Sequence[SymbolPlace]) -> None:
        plan = self._plan(document, symbols) if symbols else None
        if plan is not None:
            self._cache.begin_partial_parse(document, plan, self._docs)
        else:
            self._cache.begin_cut(document, self._docs)

    def documents(self, paths: Sequence[str]) -> Mapping[str, ScannedDocument | Refusal]:
        self.expect(dict.fromkeys(paths, ()))
        for path in paths:
            if path in self._documents:
                continue
            document = self._cache.with_findings(
                self._expected.pop(path), self._harmless, keeps_weak=self._keeps_weak
            )
            self._documents[path] = self._with_known(document)
            state = self.snapshot.files.get(path)
            if isinstance(document, Refusal):
                # The index has no limit on size.
                is_known = state is not None and document.reason != "too_large"
                self.is_stale = self.is_stale or is_known
            elif state is None:
                self.is_stale, self.unlisted = True, path
            elif state.digest != document.digest:
                self.is_stale = True
        return {path: self._documents[path] for path in paths}

    def cuts(self, documents: Iterable[ScannedDocument]) -> Mapping[str, DocumentCut | Refusal]:
        self._cancellation.check()
        wanted = list(documents)
        cuts = self._cache.cut(
            (each for each in wanted if not self._is_pending(each)), self._docs, self._cancellation
        )
        return {
            each.path: cuts[each.path] if each.path in cuts else pending_file(each.path)
            for each in wanted
        }

    def _is_pending(self, document: ScannedDocument) -> bool:
        """True if the index has no facts of a document yet: builds do not wait for its tree."""
        state = self.snapshot.files.get(document.path)
        return state is not None and state.fault == PENDING

    def partial_signatures(
        self, wanted: Iterable[tuple[ScannedDocument, Sequence[SymbolPlace]]]
    ) -> Mapping[str, Slice]:
        self._cancellation.check()
        known = [
            (document, plan)
            for document, symbols in wanted
            if (plan := self._plan(document, symbols)) is not None
        ]
        return self._cache.partial(known, self._docs, self._cancellation)

    def _plan(
        self, document: ScannedDocument, symbols: Sequence[SymbolPlace]
    ) -> PartialParsePlan | None:
        """Return how to parse some symbols; None if the document is not in the index."""
        key = (document.path, tuple(symbols))
        if key not in self._plans:
            self._plans[key] = self._new_plan(document, symbols)
        return self._plans[key]

    def _new_plan(
        self, document: ScannedDocument, symbols: Sequence[SymbolPlace]
    ) -> PartialParsePlan | None:
        state, scope = self.snapshot.files.get(document.path), self.snapshot.scope(document.path)
        if scope is None or state is None or state.digest != document.digest:
            return None
        return self._cache.plan(document, scope.view, symbols)

    def spread(self) -> bool:
        read = [
            (each.text.data, each.findings)
            for _, each in sorted(self._documents.items())
            if not isinstance(each, Refusal) and not isinstance(each.findings, ScanFailure)
        ]
        self._known = known_secrets(read)
        for path, document in self._documents.items():
            self._documents[path] = self._with_known(document)
        return bool(self._known)

    def _with_known(self, document: ScannedDocument | Refusal) -> ScannedDocument | Refusal:
        """Return a document with findings of values that other documents show to be secret."""
        if isinstance(document, Refusal) or isinstance(document.findings, ScanFailure):
            return document
        self._cancellation.check()
        findings = with_known(document.text.data, document.findings, self._known)
        if findings == document.findings:
            return document
        own = document.findings if document.own_findings is None else document.own_findings
        return attrs.evolve(document, findings=findings, own_findings=own)

    def scan(self, content: str) -> tuple[Finding, ...] | ScanFailure:
        found = self._scanned(content)
        if isinstance(found, ScanFailure):
            return found
        return tuple(each for each in found if not each.is_weak)

    def weak(self, content: str) -> tuple[Finding, ...]:
        found = self._scanned(content)
        if isinstance(found, ScanFailure):
            return ()
        return tuple(each for each in found if each.is_weak)

    def _scanned(self, content: str) -> tuple[Finding, ...] | ScanFailure:
        self._cancellation.check()
        data = content.encode("utf-8")
        found = self._cache.scanned(data, self._harmless)
        return found if isinstance(found, ScanFailure) else with_known(data, found, self._known)

    def counted(self, block: Hashable, count: Callable[[], tuple[int, ...]]) -> tuple[int, ...]:
        return self._cache.counted(block, count)
