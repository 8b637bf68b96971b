"""Hypothesis: a secret anywhere in any text is covered, and nothing of it survives redaction."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.egress import escape_invisible, guarded_scan, redacted, scan
from sightline.text import Span
from tests.egress.values import hexadecimal, mixed, private_key


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


_CODE = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "def f(x):\n    return x\n",
                "const a = {b: [1, 2]};\n",
                'log("token is missing")\n',
                "password = None\n",
                "# key, token and secret\n",
                "if (a == 'b') {\n",
                '<p class="x">\n',
                '\\n\\"%20&amp;\n',
                "\r\n",
                "\t\t",
            ]
        ),
        st.text(max_size=20).map(lambda text: text + "\n"),
    ),
    max_size=6,
).map("".join)
_SECRET = st.integers(0, 10_000).flatmap(
    lambda seed: st.sampled_from(
        [
            ('token = "', mixed(32, seed), '"'),
            ("API_KEY=", hexadecimal(40, seed), ""),
            ("Authorization: Bearer ", mixed(40, seed), ""),
            ("", "ghp_" + mixed(36, seed), ""),
            ("", private_key(), ""),
        ]
    )
)


@settings(deadline=None, max_examples=150)
@given(_CODE, _SECRET, _CODE)
def test_a_secret_is_covered_wherever_it_stands(
    before: str, secret: tuple[str, str, str], after: str
) -> None:
    """On a line of its own, whatever stands above and below."""
    opening, value, closing = secret
    head = f"{before}\n{opening}".encode("utf-8", "replace")
    data = head + f"{value}{closing}\n{after}".encode("utf-8", "replace")
    span = Span(len(head), len(head) + len(value))
    findings = scan(data)
    assert any(finding.span.contains(span) for finding in findings)
    for piece in (Span(0, len(data)), Span(span.start + 3, len(data)), Span(0, span.end - 3)):
        rest = redacted(data, piece, findings)
        pieces = (value.encode()[at : at + 8] for at in range(len(value) - 7))
        assert not any(part in rest and data.count(part) == 1 for part in pieces)


@settings(deadline=None, max_examples=150)
@given(
    st.binary(max_size=300)
    | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace"))
)
def test_any_bytes_give_a_sound_answer(data: bytes) -> None:
    """Nothing raises, every span is inside, and asking again gives the same."""
    answer = guarded_scan(data)
    assert isinstance(answer, tuple)
    assert answer == scan(data)


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32), st.sampled_from(["\u200b", "\u202e", "\u00ad", "\x00", "\U000e0020"]))
def test_invisible_characters_never_uncover(seed: int, hidden: str) -> None:
    """Strewn over name, separator and value at random, they change nothing."""
    chance = random.Random(seed)
    text = f'token = "{mixed(32, seed % 100)}"'
    strewn = "".join(letter + hidden * (chance.random() < 0.2) for letter in text)
    value = strewn.partition('"')[2].rstrip('"' + hidden).lstrip(hidden)
    data = strewn.encode()
    start = data.index(value.encode())
    span = Span(start, start + len(value.encode()))
    assert any(finding.span.contains(span) for finding in scan(data))


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=100))
def test_escaping_twice_is_escaping_once(content: str) -> None:
    """And nothing invisible is left."""
    once, _ = escape_invisible(content)
    assert escape_invisible(once) == (once, 0)
