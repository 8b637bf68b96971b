"""Folding changes, against a model that does it slowly and plainly."""

from __future__ import annotations

import re

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from sightline.lsp import open_documents as module
from sightline.lsp.open_documents import (
    ContentChange,
    Documents,
    OutOfStep,
    TextReplaced,
)
from sightline.text import Position, PositionEncoding, TextSpliced
from tests.lsp.editor import units

_URI = "file:///a.py"
_PIECES = ("a", "bc", "é", "ß", "😀", "\U0010ffff", "\n", "\r\n", "\r", "\f", "\x85", "\u2028", " ")
_TEXTS = st.lists(st.sampled_from(_PIECES), max_size=12).map("".join)
_ENCODINGS = st.sampled_from(list(PositionEncoding))


def _lines(text: str) -> list[tuple[int, int]]:
    """Where each line starts and where its visible part ends, in characters."""
    found, start = [], 0
    for each in re.finditer(r"\r\n|\r|\n", text):
        found.append((start, each.start()))
        start = each.end()
    return [*found, (start, len(text))]


def _offset(text: str, line: int, column: int, encoding: PositionEncoding) -> int:
    """A position as the protocol has it: past the end of a line is its end."""
    lines = _lines(text)
    if line >= len(lines):
        return len(text)
    start, end = lines[line]
    for offset in range(start, end):
        column -= units(text[offset], encoding.value)
        if column < 0:
            return offset
    return end


@st.composite
def _positions(draw: st.DrawFn) -> Position:
    return Position(draw(st.integers(0, 6)), draw(st.integers(0, 9) | st.just(2**31 - 1)))


@given(_ENCODINGS, _TEXTS, st.lists(st.tuples(_positions(), _positions(), _TEXTS), max_size=5))
@settings(max_examples=400, deadline=None)
def test_changes_are_folded_as_the_model_does(
    encoding: PositionEncoding, text: str, edits: list[tuple[Position, Position, str]]
) -> None:
    """Each change is made to the result of the one before; what was done to the bytes is told."""
    store = Documents(encoding)
    store.open(_URI, "python", 1, text)
    data = text.encode("utf-8")
    for version, (one, other, inserted) in enumerate(edits, start=2):
        start, end = sorted((one, other))
        outcome = store.change(_URI, version, [ContentChange(inserted, start, end)])
        if start.line > len(_lines(text)):
            assert isinstance(outcome, OutOfStep)
            store.open(_URI, "python", version, text)
            continue
        first = _offset(text, start.line, start.column, encoding)
        last = _offset(text, end.line, end.column, encoding)
        text = text[:first] + inserted + text[last:]
        assert not isinstance(outcome, OutOfStep)
        document, applied = outcome
        assert (str(document.text), document.version) == (text, version)
        [spliced] = applied
        assert isinstance(spliced, TextSpliced)
        data = data[: spliced.span.start] + spliced.replacement + data[spliced.span.end :]
        assert data == document.text.data


@given(_ENCODINGS, _TEXTS, st.lists(st.tuples(_positions(), _positions(), _TEXTS), max_size=5))
@settings(max_examples=100, deadline=None)
def test_one_message_is_as_many(
    encoding: PositionEncoding, text: str, edits: list[tuple[Position, Position, str]]
) -> None:
    """Changes of one message come out as if each had been sent alone, or none is made."""
    changes = [ContentChange(inserted, *sorted((one, other))) for one, other, inserted in edits]
    alone, together = Documents(encoding), Documents(encoding)
    for store in (alone, together):
        store.open(_URI, "python", 1, text)
    outcomes = [alone.change(_URI, 2 + number, [each]) for number, each in enumerate(changes)]
    outcome = together.change(_URI, 99, changes)
    if any(isinstance(each, OutOfStep) for each in outcomes):
        assert isinstance(outcome, OutOfStep)
        document = together.get(_URI)
        assert document is not None
        assert (str(document.text), document.is_in_step) == (text, False)
    else:
        assert not isinstance(outcome, OutOfStep)
        last = alone.get(_URI)
        assert last is not None
        assert outcome[0].text == last.text


class _Editing(RuleBasedStateMachine):
    """A client that makes every mistake: the text is the client's, or it is not served."""

    @attrs.define
    class Known:
        text: str
        version: int
        is_in_step: bool = True

    def __init__(self) -> None:
        super().__init__()
        self.encoding = PositionEncoding.UTF16
        self.store = Documents(self.encoding)
        self.known: dict[str, _Editing.Known] = {}

    uris = st.sampled_from(["file:///a", "untitled:b"])

    @rule(uri=uris, text=_TEXTS, version=st.integers(-1, 5))
    def opens(self, uri: str, text: str, version: int) -> None:
        self.store.open(uri, "python", version, text)
        self.known[uri] = self.Known(text, version)

    @rule(uri=uris)
    def closes(self, uri: str) -> None:
        was_open = self.store.close(uri) is not None
        assert was_open == (self.known.pop(uri, None) is not None)

    @rule(uri=uris, text=_TEXTS, step=st.integers(-1, 3) | st.none())
    def sends_the_whole(self, uri: str, text: str, step: int | None) -> None:
        known = self.known.get(uri)
        version = known.version + step if known and step is not None else None
        outcome = self.store.change(uri, version, [ContentChange(text)])
        if known is None:
            assert outcome == OutOfStep("a document was changed that is not open")
            # No version was given, so that any is the next.
            self.known[uri] = self.Known("", -(2**63), is_in_step=False)
        elif version is None or version <= known.version:
            assert isinstance(outcome, OutOfStep)
            assert outcome.is_news == known.is_in_step
            known.is_in_step = False
        else:
            assert not isinstance(outcome, OutOfStep)
            assert outcome[1] == [TextReplaced()]
            self.known[uri] = self.Known(text, version)

    @rule(uri=uris, start=_positions(), end=_positions(), text=_TEXTS)
    def sends_a_piece(self, uri: str, start: Position, end: Position, text: str) -> None:
        known = self.known.get(uri)
        version = known.version + 1 if known else 1
        outcome = self.store.change(uri, version, [ContentChange(text, start, end)])
        if known is None:
            assert isinstance(outcome, OutOfStep)
            self.known[uri] = self.Known("", version, is_in_step=False)
            return
        is_wrong = end < start or start.line > len(_lines(known.text))
        if not known.is_in_step or is_wrong:
            assert isinstance(outcome, OutOfStep)
            # A piece that could not be made is a version that came all the same.
            known.version = version if known.is_in_step else known.version
            known.is_in_step = False
            return
        first = _offset(known.text, start.line, start.column, self.encoding)
        last = _offset(known.text, end.line, end.column, self.encoding)
        self.known[uri] = self.Known(known.text[:first] + text + known.text[last:], version)

    @rule(uri=uris, before=_TEXTS, text=_TEXTS, end=_positions())
    def recovers_in_one_message(self, uri: str, before: str, text: str, end: Position) -> None:
        known = self.known.get(uri)
        if known is None:
            return
        reversed_range = ContentChange("x", Position(0, 1), Position(0, 0))
        leading = [] if known.is_in_step else [reversed_range]
        changes = [*leading, ContentChange(before), ContentChange(text, Position(0, 0), end)]
        outcome = self.store.change(uri, known.version + 1, changes)
        assert not isinstance(outcome, OutOfStep)
        last = _offset(before, end.line, end.column, self.encoding)
        self.known[uri] = self.Known(text + before[last:], known.version + 1)

    @invariant()
    def every_document_is_as_known(self) -> None:
        assert [each.uri for each in self.store.all()] == sorted(self.known)
        for uri, known in self.known.items():
            document = self.store.get(uri)
            assert document is not None
            assert document.is_in_step == known.is_in_step
            assert document.version == known.version
            if known.is_in_step:
                assert str(document.text) == known.text


TestEditing = _Editing.TestCase
TestEditing.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)


@pytest.mark.parametrize("encoding", PositionEncoding)
def test_lines_end_where_editors_end_them(encoding: PositionEncoding) -> None:
    """A form feed and a line separator stand inside a line; a lone carriage return ends one."""
    store = Documents(encoding)
    store.open(_URI, "python", 1, "a\fb\u2028c\rsecond\r\nthird")
    change = ContentChange("X", Position(1, 0), Position(2, 99))
    outcome = store.change(_URI, 2, [change])
    assert not isinstance(outcome, OutOfStep)
    assert str(outcome[0].text) == "a\fb\u2028c\rX"


@pytest.mark.parametrize(
    ("encoding", "column"),
    [(PositionEncoding.UTF8, 4), (PositionEncoding.UTF16, 2), (PositionEncoding.UTF32, 1)],
)
def test_a_pair_of_surrogates_is_one_character(encoding: PositionEncoding, column: int) -> None:
    """Behind it is where the encoding says, and there is no place inside it."""
    for inside in range(column):
        store = Documents(encoding)
        store.open(_URI, "python", 1, "😀b")
        outcome = store.change(
            _URI, 2, [ContentChange("", Position(0, inside), Position(0, column))]
        )
        assert not isinstance(outcome, OutOfStep)
        assert str(outcome[0].text) == "b"


def test_a_document_that_is_too_large_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is out of step from the beginning, or from the change that made it so."""
    monkeypatch.setattr(module, "MOST_BYTES", 8)
    store = Documents(PositionEncoding.UTF16)
    opened = store.open(_URI, "python", 1, "123456789")
    assert (opened.is_in_step, len(opened.text)) == (False, 0)
    assert not isinstance(store.change(_URI, 2, [ContentChange("1234567é")]), tuple)
    assert isinstance(store.change(_URI, 3, [ContentChange("12345678")]), tuple)
    grown = ContentChange("9", Position(0, 8), Position(0, 8))
    assert store.change(_URI, 4, [grown]) == OutOfStep("it is too large")
    assert isinstance(store.change(_URI, 5, [ContentChange("small")]), tuple)


@pytest.mark.parametrize("half", ["\ud83d", "a\ude00"])
def test_half_of_a_character_is_no_text(half: str) -> None:
    """JSON can say it, UTF-8 cannot: the document is out of step, and nothing raises."""
    store = Documents(PositionEncoding.UTF16)
    assert not store.open(_URI, "python", 1, half).is_in_step
    store.open(_URI, "python", 1, "whole")
    assert isinstance(store.change(_URI, 2, [ContentChange(half)]), OutOfStep)
    store.open(_URI, "python", 1, "whole")
    piece = ContentChange(half, Position(0, 0), Position(0, 0))
    assert isinstance(store.change(_URI, 2, [piece]), OutOfStep)
