"""Find what one file says about the types of its variables, fields and results."""

from __future__ import annotations

from functools import cached_property

from sightline.index.resolve.definition_nesting import VALUE_KINDS, Nesting
from sightline.languages import ModuleRules
from sightline.symbols import FactsView
from sightline.symbols.facts import Binding


class FileBindings:
    """The bindings of one file, found by the definition around them and by name."""

    def __init__(self, view: FactsView, nesting: Nesting, rules: ModuleRules) -> None:
        self._view = view
        self._definitions = view.definitions
        self._nesting = nesting
        self._rules = rules

    def bound(self, name: str, around: int) -> list[Binding]:
        """What is said about a variable's type directly in a definition, -1 being the file."""
        return self._by_definition.get(around, {}).get(name, [])

    def hides(self, name: str, around: int, offset: int) -> bool:
        """Whether a variable that a function declares takes a name from what is around it."""
        return any(
            start < offset or not self._rules.declared_first
            for start in self._locals.get(around, {}).get(name, ())
        )

    def result(self, index: int) -> Binding | None:
        """What a function returns or a field holds, where it is written at its name."""
        return self._by_start.get(self._definitions[index].name_start)

    def fields(self, index: int, name: str) -> list[Binding]:
        """What is said about a field of a type, in the type or in its methods (`self.name = …`)."""
        found = list(self.bound(name, index))
        type_ = self._definitions[index]
        for inner, named in self._by_definition.items():
            if inner < 0 or not type_.start <= self._definitions[inner].start < type_.end:
                continue
            if self._rules.field_sign and name.startswith(self._rules.field_sign):
                found.extend(named.get(name, []))
            for self_name in self._rules.self_names:
                found.extend(named.get(f"{self_name}.{name}", []))
                found.extend(named.get(f"{self_name}->{name}", []))
        return found

    def exported(self, name: str) -> list[Binding]:
        """What is said about a name that stands for the file as a whole, wherever it stands."""
        return [each for each in self._view.bindings if each.name == name]

    @cached_property
    def _by_definition(self) -> dict[int, dict[str, list[Binding]]]:
        found: dict[int, dict[str, list[Binding]]] = {}
        for each in self._view.bindings:
            around = self._nesting.enclosing(each.start)
            if around >= 0 and self._definitions[around].name_start == each.start:
                if self._definitions[around].kind not in VALUE_KINDS:
                    continue
                around = self._nesting.parents[around]
            found.setdefault(around, {}).setdefault(each.name, []).append(each)
        return found

    @cached_property
    def _locals(self) -> dict[int, dict[str, list[int]]]:
        found: dict[int, dict[str, list[int]]] = {}
        for start, name in self._view.local_names:
            around = self._nesting.enclosing(start)
            found.setdefault(around, {}).setdefault(name, []).append(start)
        return found

    @cached_property
    def _by_start(self) -> dict[int, Binding]:
        return {each.start: each for each in self._view.bindings}
