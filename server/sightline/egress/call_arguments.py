"""Call arguments: the argument of a known function that is a password, by its position.

`getConnection(url, "user", "…")`, `NetworkCredential("user", "…")`, `load(in, "…".toCharArray())`.
"""

from __future__ import annotations

from collections.abc import Iterator

from sightline.egress.generated import is_generated
from sightline.egress.headers import is_secret_word
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_values import Form, closing
from sightline.egress.secret_patterns import compiled_for_texts, compiled_for_values
from sightline.egress.weak import is_weak_content
from sightline.text import Span

_FIRST = (
    rb"[TH]OTP|PBEKeySpec|PasswordProtection|(?:redis|red|client|conn)[:.]auth"
    rb"|ConvertTo-SecureString"
)
_SECOND = (
    rb"NetworkCredential|UserPassword|PasswordAuthentication|UsernamePasswordCredentials?|HTTPBasicAuth|BasicAuth"
    rb"|SetBasicAuth|basic_auth|basicAuth|simple_bind(?:_s)?|Credentials\.basic"
    rb"|auth\.basic|AuthTokens\.basic"
    rb"|(?i:key_?store|ks|trust_?store|kmf|[a-z]*factory)\.(?:load|init|getKey)"
    rb"|(?i:smtp|ftp|imap|mail|pop3?|server|session)[a-z_]*\.login|PlainAuth|PSCredential"
    rb"|auth[ \t]?=[ \t]?|(?i:log_?in|sign_?in|authenticate)"
)
_THIRD = (
    rb"getConnection|new[ \t]+\\?PDO|DBI->connect|mysqli?_connect|new[ \t]+\\?mysqli|ldap_bind"
    rb"|new[ \t]+Sequelize|MySQLdb\.connect|pymysql\.connect|createDataSource|ftp_login"
    rb"|odbc_connect|oci_connect|dbConnect"
)
_USER_AND = rb"CURLOPT_(?:PROXY)?USERPWD|CURLOPT_(?:PROXY|KEY|SSLCERT|SSLKEY)?PASSW(?:OR)?D"
_CALL = compiled_for_texts(
    rb"(?:\b(?:(" + _FIRST + rb")|(" + _SECOND + rb")|(" + _THIRD + rb"))[ \t]?\(\s{0,20}"
    rb"|\b(" + _USER_AND + rb")[ \t]{0,2}(?:,|=>|\])[ \t=]{0,3})"
)
_PLACES = {1: 0, 2: 1, 3: 2, 4: 0}
_USER_GROUP = 4
_OPENING = compiled_for_values(rb"\s{0,40}[@$bruflnBRUFLN]{0,2}([\"'`])")
_USER = compiled_for_values(rb"[A-Za-z0-9_.@\-]{1,80}:")
# Functions that occur in many programs and may also take other arguments.
_LOOSE = compiled_for_values(rb"(?i)log_?in|sign_?in|authenticate")
_PLAIN = compiled_for_values(rb"[A-Za-z_\-]+")
_MARK = compiled_for_values(rb"[\"'`()\[\]{},]")
_LONGEST = 500
_SHORTEST_PLAIN = 5


def call_arguments(data: bytes) -> Iterator[Finding]:
    position = 0
    while (found := _CALL.search(data, position)) is not None:
        position = found.end()
        group = next(index for index in _PLACES if found.start(index) >= 0)
        start, end = _argument(data, position, _PLACES[group])
        if end <= start:
            # Do not read text twice, although it contains further calls.
            position = max(position, start)
            continue
        if group == _USER_GROUP and b"USERPWD" in found.group():
            user = _USER.match(data, start, end)
            if user is None:
                continue
            start = user.end()
        if _LOOSE.match(found.group()) is None or _PLAIN.fullmatch(data, start, end) is None:
            yield from _judged(data, start, end)
        position = end


def _argument(data: bytes, position: int, place: int) -> tuple[int, int]:
    """Return the range of the string at a position of a list.

    The range is empty if no string stands there: at the end of the list, or where reading stops.
    """
    limit = min(len(data), position + _LONGEST)
    for _ in range(place):
        position = _next(data, position, limit)
        if position < 0:
            return -position, -position
    opened = _OPENING.match(data, position, limit)
    end = closing(data, opened.end(), opened.group(1)) if opened is not None else -1
    if opened is None or end < 0:
        return position, position
    return opened.end(), end


def _next(data: bytes, position: int, limit: int) -> int:
    """Behind the next comma that stands in no string and no bracket.

    Where there is none, the offset at which that is known, as a negative number.
    """
    depth = 0
    while (found := _MARK.search(data, position, limit)) is not None:
        mark, position = found.group(), found.end()
        if mark in b"\"'`":
            end = closing(data, position, mark)
            if end < 0:
                return -position
            position = end + 1
        elif mark in b"([{":
            depth += 1
        elif mark != b",":
            depth -= 1
            if depth < 0:
                return -position
        elif depth == 0:
            return position
    return -limit


def _judged(data: bytes, start: int, end: int) -> Iterator[Finding]:
    value = data[start:end]
    span = Span(start, end)
    if is_secret_word(value) or is_generated(value):
        yield Finding(span, "argument-password", "password", Certainty.CERTAIN, True)
    elif is_weak_content(value, b"password", Form.QUOTED) and (
        _PLAIN.fullmatch(value) is None or len(value) > _SHORTEST_PLAIN
    ):
        yield Finding(span, "weak-password", "weak", Certainty.WEAK, True)
