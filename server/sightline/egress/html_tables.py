"""HTML tables: the cells below a heading that suggests a secret."""

from __future__ import annotations

from collections.abc import Iterator

from sightline.egress.model import Finding
from sightline.egress.secret_patterns import compiled_for_texts, compiled_for_values
from sightline.egress.tables import TableCell, judged_cell, secret_columns

_TAG = rb"[^<>]{0,200}>"
_INNER_TAGS = rb"(?:\s{0,40}<[a-z]{1,10}" + _TAG + rb"){0,3}\s{0,40}"
_ENDS = rb"\s{0,40}(?:</[a-z]{1,10}>\s{0,40}){0,3}"
_HEADING = rb"<t[hd]" + _TAG + _INNER_TAGS + rb"[^<>]{0,80}" + _ENDS + rb"</t[hd]>\s{0,40}"
_HEADINGS = compiled_for_texts(rb"(?i)<tr" + _TAG + rb"\s{0,40}((?:" + _HEADING + rb")+)</tr>")
_NAME = compiled_for_values(rb"(?i)<t[hd]" + _TAG + _INNER_TAGS + rb"([^<>]{0,80})")
_ROW = compiled_for_values(
    rb"(?i)\s{0,200}(?:</?t(?:head|body)[^<>]{0,100}>\s{0,200}){0,2}<tr" + _TAG
)
_CELL = compiled_for_values(
    rb"(?i)\s{0,200}<t[hd]" + _TAG + _INNER_TAGS + rb"([^<>]{0,400})" + _ENDS + rb"</t[hd]>"
)
_ROW_END = compiled_for_values(rb"(?i)\s{0,200}</tr>")
_MOST_ROWS = 2_000
_MOST_CELLS = 40


def html_tables(data: bytes) -> Iterator[Finding]:
    reached = 0
    for found in _HEADINGS.finditer(data):
        if found.start() < reached:
            continue
        names = [name.strip() for name in _NAME.findall(found.group(1)[:4_000])]
        columns = secret_columns(names)
        position = found.end()
        for _ in range(_MOST_ROWS if columns else 0):
            row = _ROW.match(data, position)
            if row is None:
                break
            cells, position = _cells(data, row.end())
            if len(cells) != len(names):
                break
            for index, promise in columns.items():
                finding = judged_cell(cells[index], promise)
                if finding is not None:
                    yield finding
        reached = position


def _cells(data: bytes, position: int) -> tuple[list[TableCell], int]:
    """Return the cells of a row, and where it ends."""
    cells: list[TableCell] = []
    while len(cells) < _MOST_CELLS and (found := _CELL.match(data, position)) is not None:
        written = found.group(1)
        value = written.strip()
        start = found.start(1) + len(written) - len(written.lstrip())
        cells.append(TableCell(start, value))
        position = found.end()
    end = _ROW_END.match(data, position)
    return cells, end.end() if end is not None else position
