"""Find the symbols around the errors of a check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sightline.engine.host import Host
from sightline.engine.recipe_texts import ScannedText
from sightline.refusals import Refusal
from sightline.symbols import CALLABLE_KINDS, TYPE_KINDS, Symbol
from sightline.workers import ParseRequest, ParseTask

_KINDS = CALLABLE_KINDS | TYPE_KINDS
"""A constant or a field alone says too little about the error in it."""
_LONGEST_SYMBOL = 80
"""The most lines of a symbol that is shown whole around an error."""


def lines_around_errors(
    host: Host,
    texts: Mapping[str, ScannedText],
    lines: Mapping[str, Sequence[int]],
    context_lines: int,
) -> dict[str, list[tuple[int, int]]]:
    """Return the pieces of each file to show: the innermost symbol around each error.

    If there is none, or only a long one, the lines around the error are shown instead.
    """
    asked = []
    for name, text in texts.items():
        language = host.registry.for_path(name, text.text.data)
        if language is not None and lines[name]:
            request = ParseRequest(ParseTask.SUMMARIZE, language.name, text.text.data)
            asked.append((name, request))
    answers = host.workers.ask_all(request for _, request in asked)
    symbols: dict[str, Sequence[Symbol]] = {}
    for (name, _), answer in zip(asked, answers, strict=True):
        symbols[name] = () if isinstance(answer, Refusal) else answer.summary.symbols
    return {
        name: _pieces(symbols.get(name, ()), lines[name], text.line_count, context_lines)
        for name, text in texts.items()
        if lines[name]
    }


def _pieces(
    symbols: Sequence[Symbol], lines: Sequence[int], count: int, context_lines: int
) -> list[tuple[int, int]]:
    found = sorted(_piece(symbols, min(line, count), count, context_lines) for line in lines)
    merged: list[tuple[int, int]] = []
    for first, last in found:
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def _piece(symbols: Sequence[Symbol], line: int, count: int, context_lines: int) -> tuple[int, int]:
    around = [
        each for each in symbols if each.kind in _KINDS and each.start_line <= line <= each.end_line
    ]
    innermost = min(
        around, key=lambda each: (each.end_line - each.start_line, each.start_line), default=None
    )
    window = (max(1, line - context_lines), min(count, line + context_lines))
    if innermost is None:
        return window
    size = innermost.end_line - innermost.start_line + 1
    if size > max(_LONGEST_SYMBOL, window[1] - window[0] + 1):
        return window
    return innermost.start_line, min(count, innermost.end_line)
