"""Tables: the values below a column that is called so, in CSV, Markdown and a database's output."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

import attrs

from sightline.egress.generated import is_generated
from sightline.egress.headers import is_opaque, is_secret_word
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_values import Form
from sightline.egress.secret_patterns import compiled
from sightline.egress.telling_names import Promise, promise_of
from sightline.egress.value_forms import is_ordinary, is_placeholder
from sightline.egress.weak import is_weak_content
from sightline.text import Span

# Part of a name that tells; only lines that hold one are looked at.
_TELLING = rb"(?:pass|pwd|secret|token|key|contrase|senha|kennwort|wachtwoord|credential)"
_SIGN = compiled(rb"(?i)" + _TELLING)
_CELLS = rb"[a-z0-9_ .\-\"'`*/|,;\t]*"
TABLE_SIGN = rb"(?im)^" + _CELLS + _TELLING + _CELLS + rb"\r?$"
"""What a text must have for the rule to be worth its time: a line that could name columns."""
_HEADER = re.compile(rb"[A-Za-z0-9_ .\-\"'`*/|,;\t]+")
_RULER = re.compile(rb"[ \t|+:=\-]*[|+:=\-]{3}[ \t|+:=\-]*")
_QUOTED_CELL = {
    delimiter: re.compile(rb"(?:\"(?:[^\"]|\"\")*\"[^%b]*|[^%b]*)" % (delimiter, delimiter))
    for delimiter in (b",", b";", b"\t")
}
_DELIMITERS = (b"|", b"\t", b";", b",")
_FRAME = b" \t\"'`*"
_LONGEST_ROW = 1_000
_LONGEST_NAME = 40
_MOST_ROWS = 100_000
_PLAIN_WORDS = frozenset(
    b"yes no true false string text none null required optional varchar hidden masked encrypted set"
    b" unset empty default hashed sensitive password secret token".split()
)


@attrs.frozen
class _Cell:
    start: int
    value: bytes


def tabled_secrets(data: bytes) -> Iterator[Finding]:
    position = 0
    while (found := _SIGN.search(data, position)) is not None:
        start = data.rfind(b"\n", position, found.start()) + 1 or position
        end = _line_end(data, found.end())
        position = end
        if end - start > _LONGEST_ROW or data.count(b'"', start, end) % 2:
            continue
        if _HEADER.fullmatch(data, start, end) is None:
            continue
        line = data[start:end]
        delimiter = next((each for each in _DELIMITERS if each in line), None)
        if delimiter is None:
            continue
        names = [name.strip(_FRAME) for name in line.strip(b"|\r \t").split(delimiter)]
        columns = _secret_columns(names)
        if columns and end < len(data):
            position = yield from _rows(data, end + 1, delimiter, len(names), columns)


def _line_end(data: bytes, position: int) -> int:
    end = data.find(b"\n", position)
    return end if end >= 0 else len(data)


def _secret_columns(names: list[bytes]) -> dict[int, Promise]:
    """The columns that hold secrets; none where it is no row of names."""
    if len(names) < 2 or not all(0 < len(name) <= _LONGEST_NAME for name in names):
        return {}
    promises = {index: promise_of(name.replace(b" ", b"_")) for index, name in enumerate(names)}
    return {index: promise for index, promise in promises.items() if promise is not Promise.NONE}


def _rows(
    data: bytes, position: int, delimiter: bytes, width: int, columns: dict[int, Promise]
) -> Generator[Finding, None, int]:
    """Find the secrets of the rows from an offset on, and return where the table ends."""
    for _ in range(_MOST_ROWS):
        end = _line_end(data, position)
        if position >= len(data) or end - position > _LONGEST_ROW:
            break
        if _RULER.fullmatch(data, position, end) is None:
            cells = _cells(data, position, end, delimiter)
            if len(cells) != width:
                break
            for index, promise in columns.items():
                finding = _judged(cells[index], promise)
                if finding is not None:
                    yield finding
        position = end + 1
    return min(position, len(data))


def _cells(data: bytes, start: int, end: int, delimiter: bytes) -> list[_Cell]:
    line = data[start:end].rstrip(b"\r")
    raw: list[tuple[int, bytes]] = []
    if delimiter in _QUOTED_CELL and b'"' in line:
        position = 0
        while position <= len(line):
            found = _QUOTED_CELL[delimiter].match(line, position)
            text = found.group() if found is not None else line[position:]
            raw.append((position, text))
            position += len(text) + 1
    else:
        position = 0
        for text in line.split(delimiter):
            raw.append((position, text))
            position += len(text) + 1
    if delimiter == b"|" and line.lstrip()[:1] == b"|":
        raw = raw[1:-1] if line.rstrip()[-1:] == b"|" else raw[1:]
    cells = []
    for offset, text in raw:
        cells.append(_cell(start + offset, text))
    return cells


def _cell(start: int, text: bytes) -> _Cell:
    value = text.strip(b" \t")
    if len(value) > 2 and value[:1] == value[-1:] == b'"':
        # Quotes in it are doubled; what else frames a cell is part of the value here.
        return _Cell(start + text.find(b'"') + 1, value[1:-1])
    value = text.lstrip(_FRAME)
    return _Cell(start + len(text) - len(value), value.rstrip(_FRAME))


def _judged(cell: _Cell, promise: Promise) -> Finding | None:
    value = cell.value
    if not value:
        return None
    span = Span(cell.start, cell.start + len(value))
    if promise >= Promise.SECRET and is_secret_word(value):
        return Finding(span, "secret-in-table", "password", Certainty.CERTAIN, True)
    if is_opaque(value, 20 if promise < Promise.SECRET else 16):
        return Finding(span, "secret-in-table", "password", Certainty.CERTAIN, True)
    if promise >= Promise.SECRET and is_generated(value):
        return Finding(span, "secret-in-table", "password", Certainty.CERTAIN, True)
    if promise is Promise.PASSWORD and _is_weak(value):
        return Finding(span, "weak-password-in-table", "weak", Certainty.WEAK, True)
    return None


def _is_weak(value: bytes) -> bool:
    return (
        4 <= len(value) <= 80
        and b" " not in value
        and value.lower() not in _PLAIN_WORDS
        and not value.startswith((b"http", b"/", b"$", b"(", b"<", b"["))
        and not (is_placeholder(value) or is_ordinary(value))
        and is_weak_content(value, b"password", Form.WORD)
    )
