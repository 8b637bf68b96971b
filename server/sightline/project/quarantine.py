"""Texts that reached a limit: identified by content, and put aside until they are tried again.

Invariants:

* A record says that a text, read by one version of a grammar, reached a limit. It says nothing
  about the text itself: it is named in every answer, is part of the index's fingerprint, and is
  removed when another try succeeds.
* A text is identified by its content. Whichever file holds it, it is not tried again by itself.
* Two machines may differ in whether a text reaches a limit. They do not differ in how a text in
  quarantine is handled.
* Records of scans for secrets are not stored: the first build after a start scans once more.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Collection, Iterable
from enum import StrEnum

import msgspec

from sightline.refusals import Refusal, RefusalKind
from sightline.workers.messages import TIME_OUT, crashed, took_too_long

SECRETS = "secrets"
"""The subject of a scan for secrets, instead of a language."""
SCAN_TIME_OUT = "scan_time_out"


def content_key(version: str, digest: bytes) -> bytes:
    """Return the key of what one version of a reader extracts from a text."""
    return hashlib.sha256(version.encode() + digest).digest()


class LimitedTask(StrEnum):
    """The task that reached a limit."""

    INDEX = "index"
    CUT = "cut"
    SCAN = "scan"


class QuarantineRecord(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One text that reached a limit."""

    digest: bytes
    """SHA-256 of the text."""
    subject: str
    """The language that it was parsed as, or `secrets`."""
    version: str
    """A digest of the grammar and its query; "" for secrets."""
    task: LimitedTask
    reason: str
    limit: str
    """The limit, in words."""
    tries: int = 1

    @property
    def key(self) -> bytes:
        """For a language, the key of the facts that the text would have."""
        return content_key(self.version or self.subject, self.digest)


class Quarantine:
    """The records of one project. Any thread may read and add."""

    def __init__(self, time_limit: float) -> None:
        self._time_limit = time_limit
        self._records: dict[bytes, QuarantineRecord] = {}
        self._untried: set[bytes] = set()
        """Keys of records from an earlier run."""
        self._lock = threading.Lock()
        self.is_unsaved = False
        """True if the records differ from those in the store."""

    def limit_of(self, reason: str) -> str:
        """Return the limit that belongs to a reason, in words."""
        if reason in (TIME_OUT, SCAN_TIME_OUT):
            return f"{self._time_limit:g} s of processor time"
        return "4 GiB of memory, two tries"

    @property
    def has_records(self) -> bool:
        return bool(self._records)

    def find(self, key: bytes) -> QuarantineRecord | None:
        """Return the record of a text, by the key of its facts or of its scan."""
        return self._records.get(key)

    def refusal_of(self, record: QuarantineRecord) -> Refusal:
        """Return why a text in quarantine has no result."""
        if record.task is LimitedTask.SCAN:
            return scan_took_too_long()
        if record.reason == TIME_OUT:
            return took_too_long(record.subject, self._time_limit)
        return crashed(record.subject)

    def add(self, record: QuarantineRecord) -> None:
        with self._lock:
            before = self._records.get(record.key)
            tries = record.tries + (before.tries if before is not None else 0)
            self._records[record.key] = msgspec.structs.replace(record, tries=tries)
            self._untried.discard(record.key)
            self.is_unsaved = True

    def remove(self, records: Iterable[QuarantineRecord]) -> None:
        with self._lock:
            for each in records:
                self._records.pop(each.key, None)
                self.is_unsaved = True

    def untried(self) -> list[QuarantineRecord]:
        """Return the records that were not tried again in this run, the least tried first."""
        with self._lock:
            found = [self._records[key] for key in self._untried if key in self._records]
        return sorted(found, key=lambda each: (each.tries, each.key))

    def restore(self, records: Iterable[QuarantineRecord]) -> None:
        """Add stored records whose limits are unchanged."""
        with self._lock:
            for each in records:
                if each.limit == self.limit_of(each.reason) and each.key not in self._records:
                    self._records[each.key] = each
                    self._untried.add(each.key)

    def kept(self, digests: Collection[bytes]) -> list[QuarantineRecord]:
        """Return the records to store: those of texts that still exist, in a fixed order."""
        return sorted(
            (
                each
                for each in list(self._records.values())
                if each.digest in digests and each.task is not LimitedTask.SCAN
            ),
            key=lambda each: each.key,
        )


def scan_took_too_long() -> Refusal:
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        SCAN_TIME_OUT,
        None,
        "scanning it for secrets took too much processor time and was given up",
        "leave the file out; 'sightline index --retry' tries again",
        rule="what is not scanned is not sent",
        source="default:limits",
    )
