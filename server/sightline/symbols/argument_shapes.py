"""Record the arguments of calls and the parameters of functions, as far as overloads need them.

Only languages with overloads have these facts. No text of a string is kept. The shape of a literal
is one that stands for its kind: `""`, `''`, `0`, `0L`, `0.0`, `0f`.

Invariant: a shape does not depend on the contents of a block of more than `_LONGEST` bytes, since
an edit in such a block does not extract the call around it again (`syntax/comparing.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import tree_sitter

from sightline.symbols.shortening import shortened

_UNKNOWN = b"?"
_FUNCTION = b"->"
_LONGEST = 200
_LONGEST_SHAPE = 90
_LONGEST_LIST = 2000

_LONGEST_PLAIN = 100
_BRACKET, _BRACE = b"({"
_SIGNS = (b"*", b"&")
_COMMENTS = (b"//", b"/*")
_NOT_PLAIN = re.compile(rb"[\"'`/{\r\n]").search
_NOT_PLAIN_BUT_STRINGS = re.compile(rb"['`/{\r\n]").search
_STRINGS = re.compile(rb'"(?:[^"\\\r\n]|\\.)*"').sub
_HARD_STRING = re.compile(rb'[@$R]"|"""').search
"""Finds strings whose end is not simply the next quote without a backslash."""
_NAMES = re.compile(rb"[A-Za-z_$@\x80-\xff][\w$@.\x80-\xff]*")
_SPLIT = re.compile(
    r"(?P<open>[(\[{]|(?<!<)<(?![=<\s]))|(?P<close>[)\]}]|(?<![-=])>)|(?P<comma>,)"
    r"|[^()\[\]{}<>,]+|.",
    re.DOTALL,
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_HAS_BRACKET = re.compile(r"[(\[{<]")
_LABELED = re.compile(rb"(?!object\b)([A-Za-z_]\w*)\s*(?::(?!:)|=(?![=>]))\s*")
_STRING = re.compile(rb'[$@LuUR8]{0,3}("(?:[^"\\]|\\.)*"|"""(?:.|\n)*?""")\s*(?:\+(?!\+)|$)')
_CHARACTER = re.compile(rb"[LuU8]{0,2}'(?:[^'\\]|\\.[^']*)?'")
_NUMBER = re.compile(
    rb"[-+]?(?:0[xXbB][\w]+?|[\d_']+(?P<fraction>\.[\d_]*)?(?P<power>[eE][-+]?\d+)?)"
    rb"(?P<suffix>[uUlLfFdDmM]*)"
)
_LAMBDA = re.compile(rb"(?:\([^()]*\)|[A-Za-z_]\w*)\s*=>|\{|\[[^\]]*\]\s*[({]")
_ARROW_LAMBDA = re.compile(rb"(?:\([^()]*\)|[A-Za-z_]\w*)\s*->")
_CAST = re.compile(rb"\(\s*(?:const\s+)?([A-Za-z_][\w.:]*)([\s*&]*)\)\s*[\w(\"?]")
_NAMED_CAST = re.compile(rb"\w+_cast\s*<\s*(?:const\s+)?([A-Za-z_][\w.:]*)([\s*&]*)>\s*\(")
_PATH = re.compile(rb"[*&]*[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*|\[\w*\])*")
_COMPARED = re.compile(rb"\s(?:[=!]==?|[<>]=?|&&|\|\|)\s|^!(?=[\w(!])").search
_IN_BRACKETS = re.compile(rb"[(\[{][^()\[\]{}]*[)\]}]").subn
_CHOSEN_OR_ASSIGNED = re.compile(rb"\?|(?<![=!<>])=(?![=])|[-=]>\s").search
_IS_CONSTANT = re.compile(rb"[ \t\r\n]*const\b")
CONSTANT = ") const"
_OPENED = re.compile(rb"[ \t\r\n]*(?:[<\[][^()]{0,200}[>\]][ \t\r\n]*)?\(")
_PLAIN_LIST = re.compile(rb"[\w\s,.:<>?*&$]*")
_TOKEN = re.compile(
    rb'(?P<string>"(?:[^"\\]|\\.)*"|\'(?:[^\'\\\n]|\\.[^\']*)\')'
    rb"|(?P<comment>//[^\r\n]*|/\*.*?\*/)|(?P<bracket>[()\[\]{}])|[^()\[\]{}\"'/]+|.",
    re.DOTALL,
)


def add_arguments(
    known: dict[int, bytes],
    start: int,
    nodes: Sequence[tree_sitter.Node],
    data: bytes,
    arrow_members: bool,
) -> None:
    """Add the arguments of a call, by the offset of its name.

    A block after the brackets gives a second match of the call: the longer one is kept.
    """
    passed = _written_arguments(nodes, data, arrow_members=arrow_members)
    if passed and len(passed) > len(known.get(start, b"")):
        known[start] = passed


def _written_arguments(
    nodes: Sequence[tree_sitter.Node], data: bytes, *, arrow_members: bool
) -> bytes:
    """Return the arguments of a call on one short line; `shapes_of` reads it.

    A node that begins with a bracket is an argument list, any other node is one argument. This runs
    for every call of a workspace, so short plain text is kept as written.
    """
    node = nodes[0]
    start, end = node.start_byte, node.end_byte
    if len(nodes) == 1 and data[start] == _BRACKET:
        if end - start == 2:
            return b""
        inner = data[start + 1 : end - 1]
        if end - start <= _LONGEST_PLAIN:
            if not _NOT_PLAIN(inner):
                return inner
            if not _HARD_STRING(inner):
                inner = _STRINGS(b'""', inner)
                if not _NOT_PLAIN_BUT_STRINGS(inner):
                    return inner
        return _written_each(node, data, arrow_members=arrow_members)
    return b",".join(
        [
            _written_each(each, data, arrow_members=arrow_members)
            if data[each.start_byte] == _BRACKET
            else _written(data, each.start_byte, each.end_byte, arrow_members=arrow_members)
            for each in nodes
            if each.end_byte - each.start_byte > 2 or data[each.start_byte] != _BRACKET
        ]
    )


def _written_each(node: tree_sitter.Node, data: bytes, *, arrow_members: bool) -> bytes:
    return b",".join(
        [
            _written(data, child.start_byte, child.end_byte, arrow_members=arrow_members)
            for child in node.named_children
            if data[child.start_byte : child.start_byte + 2] not in _COMMENTS
        ]
    )


def _written(data: bytes, start: int, end: int, *, arrow_members: bool) -> bytes:
    if end - start > _LONGEST:
        return _FUNCTION if data[start] == _BRACE else _UNKNOWN
    written = data[start:end]
    if len(written) <= _LONGEST_SHAPE and not _NOT_PLAIN(written):
        return written
    return _shape(written, arrow_members=arrow_members)


@lru_cache(maxsize=20_000)
def shapes_of(written: str, *, arrow_members: bool = False) -> tuple[str, ...]:
    """Return the shape of each argument from the recorded text of a call.

    With `arrow_members`, `a->b` is a member of `a` and no function without a name.
    """
    return tuple(
        _shape(each.strip().encode("utf-8"), arrow_members=arrow_members).decode("utf-8")
        for each in split_list(written)
    )


def split_list(written: str) -> list[str]:
    """Return the parts between the commas outside of brackets."""
    if not _HAS_BRACKET.search(written):
        return [each for each in written.split(",") if each.strip()]
    pieces: list[str] = []
    start = 0
    opened: list[str] = []
    for token in _SPLIT.finditer(written):
        if token["open"]:
            opened.append(token[0])
        elif token["close"]:
            if token[0] != ">":
                # What is open in these brackets is no bracket: `(a <b)`.
                while opened and _CLOSING.get(opened[-1]) != token[0]:
                    opened.pop()
            if opened and (token[0] != ">" or opened[-1] == "<"):
                opened.pop()
        elif token["comma"] and not opened:
            pieces.append(written[start : token.start()])
            start = token.end()
    if "<" in opened:
        # What nothing closes compares: `i<n, x`.
        return [each.replace("\0", "<") for each in split_list(written.replace("<", "\0"))]
    return [each for each in (*pieces, written[start:]) if each.strip()]


def _number_shape(written: bytes) -> bytes:
    found = _NUMBER.fullmatch(written)
    if not found:
        return _UNKNOWN
    suffix = found["suffix"].lower()
    if b"l" in suffix:
        return b"0L"
    if suffix == b"f":
        return b"0f"
    if suffix in (b"m", b"u"):
        return _UNKNOWN
    return b"0.0" if found["fraction"] or found["power"] or suffix == b"d" else b"0"


def _shape(written: bytes, *, arrow_members: bool) -> bytes:
    if written in (_FUNCTION, _UNKNOWN):
        return written
    label = _LABELED.match(written)
    if label:
        rest = _shape(written[label.end() :], arrow_members=arrow_members)
        return label[1] + b":" + rest
    if len(written) <= _LONGEST_SHAPE and _NAMES.fullmatch(written):
        return written
    if not arrow_members and _ARROW_LAMBDA.match(written):
        return _FUNCTION
    if _is_comparison(written):
        return b"true"
    if _STRING.match(written):
        return b'""'
    if _CHARACTER.fullmatch(written):
        return b"''"
    if written[:1].isdigit() or written[:1] in (b"-", b"+"):
        return _number_shape(written)
    if _LAMBDA.match(written):
        return _FUNCTION
    cast = _CAST.match(written) or _NAMED_CAST.match(written)
    if cast:
        return b"(" + cast[1] + b"*" * cast[2].count(b"*") + b")?"
    path = _PATH.fullmatch(written) if len(written) <= _LONGEST_SHAPE else None
    if path and (arrow_members or written[:1] not in _SIGNS):
        return written
    if written[-1:] == b")" and (written[:1].isalpha() or written[:1] == b"_"):
        short = shortened(written, "//")
        if 0 < len(short) <= _LONGEST_SHAPE:
            return short
    return _UNKNOWN


def _is_comparison(written: bytes) -> bool:
    """Return True for `a == b`, `a && b` or `!a`, outside of all brackets and choices."""
    if not _COMPARED(written):
        return False
    written = _STRINGS(b'""', written)
    replaced = 1
    while replaced:
        written, replaced = _IN_BRACKETS(b"_", written)
    return bool(_COMPARED(written)) and not _CHOSEN_OR_ASSIGNED(written)


def parameter_list(data: bytes, name_end: int) -> bytes | None:
    """Return the parameters after a function's name, without comments, strings and blocks, or None.

    The result for a member that does not change its object ends with `CONSTANT`.
    """
    opened = _OPENED.match(data, name_end, name_end + _LONGEST_LIST)
    if not opened:
        return None
    plain = _PLAIN_LIST.match(data, opened.end(), opened.end() + _LONGEST_LIST)
    if plain and data[plain.end() : plain.end() + 1] == b")":
        return b" ".join(plain[0].split()) + _constant(data, plain.end() + 1)
    kept: list[bytes] = []
    depth = block_depth = block_start = 0
    for token in _TOKEN.finditer(data, opened.end() - 1, opened.end() + _LONGEST_LIST):
        text = token[0]
        if token["bracket"]:
            depth += 1 if text in b"([{" else -1
            if text == b"{" and not block_depth:
                block_depth, block_start = depth, token.start()
            elif block_depth and depth < block_depth:
                if token.start() - block_start > _LONGEST:
                    return None
                block_depth = 0
                kept.append(b"{}")
                continue
            elif not depth:
                return b" ".join(b"".join(kept[1:]).split()) + _constant(data, token.end())
        if block_depth or token["comment"]:
            continue
        kept.append(b'""' if token["string"] else text)
    return None


def _constant(data: bytes, end: int) -> bytes:
    return CONSTANT.encode() if _IS_CONSTANT.match(data, end) else b""
