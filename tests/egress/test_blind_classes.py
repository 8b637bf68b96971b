"""Classes of forms that people who had not read the rules came up with, and what looks like them.

Each is a way of writing a secret, not a sample: the values are made when the test runs.
"""

from __future__ import annotations

import base64

import pytest

from sightline.egress import scan
from tests.egress.values import hexadecimal, mixed, uuid

_VALUE = "q" + mixed(23, 5) + "7"
_OTHER = "q" + mixed(23, 6) + "7"
_WITH_SLASHES = f"{mixed(8, 3)}7/{mixed(7, 4)}3/{mixed(8, 5)}"
_SIGNS = "=(X6g4}m/q-M9*/_+Wa}naOJx.^"
_PHRASE = "pepper anchor comet rocket"
_TOTP = "N7ZKPXFSHC4VKQUVQBJURBJIUVEEIKL5"

_FORMS = r"""
<table><tr><th>User</th><th>Password</th></tr><tr><td>svc</td><td>VALUE</td></tr></table>
curl -u svc:'VALUE' https://api.test/x
"Db": "app/VALUE@//ora1:1521/XE"
url: app/VALUE@db.host:1521/XE
Environment=DB_PASSWORD=VALUE
@Value("VALUE") String encryptionSecret;
buildConfigField "String", "API_TOKEN", "\\"VALUE\\""
host,user,losenord,note\ndb1,svc,VALUE,primary\n
name;value\nregion;eu\nheslo_db;VALUE\n
| token_url | /oauth |\n| token | VALUE |
ENV パスワード VALUE
curl -H 'X-Api-Key: VALUE' https://api.test/me
- name: пароль\n  value: VALUE
$token = -join 'VALUE'[-1..-200]
window.azdoPat = "VALUE"
""".strip().split("\n")


@pytest.mark.parametrize("form", _FORMS)
def test_a_form_is_found(form: str) -> None:
    text = form.replace("\\n", "\n").replace('\\\\"', '\\"').replace("VALUE", _VALUE)
    assert _covers(text, _VALUE)


def _covers(text: str, value: str) -> bool:
    data, wanted = text.encode(), value.encode()
    start = data.index(wanted)
    reached = start
    for finding in scan(data):
        if finding.span.start <= reached:
            reached = max(reached, finding.span.end)
    return reached >= start + len(wanted)


@pytest.mark.parametrize(
    "form",
    [
        "<secret><![CDATA[{}]]></secret>",
        "curl -H 'X-Api-Key: {}' https://api.test/me",
        '@Value("{}") String encryptionSecret;',
    ],
)
def test_a_form_holds_any_sign(form: str) -> None:
    assert _covers(form.format(_SIGNS), _SIGNS)


@pytest.mark.parametrize(
    "form",
    [
        'smtp_password: "{}"',
        "password_for_admin = '{}';",
        "environment.variables.FTP_PASSWORD = ''{}'';",
        'val password: String = """{}"""',
        'const std::string password{{"{}"}};',
        'builder.redisPassword("{}").build();',
        'config :app, :password, "{}"',
        "  db_password: >-\n    {}\n  workers: 4\n",
        "  - name: DB_PASSWORD\n    value: {}\n",
        '"user","password"\n"ines","{}"\n',
    ],
)
def test_a_phrase_is_weak_in_every_syntax(form: str) -> None:
    """Also one with a word in it that means a secret elsewhere."""
    text = form.format(_PHRASE)
    assert _covers(text, _PHRASE)
    assert all(finding.is_weak for finding in scan(text.encode()))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("DB_PASSWORD=panda8 ./run-migrations", "panda8"),
        ('<property name="service.api.key" value="Quartz2001"/>', "Quartz2001"),
        ("Environment=WIFI_PASSWORD=MichelleTulip8", "MichelleTulip8"),
        ("<html>\n<!-- trust_store_password: shadow -->\n</html>", "shadow"),
        ("Text.\n\\begin{verbatim}\nssh_passphrase = liverpool\n\\end{verbatim}\n", "liverpool"),
        ("  php_admin_value password ZebraSunset3\n", "ZebraSunset3"),
        ("curl -H 'X-Api-Key: shadow046' https://api.test/me", "shadow046"),
        ("| Setting | Value |\n|---|---|\n| token | p0k3m0n |\n", "p0k3m0n"),
    ],
)
def test_a_made_up_word_is_found(text: str, value: str) -> None:
    assert _covers(text, value)


def test_pieces_of_a_shell_in_different_quotes_are_one_value() -> None:
    text = f'API_TOKEN="{_VALUE[:8]}"\'{_VALUE[8:16]}\'"{_VALUE[16:]}"\n'
    for piece in (_VALUE[:8], _VALUE[8:16], _VALUE[16:]):
        assert _covers(text, piece)


def test_strings_put_into_a_list_are_one_value() -> None:
    pieces = [_VALUE[start : start + 5] for start in range(0, 25, 5)]
    lines = [f'pw.append("{piece}")' for piece in pieces]
    text = "\n".join(["pw = []", *lines, 'password = "".join(pw)'])
    assert all(_covers(text, piece) for piece in pieces)


def test_a_piece_that_begins_like_a_comment_is_a_piece() -> None:
    pieces = ["#Sv!a8F", "4i^77$2", "T$xds&t", "uleQxAx"]
    text = "const auth_secret =\n  " + " +\n  ".join(f"'{piece}'" for piece in pieces) + ";\n"
    assert all(_covers(text, piece) for piece in pieces)


def test_what_a_shell_decodes_twice_is_found() -> None:
    encoded = base64.b64encode(base64.b64encode(_VALUE.encode())).decode()
    assert _covers(f"API_TOKEN=$(echo {encoded} | base64 -d | base64 -d)\n", encoded)


def test_a_command_in_utf_16_is_read() -> None:
    encoded = base64.b64encode(f"$password = '{_VALUE}'".encode("utf-16-le")).decode()
    assert _covers(f"powershell -EncodedCommand {encoded}\n", encoded)


def test_a_key_in_an_array_is_covered_from_its_first_sign_on() -> None:
    head = "302e020100300506032b657004220420"
    digits = bytes.fromhex(head + hexadecimal(64, 9))
    listed = ", ".join(f"0x{byte:02X}" for byte in digits)
    assert _covers(f"var der = []byte{{{listed}}}\n", listed)


def test_hashes_of_windows_are_found() -> None:
    value = "aad3b435b51404ee" * 2 + ":" + hexadecimal(32, 4)
    assert _covers(f"ines:{value}\n", value)


def test_slashes_in_a_generated_password_make_no_path_of_it() -> None:
    assert _covers(f"DB_PASSWD = '{_WITH_SLASHES}'", _WITH_SLASHES)
    assert not scan(b"DB_PASSWD_FILE = '/run/secrets/app/db'")


@pytest.mark.parametrize("form", ["totp_seed: {}", 'seed = "{}"  # second factor', "MFA_KEY={}"])
def test_a_seed_of_one_time_passwords_is_certain(form: str) -> None:
    assert _covers(form.format(_TOTP), _TOTP)


@pytest.mark.parametrize(
    "line",
    [
        f"TRACE_ID={uuid(3)}",
        f'mutation {{ login(user: "svc", traceId: "{uuid(4)}") {{ ok }} }}',
        f'login(user, etag="{hexadecimal(32, 8)}")',
        f"  integrity: sha384-{base64.b64encode(bytes(range(48))).decode()}",
        f"image_digest=sha256:{hexadecimal(64, 2)}",
        "a { color: #3f51b5; }",
        "return &api.ACLToken{",
        "func createTokenReview(jwt string) *authv1.TokenReview {",
        'createUser("user1", "user1@localhost")',
        "client = Client(host=host, password=password)",
        'jwt.encode(claims, signing_secret, algorithm="HS256")',
        '<x table="REALM_CREDENTIAL" constraintName="FK_5HG65LYBEVAVKQFKI3KPONH9V"/>',
        '"User#password_salt is deprecated"',
    ],
)
def test_what_has_a_name_or_a_form_of_its_own_is_no_secret(line: str) -> None:
    """Though words for secrets stand around it."""
    data = f"# the password\npassword = os.environ['PASSWORD']\n{line}\ntoken = read()\n".encode()
    assert scan(data) == ()


def test_two_rules_with_one_sign_are_both_searched_for() -> None:
    data = f'createUser ops SHA "{_VALUE}" AES "{_OTHER}"'.encode()
    found = [data[each.span.start : each.span.end].decode() for each in scan(data)]
    assert found == [_VALUE, _OTHER]


def test_letters_hit_upon_the_keys_are_weak() -> None:
    (finding,) = scan(b'header("Authorization: Bearer asdlkfjadsflkj")')
    assert finding.is_weak
