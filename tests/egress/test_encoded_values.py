"""Values in an encoding that the line names, in characters one by one, and over several lines."""

from __future__ import annotations

import base64
import binascii
import codecs

import pytest

from sightline.egress import scan
from tests.egress.values import mixed

_WORD = "heron" + "2017"
_LONG = mixed(16, 9)


def _each(form: str, between: str, value: str = _LONG) -> str:
    return between.join(form.format(code=ord(each), sign=each) for each in value)


_UU = binascii.b2a_uu(_LONG.encode()).decode().rstrip("\n")
_ENCODED = [
    ("password_rot13 = {}", codecs.encode(_WORD, "rot13")),
    ("# the password, base64\n{}\n", base64.b64encode(_WORD.encode()).decode()),
    ("password_b32 = {}", base64.b32encode(_WORD.encode()).decode()),
    ("# password, read backwards\nx = '{}'", _WORD[::-1]),
    ("пароль (base64): {}", base64.b64encode(_WORD.encode()).decode()),
    ("begin 644 password.txt\n{}\n`\nend\n", _UU),
    ("password = <~{}~>", base64.a85encode(_LONG.encode()).decode()),
    ("password() -> [{}].", _each("${sign}", ", ")),
    ("(setq db-password (string {}))", _each("?{sign}", " ")),
    ("(define password (string {}))", _each("#\\{sign}", " ")),
    ("let password = [|{}|]", _each("{code}", "; ")),
    ("password = char([{}]);", _each("{code}", " ")),
    ("password = Array({})", _each("&H{code:02X}", ", ")),
    ('"Password"=hex(1):{},00,00', _each("{code:02x},00", ",")),
    ("password in octal: {}", _each("{code:03o}", " ")),
    ("password = {}", _each("{code:08b}", "")),
    ("password: {}", _each("U+{code:04X}", " ")),
]


@pytest.mark.parametrize(("text", "value"), _ENCODED)
def test_an_encoded_value_is_covered_as_it_is_written(text: str, value: str) -> None:
    """All that stands for the value, in whichever letters."""
    assert _is_covered(text.format(value), value)


@pytest.mark.parametrize(
    "name", ["пароль", "contraseña", "密码", "パスワード", "şifre", "hasło", "κωδικός"]
)
def test_names_in_other_alphabets_may_be_escaped(name: str) -> None:
    """As JSON, addresses and markup write them."""
    escaped = "".join(f"\\u{ord(each):04x}" if ord(each) > 127 else each for each in name)
    entities = "".join(f"&#{ord(each)};" for each in name)
    percents = "".join(f"%{byte:02X}" for byte in name.encode())
    for text in (f'{{"{escaped}": "{_LONG}"}}', f"<dt>{entities}</dt><dd>{_LONG}</dd>"):
        assert _is_covered(text, _LONG)
    assert _is_covered(f"/in?{percents}={_LONG}&x=1", _LONG)


@pytest.mark.parametrize(
    "text",
    [
        "# password: {a}\n#           {b}\n",
        "password {a}&\n&{b}\n",
        "The password is {a}\n(continued) {b}\n",
        "| password | {a} |\n|          | {b} |\n",
        "first half of the password: {a}\nsecond half: {b}\n",
    ],
)
def test_a_value_goes_on_where_its_line_ends(text: str) -> None:
    """On the next line, or under another label."""
    first, second = mixed(10, 21), mixed(11, 22)
    whole = text.format(a=first, b=second)
    assert _is_covered(whole, first)
    assert _is_covered(whole, second)


def test_words_below_a_value_stay() -> None:
    """The next setting, and a sentence."""
    text = f"password={_LONG}\nenabled\n"
    assert not _is_covered(text, "enabled")


def _is_covered(text: str, value: str) -> bool:
    data = text.encode()
    start = data.index(value.encode())
    covered = {place for each in scan(data) for place in range(each.span.start, each.span.end)}
    return covered.issuperset(range(start, start + len(value.encode())))
