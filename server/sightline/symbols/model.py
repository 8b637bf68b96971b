"""What a file declares and uses, as plain values, and the look-up of a symbol by name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

import msgspec

from sightline.refusals import Refusal, RefusalKind
from sightline.text import Span

CALLABLE_KINDS = frozenset(["function", "method", "constructor", "macro", "property"])
"""Kinds whose body is an implementation: a signature omits it, and its variables are local."""

TYPE_KINDS = frozenset(["class", "interface", "struct", "enum", "trait"])
"""Kinds whose body holds members."""

VARIABLE_KINDS = frozenset(["variable", "constant", "field", "property"])
"""Kinds that are not symbols inside a function."""

NAMESPACE_SEPARATOR = re.compile(r"(?<=\w)(?:::|\\)(?=\w)")
"""Separators in the names of nested namespaces other than the dot; not a name like Scala's `::`."""

_PLACE = re.compile(r"(?P<name>.+?):(?P<line>[0-9]{1,9})(?:#(?P<nth>[0-9]{1,9}))?", re.DOTALL)
_MOST_COMPARED = 200

PATH_SEPARATOR = re.compile(r"::|\\|\.|/|#")
"""Separators in a qualified name, in any language."""


def qualified(kind: str, container: str | None, name: str) -> str:
    """Return a name with its container, joined with dots; a module's own parts are joined too."""
    whole = f"{container}.{name}" if container else name
    return NAMESPACE_SEPARATOR.sub(".", whole) if kind == "module" else whole


class Symbol(msgspec.Struct, frozen=True, array_like=True):
    name: str
    kind: str
    container: str | None
    """Qualified name of its container, joined with dots in every language."""
    region: Span
    """From the doc comment, decorator or wrapper it starts with to its end."""
    declaration: Span
    """The region without its doc comment; of an open-ended `namespace N;` the statement alone."""
    header: Span
    """The signature: without decorators, body, or a value of several lines."""
    name_span: Span
    body: Span | None
    """The node of its body; it includes comments after the last line if the grammar's node does."""
    value: Span | None
    doc: Span | None
    enclosing: tuple[Span, ...]
    """Headers of the declarations around it, outermost first."""
    parent: int
    """Index of the enclosing symbol in the summary; -1 at the top."""
    start_line: int
    name_line: int
    end_line: int
    """1-based lines of the region and the name."""
    reliable: bool
    """True if its region and its enclosing headers contain no error."""
    placeholder: str | None
    """Replaces its body or value in a signature, if it is not the language's default."""

    @property
    def qualified_name(self) -> str:
        return qualified(self.kind, self.container, self.name)

    @property
    def body_lines(self) -> Span | None:
        """Return the part of the body that is in the region."""
        if self.body is None:
            return None
        return Span(self.body.start, min(self.body.end, max(self.body.start, self.region.end)))

    @property
    def has_implementation(self) -> bool:
        return self.body is not None and self.kind in CALLABLE_KINDS


class Import(msgspec.Struct, frozen=True, array_like=True, gc=False):
    module: str | None
    name: str | None
    alias: str | None
    span: Span
    """The whole statement."""
    line: int
    is_local: bool = False
    """True inside a function without a name."""


class Hidden(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A body or value without a symbol of its own: an accessor, an initialiser block, a table."""

    span: Span
    placeholder: str | None


class FileSummary(msgspec.Struct, frozen=True, array_like=True):
    language: str
    byte_size: int
    line_count: int
    errors: tuple[Span, ...]
    symbols: tuple[Symbol, ...]
    imports: tuple[Import, ...]
    comments: tuple[Span, ...]
    kept: tuple[Span, ...]
    """Statements that declare nothing but are part of the signatures."""
    hidden_bodies: tuple[Hidden, ...]
    hidden_values: tuple[Hidden, ...]
    statements: tuple[Span, ...] = ()
    """Code outside of every declaration, as nodes of at most forty lines, in order."""

    @property
    def parse_clean(self) -> bool:
        return not self.errors


def find_symbol(summary: FileSummary, wanted: str) -> Symbol | Refusal:
    """Return the one symbol called `wanted`: a name or qualified name, optionally with `:line`.

    A name as `outline` prints it comes first, then other spellings (`A::b` for `A.b`). A full
    qualified name goes before a name, and a name before the end of a qualified name. If several
    symbols remain, there is no guess: the refusal lists them, each in a form that is unique
    (`A.b:12`, and `A.b:12#2` for the second of a line).
    """
    found = _called(summary, wanted)
    if len(found) != 1 and (place := _PLACE.fullmatch(wanted)):
        line = int(place["line"])
        on_line = [
            each
            for each in _called(summary, place["name"])
            if each.start_line <= line <= each.end_line
        ]
        found = [each for each in on_line if each.name_line == line] or on_line or found
        if place["nth"]:
            nth = int(place["nth"])
            found = found[nth - 1 : nth] if nth else []
    if len(found) == 1:
        return found[0]
    if not found:
        near = _near(summary, wanted)
        return Refusal(
            RefusalKind.INVALID_REQUEST,
            "unknown_symbol",
            None,
            f"there is no symbol '{_shortened(wanted)}' in it",
            f"did you mean {' or '.join(near)}?"
            if near
            else "'sightline outline PATH' lists its symbols",
        )
    return Refusal(
        RefusalKind.AMBIGUOUS_TARGET,
        "several_matches",
        None,
        f"'{_shortened(wanted)}' names {len(found)} symbols",
        "choose one of them with --symbol",
        candidates=_told_apart(found),
    )


def _called(summary: FileSummary, wanted: str) -> list[Symbol]:
    for name in dict.fromkeys([wanted, NAMESPACE_SEPARATOR.sub(".", wanted), _dotted(wanted)]):
        ending = f".{name}"
        by_qualified_name = [each for each in summary.symbols if each.qualified_name == name]
        by_name = [each for each in summary.symbols if each.name == name]
        by_ending = [each for each in summary.symbols if each.qualified_name.endswith(ending)]
        found = by_qualified_name or by_name or by_ending
        if name and found:
            return found
    return []


def _dotted(name: str) -> str:
    r"""Return `A::b` and `A\b` as `A.b`; unchanged if a separator is itself a name (`V./`)."""
    parts = PATH_SEPARATOR.split(name)
    return ".".join(parts) if all(parts) else name


def _told_apart(symbols: Sequence[Symbol]) -> tuple[str, ...]:
    places = [f"{each.qualified_name}:{each.name_line}" for each in symbols]
    return tuple(
        place if places.count(place) == 1 else f"{place}#{places[: index + 1].count(place)}"
        for index, place in enumerate(places)
    )


def _near(summary: FileSummary, wanted: str) -> list[str]:
    """Return similar names. Comparing is expensive, so long names and long lists are cut."""
    names = sorted({each.qualified_name for each in summary.symbols})
    short = [name for name in names if len(name) <= _MOST_COMPARED][:_MOST_COMPARED]
    return difflib.get_close_matches(wanted[:_MOST_COMPARED], short, n=5, cutoff=0.6)


def _shortened(name: str) -> str:
    return name if len(name) <= _MOST_COMPARED else name[:_MOST_COMPARED] + "…"
