"""What a file declares and uses, as plain values, and how a symbol is found by name."""

from __future__ import annotations

import difflib
import re

import msgspec

from sightline.refusals import Refusal, RefusalKind
from sightline.text import Span

CALLABLE_KINDS = frozenset(["function", "method", "constructor", "macro", "property"])
"""Kinds whose body is an implementation: a signature leaves it out, its variables are local."""

TYPE_KINDS = frozenset(["class", "interface", "struct", "enum", "trait"])
"""Kinds whose body holds members."""

PATH_SEPARATOR = re.compile(r"::|\\|\.|/|#")
"""What parts a qualified name, in any language."""


class Symbol(msgspec.Struct, frozen=True, array_like=True):
    name: str
    kind: str
    container: str | None
    """Qualified name of what it belongs to, joined with dots in every language."""
    region: Span
    """From the doc comment, decorator or wrapper it starts with to its end."""
    declaration: Span
    """The region without its doc comment; of an open-ended `namespace N;` the statement alone."""
    header: Span
    """The signature: no decorators, no body, no value of several lines."""
    name_span: Span
    body: Span | None
    """The node of its body; where that counts comments after the last line, so does this."""
    value: Span | None
    doc: Span | None
    enclosing: tuple[Span, ...]
    """Headers of what it stands in, outermost first."""
    parent: int
    """Index of the enclosing symbol in the summary; -1 at the top."""
    start_line: int
    name_line: int
    end_line: int
    """1-based lines of the region and the name."""
    reliable: bool
    """No error stands inside its region or one of its enclosing headers."""
    placeholder: str | None
    """What stands for its body or value in a signature, where not the language's default."""

    @property
    def qualified_name(self) -> str:
        return f"{self.container}.{self.name}" if self.container else self.name

    @property
    def body_lines(self) -> Span | None:
        """The part of the body that lies in the region."""
        if self.body is None:
            return None
        return Span(self.body.start, min(self.body.end, max(self.body.start, self.region.end)))

    @property
    def has_implementation(self) -> bool:
        return self.body is not None and self.kind in CALLABLE_KINDS


class Reference(msgspec.Struct, frozen=True, array_like=True, gc=False):
    kind: str
    name: str
    span: Span
    line: int
    receiver: str | None
    """The plain expression in front of the name (`self`, `os.path`), where there is one."""


class Import(msgspec.Struct, frozen=True, array_like=True, gc=False):
    module: str | None
    name: str | None
    alias: str | None
    span: Span
    """The whole statement."""
    line: int
    is_local: bool = False
    """Inside a function without a name."""


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
    references: tuple[Reference, ...]
    imports: tuple[Import, ...]
    comments: tuple[Span, ...]
    kept: tuple[Span, ...]
    """Statements that declare nothing but belong in the signatures."""
    hidden_bodies: tuple[Hidden, ...]
    hidden_values: tuple[Hidden, ...]

    @property
    def parse_clean(self) -> bool:
        return not self.errors


def find_symbol(summary: FileSummary, wanted: str) -> Symbol | Refusal:
    """The one symbol called `wanted`: `name`, `Container.name`, or either with `:line`.

    A full qualified name is taken before the end of a longer one. Where several symbols remain
    there is no guess: the refusal lists them, each with the line that tells it from the others.
    """
    name, line = _name_and_line(wanted)
    dotted = ".".join(part for part in PATH_SEPARATOR.split(name) if part) or name
    found = [each for each in summary.symbols if dotted in (each.qualified_name, each.name)]
    exact = [each for each in found if each.qualified_name == dotted]
    if not found:
        ending = f".{dotted}"
        found = [each for each in summary.symbols if each.qualified_name.endswith(ending)]
    found = exact or found
    if line is not None:
        found = [each for each in found if each.start_line <= line <= each.end_line]
    if len(found) == 1:
        return found[0]
    if not found:
        names = sorted({each.qualified_name for each in summary.symbols})
        near = difflib.get_close_matches(dotted, names, n=5, cutoff=0.6)
        return Refusal(
            RefusalKind.INVALID_REQUEST,
            "unknown_symbol",
            None,
            f"there is no symbol '{wanted}' in it",
            f"did you mean {' or '.join(near)}?"
            if near
            else "'sightline outline PATH' lists its symbols",
        )
    return Refusal(
        RefusalKind.AMBIGUOUS_TARGET,
        "several_matches",
        None,
        f"'{wanted}' names {len(found)} symbols",
        "choose one of them with --symbol",
        candidates=tuple(f"{each.qualified_name}:{each.name_line}" for each in found),
    )


def _name_and_line(wanted: str) -> tuple[str, int | None]:
    name, colon, line = wanted.rpartition(":")
    if colon and name and not name.endswith(":") and line.isascii() and line.isdigit():
        return name, int(line)
    return wanted, None
