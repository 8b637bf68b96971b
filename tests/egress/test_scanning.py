"""What is a secret and what is not, as tables of texts: the secret stands between « and »."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json

import attrs
import pytest

from sightline.egress import (
    NOTHING_HARMLESS,
    RULES_VERSION,
    Certainty,
    HarmlessValues,
    keyed_hash,
    redacted,
    scan,
)
from sightline.egress.vendors import _FORMATS
from sightline.text import Span
from tests.egress.values import (
    hexadecimal,
    key_lines,
    letters,
    marker,
    mixed,
    private_key,
    uuid,
)

_ASSIGNED = [
    'token = "«{mixed}»"',
    "token = '«{hex}»'",
    "const token = `«{uuid}»`;",
    "api_key: «{mixed}»",
    "API_KEY=«{hex}»",
    'export const config = {{ apiKey: "«{mixed}»" }}',
    '{{"refresh_token": "«{uuid}»"}}',
    '{{\\"access_token\\": \\"«{mixed}»\\"}}',
    'private readonly token: string = "«{mixed}»";',
    'const TOKEN: &str = "«{mixed}»";',
    'var token string = "«{mixed}»"',
    'static const char api_key[] = "«{mixed}»";',
    '#define API_KEY "«{hex}»"',
    'string token = @"«{mixed}»";',
    'token := "«{mixed}»"',
    'token ?= "«{mixed}»"',
    "'auth_token' => '«{mixed}»',",
    "define('API_KEY', '«{mixed}»');",
    'os.Setenv("API_KEY", "«{mixed}»")',
    'os.environ.get("API_KEY") or "«{mixed}»"',
    'os.environ.get("API_KEY", "«{mixed}»")',
    'process.env.TOKEN || "«{mixed}»"',
    "TOKEN=${{TOKEN:-«{mixed}»}}",
    'parser.add_argument("--token", default="«{mixed}»")',
    "run --token «{mixed}» --verbose",
    "<access_token>«{mixed}»</access_token>",
    '<add key="api_key" value="«{mixed}»" />',
    "<key>api_key</key>\n  <string>«{mixed}»</string>",
    "- name: API_KEY\n  value: «{mixed}»",
    'curl "https://host.test/x?token=«{mixed}»&page=2"',
    "url?next=token%3D«{mixed}»",
    "<a href='?token=&quot;«{mixed}»&quot;'>",
    "//registry.test/:_authToken=«{uuid}»",
    "Set `api_key` to `«{mixed}»`",
    "X-API-KEY: «{mixed}»",
    "# access_token: «{mixed}»",
    "2024-05-01 DEBUG request token=«{mixed}» status=200",
    'if ("«{mixed}»" == token)',
    "algolia_key = «{hex}»",
    "acme token - '«{mixed}»'",
    "token = ' «{mixed}» '",
    "| api token | «{mixed}» |",
    "token: >-\n  «{mixed}»",
    'token: !!str "«{mixed}»"',
    'token: ["«{mixed}»"]',
    'token = String("«{mixed}»")',
    'token = ENV.fetch("TOKEN") {{ "«{mixed}»" }}',
    '{{{{ token | default("«{mixed}»") }}}}',
    'log.info("token=" + "«{mixed}»")',
    'printf("token: %s", "«{mixed}»")',
    'variable "token" {{ default = "«{mixed}»" }}',
    'static TOKEN: &\'static str = "«{mixed}»";',
    'key: "«{hex}»"',
    "meilisearch = '«{mixed}»'",
    "token=«{signs}»",
    "token = '«{orderly}»'",
    "Activation key : «{groups}»",
    "token: «/{mixed}»",
]
_PASSWORDS = [
    'password = "«{password}»"',
    "db_password: '«{password}»'",
    "DB_PASSWORD=«{password}»",
    "redisPass = `«{password}»`",
    "<password>«{password}»</password>",
    "setPassword('«{password}»')",
    "mysql -u root --password=«{password}» db",
    "Server=h;User ID=u;Password=«{password}»;Encrypt=true",
    "ALTER USER u IDENTIFIED BY '«{password}»'",
    "postgres://user:«{password}»@db.internal/app",
    "redis://:«{password}»@cache:6379/0",
    "curl -u admin:«{password}» https://host.test",
    "machine host.test login me password «{password}»",
    "docker login -u me -p «{password}» registry.test",
    "sshpass -p '«{password}»' ssh me@host.test",
    "echo «{password}» | docker login -u me --password-stdin",
    'passwords = ["«{password}»"]',
]
_HARMLESS = [
    'headers.Set("Sec-WebSocket-Key", "{mixed}")',
    "password: str",
    "password = None",
    "password = getpass.getpass('Password: ')",
    '"password": "Enter your password"',
    "password: {{{{ .Values.password }}}}",
    'password = "${{DB_PASSWORD}}"',
    "password = settings.DATABASE_PASSWORD_V2",
    'password = "changeme"',
    'password = "********"',
    'self.client.login(username="u", password="secret")',
    "login.password.label=Password",
    "api_key = os.environ['API_KEY']",
    'api_key = "your-api-key-here"',
    'api_key = "xxxxxxxxxxxxxxxxxxxxxxxx"',
    "token: Token = tokenizer.next_token(TokenKind.IDENTIFIER_OR_KEYWORD)",
    'token = "0123456789abcdefghij0123456789"',
    "const tokenUrl = 'https://login.test/oauth2/v2.0/token'",
    "password_hash = '{hex}'",
    "public_key = '{mixed}'",
    "csrf_token = '{mixed}'",
    "commit {hex40}",
    "integrity: sha512-{mixed64}==",
    "headers = {{'Authorization': 'Bearer ' + token}}",
    "Authorization: Bearer <access_token>",
    "curl -u $USER:$PASSWORD https://host.test",
    "postgres://user:password@localhost:5432/db",
    "postgres://postgres:postgres@localhost/db",
    "https://${{USER}}:${{PASS}}@host.test",
    "class='sk-circle-fade-dot sk-three-bounce-container'",
    "assert pem.startswith('{begin}')",
    "pattern = re.compile('{begin}.*{end}')",
    "const NETWORK_KEY = 0x0e8a2b136c592a7dULL;",
    "docker run -p 8080:80 image/with-a-name:1.2.3",
    "https://host.test/hooks/create-a-webhook-with-version-2",
    "https://host.test/hooks/{hex40}",
    'PASSWORD_HASHERS = ["app.contrib.auth.hashers.PBKDF2PasswordHasher"]',
    "token = input('Paste it: ')",
    "token | null",
    "secret_name = 'NEXUS-CHAT4-API-KEY'",
    "api_key = 123456789012345",
    "auth_user_id = '{hex}'",
    "spotify:artist:{mixed}",
    "version: dev-{hex40}",
    "import {{ accessTokenSelector }} from './selectors/accessTokenSelectorV2Extended'",
]


@pytest.mark.parametrize("template", _ASSIGNED)
def test_an_assigned_token_is_found_and_covered(template: str) -> None:
    """The value and nothing else, in the syntax of many languages."""
    _check(_filled(template))


@pytest.mark.parametrize("template", _PASSWORDS)
@pytest.mark.parametrize("password", ["velvet-UVwwL-138", "Harbor2436%", "wbnE%UY6In0S"])
def test_an_assigned_password_is_found_and_covered(template: str, password: str) -> None:
    """Random ones and those that people make up."""
    _check(template.format(password=password))


@pytest.mark.parametrize("name", ["keyboard", "passengers"])
def test_a_name_that_only_holds_such_a_word_tells_nothing(name: str) -> None:
    """A random value is weak there, as it is beside any name that does not explain it."""
    (finding,) = scan(f"{name} = '{mixed(32)}'".encode())
    assert finding.certainty is Certainty.WEAK


@pytest.mark.parametrize("template", _HARMLESS)
def test_what_only_looks_like_it_is_left_alone(template: str) -> None:
    """References, placeholders, templates, digests and prose are no secrets."""
    text = template.format(
        mixed=mixed(32),
        mixed64=mixed(64),
        hex=hexadecimal(32),
        hex40=hexadecimal(40),
        begin=marker("BEGIN"),
        end=marker("END"),
    )
    assert scan(text.encode()) == ()


@pytest.mark.parametrize(
    "text",
    [
        "«{key}»",
        "cert = '''\n«{key}»\n'''",
        'key = "«{escaped}»"',
        '{"private_key": "«{key}»"}',
        "tls:\n  key: |\n    «{indented}»\n",
        "«{quoted}»",
        "+«{added}»",
        'String key = "«{joined}»";',
        "log «{wrapped}» end",
    ],
)
def test_a_whole_private_key_is_one_finding(text: str) -> None:
    """Plain, escaped, indented, in a diff, in a reply, split over strings, encoded once more."""
    key = private_key()
    filled = (
        text.replace("{key}", json.dumps(key)[1:-1] if text.startswith('{"') else key)
        .replace("{escaped}", key.replace("\n", "\\n"))
        .replace("{indented}", key.replace("\n", "\n    "))
        .replace("{quoted}", key.replace("\n", "\n> "))
        .replace("{added}", key.replace("\n", "\n+"))
        .replace("{joined}", key.replace("\n", '\\n" +\n    "'))
        .replace("{wrapped}", base64.b64encode(key.encode()).decode())
    )
    plain, spans = _marked(filled)
    (finding,) = scan(plain.encode())
    assert (finding.kind, finding.is_bounded) == ("private_key", True)
    assert finding.span.contains(spans[0])


@pytest.mark.parametrize(
    ("before", "after"),
    [(marker("BEGIN"), ""), ("", marker("END")), ("", "")],
    ids=["no end", "no beginning", "neither"],
)
def test_a_private_key_that_is_cut_off_is_covered_but_not_bounded(before: str, after: str) -> None:
    """Its bounds are a guess, so that whoever asks leaves out more than the span."""
    body = "\n".join(key_lines())
    text = f"code()\n{before}\n{body}\n{after}\nmore_code()\n"
    start = text.index(body)
    (finding,) = scan(text.encode())
    assert finding.span.contains(Span(start, start + len(body)))
    assert not finding.is_bounded


@pytest.mark.parametrize("kind", ["", "EC ", "OPENSSH ", "ENCRYPTED ", "DSA "])
def test_every_kind_of_private_key_counts(kind: str) -> None:
    """The kind is in the marker only."""
    assert [finding.detector for finding in scan(private_key(kind).encode())] == ["private-key"]


def test_a_certificate_is_public() -> None:
    """Base64 lines in a block that is no key, or in a key that is public."""
    for name in ("CERTIFICATE", "PUBLIC " + "KEY"):
        body = "\n".join([f"-----BEGIN {name}-----", *key_lines(), f"-----END {name}-----"])
        assert scan(body.encode()) == ()


@pytest.mark.parametrize(
    ("prefix", "rest", "detector"),
    [
        ("ghp_", mixed(36), "github-token"),
        ("glpat-", mixed(20), "gitlab-token"),
        ("AKIA", "Q3EGR7" + "XKJ2MNP4WZ", "aws-access-key"),
        ("xoxb-", f"123456789012-123456789012-{mixed(24)}", "slack-token"),
        ("sk_live_", mixed(24), "stripe-key"),
        ("npm_", mixed(36), "npm-token"),
        ("AIza", mixed(35), "google-api-key"),
        ("hvs.", mixed(90), "vault-token"),
        ("dop_v1_", hexadecimal(64), "digitalocean-token"),
        ("SG.", f"{mixed(22)}.{mixed(43)}", "sendgrid-key"),
        ("sk-proj-", mixed(48), "sk-key"),
        ("sk-ant-api03-", mixed(95), "anthropic-key"),
        ("zzq_", mixed(32), "prefixed-token"),
        ("ZZQ_PROD_", mixed(32), "prefixed-token"),
        ("zzq_", hexadecimal(40), "prefixed-token"),
        ("zzkey_", hexadecimal(32), "prefixed-token"),
        ("ZZQ-", mixed(32), "hyphenated-token"),
        ("zzq.pt.", mixed(40), "dotted-token"),
        ("zzq-", f"{mixed(18)}_{mixed(18, 2)}", "separated-token"),
        ("re_", f"{mixed(8)}_{mixed(24)}", "resend-key"),
    ],
)
def test_a_vendors_format_needs_no_name(prefix: str, rest: str, detector: str) -> None:
    """Alone on a line, among other words, and not when its letters are all the same."""
    (finding,) = scan(f"see {prefix}{rest} there".encode())
    assert finding.detector == detector
    assert finding.span == Span(4, 4 + len(prefix + rest))
    assert scan(f"see {prefix}{'x' * len(rest)} there".encode()) == ()


def test_a_prefix_in_the_middle_of_a_run_is_none() -> None:
    """In what is random throughout, letters before a hyphen come by chance; nor is an address."""
    for text in (
        f"{mixed(20)}-zzq-{mixed(32)}",
        f"/zzq_{mixed(32)}",
    ):
        assert scan(f"id {text} end".encode()) == ()
    for prefix in ("sha1_", "chunk_", "css_"):
        assert scan(f"{prefix}{hexadecimal(40)}".encode()) == ()


def test_an_address_with_a_hook_is_a_secret() -> None:
    """All of it, since whoever has it may post."""
    _check(f"url: «https://acme.hooks.test/in/{mixed(24)}?wait=true» end")


def test_a_password_may_look_like_a_template() -> None:
    """What follows `$` or `%` by chance is no variable when all the rest is random."""
    for value in ("UEF8$bCv*8JNvN", "xGz8zVmLs@z%NxM3W", "Harbor$2538"):
        _check(f"password = '«{value}»'")
    assert scan(b"password = '$DB_PASSWORD-$STAGE'") == ()


def test_a_key_of_a_vendor_is_found_at_the_end_of_a_longer_name() -> None:
    """`_` joins words, so that a prefix behind it begins one; names of files are made that way."""
    for key in ("ghp_" + mixed(36), "AKIA" + mixed(16).upper(), "glpat-" + mixed(20)):
        for text in (f'"my_{key}"', f"def use_{key}(): ...", f"Backup_2_{key}"):
            (found,) = scan(text.encode())
            assert key.encode() in text.encode()[found.span.start : found.span.end], text


def test_nobody_vouches_for_a_text_full_of_secrets() -> None:
    """One mark would let all of them out, of which a person has seen the first line."""
    text = "".join(f'api_token = "{mixed(32, seed)}"\n' for seed in range(3_500)).encode()
    (flood,) = scan(text)
    assert flood.is_flood
    assert scan(text, HarmlessValues(b"key", frozenset((keyed_hash(b"key", text),)))) == (flood,)


def test_every_format_is_a_pattern_that_compiles() -> None:
    """One that does not would be noticed only when a text comes close to it."""
    for form in _FORMATS:
        assert form.pattern.search(b"nothing") is None, form.name


def test_headers() -> None:
    """Bearer in any quoting, basic only where it decodes to a password."""
    token = mixed(40)
    for text in (
        f"Authorization: Bearer «{token}»",
        f'req.Header.Set("Authorization", "Bearer «{token}»")',
        f'new AuthenticationHeaderValue("Bearer", "«{token}»")',
        f"-H 'authorization: bearer «{token}»' \\",
        f"Authorization: Basic «{_base64('admin:Harbor2436%')}»",
    ):
        _check(text)
    assert scan(f"Authorization: Basic {_base64('user:password')}".encode()) == ()


def test_json_web_tokens() -> None:
    """Signed, unsigned, and encoded once more."""
    head, body = _base64('{"alg":"HS256","typ":"JWT"}'), _base64('{"sub":"1234","name":"A B"}')
    token = f"{head.rstrip('=')}.{body.rstrip('=')}.{mixed(43)}"
    _check(f"x = f(«{token}»)")
    _check(f"x = f(«{_base64(token)}»)")
    assert scan(f"x = {head}".encode()) == ()


def test_documents_give_their_secrets_away() -> None:
    """A Kubernetes secret, the private part of a JSON Web Key, the second half of a key pair."""
    data = _base64("admin:passw")
    _check(f"apiVersion: v1\nkind: Secret\ndata:\n  extra: «{data}»\n")
    assert scan(f"apiVersion: v1\nkind: ConfigMap\ndata:\n  extra: {data}\n".encode()) == ()
    _check('{"kty": "RSA", "n": "' + mixed(40, 2) + '", "d": "«' + mixed(40) + '»"}')
    text = f"{'AKIA' + 'Q3EGR7XKJ2MNP4WZ'}\n{mixed(40)}\n"
    assert [finding.detector for finding in scan(text.encode())] == [
        "aws-access-key",
        "aws-secret-key",
    ]


def test_what_redaction_leaves_is_clean() -> None:
    """A scan of what is sent finds nothing more: a placeholder is no secret."""
    templates = [*_ASSIGNED, *_PASSWORDS, "Authorization: Bearer «{mixed}»", "«{key}»"]
    for template in templates:
        data = _marked(_filled(template))[0].encode()
        rest = redacted(data, Span(0, len(data)), scan(data))
        assert b"[REDACTED:" in rest
        assert scan(rest) == (), rest


def test_a_value_without_its_closing_quote_is_found() -> None:
    """A line that was cut off, or a value that begins with a quote: its bounds are a guess."""
    (finding,) = scan(f'token = "{mixed(32)}\nnext = 1'.encode())
    assert (finding.span, finding.is_bounded) == (Span(8, 41), False)


def test_no_character_is_cut() -> None:
    """Values of letters that take several bytes, longer than the bounds of the rules."""
    for first in ("à", "語", "😀"):
        letters = "".join(chr(ord(first) + index % 40) for index in range(900))
        data = f'password = "Harbor2436%{letters}"\npwd=Harbor2436%{letters} x'.encode()
        findings = scan(data)
        assert len(findings) == 2
        for finding in findings:
            data[: finding.span.start].decode()
            data[finding.span.end :].decode()


def test_a_long_value_is_covered_to_its_end() -> None:
    """Longer than what is looked at to judge it, in quotes or not."""
    _check(f'token = "«{mixed(3_000)}»"')
    _check(f"token = «{mixed(3_000)}» and more")


def test_a_word_with_digits_is_a_weak_password() -> None:
    """Probably a test's, and replaced all the same."""
    (finding,) = scan(b'password = "hunter21"')
    assert finding.certainty is Certainty.WEAK


def test_no_comment_allows_anything() -> None:
    """What a text says about itself has no effect."""
    for comment in ("gitleaks:allow", "pragma: allowlist secret", "nosec", "sightline: ignore"):
        assert len(scan(f'token = "{mixed(32)}"  # {comment}'.encode())) == 1


def test_a_person_can_vouch_for_one_value() -> None:
    """By its keyed hash, and for that value only; with another key it is a secret again."""
    one, other = mixed(32, 1), mixed(32, 2)
    text = f'token = "{one}"\ntoken = "{other}"\n'.encode()
    harmless = HarmlessValues(b"key", frozenset([keyed_hash(b"key", one.encode())]))
    assert [text[each.span.start : each.span.end] for each in scan(text, harmless)] == [
        other.encode()
    ]
    assert len(scan(text, attrs.evolve(harmless, key=b"another"))) == 2
    assert len(scan(text, NOTHING_HARMLESS)) == 2


def test_findings_are_ordered_and_do_not_overlap() -> None:
    """Several rules see the same value: one finding remains, and all of it is covered."""
    token = "ghp_" + mixed(36)
    text = f'Authorization: Bearer {token}\ntoken = "{token}"\n{private_key()}\n'.encode()
    spans = [finding.span for finding in scan(text)]
    assert spans == sorted(spans)
    assert all(one.end <= other.start for one, other in itertools.pairwise(spans))
    assert len(spans) == 3


def test_a_list_of_secrets_is_one_secret() -> None:
    """Following thousands would take long and give nothing to send."""
    text = "\n".join(f"token={mixed(24, seed)}" for seed in range(4_000)).encode()
    (finding,) = scan(text)
    assert (finding.span, finding.is_bounded) == (Span(0, len(text)), False)


def test_arbitrary_bytes_are_scanned() -> None:
    """Text that is no UTF-8, holds NUL or nothing at all; the secret in it is found."""
    assert scan(b"") == ()
    token = mixed(32).encode()
    for before in (b"\xff\xfe\x00", b"\xed\xa0\x80", b"\x00" * 9, b"\x80" * 9):
        text = before + b'\ntoken = "' + token + b'"\n'
        assert [text[each.span.start : each.span.end] for each in scan(text)] == [token]


def test_the_version_names_the_rules() -> None:
    """It goes into fingerprints: a scheme and a digest."""
    scheme, _, digest = RULES_VERSION.partition(":")
    assert scheme == "secrets-1"
    assert len(digest) == len(hashlib.sha256().hexdigest())


def test_letters_alone_are_random_too() -> None:
    """A token need not have a digit, a word with many letters is none."""
    _check(f'auth_token = "«{letters(32)}»"')
    assert scan(b'auth_token = "refreshTokenRepositoryFactory"') == ()


def _filled(template: str) -> str:
    return template.format(
        mixed=mixed(32),
        hex=hexadecimal(32),
        uuid=uuid(),
        password="Harbor2436%",
        key=private_key(),
        signs=f"{mixed(14)}={mixed(22, 2)}",
        orderly="ab12" + "cd34ef56gh",
        groups="-".join(mixed(5, seed).upper() for seed in range(5)),
    )


def _check(text: str) -> None:
    plain, spans = _marked(text)
    found = scan(plain.encode())
    assert [finding.span for finding in found] == spans, found


def _marked(text: str) -> tuple[str, list[Span]]:
    """The text without « and », and the spans between them; all of it is ASCII."""
    before, _, rest = text.partition("«")
    value, _, after = rest.partition("»")
    return before + value + after, [Span(len(before), len(before) + len(value))]


def _base64(content: str) -> str:
    return base64.b64encode(content.encode()).decode()


def test_a_value_that_is_told_in_one_place_is_a_secret_in_every_other() -> None:
    """In prose, in another name, in a call: nothing tells there what it is, and it is the same."""
    value = mixed(20)
    text = f'password = "{value}"\n\n# Asked for {value}.\nopen_door("{value}")\nx{value} = 1\n'
    data = text.encode()
    found = [data[each.span.start : each.span.end] for each in scan(data)]
    assert found == [value.encode()] * 4
    harmless = HarmlessValues(b"key", frozenset({keyed_hash(b"key", value.encode())}))
    assert scan(data, harmless) == ()


def test_a_word_is_not_a_secret_in_other_places() -> None:
    """A password that is a word, or short, stands for other things as well."""
    for value in ("s3cret!", "swordfish"):
        data = f'password = "{value}"\n\n# The {value} of the story.\n'.encode()
        assert len(scan(data)) <= 1


@pytest.mark.parametrize(
    "text",
    [
        "import {\n  PasswordService,\n  Vfo1I18nPipe\n} from './all'",
        'implementation("io.spring.gradle.antora:spring-antora-plugin:0.0.1")',
        "_globals['_GOOGLECOMPUTEENGINECREDENTIALS']._serialized_start=219",
        '"knx_es_01K76NGZRMJA74CBRQF9KXNPE8": {',
        f'containsKeys("{"6aa3691a73805f608e5fce69fb6bc89a" * 2}.tar")',
        '<trans-unit id="crowdin:5fd89b853ee27904dd6c5f67">',
        "take(/*flow_control_tokens=*/dequeue_size_2,\n     /*stream_tokens=*/available_9);",
        f'HMAC("sha256:{"11486cb955594f9d43909b60f94209bb" * 2}")',
        f'login("{"h4x0r" * 8}")',
    ],
)
def test_names_lists_and_digests_are_no_secrets(text: str) -> None:
    """Each was taken for a secret in a public repository."""
    assert scan(text.encode()) == ()


@pytest.mark.parametrize("name", ["Int32Max", "Utf8Text", "OAuth2Client"])
def test_the_name_of_a_class_is_a_weak_password(name: str) -> None:
    """A class of that name elsewhere is no secret: weak values are looked for nowhere else."""
    text = f'password = "{name}"\n\nclass {name}:\n    pass\n'
    assert [(each.is_weak, each.span.start) for each in scan(text.encode())] == [(True, 12)]
