"""Generated passwords: of any alphabet, in the syntax of every kind of file."""

from __future__ import annotations

import html
import json
import random
import string
from collections.abc import Callable

import pytest

from sightline.egress import Certainty, scan

_LETTERS_AND_DIGITS = string.ascii_letters + string.digits
_ALPHABETS = {
    "terraform": _LETTERS_AND_DIGITS + "!@#$%&*()-_=+[]{}<>:?",
    "secrets manager": _LETTERS_AND_DIGITS + string.punctuation,
    "bitwarden": _LETTERS_AND_DIGITS + "!@#$%^&*",
    "1password": _LETTERS_AND_DIGITS + "!@.-_*",
    "letters and digits": _LETTERS_AND_DIGITS,
}
_COUNT = 400


def _escaped(value: str, quote: str) -> str:
    return value.replace("\\", "\\\\").replace(quote, "\\" + quote)


_QUOTED: dict[str, Callable[[str], str]] = {
    "code": lambda value: f'DB_PASSWORD = "{_escaped(value, chr(34))}"\n',
    "JSON": lambda value: f'{{\n  "user": "x",\n  "password": {json.dumps(value)}\n}}\n',
    "YAML": lambda value: f"db:\n  password: '{value.replace(chr(39), chr(39) * 2)}'\n",
    "TOML": lambda value: f'password = "{_escaped(value, chr(34))}"\n',
    "shell": lambda value: "export DB_PASSWORD='" + value.replace("'", "'\\''") + "'\n",
    "attribute": lambda value: f'<db password="{html.escape(value)}"/>\n',
    "call": lambda value: f"define('DB_PASSWORD', '{_escaped(value, chr(39))}');\n",
}
_BARE: dict[str, Callable[[str], str]] = {
    "env": lambda value: f"HOST=x\nDB_PASSWORD={value}\nPORT=1\n",
    "properties": lambda value: "db.host=x\ndb.password=" + value.replace("\\", "\\\\") + "\n",
    "ini": lambda value: f"[db]\nhost = x\npassword = {value}\nport = 1\n",
    "element": lambda value: f"<password>{html.escape(value, quote=False)}</password>\n",
}


def _values(seed: str) -> list[str]:
    chance = random.Random(seed)
    answer: list[str] = []
    while len(answer) < _COUNT:
        alphabet = list(_ALPHABETS.values())[len(answer) % len(_ALPHABETS)]
        value = "".join(chance.choices(alphabet, k=chance.randint(14, 32)))
        classes = (string.ascii_lowercase, string.ascii_uppercase, string.digits)
        if all(any(character in each for character in value) for each in classes):
            answer.append(value)
    return answer


def _share(write: Callable[[str], str], seed: str) -> float:
    """Of the values that are certain and covered from their first to their last character."""
    before, _, after = write("Q7q7").partition("Q7q7")
    covered = 0
    for value in _values(seed):
        data = write(value).encode()
        start, end = len(before), len(data) - len(after)
        covered += any(
            each.certainty is Certainty.CERTAIN
            and each.span.start <= start
            and each.span.end >= end
            for each in scan(data)
        )
    return covered / _COUNT


@pytest.mark.parametrize("syntax", _QUOTED)
def test_in_quotes_nearly_all_are_covered(syntax: str) -> None:
    """Whatever sign they have, escaped as the syntax demands."""
    assert _share(_QUOTED[syntax], f"quoted {syntax}") >= 0.99


@pytest.mark.parametrize("syntax", _BARE)
def test_without_quotes_nearly_all_are_covered(syntax: str) -> None:
    """To the end of the line or of the element."""
    assert _share(_BARE[syntax], f"bare {syntax}") >= 0.98


@pytest.mark.parametrize(
    "value",
    [
        "#aV9kQ2xLw7Rt!p",
        "<Kd83hWq0ZpT5mx",
        ">Kd83hWq0ZpT5m;",
        "$V0kQ2xLw7Rt!p9",
        "@x@kQ2xLw7Rt!p9",
        "kQ2x%sLw7Rt!p9Z",
        "kQ2<x=L,w;7|R(t[p{9Z",
    ],
)
def test_no_sign_says_that_it_is_none(value: str) -> None:
    """A comment, a tag, a variable, a template: such parts come by chance."""
    for text in (f'password = "{value}"', f"DB_PASSWORD={value}\n"):
        start = text.index(value)
        (finding,) = scan(text.encode())
        assert finding.certainty is Certainty.CERTAIN
        assert (finding.span.start, finding.span.end) == (start, start + len(value))


@pytest.mark.parametrize(
    "text",
    [
        "token = int(yyTok3[i+1])",
        "apiKeyModalRef.current = setApiKeyModal;",
        "password = hash(a[0], B[1], c2)",
        'password = "(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9]).{8,}"',
        'password = "%s:%s@%s:%d/%s"',
        'password = "{user}-{Name1}-{ID2}"',
    ],
)
def test_what_somebody_wrote_is_none(text: str) -> None:
    """Expressions, patterns and templates change their class of characters as often."""
    assert not [each for each in scan(text.encode()) if each.certainty is Certainty.CERTAIN]
