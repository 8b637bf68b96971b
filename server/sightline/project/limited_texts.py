"""Texts that reached a limit after they were indexed, and texts that are tried again.

Invariants:

* A text is put aside in every file that holds it, before an answer is made without its tree.
* A text leaves quarantine after a complete successful try. Until then the index does not change, so
  no answer mixes two states.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from sightline.index import FileChanged, FileState, Snapshot
from sightline.project.change_queue import ChangeQueue
from sightline.project.file_states import FileStates, text_digest
from sightline.project.open_texts import OpenTexts
from sightline.project.quarantine import SECRETS, LimitedTask, QuarantineRecord
from sightline.project.scanner import Scanner
from sightline.refusals import Refusal
from sightline.workers import (
    IndexAnswer,
    IndexRequest,
    ParseAnswer,
    ParseRequest,
    ParseTask,
    Workers,
    is_quarantined,
)
from sightline.workspace import Workspace


class LimitedTexts:
    """Each function says which thread calls it, as in `Project`."""

    def __init__(
        self,
        workspace: Workspace,
        workers: Workers,
        states: FileStates,
        queue: ChangeQueue,
        scanner: Scanner,
        texts: OpenTexts,
    ) -> None:
        self._workspace = workspace
        self._workers = workers
        self._states = states
        self._quarantine = states.quarantine
        self._queue = queue
        self._scanner = scanner
        self._texts = texts

    # Any thread.

    @property
    def is_unsaved(self) -> bool:
        """True if there are records that are not in the store."""
        return self._quarantine.is_unsaved

    def refusal_for(self, digest: bytes, language: str) -> Refusal | None:
        """Return why a text has no tree; with `SECRETS` as language, why it is not scanned.

        None if it is not in quarantine.
        """
        record = self._quarantine.find(self._states.key_of(language, digest))
        return self._quarantine.refusal_of(record) if record is not None else None

    def set_aside(self, digest: bytes, language: str, refusal: Refusal) -> None:
        """Put a text in quarantine because cutting or scanning it reached a limit."""
        task = LimitedTask.SCAN if language == SECRETS else LimitedTask.CUT
        state = FileState(digest, language, self._states.key_of(language, digest))
        limited = self._states.refused(state, refusal, task)
        for path, each in self._queue.snapshot.files.items():
            if each.digest == digest and language in (SECRETS, each.language):
                told = msgspec.structs.replace(
                    each, fault=limited.fault, limit=limited.limit, declarations=0, references=0
                )
                if not self._texts.take_limited(path, told):
                    self._scanner.expect(path, told)
                    self._queue.put(FileChanged(path, told))

    def try_again(self, most: int | None = None) -> list[QuarantineRecord]:
        """Try texts again that were in quarantine when the store was read.

        Those with the fewest tries go first. Return those that pass; they stay in quarantine until
        they are released. Texts that entered quarantine in this run are skipped: they were just
        tried.
        """
        # A workspace may be used by one thread only.
        workspace = self._workspace.copy()
        paths: dict[tuple[bytes, str], str] = {}
        snapshot = self._queue.snapshot
        for path in snapshot.quarantined:
            state = snapshot.files[path]
            paths.setdefault((state.digest, state.language), path)
        passed: list[QuarantineRecord] = []
        for record in self._quarantine.untried()[:most]:
            holder = paths.get((record.digest, record.subject))
            if holder is None:
                continue
            text = text_with_digest(self._texts, workspace, holder, record.digest)
            answer = self._try(record, text) if text is not None else None
            if isinstance(answer, Refusal) and is_quarantined(answer):
                self._quarantine.add(msgspec.structs.replace(record, tries=1))
            elif answer is not None and not isinstance(answer, Refusal):
                passed.append(record)
        return passed

    def _try(self, record: QuarantineRecord, text: bytes) -> IndexAnswer | ParseAnswer | Refusal:
        if record.task is LimitedTask.CUT:
            return self._workers.ask(ParseRequest(ParseTask.SIGNATURES, record.subject, text))
        return self._workers.index(IndexRequest(0, record.subject, text))

    # The disk's thread.

    def release(self, records: Sequence[QuarantineRecord]) -> Snapshot:
        """Take texts out of quarantine, and index the files that hold them."""
        if not records:
            return self._queue.snapshot
        self._quarantine.remove(records)
        digests = {each.digest for each in records}
        snapshot = self._queue.snapshot
        paths = [each for each in snapshot.quarantined if snapshot.files[each].digest in digests]
        self._texts.take_again(paths)
        if self._scanner.survey is not None:
            self._scanner.scan(self._scanner.survey, None, paths)
        return self._queue.snapshot


def text_with_digest(
    texts: OpenTexts, workspace: Workspace, path: str, digest: bytes
) -> bytes | None:
    """Return the text of a file if it has this digest, from an editor or from the disk."""
    is_open, text = texts.text_with(path, digest)
    if is_open:
        return text
    raw = workspace.read_raw(path)
    if isinstance(raw, Refusal) or text_digest(raw) != digest:
        return None
    return raw.data
