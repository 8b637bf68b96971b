"""Names and values in another order, or with other things between: found as if assigned.

The secret stands between « and »; what is found covers it from the first byte to the last.
"""

from __future__ import annotations

import pytest

from sightline.egress import scan
from sightline.text import Span

_VALUE = "q7Rx2Lm9" + "Zt4Wp8Kc"
_WEAK = "harley" + "31"

_NAME_BEHIND = [
    '{"value": "«VALUE»", "key": "my_db_password"}',
    '{"value": "«VALUE»", "description": "of the base", "name": "DB_PASSWORD"}',
    '<param value="«VALUE»" name="dbPassword"/>',
    "<value>«VALUE»</value><name>db_password</name>",
    "- value: «VALUE»\n  name: DB_PASSWORD",
    "UPDATE settings SET value = '«VALUE»' WHERE name = 'root_password';",
    'set_reversed("«VALUE»", "oracle_pwd")',
    '"«VALUE»" => "db_password"',
    "# «VALUE» <- this is the staging api key",
    "- «VALUE» (db password)",
    "# «VALUE» ← our db password",
]
_NAME_BEFORE = [
    "# old value, do not use: db_password was «VALUE» until 2022-04-08",
    "The db_password used to be «VALUE».",
    "Das Passwort lautet „«VALUE»“",
    "My Service Token → “«VALUE»”",
    "DB password ⇒ «VALUE»",
    "cp -r /srv/exports/password=«VALUE»/dump.sql .",
    "cp -r /srv/share/ftp_password_«VALUE»/cert.pem /etc/ssl/",
    "  <p>Password: <b>«VALUE»</b></p>",
    "R O O T   P A S S W O R D :   «VALUE»",
    "<!-- login root / smtp password «WEAK» -->",
    "My Postgres Password: «WEAK»",
    "My Postgres Password: «h\u0430rl\u0435y31»",
    "My Postgres Password: «\u24d7\u24d0\u24e1\u24db\u24d4\u24e831»",
]


@pytest.mark.parametrize("text", [*_NAME_BEHIND, *_NAME_BEFORE])
def test_a_value_is_found_wherever_its_name_stands(text: str) -> None:
    text = f"first line\n\n{text}\n\nlast line\n".replace("VALUE", _VALUE).replace("WEAK", _WEAK)
    before, value, _ = text.replace("»", "«").split("«")
    data = text.replace("«", "").replace("»", "").encode()
    wanted = Span(len(before.encode()), len((before + value).encode()))
    assert any(finding.span.contains(wanted) for finding in scan(data))


def test_a_value_spread_by_blanks_is_found() -> None:
    data = ("password: " + " ".join(_VALUE)).encode()
    assert [finding.span for finding in scan(data)] == [Span(10, len(data))]


def test_a_value_in_groups_is_found() -> None:
    value = "sk-" + "OIKxOEiikXT82rFcQRiUT3BlbkFJrNL255QOrZexHMSQ53w2"
    groups = " ".join(value[at : at + 8] for at in range(0, len(value), 8))
    data = f"Key (remove the blanks): `{groups}`\n".encode()
    start = data.index(b"sk-")
    assert [finding.span for finding in scan(data)] == [Span(start, start + len(groups))]


def test_signs_that_turn_the_direction_go_with_the_value() -> None:
    data = f"api_token: \u202d{_VALUE}\u202c\n".encode()
    assert [finding.span for finding in scan(data)] == [Span(11, len(data) - 1)]


@pytest.mark.parametrize(
    "text",
    [
        '{"value": "text1", "name": "password_label"}',
        "- name: MODE\n  value: fast1\n- name: DB_PASSWORD\n  valueFrom: x",
        "the token was received by step2 of the flow",
        'assert_called("field1", "password")',
        "GET /users/password_reset/confirm/",
        "<p>Password: <b>required</b></p>",
        "// compares the password",
    ],
)
def test_words_around_a_name_are_no_secrets(text: str) -> None:
    assert scan(text.encode()) == ()
