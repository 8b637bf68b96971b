"""Fit named texts into a budget of tokens, each in proportion to its size.

Invariants: texts that fit are returned unchanged. A shortened result costs at most the budget, and
at least 95 % of it if there was so much text. All numbers are whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sightline.recipes.lines import MARKER, count_lines

DEFAULT_BUDGET = 32_000
LEAST_SECTION_TOKENS = 100
CHARACTERS_PER_TOKEN = 4
_METADATA = "_metadata"
_SEPARATOR = "\0"
_END = "\n" + MARKER
_PARTS_FOR_A_LINE_END = 50
_PARTS_OF_A_ROOM = 200


def estimate_tokens(text: str, estimator: Callable[[str], int] | None = None) -> int:
    """Return the approximate number of tokens of a text: a quarter of its characters.

    If given, `estimator` counts instead.
    """
    return len(text) // CHARACTERS_PER_TOKEN if estimator is None else estimator(text)


def fit_to_budget(
    sections: Mapping[str, Any],
    budget: int = DEFAULT_BUDGET,
    *,
    min_section_tokens: int = LEAST_SECTION_TOKENS,
    estimator: Callable[[str], int] | None = None,
) -> dict[str, Any]:
    """Return the sections, cut in proportion to their sizes where they cost more than the budget.

    Where something is cut, `_metadata` says what. A section keeps `min_section_tokens` if it has
    as many and the budget has room for that; else larger sections come first. `estimator` counts
    the tokens of a text instead of `estimate_tokens`.

    A section may be a mapping of texts, such as files by path: each of its texts is cut for itself.
    Other values count as they print; lists are emptied where they alone are over the budget.
    """
    if all(isinstance(each, str) for each in sections.values()):
        return _fit_texts(sections, budget, min_section_tokens, estimator)
    texts, others = _parted(sections)
    room = budget - sum(estimate_tokens(str(each), estimator) for each in others.values())
    emptied = [name for name, each in others.items() if isinstance(each, list) and room < 0]
    for name in emptied:
        room += estimate_tokens(str(others[name]), estimator)
    fitted = _fit_texts(texts, room, min_section_tokens, estimator)
    metadata = fitted.pop(_METADATA, None)
    if metadata is None and not emptied:
        return dict(sections)
    lines = sum(map(count_lines, texts.values()))
    metadata = metadata or {"original_lines": lines, "kept_lines": lines}
    affected = {*metadata.get("sections_affected", ()), *emptied}
    whole = _joined(sections, fitted, frozenset(emptied))
    lost = sum(len(each) for name in emptied if isinstance(each := others[name], list))
    whole[_METADATA] = {
        "truncated": True,
        "original_lines": metadata["original_lines"] + lost,
        "kept_lines": metadata["kept_lines"],
        "sections_affected": [
            name
            for name in sections
            if any(each == name or each.startswith(name + _SEPARATOR) for each in affected)
        ],
    }
    return whole


def _fit_texts(
    sections: Mapping[str, str],
    budget: int,
    min_section_tokens: int,
    estimator: Callable[[str], int] | None,
) -> dict[str, Any]:
    total = _cost(sections, estimator)
    if total <= max(0, budget):
        return dict(sections)
    if estimator is None:
        return _fitted(sections, max(0, budget) * CHARACTERS_PER_TOKEN, min_section_tokens)
    # Find the largest number of characters whose cost is within the budget; it depends on the
    # texts.
    fewest, most = 0, sum(map(len, sections.values()))
    best = _fitted(sections, 0, min_section_tokens)
    while fewest < most and most - fewest > most // _PARTS_OF_A_ROOM:
        room = (fewest + most + 1) // 2
        tried = _fitted(sections, room, min_section_tokens)
        if _cost({name: tried[name] for name in sections}, estimator) <= budget:
            fewest, best = room, tried
        else:
            most = room - 1
    return best


def _parted(
    sections: Mapping[str, Any], above: str = ""
) -> tuple[dict[str, str], dict[str, object]]:
    """Return the texts of sections and of mappings in them, and all other values, by their keys."""
    texts: dict[str, str] = {}
    others: dict[str, object] = {}
    for key, value in sections.items():
        name = f"{above}{key}"
        if isinstance(value, str):
            texts[name] = value
        elif isinstance(value, Mapping) and name != _METADATA:
            more_texts, more_others = _parted(value, name + _SEPARATOR)
            texts |= more_texts
            others |= more_others
        elif value is not None and name != _METADATA:
            others[name] = value
    return texts, others


def _joined(
    sections: Mapping[str, Any], texts: Mapping[str, str], emptied: frozenset[str], above: str = ""
) -> dict[str, Any]:
    """Return sections with other texts, and without the items of some lists."""
    joined: dict[str, Any] = {}
    for key, value in sections.items():
        name = f"{above}{key}"
        if isinstance(value, Mapping) and name != _METADATA:
            joined[key] = _joined(value, texts, emptied, name + _SEPARATOR)
        else:
            joined[key] = [] if name in emptied else texts.get(name, value)
    return joined


def _cost(sections: Mapping[str, str], estimator: Callable[[str], int] | None) -> int:
    return sum(estimate_tokens(text, estimator) for text in sections.values())


def _fitted(sections: Mapping[str, str], room: int, min_section_tokens: int) -> dict[str, Any]:
    """Return the sections shortened to so many characters, and `_metadata`."""
    least = max(0, min_section_tokens) * CHARACTERS_PER_TOKEN
    sizes = _allotted([len(text) for text in sections.values()], room, least)
    fitted: dict[str, Any] = {}
    affected: list[str] = []
    original_lines = kept_lines = 0
    for (name, text), size in zip(sections.items(), sizes, strict=True):
        cut = _cut(text, size)
        fitted[name] = cut
        lines = count_lines(text)
        original_lines += lines
        if cut == text:
            kept_lines += lines
        else:
            affected.append(name)
            kept_lines += _whole_lines(text, cut)
    fitted[_METADATA] = {
        "truncated": bool(affected),
        "original_lines": original_lines,
        "kept_lines": kept_lines,
        "sections_affected": affected,
    }
    return fitted


def _allotted(sizes: Sequence[int], room: int, least: int) -> list[int]:
    """Return how many characters each text may keep, given a total that is
    smaller than their sum.
    """
    # The largest first; texts of equal size in the given order.
    order = sorted(range(len(sizes)), key=lambda index: (-sizes[index], index))
    allotted = [0] * len(sizes)
    if sum(min(size, least) for size in sizes) > room:
        left = room
        for index in order:
            allotted[index] = min(sizes[index], least, left)
            left -= allotted[index]
        return allotted
    sharing = order
    while True:
        total = sum(sizes[index] for index in sharing)
        raised = [
            index for index in sharing if room * sizes[index] // total < min(least, sizes[index])
        ]
        if not raised:
            break
        for index in raised:
            allotted[index] = min(least, sizes[index])
            room -= allotted[index]
        sharing = [index for index in sharing if index not in raised]
    for index in sharing:
        allotted[index] = room * sizes[index] // total
    left = room - sum(allotted[index] for index in sharing)
    for index in sharing[:left]:
        allotted[index] += 1
    return allotted


def _cut(text: str, size: int) -> str:
    """Return the beginning of a text, at most `size` characters with its marker."""
    if len(text) <= size:
        return text
    if size < len(_END):
        return MARKER[:size]
    end = size - len(_END)
    # Cut between two lines if that costs almost nothing: it reads better.
    newline = text.rfind("\n", end - end // _PARTS_FOR_A_LINE_END, end + 1)
    return text[: newline if newline > 0 else end] + _END


def _whole_lines(text: str, cut: str) -> int:
    """Return how many lines of a text are complete in its shortened form."""
    kept = cut.removesuffix(_END)
    if kept == cut:
        return 0
    is_whole_line = text[len(kept) : len(kept) + 1] == "\n"
    return kept.count("\n") + is_whole_line
