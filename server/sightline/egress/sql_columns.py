"""SQL columns: the values of a column with a name like `password`, row by row.

`insert into … (…, password) values (…, '…')` and the rows of `copy … from stdin`.
"""

from __future__ import annotations

from collections.abc import Iterator

from sightline.egress.generated import is_generated
from sightline.egress.judging import quoted_secret
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_values import Form
from sightline.egress.secret_patterns import compiled, compiled_for_texts, compiled_for_values
from sightline.egress.telling_names import Promise, promise_of
from sightline.egress.weak import is_weak_content
from sightline.text import Span

_INSERT = compiled(
    rb"(?i)\b(?:insert|replace)(?:[ \t]+ignore)?\s+into\s+[`\"\[\]\w.]+\s*\(([^()]*)\)\s*values\s*"
)
_COPY = compiled(rb"(?i)\bcopy\s+[\"\w.]+\s*\(([^()]*)\)\s*from\s+stdin[^\n]*\n")
# A table of names and values: `set value = '…' where name = 'token'`.
_UPDATE = compiled(
    rb"(?i)\bset\s+[\"`\[]?\w*(?:value|val|data|content)[\"`\]]?\s*=\s*'((?:[^'\\\r\n]|\\.|'')+)'"
    rb"[^;']*\bwhere\b[^;']*=\s*'([\w.\-]+)'"
)
_OPEN = compiled_for_values(rb"\s{0,40},?\s{0,40}\(")
_CELL = compiled(
    rb"\s{0,40}(?:[A-Za-z_]{0,3}'((?:[^'\\]|\\.|'')*)'|\"((?:[^\"\\]|\\.|\"\")*)\""
    rb"|[^,()'\"]*(?:\([^()]*\)[^,()'\"]*)?)\s{0,40}(?:::[A-Za-z_ ]+)?([,)])"
)
_SIGN = compiled_for_texts(rb"(?i)\bvalues\s*\(|\bfrom\s+stdin|\bset\s[^\r\n]*\bwhere\b")
_MOST_COLUMNS = 100
_MOST_ROWS = 10_000
_LONGEST_ROW = 20_000
_LONGEST_CELL = 1_000


def sql_columns(data: bytes) -> Iterator[Finding]:
    if _SIGN.search(data) is None:
        return
    position = 0
    while (found := _INSERT.search(data, position)) is not None:
        position = found.end()
        columns = _columns(found.group(1))
        if columns:
            for finding, end in _rows(data, position, columns):
                position = end
                if finding is not None:
                    yield finding
    yield from _updated(data)
    position = 0
    while (found := _COPY.search(data, position)) is not None:
        position = found.end()
        columns = _columns(found.group(1))
        if columns:
            for finding, end in _copied(data, position, columns):
                position = end
                if finding is not None:
                    yield finding


def _updated(data: bytes) -> Iterator[Finding]:
    for found in _UPDATE.finditer(data):
        name = found.group(2)
        if found.end() - found.start() <= _LONGEST_CELL and promise_of(name) is not Promise.NONE:
            finding = _judged(data, Span(found.start(1), found.end(1)), name)
            if finding is not None:
                yield finding


def _columns(listed: bytes) -> dict[int, bytes]:
    names = [name.strip(b' \t\r\n`"[]') for name in listed.split(b",")[:_MOST_COLUMNS]]
    return {
        index: name
        for index, name in enumerate(names)
        if promise_of(name) in (Promise.PASSWORD, Promise.SECRET, Promise.VENDOR)
    }


def _rows(
    data: bytes, position: int, columns: dict[int, bytes]
) -> Iterator[tuple[Finding | None, int]]:
    """Yield what is found in each cell, with the position that reading has reached."""
    for _ in range(_MOST_ROWS):
        opened = _OPEN.match(data, position)
        if opened is None:
            return
        position = opened.end()
        for index in range(_MOST_COLUMNS):
            cell = _CELL.match(data, position, min(len(data), position + _LONGEST_CELL))
            if cell is None:
                return
            position = cell.end()
            group = 1 if cell.start(1) >= 0 else 2
            if index in columns and cell.start(group) >= 0:
                span = Span(cell.start(group), cell.end(group))
                yield _judged(data, span, columns[index]), position
            if cell.group(3) == b")":
                break
        yield None, position


def _copied(
    data: bytes, position: int, columns: dict[int, bytes]
) -> Iterator[tuple[Finding | None, int]]:
    for _ in range(_MOST_ROWS):
        end = data.find(b"\n", position, position + _LONGEST_ROW)
        row = data[position : end if end >= 0 else position + _LONGEST_ROW]
        if end < 0 or row.rstrip() in (b"\\.", b""):
            return
        start = position
        for index, cell in enumerate(row.rstrip(b"\r").split(b"\t")):
            if index in columns and cell and cell != b"\\N":
                finding = _judged(data, Span(start, start + len(cell)), columns[index])
                yield finding, end
            start += len(cell) + 1
        position = end + 1
        yield None, position


def _judged(data: bytes, span: Span, name: bytes) -> Finding | None:
    if not span.size:
        return None
    value = data[span.start : span.end]
    if is_generated(value) or _is_certain(value, name):
        return Finding(span, "secret-in-column", "password", Certainty.CERTAIN, True)
    if is_weak_content(value, name, Form.QUOTED):
        return Finding(span, "weak-password", "weak", Certainty.WEAK, True)
    return None


def _is_certain(value: bytes, name: bytes) -> bool:
    verdict = quoted_secret(value, promise_of(name), False)
    return verdict is not None and verdict.certainty is Certainty.CERTAIN
