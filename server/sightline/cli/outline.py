"""`sightline outline PATH…`: every symbol of each file."""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Iterator

import attrs

from sightline.cli.files import Files, Source, require_language
from sightline.cli.output import DONE, REFUSED, Output, padded
from sightline.languages import Language, load_registry
from sightline.refusals import Refusal
from sightline.symbols import FileSummary, Symbol
from sightline.text import Span, Text
from sightline.workers import Answer, Request, Task, Workers

_MOST_SIGNATURE_COLUMNS = 100


def run(options: argparse.Namespace, output: Output) -> int:
    registry = load_registry()
    files = Files(registry, options.root, options.allow)
    codes = [DONE]
    # What was opened and is not yet shown, in the order given. Refusals wait for their turn.
    opened: deque[tuple[Source, Language] | Refusal] = deque()

    def requests() -> Iterator[Request]:
        for path in options.paths:
            source = files.open(path)
            if isinstance(source, Refusal):
                opened.append(_about(source, path))
                continue
            language = require_language(source, registry, "outline")
            if isinstance(language, Refusal):
                opened.append(language)
                continue
            opened.append((source, language))
            yield Request(Task.SUMMARIZE, language.name, source.document.text.data)

    def next_source() -> tuple[Source, Language] | None:
        """The next one that was opened, once the refusals before it are reported."""
        while opened:
            entry = opened.popleft()
            if not isinstance(entry, Refusal):
                return entry
            codes.append(output.refuse(entry))
        return None

    is_first = True
    with Workers() as workers:
        for answer in workers.ask_all(requests()):
            entry = next_source()
            assert entry is not None
            source, language = entry
            if isinstance(answer, Refusal):
                codes.append(output.refuse(_about(answer, source.document.path)))
            else:
                _show(output, source, language, answer, is_first=is_first)
                is_first = False
    next_source()
    # Several files can be refused for several reasons: that something was withheld comes first.
    return REFUSED if REFUSED in codes else max(codes)


def outline_record(path: str, text: Text, summary: FileSummary) -> dict[str, object]:
    return {
        "path": path,
        "language": summary.language,
        "parse_clean": summary.parse_clean,
        "symbols": [
            {
                "name": symbol.name,
                "qualified_name": symbol.qualified_name,
                "kind": symbol.kind,
                "container": symbol.container,
                "start_line": symbol.start_line,
                "name_line": symbol.name_line,
                "end_line": symbol.end_line,
                "body": _lines(text, symbol.body_lines) if symbol.body_lines else None,
                "signature": text.cut(symbol.header).decode("utf-8"),
            }
            for symbol in summary.symbols
        ],
    }


def _lines(text: Text, span: Span) -> dict[str, int]:
    return {
        "start_line": text.line_of(span.start) + 1,
        "end_line": text.line_of(max(span.start, span.end - 1)) + 1,
    }


def _about(refusal: Refusal, path: str) -> Refusal:
    return refusal if refusal.path else attrs.evolve(refusal, path=path)


def _show(
    output: Output, source: Source, language: Language, answer: Answer, *, is_first: bool
) -> None:
    text, summary = source.document.text, answer.summary
    if output.json:
        output.record(outline_record(source.document.path, text, summary))
        return
    if not is_first:
        output.line()
    count = len(summary.symbols)
    output.line(
        (source.document.path, "bold"),
        (f"  {language.title}, {_counted(summary.line_count, 'line')}, ", "dim"),
        (_counted(count, "symbol"), "dim"),
    )
    if not summary.parse_clean:
        line = text.line_of(summary.errors[0].start) + 1
        output.line(
            (f"  has syntax errors, the first on line {line}; what they touch is marked !", "red")
        )
    rows = [_row(text, summary, symbol) for symbol in summary.symbols]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    for symbol, (lines, kind, name, signature) in zip(summary.symbols, rows, strict=True):
        output.line(
            ("  " if symbol.reliable else "! ", "red"),
            (lines.rjust(widths[0]), "dim"),
            ("  " + kind.ljust(widths[1]), "cyan"),
            ("  " + padded(name, widths[2]), "bold"),
            ("  " + signature, ""),
        )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _row(text: Text, summary: FileSummary, symbol: Symbol) -> tuple[str, str, str, str]:
    depth = 0
    parent = symbol.parent
    while parent >= 0:
        depth += 1
        parent = summary.symbols[parent].parent
    owner = ""
    if symbol.container and depth == 0:
        owner = f"{symbol.container}."
    signature = " ".join(text.cut(symbol.header).decode("utf-8").split())
    if len(signature) > _MOST_SIGNATURE_COLUMNS:
        signature = signature[: _MOST_SIGNATURE_COLUMNS - 1] + "…"
    lines = f"{symbol.start_line}-{symbol.end_line}"
    if symbol.start_line == symbol.end_line:
        lines = str(symbol.start_line)
    return lines, symbol.kind, "  " * depth + owner + symbol.name, signature
