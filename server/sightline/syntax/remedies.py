"""Remedies for errors in grammars.

Some grammars report an error in correct text, or misread it without an error. A language enables
each remedy in its `language.toml`.

Invariant: no remedy moves a byte. The parser's input is as long as the text, except for a line
break at its end; so every offset in a tree is an offset in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import tree_sitter

from sightline.languages import Language
from sightline.syntax.conditionals import one_configuration
from sightline.text import Span, Text

_BLANKED = bytes.maketrans(b"\r\n\\", b"   ")

_LONGEST_MENDED = 256 * 1024
"""The limit for `read_as` and `conditionals`: the text is parsed up to three times, and a long one
would exceed the worker's limit.
"""


def source_of(language: Language, text: Text) -> bytes:
    """Return the parser's input. An added line break at the end moves no declaration."""
    if language.grammar_rules.final_newline and not text.data.endswith(b"\n"):
        return text.data + b"\n"
    return text.data


def may_be_misread(language: Language, source: bytes) -> bool:
    """Return True if the source contains text that the grammar may misread without an error."""
    misread = language.syntax.misread
    return misread is not None and misread.search(source) is not None


def mended_source(language: Language, source: bytes, tree: tree_sitter.Tree) -> bytes:
    """Return the source changed so that the grammar can read it, with the same length.

    So every offset in its tree is an offset in the text, and names are read from the text.
    """
    if language.syntax.joining_brackets:
        # Some grammars end a block at a line with less indentation, even between brackets.
        source = _joined_lines(source, tree, language.syntax.joining_brackets)
    if len(source) <= _LONGEST_MENDED:
        for each in language.syntax.read_as:
            instead = each.replacement.encode("utf-8")
            source = each.pattern.sub(partial(_as_long, instead), source)
    return source


def configured_source(language: Language, source: bytes, errors: Sequence[Span]) -> bytes:
    """Return the source with one alternative of each `#if` that splits a statement or a block."""
    if not language.syntax.conditionals or len(source) > _LONGEST_MENDED:
        return source
    return one_configuration(source, errors)


def is_harmless(language: Language, text: Text, missing: tree_sitter.Node) -> bool:
    """Return True if a node that seems to lack something is known to be complete."""
    around: tree_sitter.Node | None = missing
    while around is not None and around.start_byte == around.end_byte:
        around = around.parent
    harmless = language.grammar_rules.harmless
    if around is None or harmless is None:
        return False
    return harmless.fullmatch(text.data, around.start_byte, around.end_byte) is not None


def _as_long(other: bytes, found: re.Match[bytes]) -> bytes:
    """Replace a match, or its group, by one repeated character or by a word and blanks."""
    start, end = found.span(found.re.groups)
    size = end - start
    instead = other * size if len(other) == 1 else other.ljust(size)[:size]
    return found.string[found.start() : start] + instead + found.string[end : found.end()]


def _joined_lines(data: bytes, tree: tree_sitter.Tree, brackets: Mapping[str, str]) -> bytes:
    """Return the text with blanks for line breaks and comments between brackets, of the same
    length.

    Brackets are counted over the tree's tokens, which are correct even if its structure is not;
    those in strings do not count.
    """
    closing = frozenset(brackets.values())
    joined = bytearray(data)
    depth = 0
    position = 0
    for token in _tokens(tree):
        if depth:
            start = position
            end = token.end_byte if token.is_extra else token.start_byte
            joined[start:end] = (
                joined[start:end].translate(_BLANKED)
                if not token.is_extra
                else (b" " * (end - start))
            )
        if token.type in brackets:
            depth += 1
        elif token.type in closing and depth:
            depth -= 1
        position = max(position, token.end_byte)
    return bytes(joined)


def _tokens(tree: tree_sitter.Tree) -> Iterator[tree_sitter.Node]:
    pending = [tree.root_node]
    while pending:
        node = pending.pop()
        if node.child_count:
            pending.extend(reversed(node.children))
        elif node.start_byte < node.end_byte:
            yield node
