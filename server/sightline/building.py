"""Building on a project: documents are read, scanned and cut here, and kept between builds.

Invariants:

* A document is what an editor or the disk has at the time of the build, never what the index
  remembers. Where the two differ the index is brought up to date and the build starts again.
* What was scanned, cut or counted is kept by the hash of its content: a changed byte is another
  document.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, InvalidStateError, wait
from typing import Any, Generic, TypeVar

import attrs
import msgspec

from sightline.bundle import BuildResult, Encoding, Source, Status
from sightline.context import (
    Built,
    Cut,
    Document,
    Refused,
    Request,
    Sources,
    build_context,
)
from sightline.egress import FailureReason, Finding, ScanFailure, guarded_scan
from sightline.index import Snapshot
from sightline.languages import Language, Registry
from sightline.project import EditorText, Project
from sightline.refusals import Refusal, RefusalKind
from sightline.settings import Settings
from sightline.slicing import Glance, SignatureDocs, Slice, SymbolPlace, glance_at
from sightline.symbols import FactsView
from sightline.text import Text
from sightline.workers import Answer, Glimpse, GlimpseRequest, Task, Workers
from sightline.workers import Request as WorkerRequest

Scan = Callable[[bytes, frozenset[str]], tuple[Finding, ...] | ScanFailure]

_TRIES = 3
_MOST_KEPT = 2_000
_MOST_KEPT_BYTES = 16 * 1024 * 1024
"""Of the texts that something is kept of, which may take ten times as much. Each key a person
presses in a long file makes another text."""

_NOT_SCANNED = ScanFailure(FailureReason.RAISED)
"""What holds until a scan says otherwise."""

_Value = TypeVar("_Value")


class BuildCancelledError(Exception):
    """Whoever asked for a build does not want it any more."""


class Cancellation:
    """Whether somebody still wants a build. Any thread may cancel it, at any time."""

    def __init__(self) -> None:
        self._asked: Future[None] = Future()

    def cancel(self) -> None:
        with contextlib.suppress(InvalidStateError):
            self._asked.set_result(None)

    def check(self) -> None:
        if self._asked.done():
            raise BuildCancelledError

    def result(self, future: Future[_Value]) -> _Value:
        """What somebody else works on, who is not waited for once nobody wants it."""
        if not future.done():
            either: tuple[Future[Any], ...] = (future, self._asked)
            wait(either, return_when=FIRST_COMPLETED)
        self.check()
        return future.result()


class Desk:
    """A project with what builds on it have read, scanned and cut. One thread at a time."""

    def __init__(
        self,
        project: Project,
        registry: Registry,
        workers: Workers,
        scan: Scan = guarded_scan,
        refresh: Callable[[], object] | None = None,
    ) -> None:
        """`refresh` brings the index up to date, on whichever thread that is done."""
        self.project = project
        self._refresh = refresh or project.refresh
        self._registry = registry
        self._workers = workers
        self._scan = scan
        self._findings: _Kept[tuple[Finding, ...] | ScanFailure] = _Kept()
        self._cuts: _Asked[Answer] = _Asked()
        self._glimpses: _Asked[Glimpse] = _Asked()
        self._counts: _Kept[tuple[int, ...]] = _Kept()
        self._glances: _Kept[Glance] = _Kept()
        self.saw_whole_index = False
        """Whether every visible file had been read when the last build began."""

    def build(
        self,
        request: Request,
        settings: Settings,
        *,
        created_at: str,
        correlation_id: str,
        cancellation: Cancellation | None = None,
    ) -> Built | Refused:
        """A bundle of what the workspace and its editors have now. Raises `BuildCancelledError`."""
        cancellation = cancellation or Cancellation()
        for _ in range(_TRIES):
            cancellation.check()
            sources = _Sources(self, self.project.snapshot, settings, cancellation)
            self.saw_whole_index = sources.snapshot.index_complete
            try:
                outcome = build_context(
                    sources, request, settings, created_at=created_at, correlation_id=correlation_id
                )
            finally:
                self._cuts.forget_unasked()
                self._glimpses.forget_unasked()
            if not sources.is_stale or not sources.snapshot.index_complete:
                # In the middle of a scan an answer says that it is not complete.
                return outcome
            self._refresh()
        return Refused(_unlisted(sources.unlisted) if sources.unlisted else _unsteady())

    def sources(self, settings: Settings) -> Sources:
        """What a build would see now."""
        return _Sources(self, self.project.snapshot, settings, Cancellation())

    def read(
        self, paths: Iterable[str], harmless: frozenset[str], begin: Callable[[Document], object]
    ) -> dict[str, Document | Refusal]:
        """Documents as they are now, scanned; what is begun for each goes on meanwhile."""
        found = {path: self.look_at(path) for path in paths}
        for each in found.values():
            if not isinstance(each, Refusal) and each.language is not None:
                begin(each)
        return {path: self.with_findings(each, harmless) for path, each in found.items()}

    def with_findings(
        self, document: Document | Refusal, harmless: frozenset[str]
    ) -> Document | Refusal:
        if isinstance(document, Refusal):
            return document
        findings = self._findings_in(document.text.data, document.digest, harmless)
        return attrs.evolve(document, findings=findings)

    def scanned(self, data: bytes, harmless: frozenset[str]) -> tuple[Finding, ...] | ScanFailure:
        return self._findings_in(data, hashlib.sha256(data).digest(), harmless)

    def _findings_in(
        self, data: bytes, digest: bytes, harmless: frozenset[str]
    ) -> tuple[Finding, ...] | ScanFailure:
        key = (digest, harmless)
        known = self._findings.get(key)
        if known is None:
            known = self._scan(data, harmless)
            if not isinstance(known, ScanFailure):
                self._findings.put(key, known, len(data))
        return known

    def cut(
        self,
        documents: Iterable[Document],
        docs: SignatureDocs,
        cancellation: Cancellation | None = None,
    ) -> dict[str, Cut | Refusal]:
        cancellation = cancellation or Cancellation()
        begun = [(each.path, self.begin_cut(each, docs)) for each in documents]
        return {path: _cut_of(answer(cancellation)) for path, answer in begun}

    def begin_cut(self, document: Document, docs: SignatureDocs) -> _Awaited[Answer]:
        language, data = _language_of(document), document.text.data
        key = (document.digest, language.name, docs)
        request = WorkerRequest(Task.SIGNATURES, language.name, data, docs)
        return self._cuts.begin(key, len(data), lambda: self._workers.begin(request))

    def glimpse(
        self,
        documents: Iterable[tuple[Document, Glance]],
        docs: SignatureDocs,
        cancellation: Cancellation,
    ) -> dict[str, Slice]:
        """Signatures of some symbols of documents, without reading the rest of those."""
        begun = [(each.path, self.begin_glimpse(each, glance, docs)) for each, glance in documents]
        answers = ((path, answer(cancellation)) for path, answer in begun)
        return {
            path: answer.signatures
            for path, answer in answers
            if not isinstance(answer, Refusal) and answer.signatures is not None
        }

    def glance(
        self, document: Document, view: FactsView, symbols: Sequence[SymbolPlace]
    ) -> Glance | None:
        """How to look for some symbols of a document, whose own facts `view` shows."""
        language, text = _language_of(document), document.text
        key = (document.digest, language.name, tuple(symbols))
        known = self._glances.get(key)
        if known is None:
            known = glance_at(language, text, view, symbols)
            if known is not None:
                self._glances.put(key, known, len(text))
        return known

    def begin_glimpse(
        self, document: Document, glance: Glance, docs: SignatureDocs
    ) -> _Awaited[Glimpse]:
        language, data = _language_of(document), document.text.data
        request = GlimpseRequest(language.name, data, glance, docs)
        key = (document.digest, language.name, docs, glance.sought)
        return self._glimpses.begin(key, len(data), lambda: self._workers.begin_glimpse(request))

    def counted(self, block: Hashable, count: Callable[[], tuple[int, ...]]) -> tuple[int, ...]:
        known = self._counts.get(block)
        if known is None:
            known = count()
            # A few numbers each: there may be as many as of anything.
            self._counts.put(block, known, 0)
        return known

    def look_at(self, path: str) -> Document | Refusal:
        """A document as it is now, not scanned."""
        found = self.project.read(path)
        if isinstance(found, Refusal):
            return found
        if isinstance(found, EditorText):
            text = Text(found.text)
            sha256 = hashlib.sha256(found.text).hexdigest()
            encoding = "ascii" if found.text.isascii() else "utf-8"
            size, source, version = len(found.text), Source.USER, found.version
        else:
            text, sha256, encoding = found.text, found.sha256, found.encoding
            size, source, version = found.byte_size, Source.FILESYSTEM, None
        return Document(
            path,
            text,
            sha256,
            Encoding(encoding),
            size,
            source,
            version,
            self._registry.for_path(path, text.data),
            hashlib.sha256(text.data).digest(),
            _NOT_SCANNED,
        )


class _Sources:
    """What one build sees: each document read once."""

    def __init__(
        self,
        desk: Desk,
        snapshot: Snapshot,
        settings: Settings,
        cancellation: Cancellation,
    ) -> None:
        self._desk = desk
        self._cancellation = cancellation
        self._docs = SignatureDocs(settings.slicing.signature_docs)
        self._harmless = frozenset(settings.secrets.harmless)
        self._documents: dict[str, Document | Refusal] = {}
        self._expected: dict[str, Document | Refusal] = {}
        """Documents that were read and not yet scanned, for nobody has asked for them."""
        self._glances: dict[tuple[str, tuple[SymbolPlace, ...]], Glance | None] = {}
        self.snapshot = snapshot
        self.is_stale = False
        """Something read is not what the index knows."""
        self.unlisted: str | None = None
        """A document that was read and that the index knows nothing of."""

    def expect(self, meant: Mapping[str, Sequence[SymbolPlace]]) -> None:
        self._cancellation.check()
        for path, symbols in meant.items():
            if path not in self._documents and path not in self._expected:
                document = self._expected[path] = self._desk.look_at(path)
                if not isinstance(document, Refusal) and document.language is not None:
                    self._begin(document, symbols)

    def _begin(self, document: Document, symbols: Sequence[SymbolPlace]) -> None:
        glance = self._glance(document, symbols) if symbols else None
        if glance is not None:
            self._desk.begin_glimpse(document, glance, self._docs)
        else:
            self._desk.begin_cut(document, self._docs)

    def documents(self, paths: Sequence[str]) -> Mapping[str, Document | Refusal]:
        self.expect(dict.fromkeys(paths, ()))
        for path in paths:
            if path in self._documents:
                continue
            document = self._desk.with_findings(self._expected.pop(path), self._harmless)
            self._documents[path] = document
            state = self.snapshot.files.get(path)
            if isinstance(document, Refusal):
                # How large a text may be is no question to the index.
                is_known = state is not None and document.reason != "too_large"
                self.is_stale = self.is_stale or is_known
            elif state is None:
                self.is_stale, self.unlisted = True, path
            elif state.digest != document.digest:
                self.is_stale = True
        return {path: self._documents[path] for path in paths}

    def cuts(self, documents: Iterable[Document]) -> Mapping[str, Cut | Refusal]:
        self._cancellation.check()
        return self._desk.cut(documents, self._docs, self._cancellation)

    def glimpses(
        self, wanted: Iterable[tuple[Document, Sequence[SymbolPlace]]]
    ) -> Mapping[str, Slice]:
        self._cancellation.check()
        known = [
            (document, glance)
            for document, symbols in wanted
            if (glance := self._glance(document, symbols)) is not None
        ]
        return self._desk.glimpse(known, self._docs, self._cancellation)

    def _glance(self, document: Document, symbols: Sequence[SymbolPlace]) -> Glance | None:
        """How to look for some symbols; None where the index does not know the document."""
        key = (document.path, tuple(symbols))
        if key not in self._glances:
            self._glances[key] = self._new_glance(document, symbols)
        return self._glances[key]

    def _new_glance(self, document: Document, symbols: Sequence[SymbolPlace]) -> Glance | None:
        state, scope = self.snapshot.files.get(document.path), self.snapshot.scope(document.path)
        if scope is None or state is None or state.digest != document.digest:
            return None
        return self._desk.glance(document, scope.view, symbols)

    def scan(self, content: str) -> tuple[Finding, ...] | ScanFailure:
        self._cancellation.check()
        return self._desk.scanned(content.encode("utf-8"), self._harmless)

    def counted(self, block: Hashable, count: Callable[[], tuple[int, ...]]) -> tuple[int, ...]:
        return self._desk.counted(block, count)


_Awaited = Callable[[Cancellation], _Value | Refusal]
"""Waits for what was begun."""


class _Kept(Generic[_Value]):
    """The values that were used last, by key, and no more than a size of what they are made of."""

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


class _Asked(Generic[_Value]):
    """What workers were asked for, by key: under way, or kept."""

    def __init__(self) -> None:
        self._kept: _Kept[_Value] = _Kept()
        self._under_way: dict[Hashable, tuple[int, Future[_Value | Refusal]]] = {}
        """With the size of what each is made of."""

    def begin(
        self, key: Hashable, size: int, start: Callable[[], Future[_Value | Refusal]]
    ) -> _Awaited[_Value]:
        """Have it begun where it is not known, and a way to wait for it."""
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
        future: Future[_Value | Refusal],
        cancellation: Cancellation,
    ) -> _Value | Refusal:
        answer = cancellation.result(future)
        self._under_way.pop(key, None)
        if not isinstance(answer, Refusal):
            self._kept.put(key, answer, size)
        return answer

    def forget_unasked(self) -> None:
        """Keep what is done and drop what has not begun: nobody waits for it."""
        for key, (size, future) in list(self._under_way.items()):
            if future.done():
                self._result(key, size, future, Cancellation())
            elif future.cancel():
                del self._under_way[key]


def _language_of(document: Document) -> Language:
    assert document.language is not None, "only a document of a known language is cut"
    return document.language


def _cut_of(answer: Answer | Refusal) -> Cut | Refusal:
    if isinstance(answer, Refusal):
        return answer
    signatures = answer.signatures or answer.refusal
    assert signatures is not None, "signatures were asked for"
    return Cut(answer.summary, signatures)


def _unsteady() -> Refusal:
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        "unsteady",
        None,
        "files kept changing while they were read",
        "wait until whatever writes to the workspace is done, and ask again",
        rule="what cannot be read deterministically is not sent",
    )


def _unlisted(path: str) -> Refusal:
    """A walk of the workspace does not follow links to folders, and never comes to this file."""
    return Refusal(
        RefusalKind.UNSUPPORTED_TARGET,
        "behind_link",
        path,
        "the path leads through a link to a folder, and the index knows files by their own path",
        "name the file by the path that the link leads to",
    )


def build_result(
    outcome: Built | Refused,
    request: Request,
    settings: Settings,
    overrides: Mapping[str, object],
    *,
    index_complete: bool,
    rendered: bool,
) -> BuildResult:
    """A build as a program reads it, with the inputs that it was made from."""
    built = outcome if isinstance(outcome, Built) else None
    refusal = outcome.refusal if isinstance(outcome, Refused) else None
    # A request whose own words may hold a secret is not repeated.
    is_told = refusal is None or refusal.kind is not RefusalKind.SECRET_RISK or refusal.path
    return BuildResult(
        status=Status.OK if built else Status.REFUSED,
        bundle=built.bundle if built else None,
        manifest=built.manifest if built else None,
        redaction_report=built.redaction_report if built else None,
        budget_report=outcome.budget_report,
        refusal=refusal,
        request=msgspec.json.decode(msgspec.json.encode(request)) if is_told else {},
        settings=dict(settings.canonical()),
        overrides={key: value for key, value in overrides.items() if value is not None},
        index_complete=index_complete,
        rendered=built.rendering.text if built and rendered else None,
    )
