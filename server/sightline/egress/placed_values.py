"""Placed values: literals that a command, a statement or a call puts where a secret belongs.

`gh secret set`, `chpasswd`, `identified by`, the password of a wireless network, what a test types
into a field: no name stands before the value, but its place tells. One that is hard to guess is
certain, any other is weak.
"""

from __future__ import annotations

from collections.abc import Iterator

from sightline.egress.generated import is_generated
from sightline.egress.headers import is_secret_word
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_values import Form, closing
from sightline.egress.secret_patterns import (
    SecretPattern,
    SecretPatternSet,
    compiled,
    compiled_for_values,
)
from sightline.egress.weak import is_weak_content
from sightline.text import Span

# The rest of a command, over the ends of lines that it continues.
_REST = rb"(?:[^\r\n\\]|\\\r?\n|\\[^\r\n])*?"
_SECRET = rb"(?:passw|passphrase|passwd|pwd\b|secret|token|api[_\-]?key|credential)"
_TYPING = (
    rb"(?:type|fill|send_?keys|set_?value|type_?text|press_?sequentially|enter_?text|input_?text"
    rb"|replace_?text|fill_?field|fill_?in|type_?into|change|set|val|value|set_?text|input|write|insert)"
)
_STRING_ARGUMENT = rb"[\"'`][^\"'`\r\n]*[\"'`]"
# Each up to the value: in quotes, or a word.
_PLACES = (
    rb"(?i)\baws" + _REST + rb"\bssm[ \t]+put-parameter\b" + _REST + rb"[ \t]--value[= \t]+",
    rb"(?i)\baws" + _REST + rb"\bsecretsmanager\b" + _REST + rb"[ \t]--secret-string[= \t]+",
    rb"(?i)\baz" + _REST + rb"\bkeyvault[ \t]+secret[ \t]+set\b" + _REST + rb"[ \t]--value[= \t]+",
    rb"(?i)\bgh[ \t]+secret[ \t]+set\b" + _REST + rb"[ \t](?:--body|-b)[= \t]*",
    rb"(?i)\bglab[ \t]+variable[ \t]+set\b" + _REST + rb"[ \t](?:--value|-v)[= \t]+",
    rb"\becho[ \t]+(?:-[a-zA-Z]+[ \t]+)?|\bprintf[ \t]+(?:[\"']?%s(?:\\n)?[\"']?[ \t]+)?",
    rb"(?i)--from-literal[= \t]+[\"']?[A-Za-z0-9_.\-]+=",
    rb"(?i)\b(?:fly(?:ctl)?|doppler|wrangler|supabase)[ \t]+secrets?[ \t]+(?:set|put)[ \t]+"
    rb"[A-Za-z0-9_]+[= \t]",
    rb"(?i)\bnetlify[ \t]+env:set[ \t]+[A-Za-z0-9_]*" + _SECRET + rb"[A-Za-z0-9_]*[ \t]+",
    rb"(?i)\bsecurity[ \t]+add-(?:generic|internet)-password\b" + _REST + rb"[ \t]-w[ \t]+",
    rb"(?i)\bcmdkey\b" + _REST + rb"/pass:",
    rb"(?i)\bkeytool\b" + _REST + rb"[ \t]-(?:store|key)pass[ \t]+",
    rb"(?i)\bsigntool\b" + _REST + rb"[ \t]/p[ \t]+",
    rb"(?i)\bchpasswd\b[^\r\n<]*<<<[ \t]*[\"']?[A-Za-z_][A-Za-z0-9_.\-]*:",
    # Lines of settings whose name is followed by nothing but space.
    rb"(?im)\blogin[ \t]+[^\s]+\s+password[ \t]+",
    rb"(?im)^[ \t]*(?:requirepass|masterauth|rootpw|bindpw|masteruser_pass|auth_pass)[ \t]+",
    # Devices of networks, and proxies.
    rb"(?im)^[ \t]*(?:username[ \t]+[^\s]+[ \t]+(?:(?:privilege|role|group|class|level"
    rb"|algorithm-type|access-class|service-type|attribute)[ \t]+[^\s]+[ \t]+){0,4}"
    rb"|(?:enable|neighbor[ \t]+[^\s]+|ppp|snmp)[ \t][^\r\n]*?\b)"
    rb"(?:password|secret)[ \t]+(?:[0-9][ \t]+)?",
    rb"(?i)\binsecure-password[ \t]+",
    rb"(?im)^[ \t]*(?:bind[ \t]+password|pre-shared-key|auth-pass)[ \t]+(?:ascii-text[ \t]+)?",
    rb"(?i)\b(?:isakmp|ikev[12])[ \t]+key[ \t]+(?:[0-9][ \t]+)?"
    rb"|\bpre-shared-key[ \t]+ascii-text[ \t]+",
    rb"(?im)^[ \t]*snmp-server[ \t]+community[ \t]+",
    rb"(?im)^[ \t]*(?:tacacs|radius)[a-z\-]*[ \t][^\r\n]*?\bkey[ \t]+(?:[0-9][ \t]+)?"
    rb"|^[ \t]*key-string[ \t]+(?:[0-9][ \t]+)?|\bplain-text-password[ \t]+"
    rb"|^[ \t]*set[ \t]+passwd[ \t]+"
    rb"|^[ \t]*(?:wpa-psk|wep-key[0-9]?|authentication-key[ \t]+[0-9]+[ \t]+md5)[ \t]+",
    # Names of variables that only space follows.
    rb"(?m)^[ \t]*(?:ENV|setx|setenv|set[ \t]+-[a-zA-Z]+|#[ \t]*define)[ \t]+[A-Za-z0-9_]*"
    rb"(?i:passw(?:or)?d|pass|pwd|passphrase)[ \t]+",
    rb"(?im)^[ \t\-]*[a-z0-9_.\-]*(?:passw(?:or)?d|pwd|passphrase)[ \t]*:"
    rb"[ \t]*[|>][+\-]?[ \t]*\r?\n[ \t]+",
    rb"(?m)^//[^\s=]*:_(?:password|authToken|auth)=",
    rb"(?m)^\[[A-Za-z0-9.\-]+\](?::[0-9]+)?[ \t]+[^\s:]+:",
    rb"(?i)\b(?:host|hostaddr|user|dbname|port)=[^\s\"']+[ \t][^\"'\r\n]*\bpassword=",
    # Wireless networks.
    rb"(?i)\bwpa_passphrase[ \t]+(?:" + _STRING_ARGUMENT + rb"|[^\s\"']+)[ \t]+",
    rb"(?i)\bnmcli\b[^\r\n]*[ \t](?:password|(?:802-11-wireless-security|wifi-sec)\.(?:psk"
    rb"|wep-key0))"
    rb"[ \t]+",
    rb"(?i)\bnetsh[ \t]+wlan\b[^\r\n]*\bkey(?:material)?=",
    rb"(?i)\biwconfig\b[^\r\n]*\bkey[ \t]+(?:s:)?",
    rb"(?i)<keyMaterial>",
    rb"(?i)\boption[ \t]+key[ \t]+|\buci[ \t]+set[ \t]+wireless\.[^\r\n=]*\.key=",
    rb"WIFI:[^\r\n]*\bP:",
    rb"(?i)\b(?:wifi|wlan|sta_if|nic|station)[A-Za-z0-9_.]*?(?:\.|->|_|::)(?:begin|connect|join|softAP)\("
    rb"[ \t]*(?:" + _STRING_ARGUMENT + rb"|[A-Za-z_][A-Za-z0-9_]*)[ \t]*,[ \t]*",
    # Statements of SQL.
    rb"(?i)\bidentified\s+(?:with\s+[\"'`]?[A-Za-z0-9_]+[\"'`]?\s+)?by\s+(?:password\s+)?",
    rb"(?i)\b[a-z_]*passw(?:or)?d[a-z_]*[`\"\]]?[ \t]+"
    rb"(?:n?(?:var)?char|text)[^\r\n,;']*\bdefault[ \t]+",
    rb"(?i)\bsp_addlogin\s+[^\s,]+[ \t]*,[ \t]*",
    # What is typed into a field.
    rb"(?i)\"[^\"\r\n]*passw[^\"\r\n]*\"[ \t]+(?:with|as|to|is)[ \t]+",
    rb"(?i)"
    + _SECRET
    + rb"[^\r\n;]*?(?:\r?\n[ \t]*)?(?:\.|->|\(|\b)"
    + _TYPING
    + rb"[ \t]*\([ \t]*",
    rb"(?i)\b" + _TYPING + rb"[ (][^\r\n;]{0,60}?" + _SECRET + rb"[^\r\n,;]{0,60},[ \t]*"
    rb"(?:\{?[ \t]*(?:with:|target:[ \t]*\{[ \t]*value:)[ \t]*)?",
    rb"(?i)assword[^\r\n]{0,40}?[\r\n;{ \t]+send[ \t]+(?:--[ \t]+)?",
    rb"(?i)\binput[ _]password(?:[ \t]{2,}|\|)[^\s|]+(?:[ \t]{2,}|\|)",
)
_ECHO = next(index for index, place in enumerate(_PLACES) if b"echo" in place)
_INPUT_PASSWORD = len(_PLACES) - 1
_FIRST_IN_QUOTES = next(index for index, place in enumerate(_PLACES) if b"identified" in place)
"""From here on a bare word is the name of a variable; `input password` alone takes one."""
_PATTERNS = tuple(map(compiled, _PLACES))
_SIGNS = SecretPatternSet(_PLACES, group="forms")
# The lines of a document that a shell hands to `chpasswd`, and of one for a machine's first start.
_HERE_DOCUMENT = compiled(
    rb"(?i)\bchpasswd\b[^\r\n]*<<-?[ \t]*[\"']?([A-Za-z_]+)[\"']?[^\r\n]*\r?\n"
    rb"|\bchpasswd:[ \t]*\r?\n(?:[ \t]+[a-z_]+:[ \t]*[a-z]+[ \t]*\r?\n){0,3}"
    rb"[ \t]+list:[ \t]*[|>]?-?[ \t]*\r?\n"
)
_USER_LINE = compiled_for_values(
    rb"[ \t]*(?:-[ \t]+)?([A-Za-z_][A-Za-z0-9_.\-]{0,40}):([^\s:]{4,200})[ \t]*\r?\n?"
)
_USER = compiled_for_values(rb"[A-Za-z_][A-Za-z0-9_.\-]{0,40}:(?=[^/\s])")
_PRESSED = compiled_for_values(rb"(?i)(?:\{(?:enter|tab|esc|return)\}|\\[nrt])+$")
_BARE = compiled_for_values(rb"[^\s\"'`]{4,400}")
_BEHIND = b"|;,)"
_NUMBER = compiled_for_values(rb"0[xX][0-9A-Fa-f]{1,40}[uUlL]{0,3}")
_PIPED_TO = compiled_for_values(
    rb"[\"']?[ \t]*\|[^\r\n|]*?\b(?:chpasswd|gh[ \t]+secret[ \t]+set|passwd\b"
    rb"|docker[ \t]+secret[ \t]+create"
    rb"|wrangler[ \t]+secret|gcloud[ \t]+secrets|vault|--password-stdin|--passphrase-fd"
    rb"|sudo[ \t]+(?:-[A-Za-z]+[ \t]+)*-S|cryptsetup|kinit|smbpasswd|smbclient|keyctl|su\b"
    rb"|vncpasswd|openconnect|ecryptfs|encfs|hdiutil|diskutil|kadmin|ipa\b|gpg2?\b|ssh-add|age\b|bw\b|op\b"
    rb"|kubectl[ \t]+create[ \t]+secret|heroku|aws[ \t]+secretsmanager|az[ \t]+keyvault|fly(?:ctl)?"
    rb"|htpasswd|openssl[ \t]+passwd|mkpasswd"
    rb"|(?:docker|podman|helm|oras|crane|oc|buildah)[^|\r\n]*login"
    rb"|podman[ \t]+secret|kubeseal|pass[ \t]+insert)"
)
_QUOTES = frozenset((b'"', b"'", b"`"))
_MOST_USERS = 1_000


def placed_values(data: bytes) -> Iterator[Finding]:
    for index in _SIGNS.found_in(data):
        yield from _placed(_PATTERNS[index], data, index)
    if b"chpasswd" in data:
        yield from _documents(data)


def _placed(pattern: SecretPattern, data: bytes, index: int) -> Iterator[Finding]:
    position = 0
    while (found := pattern.search(data, position)) is not None:
        position = max(found.end(), found.start() + 1)
        in_quotes_only = _FIRST_IN_QUOTES <= index < _INPUT_PASSWORD
        if in_quotes_only and data[position : position + 1] not in _QUOTES:
            continue
        if index == _FIRST_IN_QUOTES and data[position : position + 1] == b"`":
            # No SQL has a string in these: prose, `identified by` the name of something.
            continue
        start, end = _bounds(data, found.end())
        if end <= start:
            continue
        if index == _ECHO:
            if _PIPED_TO.match(data, end, end + 200) is None:
                continue
            user = _USER.match(data, start, end)
            start = user.end() if user is not None else start
        yield from _judged(data, start, end)
        position = end


def _bounds(data: bytes, start: int) -> tuple[int, int]:
    """Of the value that begins there; an empty range where none does."""
    quote = data[start : start + 1]
    if quote and quote in b"\"'`":
        end = closing(data, start + 1, quote)
        if end >= 0:
            # Keys that are pressed after it: `type('…{enter}')`.
            return start + 1, start + 1 + len(_PRESSED.sub(b"", data[start + 1 : end]))
        return start, start
    found = _BARE.match(data, start)
    if found is None:
        return start, start
    value = found.group().partition(b"</")[0].rstrip(_BEHIND)
    return start, start + len(value)


def _documents(data: bytes) -> Iterator[Finding]:
    for found in _HERE_DOCUMENT.finditer(data):
        position = found.end()
        for _ in range(_MOST_USERS):
            line = _USER_LINE.match(data, position)
            if line is None:
                break
            yield from _judged(data, line.start(2), line.end(2))
            position = line.end()


def _judged(data: bytes, start: int, end: int) -> Iterator[Finding]:
    value = data[start:end]
    while value.endswith((b"\\r", b"\\n")):
        value = value[:-2]
        end -= 2
    span = Span(start, end)
    if _NUMBER.fullmatch(value) is not None:
        return
    if is_secret_word(value) or is_generated(value):
        yield Finding(span, "placed-password", "password", Certainty.CERTAIN, True)
    elif is_weak_content(value, b"password", Form.QUOTED):
        yield Finding(span, "weak-password", "weak", Certainty.WEAK, True)
