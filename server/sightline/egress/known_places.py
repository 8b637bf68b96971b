"""Known places: values that the format of a file, a command or an interface puts somewhere.

No name stands beside them: the line itself tells. What a certain rule finds is a secret; a password
is certain if it looks generated, and weak otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sightline.egress.generated import is_generated
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_values import Form
from sightline.egress.randomness import is_random
from sightline.egress.secret_patterns import SecretPatternSet, compiled, compiled_for_values
from sightline.egress.value_forms import is_example, is_password
from sightline.egress.weak import is_weak_content
from sightline.text import Span

# What a text must have for a rule to be worth its time, and the rule.
_CERTAIN_RULES = (
    # Salts of WordPress: sixty-four of any sign, blanks too.
    (
        rb"(?i)(?:secure_auth|logged_in|auth|nonce)_(?:key|salt)",
        rb"(?i)define\([ \t]{0,4}[\"'](?:secure_auth|logged_in|auth|nonce)_(?:key|salt)[\"']"
        rb"[ \t]{0,4},[ \t]{0,12}'([^'\r\n]{40,90})'",
    ),
    # A password that Terraform made, in a state or a plan.
    (
        rb"\"random_(?:password|string|bytes)\"",
        rb"\"random_(?:password|string|bytes)\"[^<>;]*?\"(?:result|b64_std|hex)\":[ \t]{0,4}"
        rb"\"([^\"\r\n]{6,200})\"",
    ),
    (
        rb"grub\.pbkdf2\.",
        rb"(grub\.pbkdf2\.sha512\.[0-9]{1,8}\.[0-9A-Fa-f]{32,}\.[0-9A-Fa-f]{32,})",
    ),
    (rb"\$krb5", rb"(\$krb5(?:tgs|asrep|pa|db)\$[0-9]{1,2}\$[^\s]{20,})"),
    (rb"\"md5[0-9a-f]{32}", rb"\"(md5[0-9a-f]{32})\""),
    (
        rb"[ \t](?:-H|-hashes|--hash)[ \t]",
        rb"(?i)(?:evil-winrm|crackmapexec|nxc|netexec|psexec|wmiexec|smbexec|secretsdump|pth-[a-z]+)"
        rb"\b[^\r\n]*?[ \t](?:-H|-hashes|--hash)[ \t]{1,4}:?([0-9a-fA-F:]{32,65})",
    ),
    # Tables and stores of keys in base64, by what they begin with.
    (
        rb"BQIAAA|A9mimmf7|/u3\+7QAAAA|zs7OzgAAAA",
        rb"(?:^|[^A-Za-z0-9+/])((?:BQIAAA|A9mimmf7|/u3\+7QAAAA|zs7OzgAAAA)[A-Za-z0-9+/]{40,}={0,2})",
    ),
    (rb"ED25519-V3:", rb"ED25519-V3:([A-Za-z0-9+/]{60,}={0,2})"),
    (rb"0201036c6e64", rb"\b(0201036c6e64[0-9a-f]{60,})"),
    (rb"(?i)fromSeed\(", rb"(?i)fromSeed\([ \t]{0,4}[\"'](s[1-9A-HJ-NP-Za-km-z]{24,32})[\"']"),
    (rb"S[UAOCNX][A-Z2-7]{54}", rb"\b(S[UAOCNX][A-Z2-7]{54,56})\b"),
    (rb":x25519:", rb"(?:descriptor|auth):x25519:([A-Z2-7]{52})\b"),
    (rb"\bHOTP", rb"(?m)^HOTP\S*[ \t]+\S+[ \t]+\S+[ \t]+([0-9a-fA-F]{32,})"),
    (rb"TOTP_AUTH", rb"(?m)^([A-Z2-7]{16,64})\r?\n\""),
    (rb"setVapidDetails", rb"setVapidDetails\([^()]*,\s*[\"']([A-Za-z0-9_\-]{40,})[\"']"),
    (
        rb"(?i)otp|2fa|mfa|authenticator|seed",
        rb"(?i:\b[a-z_\-]{0,20}(?:otp|2fa|mfa|authenticator|seed)[a-z_\-]{0,20})[\"']?[ \t]{0,2}"
        rb"(?:[:=]|=>)[ \t]{0,2}[\"']?([A-Z2-7]{16,64}={0,6})(?:[\"'\s,;]|$)",
    ),
    (rb"\(d #", rb"\(d #([0-9A-Fa-f]{32,})#\)"),
    (
        rb"\tTRUE\t|\tFALSE\t",
        rb"(?im)^\S+\t(?:TRUE|FALSE)\t\S*\t(?:TRUE|FALSE)\t[0-9]+\t[^\t\r\n]*(?:sess|auth|token|sid|jwt)"
        rb"[^\t\r\n]*\t([^\s]{16,})",
    ),
    # The bytes of a key, one by one.
    (
        rb"(?i)(?:key|secret|seed|psk|token)[a-z0-9_]*(?:\[[^\]\r\n]*\])?[ \t]*[:=]",
        rb"(?i)(?:key|secret|seed|psk|token)[a-z0-9_]{0,30}(?:\[[^\]\r\n]{0,20}\])?[ \t]{0,4}"
        rb"(?::[^=\r\n]{0,30})?=[ \t]{0,4}(?:new[ \t]|&)?[A-Za-z_.<>\[\]0-9]{0,20}[({\[]{1,3}"
        rb"\s{0,20}((?:(?:\(byte\)[ \t]?)?-?(?:0x)?[0-9a-f]{1,3}\s{0,4},\s{0,20}){15,}"
        rb"-?(?:0x)?[0-9a-f]{1,3})",
    ),
    # Shares of the key that opens a vault.
    (
        rb"(?i)(?:unseal|recovery|share|shard)[ _]?(?:key|share)",
        rb"(?i)\b(?:unseal|recovery|root|key|share|shard)[ _]?(?:key|share|shard)"
        rb"(?:[ _#(]{0,3}[0-9]{1,2}\)?)?[\"']?[ \t]{0,2}[:=][ \t]{0,4}[\"']?("
        rb"[A-Za-z0-9+/=_\-]{32,128})",
    ),
    # Stores of keys in base64.
    (
        rb"(?i)(?:key_?store|trust_?store|p12|pfx|pkcs_?12|jks|keytab"
        rb"|kdbx)[a-z0-9_.\-]*[\"']?[ \t]*[:=]",
        rb"(?i)(?:key_?store|trust_?store|p12|pfx|pkcs_?12|jks|keytab"
        rb"|kdbx)[a-z0-9_.\-]{0,24}[\"']?[ \t]{0,4}"
        rb"[:=][ \t]{0,4}(?:[|>][+\-]?[ \t]{0,2}\r?\n[ \t]{1,20})?[\"']?"
        rb"((?:[A-Za-z0-9+/]{40,}(?:\r?\n[ \t]{1,20})?)+={0,2})",
    ),
    # What a program that makes passwords and keys has printed below its command.
    (
        rb"(?i)\b(?:pwgen|apg|makepasswd|genpasswd|xkcdpass|diceware|openssl[ \t]+rand"
        rb"|gen-random|wg[ \t]+gen|pwqgen"
        rb"|bw[ \t]+generate|urandom|secrets\.token)",
        rb"(?im)^[ \t]*(?:[$#>%]|PS>|>>>)[ \t]*[^\r\n]{0,120}?\b(?:pwgen|apg|makepasswd"
        rb"|genpasswd|xkcdpass|diceware"
        rb"|openssl[ \t]+rand|gpg2?[ \t]+--gen-random|wg[ \t]+gen(?:key|psk)|pwqgen"
        rb"|bw[ \t]+generate"
        rb"|/dev/u?random|secrets\.token_[a-z]{3,8})[^\r\n]{0,120}\r?\n[ \t]*("
        rb"[^\s$#>]\S{7,128})[ \t]*(?:\r?\n|$)",
    ),
    # What the key file of a wallet holds.
    (rb"\"kdf\"", rb"\"ciphertext\":[ \t]{0,4}\"([0-9a-f]{64,})\""),
    # The address of a service for crash reports, with both halves of its key.
    (rb"[0-9a-f]{32}:[0-9a-f]{32}@", rb"https?://([0-9a-f]{32}:[0-9a-f]{32})@"),
)
_NOTE = rb"(?i)[\"'](?:text|body|message|content|note|comment|description)[\"'][ \t]{0,2}:"
_PASSWORD_RULES = (
    # Redis: `user app on >… ~* +@all`.
    (
        rb"(?i)\buser[ \t][^\r\n]*[ \t]>[^\s]",
        rb"(?im)^[ \t]*(?:acl[ \t]+setuser|user)[ \t]+\S+[ \t](?:[^\r\n]*?[ \t])?>([^\s]{4,200})",
    ),
    (
        rb"(?i)/user:",
        rb"(?im)\bnet[ \t]+use[ \t][^\r\n]*?/user:\S+[ \t]+([^\s/][^\s]{3,100})[ \t]*\r?$",
    ),
    (rb"(?i)r[ow]community", rb"(?im)^[ \t]*r[ow]community6?[ \t]+([^\s]{4,100})"),
    (
        rb"(?i)createuser[ \t]",
        rb"(?im)^[ \t]*createuser[ \t]+\S+[ \t]+(?:md5|sha[0-9\-]*)[ \t]+\"?([^\s\"]{6,100})",
    ),
    (
        rb"(?i)createuser[ \t]",
        rb"(?im)^[ \t]*createuser[ \t][^\r\n]*[ \t](?:des|aes[0-9\-]*)[ \t]+\"?([^\s\"]{6,100})",
    ),
    (
        rb"(?i):[ \t](?:psk|eap|xauth|ntlm|pin)[ \t]",
        rb"(?im)^[^\r\n#=]*:[ \t]+(?:psk|eap|xauth|ntlm|pin)[ \t]+\"([^\"\r\n]{4,100})\"",
    ),
    (
        rb"(?i)#[ \t]*client[ \t]+server[ \t]+secret",
        rb"(?im)^#[ \t]*client[ \t]+server[ \t]+secret[^\r\n]*\r?\n"
        rb"[ \t]*\S+[ \t]+\S+[ \t]+\"?([^\s\"]{4,100})",
    ),
    # A user and a password as one value.
    (
        rb"(?i)(?:user|login|userpwd|auth|credentials?)[\"']?[ \t]{0,2}[:=]",
        rb"(?i)(?:user|login|userpwd|auth|credentials?)[\"']?[ \t]{0,2}[:=][ \t]{0,2}[\"']?"
        rb"[a-z][a-z0-9_.\-]{1,30}:([^\s\"'@/,;:&]{8,80})",
    ),
    # COBOL, Tcl and programs that take a password as their last word.
    (
        rb"(?i)\bvalue[ \t]+'",
        rb"(?i)(?:password|passwd|pwd)[a-z0-9\-]{0,20}[ \t]+pic[ \t]+\S+[ \t]+value[ \t]+"
        rb"'([^'\r\n]{4,60})'",
    ),
    (
        rb"(?i)\bmove[ \t]+'",
        rb"(?i)\bmove[ \t]+'([^'\r\n]{4,60})'[ \t]+to[ \t]+[a-z0-9\-]*(?:password|passwd|pwd)",
    ),
    (rb"openssl[ \t]+passwd", rb"openssl[ \t]+passwd[^\r\n'\"]{0,40}['\"]([^'\"\r\n]{4,80})['\"]"),
    (rb"-passwd[ \t]", rb"\bdscl\b[^\r\n]*?-passwd[ \t]+\S+[ \t]+([^\s]{4,80})"),
    (rb"getpass", rb"getpass\([^()\r\n]*\)[ \t]*[!=]=[ \t]*[\"']([^\"'\r\n]{4,80})[\"']"),
    # `<stringProp name="Argument.value">` behind its name; `<Pass encoding="base64">`.
    (
        rb"(?i)>[a-z_.]*password</",
        rb"(?i)>[a-z_.]{0,20}password</[a-z]{1,20}>\s{0,40}"
        rb"<[a-z]{1,20}[^<>\r\n]{0,40}value[^<>\r\n]{0,20}>([^<>\s]{4,80})</",
    ),
    (
        rb"(?i)<(?:[a-z]{1,12}:)?pass(?:word|wd)?[ \t][^<>]*>",
        rb"(?i)<(?:[a-z]{1,12}:)?pass(?:word"
        rb"|wd)?[ \t][^<>\r\n]{1,60}>([^<>\s]{4,120})</(?:[a-z]{1,12}:)?pass",
    ),
    # The name of an argument in a comment before it.
    (
        rb"(?i)(?:password|passwd|pwd|passphrase)[ \t]{0,4}[:=]?[ \t]{0,4}\*/",
        rb"(?i)/\*[ \t]{0,4}[a-z_]{0,20}(?:password|passwd|pwd|passphrase)[ \t]{0,4}[:=]?"
        rb"[ \t]{0,4}\*/[ \t]{0,4}[\"']([^\"'\r\n]{4,100})[\"']",
    ),
    # What only one program knows.
    (
        rb"(?i)\bidentify[ \t]",
        rb"(?im)nickserv[^\r\n]{0,20}\bidentify[ \t]+(?:\S+[ \t]+)?([^\s]{4,100})[ \t]*\r?$",
    ),
    # What a shell hands to a program as its input.
    (
        rb"<<<",
        rb"\b(?:sudo[ \t]|cryptsetup|kinit|chpasswd|passwd|smbpasswd|smbclient|docker|podman|helm"
        rb"|gpg2?|su\b|openconnect|encfs|htpasswd|vncpasswd|hdiutil|keyctl|ssh-add|openssl|kadmin|gh\b)"
        rb"[^\r\n<]*<<<[ \t]*\$?[\"']?(?:[a-z_][a-z0-9_\-]{0,30}:)?([^\s\"'$][^\s\"']{3,200})",
    ),
    (rb":pserver:", rb":pserver:[^\s:@/]{1,60}:([^\s@]{4,100})@"),
    (rb"::add-mask::", rb"::add-mask::([^\s$][^\s]{3,200})"),
    (
        rb"ssh-keygen",
        rb"\bssh-keygen\b[^\r\n]*?[ \t]-[NP][ \t]*[\"']([^\"'\r\n$]{4,100})[\"']",
    ),
    (
        rb"openssl[ \t]+(?:enc|aes|des)",
        rb"\bopenssl[ \t]+(?:enc|aes|des)[^\r\n]*?[ \t]-k[ \t]+[\"']?([^\s\"'$][^\s\"']{3,100})",
    ),
    (
        rb"vault[ \t]+login",
        rb"\bvault[ \t]+login[ \t]+(?:-[^\s]+[ \t]+){0,4}([^\s=$\-<{][^\s=]{5,200})",
    ),
    (
        rb"(?i)\b(?:set-)?cookie:",
        rb"(?i)\b(?:set-)?cookie:[ \t]*[^\r\n]*?\b(?:[a-z0-9_.\-]*[_.\-])?"
        rb"(?:sess(?:ion)?(?:_?id)?|sid|auth|token|jwt)=([^\s;\"']{16,400})",
    ),
    (
        rb"(?i)\.auth\(",
        rb"\b(?:db|redis|client|conn)\.auth\([ \t]*[\"'][^\"'\r\n]{1,60}[\"'][ \t]*,[ \t]*"
        rb"[\"']([^\"'\r\n]{4,100})[\"']",
    ),
    # A document whose strings are lines of notes: `"text": "password: …"`.
    (
        _NOTE,
        _NOTE + rb"[ \t]{0,2}\"[^\"\r\n]*?\b(?:password|passwd|pwd|pw|passwort)"
        rb"[ \t]{0,2}(?::|=|is)[ \t]{1,4}([^\s\"]{4,60})",
    ),
)
_CODES = (
    rb"(?i)\b(?:recovery|backup|scratch|emergency|rescue)[ _\-]codes?\b[^\r\n]*\r?\n"
    rb"(?:[ \t>]*\r?\n)?((?:[ \t>*#\-0-9.)]{0,8}[a-z0-9]{3,12}(?:[ \-][a-z0-9]{3,12}){0,3}"
    rb"[ \t,]{0,4}\r?\n?)+)"
)
_CODES_SIGN = rb"(?i)\b(?:recovery|backup|scratch|emergency|rescue)[ _\-]codes?\b"
_CODE = compiled_for_values(
    rb"(?im)^[ \t>*#.)\-0-9]*?([a-z0-9]{3,12}(?:[ \-][a-z0-9]{3,12}){0,3})[ \t,]*$"
)
_RULES = (*_CERTAIN_RULES, *_PASSWORD_RULES, (_CODES_SIGN, _CODES))
_PATTERNS = tuple(compiled(source) for _, source in _RULES)
_SIGNS = SecretPatternSet((sign for sign, _ in _RULES), group="forms")
_DIGIT = compiled_for_values(rb"[0-9]")
_SHORTEST_CODE = 8
_MOST_KEY_BYTES = 5_000
_LARGEST_BYTE = 255
_FEWEST_BYTES = 6
"""That differ in a value."""


def known_places(data: bytes) -> Iterator[Finding]:
    for index in _SIGNS.found_in(data):
        if index == len(_RULES) - 1:
            yield from _codes(data)
            continue
        judged = _certain if index < len(_CERTAIN_RULES) else _password
        for found in _PATTERNS[index].finditer(data):
            yield from judged(found.group(1), Span(found.start(1), found.end(1)))


def _certain(value: bytes, span: Span) -> Iterator[Finding]:
    if b"," in value and not _are_key_bytes(value.split(b",")):
        return
    if not is_example(value) and len(set(value)) >= _FEWEST_BYTES:
        yield Finding(span, "value-in-place", "password", Certainty.CERTAIN, True)


def _are_key_bytes(written: Sequence[bytes]) -> bool:
    """Return False for numbers that are a table: in order, repeated, too many or no bytes."""
    if len(written) > _MOST_KEY_BYTES:
        return False
    numbers = []
    for each in written:
        digits = each.rpartition(b")")[2].strip().lower().lstrip(b"-")
        is_hexadecimal = not digits.isdigit()
        numbers.append(int(digits.removeprefix(b"0x"), 16 if is_hexadecimal else 10))
    steps = sum(1 for one, other in pairwise(numbers) if abs(other - one) == 1)
    # A random byte seldom follows its neighbour, and few of a key's bytes are the same.
    return (
        max(numbers) <= _LARGEST_BYTE
        and len(set(numbers)) * 2 >= min(len(numbers), _LARGEST_BYTE // 2)
        and steps * 4 <= len(numbers)
    )


def _password(value: bytes, span: Span) -> Iterator[Finding]:
    if is_generated(value) or is_random(value, 12) or (len(value) >= 10 and is_password(value)):
        yield Finding(span, "placed-password", "password", Certainty.CERTAIN, True)
    elif is_weak_content(value, b"password", Form.QUOTED):
        yield Finding(span, "weak-password", "weak", Certainty.WEAK, True)


def _codes(data: bytes) -> Iterator[Finding]:
    """Codes to get back into an account, one below another."""
    for block in _PATTERNS[-1].finditer(data):
        lines = [
            found
            for found in _CODE.finditer(data, block.start(1), block.end(1))
            if len(found.group(1)) >= _SHORTEST_CODE
        ]
        if sum(_DIGIT.search(found.group(1)) is not None for found in lines) * 2 >= len(lines):
            for found in lines:
                span = Span(found.start(1), found.end(1))
                yield Finding(span, "recovery-code", "token", Certainty.CERTAIN, True)
