"""From the query's matches to frames: what was found, before it is known what stands in what."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right

import attrs
import msgspec
import tree_sitter

from sightline.languages import Language
from sightline.languages.tags import Pattern, Role
from sightline.symbols.model import (
    CALLABLE_KINDS,
    PATH_SEPARATOR,
    TYPE_KINDS,
    VARIABLE_KINDS,
    Hidden,
    Import,
    Reference,
)
from sightline.syntax import Match, Parsed, matches
from sightline.text import Span, Text

_GENERIC_ARGUMENTS = re.compile(r"<[^<>]*>|\[[^\[\]]*\]|\([^()]*\)")


@attrs.define(eq=False)
class Frame:
    """A node that encloses others: a definition, a scope or a function without a name."""

    start: int
    end: int
    own_end: int
    """Where its node ends, for a declaration that reaches further."""
    pattern_index: int
    pattern: Pattern
    name: str
    name_start: int
    name_end: int
    body: Span | None
    value: Span | None
    container: str | None
    is_definition: bool
    holds_members: bool
    """A type, or something that stands for one."""
    is_local_scope: bool
    """Variables inside it are no symbols."""
    qualified: str | None = None
    symbol: int = -1
    enclosing: tuple[Span, ...] = ()


@attrs.define(eq=False)
class Found:
    """Everything a query found, each list in source order."""

    frames: list[Frame] = attrs.Factory(list)
    wrappers: dict[tuple[int, int], tuple[int, int]] = attrs.Factory(dict)
    wrapped: dict[tuple[int, int], set[tuple[int, int]]] = attrs.Factory(dict)
    decorators: list[Span] = attrs.Factory(list)
    comments: list[Span] = attrs.Factory(list)
    kept: list[Span] = attrs.Factory(list)
    errors: list[Span] = attrs.Factory(list)
    hidden_bodies: list[Hidden] = attrs.Factory(list)
    hidden_values: list[Hidden] = attrs.Factory(list)
    references: list[Reference] = attrs.Factory(list)
    imports: list[Import] = attrs.Factory(list)


def collect(parsed: Parsed) -> Found:
    """Sort the query's matches by role, without looking at how they nest."""
    patterns = parsed.language.tags.patterns
    text = parsed.text
    data = text.data
    quotes = parsed.language.name_quotes
    found = Found(errors=list(parsed.errors))
    definitions: dict[tuple[int, int], Frame] = {}
    references: set[tuple[int, int]] = set()
    decorators: set[Span] = set()
    comments: set[Span] = set()
    imported: list[Import] = []
    variables: list[Match] = []
    for index, captures in _in_order(matches(parsed)):
        pattern = patterns[index]
        role = pattern.role
        node = captures[pattern.capture][0]
        if role is Role.REFERENCE:
            start, end = node.start_byte, node.end_byte
            if (start, end) in references:
                continue
            references.add((start, end))
            receiver = captures.get("receiver")
            found.references.append(
                Reference(
                    pattern.kind,
                    _unquoted(data[start:end].decode("utf-8"), quotes),
                    Span(start, end),
                    text.line_of(start) + 1,
                    _plain(receiver[0], data) if receiver else None,
                )
            )
        elif role is Role.COMMENT:
            comments.add(text.trimmed(node.start_byte, node.end_byte))
        elif role is Role.DECORATOR:
            decorators.add(Span(node.start_byte, node.end_byte))
        elif role is Role.VALUE:
            span = text.trimmed(node.start_byte, node.end_byte)
            found.hidden_values.append(Hidden(span, pattern.placeholder))
        elif role is Role.ERROR:
            found.errors.append(Span(node.start_byte, node.end_byte))
        elif role is Role.KEEP:
            found.kept.append(text.trimmed(node.start_byte, node.end_byte))
        elif role is Role.WRAPPER:
            inner = captures["wrapped"][0]
            key = (inner.start_byte, inner.end_byte)
            if key != (node.start_byte, node.end_byte):
                wrapper = (node.start_byte, node.end_byte)
                found.wrappers[key] = wrapper
                found.wrapped.setdefault(wrapper, set()).add(key)
        elif role is Role.IMPORT:
            found.imports.append(_import(text, node, captures, quotes))
        elif role is Role.IMPORTED:
            imported.append(_import(text, node, captures, quotes))
        else:
            if role is Role.DEFINITION and pattern.kind in VARIABLE_KINDS:
                variables.append((index, captures))
                continue
            frame = _frame(index, pattern, node, captures, text, parsed.language)
            if role is Role.DEFINITION:
                key = (frame.name_start, frame.name_end)
                if key not in definitions or index < definitions[key].pattern_index:
                    definitions[key] = frame
                continue
            if role is Role.BODY:
                hidden = Hidden(Span(frame.start, frame.end), pattern.placeholder)
                found.hidden_bodies.append(hidden)
            found.frames.append(frame)
    declared = _add_variables(parsed, found.frames, definitions, variables)
    found.frames.extend(definitions.values())
    found.references = [
        each
        for each in found.references
        # A name that is declared is no use of itself, but an embedded type is both.
        if each.kind == "base" or (each.span.start, each.span.end) not in declared
    ]
    # Where two nodes have the same span the one around the other is the scope.
    found.frames.sort(key=_nesting_order)
    _end_at_next([frame for frame in found.frames if frame.pattern.extends])
    found.decorators = sorted(decorators)
    found.comments = sorted(comments)
    found.imports = _with_names(found.imports, imported)
    found.imports = _with_locality(found)
    found.references.sort(key=_reference_order)
    found.kept.sort()
    found.hidden_bodies.sort(key=lambda each: each.span)
    found.hidden_values.sort(key=lambda each: each.span)
    found.errors.sort()
    return found


def _add_variables(
    parsed: Parsed,
    frames: list[Frame],
    definitions: dict[tuple[int, int], Frame],
    variables: list[Match],
) -> set[tuple[int, int]]:
    """Add the variables that are symbols; return every name that is declared.

    Most variables are local to a function. They are told by where they stand, before anything
    else is found out about them. A local one still claims its name from a later pattern.
    """
    patterns = parsed.language.tags.patterns
    scopes = _Scopes(sorted([*frames, *definitions.values()], key=_nesting_order))
    declared = set(definitions)
    claimed: set[tuple[int, int]] = set()
    for index, captures in variables:
        pattern = patterns[index]
        node = captures[pattern.capture][0]
        name = _extent(captures.get("name")) or Span(node.start_byte, node.start_byte)
        key = (name.start, name.end)
        declared.add(key)
        other = definitions.get(key)
        if key in claimed or (other is not None and other.pattern_index < index):
            continue
        claimed.add(key)
        if pattern.local != "keep" and scopes.is_local(node.start_byte, node.end_byte):
            definitions.pop(key, None)
            continue
        frame = _frame(index, pattern, node, captures, parsed.text, parsed.language)
        if pattern.strip:
            definitions.pop(key, None)
            key = (frame.name_start, frame.name_end)
            declared.add(key)
        definitions[key] = frame
    return declared


class _Scopes:
    """Tells whether a place is local to a function, from frames in nesting order."""

    def __init__(self, frames: list[Frame]) -> None:
        self._frames = frames
        self._starts = [frame.start for frame in frames]
        self._parents: list[int] = []
        stack: list[int] = []
        for index, frame in enumerate(frames):
            while stack and frames[stack[-1]].end <= frame.start:
                stack.pop()
            self._parents.append(stack[-1] if stack else -1)
            stack.append(index)

    def is_local(self, start: int, end: int) -> bool:
        index = bisect_right(self._starts, start) - 1
        while index >= 0:
            frame = self._frames[index]
            if frame.end >= end and (frame.start, frame.end) != (start, end):
                if frame.holds_members or frame.pattern.role is Role.SCOPE:
                    return False
                if frame.is_local_scope:
                    # What stands in a header, a constructor's parameter, may be a field.
                    is_in_body = frame.body is not None and end > frame.body.start
                    return is_in_body or not frame.is_definition
            index = self._parents[index]
        return False


def _with_names(statements: list[Import], imported: list[Import]) -> list[Import]:
    """Put names that were found alone together with the module of the statement around them."""
    by_start = sorted(statements, key=lambda each: each.span)
    named: list[Import] = []
    taken: set[Span] = set()
    for part in imported:
        index = bisect_right(by_start, part.span.start, key=lambda each: each.span.start) - 1
        if index >= 0 and by_start[index].span.contains(part.span):
            around = by_start[index]
            taken.add(around.span)
            named.append(Import(around.module, part.name, part.alias, around.span, around.line))
    return named + [each for each in by_start if each.span not in taken]


def _with_locality(found: Found) -> list[Import]:
    """The imports, each knowing whether it stands in a function without a name."""
    imports: list[Import] = []
    local_end = 0
    local = iter([frame for frame in found.frames if frame.pattern.role is Role.LOCAL])
    following = next(local, None)
    for each in sorted(found.imports, key=_import_order):
        while following is not None and following.start <= each.span.start:
            local_end = max(local_end, following.end)
            following = next(local, None)
        is_local = each.span.start < local_end
        imports.append(msgspec.structs.replace(each, is_local=True) if is_local else each)
    return imports


def _end_at_next(frames: list[Frame]) -> None:
    """Let each open-ended declaration end where the next one beside it starts."""
    for frame, following in itertools.pairwise(frames):
        if following.start < frame.end == following.end:
            frame.end = following.start


def _nesting_order(frame: Frame) -> tuple[int, int, int, int]:
    return frame.start, -frame.end, -frame.pattern.role, frame.name_start


def _in_order(found: list[Match]) -> list[Match]:
    """Matches by pattern, so that an earlier pattern's claim to a reference stands."""
    return sorted(found, key=lambda match: match[0])


def _frame(
    index: int,
    pattern: Pattern,
    node: tree_sitter.Node,
    captures: dict[str, list[tree_sitter.Node]],
    text: Text,
    language: Language,
) -> Frame:
    data = text.data
    quotes = language.name_quotes
    extent = _extent(captures["body"]) if pattern.role is Role.BODY else None
    start, end = (extent.start, extent.end) if extent else (node.start_byte, node.end_byte)
    name = _extent(captures.get("name"))
    if name:
        name_start, name_end = name.start, name.end
        label = data[name_start:name_end].decode("utf-8")
        if pattern.strip:
            stripped = label.strip(pattern.strip)
            name_start += len(label[: label.find(stripped)].encode())
            label, name_end = stripped, name_start + len(stripped.encode())
    else:
        name_start, name_end = start, start
        label = pattern.name or ""
    body = _extent(captures.get("body")) if pattern.role is not Role.BODY else None
    value = _trimmed_extent(captures.get("value"), text)
    lost = language.lost.match(data, end) if language.lost else None
    if lost:
        body = Span(body.start, lost.end()) if body and body.end == end else body
        value = Span(value.start, lost.end()) if value and value.end == end else value
        end = lost.end()
    own_end = end
    if pattern.extends and node.parent is not None:
        end = max(end, node.parent.end_byte)
    container = _extent(captures.get("container"))
    is_definition = pattern.role is Role.DEFINITION
    return Frame(
        start=start,
        end=text.trimmed(start, end).end,
        own_end=own_end,
        pattern_index=index,
        pattern=pattern,
        name=pattern.name or _unquoted(label, quotes),
        name_start=name_start,
        name_end=name_end,
        body=body,
        value=value,
        container=_owner(data[container.start : container.end].decode("utf-8"), quotes)
        if container
        else None,
        is_definition=is_definition,
        holds_members=_holds_members(pattern, body is not None, container is not None),
        is_local_scope=pattern.kind in CALLABLE_KINDS
        if is_definition
        else pattern.role is not Role.SCOPE,
    )


def _holds_members(pattern: Pattern, has_body: bool, has_container: bool) -> bool:
    if pattern.has_members:
        return True
    if pattern.role is Role.DEFINITION:
        return pattern.kind in TYPE_KINDS or (pattern.kind == "type" and has_body)
    return pattern.role is Role.SCOPE and has_container


def _import(
    text: Text, node: tree_sitter.Node, captures: dict[str, list[tree_sitter.Node]], quotes: str
) -> Import:
    def part(capture: str) -> str | None:
        nodes = captures.get(capture)
        return _unquoted(_import_path(text.data, nodes), quotes) if nodes else None

    return Import(
        part("import.module"),
        part("import.name"),
        part("import.alias"),
        text.trimmed(node.start_byte, node.end_byte),
        text.line_of(node.start_byte) + 1,
    )


def _unquoted(name: str, quotes: str) -> str:
    """A name, or each part of a dotted one, without the quotes that only serve to write it."""
    if not quotes or name.isidentifier():
        return name
    return ".".join(part.strip(quotes) for part in name.split("."))


def _import_path(data: bytes, nodes: list[tree_sitter.Node]) -> str:
    """What an import names, without quotes or angle brackets.

    A path whose parts stand apart, as in `use a::{b, c::D}`, is joined with its own separator.
    """
    parts = sorted((node.start_byte, node.end_byte) for node in nodes)
    path = data[slice(*parts[0])].decode("utf-8")
    for (_, end), (start, stop) in itertools.pairwise(parts):
        between = data[end:start].decode("utf-8")
        separator = PATH_SEPARATOR.match(between.lstrip()) if "{" in between else None
        path += (separator[0] if separator else between) + data[start:stop].decode("utf-8")
    path = path.strip("\"'` ")
    return path[1:-1] if path.startswith("<") and path.endswith(">") else path


def _trimmed_extent(nodes: list[tree_sitter.Node] | None, text: Text) -> Span | None:
    extent = _extent(nodes)
    return text.trimmed(extent.start, extent.end) if extent else None


def _extent(nodes: list[tree_sitter.Node] | None) -> Span | None:
    if not nodes:
        return None
    if len(nodes) == 1:
        return Span(nodes[0].start_byte, nodes[0].end_byte)
    return Span(min(node.start_byte for node in nodes), max(node.end_byte for node in nodes))


def _owner(written: str, quotes: str) -> str:
    """The name of an owner as written (`*Box[T]`, `a::b<C>`) in dotted form.

    A type that is all brackets (`[u8]`, `(A, B)`) has no other name and stays as it is.
    """
    name, before = written, ""
    while before != name:
        before, name = name, _GENERIC_ARGUMENTS.sub("", name)
    parts = [part.strip(" \t\r\n*&?!'\"" + quotes) for part in PATH_SEPARATOR.split(name)]
    return ".".join(part for part in parts if part) or " ".join(written.split())


def _plain(node: tree_sitter.Node, data: bytes) -> str | None:
    """A receiver worth recording: one line and short."""
    if node.end_byte - node.start_byte > 80:
        return None
    receiver = data[node.start_byte : node.end_byte]
    return None if b"\n" in receiver or b"\r" in receiver else receiver.decode("utf-8")


def _reference_order(reference: Reference) -> tuple[int, int, str]:
    return reference.span.start, reference.span.end, reference.kind


def _import_order(each: Import) -> tuple[int, int, str, str, str]:
    return each.span.start, each.span.end, each.module or "", each.name or "", each.alias or ""
