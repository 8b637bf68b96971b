"""Values that the format of a file or a command puts somewhere without naming them."""

from __future__ import annotations

import pytest

from sightline.egress import scan

from .values import hexadecimal, key_lines, mixed

_SALT = "k[Q3 J}7]xM;WPi5~J*P8v|Dr3Zt#2Y!m g^o$1R@8Ge<Pj48u&Vb6n?Lz0c(T)9"
_BASE32 = "N7ZKPXFSHC4VKQUVQBJURBJIUVEEIKL5WQ3GXTYB2RMDOA6ECLPSHUFVJN"
_BASE58 = str.maketrans("0OIl", "2345")
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
    ("macaroon: {}", "0201036c6e64" + hexadecimal(80, 4)),
    ("const keys = Keypair.fromSeed('{}');", "s" + mixed(28, 12).translate(_BASE58)),
    ("nkey: {}", "SUA" + _BASE32[:55]),
    ("svc:descriptor:x25519:{}", _BASE32[:52]),
    ("HOTP/T30/6 bob - {}", hexadecimal(40, 6)),
    ('{}\n" RATE_LIMIT 3 30\n" TOTP_AUTH\n', _BASE32[:26]),
    ("webpush.setVapidDetails('mailto:a@b.test', pub, '{}');", mixed(43, 13)),
    ("(private-key (ecc (curve Ed25519) (d #{}#)))", hexadecimal(64, 7).upper()),
    (".shop.test\tTRUE\t/\tTRUE\t1900000000\tsession_id\t{}", mixed(32, 14)),
    ('{{"crypto": {{"ciphertext": "{}", "kdf": "scrypt"}}}}', hexadecimal(64, 8)),
    ("dsn: https://{}@errors.test/4", f"{hexadecimal(32)}:{hexadecimal(32, 2)}"),
    ("       05 WS-PASSWORD PIC X(12) VALUE '{}'.", "sunflower42"),
    ("           MOVE '{}' TO WS-PASSWORD.", "sunflower42"),
    ("openssl passwd -6 '{}'", "sunflower42"),
    ("dscl . -passwd /Users/bob {}", "sunflower42"),
    ("if getpass('x: ') == '{}':", "sunflower42"),
    (
        '<stringProp name="Argument.name">password</stringProp>\n'
        '<stringProp name="Argument.value">{}</stringProp>',
        "sunflower42",
    ),
    ('<Pass encoding="base64">{}</Pass>', "c3VuZmxvd2VyNDI="),
    ("Unseal Key 3: {}", mixed(43, 15) + "="),
    ("keystore_p12: {}", mixed(120, 16)),
    ("$ pwgen -sy 20 1\n{}\n", "cty*dMUn8sPj%MQ#"),
    ("$ openssl rand -base64 24\n{}\n", mixed(32, 17)),
    ('key, err := hex.DecodeString("{}")', hexadecimal(64, 9)),
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


def test_recovery_codes_behind_an_empty_line() -> None:
    codes = ["5deba-cc450", "ca907-4c407", "3d424-a8f15"]
    data = ("Recovery codes:\n\n" + "".join(f"    {code}\n" for code in codes)).encode()
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


@pytest.mark.parametrize(
    "head", ["BQIAAA" + "BiH8", "A9mimm" + "f7S7", "/u3+7Q" + "AAAAIA", "zs7Ozg" + "AAAAIA"]
)
def test_stores_of_keys_in_base64_are_told_by_their_head(head: str) -> None:
    """A table of Kerberos, and stores of passwords and keys."""
    value = head + "".join(key_lines(2, 48))
    data = f"# of svc_http\n{value}\nuser: bob\n".encode()
    start = data.index(value.encode())
    assert (start, start + len(value)) in [(each.span.start, each.span.end) for each in scan(data)]
