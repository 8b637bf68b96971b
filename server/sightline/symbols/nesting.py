"""From frames to symbols: what stands in what, of which kind it is, and what is no symbol."""

from __future__ import annotations

import msgspec

from sightline.languages import Language
from sightline.languages.tags import Role
from sightline.symbols.collecting import Found, Frame, collect
from sightline.symbols.cutting import Cutter, joined_name
from sightline.symbols.model import (
    CALLABLE_KINDS,
    NAMESPACE_SEPARATOR,
    VARIABLE_KINDS,
    FileSummary,
    Symbol,
)
from sightline.syntax import Parsed


def summarize(parsed: Parsed) -> FileSummary:
    """Every declaration, reference and import of one file."""
    found = collect(parsed)
    return FileSummary(
        language=parsed.language.name,
        byte_size=len(parsed.text),
        line_count=parsed.text.last_line_number,
        errors=tuple(found.errors),
        symbols=_symbols(parsed, found),
        references=tuple(found.references),
        imports=tuple(found.imports),
        comments=tuple(found.comments),
        kept=tuple(found.kept),
        hidden_bodies=tuple(found.hidden_bodies),
        hidden_values=tuple(found.hidden_values),
    )


def _symbols(parsed: Parsed, found: Found) -> tuple[Symbol, ...]:
    """Nest the frames and make a symbol of each that is one."""
    cutter = Cutter(parsed.language, parsed.text, found)
    symbols: list[Symbol] = []
    stack: list[Frame] = []
    for frame in found.frames:
        while stack and (stack[-1].end <= frame.start or _are_siblings(stack[-1], frame)):
            stack.pop()
        around_it = stack
        if _stands_in_header(stack, frame):
            # A field declared in a constructor's parameters belongs to the type.
            around_it = stack[:-1]
        outer = around_it[-1] if around_it else None
        around = _innermost_owner(around_it)
        frame.enclosing = outer.enclosing if outer else ()
        frame.qualified = outer.qualified if outer else None
        frame.symbol = outer.symbol if outer else -1
        kind = _kind(frame, around, parsed.language) if frame.is_definition else ""
        local = frame.pattern.local
        may_be_local = local == "drop" or (kind in VARIABLE_KINDS and local != "keep")
        if kind and not (may_be_local and _is_local(around_it)):
            symbol = cutter.symbol(frame, kind, found.errors)
            if symbol.reliable and _is_in_broken_function(symbols, symbol):
                symbol = msgspec.structs.replace(symbol, reliable=False)
            frame.symbol = len(symbols)
            frame.qualified = symbol.qualified_name
            if kind == "module":
                frame.qualified = NAMESPACE_SEPARATOR.sub(".", frame.qualified)
            frame.enclosing = (*frame.enclosing, symbol.header)
            symbols.append(symbol)
        elif frame.pattern.role is Role.SCOPE:
            if frame.container:
                frame.qualified = joined_name(frame.qualified, frame.container)
            if frame.body is not None:
                frame.enclosing = (*frame.enclosing, cutter.header(frame))
        stack.append(frame)
    return tuple(symbols)


def _is_in_broken_function(symbols: list[Symbol], symbol: Symbol) -> bool:
    """A lost brace lets a function swallow what follows it: nothing in there is where it seems."""
    if symbol.parent < 0:
        return False
    around = symbols[symbol.parent]
    return not around.reliable and around.kind in CALLABLE_KINDS


def _stands_in_header(stack: list[Frame], frame: Frame) -> bool:
    if not stack or frame.pattern.kind not in VARIABLE_KINDS:
        return False
    outer = stack[-1]
    if not outer.is_definition or outer.pattern.kind not in ("method", "constructor", "function"):
        return False
    return outer.body is None or frame.end <= outer.body.start


def _are_siblings(one: Frame, other: Frame) -> bool:
    """Two names of one declaration, as in `int a, b;`: neither stands inside the other."""
    return (
        one.start == other.start
        and one.end == other.end
        and one.is_definition
        and other.is_definition
    )


def _innermost_owner(stack: list[Frame]) -> Frame | None:
    """The nearest frame that is a definition or a scope with a name."""
    for frame in reversed(stack):
        if frame.holds_members or frame.pattern.role is not Role.SCOPE:
            return frame
    return None


def _is_local(stack: list[Frame]) -> bool:
    for frame in reversed(stack):
        if frame.holds_members or frame.pattern.role is Role.SCOPE:
            return False
        if frame.is_local_scope:
            return True
    return False


def _kind(frame: Frame, around: Frame | None, language: Language) -> str:
    """The kind a pattern gives, adjusted to where the declaration stands."""
    kind = frame.pattern.kind
    is_member = (around is not None and around.holds_members) or frame.container is not None
    if kind == "function" and is_member:
        return "method"
    if kind == "variable":
        if language.constant_name and language.constant_name.search(frame.name):
            return "constant"
        if is_member:
            return "field"
    return kind
