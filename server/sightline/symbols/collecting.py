"""Collect what is needed to cut a file: matches of the language's query, sorted by role."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import tree_sitter

from sightline.languages.tags import PatternRole, QueryPattern
from sightline.symbols.frames import (
    Definitions,
    Frame,
    RawFrame,
    make_frame,
    namesakes,
    raw_frame,
    unnamed_functions,
)
from sightline.symbols.importing import Imports, import_parts
from sightline.symbols.model import Hidden, Import
from sightline.symbols.nested_names import Captures, with_names
from sightline.syntax import Match, Parsed, matches
from sightline.text import Span


@attrs.define(eq=False)
class Found:
    """Everything that a query found; each list is in source order after `sort`."""

    frames: list[Frame] = attrs.Factory(list)
    wrappers: dict[tuple[int, int], tuple[int, int]] = attrs.Factory(dict)
    wrapped: dict[tuple[int, int], set[tuple[int, int]]] = attrs.Factory(dict)
    decorators: list[Span] = attrs.Factory(list)
    comments: list[Span] = attrs.Factory(list)
    kept: list[Span] = attrs.Factory(list)
    errors: list[Span] = attrs.Factory(list)
    hidden_bodies: list[Hidden] = attrs.Factory(list)
    hidden_values: list[Hidden] = attrs.Factory(list)
    imports: list[Import] = attrs.Factory(list)

    def add_wrapper(self, outer: tree_sitter.Node, inner: tree_sitter.Node) -> None:
        """Note that one node belongs to the region of a declaration inside it."""
        wrapper = (outer.start_byte, outer.end_byte)
        wrapped = (inner.start_byte, inner.end_byte)
        if wrapped != wrapper:
            self.wrappers[wrapped] = wrapper
            self.wrapped.setdefault(wrapper, set()).add(wrapped)

    def sort(self) -> None:
        """Put each list in source order."""
        self.kept.sort()
        self.hidden_bodies.sort(key=lambda each: each.span)
        self.hidden_values.sort(key=lambda each: each.span)
        self.errors.sort()


def collect(parsed: Parsed) -> Found:
    """Sort the query's matches by role, without nesting them."""
    tags = parsed.language.tags
    patterns = tags.patterns
    text = parsed.text
    found = Found(errors=list(parsed.errors))
    language = parsed.language
    declared: list[tuple[RawFrame, Captures]] = []
    candidates: list[tuple[RawFrame, Captures]] = []
    around: list[RawFrame] = []
    decorators: set[Span] = set()
    comments: set[Span] = set()
    imports = Imports()
    for index, captures in _in_order(matches(parsed, tags.query)):
        pattern = patterns[index]
        role = pattern.role
        if role is PatternRole.DEFINITION:
            for named in with_names(captures, pattern, language):
                raw = raw_frame(index, pattern, named, text.data, language)
                (candidates if pattern.only else declared).append((raw, named))
            continue
        node = captures[pattern.capture][0]
        if role is PatternRole.COMMENT:
            comments.add(text.trimmed(node.start_byte, node.end_byte))
        elif role is PatternRole.DECORATOR:
            decorators.add(Span(node.start_byte, node.end_byte))
        elif role is PatternRole.VALUE:
            span = text.trimmed(node.start_byte, node.end_byte)
            found.hidden_values.append(Hidden(span, pattern.placeholder))
        elif role is PatternRole.ERROR:
            found.errors.append(Span(node.start_byte, node.end_byte))
        elif role is PatternRole.KEEP:
            found.kept.append(text.trimmed(node.start_byte, node.end_byte))
        elif role is PatternRole.WRAPPER:
            found.add_wrapper(node, captures["wrapped"][0])
        elif role is PatternRole.IMPORT or role is PatternRole.IMPORTED:
            span = text.trimmed(node.start_byte, node.end_byte)
            module, name, alias = import_parts(captures, text.data, language)
            each = Import(module, name, alias, span, text.line_of(span.start) + 1)
            imports.add(role is PatternRole.IMPORT, each)
        else:
            raw = raw_frame(index, pattern, captures, text.data, language)
            around.append(raw)
            frame = make_frame(raw, pattern, captures, text, language)
            if role is PatternRole.BODY:
                hidden = Hidden(Span(frame.start, frame.end), pattern.placeholder)
                found.hidden_bodies.append(hidden)
            found.frames.append(frame)
    around += [raw for raw, _ in declared]
    numbers = namesakes([raw for raw, _ in candidates], around, patterns)
    declared += [candidates[number] for number in numbers]
    found.frames = _definitions(declared, parsed).nested_with(found.frames)
    found.decorators = sorted(decorators)
    found.comments = sorted(comments)
    found.imports = imports.among(unnamed_functions(found.frames))
    found.sort()
    return found


def _definitions(declared: Sequence[tuple[RawFrame, Captures]], parsed: Parsed) -> Definitions:
    def make(raw: RawFrame, pattern: QueryPattern, number: int) -> Frame:
        return make_frame(raw, pattern, declared[number][1], parsed.text, parsed.language)

    definitions = Definitions(parsed.language.tags.patterns, make)
    for number, (raw, _) in enumerate(declared):
        definitions.add(raw, number)
    return definitions


def _in_order(found: list[Match]) -> list[Match]:
    """Return matches by pattern, so that an earlier pattern takes precedence."""
    return sorted(found, key=lambda match: match[0])
