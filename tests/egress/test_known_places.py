"""Values that the format of a file or a command puts somewhere without naming them."""

from __future__ import annotations

import pytest

from sightline.egress import scan

from .values import hexadecimal, mixed

_SALT = "k[Q3 J}7]xM;WPi5~J*P8v|Dr3Zt#2Y!m g^o$1R@8Ge<Pj48u&Vb6n?Lz0c(T)9"
_PLACES = [
    ("define('LOGGED_IN_KEY',   '{}');", _SALT),
    ('{{"type": "random_password", "name": "db", "result": "{}"}}', "x![in5wi27D=OCpuk:V"),
    (
        "password_pbkdf2 root {}",
        f"grub.pbkdf2.sha512.10000.{hexadecimal(64).upper()}.{hexadecimal(64, 2).upper()}",
    ),
    ("hash: {}", f"$krb5tgs$23$*svc$CORP$a/b*${hexadecimal(32)}${hexadecimal(120, 3)}"),
    ('"app" "{}"', "md5" + hexadecimal(32)),
    ("evil-winrm -i 10.0.0.1 -u Administrator -H {}", hexadecimal(32, 5)),
    ("ADD_ONION ED25519-V3:{} Port=80", mixed(86) + "=="),
    ("user app on >{} ~* +@all", mixed(20, 3)),
    ("net use Z: \\\\fs\\share /user:ACME\\bob {}", mixed(20, 4)),
    ("rocommunity {} 10.0.0.0/8", mixed(16, 5)),
    ('createUser ops SHA "{}" AES "other"', mixed(20, 6)),
    ('10.0.0.1 10.0.0.2 : PSK "{}"', "IloveKanarya88"),
    ("# client server secret IP\nbob pptpd {} *", "Carnival19$"),
    ('login("admin", /* password */ "{}");', "Cowboy1998"),
    ("/msg NickServ IDENTIFY bob {}", mixed(18, 7)),
    ('echo "::add-mask::{}"', mixed(18, 8)),
    ("ssh-keygen -t ed25519 -N '{}' -f key", "sunflower42"),
    ("openssl enc -aes-256-cbc -k {} -in a", mixed(18, 9)),
    ("vault login -no-print {}", mixed(24, 10)),
    ("Cookie: lang=en; session={}; path=/", mixed(24, 11)),
    ('db.auth("bob", "{}")', "sunflower42"),
    ('[{{"user": "U1", "text": "the password: {}"}}]', "Chicken.Ananas76"),
]


@pytest.mark.parametrize(("form", "value"), _PLACES)
def test_a_value_in_its_place(form: str, value: str) -> None:
    data = form.format(value).encode()
    start = data.index(value.encode())
    assert any(
        finding.span.start <= start and finding.span.end >= start + len(value)
        for finding in scan(data)
    )


def test_recovery_codes_below_their_heading() -> None:
    codes = ["joera-9uppj", "7fbow-tcmj8", "du9r4-3tcrg"]
    data = "\n".join(["Backup codes for the shop:", *codes, "", "ask Ann"]).encode()
    found = [data[each.span.start : each.span.end].decode() for each in scan(data)]
    assert found == codes


def test_the_bytes_of_a_key_are_found_and_a_table_is_not() -> None:
    numbers = [int(hexadecimal(64)[each : each + 2], 16) for each in range(0, 64, 2)]
    listed = ", ".join(map(str, numbers))
    for line in ("byte[] key = {{{}}};", "SECRET = bytes([{}])", "let psk: [u8; 32] = [{}];"):
        data = line.format(listed).encode()
        assert [data[each.span.start : each.span.end].decode() for each in scan(data)] == [listed]


@pytest.mark.parametrize(
    "text",
    [
        "user default on nopass ~* +@all",
        "net use Z: /delete",
        'assert digest == "md5" + value',
        "Recovery codes are shown once.\nKeep them safe\n",
        '{"text": "the password is required"}',
        # Tables of a parser and of a font: in order, repeated, or larger than a byte.
        "$tokenToSymbol = array(" + "0, " + "173, 173, 173, 41, 42, 43, 44, 45, " * 8 + "1);",
        "key_codes = [" + ", ".join(map(str, range(88, 140))) + "]",
        "int token_table[] = {" + ", ".join(map(str, range(900, 300, -7))) + "};",
    ],
)
def test_a_place_without_a_value(text: str) -> None:
    assert scan(text.encode()) == ()
