"""What crosses the pipe between a parent and its workers: length-prefixed MessagePack.

Invariant: nothing but plain values, decoded into the types here. A worker cannot make its parent
run code.
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
"""What the first byte of a message asks for."""
LOADED = b""
"""What a worker sends in front of an answer when it had to load a language for it first."""
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
    """A few signatures of a text that need not be parsed whole."""

    language: str
    data: bytes
    plan: PartialParsePlan
    docs: SignatureDocs = SignatureDocs.NONE


class IndexRequest(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A file for the index. `number` tells whose answer is whose.

    With a `terms_key`, its terms are counted and nothing is parsed: `facts` are known, and there is
    no language, "", where a file has none.
    """

    number: int
    language: str
    data: bytes
    facts: bytes = b""
    terms_key: bytes = b""
    """Under which terms are kept."""


class EditRequest(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An edit of a text that a worker has, or with `text` the text after it."""

    number: int
    """Which text; a worker may have several."""
    revision: int
    """Of the text after the edit. No two edits of one parent have the same."""
    language: str
    start: int
    end: int
    replacement: bytes
    text: bytes | None = None


class FactsRequest(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The facts of a text that a worker has, if it still is of that revision."""

    number: int
    revision: int
    language: str


class IndexAnswer(msgspec.Struct, frozen=True, array_like=True, gc=False, tag=True):
    facts: bytes
    """Packed `Facts`: whoever keeps them need not look into them."""
    keys: bytes
    """The keys it is found by, packed as in a name table."""
    declarations: int
    references: int
    terms: bytes = b""
    """Packed `FileTerms`, where they were asked for; then the rest is empty."""


class EditAnswer(msgspec.Struct, frozen=True, array_like=True, gc=False, tag=True):
    """What an edit made of a text. Its facts are asked for when somebody needs them."""

    keys: bytes
    """Those that the edit brought; the text may be found by others that are gone from it."""
    has_all_keys: bool
    """Whether they are all that the text is found by."""
    declarations: int
    references: int


class PackedFacts(msgspec.Struct, frozen=True, array_like=True, gc=False, tag=True):
    facts: bytes


class ParseAnswer(msgspec.Struct, frozen=True, array_like=True):
    summary: FileSummary
    signatures: Slice | None = None
    refusal: Refusal | None = None
    """Why there are no signatures, where they were asked for."""


class PartialParseAnswer(msgspec.Struct, frozen=True, array_like=True):
    signatures: Slice | None
    """None where the text has to be read whole."""


def send(stream: IO[bytes], message: bytes) -> None:
    stream.write(_LENGTH.pack(len(message)) + message)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes | None:
    """One message, or None where the stream ends before it is whole."""
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
        "take the file whole, or leave it out; 'sightline index --retry' tries it again",
        rule=f"parse time <= {time_limit:g} s of processor time",
        source="default:limits",
    )


def crashed(language: str) -> Refusal:
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        PARSER_CRASH,
        None,
        f"the {language} parser could not take this file and was lost",
        "take the file whole, or leave it out; 'sightline index --retry' tries it again",
        rule="one file costs one worker",
        source="default:limits",
    )


def stuck(language: str) -> Refusal:
    """Return the refusal for a worker that did not answer and used no processor time."""
    return Refusal(
        RefusalKind.INDEX_UNAVAILABLE,
        "worker_stuck",
        None,
        f"the process that was to parse {language} got no processor time and was stopped",
        "ask again",
    )


def is_quarantined(refusal: Refusal) -> bool:
    """Return True if a text hit a limit: it is not tried again unless somebody asks for it."""
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
