"""The state of a text in the index besides its facts, and the rules that it was made under.

Invariant: a state is a function of path, text, grammar and query, and of the quarantine. Its key
covers everything that decides which facts are extracted from the text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Set

import msgspec

from sightline.bundle import HiddenFiles
from sightline.index import PENDING, FileState, RulesChanged, read_manifest
from sightline.languages import Language, Registry
from sightline.project.quarantine import (
    SECRETS,
    LimitedTask,
    Quarantine,
    QuarantineRecord,
    content_key,
)
from sightline.refusals import Refusal
from sightline.symbols import Facts
from sightline.symbols.facts import SCHEMA as FACTS_SCHEMA
from sightline.workers import EditAnswer, IndexAnswer, is_quarantined
from sightline.workspace import RawDocument, Survey

LanguageDigests = dict[str, tuple[tuple[int, ...], str]]
"""By language: the stamps of its files, and their digest."""


class FileStates:
    """Makes states. Any thread may call it; the disk's thread sets the policy."""

    def __init__(self, registry: Registry, quarantine: Quarantine) -> None:
        self._registry = registry
        self.quarantine = quarantine
        self.toolchain: LanguageDigests = {}
        self.policy = ""
        """The digest of the rules that decided which files the last complete scan found visible."""
        self.hidden: tuple[HiddenFiles, ...] = ()

    @property
    def rules(self) -> RulesChanged:
        digests = {name: digest for name, (_, digest) in dict(self.toolchain).items()}
        return RulesChanged(self.policy, digests, self.hidden)

    def of(self, path: str, data: bytes, digest: bytes) -> FileState:
        """Return the state of a text with this digest, before facts are extracted."""
        language = self._registry.for_path(path, data)
        manifest = read_manifest(path.rpartition("/")[2], data)
        if language is None:
            return FileState(digest, manifest=manifest)
        key = content_key(self._digest_of(language), digest)
        return FileState(digest, language.name, key, manifest=manifest)

    def key_of(self, language: str, digest: bytes) -> bytes:
        """Return the key of the facts that a language extracts from a text."""
        known = self._registry.get(language)
        return content_key(self._digest_of(known) if known else language, digest)

    def set_aside(self, state: FileState) -> FileState | None:
        """Return the state of a text that is in quarantine; None if it is not."""
        record = (state.key and self.quarantine.find(state.key)) or self.quarantine.find(
            content_key(SECRETS, state.digest)
        )
        return _limited(state, record.reason, record.limit) if record else None

    def refused(
        self, state: FileState, refusal: Refusal, task: LimitedTask = LimitedTask.INDEX
    ) -> FileState:
        """Return the state of a text that could not be read, and record it if it reached a limit.

        A fault of the machine is not the text's: without a key the text is parsed at the next
        check.
        """
        is_scan = task is LimitedTask.SCAN
        if not is_scan and not is_quarantined(refusal):
            return msgspec.structs.replace(state, fault=refusal.reason, key=b"")
        record = QuarantineRecord(
            state.digest,
            SECRETS if is_scan else state.language,
            "" if is_scan else self.toolchain[state.language][1],
            task,
            refusal.reason,
            self.quarantine.limit_of(refusal.reason),
        )
        self.quarantine.add(record)
        return _limited(state, record.reason, record.limit)

    def adopt(self, stored: LanguageDigests) -> Set[str]:
        """Use digests that were stored; return the languages that have changed since."""
        self.toolchain = {
            name: entry
            for name, entry in stored.items()
            if (language := self._registry.get(name)) and _stamps(language) == entry[0]
        }
        return set(stored) - set(self.toolchain)

    def _digest_of(self, language: Language) -> str:
        """Return a digest of everything that decides which facts a language extracts."""
        known = self.toolchain.get(language.name)
        if known is None:
            digest = hashlib.sha256(f"facts {FACTS_SCHEMA}".encode())
            for source in language.sources:
                digest.update(hashlib.sha256(source.read_bytes()).digest())
            known = (_stamps(language), digest.hexdigest())
            self.toolchain[language.name] = known
        return known[1]


def text_digest(raw: RawDocument) -> bytes:
    """Return the digest of the text alone: the same text in an editor has the same digest."""
    if raw.bom or raw.encoding not in ("utf-8", "ascii"):
        return hashlib.sha256(raw.data).digest()
    return raw.digest


def counted(state: FileState, answer: IndexAnswer | EditAnswer) -> FileState:
    """Return a state with the counts of a worker."""
    return msgspec.structs.replace(
        state, declarations=answer.declarations, references=answer.references
    )


def counted_in_store(state: FileState, packed: bytes) -> FileState:
    """Return a state with the counts of packed facts."""
    facts = msgspec.msgpack.decode(packed, type=Facts)
    return msgspec.structs.replace(
        state, declarations=facts.declaration_count, references=facts.reference_count
    )


def pending(state: FileState) -> FileState:
    """Return the state of a text that is still being parsed."""
    return msgspec.structs.replace(state, fault=PENDING, key=b"")


def _limited(state: FileState, reason: str, limit: str) -> FileState:
    return msgspec.structs.replace(state, fault=reason, limit=limit, declarations=0, references=0)


def _stamps(language: Language) -> tuple[int, ...]:
    stamps: list[int] = []
    for source in language.sources:
        try:
            status = source.stat()
        except OSError:
            return ()
        stamps += [status.st_size, status.st_mtime_ns, status.st_ino]
    return tuple(stamps)


def hidden_files(survey: Survey) -> tuple[HiddenFiles, ...]:
    """Return the tracked files of git that rules hide, as of a survey."""
    return tuple(
        HiddenFiles.of(each.rule, each.files, each.at_least) for each in survey.hidden_by_rule
    )
