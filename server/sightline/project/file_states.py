"""What the index is told of a text besides its facts, and which rules it was made under.

Invariant: a state is a function of path, text, grammar and query, and of what is in quarantine. Its
key covers everything that decides what is read out of the text.
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
"""By language: the stamps of the files it is made of, and their digest."""


class FileStates:
    """Makes states. Any thread may ask; the thread that looks at the disk sets the policy."""

    def __init__(self, registry: Registry, quarantine: Quarantine) -> None:
        self._registry = registry
        self.quarantine = quarantine
        self.toolchain: LanguageDigests = {}
        self.policy = ""
        """The digest of the rules by which the last complete scan found files visible."""
        self.hidden: tuple[HiddenFiles, ...] = ()

    @property
    def rules(self) -> RulesChanged:
        digests = {name: digest for name, (_, digest) in dict(self.toolchain).items()}
        return RulesChanged(self.policy, digests, self.hidden)

    def of(self, path: str, data: bytes, digest: bytes) -> FileState:
        """Return the state of a text that has a digest, before anything is read out of it."""
        language = self._registry.for_path(path, data)
        manifest = read_manifest(path.rpartition("/")[2], data)
        if language is None:
            return FileState(digest, manifest=manifest)
        key = content_key(self._digest_of(language), digest)
        return FileState(digest, language.name, key, manifest=manifest)

    def key_of(self, language: str, digest: bytes) -> bytes:
        """Return the key of what is read out of a text as a language."""
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
        """Return the state of a text that could not be read, and record it if it hit a limit.

        A fault of the machine is not the file's: without a key it is parsed when next looked at.
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
        """Take over digests that were stored; return the languages that have changed since."""
        self.toolchain = {
            name: entry
            for name, entry in stored.items()
            if (language := self._registry.get(name)) and _stamps(language) == entry[0]
        }
        return set(stored) - set(self.toolchain)

    def _digest_of(self, language: Language) -> str:
        """Return a digest of everything that decides what is read out of a text in a language."""
        known = self.toolchain.get(language.name)
        if known is None:
            digest = hashlib.sha256(f"facts {FACTS_SCHEMA}".encode())
            for source in language.sources:
                digest.update(hashlib.sha256(source.read_bytes()).digest())
            known = (_stamps(language), digest.hexdigest())
            self.toolchain[language.name] = known
        return known[1]


def text_digest(raw: RawDocument) -> bytes:
    """Return the digest of the text alone: an editor's copy of it has the same."""
    if raw.bom or raw.encoding not in ("utf-8", "ascii"):
        return hashlib.sha256(raw.data).digest()
    return raw.digest


def counted(state: FileState, answer: IndexAnswer | EditAnswer) -> FileState:
    """Return a state with what a worker counted."""
    return msgspec.structs.replace(
        state, declarations=answer.declarations, references=answer.references
    )


def counted_in_store(state: FileState, packed: bytes) -> FileState:
    """Return a state with what packed facts count."""
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
    """Return what rules hide of the files that git tracked when a survey was taken."""
    return tuple(
        HiddenFiles.of(each.rule, each.files, each.at_least) for each in survey.hidden_by_rule
    )
