"""A request is a value: it prints, it compares, and its places are made out by a pure function."""

from __future__ import annotations

import pytest

from sightline.bundle import Purpose
from sightline.context import BuildRequest, TargetSpec
from sightline.lsp.extensions import ConstraintParams
from sightline.lsp.positions import EditorRequest, EditorTarget, ReadText, located_request
from sightline.refusals import Refusal, RefusalKind
from sightline.text import Position, PositionEncoding, Text

_TEXT = Text.of("first = 1\n😀é = 'ß'\nthird = 3\n")
_REFUSAL = Refusal(RefusalKind.UNSUPPORTED_TARGET, "too_large", "b.py", "it is too large", "take")


def _never(path: str) -> Text | Refusal:
    raise AssertionError(path)


def _spec(target: EditorTarget, read_text: ReadText = _never) -> TargetSpec | Refusal | None:
    made = located_request(EditorRequest(target), read_text)
    return made if isinstance(made, Refusal) else made.active


def test_a_request_prints_without_any_text() -> None:
    request = EditorRequest(
        EditorTarget("a.py", start=Position(1, 2), text=Text.of("password = 'abc'\n")),
        targets=(EditorTarget(None, "Shape.area"),),
        constraints=(ConstraintParams("be brief"),),
    )
    assert repr(request) == (
        "EditorRequest(active=EditorTarget(path='a.py', symbol=None, "
        "start=Position(line=1, column=2), end=None, "
        "encoding=<PositionEncoding.UTF16: 'utf-16'>), "
        "targets=(EditorTarget(path=None, symbol='Shape.area', start=None, end=None, "
        "encoding=<PositionEncoding.UTF16: 'utf-16'>),), user_selected_targets=(), "
        "purpose='diff', plan_step=None, intent=None, "
        "constraints=(ConstraintParams(text='be brief', scope='user'),), "
        "dropped_paths=(), last_error=None)"
    )


def test_requests_are_equal_where_they_ask_for_the_same() -> None:
    def request(text: str) -> EditorRequest:
        return EditorRequest(EditorTarget("a.py", start=Position(0, 1), text=Text.of(text)))

    assert request("one") == request("one")
    assert hash(request("one")) == hash(request("one"))
    assert request("one") != request("two")


def test_a_request_without_places_is_taken_as_it_is() -> None:
    """A recorded build brings one; nothing is read for it."""
    request = BuildRequest(active=TargetSpec("a.py", line=3))
    assert located_request(request, _never) is request


@pytest.mark.parametrize(
    ("encoding", "column"),
    [(PositionEncoding.UTF8, 6), (PositionEncoding.UTF16, 3), (PositionEncoding.UTF32, 2)],
)
def test_a_column_behind_an_emoji_is_counted_in_characters(
    encoding: PositionEncoding, column: int
) -> None:
    cursor = EditorTarget("a.py", start=Position(1, column), encoding=encoding, text=_TEXT)
    assert _spec(cursor) == TargetSpec("a.py", line=2, column=3)
    inside = EditorTarget("a.py", start=Position(1, 1), encoding=encoding, text=_TEXT)
    assert _spec(inside) == TargetSpec(
        "a.py", line=2, column=2 if encoding is PositionEncoding.UTF32 else 1
    )


@pytest.mark.parametrize(
    ("start", "end", "lines"),
    [
        ((0, 0), (1, 0), (1, 1)),
        ((0, 3), (2, 0), (1, 2)),
        ((0, 0), (1, 1), (1, 2)),
        ((1, 0), (1, 2), (2, 2)),
        ((0, 0), (3, 0), (1, 3)),
        ((0, 0), (99, 0), (1, 3)),
        ((2, 4), (0, 0), (3, 3)),
    ],
    ids=["whole line", "whole lines", "into a line", "in a line", "all", "too far", "reversed"],
)
def test_a_selection_of_whole_lines_ends_with_the_last_of_them(
    start: tuple[int, int], end: tuple[int, int], lines: tuple[int, int]
) -> None:
    selection = EditorTarget("a.py", start=Position(*start), end=Position(*end), text=_TEXT)
    assert _spec(selection) == TargetSpec("a.py", line=lines[0], end_line=lines[1])


def test_an_empty_selection_is_a_cursor() -> None:
    place = Position(0, 2)
    target = EditorTarget("a.py", start=place, end=place, text=_TEXT)
    assert _spec(target) == TargetSpec("a.py", line=1, column=3)


@pytest.mark.parametrize("place", [Position(3, 0), Position(3, 7), Position(50, 0)])
def test_a_cursor_behind_the_last_line_means_the_file(place: Position) -> None:
    assert _spec(EditorTarget("a.py", start=place, text=_TEXT)) == TargetSpec("a.py")


@pytest.mark.parametrize("place", [Position(-1, 0), Position(0, -1)])
def test_a_place_counts_from_0(place: Position) -> None:
    refusal = _spec(EditorTarget("a.py", start=place, text=_TEXT))
    assert isinstance(refusal, Refusal)
    assert refusal.reason == "bad_position"


def test_a_file_that_is_not_open_is_read_where_a_place_in_it_is_meant() -> None:
    read: list[str] = []

    def read_text(path: str) -> Text | Refusal:
        read.append(path)
        return _TEXT if path == "a.py" else _REFUSAL

    assert _spec(EditorTarget("a.py"), read_text) == TargetSpec("a.py")
    assert _spec(EditorTarget("a.py", "Shape"), read_text) == TargetSpec("a.py", symbol="Shape")
    assert _spec(EditorTarget("c.py", start=Position(0, 0), text=_TEXT), read_text) == TargetSpec(
        "c.py", line=1, column=1
    )
    assert read == []
    place = Position(2, 0)
    assert _spec(EditorTarget("a.py", start=place), read_text) == TargetSpec(
        "a.py", line=3, column=1
    )
    assert _spec(EditorTarget("b.py", start=place), read_text) == _REFUSAL
    assert read == ["a.py", "b.py"]


def test_the_first_target_that_cannot_be_used_is_told_of() -> None:
    bad = EditorTarget("a.py", start=Position(-1, 0), text=_TEXT)
    other = Refusal(RefusalKind.UNSUPPORTED_TARGET, "bad_uri", None, "it cannot be used", "open")
    fine = EditorTarget("a.py")
    request = EditorRequest(fine, targets=(fine, other, bad), user_selected_targets=(_REFUSAL,))
    assert located_request(request, _never) == other
    assert located_request(EditorRequest(_REFUSAL, targets=(other,)), _never) == _REFUSAL


def test_a_symbol_may_be_named_wherever_it_is() -> None:
    made = located_request(
        EditorRequest(
            purpose="plan",
            targets=(EditorTarget(None, "Shape"), EditorTarget(None, "a.py::Shape.area")),
            constraints=(ConstraintParams("be brief", "project"),),
            dropped_paths=("b.py",),
        ),
        _never,
    )
    assert isinstance(made, BuildRequest)
    assert made.purpose is Purpose.PLAN
    assert made.targets == (TargetSpec(symbol="Shape"), TargetSpec("a.py", symbol="Shape.area"))
    assert made.dropped_paths == ("b.py",)
    assert [(each.text, each.scope) for each in made.constraints] == [("be brief", "project")]
