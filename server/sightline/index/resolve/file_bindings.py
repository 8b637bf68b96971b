"""Find what one file says about the types of its variables, fields and results."""

from __future__ import annotations

from functools import cached_property

from msgspec import structs

from sightline.index.resolve.definition_nesting import VALUE_KINDS, Nesting
from sightline.index.resolve.variable_blocks import Blocks
from sightline.languages import ModuleRules
from sightline.symbols import CALLABLE_KINDS, FactsView
from sightline.symbols.facts import BOUND, PART, WRITTEN, Binding


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

    def known(self, name: str, around: int, offset: int) -> list[Binding]:
        """What is said about a variable of a definition where it is used."""
        bindings = self.bound(name, around)
        if bindings and self._rules.block_scopes:
            bindings = [each for each in bindings if self._blocks.reaches(each.start, offset)]
            innermost = max((self._blocks.around(each.start) for each in bindings), default=-1)
            return [each for each in bindings if self._blocks.around(each.start) == innermost]
        if not bindings or around < 0 or self._definitions[around].kind not in CALLABLE_KINDS:
            return bindings
        bindings = [each for each in bindings if self._blocks.reaches(each.start, offset)]
        if not self._rules.declared_first:
            return bindings
        return [each for each in bindings if each.end <= offset][-1:]

    def hides(self, name: str, around: int, offset: int) -> bool:
        """Whether a variable that a function declares takes a name from what is around it."""
        return any(
            (start < offset or not self._rules.declared_first)
            and self._blocks.reaches(start, offset)
            for start in self._locals.get(around, {}).get(name, ())
        )

    def is_variable(self, name: str, offset: int) -> bool:
        """Whether a function around an offset has a variable of that name there."""
        return any(
            self._definitions[index].kind in CALLABLE_KINDS
            and (self.known(name, index, offset) or self.hides(name, index, offset))
            for index in self._nesting.chain(offset)
        )

    def whole(self, part: Binding) -> Binding | None:
        """What is said about the pattern that a name is a part of."""
        return self._by_start.get(part.start - int(part.type.partition(" ")[0]))

    def extent(self, start: int) -> int:
        """Where what says the type of a name at an offset ends; -1 where nothing is said."""
        binding = self._by_start.get(start)
        return binding.end if binding is not None else -1

    def within(self, name: str, start: int, end: int) -> list[Binding]:
        """What is said about a name in a part of the file: a field of a type without a name."""
        return [
            each
            for each in self._view.bindings
            if start < each.start < end and each.name == name and each.form != PART
        ]

    def bounds(self, name: str, offset: int) -> list[Binding]:
        """What is said about a type parameter where it is used; it may be bound to itself."""
        return [
            each for start, end, each in self._parameters.get(name, ()) if start <= offset < end
        ]

    def parameters(self, index: int) -> list[str]:
        """The type parameters of a definition, in order."""
        return list(
            dict.fromkeys(
                name
                for name, bounds in self._parameters.items()
                for _, _, each in bounds
                if self._nesting.enclosing(each.start) == index
            )
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

    def own_type(self, offset: int) -> Binding | None:
        """What the object of members is that stand in a scope of its own (`impl`) at an offset."""
        blocks = [start for start, end, _ in self._view.scopes if start <= offset < end]
        found = [each for each in self._own_types if blocks and max(blocks) <= each.start]
        return found[0] if found and found[0].start <= offset else None

    @cached_property
    def _own_types(self) -> list[Binding]:
        word = self._rules.scope_word
        return [each for each in self._view.bindings if each.name == word and each.form == WRITTEN]

    def taken_by(self, index: int) -> list[Binding]:
        """What is said about the parameters of a function, in order."""
        each = self._definitions[index]
        return self._in_order(each.name_start, each.body if each.body >= 0 else each.end)

    def call_signatures(self, index: int) -> list[list[Binding]]:
        """What is said about the parameters of each way to call the objects of a type."""
        each = self._definitions[index]
        return [
            self._in_order(start, end)
            for start, end in self._view.blocks
            if each.start <= start and end <= each.end and self._nesting.enclosing(start) == index
        ]

    def _in_order(self, start: int, end: int) -> list[Binding]:
        found: list[Binding] = []
        for each in self._view.bindings:
            is_inner = bool(found) and each.start < found[-1].end
            if start < each.start < end and each.form != BOUND and not is_inner:
                found.append(each)
        return found

    def exported(self, name: str) -> list[Binding]:
        """What is said about a name that stands for the file as a whole, wherever it stands."""
        return [each for each in self._view.bindings if each.name == name]

    @cached_property
    def _by_definition(self) -> dict[int, dict[str, list[Binding]]]:
        found: dict[int, dict[str, list[Binding]]] = {}
        typed_end = -1
        for each in self._view.bindings:
            if each.form == BOUND:
                continue
            if self._rules.block_scopes and each.form == WRITTEN and each.start < typed_end:
                # What a type says of its own fields and parameters is no variable.
                continue
            if each.form == PART and (whole := self.whole(each)):
                # A name in a pattern is known behind what the pattern is bound to.
                each = structs.replace(each, end=max(each.end, whole.end))
            around = self._nesting.enclosing(each.start)
            if around >= 0 and self._definitions[around].name_start == each.start:
                if self._definitions[around].kind not in VALUE_KINDS:
                    continue
                around = self._nesting.parents[around]
            elif each.form == WRITTEN:
                typed_end = each.end
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
    def _blocks(self) -> Blocks:
        if not self._rules.block_scopes:
            return Blocks(self._view.blocks)
        extents = {*self._view.blocks, *((each.start, each.end) for each in self._view.unnamed)}
        return Blocks(sorted(extents, key=lambda extent: (extent[0], -extent[1])))

    @cached_property
    def _parameters(self) -> dict[str, list[tuple[int, int, Binding]]]:
        """Type parameters by name, each with the extent of what declares it."""
        found: dict[str, list[tuple[int, int, Binding]]] = {}
        for each in self._view.bindings:
            if each.form != BOUND:
                continue
            around = self._nesting.enclosing(each.start)
            extents = [
                (start, end) for start, end, _ in self._view.scopes if start <= each.start < end
            ]
            if around >= 0:
                definition = self._definitions[around]
                extents.append((definition.start, definition.end))
            if extents:
                start, end = max(extents)
                found.setdefault(each.name, []).append((start, end, each))
        return found

    @cached_property
    def _by_start(self) -> dict[int, Binding]:
        return {each.start: each for each in self._view.bindings}
