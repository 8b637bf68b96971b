"""Tables of markup: the values below a column that is called so, where signs mark the cells.

AsciiDoc (`|===`), MediaWiki (`{|`), Jira (`||name||`), LaTeX (`a & b \\\\`), list tables of
reStructuredText (`* - name`), and columns that spaces align. Each line of a table is read once.
"""

from __future__ import annotations

from collections.abc import Iterator

from sightline.egress.model import Finding
from sightline.egress.secret_patterns import compiled_for_texts, compiled_for_values, texts
from sightline.egress.spoken import is_made_up_word
from sightline.egress.tables import TableCell, judged_cell, secret_columns
from sightline.egress.telling_names import Promise

_Cells = list[TableCell]

_ASCIIDOC = compiled_for_texts(rb"(?m)^[ \t]*[|,:!]===[ \t]*\r?\n")
_MEDIAWIKI = compiled_for_texts(rb"(?m)^[ \t]*\{\|[^\r\n]*\r?\n")
_JIRA = compiled_for_texts(rb"(?m)^[ \t]*\|\|[^\r\n|][^\r\n]*\|\|[ \t]*\r?\n")
_LATEX = compiled_for_texts(rb"(?m)^[^\r\n%&]{1,200}&[^\r\n]*\\\\")
_LISTED = compiled_for_texts(rb"(?m)^[ \t]*\* - [^\r\n]*\r?\n")
_ALIGNED = compiled_for_texts(
    rb"(?im)^[ \t]*(?:[a-z][a-z0-9_./\-]*(?: [a-z0-9_./\-]+)?(?:[ ]{2,}|\t+))+"
    rb"(?:[a-z_.\-]* ?(?:password|passwd|passwort|pass|pwd|kennwort|secret|token|api[ _\-]key))"
    rb"(?:(?:[ ]{2,}|\t+)[a-z][a-z0-9_./\-]*(?: [a-z0-9_./\-]+)?)*[ \t]*\r?\n"
)
_LINE = compiled_for_values(rb"[^\r\n]*(?:\r?\n)?")
_COLUMN = compiled_for_values(rb"\S+(?: \S+)*")
_RULER = compiled_for_values(rb"[ \t]*[-=+_ \t]{3,}[ \t]*\r?\n?")
_LATEX_ROW = compiled_for_values(rb"[^\r\n]*\\\\")
_ITEM = compiled_for_values(rb"[ \t]*(\*[ \t]+)?-[ \t]+([^\r\n]*)")
_STYLE = compiled_for_values(rb"[^|\[\]]*=[^|\[\]]*\|(?!\|)")
_CELL_FORMAT = compiled_for_values(rb"[0-9.+*]*[<^>]*[.<^>]*[a-z]?\Z")
_MOST_LINES = 20_000
_LONGEST_LINE = 1_000
_FRAME = b" \t\r\n*`'\""


def marked_tables(data: bytes) -> Iterator[Finding]:
    if not texts.told_in(data):
        return
    for pattern, read in (
        (_ASCIIDOC, _asciidoc),
        (_MEDIAWIKI, _mediawiki),
        (_JIRA, _jira),
        (_LATEX, _latex),
        (_LISTED, _listed),
    ):
        position = 0
        while (found := pattern.search(data, position)) is not None:
            table: list[_Cells] = []
            position = max(found.end(), read(data, found.start(), table))
            yield from _below_names(table)
    position = 0
    while (found := _ALIGNED.search(data, position)) is not None:
        table = []
        position = max(found.end(), _aligned(data, found.start(), table))
        yield from _below_names(table, needs_made_up=True)


def _below_names(table: list[_Cells], *, needs_made_up: bool = False) -> Iterator[Finding]:
    if len(table) < 2:
        return
    columns = secret_columns([cell.value for cell in table[0]])
    for row in table[1:]:
        for index, promise in columns.items():
            if index >= len(row) or promise < Promise.SECRET:
                continue
            finding = judged_cell(row[index], promise)
            if finding is None or (
                finding.is_weak and needs_made_up and not is_made_up_word(row[index].value)
            ):
                continue
            yield finding


def _lines(data: bytes, position: int) -> Iterator[tuple[int, bytes]]:
    for _ in range(_MOST_LINES):
        found = _LINE.match(data, position, min(len(data), position + _LONGEST_LINE))
        if found is None or found.end() == position:
            return
        yield position, found.group()
        position = found.end()


def _cell(start: int, text: bytes) -> TableCell:
    value = text.lstrip(_FRAME)
    return TableCell(start + len(text) - len(value), value.rstrip(_FRAME))


def _split(start: int, line: bytes, sign: bytes) -> _Cells:
    cells = []
    for text in line.split(sign):
        cells.append(_cell(start, text))
        start += len(text) + len(sign)
    return cells


def _asciidoc(data: bytes, position: int, table: list[_Cells]) -> int:
    """Cells stand side by side, or one below another up to a blank line."""
    cells: _Cells = []
    width = 0
    for number, (start, line) in enumerate(_lines(data, position)):
        end = start + len(line)
        if number and b"===" in line[:8]:
            position = end
            break
        bare = line.strip()
        if number and bare[:1] == b"|":
            before = len(cells)
            cells += _of_bars(start, line)
            width = width or (len(cells) - before if len(cells) - before > 1 else 0)
        elif number and not bare and cells and not width:
            width = len(cells)
        position = end
    if width > 1:
        table += [cells[index : index + width] for index in range(0, len(cells), width)]
    return position


def _of_bars(start: int, line: bytes) -> _Cells:
    """The cells of a line; what stands before a bar may say how the next cell looks."""
    cells = _split(start, line, b"|")[1:]
    return [
        TableCell(each.start, _CELL_FORMAT.sub(b"", each.value).rstrip())
        if b" " in each.value
        else each
        for each in cells
    ]


def _mediawiki(data: bytes, position: int, table: list[_Cells]) -> int:
    row: _Cells = []
    for number, (start, line) in enumerate(_lines(data, position)):
        position = start + len(line)
        bare = line.strip()
        if number == 0:
            continue
        if bare[:2] in (b"|-", b"|}"):
            if row:
                table.append(row)
            row = []
            if bare[:2] == b"|}":
                return position
        elif bare[:1] in (b"|", b"!") and bare[:2] != b"|+":
            lead = line.index(bare[:1]) + 1
            text = line[lead:]
            style = _STYLE.match(text)
            if style is not None:
                lead += style.end()
                text = text[style.end() :]
            sign = b"!!" if bare[:1] == b"!" and b"!!" in text else b"||"
            row += _split(start + lead, text, sign)
    if row:
        table.append(row)
    return position


def _jira(data: bytes, position: int, table: list[_Cells]) -> int:
    for start, line in _lines(data, position):
        bare = line.strip()
        if table and (bare[:1] != b"|" or bare[:2] == b"||"):
            break
        cells = _split(start, line, b"|" if table else b"||")
        table.append(cells[1:-1])
        position = start + len(line)
    return position


def _latex(data: bytes, position: int, table: list[_Cells]) -> int:
    for start, line in _lines(data, position):
        found = _LATEX_ROW.match(line)
        bare = line.strip()
        if found is not None and b"&" in line:
            table.append(_split(start, found.group()[:-2], b"&"))
        elif bare[:1] != b"\\" or bare[:4] == b"\\end":
            break
        position = start + len(line)
    return position


def _listed(data: bytes, position: int, table: list[_Cells]) -> int:
    for start, line in _lines(data, position):
        item = _ITEM.match(line)
        if item is None or (item.start(1) < 0 and not table):
            break
        if item.start(1) >= 0:
            table.append([])
        table[-1].append(_cell(start + item.start(2), item.group(2)))
        position = start + len(line)
    return position


def _aligned(data: bytes, position: int, table: list[_Cells]) -> int:
    """Rows with as many columns as the names, up to the first that has not."""
    for start, line in _lines(data, position):
        if _RULER.fullmatch(line) is None:
            cells = [
                TableCell(start + found.start(), found.group()) for found in _COLUMN.finditer(line)
            ]
            if table and len(cells) != len(table[0]):
                break
            table.append(cells)
        position = start + len(line)
    return position
