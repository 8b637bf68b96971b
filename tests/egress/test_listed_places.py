"""Passwords in the lines of devices, servers, dialogues and statements: `places.toml`."""

from __future__ import annotations

import pytest

from sightline.egress import scan

from .values import hexadecimal, mixed

_EITHER = [
    "snmp-server user probe staff v3 auth sha {} priv aes 128 x",
    "snmp-server user probe staff v3 auth sha x priv aes 256 {}",
    "snmp-agent community write cipher {}",
    "set snmp community {} authorization read-write",
    "snmp {{\n    community {} {{\n        authorization read-only;\n    }}\n}}",
    "com2sec local 10.0.0.0/8 {}",
    "trap2sink 10.9.8.7 {}",
    "ntp authentication-key 7 md5 {}",
    " ip ospf message-digest-key 3 md5 {}",
    " ospf authentication-mode hmac-sha256 1 cipher {}",
    " vrrp 9 authentication text {}",
    "tacacs server T9\n address ipv4 10.9.8.7\n key 0 {}",
    "radius-server shared-key cipher {}",
    " secondary authentication 10.9.8.7 key simple {}",
    " local-user bob password irreversible-cipher {}",
    "password operator user-name bob plaintext {}",
    "create account operator bob {}",
    "add system user bob {}",
    "nv set system aaa user bob password {}",
    "edit admin\n    set psksecret ENC {}",
    ' authentication-key "{}" hash2',
    "account home\nhost mail.shop.test\nuser bob\npassword {}\n",
    "line vty 0 4\n password {}\n login local\n",
    "IPSec secret {}\n",
    "<auth-user-pass>\nbob\n{}\n</auth-user-pass>\n",
    "bob\n{}\n# for auth-user-pass\n",
    "client attic {{\n  ipaddr = 10.9.8.7\n  secret = {}\n}}\n",
    "bob:{{PLAIN}}{}:1001:1001::/home/bob::",
    "ldap_default_authtok = {}\n",
    "[admins]\nbob = {}\n",
    "    stats auth bob:{}\n",
    "register => 4711:{}@sip.shop.test/4711\n",
    "/msg NickServ GHOST bob {}",
    "PRIVMSG NickServ :IDENTIFY {}\r\n",
    "open ftp.shop.test\nuser bob {}\nbin\n",
    "open ftp.shop.test\nbob\n{}\nbin\n",
    ":*:;mailpw::{}\n",
    'KafkaServer {{\n  x.PlainLoginModule required\n  user_bob="{}";\n}};',
    "$USER7$={}\n",
    "  check_command  check_pgsql!bob!{}\n",
    "redis> AUTH bob {}\nOK\n",
    "a3 LOGIN bob@shop.test {}\r\n",
    "Send, bob{{Tab}}{}{{Enter}}\n",
    '"bob"\t*\t"{}"\t*\n',
    "conn = database('orders', 'bob', '{}', 'Vendor', 'MySQL');",
    "db.changeUserPassword('bob', '{}')",
    'ActiveSheet.Unprotect "{}"',
    'cn.Open "DSN=orders", "bob", "{}"',
    'oracledb.connect("bob", "{}", "db01/orders")',
    "$m = imap_open('{{mail:993}}INBOX', 'bob', '{}');",
    'smtp.PlainAuth("", "bob", "{}", "mail.shop.test")',
    '(jdbc/get-connection "jdbc:x:orders" "bob" "{}")',
    "ALTER USER bob IDENTIFIED BY {} ACCOUNT UNLOCK;",
    "EXEC sp_addlinkedsrvlogin 'db02', 'false', NULL, 'bob', '{}';",
    "SELECT pgp_sym_encrypt(card, '{}') FROM orders;",
    "UPDATE users SET passwd = SHA1('{}') WHERE id = 3;",
    "PRAGMA rekey = '{}';",
    "CONNECT bob/{}@orders\n",
    ".logon tdprod/bob,{}\n",
    "  DBPassword:\n    Type: String\n    NoEcho: true\n    Default: {}\n",
    "GET https://shop.test/\nAuthorization: Basic bob {}\n",
    'os:putenv("SHOP_PASSWORD", "{}").',
    "erl -sname a -setcookie {} -noshell",
    'web3.personal.unlockAccount(account, "{}", 60)',
    "ann: what's the wifi password?\nbob: {}\n",
    "{} is the password for the vault.",
    "Grafana: admin / {}\n",
    "bob@shop.test:{}\n",
    'request.setBasicAuth("bob", "{}");',
    'jwt.sign(claims, "{}")',
    "password_hash('{}', PASSWORD_DEFAULT)",
    'hashlib.pbkdf2_hmac("sha512", b"{}", salt, 1000)',
    '{{:db {{:user "bob" :pass "{}"}}}}',
    '{{basic_auth, {{"bob", "{}"}}}}',
    "<Password><PlainText>true</PlainText></Password><AdminPassword>\n<Value>{}</Value>",
    "d-i passwd/user-password-again password {}\n",
    "rootpw --lock --plaintext {}\n",
    'set superusers="bob"\npassword bob {}\n',
    "CONSTANTS gc_password TYPE string VALUE '{}'.",
    'child.sendline("{}")',
    "mail.shop.test bob@shop.test:{}\n",
]


@pytest.mark.parametrize("place", _EITHER)
@pytest.mark.parametrize(("value", "is_weak"), [(mixed(18, 9), False), ("Walrus_731", True)])
def test_the_place_tells(place: str, value: str, is_weak: bool) -> None:
    text = place.format(value).encode()

    found = [each for each in scan(text) if each.span.start == text.index(value.encode())]

    assert [each.span.end - each.span.start for each in found] == [len(value)]
    assert is_weak or not found[0].is_weak


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("'passwordsalt' => '{}',", mixed(28, 3)),
        ("$settings['hash_salt'] = '{}';", mixed(70, 4)),
        ('{{"$": "{}"}}', hexadecimal(32) + mixed(80, 5)),
        ('user|s:3:"bob";csrf_token|s:40:"{}";', hexadecimal(40, 2)),
        ('a:1:{{s:9:"api_token";s:32:"{}";}}', hexadecimal(32, 3)),
        ("connect.sid=s%3A{}; Path=/", mixed(32, 6) + "." + mixed(43, 7)),
        ("provider :github, 'abc123abc123', '{}'", hexadecimal(40, 4)),
        ("(private-key (rsa (n #00#) (q #{}#)))", hexadecimal(64, 5).upper()),
        ("Gmail app password for bob@shop.test: `{}`", "jqtx wvkr ulzy qshb"),
        ("Klucz API: {}\n", hexadecimal(40, 7)),
        ("APIキー：{}\n", hexadecimal(40, 8)),
        ("Khóa API: {}\n", mixed(32, 9)),
        ('{{"password_hash": "{}"}}', mixed(48, 10)),
        ("rpcauth=bob:{}", hexadecimal(32, 9) + "$" + hexadecimal(64, 10)),
        ("irreversible-cipher {}", "$1c$" + mixed(10, 8) + "$" + mixed(43, 9) + "$"),
        ("user default on #{} +@all", hexadecimal(64, 6)),
    ],
)
def test_the_place_of_a_key_tells(place: str, value: str) -> None:
    text = place.format(value).encode()
    start = text.index(value.encode())

    found = [
        each
        for each in scan(text)
        if each.span.start <= start and each.span.end >= start + len(value)
    ]

    assert found
    assert not found[0].is_weak


@pytest.mark.parametrize(
    "text",
    [
        " authentication-key $KEY",
        "line up the words\n password reset\n login page",
        "user nginx nginx;",
        "open the door\nuser bob walrus",
        "| a | * | b |",
        "/join #general",
        "SELECT crypt(password, gen_salt('bf'));",
        "SHA256 is the password hash",
        "what is the password?\nann: no idea",
        "connect a/b to c/d",
        "hello() is the password check",
        "git@shop.test:owner",
        "// * CompressionTypeLZ4",
        "password_hash($plain, PASSWORD_DEFAULT)",
        'jwt.verify(token, "secret")',
        'child.sendline("ls -la")',
        "/register now",
        "std::string salt = make();",
        "(public-key (rsa (n #00A1B2C3D4E5F60718293A4B5C6D7E8F#)))",
    ],
)
def test_what_only_looks_like_such_a_place(text: str) -> None:
    assert scan(text.encode()) == ()


def test_each_code_of_an_authenticator_is_found() -> None:
    text = b'JBSWY3DPEHPK3PXPN7ZKPXFSHC\n" RATE_LIMIT 3 30\n" TOTP_AUTH\n61125051\n48407321\n'

    found = {text[each.span.start : each.span.end] for each in scan(text)}

    assert {b"61125051", b"48407321"} <= found
