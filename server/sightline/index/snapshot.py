"""One moment of a workspace, and the questions that it answers.

References are kept by name and resolved on demand: nothing is linked in advance.

Invariants:

* No I/O, no clock: missing facts are loaded by the function that the index was given.
* A snapshot depends only on its files' paths, contents and languages.
* Every list that a snapshot returns is in a total order.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cached_property
from typing import TYPE_CHECKING

from sightline.bundle import HiddenFiles
from sightline.index.file_facts import FileState, Loader, ScopeCache
from sightline.index.indexed_terms import Terms
from sightline.index.likeness.model import RULES, Like, Matches, Unit
from sightline.index.model import SymbolLocation
from sightline.index.name_table import Lazy, NameTable
from sightline.index.path_names import bytewise
from sightline.index.project_files import ProjectFiles
from sightline.index.relations import Relations
from sightline.index.resolve import FileScope, Resolver, SymbolId
from sightline.languages import Language
from sightline.symbols import FileSummary
from sightline.symbols.facts import defined, used
from sightline.symbols.model import PATH_SEPARATOR

if TYPE_CHECKING:
    from sightline.index.likeness.postings import Likeness


class Snapshot:
    """What the index knew at one moment. Safe to read from several threads."""

    def __init__(
        self,
        files: Lazy[Mapping[str, FileState]],
        names: NameTable,
        is_scanned: bool,
        pending: Set[str],
        policy: str,
        toolchain: Mapping[str, str],
        languages: Mapping[str, Language],
        loader: Loader,
        scopes: ScopeCache,
        hidden: tuple[HiddenFiles, ...],
        terms: Terms,
    ) -> None:
        self._files = files
        self.is_scanned = is_scanned
        """True if every visible file has been applied, with its facts or as pending."""
        self.index_complete = is_scanned and not pending
        """True if the facts of every visible file that can have any are available."""
        self._names = names
        self.policy = policy
        """A digest of the rules that decide which files are visible."""
        self._toolchain = toolchain
        self.languages_by_name = languages
        self._loader = loader
        self._scopes = scopes
        self._terms = terms
        self.kept: dict[str, object] = {}
        """Values derived from this snapshot alone, by name."""
        self.uncounted = terms.uncounted
        """Texts whose terms are not counted yet."""
        self.terms_complete = is_scanned and not terms.uncounted and not pending
        """True if the terms of every visible text are counted."""
        self.packed_facts = loader.packed
        """Returns the stored facts of a file that has a language and no fault."""
        self.hidden = hidden
        """Source files that rules hide, and that a person may allow."""

    @cached_property
    def files(self) -> Mapping[str, FileState]:
        """Every visible file."""
        return self._files.value

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over everything that can change an answer."""
        digest = hashlib.sha256()
        in_use = sorted({state.language for state in self.files.values() if state.language})
        head = {
            "policy": self.policy,
            "terms": RULES,
            "toolchain": [[name, self._toolchain.get(name, "")] for name in in_use],
        }
        digest.update(json.dumps(head, sort_keys=True, separators=(",", ":")).encode())
        for path in self.paths:
            state = self.files[path]
            name = bytewise(path)
            fault = f"{state.fault} {state.limit}".strip().encode()
            language = state.language.encode()
            for part in (name, state.digest, language, fault):
                digest.update(len(part).to_bytes(4, "little") + part)
        return digest.hexdigest()

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Every visible file in bytewise order."""
        return tuple(sorted(self.files, key=bytewise))

    @cached_property
    def quarantined(self) -> tuple[str, ...]:
        """Files whose text exceeded a limit, in bytewise order: their contents are not known."""
        found = [path for path, state in self.files.items() if state.limit]
        return tuple(sorted(found, key=bytewise))

    def scope(self, path: str) -> FileScope | None:
        """Return a file's facts; None if it has none."""
        state = self.files.get(path)
        if state is None or not state.language or state.fault:
            return None
        return self._scopes.get(path, state, self._loader)

    def files_using(self, name: str) -> Sequence[str]:
        """Return the files that use a name, whatever it means there."""
        return self._names.files(used(name))

    def files_declaring(self, name: str) -> Sequence[str]:
        """Return the files that declare a name, and possibly some others."""
        return self._names.files(defined(name))

    def files_naming(self, name: str) -> Set[str]:
        """Return the files that declare or use a name, and possibly some others."""
        return {*self._names.files(used(name)), *self._names.files(defined(name))}

    def definitions(self, name: str) -> list[SymbolLocation]:
        """Find definitions by name, qualified name, the end of one, or `path::symbol`."""
        return [self.place(target) for target in self.find(name)]

    def find(self, wanted: str) -> list[SymbolId]:
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
        found: list[tuple[int, SymbolId]] = []
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
        return sorted(chosen, key=_order)

    def paths_naming(self, part: str) -> Iterator[str]:
        """Return files that declare or use a name containing `part`, case folded."""
        for path in self.paths:
            state = self.files[path]
            if not state.language or state.fault:
                continue
            names = self._scopes.names(path, state, self._loader)
            if part in names:
                yield path

    def place(self, target: SymbolId) -> SymbolLocation:
        scope = self.scope(target[0])
        if scope is None or target[1] < 0:
            return SymbolLocation(target[0], "", "file", 1)
        each = scope.definitions[target[1]]
        return SymbolLocation(
            target[0], each.qualified_name, each.kind, scope.view.line_number(each.name_start)
        )

    def symbol_at(self, path: str, offset: int) -> SymbolId | None:
        """Return the innermost definition around a byte offset."""
        scope = self.scope(path)
        index = scope.nesting.enclosing(offset) if scope else -1
        return (path, index) if index >= 0 else None

    def symbol_around(self, path: str, offset: int, summary: FileSummary) -> SymbolId | None:
        """Like `symbol_at`, but a definition includes what stands before it and belongs to it.

        A doc comment or an `export` is part of the region of a symbol, which `summary` knows.
        """
        scope = self.scope(path)
        index = scope.nesting.following(offset) if scope else -1
        if (
            scope is not None
            and index >= 0
            and scope.nesting.parents[index] == scope.nesting.enclosing(offset)
        ):
            name_start = scope.definitions[index].name_start
            for each in summary.symbols:
                if each.name_span.start == name_start and each.region.start <= offset:
                    return (path, index)
        return self.symbol_at(path, offset)

    @cached_property
    def languages(self) -> tuple[tuple[str, int], ...]:
        """Return the number of files of each language, the most frequent first."""
        counts = Counter(state.language for state in self.files.values() if state.language)
        return tuple(sorted(counts.items(), key=lambda each: (-each[1], each[0])))

    @cached_property
    def folders(self) -> tuple[tuple[str, int], ...]:
        """Return the number of visible files in each top-level folder, the largest first."""
        counts = Counter(path.partition("/")[0] for path in self.files if "/" in path)
        return tuple(
            sorted(counts.items(), key=lambda each: (-each[1], each[0].encode("utf-8", "replace")))
        )

    def project_files(self, folder: str) -> tuple[str, ...]:
        """Return the project files in a folder, in bytewise order."""
        return self._project_files.in_folder(folder)

    def like(self, query: Sequence[tuple[str, int]], limit: int) -> Sequence[Like]:
        """Return the units that share most with a query, the best first; see `query_words`.

        A query contains words as they are written, and the weight of each. The order is total:
        value, path as bytes, line. Texts that are not counted yet are not included.
        """
        return self.likeness.like(query, limit)

    def matches(self, query: Sequence[tuple[str, int]], limit: int) -> Matches:
        """Like `like`, with how much each file shares with the query."""
        return self.likeness.matches(query, limit)

    def units(self, path: str) -> Sequence[Unit]:
        """Return the units of a file, in order; none if it is not counted."""
        return self.likeness.units(path)

    @cached_property
    def likeness(self) -> Likeness:
        """The counted terms of every file."""
        return self._terms.likeness(self.files)

    @cached_property
    def relations(self) -> Relations:
        """How its symbols and files are related."""
        return Relations(
            self.scope, self.find, self.place, self._names, self.resolver, self._project_files
        )

    @cached_property
    def resolver(self) -> Resolver:
        manifests = {
            path: state.manifest for path, state in self.files.items() if state.manifest is not None
        }
        return Resolver(self.scope, self._names, self.files, manifests)

    @cached_property
    def _project_files(self) -> ProjectFiles:
        return ProjectFiles(self.files, self.languages_by_name)


def _order(target: SymbolId) -> tuple[bytes, int]:
    return bytewise(target[0]), target[1]


def _dotted(name: str) -> str:
    parts = PATH_SEPARATOR.split(name)
    return ".".join(parts) if all(parts) else name
