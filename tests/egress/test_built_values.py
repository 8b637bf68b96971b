"""Values that a program builds of constants are found as the strings that they make.

The whole expression, or all constants in it, are covered.
"""

from __future__ import annotations

import base64
import codecs
from collections.abc import Callable

import pytest

from sightline.egress import scan

_VALUE = "q7R_x2Lm" + "9Zt4Wp8K"
_HEAD, _TAIL = _VALUE[:8], _VALUE[8:]
_TURNED = _VALUE[::-1]
_BASE64 = base64.b64encode(_VALUE.encode()).decode()
_HEX = _VALUE.encode().hex()
_ROT13 = codecs.encode(_VALUE, "rot13")


def _each(form: str, between: str = ", ") -> str:
    return between.join(form.format(code=ord(each), sign=each) for each in _VALUE)


_CODES = _each("{code}")
_HEX_CODES = _each("0x{code:02x}")
_SIGNS = _each("'{sign}'")

_OF_CHARACTERS = [
    f"$db_password = {_each('chr({code})', ' . ')};",
    f"dbPassword = {_each('Chr({code})', ' & ')}",
    f"$dbPassword = {_each('[char]{code}', '+')}",
    f"$dbPassword = -join ({_each('[char]{code}', ',')})",
    f"SET PASSWORD = CHAR({_CODES});",
    f"const dbPassword = String.fromCharCode({_CODES});",
    f"const dbPassword = String.fromCharCode(...[{_CODES}]);",
    f"const dbPassword = new TextDecoder().decode(new Uint8Array([{_CODES}]));",
    f'db_password = "".join(map(chr, [{_CODES}]))',
    f'db_password = "".join(chr(c) for c in [{_CODES}])',
    f"db_password = bytes([{_HEX_CODES}]).decode()",
    f"dbPassword := string([]byte{{{_HEX_CODES}}})",
    f"dbPassword := string([]rune{{{_SIGNS}}})",
    f"const DB_PASSWORD: &[u8] = &[{_HEX_CODES}];",
    f"let db_password = String::from_utf8(vec![{_CODES}]).unwrap();",
    f"private static final byte[] DB_PASSWORD = {{{_CODES}}};",
    f"char[] dbPassword = new char[] {{{_SIGNS}}};",
    f"String dbPassword = new String(new byte[]{{{_CODES}}}, StandardCharsets.UTF_8);",
    f"val dbPassword = String(byteArrayOf({_CODES}))",
    f"static const char db_password[] = {{{_SIGNS}, 0}};",
    f"static const unsigned char db_password[17] = {{{_HEX_CODES}, 0x00}};",
    f"local db_password = string.char({_CODES})",
    f'db_password = [{_CODES}].pack("c*")',
    f'my $db_password = pack("C*", {_CODES});',
    f"let dbPassword = String(bytes: [{_HEX_CODES}], encoding: .utf8)!",
]
_OF_PIECES = [
    f'db_password = "".join(["{_HEAD}", "{_TAIL}"])',
    f'db_password = "%s%s" % ("{_HEAD}", "{_TAIL}")',
    f'db_password = "{{}}{{}}".format("{_HEAD}", "{_TAIL}")',
    f'db_password = "{_HEAD}-X-{_TAIL}".replace("-X-", "")',
    f'$dbPassword = "{{0}}{{1}}" -f "{_HEAD}","{_TAIL}"',
    f'dbPassword := strings.Join([]string{{"{_HEAD}", "{_TAIL}"}}, "")',
    f'dbPassword := fmt.Sprintf("%s%s", "{_HEAD}", "{_TAIL}")',
    f'const DB_PASSWORD: &str = concat!("{_HEAD}", "{_TAIL}");',
    f'let db_password = ["{_HEAD}", "{_TAIL}"].concat();',
    f'String dbPassword = new StringBuilder().append("{_HEAD}").append("{_TAIL}").toString();',
    f'String dbPassword = String.join("", "{_HEAD}", "{_TAIL}");',
    f'val dbPassword = listOf("{_HEAD}", "{_TAIL}").joinToString("")',
    f'string dbPassword = string.Concat("{_HEAD}", "{_TAIL}");',
    f'$dbPassword = implode("", ["{_HEAD}", "{_TAIL}"]);',
    f'locals {{ db_password = join("", ["{_HEAD}", "{_TAIL}"]) }}',
    f'db_password <- paste0("{_HEAD}", "{_TAIL}")',
    f'dbPassword = concat ["{_HEAD}", "{_TAIL}"]',
]
_DECODED = [
    f'const dbPassword = Buffer.from("{_HEX}", "hex").toString();',
    f'const dbPassword = window.atob("{_BASE64}");',
    f'db_password = base64.b64decode(b"{_BASE64}").decode("utf-8")',
    f'db_password = codecs.decode("{_ROT13}", "rot_13")',
    f'dbPassword, _ := base64.StdEncoding.DecodeString("{_BASE64}")',
    f'dbPassword, err := hex.DecodeString("{_HEX}")',
    f"$dbPassword = [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('{_BASE64}'))",
    f'my $db_password = decode_base64("{_BASE64}");',
    f'$dbPassword = pack("H*", "{_HEX}");',
    f'db_password = base64decode("{_BASE64}")',
    f"DB_PASSWORD=$(echo '{_BASE64}' | base64 --decode)",
    f"DB_PASSWORD = $(shell echo {_BASE64} | base64 -d)",
    f'DB_PASSWORD=$(base64 -d <<< "{_BASE64}")',
    f"DB_PASSWORD=$(printf '%s' '{_HEX}' | xxd -r -p)",
    f"password: \"{{{{ '{_BASE64}' | b64decode }}}}\"",
]
_BACKWARDS = [
    f'db_password = "{_TURNED}"[::-1]',
    f'DB_PASSWORD = "".join(reversed("{_TURNED}"))',
    f'$dbPassword = strrev("{_TURNED}");',
    f'const dbPassword = "{_TURNED}".split("").reverse().join("");',
    f'let db_password: String = "{_TURNED}".chars().rev().collect();',
    f'String dbPassword = new StringBuilder("{_TURNED}").reverse().toString();',
    f'my $db_password = reverse "{_TURNED}";',
    f'DB_PASSWORD=$(echo "{_TURNED}" | rev)',
]


@pytest.mark.parametrize("text", [*_OF_CHARACTERS, *_OF_PIECES, *_DECODED, *_BACKWARDS])
def test_a_built_value_is_found_with_all_its_constants(text: str) -> None:
    data = f"first = 1\n{text}\nlast = 2\n".encode()
    left = data
    for finding in reversed(scan(data)):
        left = left[: finding.span.start] + b"*" + left[finding.span.end :]
    shown = left.decode()
    assert shown != data.decode()
    for constant in (_HEAD, _TAIL, _TURNED[:8], _BASE64[:8], _HEX[:8], _ROT13[:8], _CODES[:8]):
        assert constant not in shown
    assert _HEX_CODES[:8] not in shown
    assert _SIGNS[:8] not in shown


_NO_SECRETS: list[tuple[str, Callable[[str], str]]] = [
    ("of another name", lambda made: f"db_host = {made}"),
    ("not all constants", lambda made: f"db_password = join(parts, {made}, name)"),
]


@pytest.mark.parametrize(("why", "text"), _NO_SECRETS)
def test_what_is_built_of_words_is_no_secret(why: str, text: Callable[[str], str]) -> None:
    assert scan(text('"".join(["local", "host"])').encode()) == (), why


@pytest.mark.parametrize(
    "text",
    [
        *("join()", 'x = "".join()', "x = reverse()", "x = pack()", "x = atob(", "x = chr(999999)"),
        *('x = "%s" % ()', 'x = hex.DecodeString("xyz")', 'x = atob("*")', "x = [].join()"),
        *('x = "a".replace("", "b")', "x = format()", "x = bytes([1000, 2000, 3000, 4000])"),
    ],
)
def test_a_call_that_makes_nothing_is_left_alone(text: str) -> None:
    assert scan(text.encode()) == ()
