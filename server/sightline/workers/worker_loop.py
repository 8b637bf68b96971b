"""The loop of a worker process: one request, one answer, until its input ends.

Invariants: it loads no code from its working directory, writes nothing and logs nothing; it ends
with its parent, by end of input when idle and by a signal when busy. A limit is processor time: how
busy the machine is decides nothing.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Literal

import msgspec

from sightline.index.name_table import pack_keys
from sightline.languages import Language, LanguageError, load_named
from sightline.refusals import Refusal
from sightline.slicing import partial_signatures, signatures
from sightline.symbols import summarize
from sightline.symbols.extracting import extract_with_keys
from sightline.symbols.facts import Facts
from sightline.symbols.live import LiveFacts
from sightline.syntax import parse
from sightline.text import Text
from sightline.workers.limits import die_after, handle_signals, limit_memory
from sightline.workers.messages import (
    EDIT,
    FACTS,
    INDEX,
    LOADED,
    PARTIAL_PARSE,
    EditAnswer,
    EditRequest,
    FactsRequest,
    IndexAnswer,
    IndexRequest,
    PackedFacts,
    ParseAnswer,
    ParseRequest,
    ParseTask,
    PartialParseAnswer,
    PartialParseRequest,
    crashed,
    faulty_language,
    forgotten,
    receive,
    send,
)

_MEMORY_LIMIT_BYTES = 4 << 30
_MOST_EDITED = 12

_Edited = dict[int, tuple[int, LiveFacts]]
"""By the number of a text: its revision and its facts."""


def answer(
    languages: Mapping[str, Language],
    request: ParseRequest,
    wind_clock: Callable[[], None] = lambda: None,
) -> ParseAnswer:
    """Answer a parse request, in this process.

    `wind_clock` restarts the limit: signatures are parsed once more, to check them.
    """
    language = languages[request.language]
    parsed = parse(language, Text(request.data))
    summary = summarize(parsed)
    if request.task is ParseTask.SUMMARIZE:
        return ParseAnswer(summary)
    wind_clock()
    outcome = signatures(parsed, summary, request.docs)
    if isinstance(outcome, Refusal):
        return ParseAnswer(summary, None, outcome)
    return ParseAnswer(summary, outcome)


def serve(requests: IO[bytes], answers: IO[bytes], language_folders: list[Path]) -> None:
    """Serve requests until the input ends, one at a time."""
    limit_memory(_MEMORY_LIMIT_BYTES)
    handle_signals()
    # A request creates no reference cycles; a collection would only traverse its objects.
    gc.disable()
    languages = _Languages(language_folders)
    edited: _Edited = {}
    send(answers, b"ready")
    while (message := receive(requests)) is not None:
        if message[:1] == INDEX:
            _serve_index(languages, answers, message[1:])
            continue
        if message[:1] == EDIT:
            _serve_edit(languages, answers, message[1:], edited)
            continue
        if message[:1] == FACTS:
            _serve_facts(answers, message[1:], edited)
            continue
        if message[:1] == PARTIAL_PARSE:
            limit, batch = msgspec.msgpack.decode(
                message[1:], type=tuple[float, list[PartialParseRequest]]
            )
            for each in batch:
                _serve(
                    languages,
                    answers,
                    limit,
                    each.language,
                    partial(_partial_parse, languages, each),
                )
            continue
        limit, request = msgspec.msgpack.decode(message[1:], type=tuple[float, ParseRequest])
        work = partial(answer, languages, request, partial(die_after, limit))
        _serve(languages, answers, limit, request.language, work)


def _serve(
    languages: _Languages,
    answers: IO[bytes],
    time_limit: float,
    language: str,
    work: Callable[[], ParseAnswer | PartialParseAnswer],
) -> None:
    reply: ParseAnswer | PartialParseAnswer | Refusal
    try:
        # Loading a language does not count for the text: the clock starts afterwards.
        languages.load(language, "tags", answers)
        die_after(time_limit)
        reply = work()
    except MemoryError:
        reply = crashed(language)
    except LanguageError as error:
        reply = faulty_language(error)
    die_after(0)
    send(answers, msgspec.msgpack.encode(reply))


def _partial_parse(
    languages: Mapping[str, Language], request: PartialParseRequest
) -> PartialParseAnswer:
    language = languages[request.language]
    text = Text(request.data)
    return PartialParseAnswer(partial_signatures(language, text, request.plan, request.docs))


def _serve_index(languages: _Languages, answers: IO[bytes], message: bytes) -> None:
    time_limit, batch = msgspec.msgpack.decode(message, type=tuple[float, list[IndexRequest]])
    reply: IndexAnswer | Refusal
    for request in batch:
        try:
            # Loading a language does not count for the text: the clock starts afterwards.
            if request.terms_key:
                languages.load_for_counting(request.language)
            else:
                languages.load(request.language, "index_tags", answers)
            die_after(time_limit)
            reply = index_answer(languages, request)
        except MemoryError:
            reply = crashed(request.language)
        except LanguageError as error:
            reply = faulty_language(error)
        # Before the answer: the next message may arrive right after the last answer.
        die_after(0)
        send(answers, msgspec.msgpack.encode(reply))


def _serve_edit(languages: _Languages, answers: IO[bytes], message: bytes, edited: _Edited) -> None:
    time_limit, request = msgspec.msgpack.decode(message, type=tuple[float, EditRequest])
    # Until the edit is applied, the state of the text is unknown.
    _, live = edited.pop(request.number, (0, None))
    reply: EditAnswer | Refusal
    try:
        language = languages.load(request.language, "index_tags", answers)
        die_after(time_limit)
        if request.text is not None:
            live = LiveFacts(parse(language, Text(request.text)))
        elif live is not None:
            live.edit(request.start, request.end, request.replacement)
        reply = forgotten() if live is None else _edit_answer(live)
    except MemoryError:
        live = None
        reply = crashed(request.language)
    except LanguageError as error:
        live = None
        reply = faulty_language(error)
    die_after(0)
    send(answers, msgspec.msgpack.encode(reply))
    if live is not None:
        live.apply_shift()
        edited[request.number] = (request.revision, live)
        while len(edited) > _MOST_EDITED:
            edited.pop(next(iter(edited)))


def _edit_answer(live: LiveFacts) -> EditAnswer:
    has_all_keys = live.new_keys is None
    return EditAnswer(
        keys=pack_keys(sorted(live.keys if live.new_keys is None else live.new_keys)),
        has_all_keys=has_all_keys,
        declarations=live.declaration_count,
        references=live.reference_count,
    )


def _serve_facts(answers: IO[bytes], message: bytes, edited: _Edited) -> None:
    time_limit, request = msgspec.msgpack.decode(message, type=tuple[float, FactsRequest])
    revision, live = edited.get(request.number, (0, None))
    reply: PackedFacts | Refusal = forgotten()
    if live is not None and revision == request.revision:
        die_after(time_limit)
        try:
            reply = PackedFacts(_packed(live.facts, live.parsed.text.data))
        except MemoryError:
            reply = crashed(request.language)
        die_after(0)
    send(answers, msgspec.msgpack.encode(reply))


def index_answer(languages: Mapping[str, Language], request: IndexRequest) -> IndexAnswer:
    """Answer a request for the index, in this process."""
    if request.terms_key:
        return _count_terms(languages, request)
    parsed = parse(languages[request.language], Text(request.data))
    facts, keys = extract_with_keys(parsed)
    return IndexAnswer(
        facts=_packed(facts, request.data),
        keys=pack_keys(sorted(keys)),
        declarations=facts.declaration_count,
        references=facts.reference_count,
    )


def _count_terms(languages: Mapping[str, Language], request: IndexRequest) -> IndexAnswer:
    # Imported late: loading the rules for secrets takes as long as parsing fifty files.
    from sightline.index.likeness.counting import count_packed

    language = languages[request.language] if request.language else None
    terms = count_packed(request.data, language, request.facts, request.terms_key)
    return IndexAnswer(facts=b"", keys=b"", declarations=0, references=0, terms=terms)


def _packed(facts: Facts, data: bytes) -> bytes:
    """Return the facts of a text as they are stored, marked if a name in them is a secret."""
    # Imported late: loading the rules takes longer than starting a worker.
    from sightline.egress.names import names_a_secret

    if names_a_secret(data, facts.names, is_clean=facts.parse_clean):
        facts = msgspec.structs.replace(facts, is_private=True)
    return msgspec.msgpack.encode(facts)


class _Languages(dict[str, Language]):
    """Languages by name, each read when first needed: a worker meets few of them."""

    def __init__(self, folders: list[Path]) -> None:
        super().__init__()
        self._folders = folders
        self._loaded: set[tuple[str, str]] = set()

    def load(self, name: str, query: Literal["tags", "index_tags"], answers: IO[bytes]) -> Language:
        """Load a language with one of its queries, and tell the parent if it had to be loaded."""
        language = self[name]
        if (name, query) not in self._loaded:
            if query == "tags":
                _ = language.tags
            else:
                # The time to load the rules that mark facts does not count for a text either.
                from sightline.egress import names  # noqa: F401

                _ = language.index_tags
            self._loaded.add((name, query))
            send(answers, LOADED)
        return language

    def load_for_counting(self, name: str) -> None:
        """Load what counting terms needs: no query, and a language only if the file has one."""
        if (name, "counting") not in self._loaded:
            from sightline.index.likeness import counting  # noqa: F401

            if name:
                _ = self[name].keywords, self[name].patterns
            self._loaded.add((name, "counting"))

    def __missing__(self, name: str) -> Language:
        self[name] = load_named(name, self._folders)
        return self[name]
