"""Imports: a statement, the module it names, and the names it imports."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Iterable

import msgspec
import tree_sitter

from sightline.languages import Language
from sightline.symbols.frames import unquoted
from sightline.symbols.model import PATH_SEPARATOR, Import
from sightline.text import Span


def import_parts(
    captures: dict[str, list[tree_sitter.Node]], data: bytes, language: Language
) -> tuple[str | None, str | None, str | None]:
    """Return the module, the name and the alias that a match captures."""
    quotes = language.symbols.quotes
    module = captures.get("import.module")
    name = captures.get("import.name")
    alias = captures.get("import.alias")
    return (
        unquoted(_path(data, module), quotes) if module else None,
        unquoted(_path(data, name), quotes) if name else None,
        unquoted(_path(data, alias), quotes) if alias else None,
    )


class Imports:
    """Combines statements with the names in them."""

    def __init__(self) -> None:
        self._statements: list[Import] = []
        self._names: list[Import] = []

    def add(self, is_statement: bool, found: Import) -> None:
        (self._statements if is_statement else self._names).append(found)

    def among(self, unnamed: Iterable[Span]) -> list[Import]:
        """Return all imports in source order, each marked if it is in an unnamed function.

        `unnamed` are those functions, in order of their starts.
        """
        imports: list[Import] = []
        local_end = 0
        local = iter(unnamed)
        following = next(local, None)
        for each in sorted(self._with_names(), key=_order):
            while following is not None and following.start <= each.span.start:
                local_end = max(local_end, following.end)
                following = next(local, None)
            is_local = each.span.start < local_end
            imports.append(msgspec.structs.replace(each, is_local=True) if is_local else each)
        return imports

    def _with_names(self) -> list[Import]:
        """Combine names that were found alone with the module of the statement around them."""
        if not self._names:
            return self._statements
        by_start = sorted(self._statements, key=lambda each: each.span)
        named: list[Import] = []
        taken = set()
        for part in self._names:
            index = bisect_right(by_start, part.span.start, key=lambda each: each.span.start) - 1
            if index >= 0 and by_start[index].span.contains(part.span):
                around = by_start[index]
                taken.add(around.span)
                named.append(Import(around.module, part.name, part.alias, around.span, around.line))
        return named + [each for each in by_start if each.span not in taken]


def _path(data: bytes, nodes: list[tree_sitter.Node]) -> str:
    """Return what an import names, without quotes or angle brackets.

    A path in several parts, as in `use a::{b, c::D}`, is joined with its own separator.
    """
    if len(nodes) == 1:
        path = data[nodes[0].start_byte : nodes[0].end_byte].decode("utf-8")
    else:
        parts = sorted((node.start_byte, node.end_byte) for node in nodes)
        path = data[slice(*parts[0])].decode("utf-8")
        for (_, end), (start, stop) in itertools.pairwise(parts):
            between = data[end:start].decode("utf-8")
            separator = PATH_SEPARATOR.match(between.lstrip()) if "{" in between else None
            path += (separator[0] if separator else between) + data[start:stop].decode("utf-8")
    path = path.strip("\"'` ")
    return path[1:-1] if path.startswith("<") and path.endswith(">") else path


def _order(each: Import) -> tuple[int, int, str, str, str]:
    return each.span.start, each.span.end, each.module or "", each.name or "", each.alias or ""
