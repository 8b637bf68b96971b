"""Every format of a vendor finds what it describes: values are made from the format itself."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from re import _constants as opcodes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from sightline.egress import scan
from sightline.egress.vendors import _FORMATS

_TRIES = 12
_MOST_REPEATED = 48
_PATTERNS = {form.name: form.pattern._source.decode("ascii") for form in _FORMATS}


@pytest.mark.parametrize("name", sorted(_PATTERNS))
def test_a_value_of_the_format_is_covered(name: str) -> None:
    """Of some values that fit, at least one: others may look like words or examples by chance."""
    parsed = parser.parse(_PATTERNS[name].replace("(?i)", ""))
    for seed in range(_TRIES):
        value = "".join(_made(parsed, random.Random(f"{name} {seed}"))).strip()
        data = f"see {value} there\n".encode()
        reached = 4
        for finding in scan(data):
            if finding.span.start <= reached:
                reached = max(reached, finding.span.end)
        if reached >= 4 + len(value):
            return
    pytest.fail(f"no value of {name} is found, such as {value!r}")


def _made(parsed: Any, chance: random.Random) -> Iterator[str]:
    """Pieces of a text that a parsed pattern matches."""
    for kind, argument in parsed:
        if kind is opcodes.LITERAL:
            yield chr(argument)
        elif kind is opcodes.IN:
            yield chance.choice(_members(argument))
        elif kind in (opcodes.ANY, opcodes.NOT_LITERAL):
            yield chance.choice("abcXYZ019")
        elif kind is opcodes.CATEGORY:
            yield chance.choice(_of_category(argument))
        elif kind in (opcodes.MAX_REPEAT, opcodes.MIN_REPEAT):
            least, most, repeated = argument
            most = min(int(most), max(least, _MOST_REPEATED))
            for _ in range(chance.randint(max(least, most // 2), most)):
                yield from _made(repeated, chance)
        elif kind is opcodes.SUBPATTERN:
            yield from _made(argument[-1], chance)
        elif kind is opcodes.BRANCH:
            yield from _made(chance.choice(argument[1]), chance)
        else:
            assert kind in (opcodes.AT, opcodes.ASSERT, opcodes.ASSERT_NOT), kind


def _members(members: Any) -> str:
    found = ""
    is_negated = False
    for kind, argument in members:
        if kind is opcodes.LITERAL:
            found += chr(argument)
        elif kind is opcodes.RANGE:
            found += "".join(map(chr, range(argument[0], argument[1] + 1)))
        elif kind is opcodes.CATEGORY:
            found += _of_category(argument)
        else:
            is_negated = kind is opcodes.NEGATE
    if is_negated:
        return "".join(each for each in "abcdefXYZ0123456789" if each not in found)
    return found


def _of_category(category: Any) -> str:
    pattern = {opcodes.CATEGORY_DIGIT: r"\d", opcodes.CATEGORY_WORD: r"\w"}.get(category, r"\s")
    return "".join(each for each in map(chr, range(33, 127)) if re.match(pattern, each)) or " "
