"""Save and restore a project in the store. For the disk's thread.

Invariants:

* Data of another format, other languages or other grammars is ignored, or checked again.
* No name that is a secret is stored: a worker marks the facts of its file (`egress/names.py`),
  which are extracted again when needed. A workspace with such a path is not stored at all.
* Nothing of an unsaved text is stored: a file whose editor has another text is read again.
* Quarantine is stored with its files: a start does not try them again by itself.
* A start decodes only what it needs: each part is decoded when first used.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence, Set

import attrs
import msgspec

from sightline.index import Column, FileState, Index, Lazy, NameTable, RulesChanged
from sightline.index.indexed_terms import is_counted
from sightline.index.store import Saved, SaveFailure, Store
from sightline.languages import Registry
from sightline.project.change_queue import ChangeQueue
from sightline.project.file_states import FileStates, LanguageDigests, hidden_files
from sightline.project.open_texts import OpenTexts
from sightline.project.quarantine import QuarantineRecord
from sightline.project.scanner import Scanner
from sightline.project.term_counting import TermCounting
from sightline.symbols.facts import SCHEMA as FACTS_SCHEMA
from sightline.symbols.facts import Facts
from sightline.workspace import Survey, SurveyError, decode_survey, encode_survey

_SCHEMA = (5, FACTS_SCHEMA)
_NAMES = "names"


class _StoredState(msgspec.Struct, frozen=True, array_like=True):
    """Everything stored about a project besides facts and names."""

    schema: tuple[int, int]
    registry: str
    """A digest of the rules that assign files to languages."""
    toolchain: LanguageDigests
    survey: memoryview
    files: memoryview
    """Packed: a `FileState` for each path of the survey, without digest if it could not be read."""
    unsettled: list[int]
    """Rows of the survey whose stamps were too young to trust."""
    table_rows: memoryview
    """Rows of the survey, by a file's number in the name table; -1 for a file that is gone."""
    quarantine: list[QuarantineRecord]
    has_limited: bool
    """True if any file is in quarantine: few workspaces have one."""
    terms_key: bytes
    """The version under which terms are stored."""
    uncounted: list[int]
    """Rows of the survey whose terms are not counted."""


_STATE = msgspec.msgpack.Decoder(_StoredState)


@attrs.frozen
class Restored:
    """The state that a project continues from."""

    survey: Survey
    index: Index
    read: Lazy[dict[str, FileState]]
    """The state that was found at each visible path."""
    unsettled: Sequence[str]
    """Files to read again even if their stamps are unchanged."""


def restore(
    store: Store,
    registry: Registry,
    states: FileStates,
    load_facts: Callable[[str, FileState], bytes | None],
    terms: TermCounting,
) -> Restored | None:
    """Return what the store has, if its format is current; `states` takes over its digests."""
    if store.state is None:
        return None
    try:
        state = _STATE.decode(store.state)
        survey = decode_survey(state.survey)
    except (msgspec.MsgspecError, SurveyError):
        return None
    if state.schema != _SCHEMA:
        return None
    stale = states.adopt(state.toolchain)
    files = Lazy(lambda: msgspec.msgpack.decode(state.files, type=list[FileState]))
    read = Lazy(
        lambda: {
            path: each
            for path, each in zip(survey.paths, files.value, strict=True)
            if each.language not in stale
        }
    )
    states.quarantine.restore(state.quarantine)
    again = set(state.unsettled)
    if state.registry != registry.digest:
        again.update(range(survey.file_count))
    elif stale:
        again.update(row for row, each in enumerate(files.value) if each.language in stale)

    if state.has_limited:
        # A record may have been made under another limit, or for one run only.
        again.update(
            row
            for row, each in enumerate(files.value)
            if each.limit and states.quarantine.find(each.key) is None
        )

    def names() -> Column:
        section = store.section(_NAMES)
        if section is None:
            return index.rebuilt_names()
        return Column(section.cast("Q"), Lazy(lambda: _table_paths(survey, state.table_rows)))

    index = Index.restored(
        registry.languages,
        load_facts,
        Lazy(lambda: {path: each for path, each in read.value.items() if each.digest}),
        NameTable(Lazy(names)),
        RulesChanged(survey.policy, {}, hidden_files(survey)),
        terms.restart(state.terms_key),
        {survey.paths[row] for row in state.uncounted},
    )
    return Restored(survey, index, read, [survey.paths[row] for row in sorted(again)])


def save(
    store: Store,
    registry: Registry,
    states: FileStates,
    queue: ChangeQueue,
    scanner: Scanner,
    texts: OpenTexts,
    terms: TermCounting,
) -> Saved | SaveFailure | None:
    """Write what is known to the store; None if nothing was scanned or storing is not allowed."""
    survey = scanner.survey
    if survey is None or _has_secret_path(survey):
        return None
    _ = queue.snapshot
    rows = survey.rows
    files = [scanner.known(path) for path in survey.paths]
    unsettled = {row for row, path in enumerate(survey.paths) if scanner.is_unsettled(path)}
    stored = list(files)
    for path, shown in texts.states():
        row = rows.get(path)
        if row is not None and (shown is None or shown != files[row]):
            # The stored names are those of the editor's text, which is lost after a restart.
            stored[row] = FileState(b"")
            unsettled.add(row)
    table, pushed = queue.contents()
    live = {each.key for each in files if each.key and not each.fault}
    fresh: dict[bytes, bytes] = {}
    for key, facts in pushed.items():
        packed = (facts() if callable(facts) else facts) if key in live else None
        if packed is not None and not msgspec.msgpack.decode(packed, type=Facts).is_private:
            fresh[key] = packed
    uncounted = _add_terms(live, fresh, dict(zip(survey.paths, stored, strict=True)), queue, terms)
    state = _StoredState(
        _SCHEMA,
        registry.digest,
        states.toolchain,
        memoryview(encode_survey(survey)),
        memoryview(msgspec.msgpack.encode(stored)),
        sorted(unsettled),
        memoryview(array("q", [rows.get(path, -1) for path in table.paths])).cast("B"),
        states.quarantine.kept({each.digest for each in files if each.limit}),
        any(each.limit for each in stored),
        terms.source.key,
        sorted(rows[path] for path in uncounted if path in rows),
    )
    names = bytes(memoryview(_as_array(table.column)).cast("B"))
    outcome = store.save(msgspec.msgpack.encode(state), {_NAMES: names}, sorted(live), fresh)
    if isinstance(outcome, Saved):
        scanner.is_unsaved = states.quarantine.is_unsaved = False
        queue.forget_stored(fresh.keys())
    return outcome


def _add_terms(
    live: set[bytes],
    fresh: dict[bytes, bytes],
    files: Mapping[str, FileState],
    queue: ChangeQueue,
    terms: TermCounting,
) -> Set[str]:
    """Add the terms of files to what is stored; return the files that are not counted."""
    counted, uncounted = queue.counted_terms()
    keys = {
        terms.source.stored_key(each)
        for path, each in files.items()
        if path not in uncounted and is_counted(path, each)
    }
    live |= keys
    for key, made in counted.items():
        packed = (made() if callable(made) else made) if key in keys else None
        if packed is not None:
            fresh[key] = packed
    return uncounted


def _has_secret_path(survey: Survey) -> bool:
    """Return True if a path is itself a secret, such as a token used as a folder's name."""
    # Imported late: loading the rules takes longer than a start that saves nothing.
    from sightline.egress.names import may_be_secret

    suspicious = [path for path in survey.paths if may_be_secret(path)]
    if not suspicious:
        return False
    from sightline.egress import ScanFailure, guarded_scan

    found = guarded_scan("\n".join(suspicious).encode("utf-8", "replace"))
    return isinstance(found, ScanFailure) or any(not each.is_weak for each in found)


def _table_paths(survey: Survey, rows: memoryview) -> list[str]:
    return [survey.paths[row] if row >= 0 else "" for row in rows.cast("q")]


def _as_array(column: Sequence[int]) -> array[int] | memoryview:
    return column if isinstance(column, array | memoryview) else array("Q", column)
