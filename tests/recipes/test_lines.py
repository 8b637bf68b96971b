"""Files cut by lines: what is kept, what stands for the rest, and how much is counted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sightline.recipes import truncate_file, truncate_line
from sightline.recipes.lines import cut_file

_HUNDRED = "".join(f"line {number}\n" for number in range(1, 101))


def test_a_short_file_is_returned_as_it_is() -> None:
    assert truncate_file(_HUNDRED, 100) == _HUNDRED
    assert truncate_file("no newline at the end", 5, [1]) == "no newline at the end"
    assert truncate_file("", 10) == ""


def test_windows_around_lines_are_kept_with_markers_between() -> None:
    cut = truncate_file(_HUNDRED, 50, [20, 80], context_lines=2)
    kept = [f"line {number}" for number in (*range(18, 23), *range(78, 83))]
    assert cut.split("\n") == ["...", *kept[:5], "...", *kept[5:], "..."]


def test_ten_lines_on_each_side_are_kept_unless_told() -> None:
    assert truncate_file(_HUNDRED, 50, [50]).split("\n")[1:-1] == [
        f"line {number}" for number in range(40, 61)
    ]


def test_windows_that_touch_are_one() -> None:
    cut = truncate_file(_HUNDRED, 50, [20, 25], context_lines=2)
    assert cut.split("\n") == ["...", *(f"line {number}" for number in range(18, 28)), "..."]


def test_the_first_and_last_lines_have_no_marker_outside() -> None:
    cut = truncate_file(_HUNDRED, 20, [1, 100], context_lines=1)
    assert cut == "line 1\nline 2\n...\nline 99\nline 100\n"


def test_without_lines_the_beginning_is_kept() -> None:
    assert truncate_file(_HUNDRED, 3) == "line 1\nline 2\nline 3\n..."


def test_windows_narrow_where_they_hold_too_many_lines() -> None:
    cut = truncate_file(_HUNDRED, 7, [50], context_lines=10)
    assert cut.split("\n") == ["...", *(f"line {number}" for number in range(47, 54)), "..."]


def test_a_line_behind_the_end_means_the_last_one() -> None:
    assert truncate_file(_HUNDRED, 10, [140], context_lines=1) == "...\nline 99\nline 100\n"


def test_a_long_line_is_cut() -> None:
    assert truncate_line("x" * 2_000) == "x" * 2_000
    assert truncate_line("x" * 2_001) == "x" * 2_000 + "..."
    assert truncate_file("y" * 3_000 + "\nz\n", 10) == "y" * 2_000 + "...\nz\n"
    assert (cut_file("y" * 3_000 + "\nz\n", 10, ())).kept == 1


@given(
    st.lists(st.text(st.characters(exclude_characters="\n", codec="utf-8"), max_size=5)),
    st.integers(0, 30),
    st.lists(st.integers(-3, 60), max_size=5),
    st.integers(0, 12),
)
def test_what_is_kept_never_exceeds_the_limit(
    lines: list[str], most: int, around: list[int], context: int
) -> None:
    content = "\n".join(lines)
    cut = cut_file(content, most, around, context)
    assert cut.kept <= cut.lines
    assert cut.kept <= most or cut.text == content
    assert cut.is_cut == (cut.text != content)
