"""A project: one workspace, its index, and what keeps the index true.

This is where the pieces meet: the workspace reads, workers parse, the index remembers and the
store keeps it between runs. Who answers questions takes a snapshot and needs none of them.

Invariants:

* Only what the workspace shows is read, and every byte of it through the workspace's door.
* A file is parsed when its content is new to the index and to the store, and never otherwise.
* A document that is open in an editor counts as its editor's text, whatever is on the disk.
* What cannot be read or parsed is withheld and counted, with the reason; it stops nothing.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
from array import array
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType

import attrs
import msgspec

from sightline.index import (
    Change,
    FileChanged,
    FileRemoved,
    FileState,
    Index,
    NameTable,
    RulesChanged,
    ScanEnded,
    Snapshot,
    read_manifest,
)
from sightline.index.store import NoStore, Saved, SaveFailure, Store
from sightline.languages import Language, Registry
from sightline.refusals import Refusal
from sightline.symbols import Facts
from sightline.symbols.facts import SCHEMA as FACTS_SCHEMA
from sightline.workers import IndexAnswer, IndexRequest, Workers
from sightline.workspace import RawDocument, Survey, SurveyError, Workspace

_SCHEMA = (1, FACTS_SCHEMA)
_NAMES = "names"


class _State(msgspec.Struct, frozen=True, array_like=True):
    """What the store keeps of a project besides facts and names."""

    schema: tuple[int, int]
    registry: str
    """A digest of which files are of which language."""
    toolchain: dict[str, tuple[tuple[int, ...], str]]
    """By language: the stamps of the files it is made of, and their digest."""
    survey: bytes
    files: list[FileState]
    """One for each path of the survey."""
    unsettled: list[int]
    """Rows of the survey whose stamps were too young to trust."""
    table_rows: list[int]
    """Rows of the survey, by the number a name table gives them."""


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


class Project:
    """Opens a workspace and keeps its index. One thread at a time."""

    def __init__(
        self,
        workspace: Workspace,
        registry: Registry,
        workers: Workers,
        store: Store | NoStore,
    ) -> None:
        self._workspace = workspace
        self._registry = registry
        self._workers = workers
        self._store = store if isinstance(store, Store) else None
        self._index = Index(registry.languages, self._load)
        self._survey: Survey | None = None
        self._toolchain: dict[str, tuple[tuple[int, ...], str]] = {}
        self._disk: dict[str, FileState] = {}
        self._documents: dict[str, bytes] = {}
        self._pending: list[Change] = []
        self._withheld: dict[str, FileState] = {}
        self._unsettled: list[str] = []
        """Files whose stamps were too young to trust when they were read."""
        self.statistics = Statistics()

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
        """What is known by now."""
        if self._pending:
            pending, self._pending = self._pending, []
            return self._index.apply(*pending)
        return self._index.snapshot

    def open(self, progress: Callable[[int, int], None] | None = None) -> Snapshot:
        """The index of everything visible: from the store where it is there and still true."""
        previous = self._restore()
        return self._update(previous, progress)

    def refresh(self, progress: Callable[[int, int], None] | None = None) -> Snapshot:
        """The index after anything may have changed on the disk."""
        return self._update(self._survey, progress)

    def show(self, path: str, text: bytes) -> Snapshot | Refusal:
        """Take an editor's text for a file, saved or not, in place of what is on the disk."""
        refusal = self._workspace.judge(path)
        if refusal is not None:
            return refusal
        self._documents[path] = text
        return self._index.apply(self._from_editor(path, text))

    def hide(self, path: str) -> Snapshot:
        """Go back to what is on the disk: the editor has closed the file."""
        self._documents.pop(path, None)
        self._survey = None if self._survey is None else self._workspace.survey(self._survey)
        self._read_again([path])
        return self.snapshot

    def save(self) -> Saved | SaveFailure | None:
        """Write what is known to the store; None where there is no store."""
        survey = self._survey
        if self._store is None or survey is None:
            return None
        _ = self.snapshot
        table = self._index.table()
        rows = survey.rows
        files = [self._disk.get(path) or self._withheld[path] for path in survey.paths]
        state = _State(
            _SCHEMA,
            self._registry.digest,
            self._toolchain,
            survey.encode(),
            files,
            [row for row, path in enumerate(survey.paths) if not survey.is_settled(path)],
            [rows.get(path, -1) for path in table.paths],
        )
        outcome = self._store.save(
            msgspec.msgpack.encode(state),
            {_NAMES: bytes(memoryview(_as_array(table.column)).cast("B"))},
            sorted({each.key for each in files if each.key and not each.fault}),
            self._index.packed_facts(),
        )
        if isinstance(outcome, Saved):
            self._index.settle({each.key for each in files})
        return outcome

    # Reading and parsing.

    def _update(
        self, previous: Survey | None, progress: Callable[[int, int], None] | None
    ) -> Snapshot:
        self.statistics = Statistics()
        survey = self._workspace.survey(previous)
        if previous is None:
            paths: Sequence[str] = survey.paths
            removed: Sequence[str] = [path for path in self._disk if path not in survey.rows]
        else:
            difference = survey.since(previous)
            unsettled = [path for path in self._unsettled if path in survey.rows]
            paths = sorted({*difference.added, *difference.changed, *unsettled}, key=_bytewise)
            removed = difference.removed
        self._survey = survey
        for path in removed:
            self._disk.pop(path, None)
            self._withheld.pop(path, None)
            if path not in self._documents:
                self._pending.append(FileRemoved(path))
        self.statistics.reused = len(survey.paths) - len(paths)
        with _without_collector():
            self._read_again(paths, progress)
        self._unsettled = [path for path in paths if not survey.is_settled(path)]
        self._pending.append(
            RulesChanged(
                survey.policy, {name: digest for name, (_, digest) in self._toolchain.items()}
            )
        )
        self._pending.append(ScanEnded())
        return self.snapshot

    def _read_again(
        self, paths: Sequence[str], progress: Callable[[int, int], None] | None = None
    ) -> None:
        """Read files from the disk, parse those that are new, and queue what changed."""
        waiting: dict[int, tuple[str, FileState]] = {}
        done = 0

        def requests() -> Iterator[IndexRequest]:
            nonlocal done
            with self._workspace.reading() as read:
                for number, path in enumerate(paths):
                    outcome = self._examine(path, read(path))
                    if outcome is None:
                        done += 1
                        continue
                    state, data = outcome
                    waiting[number] = (path, state)
                    yield IndexRequest(number, state.language, data)

        results: list[tuple[str, FileState, IndexAnswer | None]] = []
        for request, answer in self._workers.index_all(requests()):
            path, state = waiting.pop(request.number)
            self.statistics.parsed += 1
            if isinstance(answer, Refusal):
                self.statistics.quarantined[path] = answer
                results.append((path, msgspec.structs.replace(state, fault=answer.reason), None))
            else:
                results.append((path, _counted(state, answer), answer))
            done += 1
            if progress is not None:
                progress(done, len(paths))
        for path, state, found in results:
            self._take(path, state, found.facts if found else None, found.keys if found else None)

    def _examine(self, path: str, raw: RawDocument | Refusal) -> tuple[FileState, bytes] | None:
        """What is to be parsed of a file, or None once nothing is left to do about it."""
        if isinstance(raw, Refusal):
            self.statistics.withheld[path] = raw.reason
            known = self._disk.pop(path, None)
            self._withheld[path] = FileState(b"", fault=raw.reason)
            if known is not None and path not in self._documents:
                self._pending.append(FileRemoved(path))
            return None
        self._withheld.pop(path, None)
        digest = _text_digest(raw)
        state = self._state_of(path, raw.data, digest)
        known = self._disk.get(path)
        if known is not None and known.digest == digest and known.key == state.key:
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
        if path not in self._documents:
            self._pending.append(FileChanged(path, state, facts, keys))

    def _from_editor(self, path: str, text: bytes) -> FileChanged:
        state = self._state_of(path, text, hashlib.sha256(text).digest())
        if not state.language:
            return FileChanged(path, state)
        for _, answer in self._workers.index_all([IndexRequest(0, state.language, text)]):
            self.statistics.parsed += 1
            if isinstance(answer, Refusal):
                return FileChanged(path, msgspec.structs.replace(state, fault=answer.reason))
            return FileChanged(path, _counted(state, answer), answer.facts, answer.keys)
        raise AssertionError("every request has an answer")

    def _load(self, path: str, state: FileState) -> bytes | None:
        """Facts that are not in memory: from the store, or by parsing the file once more."""
        packed = self._store.get(state.key) if self._store is not None else None
        if packed is not None:
            return packed
        raw = self._workspace.read_raw(path)
        if isinstance(raw, Refusal) or _text_digest(raw) != state.digest:
            return None
        for _, answer in self._workers.index_all([IndexRequest(0, state.language, raw.data)]):
            self.statistics.parsed += 1
            return None if isinstance(answer, Refusal) else answer.facts
        return None

    # Between runs.

    def _restore(self) -> Survey | None:
        """Take over what the store has, if it is of this format and these grammars."""
        store = self._store
        if store is None or store.state is None:
            return None
        try:
            state = msgspec.msgpack.decode(store.state, type=_State)
            survey = Survey.decode(state.survey)
        except (msgspec.MsgspecError, SurveyError):
            return None
        if state.schema != _SCHEMA or len(state.files) != len(survey.paths):
            return None
        self._toolchain = {
            name: entry
            for name, entry in state.toolchain.items()
            if (language := self._registry.get(name)) and _stamps(language) == entry[0]
        }
        stale = set(state.toolchain) - set(self._toolchain)
        files = {}
        again = set(state.unsettled)
        if state.registry != self._registry.digest:
            again.update(range(len(survey.paths)))
        for row, (path, each) in enumerate(zip(survey.paths, state.files, strict=True)):
            if not each.digest:
                self._withheld[path] = each
            elif each.language and each.language in stale:
                again.add(row)
            else:
                files[path] = each
        self._unsettled = [survey.paths[row] for row in sorted(again)]
        self._disk = dict(files)
        self._index = Index.restored(
            self._registry.languages,
            self._load,
            files,
            NameTable(lambda: self._load_names(survey, state.table_rows)),
            RulesChanged(survey.policy, {}),
        )
        return survey

    def _load_names(self, survey: Survey, rows: list[int]) -> tuple[Sequence[int], Sequence[str]]:
        assert self._store is not None
        section = self._store.section(_NAMES)
        if section is None:
            return self._index.rebuilt_names()
        return section.cast("Q"), [survey.paths[row] if row >= 0 else "" for row in rows]

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


def _text_digest(raw: RawDocument) -> bytes:
    """Of the text alone, so that an editor's copy of it has the same."""
    if raw.bom or raw.encoding not in ("utf-8", "ascii"):
        return hashlib.sha256(raw.data).digest()
    return raw.digest


def _counted(state: FileState, answer: IndexAnswer) -> FileState:
    return msgspec.structs.replace(
        state, definitions=answer.definitions, references=answer.references
    )


def _restored(state: FileState, packed: bytes) -> FileState:
    facts = msgspec.msgpack.decode(packed, type=Facts)
    return msgspec.structs.replace(
        state, definitions=facts.definition_count, references=facts.reference_count
    )


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """What a scan makes stays: a collection would only walk over it, again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
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
