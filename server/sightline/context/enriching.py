"""Enrichment: what is shown besides the assembled blocks while there is room.

There is one fixed order of steps. A larger budget takes a longer prefix of it, and the first step
that does not fit is the last that is looked at.

Invariant: the order of the steps does not depend on the budget, and a budget with fewer of them has
the first ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import attrs

from sightline.bundle import Priority
from sightline.context.assembling import Assembly, Gathered
from sightline.context.fusing import Step
from sightline.context.layout import Entry

_MOST_IN_VAIN = 32
_FILES_BEFORE_LARGE_ONES = 40
"""Until so many files are shown, nothing optional makes a file cost more than `_LARGEST_FILE`."""
_LARGEST_FILE = 5_000
_MOST_AT_ONCE = 40
"""Where so many parts are related or fewer, they need not wait."""
_READ_AHEAD = 4


@attrs.frozen
class Taken:
    """A step that was taken, and what was shown before."""

    step: Step
    before: Entry | None
    entry: Entry
    gathered: Gathered | None


@attrs.frozen
class Enriched:
    taken: tuple[Taken, ...]
    is_ended: bool
    """True if no step was left, False if one did not fit."""


def enrich(
    assembly: Assembly, steps: Sequence[Step], limit: int, most_steps: int | None = None
) -> Enriched:
    """Take the steps while the bundle costs at most `limit` tokens."""
    layout = assembly.layout
    taken: list[Taken] = []
    if layout.tokens > limit:
        return Enriched((), is_ended=False)
    for step, entry, gathered in _growing(assembly, steps):
        if most_steps is not None and len(taken) == most_steps:
            return Enriched(tuple(taken), is_ended=False)
        before = layout.get(entry.key)
        layout.put(entry)
        if layout.tokens > limit:
            _put_back(assembly, entry, before)
            return Enriched(tuple(taken), is_ended=False)
        taken.append(Taken(step, before, entry, assembly.gathered.get(step.path)))
        assembly.gathered[step.path] = gathered
    return Enriched(tuple(taken), is_ended=True)


def undo(assembly: Assembly, taken: Taken) -> None:
    """Show what was shown before a step."""
    _put_back(assembly, taken.entry, taken.before)
    if taken.gathered is None:
        assembly.gathered.pop(taken.step.path, None)
    else:
        assembly.gathered[taken.step.path] = taken.gathered


def _put_back(assembly: Assembly, entry: Entry, before: Entry | None) -> None:
    if before is None:
        assembly.layout.remove(entry.key)
    else:
        assembly.layout.put(before)


def _growing(assembly: Assembly, steps: Sequence[Step]) -> Iterator[tuple[Step, Entry, Gathered]]:
    """Each step with the block that it leads to; the caller takes it before it asks for the next.

    An optional step that would make a file too large waits until many files are shown. Once many
    steps in a row add nothing to a file or would make it too large, its later optional ones wait
    uncut: each costs as much as the file is long, and there may be many thousands.
    """
    waiting: list[Step] = []
    in_vain: Counter[str] = Counter()
    has_crowd = sum(each.priority is not Priority.P3 for each in steps) > _MOST_AT_ONCE
    for number, step in enumerate(steps):
        if step.is_unlikely and waiting:
            # A smaller budget has no unlikely steps, and what waits comes last there.
            yield from _waited(assembly, waiting)
            waiting = []
        assembly.reader.expect(each.path for each in steps[number : number + _READ_AHEAD])
        has_many = assembly.layout.related_count >= _FILES_BEFORE_LARGE_ONES
        is_optional = step.priority is Priority.P3 or has_crowd
        if is_optional and in_vain[step.path] >= _MOST_IN_VAIN and not has_many:
            waiting.append(step)
            continue
        grown = _grown(assembly, step)
        if grown is None:
            in_vain[step.path] += 1
            continue
        entry, gathered = grown
        if is_optional and _is_too_large(assembly, entry):
            in_vain[step.path] += 1
            waiting.append(step)
        else:
            in_vain[step.path] = 0
            yield step, entry, gathered
            if waiting and assembly.layout.related_count >= _FILES_BEFORE_LARGE_ONES:
                yield from _waited(assembly, waiting)
                waiting = []
    yield from _waited(assembly, waiting)


def _waited(assembly: Assembly, steps: Sequence[Step]) -> Iterator[tuple[Step, Entry, Gathered]]:
    in_vain: Counter[str] = Counter()
    for step in steps:
        if in_vain[step.path] == _MOST_IN_VAIN:
            continue
        grown = _grown(assembly, step)
        in_vain[step.path] = in_vain[step.path] + 1 if grown is None else 0
        if grown is not None:
            yield (step, *grown)


def _grown(assembly: Assembly, step: Step) -> tuple[Entry, Gathered] | None:
    """The block of a file with one more part; None if that changes nothing."""
    before = assembly.gathered.get(step.path, Gathered())
    gathered = before.with_candidates(step.candidates)
    if step.part is not None:
        gathered = attrs.evolve(gathered, outlined=gathered.outlined - {step.part})
    if step.relation is not None and step.part is not None:
        similar = (*gathered.similar, (step.part, step.relation, step.value))
        gathered = attrs.evolve(gathered, similar=tuple(dict.fromkeys(similar)))
    if gathered == before:
        return None
    entry = assembly.grown(step.path, gathered)
    if entry is None:
        return None
    current = assembly.layout.get(entry.key)
    is_same = current is not None and current.block.content == entry.block.content
    if is_same and not step.is_related:
        return None
    return entry, gathered


def _is_too_large(assembly: Assembly, entry: Entry) -> bool:
    if assembly.layout.related_count >= _FILES_BEFORE_LARGE_ONES:
        return False
    return assembly.layout.tokens_of(entry) > _LARGEST_FILE


def shown_priorities(enriched: Enriched) -> dict[Priority, int]:
    """How many steps of each priority were taken."""
    found: dict[Priority, int] = {}
    for each in enriched.taken:
        found[each.step.priority] = found.get(each.step.priority, 0) + 1
    return found
