"""What builds keep between them: documents that were read, scanned, cut and counted.

Invariant: the key of every entry is the hash of the content from which it was made, so a changed
byte makes another entry.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar

import attrs

from sightline.bundle import Encoding, Source
from sightline.context import DocumentCut, ScannedDocument
from sightline.egress import (
    FailureReason,
    Finding,
    HarmlessValues,
    ScanFailure,
    counted_findings,
    guarded_scan,
)
from sightline.engine.cancelling import Cancellation, NotReadyError
from sightline.languages import Language, Registry
from sightline.project import EditorText, Project
from sightline.project.quarantine import SECRETS, scan_took_too_long
from sightline.refusals import Refusal
from sightline.slicing import (
    PartialParsePlan,
    SignatureDocs,
    Slice,
    SymbolPlace,
    plan_partial_parse,
)
from sightline.symbols import FactsView
from sightline.workers import (
    ParseAnswer,
    ParseRequest,
    ParseTask,
    PartialParseAnswer,
    PartialParseRequest,
    Workers,
    WorkFuture,
    is_quarantined,
)
from sightline.workspace import DiskDocument

Scan = Callable[[bytes, HarmlessValues], tuple[Finding, ...] | ScanFailure]

_MOST_KEPT = 2_000
_MOST_KEPT_BYTES = 16 * 1024 * 1024
"""The limit on the size of the texts from which entries are made; the entries may take ten times as
much. Every keystroke in a long file makes another text.
"""

_NOT_SCANNED = ScanFailure(FailureReason.RAISED)
"""Until it is scanned, a document is withheld."""

_Value = TypeVar("_Value")


class BuildCache:
    """Reads, scans and cuts the documents of a project, each content once. For one thread."""

    def __init__(
        self,
        project: Project,
        registry: Registry,
        workers: Workers,
        scan: Scan = guarded_scan,
    ) -> None:
        self.project = project
        self._registry = registry
        self._workers = workers
        self._scan = scan
        self.leaves_slow_texts = False
        """True if other requests wait for this thread: a slow text then raises `NotReadyError`."""
        self._findings: LruCache[tuple[Finding, ...] | ScanFailure] = LruCache()
        self._cuts: WorkerAnswers[ParseAnswer] = WorkerAnswers(self)
        self._partials: WorkerAnswers[PartialParseAnswer] = WorkerAnswers(self)
        self._counts: LruCache[tuple[int, ...]] = LruCache()
        self._plans: LruCache[PartialParsePlan] = LruCache()

    def with_findings(
        self,
        document: ScannedDocument | Refusal,
        harmless: HarmlessValues,
        *,
        keeps_weak: bool,
    ) -> ScannedDocument | Refusal:
        """Scan a document, without the values that other documents show to be secret."""
        if isinstance(document, Refusal):
            return document
        findings = self._findings_in(document.text.data, document.digest, harmless)
        if isinstance(findings, ScanFailure) and findings.reason is FailureReason.TIMEOUT:
            self._set_aside(document.digest, SECRETS, scan_took_too_long())
        findings = counted_findings(findings, document.path, keeps_weak=keeps_weak)
        return attrs.evolve(document, findings=findings)

    def scanned(self, data: bytes, harmless: HarmlessValues) -> tuple[Finding, ...] | ScanFailure:
        return self._findings_in(data, hashlib.sha256(data).digest(), harmless)

    def scan(self, data: bytes, harmless: HarmlessValues) -> tuple[Finding, ...] | ScanFailure:
        """Scan some bytes without caching. From any thread."""
        return self._scan(data, harmless)

    def _findings_in(
        self, data: bytes, digest: bytes, harmless: HarmlessValues
    ) -> tuple[Finding, ...] | ScanFailure:
        key = (digest, harmless)
        known = self._findings.get(key)
        if known is None and self.project.limited.refusal_for(digest, SECRETS) is not None:
            return ScanFailure(FailureReason.TIMEOUT)
        if known is None:
            known = self._scan(data, harmless)
            if not isinstance(known, ScanFailure):
                self._findings.put(key, known, len(data))
        return known

    def cut(
        self,
        documents: Iterable[ScannedDocument],
        docs: SignatureDocs,
        cancellation: Cancellation | None = None,
    ) -> dict[str, DocumentCut | Refusal]:
        cancellation = cancellation or Cancellation()
        begun = [(each, self.begin_cut(each, docs)) for each in self._parsed(documents)]
        return {
            each.path: _cut_of(self._awaited(each, answer, cancellation)) for each, answer in begun
        }

    def _parsed(self, documents: Iterable[ScannedDocument]) -> Iterator[ScannedDocument]:
        """Yield documents. Raises `NotReadyError` for one whose text is still being parsed."""
        for each in documents:
            parsing = self.project.parse_of_pending(each.path)
            if self.leaves_slow_texts and parsing is not None and not parsing.done():
                raise NotReadyError(parsing)
            yield each

    def _awaited(
        self,
        document: ScannedDocument,
        answer: PendingAnswer[_Value],
        cancellation: Cancellation,
    ) -> _Value | Refusal:
        """Return an answer. A document that exceeds a limit is set aside, whatever the answer was
        for.
        """
        answered = answer(cancellation)
        if isinstance(answered, Refusal) and is_quarantined(answered):
            self._set_aside(document.digest, _language_of(document).name, answered)
        return answered

    def _set_aside(self, digest: bytes, language: str, refusal: Refusal) -> None:
        if self.project.limited.refusal_for(digest, language) is None:
            self.project.limited.set_aside(digest, language, refusal)

    def begin_cut(
        self, document: ScannedDocument, docs: SignatureDocs
    ) -> PendingAnswer[ParseAnswer]:
        language, data = _language_of(document), document.text.data
        limited = self.project.limited.refusal_for(document.digest, language.name)
        if limited is not None:
            return lambda _: limited
        key = (document.digest, language.name, docs)
        request = ParseRequest(ParseTask.SIGNATURES, language.name, data, docs)
        return self._cuts.begin(key, len(data), lambda: self._workers.begin(request))

    def partial(
        self,
        documents: Iterable[tuple[ScannedDocument, PartialParsePlan]],
        docs: SignatureDocs,
        cancellation: Cancellation,
    ) -> dict[str, Slice]:
        """Return signatures of some symbols of documents, without parsing the rest of them."""
        begun = [(each, self.begin_partial_parse(each, plan, docs)) for each, plan in documents]
        answers = ((each.path, self._awaited(each, answer, cancellation)) for each, answer in begun)
        return {
            path: answer.signatures
            for path, answer in answers
            if not isinstance(answer, Refusal) and answer.signatures is not None
        }

    def plan(
        self, document: ScannedDocument, view: FactsView, symbols: Sequence[SymbolPlace]
    ) -> PartialParsePlan | None:
        """Return how to parse only some symbols of a document; `view` has its facts."""
        language, text = _language_of(document), document.text
        key = (document.digest, language.name, tuple(symbols))
        known = self._plans.get(key)
        if known is None:
            known = plan_partial_parse(language, text, view, symbols)
            if known is not None:
                self._plans.put(key, known, len(text))
        return known

    def begin_partial_parse(
        self, document: ScannedDocument, plan: PartialParsePlan, docs: SignatureDocs
    ) -> PendingAnswer[PartialParseAnswer]:
        language, data = _language_of(document), document.text.data
        limited = self.project.limited.refusal_for(document.digest, language.name)
        if limited is not None:
            return lambda _: limited
        request = PartialParseRequest(language.name, data, plan, docs)
        key = (document.digest, language.name, docs, plan.sought)
        return self._partials.begin(
            key, len(data), lambda: self._workers.begin_partial_parse(request)
        )

    def counted(self, block: Hashable, count: Callable[[], tuple[int, ...]]) -> tuple[int, ...]:
        known = self._counts.get(block)
        if known is None:
            known = count()
            # A few numbers each, so their count need not be limited.
            self._counts.put(block, known, 0)
        return known

    def look_at(self, path: str) -> ScannedDocument | Refusal:
        """Read a document in its current state, without scanning it."""
        found = self.project.read(path)
        if isinstance(found, Refusal):
            return found
        if not isinstance(found, EditorText):
            return self.disk_document(found)
        text, data = found.text, found.text.data
        return ScannedDocument(
            path,
            text,
            hashlib.sha256(data).hexdigest(),
            Encoding("ascii" if data.isascii() else "utf-8"),
            len(data),
            Source.USER,
            found.version,
            self._registry.for_path(path, data),
            hashlib.sha256(data).digest(),
            _NOT_SCANNED,
            False,
        )

    def disk_document(self, found: DiskDocument) -> ScannedDocument:
        """Return a file of the disk as a document that is not scanned yet."""
        return ScannedDocument(
            found.path,
            found.text,
            found.sha256,
            Encoding(found.encoding),
            found.byte_size,
            Source.FILESYSTEM,
            None,
            self._registry.for_path(found.path, found.text.data),
            hashlib.sha256(found.text.data).digest(),
            _NOT_SCANNED,
            found.bom,
        )

    def end_build(self) -> None:
        """Keep finished worker answers and cancel those that have not begun."""
        self._cuts.forget_unasked()
        self._partials.forget_unasked()


PendingAnswer = Callable[[Cancellation], _Value | Refusal]
"""Waits for a worker's answer."""


class LruCache(Generic[_Value]):
    """Keeps the values that were used last, up to a count and a total size of their sources."""

    def __init__(self) -> None:
        self._values: OrderedDict[Hashable, tuple[_Value, int]] = OrderedDict()
        self._size = 0

    def get(self, key: Hashable) -> _Value | None:
        found = self._values.get(key)
        if found is None:
            return None
        self._values.move_to_end(key)
        return found[0]

    def put(self, key: Hashable, value: _Value, size: int) -> None:
        self._size += size - self._values.get(key, (value, 0))[1]
        self._values[key] = (value, size)
        while len(self._values) > 1 and (
            len(self._values) > _MOST_KEPT or self._size > _MOST_KEPT_BYTES
        ):
            self._size -= self._values.popitem(last=False)[1][1]


class WorkerAnswers(Generic[_Value]):
    """Answers of workers by key, pending or finished."""

    def __init__(self, cache: BuildCache) -> None:
        self._cache = cache
        self._kept: LruCache[_Value] = LruCache()
        self._under_way: dict[Hashable, tuple[int, WorkFuture[_Value | Refusal]]] = {}
        """Each with the size of its source text."""

    def begin(
        self, key: Hashable, size: int, start: Callable[[], WorkFuture[_Value | Refusal]]
    ) -> PendingAnswer[_Value]:
        """Start work unless it is known or pending; return a function that waits for the answer."""
        known = self._kept.get(key)
        if known is not None:
            return lambda _: known
        if key not in self._under_way:
            self._under_way[key] = (size, start())
        future = self._under_way[key][1]
        return lambda cancellation: self._result(key, size, future, cancellation)

    def _result(
        self,
        key: Hashable,
        size: int,
        future: WorkFuture[_Value | Refusal],
        cancellation: Cancellation,
    ) -> _Value | Refusal:
        answer = cancellation.result(future, leaves_slow=self._cache.leaves_slow_texts)
        self._under_way.pop(key, None)
        if not isinstance(answer, Refusal):
            self._kept.put(key, answer, size)
        return answer

    def forget_unasked(self) -> None:
        """Keep finished answers and cancel those that have not begun: nobody waits for them."""
        for key, (size, future) in list(self._under_way.items()):
            if future.done():
                self._result(key, size, future, Cancellation())
            elif future.cancel():
                del self._under_way[key]


def _language_of(document: ScannedDocument) -> Language:
    assert document.language is not None, "only a document of a known language is cut"
    return document.language


def _cut_of(answer: ParseAnswer | Refusal) -> DocumentCut | Refusal:
    if isinstance(answer, Refusal):
        return answer
    signatures = answer.signatures or answer.refusal
    assert signatures is not None, "signatures were asked for"
    return DocumentCut(answer.summary, signatures)
