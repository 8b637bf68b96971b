"""Values in other forms: pieces, encodings, documents, wallets, disguises.

The secret stands between « and »; what is found covers it from the first byte to the last.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import random
from urllib.parse import quote

import pytest

from sightline.egress import Certainty, scan
from sightline.text import Span
from tests.egress.values import hexadecimal, mixed

_TOKEN = mixed(40)
_PASSWORD = "Harbor" + "2436%" + "kQ"
_GITHUB = "ghp_" + mixed(36)
_BASE32 = "JB5WY3DPEHPK3PXPKR2V" + "6ZLT" + "MFZXG2LO"


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _base58(prefix: bytes, size: int) -> str:
    """A number with its checksum, in the alphabet of wallets."""
    raw = prefix + random.Random("wallet").randbytes(size)
    raw += hashlib.sha256(hashlib.sha256(raw).digest()).digest()[:4]
    number, text = int.from_bytes(raw, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"[digit] + text
    return text


_BASE58_TEXT = mixed(107, 9).translate(str.maketrans("0OIl", "2345"))
_HEAD, _TAIL = _TOKEN[:20], _TOKEN[20:]
_PHRASE = "gravity machine north sort system female filter attitude volume fold club stay"

_PIECES = [
    f'key := []byte("«{_TOKEN}»")',
    f'var apiKey = []byte(\n\t"«{_TOKEN}»",\n)',
    f'local token = "«{_HEAD}" .. "{_TAIL}»"',
    f'token = ("«{_HEAD}"\n         "{_TAIL}»")',
    f'char *token = "«{_HEAD}" "{_TAIL}»";',
    f"$token = '«{_HEAD}' . '{_TAIL}»';",
    f'token = "«{_HEAD}" & _\n    "{_TAIL}»"',
    f"SELECT set_config('api.token', '«{_HEAD}' || '{_TAIL}»', false);",
    f'let token = "«{_HEAD}"\ntoken += "{_TAIL}»"',
    f'token = ["«{_HEAD}", "{_TAIL}»"].join("")',
    f"token = ''.join(['«{_HEAD}', '{_TAIL}»'])",
    f'x = "«{_GITHUB[:12]}" + "{_GITHUB[12:]}»"',
    f'x = "«{_GITHUB[:4]}" +\n    // the rest\n    "{_GITHUB[4:]}»"',
    f"TOKEN=«{_HEAD}\\\n{_TAIL}»",
    f"<password><![CDATA[«{_PASSWORD}»]]></password>",
    f"<apiKey>\n  <![CDATA[\n    «{_TOKEN}»\n  ]]>\n</apiKey>",
    f'password = """\n«{_PASSWORD}»"""',
    f"api_key = '''\n«{_TOKEN}»\n'''",
    f"? password\n: «{_PASSWORD}»\n",
    f'? "api_key"\n: "«{_TOKEN}»"\n',
    f"token: !!binary |\n  «{_base64(_TOKEN)[:28]}\n  {_base64(_TOKEN)[28:]}»\n",
    f"token: !!binary «{_base64(_TOKEN)}»\n",
]
_DOCUMENTS = [
    f"apiVersion: v1\nkind: Secret\ndata:\n  a.b: «{_base64('correct horse battery')}»\n",
    f"data:\n  password: «{_base64('Sommer_2024')}»\nkind: Secret\n",
    f"kind: Secret\nstringData:\n  url: |\n    «https://a:{_TOKEN}@host»\n  z: ''\n",
    "- kind: ConfigMap\n  data:\n    a: plainvalue\n- kind: Secret\n  data:\n    "
    f"b: «{_base64(_TOKEN)}»\n",
    f'kind: Secret\nstringData: {{ any: "«{_PASSWORD}»" }}\n',
    json.dumps({"kind": "Secret", "data": {"x": f"«{_base64(_TOKEN)}»"}}, ensure_ascii=False),
    json.dumps(
        {"items": [{"data": {"x": f"«{_base64(_TOKEN)}»"}, "kind": "Secret"}, {"kind": "Pod"}]},
        indent=2,
        ensure_ascii=False,
    ),
    f"| user | password |\n|---|:---:|\n| alice | «{_PASSWORD}» |\n",
    f"| user | `API key` |\n| --- | --- |\n| alice | `«{_TOKEN}»` |\n",
    f" id | user  | password\n----+-------+---------\n  1 | alice | «{_PASSWORD}»\n",
    f'user;"Password";note\nalice;"«{_PASSWORD}»";"a;b"\n',
    f"user\tapi_key\nalice\t«{_TOKEN}»\n",
    f"https://mainnet.infura.io/v3/«{hexadecimal(32)}»",
    f"wss://eth-mainnet.g.alchemy.com/v2/«{mixed(32)}»",
    f"https://maker.ifttt.com/trigger/x/with/key/«{mixed(22)}»",
    f"mongodb+srv://app:«p@ss{mixed(8)}»@cluster0.host.test/db",
    f'headers = {{"Authorization": "Basic «{_base64("svc:" + _PASSWORD)}»"}}',
    f"-H 'authorization: basic «{_base64('svc:' + _PASSWORD)}»'",
    f'{{"auths": {{"host.test": {{"auth": "«{_base64("svc:" + _PASSWORD)}»"}}}}}}',
    f"//host.test/:_auth=«{_base64('svc:' + _PASSWORD)}»",
]
_NUMBERS = [
    f"<RSAKeyValue><Modulus>{mixed(64)}</Modulus><D>«{mixed(64, 2)}»</D></RSAKeyValue>",
    f'{{"Modulus": "{mixed(64)}", "InverseQ": "«{mixed(44, 3)}»"}}',
    f"{{kty: 'EC', crv: 'P-256', d: '«{mixed(43)}»'}}",
    f"kty: RSA\nqi: «{mixed(43)}»\n",
    "modulus:\n    00:aa\nprivateExponent:\n    «"
    + ":".join(cut for cut in ["5a"] * 15)
    + ":\n    0b:ac»\n",
    f"otpauth://totp/a?secret=«{_BASE32}»&issuer=b",
    f'pyotp.TOTP("«{_BASE32}»").now()',
    f"MFA_SEED={chr(171)}{_BASE32}{chr(187)}\n",
    f"«{_base58(bytes([0x80]), 32)}»",
    f"key «{_base58(bytes([0x80]), 33)}» end",
    f"«nsec1{''.join(random.Random(7).choices('acdefghjklmnpqrstuvwxyz023456789', k=58))}»",
    f'new ethers.Wallet("«0x{hexadecimal(128)[:64]}»")',
    f'accounts: [\n        "«0x{hexadecimal(128)[:64]}»"]',
    f'x = "«{_PHRASE}»"',
    "1. «" + "\n".join(f"{i}. {word}" for i, word in enumerate(_PHRASE.split(), 1))[3:] + "»\n",
    "secretKey = [«" + ", ".join(map(str, random.Random(3).randbytes(64))) + "»]",
]
_HASHES = [
    f"root:«$y$j9T${mixed(22)}${mixed(43)}»:19000:0:",
    f"x «$argon2id$v=19$m=65536,t=3,p=4${mixed(22)}${mixed(43)}»",
    f"x «$6$rounds=5000${mixed(16)}${mixed(86)}»",
    f"x «$7$CU..../....${mixed(22)}${mixed(43)}»",
    f'"«pbkdf2_sha256$600000${mixed(22)}${_base64(mixed(32))}»"',
    f'"«scrypt:32768:8:1${mixed(16)}${hexadecimal(128)}»"',
    f"«bcrypt_sha256$$2b$12${mixed(53)}»",
    f"hash: «$$2y$$05$${mixed(53)}»",
    f"userPassword: «{{SSHA512}}{_base64(mixed(72))}»",
    f"«SCRAM-SHA-256$4096:{_base64(mixed(16))}${_base64(mixed(32))}:{_base64(mixed(32, 2))}»",
]


def _escaped(text: str, pattern: str) -> str:
    return "".join(pattern.format(ord(letter)) for letter in text)


_ASSIGNED = f'{{"password": "{_PASSWORD}", "token": "{_TOKEN}"}}'
_ENCODINGS = [
    f'x = "«{_base64(_base64(_ASSIGNED))}»"',
    f'x = "«{_base64(_base64(_base64(_ASSIGNED)))}»"',
    f"blob: «{_base64(f'export GITHUB={_GITHUB}; true')}»",
    f"x=«{base64.urlsafe_b64encode(_ASSIGNED.encode()).decode().rstrip('=')}»",
    f"x = '«{_ASSIGNED.encode().hex()}»'",
    f"bytes([«{', '.join(str(ord(letter)) for letter in _GITHUB)}»])",
    f"x = {{«{', '.join(f'0x{ord(letter):02x}' for letter in _GITHUB)}»}}",
    "token = [" + ",".join(f"'{letter}'" for letter in f"{_GITHUB}").join("«»") + "].join('')",
    f"q=token%3D«{_TOKEN}»%26x",
    f"q=token%253D«{_TOKEN}»%2526x",
    f"password=«{quote(_PASSWORD)}»&x=1",
    f"token &quot;=&quot; token=&#34;«{_TOKEN}»&#34;",
    f"«{_escaped(_GITHUB, '&#{};')}»",
    f"«{_escaped(_GITHUB, '&#x{:x};')}»",
    f'"«{_escaped(_GITHUB, chr(92) + "u{:04x}")}»"',
    f'"«{_escaped(_GITHUB, chr(92) + "x{:02x}")}»"',
    f'"«{_escaped(_GITHUB, chr(92) + "u{{{:x}}}")}»"',
    f'"«{_escaped(_GITHUB, chr(92) + "{:03o}")}»"',
    html.escape(html.escape(f'<x token="«{_TOKEN}»">')),
    json.dumps(json.dumps(json.dumps({"token": "@"}))).replace("@", f"«{_TOKEN}»"),
]
_MORE_ENCODINGS = [
    f"token: «{' '.join(format(ord(letter), '08b') for letter in _GITHUB)}»",
    f"base32.b32decode('«{base64.b32encode(_GITHUB.encode()).decode()}»')",
    f"token (remove the blanks): «{' '.join(_GITHUB)}»",
    f"token: «{'  '.join(_GITHUB)}»",
    f'const TOKEN: &[u8] = b"«{_TOKEN}»";',
    f"token: xprv{_BASE58_TEXT}".replace("xprv", "«xprv") + "»",
    f'cleartextpassword" value="«{_PASSWORD}»"',
    f"the api token is «{_TOKEN}».",
    f"Authorization: Token «{_TOKEN}»",
    f"Subject: access\n\ntoken: «{_TOKEN[:30]}=\n{_TOKEN[30:]}»\n",
]
_DISGUISES = [
    f"password = “«{_PASSWORD}»”",
    f"password\u00a0=\u00a0«{_PASSWORD}»\n",
    f"password\u2003:\u2009'«{_PASSWORD}»'",
    f"p\u0430ssw\u043erd = '«{_PASSWORD}»'",
    f"\u0440\u0430\u0455\u0455\u051d\u043e\u0072\u0501 = '«{_PASSWORD}»'",
    f"p\u03b1ssw\u03bfrd = '«{_PASSWORD}»'",
    f"ⓟⓐⓢⓢⓦⓞⓡⓓ = '«{_PASSWORD}»'",
    f"🅿🅰🆂🆂🆆🅾🆁🅳 = '«{_PASSWORD}»'",
    f"ｐａｓｓｗｏｒｄ＝＂«{_PASSWORD}»＂",
    f"𝓹𝓪𝓼𝓼𝔀𝓸𝓻𝓭 = '«{_PASSWORD}»'",
    f"p̶a̶s̶s̶w̶o̶r̶d̶ = '«{_PASSWORD}»'",
    f"pässwörd = '«{_PASSWORD}»'",
    f"pass\u202eword\u202c = '«{_PASSWORD}»'",
    f"\u2066token\u2069 = '\u2066«{_TOKEN[:9]}\u2069{_TOKEN[9:]}»'",
    f"token = '«{_TOKEN[:9]}\u200b{_TOKEN[9:]}»'",
    f"«{_GITHUB[:9]}\u0301{_GITHUB[9:]}»",
]
_PATHS = [
    f"builds/«{_GITHUB}»/out.txt",
    f"/srv/AKIA/«xoxb-1234567890-1234567890-{mixed(24)}»/log",
    f"~/«glpat-{mixed(20)}»/.config",
]
_FORMS = (
    _PIECES + _DOCUMENTS + _NUMBERS + _HASHES + _ENCODINGS + _MORE_ENCODINGS + _DISGUISES + _PATHS
)


@pytest.mark.parametrize("marked", _FORMS)
def test_the_whole_value_is_covered(marked: str) -> None:
    head, _, rest = marked.partition("«")
    value, _, tail = rest.partition("»")
    data = f"{head}{value}{tail}".encode()
    start = len(head.encode())
    end = start + len(value.encode())
    findings = [each for each in scan(data) if each.certainty is Certainty.CERTAIN]
    assert any(finding.span.contains(Span(start, end)) for finding in findings), findings


_WEAK = [
    "| user | password |\n|---|---|\n| alice | «sunshine» |\n",
    "kind: Secret\nstringData:\n  mode: «sunshine»\n",
    "amqp://app:«sunshine»@queue.host.test/",
    f"Authorization: Basic «{_base64('alice:sunshine')}»",
    "Server=db.host.test;User=app;Password=«sunshine»;",
]


@pytest.mark.parametrize("marked", _WEAK)
def test_a_made_up_password_is_weak(marked: str) -> None:
    """It is replaced in place and never refuses a build."""
    head, _, rest = marked.partition("«")
    value, _, tail = rest.partition("»")
    findings = scan(f"{head}{value}{tail}".encode())
    assert [(each.span, each.is_weak, each.is_bounded) for each in findings] == [
        (Span(len(head), len(head) + len(value)), True, True)
    ]


_HARMLESS = [
    f"kind: ConfigMap\ndata:\n  checksum: {_base64('an ordinary text that is long')}\n",
    "| option | password |\n|---|---|\n| `--user` | required |\n",
    "| Key | Action |\n|---|---|\n| Ctrl+Shift+P | opens |\n",
    f"data:image/png;base64,{_base64('an image that is none of our business')}",
    f'{{"kty": "EC", "crv": "P-256", "x": "{mixed(43)}", "y": "{mixed(43, 2)}"}}',
    f"<RSAKeyValue><Modulus>{mixed(64)}</Modulus><Exponent>AQAB</Exponent></RSAKeyValue>",
    f"txHash = '0x{hexadecimal(128)[:64]}'; wallet.verify(hash)",
    "abandon ability able about above absent absorb abstract absurd abuse access accident account",
    "x = [" + ", ".join(map(str, range(64))) + "]",
    "replace(/(a)(b)/, '$1$2$1$2$1$2$1$2$1$2')",
    "Это обычный текст: «ключ» — не секрет, а слово; пароль хранится отдельно.",
    "“Don’t” – a quote’s token … naïve café, 日本語：テスト",
]


@pytest.mark.parametrize("text", _HARMLESS)
def test_what_looks_alike_is_harmless(text: str) -> None:
    assert scan(text.encode()) == ()
