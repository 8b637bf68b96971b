"""What project packs learn from the index: definitions, and which files use which.

The user of a definition is found by name and imports: an imported name is the imported definition.
Another name belongs to an imported file, to the file's own folder, or to the only definition of
that name. Ambiguous names are ignored. Resolving every use of a large workspace would take longer
than reading it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cached_property

import attrs
import msgspec

from sightline.index import FileScope, Snapshot
from sightline.packs.source import FileFacts, SymbolFact, SymbolUse
from sightline.symbols import CALLABLE_KINDS, TYPE_KINDS, Facts
from sightline.text import Span, Text

_SHARED = TYPE_KINDS | CALLABLE_KINDS | {"module", "type", "macro"}
_MOST_HOMES = 200
"""A name with more definitions (`get`, `__init__`) does not say which is meant."""
_IMPORTING = ("python", "javascript", "typescript", "tsx")
"""Languages in which a file of the same folder must be imported to be used."""

_Place = tuple[str, int]
"""A definition: its file and its number in the file."""


class IndexFacts:
    """The facts of some files of an index. Everything is computed on first use."""

    def __init__(self, snapshot: Snapshot, paths: Sequence[str]) -> None:
        self._snapshot = snapshot
        self._paths = [
            path
            for path in paths
            if (state := snapshot.files.get(path)) is not None
            and state.language
            and not state.fault
        ]
        self._known = set(self._paths)

    def facts(self, path: str) -> FileFacts | None:
        return self._facts.get(path)

    def header(self, symbol: SymbolFact, text: Text) -> Span | None:
        """Return where the header of a definition is in its file, without decorators."""
        scope = self._snapshot.scope(symbol.path)
        if scope is None:
            return None
        for each in scope.definitions:
            if (
                each.qualified_name == symbol.qualified_name
                and scope.view.line_number(each.start) == symbol.start_line
            ):
                start = text.line_start(text.line_of(each.name_start))
                line_end = text.line_end(text.line_of(each.name_start))
                end = each.body if each.body > each.name_start else max(line_end, each.name_start)
                return Span(start, min(end, each.end, len(text.data)))
        return None

    @cached_property
    def _facts(self) -> Mapping[str, FileFacts]:
        # Each file is visited once: its digest is small, its facts are large.
        digests = {
            path: digest for path in self._paths if (digest := self._digest(path)) is not None
        }
        homes = _homes(digests)
        uses = {path: self._uses(path, digest, homes) for path, digest in digests.items()}
        used_by: dict[str, list[str]] = {}
        depends: dict[str, list[str]] = {}
        for path, digest in digests.items():
            # A unique name says which definition is meant, but is not a dependency.
            near = {home for home, _ in uses[path] if _are_near(path, home, digest)}
            for home in sorted(
                (digest.imported_files(homes, self._known) | near) - {path}, key=_bytes
            ):
                used_by.setdefault(home, []).append(path)
                depends.setdefault(path, []).append(home)
        return {
            path: FileFacts(
                language=digest.language,
                symbols=digest.symbols,
                imports=digest.modules,
                depends_on=tuple(depends.get(path, ())),
                used_by=tuple(used_by.get(path, ())),
                uses=tuple(_listed(uses[path], digests)),
            )
            for path, digest in digests.items()
        }

    def _digest(self, path: str) -> _FileDigest | None:
        scope = self._snapshot.scope(path)
        state = self._snapshot.files[path]
        data = self._snapshot.packed_facts(path, state) if scope is not None else None
        if scope is None or data is None:
            return None
        facts = msgspec.msgpack.decode(data, type=Facts)
        numbers = Counter(memoryview(facts.references[2]).cast("I"))
        return _FileDigest(
            language=state.language,
            family=scope.rules.family,
            package=scope.package,
            folder=scope.folder,
            symbols=self._symbols(path, scope),
            modules=tuple(dict.fromkeys(each.module or each.name for each in scope.view.imports)),
            brought=tuple(self._brought(scope)),
            names=tuple((facts.names[number], count) for number, count in numbers.items()),
        )

    def _brought(self, scope: FileScope) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield what imports bring in: a name, and the files that it may come from.

        If packages are not files, the single entry is the package's name.
        """
        rules, modules = scope.rules, self._snapshot.resolver.declared.modules
        for each in scope.imports:
            name = each.name if each.name != "*" else ""
            if rules.scheme == "packages":
                package, _, last = each.module.rpartition(".")
                yield (name, (each.module,)) if name else (last, (package,))
            elif rules.scheme == "folders":
                folder = modules.folder(scope, each.module)
                if folder is not None:
                    files = self._snapshot.resolver.namespaces.package_files(rules, folder)
                    yield name, tuple(file for file in files if file in self._known)
            else:
                found: Sequence[str] = ()
                if name:
                    between = "" if each.module.endswith(rules.separator) else rules.separator
                    found = modules.files(scope, f"{each.module}{between}{name}")
                found = found or modules.files(scope, each.module)
                yield name, tuple(file for file in found if file in self._known)

    def _symbols(self, path: str, scope: FileScope) -> tuple[SymbolFact, ...]:
        """Return the definitions of a file that are not local to a function."""
        parents = scope.nesting.parents
        is_local: list[bool] = []
        found: list[SymbolFact] = []
        for index, each in enumerate(scope.definitions):
            parent = parents[index]
            within = parent >= 0 and (
                is_local[parent] or scope.definitions[parent].kind in CALLABLE_KINDS
            )
            is_local.append(within)
            if not within:
                found.append(
                    SymbolFact(
                        path,
                        each.name,
                        each.qualified_name,
                        each.kind,
                        scope.view.line_number(each.start),
                        scope.view.line_number(max(each.start, each.end - 1)),
                    )
                )
        return tuple(found)

    def _uses(self, path: str, digest: _FileDigest, homes: _Homes) -> Counter[_Place]:
        brought: dict[str, set[str]] = {}
        for name, sources in digest.brought:
            brought.setdefault(name, set()).update(sources)
        files = {file for listed in brought.values() for file in listed}
        uses: Counter[_Place] = Counter()
        for name, count in digest.names:
            places = homes.get((digest.family, name), ())
            if not places or any(home.path == path for home in places):
                continue
            own = brought.get(name, set())
            meant = [each for each in places if each.path in own or each.package in own]
            if not meant:
                meant = [each for each in places if each.path in files]
            if not meant:
                meant = [each for each in places if _are_near(path, each.path, digest)]
            if not meant and len(places) == 1:
                meant = list(places)
            if 0 < len(meant) <= 3:
                for each in meant:
                    uses[each.path, each.number] += count
        return uses


@attrs.frozen
class _Home:
    """One of the definitions of a name."""

    path: str
    number: int
    package: str


_Homes = Mapping[tuple[str, str], tuple[_Home, ...]]
"""By the family of a language and a name."""


@attrs.frozen
class _FileDigest:
    """What is kept of a file while all files are visited."""

    language: str
    family: str
    package: str
    folder: str
    symbols: tuple[SymbolFact, ...]
    modules: tuple[str, ...]
    brought: tuple[tuple[str, tuple[str, ...]], ...]
    names: tuple[tuple[str, int], ...]

    def imported_files(self, homes: _Homes, known_files: Set[str]) -> set[str]:
        found: set[str] = set()
        for name, places in self.brought:
            known = homes.get((self.family, name), ())
            exact = {each.path for each in known if {each.path, each.package} & set(places)}
            found |= exact or (known_files & set(places))
        return found


def _homes(digests: Mapping[str, _FileDigest]) -> _Homes:
    found: dict[tuple[str, str], list[_Home]] = {}
    for path, digest in digests.items():
        for number, symbol in enumerate(digest.symbols):
            if symbol.kind in _SHARED:
                key = (digest.family, symbol.name)
                found.setdefault(key, []).append(_Home(path, number, digest.package))
    return {key: tuple(places) for key, places in found.items() if len(places) <= _MOST_HOMES}


def _are_near(path: str, home: str, digest: _FileDigest) -> bool:
    return digest.language not in _IMPORTING and _folder(home) == digest.folder and home != path


def _listed(uses: Counter[_Place], digests: Mapping[str, _FileDigest]) -> Iterator[SymbolUse]:
    for (path, number), count in sorted(
        uses.items(), key=lambda each: (_bytes(each[0][0]), each[0][1])
    ):
        yield SymbolUse(path, digests[path].symbols[number].qualified_name, count)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _bytes(path: str) -> bytes:
    return path.encode("utf-8", "replace")
