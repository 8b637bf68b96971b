"""A project: one workspace, its index, and what keeps the index true.

This is where the pieces meet: the workspace reads, workers parse, the index remembers and the
store keeps it between runs. Who answers questions takes a snapshot and needs none of them.

Invariants:

* Only what the workspace shows is read, and every byte of it through the workspace's door.
* A file is parsed when its content is new to the index and to the store, and never otherwise.
* A document that is open in an editor counts as its editor's text, whatever is on the disk. What
  would not be read from the disk, for its path, size or bytes, is not taken from an editor.
* What cannot be read or parsed is withheld and counted, with the reason; it stops nothing.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import itertools
import threading
from array import array
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from types import TracebackType

import attrs
import msgspec

from sightline.index import (
    Change,
    Column,
    Deferred,
    FileChanged,
    FileRemoved,
    FileState,
    Index,
    NameTable,
    RulesChanged,
    ScanBegan,
    ScanEnded,
    Snapshot,
    read_manifest,
)
from sightline.index.store import NoStore, Saved, SaveFailure, Store
from sightline.languages import Language, Registry
from sightline.refusals import Refusal, RefusalKind
from sightline.symbols import Facts
from sightline.symbols.facts import SCHEMA as FACTS_SCHEMA
from sightline.text import splice
from sightline.workers import (
    EditAnswer,
    EditRequest,
    FactsRequest,
    IndexAnswer,
    IndexRequest,
    Workers,
)
from sightline.workspace import Document, RawDocument, Survey, SurveyError, Workspace

_SCHEMA = (3, FACTS_SCHEMA)
_NAMES = "names"
_NUMBERS = itertools.count()
"""Of documents, in all projects of this process: they may share workers."""
_REVISIONS = itertools.count()
"""Of the texts of all documents."""


class _State(msgspec.Struct, frozen=True, array_like=True):
    """What the store keeps of a project besides facts and names."""

    schema: tuple[int, int]
    registry: str
    """A digest of which files are of which language."""
    toolchain: dict[str, tuple[tuple[int, ...], str]]
    """By language: the stamps of the files it is made of, and their digest."""
    survey: memoryview
    files: memoryview
    """Packed: a `FileState` for each path of the survey, without digest if it could not be read."""
    unsettled: list[int]
    """Rows of the survey whose stamps were too young to trust."""
    table_rows: memoryview
    """Rows of the survey, by the number a name table gives them; -1 for a file that is gone."""


_STATE = msgspec.msgpack.Decoder(_State)


@attrs.define
class Statistics:
    """What the last scan did."""

    parsed: int = 0
    """Files that were parsed."""
    reused: int = 0
    """Files whose facts were known from before."""
    withheld: dict[str, str] = attrs.Factory(dict)
    """Visible names that could not be read, each with its reason."""
    quarantined: dict[str, Refusal] = attrs.Factory(dict)
    """Files that cost a worker twice, or could not be parsed for another reason."""


@attrs.define
class _Document:
    """A text that is open in an editor."""

    number: int
    """By which a worker knows it. Never given to another: a worker may still have that one."""
    text: bytes
    version: int | None
    """The editor's count of its changes."""
    change: FileChanged | None = None
    """What the index was told of it; None while policy withholds it, unread."""
    is_followed: bool = False
    """Whether the worker that follows edits was given this text. What it has may be older."""


class _EditedFacts:
    """The facts of one text of a document, packed by a worker when first asked for.

    Until then it keeps the text: a snapshot may ask when the worker has gone on to the next one.
    """

    def __init__(self, workers: Workers, request: FactsRequest, text: bytes) -> None:
        self._workers = workers
        self._request = request
        self._text: bytes | None = text
        self._packed: bytes | None = None
        self._asking = threading.Lock()

    def __call__(self) -> bytes | None:
        with self._asking:
            if self._text is not None:
                answer = self._workers.facts(self._request, self._text)
                if not isinstance(answer, Refusal):
                    self._packed = answer
                elif answer.kind is RefusalKind.INDEX_UNAVAILABLE:
                    # A fault of the machine is not the text's.
                    return None
                self._text = None
            return self._packed


@attrs.frozen
class EditorText:
    """What an editor has for a file."""

    text: bytes
    version: int | None


class Project:
    """Opens a workspace and keeps its index.

    Two threads may use it: one that looks at the disk (`open`, `refresh`, `follow`, `hide`,
    `save`) and one for editors (`show`, `edit`, `read`). Any thread may take a `snapshot`.
    """

    def __init__(
        self,
        workspace: Workspace,
        registry: Registry,
        workers: Workers,
        store: Store | NoStore,
    ) -> None:
        self._workspace = workspace
        self._door: Workspace | None = None
        """For the editors' thread: a workspace is for one thread."""
        self._is_door_stale = False
        self._registry = registry
        self._workers = workers
        self._store = store if isinstance(store, Store) else None
        self._index = Index(registry.languages, self._load)
        self._survey: Survey | None = None
        self._toolchain: dict[str, tuple[tuple[int, ...], str]] = {}
        self._read: Deferred[dict[str, FileState]] = Deferred(dict)
        self._documents: dict[str, _Document] = {}
        self._pending: deque[Change] = deque()
        self._has_scan_begun = False
        """Changes that the index has not been told of yet. Worker threads add to it, too."""
        self._applying = threading.Lock()
        self._documents_change = threading.RLock()
        """Held while documents change hands between the editors' thread and the disk's."""
        self._unsettled: list[str] = []
        """Files whose stamps were too young to trust when they were read."""
        self.statistics = Statistics()
        self.is_unsaved = False
        """Something was found that the store does not know."""

    def __enter__(self) -> Project:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._store is not None:
            self._store.close()

    @property
    def snapshot(self) -> Snapshot:
        """What is known by now: any thread may ask, in the middle of a scan as well."""
        with self._applying:
            pending: list[Change] = []
            while self._pending:
                pending.append(self._pending.popleft())
            return self._index.apply(*pending) if pending else self._index.snapshot

    def open(self, progress: Callable[[int, int], None] | None = None) -> Snapshot:
        """The index of everything visible: from the store where it is there and still true."""
        with _without_collector():
            snapshot = self._update(self._restore(), progress)
        # Once, and not after each change: what is garbage by now is never collected.
        gc.freeze()
        return snapshot

    def refresh(
        self,
        progress: Callable[[int, int], None] | None = None,
        again: Sequence[str] = (),
    ) -> Snapshot:
        """The index after anything may have changed on the disk; some files did in any case."""
        return self._update(self._survey, progress, again)

    def follow(self, stop: threading.Event) -> Iterator[Snapshot]:
        """A snapshot after each batch of changes on the disk, until `stop` is set.

        A batch is all that changed in a moment: a branch switch is one. The first comes at once,
        and has what changed before anybody watched.
        """
        # Loading the library takes as long as reading a small workspace; few need it.
        from sightline.workspace.watching import watch

        for changes in watch(self._workspace, stop):
            yield self._update(self._survey, None, again=changes.paths)

    def read(self, path: str) -> EditorText | Document | Refusal:
        """A file as it is now: the editor's text if it is open, else what is on the disk."""
        document = self._documents.get(path)
        if document is None:
            return self._fresh_door().read(path)
        refusal = _withheld(self._fresh_door(), path, document.text)
        return refusal or EditorText(document.text, document.version)

    def judge(self, path: str) -> Refusal | None:
        """Why policy withholds a path, on the editors' thread."""
        return self._fresh_door().judge(path)

    def doubt_rules(self) -> None:
        """Something changed on the disk: what is visible is made out anew by whoever reads next.

        The index follows later. From any thread.
        """
        self._is_door_stale = True

    def _fresh_door(self) -> Workspace:
        if self._door is None:
            self._door = self._workspace.copy()
        if self._is_door_stale:
            self._is_door_stale = False
            self._door.refresh()
        return self._door

    def show(self, path: str, text: bytes, version: int | None = None) -> Snapshot | Refusal:
        """Take an editor's text for a file, saved or not, in place of what is on the disk.

        A text that policy withholds waits, unread, for the day that policy changes.
        """
        refusal = _withheld(self._fresh_door(), path, text)
        with self._documents_change:
            shown = self._documents.get(path)
            number = next(_NUMBERS) if shown is None else shown.number
            document = self._documents[path] = _Document(number, text, version)
            if refusal is not None:
                if path in self.snapshot.files:
                    self._pending.append(FileRemoved(path))
                return refusal
            self._take_document(path, document)
        return self.snapshot

    def edit(
        self, path: str, start: int, end: int, replacement: bytes, version: int | None = None
    ) -> Snapshot | Refusal:
        """Replace some bytes of a text that is shown. What was not touched is not parsed again.

        Raises `KeyError` for a text that is not shown.
        """
        with self._documents_change:
            return self._edit(path, start, end, replacement, version)

    def _edit(
        self, path: str, start: int, end: int, replacement: bytes, version: int | None
    ) -> Snapshot | Refusal:
        document = self._documents[path]
        text = splice(document.text, start, end, replacement)
        known = document.change
        language = self._registry.for_path(path, text)
        if known is None or language is None or language.name != known.state.language:
            return self.show(path, text, version)

        @cache
        def judged() -> tuple[FileState, Refusal | None]:
            state = self._state_of(path, text, hashlib.sha256(text).digest())
            return state, self._fresh_door().judge_text(path, text)

        document.text = text
        document.version = version
        given = None if document.is_followed else text
        number, revision = document.number, next(_REVISIONS)
        request = EditRequest(number, revision, language.name, start, end, replacement, given)
        # Until there is an answer nobody knows which text the worker has.
        document.is_followed = False
        answer = self._workers.edit(request, text, meanwhile=judged)
        self.statistics.parsed += 1
        state, refusal = judged()
        if refusal is not None:
            return self.show(path, text, version)
        document.is_followed = not isinstance(answer, Refusal)
        if isinstance(answer, Refusal):
            document.change = FileChanged(path, _faulty(state, answer))
        else:
            keys = answer.keys if answer.has_all_keys else (known.keys or b"") + answer.keys
            facts = _EditedFacts(self._workers, FactsRequest(number, revision, language.name), text)
            document.change = FileChanged(
                path, _counted(state, answer), facts, keys, answer.has_all_keys
            )
        self._pending.append(document.change)
        return self.snapshot

    def hide(self, path: str) -> Snapshot:
        """Go back to what is on the disk: the editor has closed the file."""
        with self._documents_change:
            document = self._documents.pop(path, None)
            if document is None:
                return self.snapshot
            if document.change is not None:
                # The index holds what the editor had, which mostly is what the disk has.
                self._disk[path] = document.change.state
            if self._survey is None:
                self._forget(path)
                return self.snapshot
        return self._update(self._survey, None, again=[path])

    def save(self) -> Saved | SaveFailure | None:
        """Write what is known to the store; None where there is no store."""
        survey = self._survey
        if self._store is None or survey is None:
            return None
        _ = self.snapshot
        rows = survey.rows
        files = [self._known(path) for path in survey.paths]
        unsettled = {row for row, path in enumerate(survey.paths) if self._is_unsettled(path)}
        stored = list(files)
        for path, document in self._documents.items():
            row = rows.get(path)
            if row is not None and (document.change is None or document.change.state != files[row]):
                # Names are looked up by the editor's text, which nobody has after a restart.
                stored[row] = FileState(b"")
                unsettled.add(row)
        with self._applying:
            table = self._index.table()
            pushed = self._index.packed_facts()
        live = {each.key for each in files if each.key and not each.fault}
        fresh: dict[bytes, bytes] = {}
        for key, facts in pushed.items():
            packed = (facts() if callable(facts) else facts) if key in live else None
            if packed is not None:
                fresh[key] = packed
        state = _State(
            _SCHEMA,
            self._registry.digest,
            self._toolchain,
            memoryview(survey.encode()),
            memoryview(msgspec.msgpack.encode(stored)),
            sorted(unsettled),
            memoryview(array("q", [rows.get(path, -1) for path in table.paths])).cast("B"),
        )
        outcome = self._store.save(
            msgspec.msgpack.encode(state),
            {_NAMES: bytes(memoryview(_as_array(table.column)).cast("B"))},
            sorted(live),
            fresh,
        )
        if isinstance(outcome, Saved):
            self.is_unsaved = False
            with self._applying:
                self._index.settle(fresh.keys())
        return outcome

    # Reading and parsing.

    def _update(
        self,
        previous: Survey | None,
        progress: Callable[[int, int], None] | None,
        again: Sequence[str] = (),
    ) -> Snapshot:
        """Take in what has changed since a survey, and look at some files in any case."""
        self.statistics = Statistics()
        survey = self._workspace.survey(previous)
        if previous is None:
            paths: Sequence[str] = survey.paths
            removed = [path for path in self._disk if path not in survey.rows]
        else:
            difference = survey.since(previous)
            doubtful = [path for path in (*self._unsettled, *again) if path in survey.rows]
            if survey.policy != previous.policy:
                doubtful += self._of_doubtful_size(survey)
            paths = sorted({*difference.added, *difference.changed, *doubtful}, key=_bytewise)
            removed = [
                *difference.removed,
                *(path for path in again if path not in survey.rows),
            ]
        self._has_scan_begun = False
        for path in removed:
            self._forget(path)
        self._judge_documents()
        self.is_unsaved = self.is_unsaved or previous is None or bool(paths or removed)
        self.statistics.reused = survey.file_count - len(paths)
        if paths:
            with _without_collector():
                self._read_again(paths, progress)
        # Not before all is read: a scan that was broken off is made up for by the next one.
        self._survey = survey
        self._unsettled = [path for path in paths if self._is_unsettled(path)]
        self._pending.extend([self._rules(), ScanEnded()])
        return self.snapshot

    def _of_doubtful_size(self, survey: Survey) -> list[str]:
        """Files that another limit may withhold or show, though they are what they were."""
        limit = self._workspace.limits.max_file_bytes
        return [
            path
            for path, stamp in survey.files.items()
            if stamp.size > limit or self._known(path).fault == "too_large"
        ]

    def _rules(self) -> RulesChanged:
        return RulesChanged(
            self._survey.policy if self._survey is not None else "",
            {name: digest for name, (_, digest) in self._toolchain.items()},
        )

    @property
    def _disk(self) -> dict[str, FileState]:
        """What was found at each visible path when it was last looked at.

        A state without a digest is of a file that could not be read: the index has none of it.
        """
        return self._read.value

    def _known(self, path: str) -> FileState:
        return self._disk.get(path) or FileState(b"")

    def _is_unsettled(self, path: str) -> bool:
        """Whether a file has to be looked at again though its stamp stays as it is."""
        state = self._known(path)
        is_to_retry = bool(state.language and not state.key)
        return is_to_retry or self._survey is None or not self._survey.is_settled(path)

    def _forget(self, path: str) -> None:
        self._disk.pop(path, None)
        if not self._is_shown(path):
            self._found(FileRemoved(path))

    def _is_shown(self, path: str) -> bool:
        """Whether the index has an editor's text for a path. One that is withheld is not there."""
        document = self._documents.get(path)
        return document is not None and document.change is not None

    def _judge_documents(self) -> None:
        """Withdraw open documents that are denied by now, and take those that no longer are."""
        with self._documents_change:
            self._is_door_stale = True
            for path, document in self._documents.items():
                is_denied = _withheld(self._workspace, path, document.text) is not None
                if is_denied and document.change is not None:
                    document.change = None
                    self._found(FileRemoved(path))
                elif not is_denied and document.change is None:
                    self._take_document(path, document)

    def _take_document(self, path: str, document: _Document) -> None:
        document.change = self._from_editor(path, document.text)
        # Its language may be one that no file was of before.
        self._pending.extend([document.change, self._rules()])

    def _read_again(
        self, paths: Sequence[str], progress: Callable[[int, int], None] | None = None
    ) -> None:
        """Read files from the disk, parse those that are new, and queue what changed."""
        waiting: dict[int, tuple[str, FileState]] = {}
        passed = 0

        def requests() -> Iterator[IndexRequest]:
            nonlocal passed
            with self._workspace.reading() as read:
                for number, path in enumerate(paths):
                    outcome = self._examine(path, read(path))
                    if outcome is None:
                        passed += 1
                        continue
                    state, data = outcome
                    waiting[number] = (path, state)
                    yield IndexRequest(number, state.language, data)

        answers = self._workers.index_all(requests())
        for answered, (request, answer) in enumerate(answers, start=1):
            path, state = waiting.pop(request.number)
            self.statistics.parsed += 1
            if isinstance(answer, Refusal):
                self.statistics.quarantined[path] = answer
                self._take(path, _faulty(state, answer), None, None)
            else:
                self._take(path, _counted(state, answer), answer.facts, answer.keys)
            if progress is not None:
                progress(passed + answered, len(paths))

    def _examine(self, path: str, raw: RawDocument | Refusal) -> tuple[FileState, bytes] | None:
        """What is to be parsed of a file, or None once nothing is left to do about it."""
        if isinstance(raw, Refusal):
            self.statistics.withheld[path] = raw.reason
            known = self._known(path)
            self._disk[path] = FileState(b"", fault=raw.reason)
            if known.digest and not self._is_shown(path):
                self._found(FileRemoved(path))
            return None
        digest = _text_digest(raw)
        state = self._state_of(path, raw.data, digest)
        document = self._documents.get(path)
        if document is not None and document.change is not None:
            # Nobody asks for what an editor's text stands in front of.
            shown = document.change.state
            is_same = (shown.digest, shown.key) == (digest, state.key)
            self._disk[path] = shown if is_same else state
            return None
        known = self._known(path)
        if known.digest == digest and known.key == state.key:
            self.statistics.reused += 1
            return None
        if not state.language:
            self._take(path, state, None, None)
            return None
        if self._store is not None and (packed := self._store.get(state.key)) is not None:
            self.statistics.reused += 1
            self._take(path, _restored(state, packed), None, None)
            return None
        return state, raw.data

    def _state_of(self, path: str, data: bytes, digest: bytes) -> FileState:
        language = self._registry.for_path(path, data)
        manifest = read_manifest(path.rpartition("/")[2], data)
        if language is None:
            return FileState(digest, manifest=manifest)
        key = hashlib.sha256(self._digest_of(language).encode() + digest).digest()
        return FileState(digest, language.name, key, manifest=manifest)

    def _take(self, path: str, state: FileState, facts: bytes | None, keys: bytes | None) -> None:
        self._disk[path] = state
        with self._documents_change:
            if path not in self._documents:
                self._found(FileChanged(path, state, facts, keys))

    def _found(self, change: Change) -> None:
        """Queue what a scan found: from the first of it to its end, the index is of no one moment.

        A scan that finds nothing leaves the index as complete as it was.
        """
        if not self._has_scan_begun:
            self._has_scan_begun = True
            self._pending.append(ScanBegan())
        self._pending.append(change)

    def _from_editor(self, path: str, text: bytes) -> FileChanged:
        state = self._state_of(path, text, hashlib.sha256(text).digest())
        if not state.language:
            return FileChanged(path, state)
        answer = self._workers.index(IndexRequest(0, state.language, text))
        self.statistics.parsed += 1
        if isinstance(answer, Refusal):
            return FileChanged(path, _faulty(state, answer))
        return FileChanged(path, _counted(state, answer), answer.facts, answer.keys)

    def _load(self, path: str, state: FileState) -> bytes | None:
        """Facts that are not in memory: from the store, or by parsing the file once more."""
        packed = self._store.get(state.key) if self._store is not None else None
        if packed is not None:
            return packed
        text = self._text(path, state)
        if text is None:
            return None
        answer = self._workers.index(IndexRequest(0, state.language, text))
        self.statistics.parsed += 1
        return None if isinstance(answer, Refusal) else answer.facts

    def _text(self, path: str, state: FileState) -> bytes | None:
        """The text that a state was made from, if an editor or the disk still has it."""
        document = self._documents.get(path)
        if document is not None and document.change is not None:
            return document.text if document.change.state.digest == state.digest else None
        raw = self._workspace.read_raw(path)
        if isinstance(raw, Refusal) or _text_digest(raw) != state.digest:
            return None
        return raw.data

    # Between runs.

    def _restore(self) -> Survey | None:
        """Take over what the store has, if it is of this format and these grammars."""
        store = self._store
        if store is None or store.state is None:
            return None
        try:
            state = _STATE.decode(store.state)
            survey = Survey.decode(state.survey)
        except (msgspec.MsgspecError, SurveyError):
            return None
        if state.schema != _SCHEMA:
            return None
        self._toolchain = {
            name: entry
            for name, entry in state.toolchain.items()
            if (language := self._registry.get(name)) and _stamps(language) == entry[0]
        }
        stale = set(state.toolchain) - set(self._toolchain)
        states = Deferred(lambda: msgspec.msgpack.decode(state.files, type=list[FileState]))
        read = Deferred(
            lambda: {
                path: each
                for path, each in zip(survey.paths, states.value, strict=True)
                if each.language not in stale
            }
        )
        again = set(state.unsettled)
        if state.registry != self._registry.digest:
            again.update(range(survey.file_count))
        elif stale:
            again.update(row for row, each in enumerate(states.value) if each.language in stale)
        self._unsettled = [survey.paths[row] for row in sorted(again)]
        self._read = Deferred(lambda: dict(read.value))
        for document in self._documents.values():
            document.change = None
        self._index = Index.restored(
            self._registry.languages,
            self._load,
            Deferred(lambda: {path: each for path, each in read.value.items() if each.digest}),
            NameTable(Deferred(lambda: self._load_names(survey, state.table_rows))),
            RulesChanged(survey.policy, {}),
        )
        return survey

    def _load_names(self, survey: Survey, rows: memoryview) -> Column:
        assert self._store is not None
        section = self._store.section(_NAMES)
        if section is None:
            return self._index.rebuilt_names()

        def paths() -> list[str]:
            return [survey.paths[row] if row >= 0 else "" for row in rows.cast("q")]

        return Column(section.cast("Q"), Deferred(paths))

    def _digest_of(self, language: Language) -> str:
        """A digest of everything that decides what is read out of a text in a language."""
        known = self._toolchain.get(language.name)
        if known is None:
            digest = hashlib.sha256(f"facts {FACTS_SCHEMA}".encode())
            for source in language.sources:
                digest.update(hashlib.sha256(source.read_bytes()).digest())
            known = (_stamps(language), digest.hexdigest())
            self._toolchain[language.name] = known
        return known[1]


def _withheld(workspace: Workspace, path: str, text: bytes) -> Refusal | None:
    """Why an editor's text is not shown: what would withhold the file that holds it."""
    return workspace.judge(path) or workspace.judge_text(path, text)


def _text_digest(raw: RawDocument) -> bytes:
    """Of the text alone, so that an editor's copy of it has the same."""
    if raw.bom or raw.encoding not in ("utf-8", "ascii"):
        return hashlib.sha256(raw.data).digest()
    return raw.digest


def _counted(state: FileState, answer: IndexAnswer | EditAnswer) -> FileState:
    return msgspec.structs.replace(
        state, declarations=answer.declarations, references=answer.references
    )


def _faulty(state: FileState, refusal: Refusal) -> FileState:
    """A fault of the machine is not the file's: without a key it is parsed when next looked at."""
    is_of_machine = refusal.kind is RefusalKind.INDEX_UNAVAILABLE
    key = b"" if is_of_machine else state.key
    return msgspec.structs.replace(state, fault=refusal.reason, key=key)


def _restored(state: FileState, packed: bytes) -> FileState:
    facts = msgspec.msgpack.decode(packed, type=Facts)
    return msgspec.structs.replace(
        state, declarations=facts.declaration_count, references=facts.reference_count
    )


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """What a scan makes stays: a collection would only walk over it, again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _as_array(column: Sequence[int]) -> array[int] | memoryview:
    return column if isinstance(column, array | memoryview) else array("Q", column)


def _bytewise(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _stamps(language: Language) -> tuple[int, ...]:
    stamps: list[int] = []
    for source in language.sources:
        try:
            status = source.stat()
        except OSError:
            return ()
        stamps += [status.st_size, status.st_mtime_ns, status.st_ino]
    return tuple(stamps)
