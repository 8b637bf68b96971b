"""Texts that hit a limit: known by their content, and set aside until somebody tries them again.

Invariants:

* A record says that a text, read by one version of a grammar, hit a limit. It says nothing about
  the text itself: it is named in every answer, it is part of the index's fingerprint, and it goes
  when another try succeeds.
* A text is known by its content. Whatever file holds it, nothing is tried again by itself.
* Whether a text hits a limit may differ between two machines. What is made of the text once it is
  in quarantine does not.
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
"""What a text is scanned for, in the place of the language that it is parsed as."""
SCAN_TIME_OUT = "scan_time_out"


def content_key(version: str, digest: bytes) -> bytes:
    """Return the key of what one version of something reads out of a text."""
    return hashlib.sha256(version.encode() + digest).digest()


class LimitedTask(StrEnum):
    """What was done to a text when it hit a limit."""

    INDEX = "index"
    CUT = "cut"
    SCAN = "scan"


class QuarantineRecord(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One text that hit a limit."""

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
    """The records of one project. Any thread may ask and add."""

    def __init__(self, time_limit: float) -> None:
        self._time_limit = time_limit
        self._records: dict[bytes, QuarantineRecord] = {}
        self._untried: set[bytes] = set()
        """Keys of records from an earlier run."""
        self._lock = threading.Lock()
        self.is_unsaved = False
        """True if there are records that the store does not know, or the other way round."""

    def limit_of(self, reason: str) -> str:
        """Return the limit that a reason stands for, in words."""
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
        """Return why there is nothing that a text in quarantine was read for."""
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
        """Return the records that nobody has tried again in this run, the least tried first."""
        with self._lock:
            found = [self._records[key] for key in self._untried if key in self._records]
        return sorted(found, key=lambda each: (each.tries, each.key))

    def restore(self, records: Iterable[QuarantineRecord]) -> None:
        """Take over what was stored, as far as the limits are still the same."""
        with self._lock:
            for each in records:
                if each.limit == self.limit_of(each.reason) and each.key not in self._records:
                    self._records[each.key] = each
                    self._untried.add(each.key)

    def kept(self, digests: Collection[bytes]) -> list[QuarantineRecord]:
        """Return what is stored: the records of texts that are still there, in a fixed order."""
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
        "leave the file out; 'sightline index --retry' tries it again",
        rule="what is not scanned is not sent",
        source="default:limits",
    )
