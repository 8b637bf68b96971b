"""Files near a target: those that share rare names with it, its folder, or words of its path.

No relation leads to them, so they are optional and weigh nothing; nearness only decides which of
them are offered, and in which order. A name counts more the fewer files have it, a name in the
symbol itself counts four times one in the rest of its file, and the sum is divided by the number
of folders between the two files.

Invariants: whole numbers; only the name table and the scopes of the chosen files are read.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Set

import attrs

from sightline.index import FileState, Snapshot, SymbolId, folders_between, words_of_name
from sightline.symbols import TYPE_KINDS

_WORD = re.compile(rb"[^\W\d]\w{2,}")
_RARITY = 2_000
_OWN_SHARE = 4
_ALIKE = 3_000
_COMMON_SHARE = 4
"""A name that one in so many files has says nothing."""
_MOST_NAMES = 400
_MOST_SYMBOLS = 1
_MOST_REFERENCES = 2_500
"""A larger file costs more to look at than one signature of it is worth."""


@attrs.frozen
class Near:
    path: str
    symbols: tuple[tuple[str, int], ...]
    """Where the rarest shared names stand, by qualified name and line of the name."""
    line: int
    """Of the rarest shared name; 1 where none is shared."""
    name: str


def nearest(snapshot: Snapshot, target: SymbolId, data: bytes, most: int) -> list[Near]:
    """The files nearest to a symbol, the nearest first. `data` is the text of its file."""
    path, index = target
    scope = snapshot.scope(path)
    if scope is None:
        return []
    own = scope.definitions[index]
    words = frozenset(_WORD.findall(data, own.start, own.end))
    rest = frozenset(_WORD.findall(data)) - words
    shared = _shared(snapshot, words, rest)
    alike = {
        each
        for word in sorted(words_of_name(path))
        for each in snapshot.files_by_word.get(word, ())
    }
    ranks: list[tuple[int, int, bytes, str]] = []
    steps: dict[str, int] = {}
    for each in {*shared, *alike}:
        state = snapshot.files.get(each)
        if each == path or state is None or not _is_worth_it(state):
            continue
        folder = each.rpartition("/")[0]
        between = steps.get(folder, -1)
        if between < 0:
            between = steps[folder] = folders_between(path, each)
        score = sum(shared[each].values()) // (1 + between) if each in shared else 0
        score += _ALIKE if each in alike else 0
        ranks.append((-score, between, each.encode("utf-8", "surrogateescape"), each))
    ranks.sort()
    chosen = [each for _, _, _, each in ranks[:most]]
    if len(chosen) < most:
        known = frozenset(chosen)
        beside = snapshot.files_by_folder.get(posixpath.dirname(path), ())
        chosen += [
            each
            for each in beside
            if each != path and each not in known and _is_worth_it(snapshot.files[each])
        ]
    return [_near(snapshot, each, shared.get(each, {})) for each in chosen[:most]]


def _is_worth_it(state: FileState) -> bool:
    """A file that declares nothing has no signature to show."""
    return bool(state.declarations) and state.references <= _MOST_REFERENCES


def _shared(snapshot: Snapshot, words: Set[bytes], rest: Set[bytes]) -> dict[str, dict[str, int]]:
    """By file, the names that it shares with a symbol and the rest of its file, and their worth."""
    common = max(8, len(snapshot.files) // _COMMON_SHARE)
    # Long names are rare ones more often than not.
    longest = sorted(rest, key=lambda word: (-len(word), word))[:_MOST_NAMES]
    shared: dict[str, dict[str, int]] = {}
    for share, some in ((_OWN_SHARE, sorted(words)[:_MOST_NAMES]), (1, longest)):
        for word in some:
            name = word.decode("utf-8")
            naming = snapshot.files_naming(name)
            if len(naming) <= common:
                worth = share * _RARITY // max(1, len(naming))
                for each in naming:
                    shared.setdefault(each, {})[name] = worth
    return shared


def _near(snapshot: Snapshot, path: str, shared: Mapping[str, int]) -> Near:
    scope = snapshot.scope(path)
    if scope is None:
        return Near(path, (), 1, "")
    line, said = 1, ""
    types: list[int] = []
    smaller: list[int] = []
    for name in sorted(shared, key=lambda each: (-shared[each], each)):
        definitions = [each for named in scope.members.values() for each in named.get(name, ())]
        starts = [scope.definitions[each].name_start for each in definitions]
        uses = [reference.start for reference in scope.references.get(name, ())]
        if not said and (starts or uses):
            line, said = scope.view.line_number(min(starts + uses)), name
        users = (user for start in uses if (user := scope.nesting.user(start)) >= 0)
        for each in (*definitions, *users):
            # A type costs all of its members: it stands for its file where nothing smaller does.
            kept = types if scope.definitions[each].kind in TYPE_KINDS else smaller
            if each not in kept:
                kept.append(each)
        if len(smaller) >= _MOST_SYMBOLS:
            break
    symbols = []
    for each in (smaller or types)[:_MOST_SYMBOLS]:
        definition = scope.definitions[each]
        symbols.append((definition.qualified_name, scope.view.line_number(definition.name_start)))
    return Near(path, tuple(symbols), line, said)
