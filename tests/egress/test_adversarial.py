"""Unfriendly texts: scanned in a process of its own that is killed if it does not end.

The limit is generous: a rule that is not linear needs minutes for what takes a tenth of a second.
"""

from __future__ import annotations

import subprocess
import sys

_TEXTS = {
    "one letter": "'a' * SIZE",
    "one quote": "'\"' * SIZE",
    "one sign": "'=' * SIZE",
    "begin markers": "'-----BEGIN ' * (SIZE // 11)",
    "whole begin markers": "('-----BEGIN RSA PRIVATE ' + 'KEY-----\\n') * (SIZE // 32)",
    "whole end markers": "('-----END RSA PRIVATE ' + 'KEY-----\\n') * (SIZE // 30)",
    "assignments": "'token=' * (SIZE // 6)",
    "opened strings": "'token=\"' * (SIZE // 7)",
    "passwords": "'password: ' * (SIZE // 10)",
    "a name and spaces": "('key' + ' ' * 2000) * (SIZE // 2003)",
    "names and hyphens": "'key-' * (SIZE // 4)",
    "glued names": "'secretkeytoken' * (SIZE // 14)",
    "base64 in one line": "base64.b64encode(random.Random(1).randbytes(SIZE)).decode()[:SIZE]",
    "base64 in lines": "base64.encodebytes(random.Random(1).randbytes(SIZE)).decode()[:SIZE]",
    "url after url": "'http://a:b' * (SIZE // 10)",
    "zero width": "'key\\u200b' * (SIZE // 6)",
    "escapes": "'\\\\n%3D&quot;' * (SIZE // 11)",
    "documents": "'---\\nkind: Secret\\ndata:\\n' * (SIZE // 24)",
    "connections": "'server=a;' * (SIZE // 9)",
    "encoded keys": "'MIIEpAIBAAKCAQEA' * (SIZE // 16)",
    "web tokens": "'eyJhbGciOi.' * (SIZE // 11)",
    "names and bars": "'token | ' * (SIZE // 8)",
    "opened brackets": "'token: [' * (SIZE // 8)",
    "hooks": "'http://hook' * (SIZE // 11)",
    "one hook": "'http://hook' + 'a/' * (SIZE // 2)",
    "options": "'mysql -p ' * (SIZE // 9)",
    "quoted commands": "'mysql \\x22' * (SIZE // 7)",
    "wrapped commands": "'docker docker ' * (SIZE // 14)",
    "listed commands": "'[\\x22mysql\\x22, \\x22-p\\x22, ' * (SIZE // 16)",
    "escaped commands": "'openssl \\\\\\n' * (SIZE // 10)",
    "lines of devices": "'snmp-server user a auth md5 b priv aes ' * (SIZE // 39)",
    "lines of users": "'user a\\npassword b\\n' * (SIZE // 19)",
    "clients": "'client a { ' * (SIZE // 11)",
    "prefixes": "'ab_' * (SIZE // 3)",
    "dots": "'ab.' * (SIZE // 3)",
    "opened lists": "'token: [\\n' * (SIZE // 9)",
    "lists": "'api_keys:\\n  - abc1234567\\n' * (SIZE // 25)",
    "tables": '\'tokens = {"a": "\' * (SIZE // 15)',
    "fields": '\'"key":"token","value":"\' * (SIZE // 24)',
    "declarations": "'variable \"token\" { default = ' * (SIZE // 29)",
    "parameters": "'token:\\n  type: string\\n  default: ' * (SIZE // 33)",
    "strings below strings": '\'token="abc12345"\\n  "abc"\\n  \' * (SIZE // 26)',
    "one string after another": "'\"abc\" + ' * (SIZE // 8)",
    "settings": "'password 12345abc ' * (SIZE // 18)",
    "owners": "'acme:\\n  key: abcdefgh1\\n' * (SIZE // 23)",
    "calls": "'connect(\\'a\\', ' * (SIZE // 13)",
    "opened calls": "'connect(' * (SIZE // 8)",
    "users of commands": "'curl -u a:' * (SIZE // 10)",
    "places of commands": "'htpasswd -b a b ' * (SIZE // 16)",
    "conversations": "'expect assword\\n send ' * (SIZE // 21)",
    "pipes": "'echo a | ' * (SIZE // 9)",
    "drivers": "'user:a1b2c3@tcp(' * (SIZE // 16)",
    "columns": "'a,password\\nb,c\\n' * (SIZE // 15)",
    "one long row": "'a,password\\n' + 'b,' * (SIZE // 2)",
    "users": "'user=a password=' * (SIZE // 16)",
    "phrases": "'mnemonic: abc abc abc ' * (SIZE // 22)",
    "hashes of passwords": "'$2b$12$' * (SIZE // 7)",
    "marks of keys": "'abcd/+ASt' * (SIZE // 9)",
    "signatures": "'?sig=a1b2c3d4' * (SIZE // 13)",
    "long words in quotes": "('\"' + 'aB3' * 50) * (SIZE // 151)",
    "one value again and again": "'token=\"aB3dE5fG7hJ9\"\\n' + 'aB3dE5fG7hJ9 ' * (SIZE // 13)",
    "parts of one value": "'token=\"' + 'aB3d-' * 9 + '\"\\n' + 'aB3d-' * (SIZE // 5)",
    "strings without end": "'a\" \"' * (SIZE // 4)",
    "strings and comments": "'a\" // ' * (SIZE // 6)",
    "sections": "']]>' * (SIZE // 3)",
    "joined lists": '\'["a","b"].join(\' * (SIZE // 15)',
    "complex keys": "'? a\\n: ' * (SIZE // 6)",
    "keys in lines": "'MIIEpAIBAAKCAQEA\\n' * (SIZE // 17)",
    "wrapped keys in lines": "'LS0tLS1CRUdJTiBSU0Eg\\n' * (SIZE // 21)",
    "keys as numbers": "'0x30, 0x82, 0x04, 0xa4, 0x02, 0x01, 0x00, ' * (SIZE // 42)",
    "keys as decimals": "'48, 130, 4, 164, 2, 1, 0, 2, ' * (SIZE // 29)",
    "headers of tables": "'a,password,' * (SIZE // 11)",
    "rows of names": "'password,\"\\n' * (SIZE // 11)",
    "opened secrets": '\'{"kind":"Secret","data":{\' * (SIZE // 26)',
    "words of seeds": "'abandon ability ' * (SIZE // 16)",
    "words of no seed": "'zoo abandon ' * (SIZE // 12)",
    "one-time seeds": "'totp \"JBSWY3DP' * (SIZE // 14)",
    "escapes of escapes": "'%2525' * (SIZE // 5)",
    "accents": "'\\u00e9 ' * (SIZE // 3)",
    "look-alikes": "'\\u0430b' * (SIZE // 3)",
    "encodings of encodings": (
        "base64.b64encode(base64.b64encode(base64.b64encode(b'a = 1 ' * (SIZE // 15)))).decode()"
    ),
    "weak phrases": "'password: abcd efgh\\n' * (SIZE // 20)",
    "weak in one line": "'pwd=\"abcd\" ' * (SIZE // 11)",
    "opened rows": "'insert into t (password) values (\\'a\\' ' * (SIZE // 36)",
    "copied rows": "'copy a (password) from stdin\\nb\\n' * (SIZE // 31)",
    "typed fields": "'type(password,' * (SIZE // 14)",
    "escaped quotes": "'password=\"' + '\\\\\"' * (SIZE // 2)",
    "sentences": "'use the password ' * (SIZE // 17)",
    "sentences in lines": "'use the password a1b2 \\n' * (SIZE // 23)",
    "labels": "'Password (a): ' * (SIZE // 14)",
    "remarks": "'# password is \\n' * (SIZE // 15)",
    "notes": "'ssh a pw: ' * (SIZE // 10)",
    "users and passwords": "'user a password b1c2d\\n' * (SIZE // 22)",
    "mail addresses": "'a@b.cd:e1f2g\\n' * (SIZE // 13)",
    "one mail address": "'a@b.' * (SIZE // 4)",
    "marked values": "'password **a1b2' * (SIZE // 15)",
    "elements": "'<td>password</td>' * (SIZE // 17)",
    "elements in elements": "'<td>password</td>' + '<b>' * (SIZE // 3)",
    "attributes": "'<a name=\"password\">' * (SIZE // 19)",
    "arguments": "'getConnection(a, ' * (SIZE // 17)",
    "strings of arguments": "'getConnection(\"a\", ' * (SIZE // 19)",
    "updates": "'set value = \\'a\\' where ' * (SIZE // 22)",
    "devices": "'username a ' * (SIZE // 11) + 'password '",
    "devices in lines": "'username a password 0 b\\n' * (SIZE // 24)",
    "built of characters": "'chr(97).' * (SIZE // 8)",
    "opened joins": '\'join("", ["a", \' * (SIZE // 15)',
    "turned strings": "'\"a\"[::-1] + ' * (SIZE // 11)",
    "commands in commands": "'$(echo aaaa | ' * (SIZE // 14)",
    "values before names": '\'"value": "a1b2", "key": "password", \' * (SIZE // 35)',
    "letters apart": "'p a s s : ' * (SIZE // 10)",
    "words that tell": "'the token was a1b2c3 ' * (SIZE // 21)",
    "minified": "'function a(b){var d=b.token||c.key;return{password:f}}' * (SIZE // 55)",
}
_PROGRAM = """
import base64, random, sys
from sightline.egress import scan
SIZE = 1 << 17
for name, text in {texts!r}.items():
    findings = scan(eval(text).encode())
    print(name, sum(not each.is_weak for each in findings), sep=": ", flush=True)
"""


def test_an_eighth_of_a_megabyte_of_each_is_scanned() -> None:
    """All of them end; the output names the last one that did."""
    program = _PROGRAM.format(texts=_TEXTS)
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 0, run.stderr
    lines = [line.rpartition(": ") for line in run.stdout.splitlines()]
    assert [name for name, _, _ in lines] == list(_TEXTS)
    assert all(int(count) <= 3_000 for _, _, count in lines)
