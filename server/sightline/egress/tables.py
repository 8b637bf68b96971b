"""Tables: the values below a column with a name like `password`, in CSV, Markdown and a database's
output.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

import attrs

from sightline.egress.generated import is_generated
from sightline.egress.headers import is_opaque, is_secret_word
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_values import Form
from sightline.egress.secret_patterns import compiled_for_texts
from sightline.egress.spoken import is_made_up_word
from sightline.egress.telling_names import Promise, promise_of
from sightline.egress.telling_words import TELLING
from sightline.egress.value_forms import is_example, is_ordinary, is_placeholder
from sightline.egress.weak import is_weak_content, weak_promise
from sightline.text import Span

# A part of a name that suggests a secret; only lines with one are examined.
_TELLING = (
    rb"(?:"
    + TELLING
    + rb"|(?i:key|contrase|senha|kennwort|wachtwoord|credential|session_?id|\bsid\b))"
)
_SIGN = compiled_for_texts(_TELLING)
_CELLS = rb"[a-z0-9_ .\-\"'`*/|,;\t\x80-\xff]*"
TABLE_SIGN = rb"(?im)^" + _CELLS + rb"(?:key|session_?id|\bsid\b)" + _CELLS + rb"\r?$"
"""What a text without telling words must contain: a line that could name columns."""
_HEADER = re.compile(rb"[A-Za-z0-9_ .\-\"'`*/|,;\t\x80-\xff]+")
# Every row begins with a cell of such bytes.
_FIRST_CELL = re.compile(rb"[A-Za-z0-9_ .\-\"'`*/>|\t\x80-\xff]{0,200}?[|;,\t]")
# A row with a name and its value.
_PAIR = re.compile(
    rb"[ \t>]*(?:\|[ \t]*)?[\"'`*]{0,2}([A-Za-z0-9_.\- \x80-\xff]{2,40}?)[\"'`*]{0,2}[ \t]*"
    rb"([|;\t,])[ \t]*([^\s|;][^|;\r\n]*?)[ \t]*\|?[ \t]*\r?"
)
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
class TableCell:
    start: int
    value: bytes


def tabled_secrets(data: bytes) -> Iterator[Finding]:
    position = 0
    while (found := _SIGN.search(data, position)) is not None:
        start = data.rfind(b"\n", position, found.start()) + 1 or position
        end = _line_end(data, found.end())
        position = end
        if end - start > _LONGEST_ROW or _FIRST_CELL.match(data, start, end) is None:
            continue
        if data.count(b'"', start, end) % 2:
            continue
        pair = _PAIR.fullmatch(data, start, end)
        if pair is not None:
            yield from _pair(pair)
        if _HEADER.fullmatch(data, start, end) is None:
            continue
        line = data[start:end]
        delimiter = next((each for each in _DELIMITERS if each in line), None)
        if delimiter is None:
            continue
        names = [name.strip(_FRAME) for name in line.strip(b"|\r \t").split(delimiter)]
        columns = secret_columns(names)
        if columns and end < len(data):
            position = yield from _rows(data, end + 1, delimiter, len(names), columns)


def _pair(pair: re.Match[bytes]) -> Iterator[Finding]:
    """Find a row in a table of settings: `| token | … |`, `senha_db;…`."""
    name = pair.group(1).strip().replace(b" ", b"_")
    promise = promise_of(name)
    if promise < Promise.SECRET or (pair.group(2) == b"," and b" " in pair.group(1)):
        return
    cell = _cell(pair.start(3), pair.group(3))
    if pair.group(2) == b"," and (b"," in cell.value or not is_made_up_word(cell.value)):
        # More often the names of a list.
        return
    finding = judged_cell(cell, promise)
    if (
        finding is None
        and is_made_up_word(cell.value)
        and weak_promise(name) is Promise.SECRET
        and is_weak_content(cell.value, name, Form.WORD)
    ):
        span = Span(cell.start, cell.start + len(cell.value))
        finding = Finding(span, "weak-secret-in-table", "weak", Certainty.WEAK, True)
    if finding is not None:
        yield finding


def _line_end(data: bytes, position: int) -> int:
    end = data.find(b"\n", position)
    return end if end >= 0 else len(data)


def secret_columns(names: list[bytes]) -> dict[int, Promise]:
    """Return the columns that contain secrets; none if the row does not name columns."""
    if len(names) < 2 or not all(0 < len(name) <= _LONGEST_NAME for name in names):
        return {}
    if any(is_example(name) for name in names if len(name) > 3):
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
                finding = judged_cell(cells[index], promise)
                if finding is not None:
                    yield finding
        position = end + 1
    return min(position, len(data))


def _cells(data: bytes, start: int, end: int, delimiter: bytes) -> list[TableCell]:
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


def _cell(start: int, text: bytes) -> TableCell:
    value = text.strip(b" \t")
    if len(value) > 2 and value[:1] == value[-1:] == b'"':
        # Quotes in it are doubled; everything else around the cell is part of the value.
        return TableCell(start + text.find(b'"') + 1, value[1:-1])
    value = text.lstrip(_FRAME)
    return TableCell(start + len(text) - len(value), value.rstrip(_FRAME))


def judged_cell(cell: TableCell, promise: Promise) -> Finding | None:
    """Return the secret in a cell, given the name of its column or row."""
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
        and value.lower() not in _PLAIN_WORDS
        and not value.startswith((b"http", b"/", b"$", b"(", b"<", b"["))
        and not (is_placeholder(value) or is_ordinary(value))
        and is_weak_content(value, b"password", Form.QUOTED if b" " in value else Form.WORD)
    )
