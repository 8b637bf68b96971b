"""Atoms: literals without which a pattern is not searched for, and sets that leave patterns out."""

from __future__ import annotations

import gc
import random
import re

import pytest

from sightline.egress.atoms import BEYOND_ASCII, atoms_of
from sightline.egress.scanning import scan
from sightline.egress.secret_patterns import (
    SecretPattern,
    SecretPatternSet,
    compiled_for_texts,
    texts,
)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (rb"token=[a-z]+", [b"token="]),
        (rb"(?i)\bPass(?:word|wd)?[a-z]+=", [b"pass"]),
        (rb"(?:glsa_[A-Z]{2}|glc_[A-Z])", [b"glsa_", b"glc_"]),
        (rb"p(?:ass|wd)[0-9]", [b"pass", b"pwd"]),
        (rb"a[bc]{2}d", [b"abbd", b"abcd", b"acbd", b"accd"]),
        (rb"(?:key){2,}[0-9]+x", [b"keykey"]),
        (rb"x?[0-9]*-----BEGIN", [b"-----begin"]),
        (rb"\x41bc\.d", [b"abc.d"]),
        ("ключ".encode() + rb"|secret", [BEYOND_ASCII, b"secret"]),
    ],
)
def test_atoms_are_read_off_a_source(source: bytes, expected: list[bytes]) -> None:
    """Every match of the pattern holds one of them, in any case."""
    assert atoms_of(source) == frozenset(expected)


@pytest.mark.parametrize(
    "source", [rb"[0-9a-f]{32}", rb"(?:token)?[0-9]+", rb"token|[0-9]+", rb"a(?=b)", rb"\pN+token("]
)
def test_a_pattern_without_atoms_is_always_searched(source: bytes) -> None:
    """A match may hold none, or the source is not understood."""
    assert atoms_of(source) is None


def test_atoms_stand_in_every_match_of_every_rule() -> None:
    """Whatever a rule's own pattern finds in mixed text has an atom of the pattern."""
    chance = random.Random(1)
    words = sorted({atom for source in _patterns() for atom in atoms_of(source) or ()})
    glue = [b" ", b"=", b': "', b"\n", b"('", b"', '", b"-", b"_", b"a8Fk2LmQ9xTz4Rb7", b"12:34"]
    found = 0
    sources = _patterns()
    for _ in range(12):
        text = b"".join(chance.choice(chance.choice((words, glue))) for _ in range(120))
        for source in chance.sample(sources, 50):
            atoms = atoms_of(source)
            if atoms is None:
                continue
            for match in SecretPattern(source).finditer(text):
                found += 1
                content = match.group().lower()
                assert any(
                    atom in content or (atom == BEYOND_ASCII and not content.isascii())
                    for atom in atoms
                )
    assert found > 5


def test_a_set_finds_what_its_patterns_find() -> None:
    """With and without atoms, few and many at once."""
    sources = [rb"[0-9]{6}", *(b"(?i)word%d[a-z]" % number for number in range(20))]
    patterns = SecretPatternSet(sources)
    for text in (b"", b"nothing", b"WORD3x", b"word1a 123456 word2b", b" ".join(
        b"word%dz" % number for number in range(20)
    )):  # fmt: skip
        expected = [
            index for index, source in enumerate(sources) if re.search(source, text) is not None
        ]
        assert patterns.found_in(text) == expected


def test_no_text_outlives_its_scan() -> None:
    """What a text has is remembered while it is scanned, and no longer."""
    pattern = compiled_for_texts(rb"late_registered[0-9]")
    text = b"password = 'x'" + b" late_registered1"
    scan(text)
    assert texts.is_without(text, 0) is False
    assert pattern.search(text) is not None


def _patterns() -> list[bytes]:
    # What a process has frozen is in no list of the collector's.
    gc.unfreeze()
    sets = [each for each in gc.get_objects() if type(each) is SecretPatternSet]
    return sorted({source for each in sets for source in each.sources})
