"""Literals that a telling name gets by way of an expression, and names in other spellings."""

from __future__ import annotations

import pytest

from sightline.egress import scan

_HANDED_ON = r"""
function getDbPassword() { return "VALUE"; }
def db_password():\n    return "VALUE"
fn password() -> &'static str { "VALUE" }
const password = () => 'VALUE';
password() -> "VALUE".
password = x or "VALUE"
password = debug ? "VALUE" : null;
password: str = Field(default="VALUE")
password = models.CharField(default="VALUE")
password = ["VALUE"]
password = ("VALUE")
SECRET = shop.reveal(x.b64("VALUE"))
user, password = "bob", "VALUE"
const [user, password] = ["bob", "VALUE"];
if ("VALUE".equals(password)) {
if (password.equals("VALUE")) {
parser.add_argument("--password", default="VALUE")
output "password" {\n  value = "VALUE"\n}
"adminPassword": {"type": "string", "defaultValue": "VALUE"}
-define(SUDO_PASSWORD, "VALUE").
{"label": "password", "text": "VALUE"}
  {master_password, <<"VALUE">>},
pub const senha: []const u8 = "VALUE";
static let парольБд = "VALUE"
chave_api = "VALUE"
pass_word = "VALUE"
masterKey = "VALUE"
user=bob;password=VALUE;host=x
@db_password = VALUE
PASSWORD := VALUE
password: ${DB_PASSWORD:VALUE}
""".strip().split("\n")
_SPELLED = r"""
p4ssw0rd = "VALUE"
"s3cr3t": "VALUE"
5ecret: VALUE
drowssap = "VALUE"
p-a-s-s-w-o-r-d = "VALUE"
"p a s s w o r d": "VALUE"
ᴘᴀssᴡᴏʀᴅ = "VALUE"
пaроль = "VALUE"
\u202edrowssap\u202c = "VALUE"
my $password = q{VALUE};
local password = [==[VALUE]==]
auto password = R"x(VALUE)x";
password = $$VALUE$$
PASSWORD=$(cat <<EOF\nVALUE\nEOF\n)
$password = <<<EOT\nVALUE\nEOT;
password = '''\nVALUE\n'''
read -r PASSWORD <<< "VALUE"
read -r DB_PASSWORD <<STOP\nVALUE\nSTOP
set -gx DB_SECRET VALUE
password VALUE
\newcommand{\password}{VALUE}
<input value="VALUE" type="password">
here is the Redis password you asked for: VALUE
here is the סיסמה you asked for: VALUE
""".strip().split("\n")
_SETTINGS = [
    "type: Opaque\nstringData:\n  пароль: VALUE\n",
    "### list\n@host = https://mail.quarry.app\n@slaptazodis = VALUE\n\nGET {{host}}/v1\n",
]
_OTHER_THINGS = [
    'password = getpass("Enter your password")',
    'password = request.form["password1"]',
    'const topicToken = { type: "Punctuator", value: "#" };',
    'if (interactive) start("Compare",pass);',
    "loaded from an external secret store. The maximum allowed size is 500KB,",
    "password: ${DB_PASSWORD:?missing}",
    "#define PASSWORD_LENGTH 24",
    'token = lexer.next("identifier")',
    "a = prefix + 'x1'\npassword = a + b",
    "def password(self): return self._password",
]


@pytest.mark.parametrize("value", ["falcon88", "kR7vQ2mxZ9pLtW4h"])
def test_a_literal_is_found_wherever_a_name_gets_it(value: str) -> None:
    forms = [_text(form) for form in (*_HANDED_ON, *_SPELLED, *_SETTINGS)]
    assert [form for form in forms if not _covers(form.replace("VALUE", value), value)] == []


def test_what_an_expression_says_besides_is_none() -> None:
    assert [text for text in _OTHER_THINGS if scan(text.encode())] == []


@pytest.mark.parametrize(
    "text",
    [
        'a = "v6PbcF"\nb = "uTyEef"\nADMIN_PASSWORD = a + b\n',
        "const a = 'v6PbcF';\nconst b = 'uTyEef';\nconst adminPassword = `${a}${b}`;\n",
        "set A0=v6PbcF\nset A1=uTyEef\nset DB_PASSWORD=%A0%%A1%\n",
        "A=v6PbcF\nB=uTyEef\nPASSWORD=$A$B\n",
        'String adminPwd() { return new StringBuilder().append("v6PbcF").append("uTyEef"); }\n',
    ],
)
def test_each_piece_of_an_assembled_value_is_covered(text: str) -> None:
    assert _covers(text, "v6PbcF")
    assert _covers(text, "uTyEef")


@pytest.mark.parametrize(
    "value",
    [
        "https://63268acef237649151dc722da051d62e:14bab5f32c30563784976a659bc0b8e1@o87.ingest.sentry.io/56",
        "cloudinary://124200981742904:iasuKITM-fbbrGuTbgxGzh7qooT@uujafmel",
        "$9$jhaTh.pK5Sni7srcYxksBqXj",
    ],
)
def test_an_address_or_a_hash_is_covered_from_end_to_end(value: str) -> None:
    assert _covers(f'"x": "{value}"', value)


def test_a_common_word_with_a_number_is_a_password_in_an_address() -> None:
    assert _covers('URL = "amqp://hiro:qwerty123@db.bluefin.io/audit"', "qwerty123")


def _text(form: str) -> str:
    if form.startswith("\\newcommand"):
        return form
    return form.replace("\\n", "\n").replace("\\u202e", "\u202e").replace("\\u202c", "\u202c")


def _covers(text: str, value: str) -> bool:
    data = text.encode()
    start = data.index(value.encode())
    spans = [finding.span for finding in scan(data)]
    return any(span.start <= start and start + len(value) <= span.end for span in spans)
