"""Weak values: plain literals after a name like `password`, in every syntax and many languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.egress import Certainty, scan
from sightline.egress.weak import PLACEHOLDERS
from sightline.text import Span

_VALUES = [
    *("hunter2", "letmein2024", "sunshine", "correct horse battery staple", "Acme$Prod#91"),
    *("qwerty", "12345678", "supersecret", "My-Dog-Rex", "Summer2023!", "password1"),
    *("cash4all$", "^rocket7"),
]
_NAMES = [
    *("password", "passwd", "pwd", "passphrase", "secret", "api_key", "token"),
    *("db_password", "smtpPassword", "API-KEY", "auth.token", "PASSWORD_PROD", "clientSecret"),
]
_FOREIGN = [
    *("passwort", "Kennwort", "mot_de_passe", "motDePasse", "contraseña", "clave", "senha"),
    *("parola", "wachtwoord", "hasło", "haslo", "пароль", "Пароль", "heslo", "şifre", "ŞİFRE"),
    *("lösenord", "adgangskode", "passord", "salasana", "jelszó", "lozinka", "パスワード"),
    *("密码", "密碼", "数据库密码", "비밀번호", "mật khẩu", "كلمة المرور", "סיסמה", "κωδικός"),
]
_SYNTAXES = {
    "code": 'NAME = "VALUE"\n',
    "typed code": 'private static final String NAME = "VALUE";\n',
    "JSON": '{\n  "host": "localhost",\n  "NAME": "VALUE",\n  "port": 5432\n}\n',
    "YAML": "db:\n  host: localhost\n  NAME: VALUE\n  port: 1\n",
    "quoted YAML": "db:\n  NAME: 'VALUE'\n",
    "TOML": '[db]\nhost = "x"\nNAME = "VALUE"\n',
    "properties": "# settings\nhost=localhost\nNAME=VALUE\n",
    "ini": "[db]\nhost = localhost\nNAME = VALUE\nport = 1\n",
    "shell": "#!/bin/sh\nexport NAME='VALUE'\n",
    "attribute": '<db host="x" NAME="VALUE"/>\n',
    "element": "<db>\n  <NAME>VALUE</NAME>\n</db>\n",
    "pair of attributes": '<add key="NAME" value="VALUE" />\n',
    "look-up with a default": 'os.environ.get("NAME", "VALUE")\n',
    "property": 'settings.put("NAME", "VALUE");\n',
}
_HARMLESS = [
    "password: str",
    "    secrets: inherit",
    "# Disconnect the connections identified by `identifiers` on this server.",
    "password: Optional[str]",
    "password = settings.DATABASE_PASSWORD",
    "password = get_password()",
    'password = "${DB_PASSWORD}"',
    "password: {{ .Values.password }}",
    "password: $DB_PASSWORD",
    "password: !secret db_password",
    "password: *anchor",
    "token: !!str",
    "password = os.environ['PASSWORD']",
    "PASSWORD=%PASSWORD%",
    'password: "<your password>"',
    'api_key = "your-api-key-here"',
    '"password": "Passwort"',
    '"password": "Enter your password"',
    '"login": "Anmelden",\n"password": "Geheime Worte",\n"title": "Neue Seite",\n"next": "Weiter"',
    'password = "abc"',
    'password = "password"',
    'password = "changeme"',
    'password = "test"',
    'secret = "secret"',
    'password = "db_password"',
    'password = "FORBIDDEN_VALUE2"',
    'password = "#password"',
    'password = "/run/secrets/password"',
    'password = "config.database.password"',
    'password = "prefix-" + name',
    'password: "^[A-Za-z0-9]{8,}$"',
    "id-token: write",
    "forgot_password: again please",
    '"token=" + value',
    'fields("password", "username", "email")',
    "def f():\n    password = other\n    return password\n",
    "if (x) {\n  return {\n    user: user,\n    password: hashed\n  };\n}",
]


def _assert_weak(text: str, value: str) -> None:
    data = text.encode()
    start = data.index(value.encode())
    found = scan(data)
    span = Span(start, start + len(value.encode()))
    assert any(each.span.contains(span) for each in found), (text, found)


@pytest.mark.parametrize("syntax", _SYNTAXES)
@pytest.mark.parametrize("value", _VALUES)
def test_a_literal_is_covered_in_every_syntax(syntax: str, value: str) -> None:
    """After each name, and to its end."""
    for name in _NAMES:
        _assert_weak(_SYNTAXES[syntax].replace("VALUE", value).replace("NAME", name), value)


@pytest.mark.parametrize("name", _FOREIGN)
def test_a_password_is_known_by_its_name_in_many_languages(name: str) -> None:
    """With and without accents, in compounds, in scripts that have no case."""
    for template in ('"NAME": "sunshine"', "NAME: hunter2\n", 'NAME = "hunter2"'):
        _assert_weak(template.replace("NAME", name), "sunshine" if "sun" in template else "hunter2")


def test_a_weak_value_is_bounded_and_of_its_own_tier() -> None:
    """It can be replaced where it stands."""
    (finding,) = scan(b'password = "sunshine"')
    assert finding.span == Span(12, 20)
    assert (finding.certainty, finding.is_bounded) == (Certainty.WEAK, True)
    assert (finding.detector, finding.kind, finding.is_weak) == ("weak-password", "weak", True)


def test_a_weak_value_is_not_looked_for_elsewhere() -> None:
    """A word stands for many things."""
    assert len(scan(b'password = "sunshine7"\nprint("sunshine7")\n')) == 1


@pytest.mark.parametrize("text", _HARMLESS)
def test_what_stands_for_a_value_is_none(text: str) -> None:
    """References, look-ups, types, tags, labels, placeholders, the name itself."""
    assert scan(text.encode()) == ()


def test_any_number_of_weak_values_is_replaced_one_by_one() -> None:
    """A list of them refuses nothing, as one of them does."""
    text = "".join(f'password = "sunshine{number}"\n' for number in range(4_000)).encode()
    found = scan(text)
    assert len(found) == 4_000
    assert {each.certainty for each in found} == {Certainty.WEAK}


def test_a_text_that_is_full_of_weak_values_is_withheld_as_a_whole() -> None:
    """Finding each of so many would take too long."""
    text = "".join(f'password = "sunshine{number}"\n' for number in range(6_000)).encode()
    (flood,) = scan(text)
    assert flood.is_flood
    assert flood.span == Span(0, len(text))


def test_the_list_of_placeholders_is_short() -> None:
    """It is published, so that everybody knows what is let through."""
    page = (Path(__file__).parents[2] / "docs" / "secrets.md").read_text("utf-8")
    assert all(f"`{word.decode()}`" in page for word in PLACEHOLDERS)
    assert {b"secret", b"test", b"changeme"} <= PLACEHOLDERS
    assert len(PLACEHOLDERS) <= 60
    for word in sorted(PLACEHOLDERS):
        assert scan(b'password = "' + word + b'"') == ()


_LANGUAGES = [
    *("Passwort", "Kennwort", "mot_de_passe", "contraseña", "senha", "parola", "wachtwoord"),
    *("hasło", "пароль", "heslo", "jelszó", "şifre", "lösenord", "salasana", "パスワード"),
    *("密码", "비밀번호", "matkhau", "adgangskode", "лозинка", "κωδικός"),
]
_FORMATS = (
    '{} = "{}"',
    "const {} = '{}';",
    '{{"{}": "{}"}}',
    "{}: {}",
    "{}={}",
    "[db]\n{} = {}",
    "export {}={}",
    "<{0}>{1}</{0}>",
    '<add key="{}" value="{}"/>',
    "- name: {}\n  value: {}",
)


@pytest.mark.parametrize("name", _LANGUAGES)
def test_a_word_for_it_in_any_language_tells_in_every_format(name: str) -> None:
    for syntax in _FORMATS:
        data = syntax.format(name, "hunter2").encode()
        (finding,) = scan(data)
        assert data[finding.span.start : finding.span.end] == b"hunter2", syntax
        assert finding.is_weak
