"""The map of a repository: the signatures that matter most, within a number of tokens.

A definition matters as far as other files use it and as far as its file is changed and used. The
order of the rank decides what is in; what is in is shown by path and line.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import attrs

from sightline.packs.hotspots import is_aside
from sightline.packs.source import PackSource, SymbolFact

_MOST_LINES = 4
_MOST_LOOKED_AT = 4_000
_MOST_ROUNDS = 3
_SHOWN = {
    "class",
    "interface",
    "struct",
    "enum",
    "trait",
    "module",
    "type",
    "function",
    "method",
    "constructor",
    "macro",
}


_COMMENT = re.compile(r"\s*(?:#(?!\[)|//)")
_STUBBED = {"python", "typescript", "tsx"}


@attrs.frozen
class _RankedSymbol:
    weight: int
    symbol: SymbolFact


@attrs.frozen
class MapText:
    text: str
    files: int
    shown: int
    ranked: int


def repository_map(source: PackSource, tokens: int, count: Callable[[str], int]) -> MapText:
    """Return the map as text of at most so many tokens, as `count` counts them."""
    ranked = _ranked(source)
    allowed = tokens
    chosen = _chosen(source, ranked, allowed, count)
    text = _rendered(chosen)
    for _ in range(_MOST_ROUNDS):
        # Lines cost less together than one by one.
        left = tokens - count(text)
        if left < tokens // 50:
            break
        allowed += left
        more = _chosen(source, ranked, allowed, count)
        fuller = _rendered(more)
        if fuller == text:
            break
        chosen, text = more, fuller
    while chosen and count(text) > tokens:
        _drop_last(chosen)
        text = _rendered(chosen)
    shown = sum(len(listed) for listed in chosen.values())
    return MapText(text, len(chosen), shown, len(ranked))


def _drop_last(chosen: dict[str, list[tuple[int, str]]]) -> None:
    """Leave out the last line of the file that came last."""
    path = next(reversed(chosen))
    chosen[path].pop()
    if not chosen[path]:
        del chosen[path]


def _chosen(
    source: PackSource, ranked: list[_RankedSymbol], tokens: int, count: Callable[[str], int]
) -> dict[str, list[tuple[int, str]]]:
    """Return the lines that have room, by path, with those that matter most first."""
    chosen: dict[str, list[tuple[int, str]]] = {}
    named: set[tuple[str, str]] = set()
    spent = 0
    for entry in ranked[:_MOST_LOOKED_AT]:
        symbol = entry.symbol
        if (symbol.path, symbol.qualified_name) in named and _has_stubs(source, symbol.path):
            continue
        lines = _lines(source, symbol, named)
        if not lines:
            continue
        heading = 0 if symbol.path in chosen else count(f"\n{symbol.path}:\n")
        cost = heading + sum(count(signature + "\n") for _, signature in lines)
        if spent + cost > tokens:
            if tokens - spent < 20:
                break
            continue
        spent += cost
        chosen.setdefault(symbol.path, []).extend(lines)
        named.add((symbol.path, symbol.qualified_name))
        if len(lines) > 1:
            named.add((symbol.path, _container_of(symbol)))
    return chosen


def _lines(
    source: PackSource, symbol: SymbolFact, named: set[tuple[str, str]]
) -> list[tuple[int, str]]:
    """Return the signature of a symbol, below that of its type where it does not say it itself."""
    signature = _short(source.signature(symbol))
    if not signature:
        return []
    own = (symbol.start_line, signature)
    outer = _container_of(symbol)
    if not outer or not signature[0].isspace() or (symbol.path, outer) in named:
        return [own]
    facts = source.facts(symbol.path)
    types = [each for each in facts.symbols if each.qualified_name == outer] if facts else []
    header = _short(source.signature(types[0])) if types else ""
    return [(types[0].start_line, header), own] if header else [own]


def _container_of(symbol: SymbolFact) -> str:
    return symbol.qualified_name.rpartition(".")[0]


def _has_stubs(source: PackSource, path: str) -> bool:
    """Return whether overloads in a file have no body of their own: one of them says enough."""
    facts = source.facts(path)
    return facts is not None and facts.language in _STUBBED


def _rendered(chosen: dict[str, list[tuple[int, str]]]) -> str:
    blocks = [
        f"{path}:\n" + "\n".join(signature for _, signature in sorted(set(listed)))
        for path, listed in sorted(chosen.items(), key=lambda each: each[0].encode())
    ]
    return "\n\n".join(blocks) + ("\n" if blocks else "")


def _ranked(source: PackSource) -> list[_RankedSymbol]:
    """Return the definitions of the project, the ones that matter most first."""
    uses: dict[tuple[str, str], int] = {}
    files = [path for path in source.paths if not is_aside(path)]
    for path in source.paths:
        facts = source.facts(path)
        own = 1 if is_aside(path) else 3
        for use in facts.uses if facts is not None else ():
            key = (use.path, use.qualified_name)
            uses[key] = uses.get(key, 0) + own * min(use.count, 3)
    entries: list[_RankedSymbol] = []
    for path in files:
        facts = source.facts(path)
        if facts is None:
            continue
        history = source.history(path)
        changed = min(history.commits, 60) if history is not None else 0
        users = min(len(facts.used_by), 60)
        for symbol in facts.symbols:
            if symbol.kind not in _SHOWN or _is_private(symbol.name):
                continue
            used = min(uses.get((path, symbol.qualified_name), 0), 90)
            lines = min(symbol.end_line - symbol.start_line + 1, 60)
            weight = (2 + used) * (10 + 3 * changed + users) * (20 + lines)
            entries.append(_RankedSymbol(weight, symbol))
    entries.sort(key=lambda each: (-each.weight, each.symbol.path.encode(), each.symbol.start_line))
    return entries


def _is_private(name: str) -> bool:
    return name.startswith("__") and name != "__init__"


def without_comments(signature: str) -> str:
    """Return a signature without the comments below its first line, as Ruby has them."""
    first, *others = signature.strip("\n").split("\n")
    return "\n".join([first, *(each for each in others if not _COMMENT.match(each))])


def _short(signature: str) -> str:
    """Return the first lines of a signature, without the body that stands for one."""
    plain = without_comments(signature)
    lines = [line.rstrip() for line in plain.split("\n") if line.strip()]
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], f"{lines[_MOST_LINES - 1]} …"]
    return "\n".join(lines)
