"""Facts of a text that is being edited: only what an edit touched is extracted again.

Invariant: after any edit the facts read the same as those extracted from the whole text. Only the
numbers of names in the table may differ. If that cannot be guaranteed (a file with an error, or a
declaration that extends to the end of the file), all facts are extracted again.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Set
from operator import sub

from sightline.symbols.extracting import TABLES, Names, extract_rows, keys_of, line_lengths
from sightline.symbols.facts import Facts, Table, defined, package_key
from sightline.syntax import Parsed, TreeChange, changed_statements, reparse
from sightline.text import Span


class LiveFacts:
    """The facts of one text through its edits."""

    keys: set[int]
    """The names that find the text: its current ones, and some that it had before."""
    new_keys: Set[int] | None
    """Names that the last edit added; None if all of them may be new."""
    _tables: dict[str, list[array[int]]]
    _longest: dict[str, int]
    """By table, the length of its longest row: it limits how far before an offset an enclosing row
    starts.
    """
    _behind: dict[str, int]
    """By table, the first row whose offsets still have to move by `_shift`."""
    _shift: int
    _last_edit: tuple[int, int]
    """The offset and the row of the last edit."""
    _has_returns: bool

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self._start_afresh()

    def edit(self, start: int, end: int, replacement: bytes) -> None:
        """Replace some bytes of the text. Raises `UnicodeDecodeError` if the result is not text."""
        self.apply_shift()
        before = self.parsed
        text = before.text.spliced(start, end, replacement)
        change = TreeChange(start, end, start + len(replacement), self._row_of(start))
        self.parsed = reparse(before, text, change)
        is_followed = False
        if not before.errors and not self.parsed.errors and not self._is_open_ended:
            old, new = changed_statements(before, self.parsed, change)
            is_followed = self._replace(old, new, change.moved)
        if is_followed:
            self._measure_lines(before.text.data, change)
        else:
            self._start_afresh()

    def apply_shift(self) -> None:
        """Move the rows after the last edit. Deferred, because the names are needed first."""
        if self._shift:
            for name, first in self._behind.items():
                for position in TABLES[name].offsets:
                    column = self._tables[name][position]
                    column[first:] = _moved(column[first:], self._shift)
            self._shift = 0

    @property
    def facts(self) -> Facts:
        self.apply_shift()
        tables: dict[str, Table] = {
            name: tuple(column.tobytes() for column in table)
            for name, table in self._tables.items()
        }
        return Facts(
            language=self.parsed.language.name,
            parse_clean=not self.parsed.errors,
            names=self._names.table(),
            line_lengths=self._lengths.tobytes(),
            is_private=False,
            **tables,
        )

    @property
    def declaration_count(self) -> int:
        return len(self._tables["frames"][0])

    @property
    def reference_count(self) -> int:
        return len(self._tables["references"][0])

    def _row_of(self, offset: int) -> int:
        """Return how many `
        ` come before an offset, counted from the last edit: most are near it.
        """
        data = self.parsed.text.data
        near, row = self._last_edit
        if offset < near:
            row -= data.count(b"\n", offset, near)
        else:
            row += data.count(b"\n", near, offset)
        self._last_edit = (offset, row)
        return row

    def _measure_lines(self, old: bytes, change: TreeChange) -> None:
        """Measure the lines of a change again."""
        new = self.parsed.text.data
        self._has_returns = self._has_returns or b"\r" in new[change.start : change.new_end]
        if self._has_returns:
            self._lengths = _numbers(line_lengths(self.parsed.text))
            return
        last = change.row + old.count(b"\n", change.start, change.old_end) + 1
        start = new.rfind(b"\n", 0, change.start) + 1
        end = new.find(b"\n", change.new_end)
        lines = new[start : end if end >= 0 else len(new)].split(b"\n")
        self._lengths[change.row : last] = array("I", map(len, lines))

    def _start_afresh(self) -> None:
        rows = extract_rows(self.parsed, None)
        self._is_open_ended = rows.is_open_ended
        self._lengths = _numbers(line_lengths(self.parsed.text))
        self._has_returns = b"\r" in self.parsed.text.data
        self._last_edit = (0, 0)
        self._names = Names()
        self._tables = {name: self._names.pack(rows, name) for name in TABLES}
        self._longest = {
            name: _longest(self._tables[name]) for name, shape in TABLES.items() if shape.has_end
        }
        self._behind = {}
        self._shift = 0
        self.keys = set(keys_of(rows))
        self.new_keys = None

    def _replace(self, old: Span, new: Span, moved: int) -> bool:
        """Replace the rows of changed statements by those from the new tree.

        Return False if that is not enough; the tables are then invalid.
        """
        rows = extract_rows(self.parsed, new)
        if rows.is_open_ended:
            return False
        rows = rows.within(new)
        packages = self._tables["packages"][1][:]
        for name in TABLES:
            if not self._replace_in(name, self._names.pack(rows, name), old, new):
                return False
        self._shift = moved
        keys = keys_of(rows)
        if packages != self._tables["packages"][1]:
            keys |= self._package_keys()
        self.new_keys = keys - self.keys
        self.keys |= self.new_keys
        return True

    def _package_keys(self) -> Set[int]:
        """Return the keys of all clauses together: an edit may have touched one of several."""
        names = self._names.table()
        clauses = [names[number] for number in self._tables["packages"][1]]
        return {defined(package_key(".".join(clauses)))} if clauses else set()

    def _replace_in(self, name: str, found: list[array[int]], old: Span, new: Span) -> bool:
        table = self._tables[name]
        first, last = bisect_left(table[0], old.start), bisect_left(table[0], old.end)
        inside = bisect_left(found[0], new.start)
        if TABLES[name].has_end:
            self._longest[name] = max(self._longest[name], _longest(found))
            earliest = bisect_left(table[0], old.start - self._longest[name], 0, first)
            around = [row for row in range(earliest, first) if table[1][row] > old.start]
            if not _update_enclosing(table, found, around, inside):
                return False
        for column, fresh in zip(table, found, strict=True):
            column[first:last] = fresh[inside:]
        self._behind[name] = first + len(found[0]) - inside
        return True


def _update_enclosing(
    table: list[array[int]], found: list[array[int]], around: list[int], inside: int
) -> bool:
    """Update the ends of rows around the changed statements, which start before them."""
    if len(around) != inside:
        return False
    for row, fresh in zip(around, range(inside), strict=True):
        if table[0][row] != found[0][fresh]:
            return False
        for column, updated in zip(table, found, strict=True):
            column[row] = updated[fresh]
    return True


def _longest(table: list[array[int]]) -> int:
    return max(map(sub, table[1], table[0]), default=0)


def _moved(column: array[int], moved: int) -> array[int]:
    """Shift offsets after an edit before them: one addition for all, as one large number.

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
