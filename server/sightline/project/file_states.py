"""What the index is told of a text besides its facts, and which rules it was made under.

Invariant: a state is a function of path, text, grammar and query alone. Its key covers everything
that decides what is read out of the text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Set

import msgspec

from sightline.index import FileState, RulesChanged, read_manifest
from sightline.languages import Language, Registry
from sightline.refusals import Refusal, RefusalKind
from sightline.symbols import Facts
from sightline.symbols.facts import SCHEMA as FACTS_SCHEMA
from sightline.workers import EditAnswer, IndexAnswer
from sightline.workspace import RawDocument

LanguageDigests = dict[str, tuple[tuple[int, ...], str]]
"""By language: the stamps of the files it is made of, and their digest."""


class FileStates:
    """Makes states. Any thread may ask; the thread that looks at the disk sets the policy."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self.toolchain: LanguageDigests = {}
        self.policy = ""
        """The digest of the rules by which the last complete scan found files visible."""

    @property
    def rules(self) -> RulesChanged:
        digests = {name: digest for name, (_, digest) in dict(self.toolchain).items()}
        return RulesChanged(self.policy, digests)

    def of(self, path: str, data: bytes, digest: bytes) -> FileState:
        """Return the state of a text that has a digest, before anything is read out of it."""
        language = self._registry.for_path(path, data)
        manifest = read_manifest(path.rpartition("/")[2], data)
        if language is None:
            return FileState(digest, manifest=manifest)
        key = hashlib.sha256(self._digest_of(language).encode() + digest).digest()
        return FileState(digest, language.name, key, manifest=manifest)

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


def faulty(state: FileState, refusal: Refusal) -> FileState:
    """Return the state of a text that could not be parsed.

    A fault of the machine is not the file's: without a key it is parsed when next looked at.
    """
    is_of_machine = refusal.kind is RefusalKind.INDEX_UNAVAILABLE
    key = b"" if is_of_machine else state.key
    return msgspec.structs.replace(state, fault=refusal.reason, key=key)


def _stamps(language: Language) -> tuple[int, ...]:
    stamps: list[int] = []
    for source in language.sources:
        try:
            status = source.stat()
        except OSError:
            return ()
        stamps += [status.st_size, status.st_mtime_ns, status.st_ino]
    return tuple(stamps)
