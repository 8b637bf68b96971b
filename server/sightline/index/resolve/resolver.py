"""What a name means where it stands: through scopes, imports and plain types, or not at all.

`Resolver` is the entry; the parts that it is made of call each other through `lookups`. Only where
nothing can be told is a name alone taken as a hint, and then said to be one.

Nothing here guesses: where rules lead to several definitions, all are given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sightline.index.name_table import NameTable
from sightline.index.resolve.bare_names import BareNames
from sightline.index.resolve.declared import Declared
from sightline.index.resolve.expressions import PLAIN, dotted
from sightline.index.resolve.manifests import ModuleManifest
from sightline.index.resolve.meaning import DEEPEST, ELSEWHERE, UNKNOWN, Found, Module, Outcome
from sightline.index.resolve.members import Members
from sightline.index.resolve.modules import Modules
from sightline.index.resolve.namespaces import Namespaces
from sightline.index.resolve.overloads import Overloads
from sightline.index.resolve.scopes import NAMED_KINDS, SCOPE_KINDS, FileScope, SymbolId
from sightline.index.resolve.values import Values
from sightline.index.resolve.written_types import WrittenTypes
from sightline.symbols import CALLABLE_KINDS, TYPE_KINDS
from sightline.symbols.facts import COMPLEX, Imported, Reference


class Resolver:
    """Resolves names over the files of one snapshot."""

    def __init__(
        self,
        scope_of: Callable[[str], FileScope | None],
        name_table: NameTable,
        files: Mapping[str, object],
        manifests: Mapping[str, ModuleManifest],
    ) -> None:
        self.declared = Declared(scope_of, name_table, Modules(files, manifests))
        self.namespaces = Namespaces(self.declared)
        self.names = BareNames(self)
        self.values = Values(self)
        self.written = WrittenTypes(self)
        self.members = Members(self)
        self.overloads = Overloads(self)

    def resolve(self, scope: FileScope, reference: Reference) -> Found:
        """The definitions that a use means."""
        name, receiver, start = reference.name, reference.receiver, reference.start
        if reference.kind == "base" and start in scope.extension_names:
            # An extension is of the type it names, and not a type of its kind.
            return ELSEWHERE
        steps, self.values.steps = self.values.steps, 0
        asked_from = self.values.asked_from
        if reference.kind != "base":
            self.values.asked_from = asked_from or (scope, start)
        # A value may be of any kind, and variables hide it.
        use = "" if reference.kind == "value" else reference.kind
        found = self.look_up(scope, name, receiver, start, 0, use)
        if found is UNKNOWN and reference.kind == "call" and scope.rules.calls_apart:
            found = self.look_up(scope, name, receiver, start, 0)
        if found is UNKNOWN and not receiver and self.declared.is_foreign(scope, name):
            found = ELSEWHERE
        if found is UNKNOWN and receiver and name in scope.rules.makers:
            # Every type has one, whether it declares it or not.
            thing = self.values.value(scope, receiver, start, 1)
            found = UNKNOWN if isinstance(thing, Outcome) else ELSEWHERE
        self.values.steps = steps
        self.values.asked_from = asked_from
        if isinstance(found, Outcome):
            return found
        found = self._narrowed(scope, reference, found)
        if isinstance(found, Outcome):
            return found
        kinds = [self.declared.kind(target) for target in found]
        if reference.kind == "value":
            # What holds data is read, and none of those that are asked about.
            return [
                target for target, kind in zip(found, kinds, strict=True) if kind in NAMED_KINDS
            ] or ELSEWHERE
        if reference.kind != "call":
            wanted = [
                target
                for target, kind in zip(found, kinds, strict=True)
                if kind in SCOPE_KINDS
                or (reference.kind == "base" and self.declared.is_open(target))
            ]
            return wanted or UNKNOWN
        callable_ = [
            target
            for target, kind in zip(found, kinds, strict=True)
            if kind in CALLABLE_KINDS or kind in TYPE_KINDS
        ]
        # A module is not called: that is an attribute, or a keyword of another name space.
        return (
            callable_
            or [
                target
                for target, kind in zip(found, kinds, strict=True)
                if kind != "module" or scope.rules.bare_calls
            ]
            or UNKNOWN
        )

    def _narrowed(self, scope: FileScope, reference: Reference, found: Sequence[SymbolId]) -> Found:
        """Those of several that can be called as they are, or with what is passed."""
        if reference.kind == "call" and scope.rules.overloads:
            found = self.overloads.chosen(scope, reference, found)
            if not found:
                return UNKNOWN
        if scope.rules.extension and not reference.receiver and not scope.rules.plain_extensions:
            found = self.members.without_receiver(scope, found, reference.start)
            if not found:
                return UNKNOWN
        extensions = [target for target in found if self.declared.is_extension(target)]
        if extensions:
            found = [target for target in found if target not in extensions]
            if not found:
                return ELSEWHERE
        return found

    def imported(self, scope: FileScope, each: Imported) -> list[SymbolId]:
        """What an import brings in: definitions, or whole files, given with the index -1."""
        each = scope.import_from_top(each)
        rules = scope.rules
        if rules.relative == "words":
            return self._imported_path(scope, each)
        if each.name not in ("", "*") or (rules.default_export and each.alias and not each.name):
            found = self.names.import_(scope, each, set())
            if not isinstance(found, Outcome | Module):
                return list(found)
        if rules.scheme == "folders":
            folder = self.declared.modules.folder(scope, each.module)
            return (
                [(path, -1) for path in self.namespaces.package_files(rules, folder)]
                if folder
                else []
            )
        if rules.scheme == "packages":
            return []
        inner = f"{each.module}{rules.separator}{each.name}"
        if each.module.endswith(rules.separator):
            inner = f"{each.module}{each.name}"
        files = self.declared.modules.files(scope, inner) if each.name and each.name != "*" else ()
        return [(path, -1) for path in files or self.declared.modules.files(scope, each.module)]

    def places_of_import(self, scope: FileScope, each: Imported) -> tuple[str, ...]:
        """Return the paths that an import would lead to where no file of the snapshot is there."""
        modules, separator = self.declared.modules, scope.rules.separator
        each = scope.import_from_top(each)
        found = self.imported(scope, each)
        if any(index >= 0 for _, index in found):
            return ()
        inner = each.module if each.module.endswith(separator) else f"{each.module}{separator}"
        is_named = each.name and each.name != "*"
        below = modules.places(scope, f"{inner}{each.name}") if is_named else ()
        return (*(() if found else modules.places(scope, each.module)), *below)

    def _imported_path(self, scope: FileScope, each: Imported) -> list[SymbolId]:
        separator = scope.rules.separator
        is_named = each.name and each.name != "*"
        path = f"{each.module}{separator}{each.name}" if is_named else each.module
        value = self.names.path(scope, path)
        if isinstance(value, Module):
            return [(file, -1) for file in self.declared.modules.files(value.importer, value.name)]
        return [] if isinstance(value, Outcome) else value

    def look_up(
        self, scope: FileScope, name: str, receiver: str, offset: int, depth: int, use: str = ""
    ) -> Found:
        """What a name behind a receiver means; `use` is the kind of the reference, if it is one."""
        if depth > DEEPEST or receiver == COMPLEX:
            return UNKNOWN
        if not receiver:
            return self.names.bare(scope, name, offset, depth, use)
        thing = self.values.value(scope, receiver, offset, depth + 1)
        if thing is UNKNOWN and scope.rules.scheme == "packages" and PLAIN.fullmatch(receiver):
            return self.namespaces.by_path(scope, f"{dotted(receiver)}.{name}", offset) or UNKNOWN
        if isinstance(thing, Outcome) and use in ("call", "") and scope.rules.scope_word:
            added = self.members.added_to(scope, receiver, offset, name, depth + 1)
            if added:
                return added
        if (
            thing is ELSEWHERE
            and use in ("call", "")
            and self.members.extends_elsewhere(scope.rules, name)
        ):
            return UNKNOWN
        if isinstance(thing, Outcome):
            return thing
        if isinstance(thing, Module):
            return self.names.in_module(thing.importer, thing.name, name)
        found = self.members.member(thing, name, use)
        if found is UNKNOWN and scope.rules.extension and use == "call":
            return self.members.extension(scope.rules, thing, name, depth + 1) or UNKNOWN
        return found
