"""Handed values: a telling name, and a literal that it gets by way of something else.

`password = cond ? "…" : null`, `password = Field(default="…")`, `def password(): return "…"`,
`user, password = "bob", "…"`, `"…".equals(password)`, `a = "…"; b = "…"; password = a + b`.
A literal in a place that hands it on is judged as one that is assigned; in any other call it must
look like nothing else, since labels, keys of tables and names of files stand there too.
"""

from __future__ import annotations

from collections.abc import Iterator

from sightline.egress.generated import is_generated
from sightline.egress.judging import quoted_secret
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_values import Form, closing
from sightline.egress.secret_patterns import (
    compiled_for_texts,
    compiled_for_told,
    compiled_for_values,
)
from sightline.egress.spoken import is_made_up_word
from sightline.egress.telling_names import Promise, promise_of
from sightline.egress.weak import is_weak_content, weak_promise
from sightline.text import Span

_CANDIDATE = compiled_for_told(
    rb"[A-Za-z0-9_$\-\x80-\xff]", rb"[\"'`\])]?[ \t]*[=:(,.)\-<|?&\"'`\])]"
)
_NAME_BYTES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.$" + bytes(
    range(128, 256)
)
_NAME_END = compiled_for_values(rb"[A-Za-z0-9_$\-\x80-\xff]*")
_TYPE = rb"(?::[ \t]{0,4}[A-Za-z_][A-Za-z0-9_.<>\[\]|?, ]{0,40})?"
_SIGN = (
    rb"[\"'`]?[\])]?[ \t]{0,4}" + _TYPE + rb"[ \t]{0,4}(?::=|=>|<-|\|\|=|\?\?=|[:=])(?!=)[ \t]{0,4}"
)
# What a name is assigned, up to its first string, which it does not begin with.
_ASSIGNED = compiled_for_values(
    _SIGN + rb"(?:([^\s\"'`;#=][^\"'`;\r\n=#]{0,100}(?:=[ \t]{0,2})?|[(\[{][ \t\r\n]{0,40})[\"'`])?"
)
# A function with that name, and the string behind its head.
_RETURNED = compiled_for_values(
    rb"[\"']?[ \t]{0,2}[=:]?[ \t]{0,2}"
    rb"(?:function[ \t]{0,2}|async[ \t]{0,2}|lambda[ \t]{0,2}:?|get)?"
    rb"\([^()\"'`\r\n]{0,80}\)([^\"'`\r\n;()]{0,40}(?:'static[ \t][a-z]{1,10}[ \t]{0,4})?"
    rb"[{:=>]?[ \t]{0,4}[\r\n]{0,2}[ \t]{0,40}(?:return\b)?[ \t(]{0,8})[\"'`]"
)
# More names behind it, and several values.
_TOGETHER = compiled_for_values(
    rb"((?:[ \t]{0,2},[ \t]{0,2}[$A-Za-z_][A-Za-z0-9_.$]{0,60}){0,5})[ \t]{0,2}[\])}]?"
    rb"[ \t]{0,4}:?=[ \t]{0,4}[(\[{]?[ \t]{0,2}(?:[^\"'`;\r\n=]{0,60},[ \t]{0,2})?[\"'`]"
)
_NAMES_BEFORE = compiled_for_values(
    rb"((?:[$A-Za-z_][A-Za-z0-9_.$]{0,60}[ \t]{0,2},[ \t]{0,2}){1,5})\Z"
)
_ASKED = compiled_for_values(
    rb"(?:\.|->|\?\.)(?:equals|equalsIgnoreCase|compareTo|isEqualTo|eq|eql\?|contentEquals"
    rb"|is_equal)\([ \t]{0,2}[\"'`]"
)
_FLIPPED = compiled_for_values(
    rb"([\"'`])[ \t]{0,2}(?:\.[A-Za-z_]{2,20}\([ \t]{0,2}|[!=]==?[ \t]{0,2}|,[ \t]{0,2})\Z"
)
# A name in quotes, and further on in the same brackets a default.
_DEFAULT = compiled_for_values(
    rb"[\"'`][^;)\]}]{0,160}?\b(?i:default(?:[_ ]?value)?|value|initial|fallback|text|content"
    rb"|secret|data)[\"']?[ \t]{0,8}(?:=>|[:=])[ \t]{0,8}[\"'`]"
)
_GLUE = rb"(?:[\"'][^\"'\r\n]{0,3}[\"']\.)?"
_ASSEMBLED = compiled_for_values(
    _SIGN + _GLUE + rb"([fFbu]?[\"'`]?[$%#{A-Za-z_(\[][^;\r\n]{0,200})"
)
_CONSTANTS = compiled_for_texts(
    rb"(?m)(?:^|[;{,(\s])(?:set[ \t]{1,4}(?:-[a-z]+[ \t]{1,4})*|export[ \t]{1,4})?[\"$@%]?"
    rb"([A-Za-z_][A-Za-z0-9_]{0,60})(?::[ \t]?[A-Za-z0-9_&' <>\[\]]{1,30})?"
    rb"[ \t]{0,8}(?::=|<-|=)[ \t]{0,4}"
    rb"(?:[bruflnRL@]{0,2}\"([^\"\r\n]{2,200})\"|[bruflnRL@]{0,2}'([^'\r\n]{2,200})'"
    rb"|([A-Za-z0-9+/_.!@#^*~\-]{2,200})\r?$)"
)
# Of any sign, where no program stands.
_SET_CONSTANTS = compiled_for_texts(
    rb"(?im)^[ \t]*(?:set|export|setlocal)[ \t]{1,4}([A-Za-z_][A-Za-z0-9_]{0,60})=("
    rb"[^\s\"'%$]{2,200})\r?$"
)
_APPENDED = compiled_for_texts(
    rb"(?m)(?:^|[;{(])[ \t]*[$@]?([A-Za-z_][A-Za-z0-9_]{0,60})(?:(?:\.|->)(?:append|push|push_back"
    rb"|add|Add|Append|AppendLine|write|Write|WriteString|concat)!?[( ][ \t]{0,4}"
    rb"|\[\][ \t]{0,4}=[ \t]{0,4}"
    rb"|[ \t]{0,8}(?:\+=|<<|\.=)[ \t]{0,4})"
    rb"(?:\"([^\"\r\n\\]{1,200})\"|'([^'\r\n\\]{1,200})')"
)
_REFERENCE = compiled_for_values(
    rb"\$\{\{?[ \t]?(?:(?:local|var|self|this|vars|env)\.)?([A-Za-z_]\w*)[ \t]?\}?\}"
    rb"|#\{[@$]?([A-Za-z_]\w*)\}|%\{?([A-Za-z_]\w*)\}?%"
    rb"|\$\(([A-Za-z_]\w*)\)|\{([A-Za-z_]\w*)\}|[$@]?(?:(?:local|var|self|this|vars|env)\.)?([A-Za-z_]\w*)"
)
# What gives the string that a builder has made.
_FINISHED = compiled_for_values(
    rb"(?i)(?:\.|->)(?:to_?string|str(?:ing)?|build|get_?value|result|value|into_inner|to_s|freeze|contents)"
    rb"\(\)|\.(?:contents|value)\b"
)
_BETWEEN_REFERENCES = compiled_for_values(rb"[ \t+.&|~<>,\"'`()\[\]{}$%fs]{0,24}")
_JOINING = compiled_for_values(
    rb"(?i)[\s(\[]*(?:[fbu]?[\"'`]"
    rb"|(?:[a-z_.:]*(?:join|concat|format|strcat|paste0?|sprintf)[!(\[ ]+[^A-Za-z_$%#{]*))?"
)
# What hands a string on: a choice, a default, a function that returns it, brackets, and calls that
# wrap or decode it.
_STRONG = compiled_for_values(
    rb"(?i).*(?:\bor|\|\||\?\?|\?:?|\?[^:]*:|\bdefault(?:_?value)?[ \t]?[:=]>?|\bvalue[ \t]?[:=]>?"
    rb"|\belse|\bthen|\breturn|=>|->|=)[ \t(]{0,3}"
    rb"|[ \t(\[{]*(?:new[ \t])?(?:[A-Za-z_.:]*(?:decode|b64|base64|hex|atob|rot13|decrypt|reverse"
    rb"|reveal|unmask|obfuscated|secret|sensitive|text|string|str|bytes|field|buffer|just|some"
    rb"|optional|cell|ref|box|rc|arc|from|new|of|wrap|lazy|const|literal|quote|trim)[A-Za-z0-9_]*"
    rb"[!?]?[ \t]?[({\[]{1,2}[ \t\r\n]*){0,4}"
)
_PLAIN_GETTERS = (
    b"get_",
    b"get",
    b"fetch_",
    b"fetch",
    b"load_",
    b"make_",
    b"default_",
    b"provide_",
)
_STRING_BEHIND = frozenset(b"%c" % byte for byte in b" \t\r\n,;)]}>.|:?&+#\\") | {b""}
_ITEM = compiled_for_values(rb"[ \t]{0,4}(?:[bruflnRL@]{0,2}([\"'`])|[^\"'`,;\r\n]{1,60})")
_NEXT_STRING = compiled_for_values(rb"[^\"'`;#\r\n]{0,80}([\"'`])")
_MOST_LATER = 4
_DIGIT = compiled_for_values(rb"[0-9]")
_QUOTES = frozenset((b'"', b"'", b"`"))
_OPEN_QUOTES = _QUOTES | {b"-"}
_LONGEST = 200
_LONGEST_NAME = 64
_MOST_NAMES = 2_000
"""Names whose expressions are read, and one more for each `_NAME_SHARE` bytes: what is assigned to
them directly is read everywhere, and no program has so many."""
_NAME_SHARE = 128
_MOST_REFERENCES = 12
_MOST_CONSTANTS = 20_000

_Constants = dict[bytes, list[tuple[int, int]]]
"""Where the strings stand that plain names mean."""


def handed_values(data: bytes) -> Iterator[Finding]:
    position = 0
    constants: _Constants | None = None
    left = _MOST_NAMES + len(data) // _NAME_SHARE
    while left and (found := _CANDIDATE.search(data, position)) is not None:
        left -= 1
        start = found.start()
        name_end = _NAME_END.match(data, start).end()  # type: ignore[union-attr]
        position = max(name_end, start + 1)
        low = max(0, start - _LONGEST_NAME)
        name_start = low + len(data[low:start].rstrip(_NAME_BYTES))
        name = data[name_start:name_end].lstrip(b"$-.")
        if len(name) > _LONGEST_NAME or promise_of(name) < Promise.SECRET:
            continue
        yield from _of_name(data, name, name_start, name_end)
        expression = _ASSEMBLED.match(data, name_end)
        if expression is None:
            continue
        names = _references(expression.group(1))
        if names:
            constants = constants if constants is not None else constants_of(data)
            yield from _assembled(data, name, names, constants)


def _of_name(data: bytes, name: bytes, start: int, end: int) -> Iterator[Finding]:
    """The values that a name gets by what stands behind it, or before it."""
    follows = data[end : end + 1]
    found = _ASSIGNED.match(data, end)
    if found is not None and found.start(1) >= 0:
        yield from _inside(data, name, found.end() - 1, found.group(1))
    returned = _RETURNED.match(data, end)
    if returned is not None:
        yield from _returned(data, name, returned.end() - 1, returned.group(1))
    if follows in (b".", b"-", b"?"):
        asked = _ASKED.match(data, end)
        if asked is not None:
            yield from _plain(data, name, asked.end() - 1)
    if follows in _QUOTES and data[start - 1 : start] in _OPEN_QUOTES:
        default = _DEFAULT.match(data, end)
        if default is not None:
            yield from _plain(data, name, default.end() - 1)
    elif follows in (b",", b" ", b"=", b":", b")", b"]"):
        together = _TOGETHER.match(data, end)
        if together is not None:
            before = _NAMES_BEFORE.search(data, max(0, start - _LONGEST), start)
            first = before.group(1) if before is not None else b""
            if first or together.group(1):
                names = first + name + together.group(1)
                yield from _together(data, names, together.end() - 1)
        if follows == b")":
            flipped = _FLIPPED.search(data, max(0, start - 40), start)
            if flipped is not None:
                is_strong = b"," not in flipped.group()
                yield from _compared(
                    data, name, flipped.start(), flipped.group(1), is_strong=is_strong
                )


def _inside(data: bytes, name: bytes, opened: int, between: bytes) -> Iterator[Finding]:
    """The string that an expression hands on, and those behind it in the same list."""
    is_strong = _STRONG.fullmatch(between) is not None
    end = closing(data, opened + 1, data[opened : opened + 1])
    if end < 0:
        return
    behind = data[end + 1 : end + 3]
    if behind[:1] not in _STRING_BEHIND or (
        behind[:1] == b"]" and between.rstrip()[-1:] == b"[" and between.strip() != b"["
    ):
        # The key of a table: `rows["…"]`.
        return
    if behind.lstrip()[:1] in (b":", b"=") and between.rstrip()[-1:] in (b"{", b"(", b","):
        # The name of a field.
        return
    yield from _judged(data, name, opened + 1, end, is_strong=is_strong)
    yield from _later(data, name, end + 1)
    if between.strip()[-1:] in (b"[", b"(", b"{") and is_strong:
        for start, stop in _items(data, end + 1):
            yield from _judged(data, name, start, stop, is_strong=False)


def _later(data: bytes, name: bytes, position: int) -> Iterator[Finding]:
    """The strings behind the first one of an expression, on its line: chance alone tells there."""
    for _ in range(_MOST_LATER):
        opening = _NEXT_STRING.match(data, position)
        if opening is None:
            return
        end = closing(data, opening.end(), opening.group(1))
        if end < 0:
            return
        if is_generated(data[opening.end() : end]):
            yield _finding(name, opening.end(), end, Certainty.CERTAIN)
        position = end + 1


def _returned(data: bytes, name: bytes, opened: int, between: bytes) -> Iterator[Finding]:
    if not any(sign in between for sign in (b"{", b":", b"=", b">", b"return")):
        return
    lower = name.lower()
    for getter in _PLAIN_GETTERS:
        if lower.startswith(getter) and len(name) > len(getter):
            name = name[len(getter) :]
            break
    end = closing(data, opened + 1, data[opened : opened + 1])
    if end >= 0:
        yield from _judged(data, name, opened + 1, end, is_strong=True)


def _together(data: bytes, names: bytes, opened: int) -> Iterator[Finding]:
    """`user, password = "bob", "…"`: the value at the place of the name."""
    listed = [name.strip(b" \t$") for name in names.split(b",")]
    if len(listed) < 2:
        return
    start = data.rfind(b"=", max(0, opened - 80), opened) + 1
    while data[start : start + 1] in (b" ", b"\t", b"(", b"[", b"{"):
        start += 1
    for name in listed:
        item = _ITEM.match(data, start)
        if item is None:
            return
        if item.start(1) >= 0:
            end = closing(data, item.end(), item.group(1))
            if end < 0:
                return
            yield from _judged(data, name, item.end(), end, is_strong=True)
            start = end + 1
        else:
            start = item.end()
        comma = data[start : start + 4].lstrip()
        if comma[:1] != b",":
            return
        start = data.index(b",", start) + 1


def _plain(data: bytes, name: bytes, opened: int) -> Iterator[Finding]:
    end = closing(data, opened + 1, data[opened : opened + 1])
    if end >= 0:
        yield from _judged(data, name, opened + 1, end, is_strong=True)


def _compared(
    data: bytes, name: bytes, end: int, quote: bytes, *, is_strong: bool
) -> Iterator[Finding]:
    """`"…".equals(password)`, `strcmp("…", password)`."""
    start = data.rfind(quote, max(0, end - _LONGEST), end) + 1
    if start and b"\n" not in data[start:end]:
        yield from _judged(data, name, start, end, is_strong=is_strong)


def _items(data: bytes, position: int) -> Iterator[tuple[int, int]]:
    """The strings behind a comma, as far as they follow each other."""
    for _ in range(_MOST_REFERENCES):
        rest = data[position : position + 8].lstrip()
        if rest[:1] != b",":
            return
        position = data.index(b",", position) + 1
        item = _ITEM.match(data, position)
        if item is None or item.start(1) < 0:
            return
        end = closing(data, item.end(), item.group(1))
        if end < 0:
            return
        yield item.end(), end
        position = end + 1


def _assembled(
    data: bytes, name: bytes, names: list[bytes], constants: _Constants
) -> Iterator[Finding]:
    """A value of constants that stand elsewhere in the text: each piece is a part of the secret."""
    if any(each not in constants for each in names):
        return
    spans = [span for each in names for span in constants[each]]
    value = b"".join(data[start:end] for start, end in spans)
    verdict = _verdict(name, value, is_strong=len(spans) > 1)
    if verdict is not None:
        for start, end in spans:
            yield _finding(name, start, end, verdict)


def _references(expression: bytes) -> list[bytes]:
    """The names that an expression is put together from; none where it has anything else."""
    head = _JOINING.match(expression)
    position = head.end() if head is not None else 0
    names: list[bytes] = []
    while len(names) < _MOST_REFERENCES:
        found = _REFERENCE.match(expression, position)
        if found is None:
            break
        name = next(group for group in found.groups() if group is not None)
        names.append(name)
        position = found.end()
        between = _BETWEEN_REFERENCES.match(expression, position)
        assert between is not None
        rest = expression[position:]
        finished = _FINISHED.match(rest)
        if finished is not None:
            position += finished.end()
            rest = expression[position:]
            between = _BETWEEN_REFERENCES.match(expression, position)
            assert between is not None
        if rest[:1] in (b"(", b".", b"[") and not rest[1:2].isspace() and rest[:2] != b"..":
            return []
        position = between.end()
    if expression[position:].strip(b" \t)]},\"'`;"):
        # Something else follows; an expression is its names alone.
        return []
    return names


def constants_of(data: bytes) -> _Constants:
    """The strings that plain names stand for, by name; names with two values are left out."""
    constants: _Constants = {}
    doubled: set[bytes] = set()
    position = 0
    for _ in range(_MOST_CONSTANTS):
        found = _CONSTANTS.search(data, position)
        if found is None:
            break
        position = max(found.end() - 1, found.start() + 1)
        group = next(index for index in (2, 3, 4) if found.start(index) >= 0)
        name = found.group(1)
        if b"$" in found.group(group) and name in found.group(group):
            # `key="${key}…"`
            constants.setdefault(name, []).append((found.start(group), found.end(group)))
            continue
        if name in constants:
            doubled.add(name)
        constants[name] = [(found.start(group), found.end(group))]
    for found in _SET_CONSTANTS.finditer(data):
        constants.setdefault(found.group(1), [found.span(2)])
    _append(data, constants)
    return {name: span for name, span in constants.items() if name not in doubled}


def _append(data: bytes, constants: _Constants) -> None:
    """Add the strings that are put into a list or behind a string, one by one."""
    position = 0
    for _ in range(_MOST_CONSTANTS):
        found = _APPENDED.search(data, position)
        if found is None:
            return
        position = found.end()
        group = 2 if found.start(2) >= 0 else 3
        constants.setdefault(found.group(1), []).append((found.start(group), found.end(group)))


def _judged(
    data: bytes, name: bytes, start: int, end: int, *, is_strong: bool
) -> Iterator[Finding]:
    verdict = _verdict(name, data[start:end], is_strong=is_strong)
    if verdict is not None:
        yield _finding(name, start, end, verdict)


def _verdict(name: bytes, value: bytes, *, is_strong: bool) -> Certainty | None:
    if not 4 <= len(value) <= _LONGEST:
        return None
    promise = promise_of(name)
    if promise < Promise.SECRET:
        return None
    if is_generated(value):
        return Certainty.CERTAIN
    secret = quoted_secret(value, promise, not is_strong)
    if secret is not None and secret.certainty is Certainty.CERTAIN and is_strong:
        return Certainty.CERTAIN
    if weak_promise(name) is Promise.NONE or not is_weak_content(value, name, Form.QUOTED):
        return None
    is_made_up = is_made_up_word(value) and _DIGIT.search(value) is not None
    if is_strong or (promise is Promise.PASSWORD and is_made_up):
        return Certainty.WEAK
    return None


def _finding(name: bytes, start: int, end: int, certainty: Certainty) -> Finding:
    is_password = promise_of(name) is Promise.PASSWORD
    span = Span(start, end)
    if certainty is Certainty.WEAK:
        detector = "weak-password" if is_password else "weak-secret"
        return Finding(span, detector, "weak", Certainty.WEAK, True)
    detector = "assigned-password" if is_password else "assigned-secret"
    return Finding(span, detector, "password" if is_password else "token", certainty, True)
