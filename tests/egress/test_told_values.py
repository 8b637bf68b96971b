"""Passwords that a sentence or a note tells, in many languages."""

from __future__ import annotations

import pytest

from sightline.egress import Certainty, scan

_NOTES = [
    "Das Passwort für den Router lautet {} (steht auf dem Zettel).",
    "A palavra-passe do servidor é {}",
    "Ines: пароль от базы — {}, никому не говори",
    "Κωδικός πρόσβασης: {}",
    "رمز عبور: {}",
    "初期パスワードは「{}」です。",
    "// 测试环境密码是 {}",
    "아이디: yuki\n비번: {}",
    "Log in as `admin` with the password `{}`.",
    "10:12 - Yuki: Network cafe, password {}",
    "title: x\npassword:\n  {}\nuser:\n  admin",
    "I have reset your account.\nNew password = {}\nBest",
    "new root password for db16 is {}\nStefan: got it",
]


@pytest.mark.parametrize("note", _NOTES)
@pytest.mark.parametrize("value", ["Benfica1970", "Sommar94#x", "winter_7731"])
def test_a_told_value(note: str, value: str) -> None:
    data = note.format(value).encode()
    start = data.index(value.encode())
    assert any(
        finding.span.start <= start and finding.span.end >= start + len(value)
        for finding in scan(data)
    )


def test_a_value_in_quotes_is_found_without_them() -> None:
    """What is known by a value is looked for elsewhere: quotes are no part of it."""
    data = b'the password is "Vq8zT2mWx5Kc9RfLb3Hn"\n'
    assert [data[each.span.start : each.span.end] for each in scan(data)] == [
        b"Vq8zT2mWx5Kc9RfLb3Hn"
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("db.admin.password sunshine\n", "sunshine"),
        ("Log in as svc / sunflower42 on the camera.", "sunflower42"),
        ("The safe code is 6437.", "6437"),
        ("- **Password:** sunshine\n", "sunshine"),
        ("2. **Admin Password**: sunshine\n", "sunshine"),
    ],
)
def test_a_plain_value_in_its_place(text: str, value: str) -> None:
    (finding,) = scan(text.encode())
    assert value in text.encode()[finding.span.start : finding.span.end].decode()


@pytest.mark.parametrize("name", ["DOOR_PIN", "alarm PIN", "pin_code"])
def test_a_pin(name: str) -> None:
    data = f'{name}: "6437"\n'.encode()
    assert [each.certainty for each in scan(data)] == [Certainty.WEAK]


@pytest.mark.parametrize(
    "text",
    [
        "The password for this account is required.",
        "Das Passwort ist falsch.",
        "The password hash is SHA-256 with 1000 rounds.",
        "密码是必填项",
        "Set the password to something that has 12 characters.",
        "LED_PIN = 13\n",
        "password:\n  type: string\n",
    ],
)
def test_a_sentence_about_passwords(text: str) -> None:
    assert scan(text.encode()) == ()
