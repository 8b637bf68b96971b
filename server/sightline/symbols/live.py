"""Facts of a text that is being edited: what an edit did not touch is not looked at again.

Invariant: after any edit the facts read the same as those of the text extracted afresh. Only the
numbers that names have in the table may differ. Where that cannot be guaranteed, a file with an
error or a declaration that reaches to the end of the file, facts are extracted afresh.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left

from sightline.symbols.facts import (
    TABLES,
    Facts,
    Names,
    Rows,
    Table,
    extract_rows,
    keys_of,
    line_lengths,
)
from sightline.syntax import Change, Parsed, changed_statements, reparse
from sightline.text import Span


class LiveFacts:
    """The facts of one text through its edits."""

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self._start_afresh()

    def edit(self, start: int, end: int, replacement: bytes) -> None:
        """Replace some bytes of the text. Raises `UnicodeDecodeError` if it is no text then."""
        before = self.parsed
        text = before.text.spliced(start, end, replacement)
        change = Change(start, end, start + len(replacement))
        self.parsed = reparse(before, text, change)
        self._measure_lines(before.text.data, change)
        window = None
        if not before.errors and not self.parsed.errors and not self._is_open_ended:
            window = changed_statements(before, self.parsed, change)
        if window is None or not self._replace(*window, change.moved):
            self._start_afresh()

    @property
    def facts(self) -> Facts:
        tables: dict[str, Table] = {
            name: tuple(column.tobytes() for column in table)
            for name, table in self._tables.items()
        }
        return Facts(
            language=self.parsed.language.name,
            parse_clean=not self.parsed.errors,
            names=self._names.table(),
            line_lengths=self._lengths.tobytes(),
            **tables,
        )

    def _measure_lines(self, old: bytes, change: Change) -> None:
        """Measure again the lines that a change touches."""
        new = self.parsed.text.data
        if b"\r" in new or b"\r" in old:
            self._lengths = _numbers(line_lengths(self.parsed.text))
            return
        first = old.count(b"\n", 0, change.start)
        last = first + old.count(b"\n", change.start, change.old_end) + 1
        start = new.rfind(b"\n", 0, change.start) + 1
        end = new.find(b"\n", change.new_end)
        lines = new[start : end if end >= 0 else len(new)].split(b"\n")
        self._lengths[first:last] = array("I", map(len, lines))

    def _start_afresh(self) -> None:
        rows = extract_rows(self.parsed, None)
        self._is_open_ended = rows.is_open_ended
        self._lengths = _numbers(line_lengths(self.parsed.text))
        self._names = Names()
        self._tables = {name: self._packed(rows, name) for name in TABLES}
        self.keys = keys_of(rows)
        """Under which names the text is found: its own, and some that it had before."""
        self.has_new_keys = True

    def _packed(self, rows: Rows, name: str) -> list[array[int]]:
        return [_numbers(column) for column in self._names.pack(rows, name)]

    def _replace(self, old: Span, new: Span, moved: int) -> bool:
        """Take the rows of changed statements from the new tree, and move those behind them."""
        rows = extract_rows(self.parsed, new)
        if rows.is_open_ended:
            return False
        rows = rows.within(new)
        tables: dict[str, list[array[int]]] = {}
        for name in TABLES:
            table = self._replaced(name, self._packed(rows, name), old, new, moved)
            if table is None:
                return False
            tables[name] = table
        self._tables = tables
        new_keys = keys_of(rows) - self.keys
        self.has_new_keys = bool(new_keys)
        if new_keys:
            self.keys |= new_keys
        return True

    def _replaced(
        self, name: str, found: list[array[int]], old: Span, new: Span, moved: int
    ) -> list[array[int]] | None:
        table = self._tables[name]
        starts = table[0]
        first, last = bisect_left(starts, old.start), bisect_left(starts, old.end)
        inside = bisect_left(found[0], new.start)
        merged: list[array[int]] = []
        shifted = TABLES[name].offsets
        for position, column in enumerate(table):
            tail = column[last:]
            if position in shifted and moved:
                tail = _moved(tail, moved)
            merged.append(column[:first] + found[position][inside:] + tail)
        if TABLES[name].has_end and not _update_enclosing(merged, table, found, first, inside, old):
            return None
        return merged


def _update_enclosing(
    merged: list[array[int]],
    table: list[array[int]],
    found: list[array[int]],
    first: int,
    inside: int,
    old: Span,
) -> bool:
    """Give what stands around the changed statements, and started before them, its new end."""
    ends = table[1]
    around = [row for row in range(first) if ends[row] > old.start]
    if len(around) != inside:
        return False
    for row, fresh in zip(around, range(inside), strict=True):
        if merged[0][row] != found[0][fresh]:
            return False
        for position, column in enumerate(found):
            merged[position][row] = column[fresh]
    return True


def _moved(column: array[int], moved: int) -> array[int]:
    """Offsets after an edit in front of them: one addition for all, as one large number.

    No lane carries into the next, since offsets stay within 32 bits.
    """
    size = len(column) * column.itemsize
    step = int.from_bytes(array("I", [abs(moved)]).tobytes() * len(column), "little")
    value = int.from_bytes(column.tobytes(), "little")
    value = value + step if moved > 0 else value - step
    return _numbers(value.to_bytes(size, "little"))


def _numbers(column: bytes) -> array[int]:
    numbers = array("I")
    numbers.frombytes(column)
    return numbers
