"""Turn frames into symbols: the summary of a file."""

from __future__ import annotations

import msgspec

from sightline.languages.tags import PatternRole
from sightline.symbols.collecting import Found, collect
from sightline.symbols.cutting import Cutter
from sightline.symbols.frames import Frame, nest
from sightline.symbols.model import CALLABLE_KINDS, TYPE_KINDS, FileSummary, Symbol
from sightline.syntax import Parsed, outer_statements
from sightline.text import Span


def summarize(parsed: Parsed) -> FileSummary:
    """Return every declaration of one file, and all that cutting it needs."""
    found = collect(parsed)
    symbols = _symbols(parsed, found)
    return FileSummary(
        language=parsed.language.name,
        byte_size=len(parsed.text),
        line_count=parsed.text.last_line_number,
        errors=tuple(found.errors),
        symbols=symbols,
        imports=tuple(found.imports),
        comments=tuple(found.comments),
        kept=tuple(found.kept),
        hidden_bodies=tuple(found.hidden_bodies),
        hidden_values=tuple(found.hidden_values),
        statements=_statements(parsed, symbols),
    )


def _symbols(parsed: Parsed, found: Found) -> tuple[Symbol, ...]:
    """Nest the frames and make symbols of those that are symbols."""
    cutter = Cutter(parsed.language, parsed.text, found)
    symbols: list[Symbol] = []
    headers: dict[Frame | None, tuple[Span, ...]] = {None: ()}
    for frame, kind in nest(found.frames, parsed.language, is_clean=not parsed.errors):
        around = headers[frame.outer]
        frame.symbol = frame.outer.symbol if frame.outer else -1
        if kind:
            symbol = cutter.symbol(frame, kind, around, found.errors)
            if symbol.reliable and _is_in_broken_function(symbols, symbol):
                symbol = msgspec.structs.replace(symbol, reliable=False)
            frame.symbol = len(symbols)
            around = (*around, symbol.header)
            symbols.append(symbol)
        elif frame.pattern.role is PatternRole.SCOPE and frame.body is not None:
            around = (*around, cutter.header(frame))
        headers[frame] = around
    return tuple(symbols)


def _is_in_broken_function(symbols: list[Symbol], symbol: Symbol) -> bool:
    """Return True inside a broken function: with a lost brace it contains what follows it."""
    if symbol.parent < 0:
        return False
    around = symbols[symbol.parent]
    return not around.reliable and around.kind in CALLABLE_KINDS


def _statements(parsed: Parsed, symbols: tuple[Symbol, ...]) -> tuple[Span, ...]:
    """Return the code outside of every declaration; types and modules are searched inside."""
    holders = TYPE_KINDS | {"module"}
    return outer_statements(
        parsed,
        [each.region for each in symbols if each.kind not in holders],
        [each.region for each in symbols if each.kind in holders],
    )
