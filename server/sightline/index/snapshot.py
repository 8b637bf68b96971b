"""One moment of a workspace, and the questions that it answers.

References are kept by name and resolved when somebody asks: nothing here was linked beforehand.

Invariants:

* No I/O, no clock: facts that are not there are loaded by the function the index was given.
* A snapshot depends on its files' paths, contents and languages alone.
* Every list that leaves a snapshot is in a total order.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from fnmatch import fnmatchcase, translate
from functools import cached_property, lru_cache

import attrs
import msgspec

from sightline.index.declared import Declared
from sightline.index.manifests import Manifest
from sightline.index.meaning import Found, Outcome
from sightline.index.model import Confidence, Evidence, Place, Relation, RelationKind
from sightline.index.modules import Modules
from sightline.index.names import Deferred, NameTable
from sightline.index.resolving import Resolver
from sightline.index.scopes import FileScope, Target
from sightline.languages import Language
from sightline.symbols import Facts, FactsView, FileSummary
from sightline.symbols.facts import Reference, defined, used
from sightline.symbols.model import PATH_SEPARATOR

_MOST_SCOPES = 2048
_MOST_NAMES = 100_000
_RANKS = {Confidence.RESOLVED: 0, Confidence.AMBIGUOUS: 1, Confidence.TEXTUAL: 2}


class FileState(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One visible file as the index knows it."""

    digest: bytes
    """SHA-256 of its text, in UTF-8 and without byte order mark; of its bytes where it is none."""
    language: str = ""
    """"" where it is none that has facts."""
    key: bytes = b""
    """Under which its facts are stored."""
    fault: str = ""
    """Why a file of a known language has no facts: the reason of a refusal."""
    manifest: Manifest | None = None
    declarations: int = 0
    references: int = 0


LoadFacts = Callable[[str, FileState], bytes | None]
PushedFacts = bytes | Callable[[], bytes | None]
"""Facts, or a function that brings them when somebody asks; any thread may."""


class Snapshot:
    """What the index knew at one moment. Safe to read from several threads."""

    def __init__(
        self,
        files: Deferred[Mapping[str, FileState]],
        names: NameTable,
        is_complete: bool,
        policy: str,
        toolchain: Mapping[str, str],
        languages: Mapping[str, Language],
        loader: Loader,
        scopes: Scopes,
    ) -> None:
        self._files = files
        self.index_complete = is_complete
        self._names = names
        self._policy = policy
        self._toolchain = toolchain
        self._languages = languages
        self._loader = loader
        self._scopes = scopes
        self._last_use: tuple[tuple[str, str, int | None], Sequence[str]] | None = None
        """Of one symbol callers, implementers and others are asked for in a row."""

    @cached_property
    def files(self) -> Mapping[str, FileState]:
        """Every visible file."""
        return self._files.value

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over everything that can make an answer differ."""
        digest = hashlib.sha256()
        in_use = sorted({state.language for state in self.files.values() if state.language})
        head = {
            "policy": self._policy,
            "toolchain": [[name, self._toolchain.get(name, "")] for name in in_use],
        }
        digest.update(json.dumps(head, sort_keys=True, separators=(",", ":")).encode())
        for path in self.paths:
            state = self.files[path]
            name = path.encode("utf-8", "surrogateescape")
            fault = state.fault.encode()
            language = state.language.encode()
            for part in (name, state.digest, language, fault):
                digest.update(len(part).to_bytes(4, "little") + part)
        return digest.hexdigest()

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Every visible file in bytewise order."""
        return tuple(sorted(self.files, key=lambda path: path.encode("utf-8", "surrogateescape")))

    def scope(self, path: str) -> FileScope | None:
        """A file's facts; None for one without."""
        state = self.files.get(path)
        if state is None or not state.language or state.fault:
            return None
        return self._scopes.get(path, state, self._loader)

    @cached_property
    def files_by_word(self) -> Mapping[str, Sequence[str]]:
        """Files of known languages by each telling word of their name, in path order."""
        found: dict[str, list[str]] = {}
        for path in self.paths:
            if self.files[path].language:
                for word in sorted(words_of_name(path)):
                    found.setdefault(word, []).append(path)
        return found

    @cached_property
    def files_by_folder(self) -> Mapping[str, Sequence[str]]:
        """Files of known languages by the folder that they stand in, in path order."""
        found: dict[str, list[str]] = {}
        for path in self.paths:
            if self.files[path].language:
                found.setdefault(posixpath.dirname(path), []).append(path)
        return found

    def files_naming(self, name: str) -> Set[str]:
        """The files that may declare or use a name; perhaps some too many."""
        return {*self._names.files(used(name)), *self._names.files(defined(name))}

    # Definitions.

    def definitions(self, name: str) -> list[Place]:
        """Definitions by name, by qualified name, by the end of one, or by `path::symbol`."""
        return [self.place(target) for target in self.find(name)]

    def find(self, wanted: str) -> list[Target]:
        path, separator, symbol = wanted.partition("::")
        if separator and path in self.files:
            scope = self.scope(path)
            if scope is None:
                return []
            symbol = _dotted(symbol)
            return [
                (path, index)
                for index, each in enumerate(scope.definitions)
                if each.qualified_name == symbol or each.name == symbol
            ]
        dotted = _dotted(wanted)
        last = dotted.rpartition(".")[2]
        found: list[tuple[int, Target]] = []
        for path in self._names.files(defined(last)):
            scope = self.scope(path)
            if scope is None:
                continue
            for named in scope.members.values():
                for index in named.get(last, ()):
                    full = scope.full_name(index)
                    qualified = scope.definitions[index].qualified_name
                    if dotted in (full, qualified):
                        found.append((0, (path, index)))
                    elif full.endswith(f".{dotted}"):
                        found.append((1, (path, index)))
        best = min((rank for rank, _ in found), default=0)
        chosen = [target for rank, target in found if rank == best or last == dotted]
        return sorted(chosen, key=self._order)

    def paths_naming(self, part: str) -> Iterator[str]:
        """Files with a name in them, declared or used, that has `part` in it, case folded."""
        for path in self.paths:
            state = self.files[path]
            if not state.language or state.fault:
                continue
            names = self._scopes.names(path, state, self._loader)
            if part in names:
                yield path

    def place(self, target: Target) -> Place:
        scope = self.scope(target[0])
        if scope is None or target[1] < 0:
            return Place(target[0], "", "file", 1)
        each = scope.definitions[target[1]]
        return Place(
            target[0], each.qualified_name, each.kind, scope.view.line_number(each.name_start)
        )

    def symbol_at(self, path: str, offset: int) -> Target | None:
        """The innermost definition around a byte offset."""
        scope = self.scope(path)
        index = scope.enclosing(offset) if scope else -1
        return (path, index) if index >= 0 else None

    def symbol_around(self, path: str, offset: int, summary: FileSummary) -> Target | None:
        """As `symbol_at`, where what stands in front of a definition and belongs to it counts.

        A doc comment or an `export` is part of the region of a symbol, which `summary` knows.
        """
        scope = self.scope(path)
        index = scope.following(offset) if scope else -1
        if scope is not None and index >= 0 and scope.parents[index] == scope.enclosing(offset):
            name_start = scope.definitions[index].name_start
            for each in summary.symbols:
                if each.name_span.start == name_start and each.region.start <= offset:
                    return (path, index)
        return self.symbol_at(path, offset)

    # Relations.

    def callees(self, target: Target, hops: int = 1) -> list[Relation]:
        return self._walk(target, hops, self._direct_callees)

    def callers(
        self, target: Target, hops: int = 1, most_files: int | None = None
    ) -> list[Relation]:
        """Who calls a definition; of more than so many files that name it, the nearest."""
        return self._walk(target, hops, lambda each: self._direct_callers(each, most_files))

    def bases(self, target: Target) -> list[Relation]:
        """The types that a type extends or implements."""
        relations: list[Relation] = []
        for path, reference in self.resolver.members.base_references(target):
            scope = self.scope(path)
            if scope is not None:
                relations.extend(self._relation(RelationKind.BASE, scope, reference))
        return _ordered(relations)

    def implementers(self, target: Target, most_files: int | None = None) -> list[Relation]:
        """The types that extend or implement a type."""
        return self._users(target, "base", RelationKind.IMPLEMENTER, most_files)

    def type_users(self, target: Target, most_files: int | None = None) -> list[Relation]:
        """The definitions that name a type."""
        return self._users(target, "type", RelationKind.DEPENDENT, most_files)

    def importers(self, target: Target, most_files: int | None = None) -> list[Relation]:
        """The files that import a definition by its name."""
        scope = self.scope(target[0])
        if scope is None:
            return []
        name = scope.definitions[target[1]].name
        relations: list[Relation] = []
        for path in self._files_using(name, target[0], most_files):
            other = self.scope(path)
            if other is None or other.rules.family != scope.rules.family:
                continue
            for each in other.view.imports:
                if each.name != name:
                    continue
                found = self.resolver.imported(other, each)
                if target in found:
                    relations.append(
                        Relation(
                            RelationKind.DEPENDENT,
                            self._confidence(found),
                            (Place(path, "", "file", 1),),
                            Evidence(path, other.view.line_number(each.start), name),
                        )
                    )
        return _ordered(relations)

    def dependencies(self, path: str) -> list[Relation]:
        """What a file imports from the workspace."""
        scope = self.scope(path)
        if scope is None:
            return []
        relations: list[Relation] = []
        for each in scope.view.imports:
            found = self.resolver.imported(scope, each)
            if not found:
                continue
            relations.append(
                Relation(
                    RelationKind.DEPENDENCY,
                    self._confidence(found),
                    tuple(sorted(self.place(target) for target in found)),
                    Evidence(
                        path,
                        scope.view.line_number(each.start),
                        each.name or each.alias or each.module,
                    ),
                )
            )
        return _ordered(relations)

    def types_used(self, target: Target) -> list[Relation]:
        """The types that a definition names, in its header and in its body."""
        scope = self.scope(target[0])
        if scope is None:
            return []
        relations: list[Relation] = []
        for reference in scope.references_in(target[1]):
            if reference.kind == "type":
                relations.extend(self._relation(RelationKind.DEPENDENCY, scope, reference))
        return _ordered(relations)

    def configs(self, path: str) -> list[Relation]:
        """Project files that say how a file is built or checked, the nearest first."""
        language = self._languages.get(self.files[path].language) if path in self.files else None
        patterns = language.configs if language else ()
        relations: list[Relation] = []
        folder = posixpath.dirname(path)
        distance = 1
        open_patterns = list(patterns)
        while open_patterns:
            here = self._in_folder.get(folder, ())
            for pattern in list(open_patterns):
                matching = [
                    name
                    for name in here
                    if fnmatchcase(name, pattern) and not self._is_module(folder, name, language)
                ]
                for name in matching:
                    found = f"{folder}/{name}" if folder else name
                    relations.append(
                        Relation(
                            RelationKind.CONFIG,
                            Confidence.RESOLVED,
                            (Place(found, "", "file", 1),),
                            Evidence(found, 1, name),
                            distance,
                        )
                    )
                if matching:
                    open_patterns.remove(pattern)
            if not folder:
                break
            folder = posixpath.dirname(folder)
            distance += 1
        return _ordered(relations)

    def around(self, path: str, target: Target | None, hops: int = 1) -> list[Relation]:
        """Everything that a file, or a symbol of it, stands in relation to."""
        if target is None:
            return [*self.dependencies(path), *self.configs(path)]
        return [
            *self.bases(target),
            *self.implementers(target),
            *self.callers(target, hops),
            *self.callees(target, hops),
            *self.types_used(target),
            *self.configs(path),
        ]

    @cached_property
    def languages(self) -> tuple[tuple[str, int], ...]:
        """How many files each language has, the most first."""
        counts = Counter(state.language for state in self.files.values() if state.language)
        return tuple(sorted(counts.items(), key=lambda each: (-each[1], each[0])))

    @cached_property
    def folders(self) -> tuple[tuple[str, int], ...]:
        """How many visible files each folder at the root has, the most first."""
        counts = Counter(path.partition("/")[0] for path in self.files if "/" in path)
        return tuple(
            sorted(counts.items(), key=lambda each: (-each[1], each[0].encode("utf-8", "replace")))
        )

    def project_files(self, folder: str) -> tuple[str, ...]:
        """Files in a folder that say how something is built, in bytewise order."""
        prefix = f"{folder}/" if folder else ""
        return tuple(f"{prefix}{name}" for name in self._in_folder.get(folder, ()))

    @property
    def policy(self) -> str:
        """A digest of the rules that decide which files are visible."""
        return self._policy

    def _is_module(self, folder: str, name: str, language: Language | None) -> bool:
        """Whether a file that is called like a project file is a module of a package instead."""
        if language is None or not language.modules.package_file:
            return False
        state = self.files[posixpath.join(folder, name)]
        marker = posixpath.join(folder, language.modules.package_file)
        return state.language == language.name and marker in self.files

    @cached_property
    def resolver(self) -> Resolver:
        manifests = {
            path: state.manifest for path, state in self.files.items() if state.manifest is not None
        }
        return Resolver(Declared(self.scope, self._names, Modules(self.files, manifests)))

    @cached_property
    def _in_folder(self) -> dict[str, list[str]]:
        """File names by folder, for folders that hold a project file."""
        patterns = sorted(
            {pattern for language in self._languages.values() for pattern in language.configs}
        )
        is_config = re.compile("|".join(translate(pattern) for pattern in patterns)).match
        found: dict[str, list[str]] = {}
        for path in self.paths:
            folder, _, name = path.rpartition("/")
            if is_config(name):
                found.setdefault(folder, []).append(name)
        return found

    def _walk(
        self, target: Target, hops: int, direct: Callable[[Target], list[Relation]]
    ) -> list[Relation]:
        relations: list[Relation] = []
        seen = {target}
        level = [target]
        for hop in range(1, hops + 1):
            following: list[Target] = []
            for each in level:
                for relation in direct(each):
                    relations.append(attrs.evolve(relation, hops=hop))
                    if relation.confidence is Confidence.TEXTUAL:
                        continue
                    for place in relation.targets:
                        if not place.symbol:
                            continue
                        for found in self.find(f"{place.path}::{place.symbol}"):
                            if found not in seen:
                                seen.add(found)
                                following.append(found)
            level = following
        return _ordered(relations)

    def _direct_callees(self, target: Target) -> list[Relation]:
        scope = self.scope(target[0])
        if scope is None:
            return []
        relations: list[Relation] = []
        for reference in scope.references_in(target[1]):
            if reference.kind == "call":
                relations.extend(self._relation(RelationKind.CALLEE, scope, reference))
        return relations

    def _direct_callers(self, target: Target, most_files: int | None) -> list[Relation]:
        return self._users(target, "call", RelationKind.CALLER, most_files)

    def _files_using(self, name: str, path: str, most: int | None) -> Sequence[str]:
        """The files that use a name; of more than so many those that are nearest to a path."""
        key, last = (name, path, most), self._last_use
        if last is not None and last[0] == key:
            return last[1]
        files = self._names.files(used(name))
        if most is not None and len(files) > most:
            files = sorted(files, key=lambda each: (folders_between(path, each), each))[:most]
        self._last_use = (key, files)
        return files

    def _users(
        self, target: Target, kind: str, relation: RelationKind, most_files: int | None
    ) -> list[Relation]:
        """Who uses a definition: every use of its name that does, or may, mean it."""
        scope = self.scope(target[0])
        if scope is None:
            return []
        each = scope.definitions[target[1]]
        if each.name in scope.rules.constructors or each.kind == "constructor":
            # Who calls a type calls its constructor.
            around = scope.parents[target[1]]
            if around >= 0:
                target, each = (scope.path, around), scope.definitions[around]
        relations: list[Relation] = []
        for path in self._files_using(each.name, target[0], most_files):
            other = self.scope(path)
            if other is None or other.rules.family != scope.rules.family:
                continue
            for reference in _uses(other, each.name):
                if reference.kind != kind:
                    continue
                found, confidence = self.meaning(other, reference)
                if target in found:
                    user = (path, other.user(reference.start))
                    relations.append(
                        Relation(
                            relation,
                            confidence,
                            (self.place(user),),
                            _evidence(other, reference),
                        )
                    )
        return _ordered(relations)

    def meaning(
        self, scope: FileScope, reference: Reference
    ) -> tuple[Sequence[Target], Confidence]:
        """What a use means or may mean, and how sure that is."""
        found: Found = self.resolver.resolve(scope, reference)
        if found is Outcome.ELSEWHERE:
            return (), Confidence.TEXTUAL
        if isinstance(found, Outcome):
            return self.resolver.declared.by_name(scope, reference), Confidence.TEXTUAL
        return found, self._confidence(found)

    def _confidence(self, found: Sequence[Target]) -> Confidence:
        return Confidence.RESOLVED if self.resolver.declared.is_one(found) else Confidence.AMBIGUOUS

    def _relation(
        self, kind: RelationKind, scope: FileScope, reference: Reference
    ) -> Iterator[Relation]:
        found, confidence = self.meaning(scope, reference)
        if found:
            yield Relation(
                kind,
                confidence,
                tuple(sorted(self.place(target) for target in found)),
                _evidence(scope, reference),
            )

    def _order(self, target: Target) -> tuple[bytes, int]:
        return target[0].encode("utf-8", "surrogateescape"), target[1]


def folders_between(one: str, other: str) -> int:
    """How many steps lead from the folder of one file to that of another."""
    return _steps_between(one.rpartition("/")[0], other.rpartition("/")[0])


@lru_cache(maxsize=8_192)
def _steps_between(one: str, other: str) -> int:
    mine, its = one.split("/"), other.split("/")
    shared = 0
    while shared < min(len(mine), len(its)) and mine[shared] == its[shared]:
        shared += 1
    return len(mine) + len(its) - 2 * shared


def words_of_name(path: str) -> frozenset[str]:
    """The words in a file's name that say what it is about."""
    words = _NOT_WORDS.split(posixpath.basename(path).lower())
    return frozenset(words[:-1]) - _TELLING_NOTHING


_NOT_WORDS = re.compile(r"[\W_]+")
_TELLING_NOTHING = frozenset(["", "test", "tests", "spec", "index", "init", "mod", "main"])


class Loader:
    """Facts by path: pushed in, or from the store."""

    def __init__(self, facts: Mapping[str, PushedFacts], load: LoadFacts) -> None:
        self._facts = facts
        self._load = load

    def __call__(self, path: str, state: FileState) -> Facts | None:
        pushed = self._facts.get(path)
        packed = pushed() if callable(pushed) else pushed
        if packed is None:
            packed = self._load(path, state)
        return msgspec.msgpack.decode(packed, type=Facts) if packed is not None else None


class Scopes:
    """File scopes that were used last, whichever snapshot they were made for."""

    def __init__(self, languages: Mapping[str, Language]) -> None:
        self._languages = languages
        self._known: OrderedDict[tuple[str, bytes], FileScope] = OrderedDict()
        self._versions: dict[str, tuple[bytes, ...]] = {}
        """The keys of a path that were asked for last: each key a person presses makes another."""
        self._names: dict[bytes, str] = {}
        """By key of the facts; forgotten when texts that are gone have filled it."""

    def names(self, path: str, state: FileState, loader: Loader) -> str:
        """Every name in a file, case folded, a line each."""
        known = self._names.get(state.key)
        if known is None:
            facts = loader(path, state)
            known = "\n".join(facts.names).casefold() if facts is not None else ""
            if len(self._names) >= _MOST_NAMES:
                self._names.clear()
            self._names[state.key] = known
        return known

    def get(self, path: str, state: FileState, loader: Loader) -> FileScope | None:
        key = (path, state.key)
        known = self._known.get(key)
        if known is None:
            facts = loader(path, state)
            if facts is None:
                return None
            language = self._languages[state.language]
            known = FileScope(path, language, FactsView(facts, language))
            self._known[key] = known
            *older, last = *self._versions.get(path, ()), state.key
            self._versions[path] = (*older[-1:], last)
            for each in older[:-1]:
                self._known.pop((path, each), None)
            while len(self._known) > _MOST_SCOPES:
                self._known.popitem(last=False)
        return known


def _uses(scope: FileScope, name: str) -> Iterable[Reference]:
    """Uses of a name in a file, under another name it was imported by as well."""
    yield from scope.references.get(name, ())
    for alias in scope.aliases.get(name, ()):
        yield from scope.references.get(alias, ())


def _evidence(scope: FileScope, reference: Reference) -> Evidence:
    return Evidence(scope.path, scope.view.line_number(reference.start), reference.name)


def _ordered(relations: Iterable[Relation]) -> list[Relation]:
    return sorted(
        relations,
        key=lambda each: (
            each.hops,
            _RANKS[each.confidence],
            each.evidence.path.encode("utf-8", "surrogateescape"),
            each.evidence.line,
            each.evidence.name,
            each.targets,
        ),
    )


def _dotted(name: str) -> str:
    parts = PATH_SEPARATOR.split(name)
    return ".".join(parts) if all(parts) else name
