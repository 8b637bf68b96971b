"""Values that a language or a tool hands to a name in a way of its own; names of more languages."""

from __future__ import annotations

import pytest

from sightline.egress import scan
from sightline.egress.telling_names import Promise, promise_of
from sightline.egress.weak import weak_promise

from .values import hexadecimal, mixed

_PHRASE = "violet harbour lantern"
_SIGNS = "(v7]xQ'm2@Lk`9w!Rt$46"

_FORMS = [
    'options() -> [{{host, "db.test"}}, {{root_pwd, "{}"}}].\n',
    '  {{:password, "{}"}}\n',
    "set token {{{}}}\n",
    'set gizli_anahtar "{}"\n',
    "\\newcommand{{\\BackupPassword}}{{{}}}\n",
    "\\def\\mailpassword{{{}}}\n",
    'val dbPassword by lazy {{ "{}" }}\n',
    'val dbPassword: String by lazy(NONE) {{\n  "{}"\n}}\n',
    '  defp password, do: "{}"\n',
    '  def api_token(_env), do: "{}"\n',
    '\tflag.StringVar(&pw, "login-password", "{}", "for the host")\n',
    'cmd.Flags().StringP("db-password", "p", "{}", "for the host")\n',
    "    password: \"{{{{ lookup('env', 'PW') | default('{}', true) }}}}\"\n",
    "      DB_PASSWORD: ${{{{ secrets.DB_PASSWORD || '{}' }}}}\n",
    'db_password: !vaulted "{}"\n',
    "db_password: &pw {}\n",
    "variables:\n  DB_PASSWORD:\n    description: of the database\n    value: {}\n",
    'std::string login_password{{"{}"}};\n',
    "$self->{{zugangspasswort}} = '{}';\n",
    'client = Client.builder().adminPassword("{}").timeout(45).build();\n',
    "    systemProperty 'db.password', '{}'\n",
    'UserDefaults.standard.set("{}", forKey: "dbPassword")\n',
    '[defaults setObject:@"{}" forKey:@"dbPassword"];\n',
    "  - value: '{}'\n    name: DB_PASSWORD\n",
    'DriverManager.getConnection("jdbc:mysql://h/d", "svc", "{}");\n',
    "Sql.newInstance('jdbc:oracle:thin:@h:1521:x', 'svc', '{}', 'oracle.jdbc.OracleDriver')\n",
    "The password is ``{}``.\n",
    "The parola chiave is \\verb|{}|.\n",
]


@pytest.mark.parametrize("form", _FORMS)
@pytest.mark.parametrize("value", [_PHRASE, "Sunshine#47", mixed(24, 7)])
def test_the_value_is_covered(form: str, value: str) -> None:
    assert _covers(form.format(value), value)


@pytest.mark.parametrize(
    "form",
    [
        'DriverManager.getConnection("jdbc:mysql://h/d", "svc", "{}");\n',
        'UserDefaults.standard.set("{}", forKey: "signingSecret")\n',
        "Log in as `svc` / `{}` on the camera.\n",
        "session secret: {}\n",
        "DEBUG config: host=h webhook_secret={} limit=15\n",
    ],
)
def test_a_generated_value_may_hold_any_sign(form: str) -> None:
    value = _SIGNS.replace("`", "^") if "`" in form else _SIGNS
    assert _covers(form.format(value), value)


def test_a_quote_that_is_doubled_is_one_sign() -> None:
    value = "vQ~%NWs''m7?VC-^9fr5?~}b]"
    assert _covers(f"- value: '{value}'\n  name: DB_PASSWORD\n", value)


def test_a_login_with_a_number_between_is_read() -> None:
    assert _covers("ssh.connect('h.test', 22, 'root', 'Sg%riTLdmv4bs9Wo')", "Sg%riTLdmv4bs9Wo")
    assert not scan(b"db.connect('h.test', 5432, 'svc', 'orders')")


@pytest.mark.parametrize(
    "text",
    [
        'sb = new StringBuilder();\n  sb.Append("{0}");\n  sb.Append("{1}");\n'
        "  var dbPassword = sb.ToString();\n",
        'var b strings.Builder\n\tb.WriteString("{0}")\n\tb.WriteString("{1}")\n'
        "\tapiToken := b.String()\n",
        'val apiToken = buildString {{ append("{0}"); append("{1}") }}\n',
        'locals {{\n  a = "{0}"\n  b = "{1}"\n  db_password = "${{local.a}}${{local.b}}"\n}}\n',
        "set P1={0}\nset P2={1}\nset DB_PASSWORD=%P1%%P2%\n",
        '  @root_password "{0}=" <> "{1}"\n',
    ],
)
def test_each_piece_of_a_built_value_is_covered(text: str) -> None:
    pieces = mixed(12, 3), mixed(12, 4)
    for piece in pieces:
        assert _covers(text.format(*pieces), piece)


@pytest.mark.parametrize(
    "text",
    [
        "set token [lindex $args 0]\n",
        "\\newcommand{\\PasswordField}{\\textbf{#1}}\n",
        "  defp token, do: Application.get_env(:app, :token)\n",
        "DB_PASSWORD: ${{ secrets.DB_PASSWORD || github.token }}\n",
        "password: !secret db_password\n",
        "password: &pw\n",
        "  password:\n    type: string\n    value: ${DB_PASSWORD}\n",
        'cmd.Flags().StringP("password", "p", "", "for the host")\n',
        'Bootstrap{DataSecretName: ptr.To("data"), Version: ptr.To("v1")},\n',
        "- **Password:** required\n- **User:** yes\n",
    ],
)
def test_what_stands_there_may_be_no_value(text: str) -> None:
    assert scan(text.encode()) == ()


_NAMES = (
    "GIZLI_ANAHTAR tajnyKlucz clave_secreta chave_secreta cuvânt_cheie toegangscode wachtzin"
    " tunnussana salalause kata_kunci гасло veritabanıŞifresi zugangspasswort parolaChiave"
    " kod_dostępu codigoDeAcceso lösenfras adgangsord titkos_kulcs секретный_ключ код_доступа"
    " hemlig_nyckel geheimer_schlüssel מילת_מעבר رمز_المرور 合言葉"
)


@pytest.mark.parametrize("name", _NAMES.split())
def test_a_name_in_another_language_tells(name: str) -> None:
    encoded = name.encode()
    assert promise_of(encoded) >= Promise.SECRET
    assert weak_promise(encoded) is not Promise.NONE
    assert _covers(f'{name} = "{_PHRASE}"\n', _PHRASE)


@pytest.mark.parametrize("name", ["klucz_publiczny", "anahtar", "clave_primaria_id", "schlüssel"])
def test_a_key_alone_is_no_secret(name: str) -> None:
    assert not scan(f'{name} = "{_PHRASE}"\n'.encode())


_HASHES = [
    f"$A$005${mixed(20, 3)}{mixed(43, 4)}",
    f"0x0200{hexadecimal(136).upper()}",
    f"0x0100{hexadecimal(48).upper()}",
    f"S:{hexadecimal(60).upper()}",
    f"{{BLF-CRYPT}}$2y$05${mixed(53, 5)}",
    f"AQAAAAEAACcQAAAAE{mixed(67, 6)}",
    f"svc::ACME:{hexadecimal(16)}:{hexadecimal(32, 2)}:0101{hexadecimal(80, 3)}",
    f"md5{hexadecimal(32)}",
    f"sha256:1000:{mixed(16)}:{mixed(32, 8)}",
    f"$DCC2$10240#svc#{hexadecimal(32)}",
]


@pytest.mark.parametrize("value", _HASHES)
@pytest.mark.parametrize("form", ['ADMIN_HASH = "{}"\n', "1,ana,{},x\n", "| ana | {} |\n"])
def test_a_hash_of_a_password_is_covered_from_end_to_end(form: str, value: str) -> None:
    assert _covers(form.format(value), value)


def _covers(text: str, value: str) -> bool:
    data, wanted = text.encode(), value.encode()
    start = data.index(wanted)
    reached = start
    for finding in scan(data):
        if finding.span.start <= reached:
            reached = max(reached, finding.span.end)
    return reached >= start + len(wanted)


_PLACES = [
    'strncpy(cfg->password, "{}", sizeof(cfg->password));\n',
    'Application.put_env(:shop, :password, "{}")\n',
    'let password = env::var("PW").unwrap_or_else(|_| "{}".into());\n',
    'ENV.fetch("DB_PASSWORD") {{ "{}" }}\n',
    '(defparameter *password* "{}")\n',
    'password in ThisBuild := "{}"\n',
    "INSERT INTO settings VALUES (7, 'smtp_password', '{}');\n",
    "$ENV{{DB_PASSWORD}} = '{}';\n",
    '$p = ConvertTo-SecureString "{}" -AsPlainText -Force\n',
    'new UsernamePasswordToken("svc", "{}");\n',
    'client.username_pw_set("svc", "{}")\n',
    'smtp.PlainAuth("", "svc", "{}", "h.test")\n',
    'ftplib.FTP("h.test", "svc", "{}")\n',
    'credentials += Credentials("realm", "h.test", "svc", "{}")\n',
    'mysql_real_connect(conn, "h.test", "svc", "{}", "db", 0, NULL, 0);\n',
    'bcrypt.hashpw(b"{}", salt)\n',
    '<entry key="password">{}</entry>\n',
]
_COMMANDS = [
    "ENV DB_PASSWORD={} OTHER=1\n",
    "- ParameterKey: DBPassword\n  ParameterValue: {}\n",
    "consul kv put shop/password {}\n",
    "aws configure set aws_secret_access_key {}\n",
    "<auth-user-pass>\nsvc\n{}\n</auth-user-pass>\n",
    "rsync --password-file=<(echo {}) a b\n",
    "ncftpput -u svc -p {} h.test\n",
    "htpasswd -nb svc {}\n",
    "tacacs-server key 0 {}\n",
    " key-string {}\n",
    '<wsse:Password Type="x#PasswordText">{}</wsse:Password>\n',
]


@pytest.mark.parametrize("form", _PLACES)
@pytest.mark.parametrize("value", [_PHRASE, "sunshine", "kV9#tR2m!xQ7zLp4"])
def test_a_place_that_takes_a_password_has_one(form: str, value: str) -> None:
    assert _covers(form.format(value), value)


@pytest.mark.parametrize("form", _COMMANDS)
@pytest.mark.parametrize("value", ["sunshine47", "kV9#tR2m!xQ7zLp4"])
def test_a_command_or_a_file_that_takes_one_has_one(form: str, value: str) -> None:
    assert _covers(form.format(value), value)


@pytest.mark.parametrize(
    "text",
    [
        "docker run -u svc -p 8080 img\n",
        'device.connect("hub", "topic", "reader");\n',
        'strcpy(token->kind, "identifier");\n',
        '<string name="password">Passwort</string>\n<string name="ok">Gut</string>\n',
        "_LABELS = ('smtp_password', 'Kennwort des Servers')\n",
    ],
)
def test_a_place_that_takes_something_else_has_none(text: str) -> None:
    assert scan(text.encode()) == ()


def test_the_address_of_a_user_is_no_password() -> None:
    assert scan(b'addUser("user-active-10", "user-active-10@mail.test");\n') == ()
