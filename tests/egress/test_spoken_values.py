"""Passwords in plain form where no assignment stands: notes, calls, markup, network devices."""

from __future__ import annotations

import pytest

from sightline.egress import Certainty, scan
from sightline.text import Span

from .values import hexadecimal, mixed

_WEAK = ["hunter2x", "tr0ub4dor", "Acme$Prod#91", "Hugo+Anna12", "football.welcome55"]
_NOTES = [
    "Log in as root with the password {} and change nothing.",
    "Temporarily use the elastic password {} until the vault is back.",
    "# user anna password {}",
    "Notes of Monday.\n\nMy Smtp Password: {}\n\nAsk in the channel.",
    "Notes of Monday.\n\n* Passwort: {}\n\nAsk in the channel.",
    "The admin password is {}.",
    "Das Passwort lautet {} und gilt nur heute.",
    "Password for bob: {}",
    "DB password (prod): {}",
    "ssh bob@build.acme.net  pw: {}",
    "pw: {}",
    "Credentials: admin / {}",
    "Mot de passe SMTP : {}",
    "Test account: bob@acme.net / {}",
    "Guest wifi: SSID **Cafe**, Password: **{}**",
    "- **Password**: {}",
    ":User: bob\n:Password: {}",
    "Login as \\texttt{{bob}}, password \\texttt{{{}}}.",
    "| Username | root |\n| Password | {} |",
    "<!-- password: {} -->",
    "-- default password: {}",
    "[DEBUG] password: {}",
    "2026-01-01 auth - POST /login username=bob password={} ip=10.0.0.1",
]
_CALLS = [
    'DriverManager.getConnection("jdbc:oracle:thin:@db:1521:x", "bob", "{}");',
    "new PDO('mysql:host=db;dbname=x', 'bob', '{}');",
    "DBI->connect(\"dbi:Pg:dbname=x;host=$host\", 'bob', '{}', {{ RaiseError => 1 }});",
    'new NetworkCredential("bob", "{}", "ACME");',
    'keyStore.load(in, "{}".toCharArray());',
    "local ok, err = red:auth('{}')",
    'curl_easy_setopt(h, CURLOPT_USERPWD, "bob:{}");',
    "requests.get(url, auth=('bob', '{}'))",
    'Config::new().password(r#"{}"#)',
    'std::string password{{"{}"}};',
    'client.login("bob", "{}")',
    'password!: string = "{}"',
    'senha_do_banco = "{}"',
    'Const DB_PWD As String = "{}"',
]
_MARKUP = [
    "<tr><th>Password</th><td><code>{}</code></td></tr>",
    "<dt>Password</dt><dd>{}</dd>",
    "<key>MyDbPassword</key>\n\t<string>{}</string>",
    '<property name="my.db.pass"><value><![CDATA[{}]]></value></property>',
    '<string name="db_password" translatable="false">{}</string>',
]
_LINES = [
    "    user bob insecure-password {}",
    "username bob privilege 15 password 0 {}",
    "enable password {}",
    "db:\n  password: |\n    {}\n",
    "password TEXT NOT NULL DEFAULT '{}'",
    " pre-shared-key {}",
    "ENV MYSQL_ROOT_PASSWORD {}",
    "helm upgrade x ./chart --set image.tag=1 --set stagingLoginPwd={}",
    'terraform apply -var="db_password={}"',
    "vault kv put secret/x password={}",
    "web01 ansible_host=10.0.0.1 ansible_user=bob ansible_ssh_pass={}",
    "redis-cli -h db -a {} FLUSHDB",
    'var dsn = "bob:{}@tcp(db:3306)/x"',
    '"Server=db;Database=x;User Id=sa;Password={};Encrypt=True"',
    "UPDATE settings SET value = '{}' WHERE name = 'db_password';",
    "env:\n- name: DB_PASSWORD\n  value: {}\n",
    '{{"key":"password","value":"{}"}}',
    '"[smtp]"\n[smtp.acme.net]:587 bob:{}\n',
]


def _is_covered(text: str, value: str) -> bool:
    data = text.encode()
    start = data.rindex(value.encode())
    span = Span(start, start + len(value.encode()))
    return any(each.span.contains(span) for each in scan(data))


@pytest.mark.parametrize("place", [*_NOTES, *_CALLS, *_MARKUP, *_LINES])
def test_a_plain_password_is_covered_in_its_place(place: str) -> None:
    """Weak ones of several kinds, with the signs that templates and references have too."""
    missed = [value for value in _WEAK if not _is_covered(place.format(value), value)]
    assert missed == []


@pytest.mark.parametrize("place", [*_NOTES, *_CALLS, *_MARKUP, *_LINES])
def test_a_generated_password_is_certain_in_its_place(place: str) -> None:
    """As anywhere else."""
    value = mixed(22)
    text = place.format(value)
    assert _is_covered(text, value)
    assert Certainty.CERTAIN in [each.certainty for each in scan(text.encode())]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("Log in as root with the password {} and go.", ":wBC|\\Q-zLz#yss\\R4^#"),
        ("Vnc Password: {}", "X*0k)hL{!,\\l{ohkJOd@V8E2:ZP"),
        ("sshpass -p '{}' ssh host", 'p#ci6qw:2"/|ZyyE>27'),
        ('"Server=db;User Id=sa;Password={};Encrypt=True"', "LHYe^N8J|d#^n@)rK>~)j.$0MYb"),
        ('new NetworkCredential("bob", "{}", "X");', "'=1hO@p*Df^Ea1sVin(ovW.,"),
        ("<key>Password</key><string>{}</string>", "&amp;C&gt;TuZqCgr~orD9Tkc7&gt;[MU7rj]V;"),
        ("id,name,password,at\n1,bob,{},now\n", '"_awe*:-q-UAYzb#9AV\\A);!5TI["""'),
        ("curl -H 'Authorization: Bearer {}' acme.net", "8CBQ!d6F4ux-wg"),
        ('expect "Password:"; send "{}\\r"', "eFW\\$KUIPhZ6m*W5"),
    ],
)
def test_a_password_may_hold_any_sign(place: str, value: str) -> None:
    """Generators take quotes, brackets and backslashes."""
    assert _is_covered(place.replace("{}", value), value.strip('"'))


@pytest.mark.parametrize(
    "name",
    [
        "Mima",
        "PAROL",
        "Parola D Ordine",
        "parolaDOrdine",
        "PASSWORD_UTENTE",
        "كلمة_المرور",
        "كلمة.المرور",
    ],
)
def test_more_names_of_passwords_are_known(name: str) -> None:
    """Transliterated, in several words, joined by any sign."""
    assert _is_covered(f"{name}: hunter2x\n", "hunter2x")
    assert _is_covered(f'"{name}": "hunter2x"\n', "hunter2x")


@pytest.mark.parametrize(
    "phrase",
    ["we all live in a yellow submarine", "two cats and a boat", "I love pizza on fridays"],
)
def test_a_phrase_is_a_password_though_it_has_small_words(phrase: str) -> None:
    """What tells a remark are the words that remarks on passwords use."""
    assert _is_covered(f'db_password = "{phrase}"', phrase)
    assert scan(b'password = "must be at least ten and not in the list"') == ()


def test_lines_of_mail_addresses_with_passwords_are_read_where_several_stand() -> None:
    """One alone is a place on another machine."""
    text = "marco@acme.net:Diego+Diego30\nolga@acme.net:hockey\n"
    found = [text[each.span.start : each.span.end] for each in scan(text.encode())]
    assert found == ["Diego+Diego30", "hockey"]
    assert scan(b"git@acme.net:team\n") == ()


@pytest.mark.parametrize(
    "text",
    [
        "Log in with the password field of the form.",
        "Use a password manager and the password is base64-encoded.",
        "The password is sha256-hashed. Use password v2 with oauth2.",
        "enter the password again",
        "password: ENC[AES256_GCM,data:oVrxF5BZCO3T,iv:L4xqkNUf,tag:Ow7w,type:str]",
        "API_KEY=`cat /run/secrets/api_key`",
        "auth:\n  existingSecret: pg-checkout\n",
        "STRIPE_SECRET_KEY=sk_live_xxxxxxxxxxxxxxxxxxxxxxxx",
        "<tr><td>password</td><td>string</td></tr>",
        "| Password | The password of the user |",
        "call(user=user, password=password)",
        '{\n"login": "Falsches Passwort.",\n"2faAlreadyEnabled": "Schon an."\n}',
        'getConnection(url, "user", password)',
        "Confirm\\ Password=Conferma password",
        '{"newPassword": {"message": "Neues Wort setzen"}}',
    ],
)
def test_what_speaks_of_a_password_tells_none(text: str) -> None:
    """Sentences, encrypted values, commands, names of others, columns of manuals."""
    assert scan(text.encode()) == ()


def test_digests_of_files_are_no_keys_of_a_service() -> None:
    """Though a file may be called like one."""
    sums = "\n".join(f"{hexadecimal(64)}  checkout-4.7.0-{each}.tar.gz" for each in ("a", "b"))
    assert scan(sums.encode()) == ()


def test_what_only_a_cluster_can_open_stops_no_build() -> None:
    """Sealed values are long and random, and public."""
    text = f"spec:\n  encryptedData:\n    db-password: Ag{mixed(300)}==\n"
    assert all(each.is_weak for each in scan(text.encode()))
