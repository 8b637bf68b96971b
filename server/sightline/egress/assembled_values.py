"""Assembled values: constants of a text that are put together at a telling name.

`Authorization: token $A$B`, `# password = A + B`, `password: !join [*a, *b]`, `"${head}…"`,
`\\texttt{\\partA\\partB}`: wherever a language or a format declares the pieces, and in
whichever way. Each piece is a part of the secret.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

import attrs

from sightline.egress.generated import is_generated
from sightline.egress.handed_values import constants_of
from sightline.egress.judging import quoted_secret
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_values import Form
from sightline.egress.secret_patterns import compiled_for_texts, compiled_for_values, texts
from sightline.egress.spoken import is_made_up_word
from sightline.egress.telling_names import Promise, promise_of
from sightline.egress.vendors import vendor_credentials
from sightline.egress.weak import is_weak_content, weak_promise
from sightline.text import Span

_NAME = rb"[A-Za-z_][A-Za-z0-9_]{0,60}"
# A plain string. One that refers to another name (`"a$b"`) does not match: it is read elsewhere.
_STRING = rb"(?:\"([^\"\r\n$%{}\\#]{2,200})\"|'([^'\r\n$%{}\\#]{2,200})')"
# A reference that a sign marks, with the name in one of its groups.
_MARKED = (
    rb"\$\{\{?[ \t]?(?:[A-Za-z_]{1,20}\.){0,3}(" + _NAME + rb")(?:\[[0-9@*]{1,3}\])?[ \t]?\}?\}"
    rb"|[$%]\((" + _NAME + rb")\)s?"
    rb"|\$\$?(?:[a-z]+[:.])?(" + _NAME + rb")|%\{?(" + _NAME + rb")\}?%|!(" + _NAME + rb")!"
    rb"|#\{[@$]?(" + _NAME + rb")\}|\{\{-?[ \t]?[.$]?(" + _NAME + rb")[ \t]?-?\}\}"
    rb"|\{(" + _NAME + rb")\}|\\([A-Za-z@]{3,40})(?:\{\})?|\*(" + _NAME + rb")"
    rb"|&(" + _NAME + rb")[.;]?"
    rb"|\?(" + _NAME + rb")"
)  # fmt: skip
# A name, a member of something, or what a function without arguments returns; with an index.
_PLAIN = (
    rb"(?:[@$]?[A-Za-z_][A-Za-z0-9_]{0,40}(?:\.|->|::|\[[\"':]?)){0,3}@?(" + _NAME + rb")"
    rb"(?:[\"']?\]|\[[0-9:\-]{1,6}\]|\(\))?"
)
_LITERAL = rb"[A-Za-z0-9+_!#&*=~^\-]{1,80}"
_PIECE = compiled_for_values(
    _MARKED + rb"|" + _STRING + rb"|(?<![A-Za-z0-9_])" + _PLAIN + rb"(?![A-Za-z0-9_]*\()"
)
_MARKED_GROUPS = 12
_STRING_GROUPS = (_MARKED_GROUPS + 1, _MARKED_GROUPS + 2)
_PLAIN_GROUP = _MARKED_GROUPS + 3
_JOINT = compiled_for_values(
    rb"[ \t]{0,4}(?:\+\+?|\.\.?|&&?|\|\||<>|<<|~|\^|//|\*)?[ \t]{0,4}"
    rb"(?:[\"']{2}[ \t]{0,4}(?:\+|\.|&)[ \t]{0,4})?"
)
_COMMA = compiled_for_values(rb"[ \t]{0,4},[ \t]{0,4}")
_MAKING = compiled_for_values(
    rb"(?i)concat|join|\(str[ \t]|print[ \t]|combine|merge|paste|append|format|printf|glue"
    rb"|cat\(|%s%s|\{\}\{\}|%v%v|%@%@"
    rb"|\[[@*]\]"
)
# A string with one reference and the rest of the value in it.
_FILLED = compiled_for_values(
    rb"(" + _LITERAL + rb")?(?:\$\{\{?[ \t]?(" + _NAME + rb")[ \t]?\}?\}|#\{(" + _NAME + rb")\}"
    rb"|\{\{?[ \t]?(" + _NAME + rb")[ \t]?\}?\}|\\\((" + _NAME + rb")\)|%(" + _NAME + rb")%"
    rb"|\$\((" + _NAME + rb")\))(" + _LITERAL + rb")?"
)  # fmt: skip
# Ways of declaring a constant that have no sign of assignment.
_DECLARED = compiled_for_texts(
    rb"(?m)(?:(?:^|[{,])[ \t\-]*[\"']?([A-Za-z_][A-Za-z0-9_]{0,60})[\"']?[ \t]{0,4}:[ \t]{1,4}"
    rb"|&([A-Za-z_][A-Za-z0-9_]{0,60})[ \t]{1,4}"
    rb"|\\(?:(?:re)?newcommand\*?|providecommand|def|gdef)\{?\\([A-Za-z@]{3,40})\}?\{"
    rb"|-define\([ \t]?([A-Za-z_][A-Za-z0-9_]{0,60})[ \t]?,[ \t]?"
    rb"|#[ \t]*define[ \t]+([A-Za-z_][A-Za-z0-9_]{0,60})[ \t]+"
    rb"|<([A-Za-z_][A-Za-z0-9_]{0,60})>"
    rb"|^[ \t]*%(?:let|global)[ \t]+([A-Za-z_][A-Za-z0-9_]{0,60})[ \t]*=[ \t]*"
    rb"|[@ \t]([A-Za-z_][A-Za-z0-9_]{0,60})[ \t]+[A-Za-z0-9]{3,12}"
    rb"(?:[ \t]?\([a-zA-Z0-9, ]{1,10}\))?"
    rb"[ \t]{0,4}(?::?=|(?i:default))[ \t]{0,4}N?"
    rb"|(?:name|Name|NAME):[ \t]{1,4}[\"']?([A-Za-z_][A-Za-z0-9_]{0,60})[\"']?\s{1,40}(?:value"
    rb"|Value):[ \t]{1,4}"
    rb"|variable[ \t]{1,4}[\"']?([A-Za-z_][A-Za-z0-9_]{0,60})[\"']?[ \t]{0,4}\{"
    rb"[^{}\"']{0,60}?default[ \t]{0,20}=[ \t]{0,4}"
    rb"|^[ \t]*([A-Za-z_][A-Za-z0-9_]{0,60}):\s{0,20}\{?\s{0,20}"
    rb"(?:Type:[ \t][A-Za-z:]{1,30},?\s{1,20})?Default:[ \t]{1,4}"
    rb"|[ \t]([A-Za-z_][A-Za-z0-9_]{0,60})[ \t]{1,4}TYPE[ \t][^'\"\r\n]{1,40}VALUE[ \t]{1,4}"
    rb"|(?:DATA|FINAL)\(([A-Za-z_][A-Za-z0-9_]{0,60})\)[ \t]{0,4}=[ \t]{0,4}"
    rb"|^[ \t]*(?:(?:export|ENV|ARG|set"
    rb"|env)[ \t]+)?(?:[A-Za-z_][A-Za-z0-9_]{0,40}=[^\s\"'=]{1,80}[ \t;]{1,4}){1,4}"
    rb"([A-Za-z_][A-Za-z0-9_]{0,60})="
    rb"|^[ \t]*(?:-[ \t]+)?(?:(?:export|ENV|ARG|set|local"
    rb"|readonly)[ \t]+)?([A-Za-z_][A-Za-z0-9_]{0,60})="
    rb"|\((?:def[a-z]*|setq|setf|set!|let)[ \t]+[*+]?([A-Za-z_][A-Za-z0-9_\-]{0,60})[*+]?[ \t]+"
    rb"|^[ \t]*set[ \t]+([A-Za-z_][A-Za-z0-9_]{0,60})[ \t]+(?:to[ \t]+)?"
    rb"|^[ \t]*(?:<!)?(?:ENTITY|!ENTITY)[ \t]+([A-Za-z_][A-Za-z0-9_]{0,60})[ \t]+"
    rb"|^[ \t]*:([A-Za-z_][A-Za-z0-9_\-]{0,60}):[ \t]+"
    rb"|(?:name|key|id)=[\"']([A-Za-z_][A-Za-z0-9_]{0,60})[\"'][ \t]+(?:value|select)="
    rb"|^[ \t]*(?:[0-9]{2}[ \t]+)?([A-Za-z_][A-Za-z0-9_\-]{0,60})[ \t]+(?i:pic[ \t]+\S+[ \t]+value"
    rb"|constant[ \t]+string[ \t]*:=|equ|dc\.b|db)[ \t]+)"
    rb"(?:[bruflN@]{0,2}\"'?([^\"'\r\n]{2,200})'?\"|'([^'\r\n]{2,200})'"
    rb"|([A-Za-z0-9+/_.!@^*~\-\x80-\xff]{2,200})(?:\r?$|[};<]|[ \t]))"
)
_DECLARED_NAMES = range(1, 22)
_DECLARED_VALUES = range(22, 25)
_PLACE = compiled_for_texts(
    rb"(?i)\b(?:authorization\b[\"']?[ \t]{0,2}[:=,]|bearer[ \t]|://[^\s:@/\"'{}$]{0,40}:"
    rb"|(?:log_?in|sign_?in|connect|authenticate|auth|credentials?)[a-z_]{0,20}\("
    rb"|[ \t]-p[ \t\"']{0,3}|[ \t]-u[ \t\"']{0,3}[^\s:\"'$]{1,40}:"
    rb"|\becho[ \t][\"']?[a-z_][a-z0-9_\-]{0,30}:)"
)
# References that stand together, wherever they do: enough where they make what only chance makes.
_ADJACENT = compiled_for_texts(
    rb"(\$\{?[A-Za-z_][A-Za-z0-9_]{0,40}\}?\$\{?[A-Za-z_]"
    rb"|\$\([A-Za-z_][A-Za-z0-9_]{0,40}\)\$\([A-Za-z_]"
    rb"|%[A-Za-z_][A-Za-z0-9_]{0,40}%%[A-Za-z_]|\}\}\{\{[ \t]?[A-Za-z_.])"
)
_ITEM = rb"(?:[\"'][^\"'\r\n]{2,100}[\"'][ \t\r\n]{0,20}[,;]?[ \t\r\n]{0,20})"
# A list of strings, several names with a string for each, and a function that returns one.
_LIST = compiled_for_texts(
    rb"(?m)(?:^|[;{(\s])[$@%]?("
    + _NAME
    + rb")(?:[ \t]?:[^=\r\n\"']{1,30})?[ \t]{0,4}(?::=|=|<-)[ \t]{0,4}"
    rb"(?:@|new[ \t][A-Za-z]+(?:\[\])?[ \t]?|vec!|&|c|array|list|listOf|List\.of|arrayOf|qw"
    rb"|\[\]string"
    rb"|%w)?[ \t]?[\[({][ \t\r\n]{0,20}(" + _ITEM + rb"{2,}|[A-Za-z0-9+/_.!@^*~\-]{2,80}(?:[ \t]"
    rb"[A-Za-z0-9+/_.!@^*~\-]{2,80}){1,8})[\])}]"
)
_SEVERAL = compiled_for_texts(
    rb"(?m)[\[({ \t]?[$@]?("
    + _NAME
    + rb"(?:[ \t]?,[ \t]?[$@]?"
    + _NAME
    + rb"){1,6})[\])}]?[ \t]{0,4}:?=[ \t]{0,4}[\[({]?"
    rb"(" + _ITEM + rb"{2,})"
)
_RETURNING = compiled_for_texts(
    rb"(?:def|func|function|fn|fun|sub|let|val|string|String|str)[ \t]{1,4}("
    + _NAME
    + rb")[ \t]?(?:\([ \t]{0,4}\))?"
    rb"[^\"'\r\n;=()]{0,40}(?:=>?|\{|:|do|->)?[ \t]{0,4}[\r\n]{0,2}[ \t]{0,20}"
    rb"(?:return[ \t(]{1,4})?"
    rb"(?:\"([^\"\r\n]{2,200})\"|'([^'\r\n]{2,200})')"
)
_ONE_ITEM = compiled_for_values(rb"[\"']([^\"'\r\n]{2,100})[\"']|([A-Za-z0-9+/_.!@^*~\-]{2,80})")
_ONLY_SIGNS = compiled_for_values(rb"[\s:=>|+\-\"'(\[{<,!a-z]{0,12}\r?\n")
_INTO = compiled_for_values(rb"(?i)\binto[ \t]+\S{0,20}\Z")
_SIGN = compiled_for_values(rb"[\"'`*\])}]{0,3}[ \t]{0,4}(?::=|=>|<-|[:=])")
_NAME_BYTES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-." + bytes(
    range(128, 256)
)
_NAME_REST = compiled_for_values(rb"[A-Za-z0-9_\-\x80-\xff]*")
_DIGIT = compiled_for_values(rb"[0-9]")
_REACH = 240
_LONGEST_NAME = 64
_SHORTEST, _LONGEST = 6, 400
_MOST_NAMES = 2_000
_NAME_SHARE = 128
_MOST_PIECES = 12
_MOST_DECLARED = 20_000

_Spans = list[tuple[int, int]]


@attrs.frozen
class _Operand:
    name: bytes
    """Of the constant; empty for a literal."""
    is_marked: bool
    is_sign: bool
    """Whether its mark is an operator as well."""
    content: tuple[int, int]
    """What a literal holds."""
    start: int
    end: int


def assembled_values(data: bytes) -> Iterator[Finding]:
    declared: dict[bytes, _Spans] | None = None
    for name, end in _names(data):
        stop = _region_end(data, end)
        groups = [*_groups(data, end, stop), *_filled(data, end, stop)]
        if groups:
            declared = declared if declared is not None else _declared(data)
            is_assigned = _SIGN.match(data, end) is not None
            for pieces in groups:
                yield from _assembled(data, name, pieces, declared, is_assigned=is_assigned)


def _names(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Telling names and where they end; then the places that headers and addresses have."""
    left = _MOST_NAMES + len(data) // _NAME_SHARE
    reached = 0
    for start in texts.told_in(data).starts:
        if start < reached:
            continue
        left -= 1
        if not left:
            return
        rest = _NAME_REST.match(data, start)
        assert rest is not None
        reached = end = rest.end()
        low = max(0, start - _LONGEST_NAME)
        name = data[low + len(data[low:start].rstrip(_NAME_BYTES)) : end].lstrip(b"-.")
        if len(name) <= _LONGEST_NAME and promise_of(name) >= Promise.SECRET:
            yield name, end
            line = data[max(0, start - _REACH) : start].rpartition(b"\n")[2]
            if _INTO.search(line) is not None:
                # `CONCATENATE a b INTO password`
                yield name, start - len(line)
    for found in _PLACE.finditer(data):
        left -= 1
        if not left:
            return
        yield b"token", found.end()
    for found in _ADJACENT.finditer(data):
        left -= 1
        if not left:
            return
        yield (
            b"",
            data.rfind(b"\n", max(0, found.start() - _LONGEST_NAME), found.start()) + 1
            or found.start(),
        )


def _region_end(data: bytes, start: int) -> int:
    """The end of the line that an offset is in, or of the one below where nothing follows."""
    high = min(len(data), start + _REACH)
    only_signs = _ONLY_SIGNS.match(data, start, high)
    end = data.find(b"\n", only_signs.end() if only_signs is not None else start, high)
    return end if end >= 0 else high


def _groups(data: bytes, start: int, stop: int) -> Iterator[list[_Operand]]:
    """The references and strings of a region that are put together, one a reference at least."""
    is_listed = _MAKING.search(data, start, stop) is not None
    group: list[_Operand] = []
    for found in _PIECE.finditer(data, start, stop):
        piece = _piece(found)
        if group and not _is_joint(data[group[-1].end : piece.start], group[-1], piece, is_listed):
            if is_listed or _is_whole(group):
                yield group
            group = []
        group.append(piece)
    if group and (is_listed or _is_whole(group)):
        yield group


def _piece(found: re.Match[bytes]) -> _Operand:
    index = found.lastindex or 0
    is_string = index in _STRING_GROUPS
    name = b"" if is_string else found.group(index)
    is_marked = index <= _MARKED_GROUPS
    is_sign = is_marked and found.group()[:1] in (b"&", b"*")
    return _Operand(name, is_marked, is_sign, found.span(index), found.start(), found.end())


def _is_joint(between: bytes, first: _Operand, second: _Operand, is_listed: bool) -> bool:
    are_marked = first.is_marked and second.is_marked
    if _JOINT.fullmatch(between) is not None:
        are_capitals = first.name.isupper() and second.name.isupper()
        is_plain = are_capitals or (is_listed and bool(between))
        return are_marked or bool(between.strip()) or second.is_sign or is_plain
    return (are_marked or is_listed) and _COMMA.fullmatch(between) is not None


def _is_whole(group: list[_Operand]) -> bool:
    return 2 <= len(group) <= _MOST_PIECES and any(piece.name for piece in group)


def _filled(data: bytes, start: int, stop: int) -> Iterator[list[_Operand]]:
    """One reference in a string, with the rest of the value around it."""
    for found in _FILLED.finditer(data, start, stop):
        index = next(index for index in range(2, 8) if found.start(index) >= 0)
        pieces = [_Operand(found.group(index), True, False, (0, 0), *found.span(index))]
        for literal in (1, 8):
            if found.start(literal) >= 0:
                piece = _Operand(b"", False, False, found.span(literal), *found.span(literal))
                pieces.insert(0 if literal == 1 else 1, piece)
        if len(pieces) > 1:
            yield pieces


def _assembled(
    data: bytes,
    name: bytes,
    pieces: list[_Operand],
    declared: dict[bytes, _Spans],
    *,
    is_assigned: bool,
) -> Iterator[Finding]:
    for known in _known(pieces, declared):
        spans = [
            span
            for piece in known
            for span in (declared[piece.name] if piece.name else [piece.content])
        ]
        spans = list(dict.fromkeys(spans))
        value = b"".join(_texts_of(data, spans))
        certainty = _verdict(name, value, is_assigned=is_assigned)
        if certainty is not None and len(spans) > 1:
            for start, end in spans:
                yield _finding(Span(start, end), certainty)


def _known(pieces: list[_Operand], declared: dict[bytes, _Spans]) -> Iterator[list[_Operand]]:
    """The runs of pieces that are literals or constants that are declared."""
    for is_known, run in itertools.groupby(
        pieces, lambda piece: not piece.name or piece.name in declared
    ):
        together = list(run)
        if is_known and any(piece.name for piece in together):
            yield together


def _verdict(name: bytes, value: bytes, *, is_assigned: bool) -> Certainty | None:
    if not _SHORTEST <= len(value) <= _LONGEST:
        return None
    promise = promise_of(name)
    if is_generated(value):
        return Certainty.CERTAIN
    if not name:
        return None
    secret = quoted_secret(value, promise, False)
    if secret is not None and secret.certainty is Certainty.CERTAIN:
        return Certainty.CERTAIN
    if next(vendor_credentials(value), None) is not None:
        return Certainty.CERTAIN
    if weak_promise(name) is Promise.NONE or not is_weak_content(value, name, Form.QUOTED):
        return None
    if is_assigned and promise is Promise.PASSWORD:
        return Certainty.WEAK
    is_made_up = _DIGIT.search(value) is not None and is_made_up_word(value)
    return Certainty.WEAK if is_made_up else None


def _declared(data: bytes) -> dict[bytes, _Spans]:
    """The strings that names stand for; names with two values are left out."""
    declared = constants_of(data)
    more: dict[bytes, _Spans] = {}
    doubled: set[bytes] = set()
    for name, spans in itertools.chain(_single(data), _lists(data)):
        if name in more and _texts_of(data, more[name]) != _texts_of(data, spans):
            doubled.add(name)
        more[name] = spans
    for name, spans in more.items():
        if name not in doubled:
            declared.setdefault(name, spans)
    return declared


def _texts_of(data: bytes, spans: _Spans) -> list[bytes]:
    return [data[start:end] for start, end in spans]


def _single(data: bytes) -> Iterator[tuple[bytes, _Spans]]:
    position = 0
    for _ in range(_MOST_DECLARED):
        found = _DECLARED.search(data, position)
        if found is None:
            break
        position = max(found.end() - 1, found.start() + 1)
        name = next(found.group(index) for index in _DECLARED_NAMES if found.start(index) >= 0)
        span = next(found.span(index) for index in _DECLARED_VALUES if found.start(index) >= 0)
        yield name, [span]
    for found in itertools.islice(_RETURNING.finditer(data), _MOST_DECLARED):
        yield found.group(1), [found.span(2 if found.start(2) >= 0 else 3)]


def _lists(data: bytes) -> Iterator[tuple[bytes, _Spans]]:
    for found in itertools.islice(_LIST.finditer(data), _MOST_DECLARED):
        yield found.group(1), _items(data, *found.span(2))
    for found in itertools.islice(_SEVERAL.finditer(data), _MOST_DECLARED):
        names = [name.strip(b" \t$@") for name in found.group(1).split(b",")]
        spans = _items(data, *found.span(2))
        if len(names) == len(spans):
            yield from ((name, [span]) for name, span in zip(names, spans, strict=True))


def _items(data: bytes, start: int, end: int) -> _Spans:
    items = _ONE_ITEM.finditer(data, start, end)
    return [each.span(each.lastindex or 0) for each in itertools.islice(items, _MOST_PIECES)]


def _finding(span: Span, certainty: Certainty) -> Finding:
    if certainty is Certainty.WEAK:
        return Finding(span, "weak-password", "weak", Certainty.WEAK, True)
    return Finding(span, "assembled-secret", "token", certainty, True)
