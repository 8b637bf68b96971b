"""Messages between a parent and its workers: length-prefixed MessagePack.

Invariant: messages hold only plain values, decoded into the types here. A worker cannot make its
parent run code.
"""

from __future__ import annotations

import struct
from enum import StrEnum
from typing import IO

import msgspec

from sightline.languages import LanguageError
from sightline.refusals import Refusal, RefusalKind
from sightline.slicing import PartialParsePlan, SignatureDocs, Slice
from sightline.symbols import FileSummary

_LENGTH = struct.Struct("<I")
ASK = b"a"
INDEX = b"i"
EDIT = b"e"
FACTS = b"f"
PARTIAL_PARSE = b"p"
"""The first byte of a message says what it requests."""
LOADED = b""
"""A worker sends this before an answer if it first had to load a language."""
TIME_OUT = "time_out"
PARSER_CRASH = "parser_crash"


class ParseTask(StrEnum):
    SUMMARIZE = "summarize"
    SIGNATURES = "signatures"


class ParseRequest(msgspec.Struct, frozen=True, array_like=True):
    task: ParseTask
    language: str
    data: bytes
    docs: SignatureDocs = SignatureDocs.NONE


class PartialParseRequest(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A request for a few signatures of a text, without parsing all of it."""

    language: str
    data: bytes
    plan: PartialParsePlan
    docs: SignatureDocs = SignatureDocs.NONE


class IndexRequest(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A file for the index. `number` matches the answer to its request.

    With a `terms_key`, only its terms are counted: its facts are known already. `language` is ""
    for a file without a known language.
    """

    number: int
    language: str
    data: bytes
    facts: bytes = b""
    terms_key: bytes = b""
    """The version under which terms are stored."""


class EditRequest(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An edit of a text that a worker holds, or with `text` the text after the edit."""

    number: int
    """Identifies the text; a worker may hold several."""
    revision: int
    """Revision of the text after the edit. It is unique among all edits of one parent."""
    language: str
    start: int
    end: int
    replacement: bytes
    text: bytes | None = None


class FactsRequest(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The facts of a text that a worker holds, if it still has that revision."""

    number: int
    revision: int
    language: str


class IndexAnswer(msgspec.Struct, frozen=True, array_like=True, gc=False, tag=True):
    facts: bytes
    """Packed `Facts`: a cache can keep them without decoding."""
    keys: bytes
    """The keys that find this file, packed as in a name table."""
    declarations: int
    references: int
    terms: bytes = b""
    """Packed `FileTerms`, if they were requested; then the other fields are empty."""


class EditAnswer(msgspec.Struct, frozen=True, array_like=True, gc=False, tag=True):
    """The result of an edit. The facts of the text are requested separately."""

    keys: bytes
    """Keys that the edit added; keys that it removed may still be in the index."""
    has_all_keys: bool
    """True if `keys` holds every key of the text."""
    declarations: int
    references: int


class PackedFacts(msgspec.Struct, frozen=True, array_like=True, gc=False, tag=True):
    facts: bytes


class ParseAnswer(msgspec.Struct, frozen=True, array_like=True):
    summary: FileSummary
    signatures: Slice | None = None
    refusal: Refusal | None = None
    """Why there are no signatures, if they were requested."""


class PartialParseAnswer(msgspec.Struct, frozen=True, array_like=True):
    signatures: Slice | None
    """None if the whole text has to be read."""


def send(stream: IO[bytes], message: bytes) -> None:
    stream.write(_LENGTH.pack(len(message)) + message)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """Return one message, or None if the stream ends before it is complete."""
    header = stream.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    size = _LENGTH.unpack(header)[0]
    message = stream.read(size)
    return message if len(message) == size else None


def took_too_long(language: str, time_limit: float) -> Refusal:
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        TIME_OUT,
        None,
        f"parsing as {language} took more than {time_limit:g} seconds of processor time and was "
        "stopped",
        "ask for the whole file, or leave it out; 'sightline index --retry' tries again",
        rule=f"parse time <= {time_limit:g} s of processor time",
        source="default:limits",
    )


def crashed(language: str) -> Refusal:
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        PARSER_CRASH,
        None,
        f"the {language} parser crashed on this file",
        "ask for the whole file, or leave it out; 'sightline index --retry' tries again",
        rule="one file costs one worker",
        source="default:limits",
    )


def stuck(language: str) -> Refusal:
    """Return the refusal for a worker that did not answer and used no processor time."""
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        "worker_stuck",
        None,
        f"the process that should parse {language} got no processor time and was stopped",
        "ask again",
    )


def is_quarantined(refusal: Refusal) -> bool:
    """Return True if a text reached a limit: it is only tried again on request."""
    return refusal.reason in (TIME_OUT, PARSER_CRASH)


def faulty_language(error: LanguageError) -> Refusal:
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        "language",
        None,
        f"a language cannot be loaded: {error}",
        "run 'sightline doctor' to see what is missing",
    )


def forgotten() -> Refusal:
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        "no_document",
        None,
        "the worker does not have this text",
        "send the whole text",
    )


def is_forgotten(outcome: EditAnswer | Refusal) -> bool:
    return isinstance(outcome, Refusal) and outcome.reason == "no_document"


def cannot_start() -> Refusal:
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        "no_worker",
        None,
        "a worker process could not be started",
        "run 'sightline doctor' to see what is missing",
    )
