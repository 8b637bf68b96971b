"""Redaction and invisible characters: what is sent instead, and what cannot hide."""

from __future__ import annotations

import pytest

from sightline.egress import Certainty, Finding, escape_invisible, made_visible, redacted, scan
from sightline.text import Span
from tests.egress.values import mixed, private_key


def _finding(start: int, end: int, detector: str = "rule") -> Finding:
    return Finding(Span(start, end), detector, "token", Certainty.CERTAIN, True)


@pytest.mark.parametrize(
    ("piece", "findings", "expected"),
    [
        (Span(0, 10), [], b"0123456789"),
        (Span(2, 8), [], b"234567"),
        (Span(0, 10), [_finding(2, 5)], b"01[REDACTED:rule]56789"),
        (Span(3, 10), [_finding(2, 5)], b"[REDACTED:rule]56789"),
        (Span(0, 4), [_finding(2, 5)], b"01[REDACTED:rule]"),
        (Span(3, 4), [_finding(2, 5)], b"[REDACTED:rule]"),
        (Span(5, 10), [_finding(2, 5)], b"56789"),
        (Span(0, 2), [_finding(2, 5)], b"01"),
        (
            Span(0, 10),
            [_finding(6, 8, "second"), _finding(2, 5, "first")],
            b"01[REDACTED:first]5[REDACTED:second]89",
        ),
        (Span(0, 10), [_finding(2, 6), _finding(4, 8)], b"01[REDACTED:rule]89"),
        (Span(0, 10), [_finding(2, 8), _finding(3, 5)], b"01[REDACTED:rule]89"),
        (Span(4, 4), [_finding(2, 6)], b""),
    ],
)
def test_a_piece_without_its_secrets(piece: Span, findings: list[Finding], expected: bytes) -> None:
    """Findings that begin before the piece, end after it, overlap, or come in any order."""
    assert redacted(b"0123456789", piece, findings) == expected


def test_a_key_over_many_lines_becomes_one_placeholder() -> None:
    """Neither its length nor its number of lines can be read off."""
    texts = [f"a\n{private_key(count=count)}\nb".encode() for count in (12, 20)]
    results = {redacted(text, Span(0, len(text)), scan(text)) for text in texts}
    assert results == {b"a\n[REDACTED:private-key]\nb"}


@pytest.mark.parametrize(
    "hidden",
    ["\u200b", "\u202e", "\u2060", "\ufeff", "\u00ad", "\ufe0f", "\U000e0041", "\x00", "\x1b[1m"],
)
def test_an_invisible_character_inside_hides_nothing(hidden: str) -> None:
    """In the name, in the value, at every third place: the span covers them all."""
    value = hidden.join(mixed(33)[at : at + 3] for at in range(0, 33, 3))
    for name in ("token", f"to{hidden}ken"):
        text = f'é {name} = "{value}"'.encode()
        (finding,) = scan(text)
        assert text[finding.span.start : finding.span.end] == value.encode()


def test_wide_letters_hide_nothing() -> None:
    """A full-width key reads like a key."""
    value = mixed(32)
    wide = "".join(chr(ord(letter) + 0xFEE0) for letter in value)
    text = f'token = "{wide}"'.encode()
    (finding,) = scan(text)
    assert text[finding.span.start : finding.span.end] == wide.encode()


def test_escapes_of_strings_and_urls_hide_nothing() -> None:
    """The separator or the quotes are written in another way."""
    value = mixed(32)
    for text in (
        f"?q=token%3D{value}%26x",
        f"token\\u003d{value}\\u0026",
        f"\\ntoken=\\x22{value}\\x22",
        f"token&#61;{value}&amp;",
    ):
        (finding,) = scan(text.encode())
        start = text.index(value)
        assert finding.span.contains(Span(start, start + len(value)))


@pytest.mark.parametrize(
    ("content", "expected", "count"),
    [
        ("plain\ttext\r\n", "plain\ttext\r\n", 0),
        ("one section\n\f\nthe next", "one section\n\f\nthe next", 0),
        ("a\u202eb", "a\\u{202E}b", 1),
        ("\u2066x\u2069", "\\u{2066}x\\u{2069}", 2),
        ("zero\u200bwidth\ufeff", "zero\\u{200B}width\\u{FEFF}", 2),
        ("tag\U000e0041", "tag\\u{E0041}", 1),
        ("bell\x07 escape\x1b", "bell\\u{0007} escape\\u{001B}", 2),
        ("heart\u2764\ufe0f", "heart\u2764\\u{FE0F}", 1),
        ("family\u200d", "family\\u{200D}", 1),
        ("line\u2028break", "line\\u{2028}break", 1),
        ("naïve – 日本語 🙂", "naïve – 日本語 🙂", 0),
    ],
)
def test_invisible_characters_are_made_visible(content: str, expected: str, count: int) -> None:
    """Bidi controls, zero width, tags, control characters; what can be seen stays as it is."""
    assert escape_invisible(content) == (expected, count)
    assert escape_invisible(expected) == (expected, 0)


def test_no_short_cut_lets_an_invisible_character_through() -> None:
    """A text that is told to be plain from its bytes is one that the pattern leaves as it is."""
    for code in range(0x250):
        content = f"a{chr(code)}b\n"
        assert made_visible(content.encode()) == escape_invisible(content)
