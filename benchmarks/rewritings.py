"""A corpus of secrets as other texts quote it: which values keep a piece that is not hidden.

    python benchmarks/secrets.py --rewritten CORPUS [--misses N]

CORPUS is a folder with `positives.jsonl`. Each row is written in some twenty ways: indented, in
comments, in strings, in JSON, as a difference, as a log, in markup, percent-encoded. A value that
the scan finds in part only, with `_PIECE` characters or more of it left in one place, is a half;
a value that the scan does not find at all is a miss, which other measures count.
"""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import attrs

_SOFT = ("placeholder_like", "weak_credential")
_PIECE = 8


def _each_line(before: str, after: str = "") -> Callable[[str], str]:
    return lambda text: "".join(f"{before}{line}{after}\n" for line in text.split("\n"))


def _in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


_WAYS: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "indented": _each_line("      "),
    "with CRLF": lambda text: text.replace("\n", "\r\n"),
    "hash comment": _each_line("# "),
    "line comment": _each_line("// "),
    "documentation comment": _each_line(" * "),
    "SQL comment": _each_line("-- "),
    "quoted mail": _each_line("> "),
    "added lines": _each_line("+"),
    "removed lines": _each_line("-"),
    "log": _each_line("2024-03-01 10:00:00,123 INFO app.main: "),
    "terminal": _each_line("$ "),
    "list": _each_line("- "),
    "triple string": lambda text: f'text = """\n{text}\n"""\n',
    "heredoc": lambda text: f"cat > file <<'EOF'\n{text}\nEOF\n",
    "YAML block": lambda text: "note: |\n" + _each_line("    ")(text) + "other: 1\n",
    "JSON string": lambda text: f'{{"note": "{_in_json(text)}", "other": 1}}\n',
    "JSON in JSON": lambda text: f'{{"note": "{_in_json(_in_json(text))}", "other": 1}}\n',
    "list of strings": lambda text: "lines = [\n" + _strings(text) + "]\n",
    "markup": lambda text: f"<pre><code>{html.escape(text)}</code></pre>\n",
    "query": lambda text: f"https://host.test/x?note={quote(text, safe='')}&other=1\n",
}


def _strings(text: str) -> str:
    return "".join(f'  "{_in_json(line)}\\n",\n' for line in text.split("\n"))


@attrs.frozen
class _Half:
    way: str
    row: dict[str, Any]
    detectors: tuple[str, ...]
    left: str


def measure_rewritten(corpus: Path, misses: int) -> None:
    """Print how many values keep a piece, by the way that they are written."""
    with (corpus / "positives.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    usable = [row for row in rows if row["kind"] not in _SOFT and _is_usable(row)]
    given: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    halves: list[_Half] = []
    for way, write in _WAYS.items():
        for row in usable:
            text, start, end = _written(row, write)
            if start < 0:
                continue
            given[way] += 1
            left, detectors = _left(text, start, end)
            if not detectors:
                missed[way] += 1
            elif any(len(piece) >= _PIECE for piece in left):
                halves.append(_Half(way, row, detectors, max(left, key=len)))
    counts = Counter(half.way for half in halves)
    print(f"{'written':24}{'rows':>8}{'not found':>11}{'halves':>8}")
    for way in given:
        print(f"{way:24}{given[way]:8}{missed[way]:11}{counts[way]:8}")
    print(f"{'all':24}{given.total():8}{missed.total():11}{len(halves):8}")
    for line in _listed(halves, misses):
        print(line)


def _is_usable(row: dict[str, Any]) -> bool:
    try:
        row["text"].encode()
    except UnicodeEncodeError:
        return False
    return row["span"] is not None and "\0" not in row["text"]


def _written(row: dict[str, Any], write: Callable[[str], str]) -> tuple[str, int, int]:
    """Return the text with its value rewritten, and where the value is; -1 if it is lost."""
    first, last = row["span"]
    # Two letters that no rule knows mark the value's ends.
    marked = f"{row['text'][:first]}\ue000{row['text'][first:last]}\ue001{row['text'][last:]}"
    text = write(marked)
    for mark in ("\ue000", "\ue001"):
        text = text.replace(quote(mark), mark)
    start, end = text.find("\ue000"), text.find("\ue001")
    if min(start, end) < 0:
        return text, -1, -1
    return text.replace("\ue000", "").replace("\ue001", ""), start, end - 1


def _left(text: str, start: int, end: int) -> tuple[list[str], tuple[str, ...]]:
    """Return the pieces of the value that are not hidden, and the detectors
    that hide the others.
    """
    from sightline.egress import scan

    data = text.encode()
    first = len(text[:start].encode())
    last = first + len(text[start:end].encode())
    pieces: list[str] = []
    detectors: list[str] = []
    for finding in scan(data):
        if finding.span.end <= first or finding.span.start >= last:
            continue
        detectors.append(finding.detector)
        if not finding.is_bounded:
            # The file is left out.
            return [], tuple(detectors)
        pieces.append(data[first : max(first, finding.span.start)].decode("utf-8", "replace"))
        first = max(first, finding.span.end)
    pieces.append(data[first : max(first, last)].decode("utf-8", "replace"))
    return pieces, tuple(detectors)


def _listed(halves: list[_Half], most: int) -> Iterator[str]:
    for half in halves[:most]:
        yield f"  {half.way}; {half.row['id']}; {', '.join(half.detectors)}; {half.left[:40]!r}"
