"""Values that are known to be secrets are found wherever they stand, however many there are."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sightline.egress import Certainty, Finding, KnownSecrets, known_secrets, scan, with_known
from sightline.text import Span
from tests.egress.values import key_lines, mixed, private_key

_LETTERS = "aB3"
"""So few that values overlap, repeat and are parts of each other."""


def _known(*values: bytes, certainty: Certainty = Certainty.CERTAIN) -> KnownSecrets:
    return known_secrets(
        (value, [Finding(Span(0, len(value)), "some-rule", "token", certainty, True)])
        for value in values
    )


def _covered(data: bytes, known: KnownSecrets) -> bytes:
    """The text with a dot for every byte that is found."""
    shown = bytearray(data)
    for each in known.places(data):
        shown[each.span.start : each.span.end] = b"." * each.span.size
    return bytes(shown)


@given(
    # Letters alone may be a word, which is looked for nowhere else.
    st.lists(
        st.text(_LETTERS, min_size=12, max_size=150).filter(lambda text: "3" in text), max_size=6
    ),
    st.lists(st.integers(0, 5) | st.text(_LETTERS + " ", max_size=9), max_size=12),
)
def test_every_place_of_every_value_is_found(
    values: Sequence[str], parts: Sequence[int | str]
) -> None:
    """As a search for one value after the other would find them, or more: pieces of long ones."""
    texts = [
        values[each % len(values)] if isinstance(each, int) and values else "" for each in parts
    ]
    words = [
        each if isinstance(each, str) else text for each, text in zip(parts, texts, strict=True)
    ]
    data = "".join(words).encode()
    shown = _covered(data, _known(*(value.encode() for value in values)))
    expected = bytearray(data)
    for value in values:
        start = data.find(value.encode())
        while start >= 0:
            expected[start : start + len(value)] = b"." * len(value)
            start = data.find(value.encode(), start + 1)
    assert all(
        here == ord(".") or here == there for here, there in zip(shown, expected, strict=True)
    )
    if all(len(value) <= 64 for value in values):
        assert shown == bytes(expected)


def test_ten_thousand_values() -> None:
    values = [mixed(8 + seed % 40, seed).encode() for seed in range(10_000)]
    data = b"".join(b"-" + value for value in values)
    assert _covered(data, _known(*values)).strip(b".-") == b""


@pytest.mark.parametrize("size", [8, 9, 11, 12, 63, 64, 65, 128, 700])
def test_a_value_of_any_size_at_any_place(size: int) -> None:
    value = mixed(size).encode()
    for before in range(11):
        data = b"#" * before + value + b"#"
        (found,) = _known(value).places(data)
        assert found.span == Span(before, before + size)


def test_half_of_a_long_value() -> None:
    """A line of it says as much."""
    value = mixed(300).encode()
    (found,) = _known(value).places(b"# " + value[64:192])
    assert found.span == Span(2, 130)


def test_a_short_value_inside_a_longer_name_is_another() -> None:
    value = mixed(8).encode()
    assert _covered(b"x" + value, _known(value)) == b"x" + value
    assert _covered(b"x_" + value + b"_y", _known(value)) == b"x_........_y"
    longer = mixed(12).encode()
    assert _covered(b"x" + longer + b"y", _known(longer)) == b"x............y"


@pytest.mark.parametrize("value", [b"password", b"localhost", b"my_database", b"short7!"])
def test_words_and_short_values_are_not_looked_for(value: bytes) -> None:
    assert not _known(value)


def test_weak_and_uncertain_values_are_not_looked_for() -> None:
    for certainty in (Certainty.WEAK, Certainty.UNCERTAIN):
        assert not _known(mixed(20).encode(), certainty=certainty)


def test_the_lines_of_a_key_are_known() -> None:
    """Elsewhere they are quoted, joined or listed."""
    key = f"{private_key()}\n".encode()
    known = known_secrets([(key, scan(key))])
    listed = "".join(f'  - "{line}"\n' for line in key_lines()).encode()
    shown = _covered(listed, known)
    assert not any(line.encode()[:16] in shown for line in key_lines())


@pytest.mark.parametrize("disguise", ["\u200b", "\u00ad"])
def test_a_disguise_does_not_hide_a_known_value(disguise: str) -> None:
    value = mixed(24)
    hidden = f"# {value[:9]}{disguise}{value[9:]}\n".encode()
    (found,) = with_known(hidden, (), _known(value.encode()))
    assert hidden[found.span.end :] == b"\n"
    (plain,) = with_known(f"# {value}\n".encode(), (), _known(hidden[2:-1]))
    assert plain.span == Span(2, 26)


def test_a_value_counts_in_its_own_text_without_a_limit() -> None:
    """More than a hundred values, each said again where nothing tells that it is a secret."""
    values = ["gh" + "p_" + mixed(36, seed) for seed in range(300)]
    told = "".join(f'token = "{value}"\n' for value in values)
    again = "".join(f"see {value[4:]}\n" for value in values)
    text = "".join(f'password = "{value[4:]}"\n' for value in values) + told + again
    shown = bytearray(text.encode())
    for each in scan(text.encode()):
        shown[each.span.start : each.span.end] = b"." * each.span.size
    assert not any(value[4:].encode() in bytes(shown) for value in values)
