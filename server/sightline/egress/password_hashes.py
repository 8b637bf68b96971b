"""Stored passwords: a scheme, its settings, salt and hash in one value."""

from __future__ import annotations

from collections.abc import Iterator

from sightline.egress.model import Certainty, Finding
from sightline.egress.randomness import entropy
from sightline.egress.secret_patterns import compiled, compiled_for_values
from sightline.egress.value_forms import is_example, is_ordinary
from sightline.text import Span

# The dollar signs may be escaped or doubled, as in a shell or a compose file.
_DOLLAR = rb"\\{0,2}\${1,2}"
_FIELDS = compiled(
    rb"(?:"
    + _DOLLAR
    + rb"(?:1|2[abxy]?|3|5|6|7|8|9|14|y|gy|sm3y?|apr1|md5|sha1|bcrypt-sha256|scram"
    rb"|argon2(?:id|i|d)|scrypt|pbkdf2(?:-[a-z0-9]{3,8})?|s0|s2|P|H|S)"
    rb"|\b(?:pbkdf2_sha(?:1|256|512)|bcrypt(?:_sha256)?|argon2(?:id|i|d)?|scrypt|sha1|sha256|sha512|md5"
    rb"|pbkdf2:sha[0-9]{1,3}(?::[0-9]{1,8})?|scrypt:[0-9]{1,8}:[0-9]{1,4}:[0-9]{1,4}))"
    + _DOLLAR
    + rb"[A-Za-z0-9./+=,_\-$\\]{20,}"
)
_OTHERS = compiled(
    rb"SCRAM-SHA-(?:1|256|512)\$[0-9]{1,8}:[A-Za-z0-9+/=]{8,200}\$[A-Za-z0-9+/=]{16,200}:[A-Za-z0-9+/=]{16,200}"
    rb"|\*[0-9A-F]{40}\b|\b[0-9a-fA-F]{32}:[0-9a-fA-F]{32}:::"
    # Windows; the older half is the hash of an empty password.
    rb"|\b(?i:aad3b435b51404eeaad3b435b51404ee:[0-9a-f]{32})\b"
    rb"|(?i:\{(?:S?SHA(?:-?[0-9]{3})?|S?MD5|X-[A-Z0-9\-]{2,12}|(?:[A-Z0-9]{2,10}-)?CRYPT|(?:SSHA|SHA)?PBKDF2[A-Z0-9_\-]{0,12}"
    rb"|ARGON2(?:ID|I|D)?|BCRYPT|SCRYPT)\})[A-Za-z0-9+/$.=,_\-]{20,400}"
    rb"|\{noop\}[A-Za-z0-9!@#%^&*_+.\-]{4,80}"
    # Databases: MySQL, SQL Server, Oracle, PostgreSQL.
    rb"|\$A\$00[0-9]\$[!-~]{20}[A-Za-z0-9./]{43}|\b0x0[12]00[0-9A-Fa-f]{48,136}\b"
    rb"|\b[SH]:[0-9A-F]{60}(?:;[A-Z]:[0-9A-F]{32,160}){0,3}\b|\bmd5[0-9a-f]{32}\b"
    # ASP.NET, and what is visible on a network when a Windows user logs in.
    rb"|\bAQAAAA[AEI]AA[A-Za-z0-9+/]{64,100}={0,2}"
    rb"|[^\s:\"',;|]{1,64}::[^\s:\"',;|]{0,64}:[0-9a-fA-F]{16}:[0-9a-fA-F]{32}:[0-9a-fA-F]{40,}"
    rb"|[^\s:\"',;|]{1,64}::[^\s:\"',;|]{0,64}:[0-9a-fA-F]{48}:[0-9a-fA-F]{48}:[0-9a-fA-F]{16}"
    # The formats in which password crackers list what they extract from files and systems.
    rb"|\$(?:DCC2|keepass|office|pdf|zip2|RAR3|rar5|ethereum|bitlocker|sshng|vnc|dmg|ansible|telegram"
    rb"|krb5[a-z]{2,6}|mysqlna|ml|itunes_backup|bitcoin|electrum|odf|pkzip2?|7z)\$[!-~]{24,}"
    rb"|\bsha(?:1|256|512):[0-9]{3,7}:[A-Za-z0-9+/]{8,64}={0,2}:[A-Za-z0-9+/]{20,120}={0,2}"
    rb"|\bWPA\*0[12]\*[0-9a-f]{32}\*[0-9a-f]{12}\*[0-9a-f]{12}\*[!-~]{2,}"
)
HASH_SIGN = (
    rb"\$(?:[0-9a-zA-Z]{1,2}|apr1|sm3y?|md5|sha1|scram|argon2id?|argon2d|bcrypt-sha256|scrypt|pbkdf2[a-z0-9\-]*)"
    rb"\\{0,2}\$|(?:_sha[0-9]{1,3}|bcrypt|argon2(?:id|i|d)?|scrypt|sha1|sha256|sha512|md5|[0-9])\$"
    rb"|SCRAM-SHA-|\*[0-9A-F]{40}|:::|(?i:aad3b435b51404ee)|(?i:\{[A-Z0-9_\-]{3,16}\})[A-Za-z0-9$]"
    rb"|\$A\$00|0x0[12]00[0-9A-Fa-f]{12}|[SH]:[0-9A-F]{20}|md5[0-9a-f]{32}|AQAAAA[AEI]AA|::[^\s:]{0,64}:[0-9a-fA-F]{16}"
    rb"|\$(?:DCC2|keepass|office|pdf|zip2|RAR3|rar5|ethereum|bitlocker|sshng|vnc|dmg|ansible|telegram|krb5"
    rb"|mysqlna|ml|itunes|bitcoin|electrum|odf|pkzip|7z)|sha(?:1|256|512):[0-9]{3}|WPA\*0[12]"
)
"""What a text must contain for these rules to be tried."""
_SEPARATOR = compiled_for_values(rb"\\{0,2}\$+")
_LONG_FIELD = 20
_FEWEST_FIELDS = 3
_LONE_SCHEMES = (b"$P$", b"$H$", b"$S$", b"$9$")


def password_hashes(data: bytes) -> Iterator[Finding]:
    for found in _FIELDS.finditer(data):
        value = found.group().rstrip(b",\\$")
        if _is_hash(value):
            yield _finding(found.start(), value)
    for found in _OTHERS.finditer(data):
        if found.group()[:1] == b"{" and is_ordinary(found.group().partition(b"}")[2]):
            # The word for "no hash", or a placeholder.
            continue
        if entropy(found.group()) >= 2_500 and not is_example(found.group()):
            yield _finding(found.start(), found.group())


def _is_hash(value: bytes) -> bool:
    fields = [field for field in _SEPARATOR.split(value[:1_000]) if field]
    if len(fields) < _FEWEST_FIELDS and not value.startswith(_LONE_SCHEMES):
        return False
    longest = max(fields, key=len)
    has_both = any(48 <= byte <= 57 for byte in longest) and any(byte >= 65 for byte in longest)
    return (
        len(longest) >= _LONG_FIELD
        and has_both
        and entropy(longest) >= 3_000
        and not is_example(longest)
    )


def _finding(start: int, value: bytes) -> Finding:
    span = Span(start, start + len(value))
    return Finding(span, "password-hash", "password", Certainty.CERTAIN, True)
