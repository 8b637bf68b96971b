"""Where secrets stand, besides behind a name: the secret stands between « and »."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from sightline import egress
from sightline.egress import Certainty, scan
from sightline.egress.secret_patterns import SecretPattern
from sightline.text import Span
from tests.egress.values import hexadecimal, mixed, uuid

_PASSWORD = "Harbor" + "2436%"
_WORD = "harbor" + "2436_moon"
"""A word and a number, which in a program would be a name."""

_RECORDS = [
    '{{"key":"password","value":"«{password}»","type":"string"}}',
    '{{"key": "token", "type": "string", "value": "«{mixed}»"}}',
    '{{"ParameterKey": "DBPassword", "ParameterValue": "«{password}»"}}',
    'env:\n            - name: "ADMIN_PWD"\n              value: "«{password}»"',
    '<meta-data android:name="com.test.API_KEY" android:value="«{mixed}»"/>',
    "<property>\n  <name>javax.ConnectionPassword</name>\n  <value>«{password}»</value>",
    '<setting name="Password" serializeAs="String">\n  <value>«{word}»</value>',
    'variable "admin_pwd" {{\n  sensitive = true\n  default   = "«{password}»"\n}}',
    "DBPassword:\n    Type: String\n    Default: «{password}»\n",
    'tokens: {{ staging: "«{mixed}»" }}',
    'api_keys = [\n    "«{mixed}»",\n]',
    "api_keys:\n  - «{mixed}»\n",
]
_PLACES = [
    'new PasswordAuthentication("svc", "«{password}»".toCharArray())',
    'DriverManager.getConnection("jdbc:mysql://db/app", "app", "«{password}»");',
    "requests.get(url, auth=HTTPBasicAuth('svc', '«{password}»'))",
    'auth=("admin", "«{password}»")',
    '.basic_auth("svc", Some("«{password}»"))',
    "ConvertTo-SecureString '«{password}»' -AsPlainText -Force",
    'credentials = {{"admin": "«{password}»"}}',
    "curl -s -udeploy:«{word}» http://host.test/x",
    "az login --service-principal -u http://sp -p «{password}» --tenant t",
    "htpasswd -b /etc/nginx/users admin «{password}»",
    r"net use Z: \\fs01\share «{password}» /user:CORP\backup",
    "smbclient //fs01/share -U 'backup%«{word}»'",
    "openssl pkcs12 -export -out a.p12 -passout pass:«{word}»",
    "echo 'root:«{password}»' | chpasswd",
    'expect "assword:"\nsend "«{word}»\\r"',
    "doctl auth init -t «{hex}»",
    "db01:5432:app:app:«{password}»",
    'dsn := "app:«{password}»@tcp(db01:3306)/app"',
    "sqlplus system/«{password}»@//db01:1521/XE",
    "git clone https://«{hex}»@host.test/a/b.git",
    "url = https://«{mixed}»:x-oauth-basic@host.test/a/b.git",
    "CREATE LOGIN app WITH PASSWORD = N'«{password}»';",
    "motDePasse = '«{password}»'",
    "name,password,role\nsvc,«{password}»,admin\n",
    "username: admin, password: «{word}»",
    "The default credentials are admin / «{password}»",
    "password for root is «{password}»",
    'fetch(u, {{ headers: {{ authorization: "Bearer " + "«{mixed}»" }} }})',
    "https://host.test/o?Expires=17&Signature=«{mixed}»",
    "https://api.telegram.org/«bot956332786:AA{mixed}»/sendMessage",
    'seed_phrase: "«{phrase}»"',
    "admin:«$apr1$a1b2c3d4${salted}»",
    "rootPW: «{{SSHA}}{mixed}»",
    'call("«{long}»")',
    "crypto.createHmac('sha256', '«{mixed}»')",
    'AES.new(b"«{mixed}»", AES.MODE_CBC)',
    'client = Client(account, "«{hex}»")',
    'new mysqli("db01", "root", "«{password}»", "app");',
    'smtp.login(user, "«{password}»")',
    '"Basic " . base64_encode("svc:«{password}»")',
    'security unlock-keychain -p "«{password}»" build.keychain',
    "**Password:** `«{password}»`",
    "**API Key**: «{mixed}»",
    "<td>Password</td><td>«{password}»</td>",
    "app-specific password: «{groups}»",
]
_SETTINGS = [
    "      - POSTGRES_PASSWORD=«{word}»",
    "export MYSQL_PWD=«{word}»",
    "smtp_password = «{word}»\nnext = 1",
    "  password: «{word}»\n  user: app",
    "requirepass «{word}»",
    "rootpw «{word}»",
    "ssl_key_password «{word}»;",
    "<dbPassword>\n    «{word}»\n</dbPassword>",
    '#define WIFI_PASSWORD "«{word}»"',
    'DB_PASSWORD="${{DB_PASSWORD:-«{word}»}}"',
    "user --name=admin --password=«{word}» --plaintext",
    "https://host.test/login?password=«{word}»&x=1",
    "pass_phrase=«{word}»",
    "| Password | «{word}» |",
]
_NAMES = [
    "wpa psk=«{mixed}»",
    "REDISCLI_AUTH=«{mixed}»",
    "masterauth «{mixed}»",
    "keytool -importkeystore -srcstorepass «{mixed}» -destkeystore b.jks",
    "NEXT_PUBLIC_SEARCH_API_KEY=«{mixed}»",
    'Fernet(b"«{mixed}»")',
    'RELEASE_COOKIE="«{mixed}»"',
    'PEPPER = "«{hex}»"',
    "Cookie: JSESSIONID=«{hex}»; theme=dark",
    "AUTH_SALT: '«{mixed}»'",
    '$config["uploadcare"]["key"] = "«{short}»";',
    "uploadcare:\n  auth: «{short}»\n",
]
_HARMLESS = [
    '{{"key": "password", "value": "", "type": "string"}}',
    "- name: TOKEN_ISSUER\n  value: https://id.host.test",
    "password:\n  type: string\n  format: password",
    'variable "db_password" {{\n  type = string\n  sensitive = true\n}}',
    'connect("host", "database-name", timeout=10)',
    'login("user", "password")',
    'user.login("john", "johnpassword")',
    'registry.connect("amazonS3Client", client)',
    'verify(in).setHeader("Id", "{lower}")',
    'login("first.last@host2.test", url("https://host2.test/#a!"))',
    "password=sha256_hash\n",
    "password = base64_encoded\n",
    "password = config123.json\n",
    "self.check(password=user1, other=2)",
    "first,password,last\nalice,password,admin\n",
    "enableA,\naccessKey,\nenableIpv6,\n",
    "overpass = 'route-66-north-1234'",
    "session_identifier_column = 'session_key'",
    '{{"kid": "{long}"}}',
    'integrity="{long}"',
    "<a href='{long}'>",
    'alphabet("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")',
    "/x/{long}/y",
    "https://name-of-a-user-account@host.test/a",
    "#define PASSWORD 0x0dead1beef7cafe2",
    "price_{mixed}",
    "<input name='authenticity_token' value='{mixed}'>",
    "echo hello world 1234 | grep passwd",
    "mnemonic: the quick brown fox",
]


@pytest.mark.parametrize("template", [*_RECORDS, *_PLACES, *_NAMES])
def test_a_secret_is_told_by_what_stands_around_it(template: str) -> None:
    """Fields of a record, arguments, options, tables, the words for a secret."""
    _check(template)


@pytest.mark.parametrize("template", _SETTINGS)
def test_in_settings_a_word_with_a_number_is_a_password(template: str) -> None:
    """No program stands there in which it could be a name; it may well be a harmless one."""
    (finding,) = _check(template)
    assert finding.certainty is Certainty.WEAK


@pytest.mark.parametrize("template", _HARMLESS)
def test_what_stands_in_such_a_place_may_be_harmless(template: str) -> None:
    """Types, references, identities, alphabets and prose."""
    assert scan(_filled(template).encode()) == ()


def test_every_item_of_a_list_is_covered() -> None:
    """Not the first one alone."""
    one, other = mixed(32, 1), mixed(32, 2)
    for text in (
        f'api_keys = ["{one}", "{other}"]',
        f"api_keys:\n  - {one}\n  - {other}\n",
    ):
        found = scan(text.encode())
        assert [text[each.span.start : each.span.end] for each in found] == [one, other]


def test_a_value_in_several_strings_is_covered_to_the_end_of_the_last() -> None:
    """Each alone would be too short to tell."""
    first, last = mixed(12, 1), mixed(12, 2)
    for text in (
        f'API_KEY = (\n    "{first}"\n    "{last}"\n)',
        f"const apiKey = '{first}' + '{last}';",
        f'String token = "{first}" +\n    "{last}";',
    ):
        (finding,) = scan(text.encode())
        start, end = text.index(first), text.index(last) + len(last)
        assert finding.span == Span(start, end)


def test_a_static_key_is_covered() -> None:
    """Lines of hexadecimal between markers of their own."""
    lines = "\n".join(hexadecimal(32, seed) for seed in range(16))
    name = "OpenVPN Static " + "key V1"
    text = f"-----BEGIN {name}-----\n{lines}\n-----END {name}-----\n"
    (finding,) = scan(text.encode())
    assert finding.span.contains(Span(text.index(lines), text.index(lines) + len(lines)))


def test_every_pattern_compiles() -> None:
    """Patterns are compiled when first used, which for a rare one is too late to notice."""
    for module in pkgutil.iter_modules(egress.__path__, "sightline.egress."):
        for value in vars(importlib.import_module(module.name)).values():
            for pattern in value if isinstance(value, tuple) else (value,):
                if isinstance(pattern, SecretPattern):
                    pattern.search(b"nothing")


def _filled(template: str) -> str:
    return template.format(
        password=_PASSWORD,
        word=_WORD,
        mixed=mixed(33),
        hex=hexadecimal(32),
        uuid=uuid(),
        short=hexadecimal(20),
        salted=mixed(22),
        lower=mixed(26).lower(),
        groups="qzvh-xkwp-jtbg-mfrc",
        long=f"{mixed(30)}-{mixed(29, 2)}",
        phrase=" ".join(["orbit", "lemon", "candle", "river", "tulip", "anchor"] * 2),
    )


def _check(template: str) -> tuple[egress.Finding, ...]:
    before, _, rest = _filled(template).partition("«")
    value, _, after = rest.partition("»")
    found = scan((before + value + after).encode())
    assert [each.span for each in found] == [Span(len(before), len(before) + len(value))], found
    return found
