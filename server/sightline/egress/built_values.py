"""Built values: a string that a program assembles from constants, evaluated to that string.

`"".join(["ab", "cd"])`, `chr(97) . chr(98)`, `atob("…")`, `string([]byte{0x61, …})`, `"…"[::-1]`,
`$(echo … | base64 -d)`: if all inputs are constants, the value can be computed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sightline.egress.building_calls import CALLS, METHODS, SIGNS, Built, same, same_method, text_of
from sightline.egress.secret_patterns import SecretPattern, SecretPatternSet, compiled
from sightline.egress.text_reading import Change, Reading, changed

_NAMES = b"|".join(re.escape(name) for name in sorted(CALLS, key=lambda each: (-len(each), each)))
_PATH = rb"(?:new[ \t]{1,4})?(?:\[?[A-Za-z_][A-Za-z0-9_.:\]]*(?:\.|::|\\))?"
_TYPE = rb"(?:byte|sbyte|char|uint8|uint8_t|u8|rune|int|string|String|str)"
# What begins an expression that may build a value.
_CALL = (
    rb"(?i)(?:^|[^A-Za-z0-9_.:\\])(" + _PATH + rb"(?:" + _NAMES + rb")!?[ \t]?\([ \t\r\n]{0,40}"
    # Not a name: its value is not known.
    rb"(?:[\"'0-9\[{@&.*)(]|[A-Za-z_][A-Za-z0-9_.:!]*[(\[{:\"' ]))"
)
_CAST = rb"(?i)[^A-Za-z0-9_](\[char\][ \t]?(?:0x)?[0-9A-Fa-f])"
_OF_STRING = (
    rb"(?:^|[^A-Za-z0-9_\"'])([\"'][^\"'\n]*[\"'](?:\[::-1\]|\[-1\.\.-"
    rb"|\.(?:join|split|reverse|reversed|rev|chars|format|concat|replace|to_r|tr|gsub|decode"
    rb"|unpack1?)\b|[ \t](?:%[ \t]?\(|-f[ \t])))"
)
_OF_LIST = (
    rb"(@?[\[(][^\[\]()=]*[\])][ \t]?"
    rb"(?:\.[ \t\r\n]{0,40}(?:join|concat|mkString|joined|reduce|pack)\b|-join\b)"
    rb"|-join[ \t]?@?\()"
)
_OF_NUMBERS = (
    rb"[=(,:][ \t\r\n]{0,40}((?:new[ \t]{1,4})?(?:\[[0-9]{0,4}\][ \t]?"
    + _TYPE
    + rb"|"
    + _TYPE
    + rb"\[[0-9]{0,4}\])?"
    rb"[ \t]?(?:vec!|&|@)?[\[{(][ \t\r\n]{0,40}(?:\([a-z]{1,8}\)[ \t]?)?"
    rb"(?:0[xX][2-7]|b?'|[3-9]|1[0-2])[0-9A-Fa-f!-~]?'?[0-9]?[ \t\r\n]{0,40},)"
)
_FILTER = (
    rb"([\"']?\{\{-?[ \t]{0,4}(?:\"[^\"\n]+\"|'[^'\n]+')[ \t]{0,4}\|[ \t]{0,4}"
    rb"(?:b64dec|base64|reverse|from_base))"
)
_BARE_CALL = rb"=[ \t]{0,4}((?:scalar[ \t])?(?:reverse|concat|mconcat)[ \t]{1,4}[\"'\[])"
_COMMAND = (
    rb"((?:\$?\((?:shell[ \t]{1,4})?|`)[ \t]{0,4}(?:echo|printf|base64|rev|xxd|openssl)[ \t])"
)
# `(reverse "…")`, `(apply str (reverse "…"))`, `(-> "…" reverse)` of Lisps.
_TURNED_LIST = (
    rb"(\((?:->>?[ \t]{1,4}\"[^\"\\\r\n]{4,200}\"[ \t]{1,4}(?:[a-z.]{1,30}/)?reverse"
    rb"|(?:[a-z.]{1,30}/)?(?:str-|string-)?reverse[ \t]{1,4}(?:\([a-z>\-]{1,20}[ \t])?"
    rb"\"[^\"\\\r\n]{4,200}\"\)))"
)
_SOURCES = (
    _CALL,
    _CAST,
    _OF_STRING,
    _OF_LIST,
    _OF_NUMBERS,
    _FILTER,
    _BARE_CALL,
    _COMMAND,
    _TURNED_LIST,
)
_PATTERNS: tuple[SecretPattern, ...] = tuple(map(compiled, _SOURCES))
_SIGNS = SecretPatternSet(_SOURCES, group="strings")

_SPACE = re.compile(rb"(?:[ \t\r\n]{1,80}\\?){0,3}")
_STRING = re.compile(
    rb"[bruLfn@$]{0,2}(?:\"((?:[^\"\\\n]|\\.){0,2000})\"|'((?:[^'\\\n]|\\.){0,2000})'"
    rb"|`((?:[^`\\]|\\.){0,2000})`)"
)
_ESCAPE = re.compile(rb"\\(.)")
# A regular expression that matches one sign, or one of several.
_SIGNS_PATTERN = re.compile(
    rb"/(?:\[([^\]/\w^]{1,12})\]|(\\?[^\w\s/\\\[(*+?|^$]))\+?/[gimsuy]{0,4}"
)
_NUMBER = re.compile(
    rb"(?:\([a-z]{1,8}\)[ \t]?)?(0[xX][0-9A-Fa-f]{1,4}|[0-9]{1,4})(?:u8)?(?![0-9A-Za-z.])"
)
_CHARACTER_CAST = re.compile(rb"(?i)\[char\][ \t]?(0x[0-9A-Fa-f]{1,4}|[0-9]{1,4})(?![0-9A-Za-z.])")
_CALLED = re.compile(
    rb"(?:new[ \t]{1,4})?((?:\[[A-Za-z_.]{1,60}\]::)?[A-Za-z_][A-Za-z0-9_.:\\$]{0,80}!?)[ \t]?(\()"
)
_OPENED = re.compile(
    rb"(?:new[ \t]{1,4})?"
    rb"(?:\[[0-9]{0,4}\][ \t]?[A-Za-z0-9_]{1,10}|[A-Za-z0-9_]{1,10}\[[0-9]{0,4}\])?"
    rb"[ \t]?(?:vec!|[&@])?([\[{(])"
)
_METHOD = re.compile(
    rb"[ \t\r\n]{0,60}(?:\.|\?\.|->)[ \t]?([A-Za-z_][A-Za-z0-9_]{0,30}[!?]?)[ \t]?(\()?"
)
_TURNED = re.compile(rb"\[(?:::-1|-1\.\.-[0-9]{1,4})\]")
_LIST_JOINED = re.compile(rb"(?i)[ \t]{0,4}-join[ \t]{0,4}")
_FILLED = re.compile(rb"[ \t]{0,4}%[ \t]{0,4}(?=[\"'(\[])")
_OPERATOR = re.compile(
    rb"[ \t]{0,8}(?:\+\+?|\.\.?|&|\|\||<>|~)[ \t]{0,8}(?:_?[ \t]{0,8}\r?\n[ \t]{0,60})?"
)
_TYPE_ARGUMENT = re.compile(rb"(?:::)?<[A-Za-z0-9_<>, ]{0,40}>")
# Text between a name and its value that would separate the two.
_BEFORE = re.compile(
    rb"(,[ \t]?(?:_|err|ok|error)"
    rb"|:[ \t]?&?(?:'static[ \t])?\[[a-z0-9]{2,5}(?:;[ \t]?[A-Za-z0-9_]{1,20})?\])"
    rb"[ \t]{0,4}:?=[ \t]{0,4}[&*]?\Z"
)
_LONGEST_BEFORE = 40
_BARE_CALLED = re.compile(rb"(?:scalar[ \t])?m?(reverse|concat)[ \t]{1,4}(?=[\"'\[])")
_COMMA = re.compile(rb"[ \t]{0,4},[ \t]{0,4}")
_JOIN_FIRST = re.compile(rb"(?i)-join[ \t]?")
_FORMATTED = re.compile(rb"[ \t]-f[ \t]{1,4}")
_LEADING = re.compile(rb"(?:\.\.\.|\*{1,2}|[A-Za-z]{1,16}:[ \t](?=[\"'\[A-Z.]))")
_EACH = re.compile(
    rb"(?:chr|str|char)\([a-z_]{1,12}\)[ \t]for[ \t][a-z_]{1,12}[ \t]in[ \t]"
    rb"|map[ \t](?:chr|\{[ \t]?chr[ \t]?\})[, \t]{1,3}"
)
# Names that describe how, not what.
_HOW = re.compile(
    rb"(?i)[A-Za-z0-9_.:]{0,40}"
    rb"(?:\bchr|utf_?8(?:\(\))?|ascii|latin_?1|default|no_wrap|urlsafe)\b(?![(\[])"
)
_PLAIN = rb"(?:\"[^\"\\\n]{0,400}\"|'[^'\\\n]{0,400}'|0[xX][0-9A-Fa-f]{1,2}\b|[1-9][0-9]{1,2}\b)"
_PLAIN_ITEM = re.compile(_PLAIN)
_PLAIN_ITEMS = re.compile(
    rb"\s{0,40}" + _PLAIN + rb"(?:\s{0,40},\s{0,40}" + _PLAIN + rb")*\s{0,40}(?:,\s{0,40})?"
)
_CLOSINGS = {b"(": b")", b"[": b"]", b"{": b"}"}
_DEEPEST = 6
_MOST_ITEMS = 2_000
_FARTHEST = 6_000
_SHORTEST, _LONGEST = 4, 1_000


def built(data: bytes, before: Reading | None) -> Reading | None:
    """Return the text with every built value as one string; None if no value is built."""
    apart: list[Change] = []
    for change in sorted(_changes(data)):
        if not apart or change[0] >= apart[-1][1]:
            apart.append(change)
    return changed(data, apart, before) if apart else None


def _changes(data: bytes) -> Iterator[Change]:
    for index in _SIGNS.found_in(data):
        read = _READERS.get(_SOURCES[index], _expression)
        reached = 0
        for found in _PATTERNS[index].finditer(data):
            start = found.start(1)
            if start < reached:
                continue
            made, reached = read(data, start)
            if made is not None:
                yield made
                between = _BEFORE.search(data, max(0, start - _LONGEST_BEFORE), start)
                if between is not None:
                    yield (*between.span(1), b"")


def _expression(data: bytes, start: int) -> tuple[Change | None, int]:
    """Return the value built from an offset on, and where reading stopped."""
    reader = _ConstantReader(data, start)
    value = reader.expression(0)
    if reader.is_lost or not reader.is_built or value is None:
        return None, reader.position
    if isinstance(value, list) and not all(map(_is_character, value)):
        # Several strings that are not joined.
        return None, reader.position
    quoted = _quoted(text_of(value))
    made = (start, reader.position, quoted) if quoted is not None else None
    return made, reader.position


def _quoted(text: bytes | None) -> bytes | None:
    """Return a string as a program would write it; None if it is not text or has several words."""
    text = text.rstrip(b"\0") if text is not None else None
    if text is None or not _SHORTEST <= len(text) <= _LONGEST:
        return None
    if any(byte <= 32 or byte == 127 for byte in text):
        return None
    quote = next((each for each in (b'"', b"'", b"`") if each not in text), None)
    if quote is None:
        return None
    if text[-1:] == b"\\":
        # It would escape the quote.
        text += b"\\"
    return quote + text + quote


class _ConstantReader:
    """Reads one expression of constants, in any language."""

    def __init__(self, data: bytes, start: int) -> None:
        self._data = data
        self._end = min(len(data), start + _FARTHEST)
        self.position = start
        self.is_built = False
        """True if any operation was applied to a constant."""
        self.is_lost = False
        """True if the brackets contain something else: the value is then unknown."""

    def expression(self, depth: int) -> Built | None:
        """Read constants with operators between them."""
        value = self._operand(depth)
        while value is not None:
            position = self.position
            if not self._took(_OPERATOR) or position == self.position:
                break
            more = self._operand(depth)
            if self.is_lost:
                return None
            if more is None:
                self.position = position
                break
            value = text_of([value, more])
            self.is_built = True
        return value

    def _operand(self, depth: int) -> Built | None:
        if depth > _DEEPEST:
            return None
        value = self._primary(depth)
        while value is not None:
            position = self.position
            value, is_more = self._behind(value, depth)
            if self.is_lost:
                return None
            if not is_more:
                self.position = position
                break
        return value

    def _primary(self, depth: int) -> Built | None:
        self._took(_LEADING)
        self._took(_EACH)
        if self._took(_JOIN_FIRST):
            value = self._operand(depth + 1)
            self.is_built = True
            return text_of(value) if value is not None else None
        data, position = self._data, self.position
        cast = _CHARACTER_CAST.match(data, position, self._end)
        if cast is not None:
            self.position = cast.end()
            self.is_built = True
            return _character(cast.group(1))
        string = _STRING.match(data, position, self._end)
        if string is not None:
            self.position = string.end()
            if string.group()[1:-1] == b"\\0":
                return 0
            return _ESCAPE.sub(rb"\1", next(each for each in string.groups() if each is not None))
        number = _NUMBER.match(data, position, self._end)
        if number is not None:
            self.position = number.end()
            return (
                int(number.group(1), 0 if number.group(1)[:1] == b"0" else 10)
                if _is_number(number.group(1))
                else None
            )
        pattern = _SIGNS_PATTERN.match(data, position, self._end)
        if pattern is not None:
            self.position = pattern.end()
            return SIGNS + (pattern.group(1) or pattern.group(2)).replace(b"\\", b"")
        called = _CALLED.match(data, position, self._end)
        if called is not None:
            return self._called(called, depth)
        if self._took(_HOW):
            return b""
        bare = _BARE_CALLED.match(data, position, self._end)
        if bare is not None:
            self.position = bare.end()
            value = self._operand(depth + 1)
            self.is_built = True
            return CALLS[bare.group(1)]([value], b"") if value is not None else None
        opened = _OPENED.match(data, position, self._end)
        if opened is None:
            return None
        self.position = opened.end()
        items = self._items(opened.group(1), depth)
        if items is not None and len(items) >= _SHORTEST:
            self.is_built |= all(_is_character(item) for item in items)
        return items

    def _called(self, called: re.Match[bytes], depth: int) -> Built | None:
        path = re.split(rb"[.:\\\[\]]+", called.group(1).strip(b"[]"))
        call = CALLS.get(path[-1].rstrip(b"!").lower())
        if call is None:
            return None
        self.position = called.end()
        arguments = self._items(called.group(2), depth)
        if arguments is None:
            return None
        self.is_built |= call is not same
        return call(arguments, b".".join(path).lower())

    def _items(self, opening: bytes, depth: int) -> list[Built] | None:
        """Read the items between brackets; the opening one has been read."""
        items: list[Built] = []
        closing = _CLOSINGS[opening]
        plain = _PLAIN_ITEMS.match(self._data, self.position, self._end)
        if plain is not None and self._data[plain.end() : plain.end() + 1] == closing:
            self.position = plain.end() + 1
            return [_plain_item(each) for each in _PLAIN_ITEM.findall(plain.group())]
        while len(items) < _MOST_ITEMS:
            self._took(_SPACE)
            if self._data[self.position : self.position + 1] == closing:
                self.position += 1
                return items
            item = self.expression(depth + 1)
            if item is None:
                break
            items.append(item)
            self._took(_SPACE)
            following = self._data[self.position : self.position + 1]
            if following in (b",", b";"):
                self.position += 1
            elif following != closing:
                break
        self.is_lost = True
        return None

    def _behind(self, value: Built, depth: int) -> tuple[Built | None, bool]:
        """Apply what follows a value, and say whether there was anything."""
        if self._took(_TURNED):
            self.is_built = True
            return CALLS[b"reverse"]([value], b""), True
        if self._took(_LIST_JOINED):
            glue = self._operand(depth + 1)
            self.is_built = True
            return (METHODS[b"join"](value, [glue if glue is not None else b""]), True)
        if isinstance(value, bytes) and self._took(_FILLED):
            filling = self._operand(depth + 1)
            if filling is None:
                return value, False
            self.is_built = True
            return CALLS[b"sprintf"](
                [value, *(filling if isinstance(filling, list) else [filling])], b""
            ), True
        if isinstance(value, bytes) and self._took(_FORMATTED):
            return self._formatted(value, depth), True
        self._took(_TYPE_ARGUMENT)
        found = _METHOD.match(self._data, self.position, self._end)
        method = METHODS.get(found.group(1).lower()) if found is not None else None
        if found is None or method is None:
            return value, False
        self.position = found.end(1)
        self._took(_TYPE_ARGUMENT)
        arguments: list[Built] = []
        if self._data[self.position : self.position + 1] == b"(":
            self.position += 1
            given = self._items(b"(", depth)
            if given is None:
                return value, False
            arguments = given
        self.is_built |= method is not same_method
        return method(value, arguments), True

    def _formatted(self, template: bytes, depth: int) -> Built | None:
        """Return the result of a PowerShell template with the values after it."""
        fillings: list[Built] = []
        while len(fillings) < _MOST_ITEMS:
            filling = self._primary(depth + 1)
            if filling is None:
                return None
            fillings.append(filling)
            if not self._took(_COMMA):
                break
        self.is_built = True
        return CALLS[b"format"]([template, *fillings], b"")

    def _took(self, pattern: re.Pattern[bytes]) -> bool:
        found = pattern.match(self._data, self.position, self._end)
        if found is None:
            return False
        self.position = found.end()
        return True


def _plain_item(item: bytes) -> Built:
    return item[1:-1] if item[:1] in b"\"'" else int(item, 16 if item[1:2] in b"xX" else 10)


def _is_character(item: Built) -> bool:
    return isinstance(item, int) or (isinstance(item, bytes) and len(item) == 1)


def _is_number(digits: bytes) -> bool:
    return digits[:2] in (b"0x", b"0X") or digits == b"0" or digits[:1] != b"0"


def _character(digits: bytes) -> bytes | None:
    number = int(digits, 16 if digits[:2] in (b"0x", b"0X") else 10)
    return bytes([number]) if number < 128 else None


# A value that a command decodes: `$(echo … | base64 -d)`, `$(base64 -d <<< …)`.
_PIPED = re.compile(
    rb"[$`(]{1,2}(?:shell[ \t]{1,4})?[ \t]{0,4}(?:echo|printf)"
    rb"(?:[ \t]{1,4}-[neE]{1,3})?(?:[ \t]{1,4}'%s')?[ \t]{1,4}"
    rb"[\"']?([^\s\"'|)`]{4,2000})[\"']?[ \t]{0,4}(?:\|[ \t]{0,4}([^\n`)]{3,120}))?[)`]"
)
_MOST_TOOLS = 5
_HERE = re.compile(
    rb"[$`(]{1,2}(?:shell[ \t]{1,4})?[ \t]{0,4}([a-z0-9]{3,8}[^\n`)|<]{0,40})<<<[ \t]{0,4}"
    rb"[\"']?([^\s\"'|)]{4,2000})[\"']?[ \t]{0,4}[)`]"
)
_TOOLS = (
    (
        re.compile(
            rb"(?:openssl[ \t]{1,4})?(?:base64|enc[ \t]-base64)[ \t]{1,4}.{0,20}(?:-d|-D|--decode)"
        ),
        b"b64decode",
    ),
    (re.compile(rb"xxd[ \t]{1,4}(?:-r[ \t]{1,4}-p|-p[ \t]{1,4}-r|-rp|-pr)|unhex"), b"unhexlify"),
    (re.compile(rb"rev\b"), b"reverse"),
    (re.compile(rb"cat\b"), b"string"),
    (
        re.compile(
            rb"tr[ \t]{1,4}[\"']?(?:A-Za-z|a-zA-Z|\[A-Za-z\])[\"']?[ \t]{1,4}"
            rb"[\"']?\[?(?:N-ZA-M|n-za-m)"
        ),
        b"rot13",
    ),
)


def _command(data: bytes, start: int) -> tuple[Change | None, int]:
    end = min(len(data), start + _FARTHEST)
    piped = _PIPED.match(data, start, end)
    here = _HERE.match(data, start, end) if piped is None else None
    if piped is not None:
        found, content, tool = piped, piped.group(1), piped.group(2) or b"cat"
    elif here is not None:
        found, content, tool = here, here.group(2), here.group(1)
    else:
        return None, start
    value: Built | None = content
    for one in tool.split(b"|")[:_MOST_TOOLS]:
        name = next((name for pattern, name in _TOOLS if pattern.match(one.strip())), None)
        value = CALLS[name]([value], name) if name is not None and value is not None else None
    quoted = _quoted(text_of(value)) if value is not None else None
    made = (start, found.end(), quoted) if quoted is not None else None
    return made, found.end()


_FILTERED = re.compile(
    rb"[\"']?\{\{-?[ \t]{0,4}(?:\"([^\"\n]{4,2000})\"|'([^'\n]{4,2000})')[ \t]{0,4}\|[ \t]{0,4}"
    rb"([a-z0-9_]{3,20})[^{}\n]{0,60}\}\}[\"']?"
)


def _filtered(data: bytes, start: int) -> tuple[Change | None, int]:
    """Evaluate a string that a template decodes: `{{ "…" | b64decode }}`."""
    found = _FILTERED.match(data, start, min(len(data), start + _FARTHEST))
    if found is None:
        return None, start
    name = b"reverse" if found.group(3) == b"reverse" else b"b64decode"
    value = CALLS[name]([found.group(1) or found.group(2)], name)
    quoted = _quoted(text_of(value)) if value is not None else None
    return ((start, found.end(), quoted) if quoted is not None else None), found.end()


_IN_LIST = re.compile(rb"[^\"]{1,80}\"([^\"\\\r\n]{4,200})\"[^\"()\r\n]{0,60}\)")


def _turned_list(data: bytes, start: int) -> tuple[Change | None, int]:
    found = _IN_LIST.match(data, start)
    quoted = _quoted(found.group(1)[::-1]) if found is not None else None
    if found is None or quoted is None:
        return None, start
    return (start, found.end(), quoted), found.end()


_READERS: dict[bytes, Callable[[bytes, int], tuple[Change | None, int]]] = {
    _COMMAND: _command,
    _FILTER: _filtered,
    _TURNED_LIST: _turned_list,
}
