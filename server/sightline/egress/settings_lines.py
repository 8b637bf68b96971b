"""The surroundings of a line: settings, a program, or labels for people.

Only a few lines around a value are examined, so that the cost does not grow with the text.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto
from functools import lru_cache

from sightline.egress.named_values import Form, NamedValue
from sightline.egress.secret_patterns import compiled_for_values

_WINDOW = 500
_MOST_LINES = 5
_LONG_PHRASE = 4
"""The fewest words of a phrase that is not a remark."""
_MOST_QUESTIONS = 1_000
_SETTING = compiled_for_values(
    rb"[ \t]*(?:-[ \t]+)?[\"']?[\w.\-/\[\]@*$\x80-\xff][\w.\-/\[\]@*$ \x80-\xff]{0,80}[\"']?"
    rb"[ \t]*(?:=>|[:=]).*"
    rb"|[ \t]*\[.*\][ \t]*|[ \t]*(?:#|;|!|//).*|[ \t]*-[ \t].*|---|\.\.\.|[ \t]*[{}\[\]],?"
    rb"|[ \t]*</?[\w.:\-]+.*"
)
_CODE_END = compiled_for_values(rb"[{(,;\[]$|^[ \t]*[})\]]")
_CODE_START = compiled_for_values(
    rb"[ \t]*(?:def|class|import|from|return|if|elif|else|for|while|try|except|func|fn"
    rb"|function|const"
    rb"|let|var|val|public|private|protected|static|type|interface|package|use|using|assert|self|this"
    rb"|with|end|do|case|switch|struct|enum|async|await|raise|throw|yield|pub|mod|impl|require|puts"
    # A setting may have such a name: `type: Opaque`, `@host = …`.
    rb"|print|@\w+)\b(?![ \t]*[:=][ \t]+\S)|[ \t]*[\w.]+\(|.*\)[ \t]*:?[ \t]*$|.*\w\.\w+\("
)
_LABELLED = compiled_for_values(
    rb"[ \t]*(?:[\w.\-]{1,80}|\"[^\"]{1,120}\"|'[^']{1,120}')[ \t]*(?:=>|[:=])[ \t]*"
    rb"(?:([\"'])([^\r\n]*)[\"'][ \t]*[,;]?|([^\"'\r\n()\[\]{}]*))[ \t]*"
)
_LABEL = compiled_for_values(
    rb".*[A-Za-z\x80-\xff] [A-Za-z\x80-\xff].*|[A-Z\x80-\xff][a-z\x80-\xff]{2,}.*"
)


_REMARKS = frozenset(
    b"required optional none empty blank string text hidden same default generated masked encrypted"
    b" disabled enabled unchanged provided random unknown unused needed missing plain"
    b" hashed".split()
)
"""Remarks that may follow a label instead of a value."""


class LineKind(Enum):
    SETTING = auto()
    CODE = auto()
    PROSE = auto()


class Surroundings:
    """Answers questions about the surroundings of values in one text.

    The number of questions is limited, because a text with thousands of such values is unusual.
    Beyond the limit, everything counts as a value.
    """

    def __init__(self) -> None:
        self._left = _MOST_QUESTIONS

    def are_labels(self, data: bytes, value: NamedValue) -> bool:
        """True if most values around are for people to read, as in a file of translations."""
        self._left -= 1
        if value.form not in (Form.QUOTED, Form.LINE) or self._left < 0:
            return False
        low = max(0, value.start - _WINDOW)
        start = max(low, data.rfind(b"\n", low, value.start) + 1)
        end = data.find(b"\n", value.end, value.end + _WINDOW)
        group = 2 if value.form is Form.QUOTED else 3
        if (
            _LABELLED.fullmatch(data[start : end if end >= 0 else value.end + _WINDOW].rstrip())
            is None
        ):
            return False
        is_label = [
            kind for line in _around(data, value) if (kind := _is_label(line, group)) is not None
        ]
        return len(is_label) >= 2 and sum(is_label) * 2 >= len(is_label) + 1

    def allow_line(self, data: bytes, value: NamedValue) -> bool:
        """True if a word without quotes is a value and not a name."""
        self._left -= 1
        if self._left < 0:
            return True
        kinds = {_kind(line) for line in _around(data, value)}
        if LineKind.CODE in kinds:
            return False
        content = data[value.start : value.end]
        is_word = not any(byte in b" \t" for byte in content)
        if LineKind.PROSE not in kinds:
            return True
        if not is_word:
            return len(content.split()) >= _LONG_PHRASE
        if not value.name.isascii() or not content.isalpha():
            return True
        before = data[value.start - 4 : value.start]
        if b"=" in before or b"::" in before or b"_" in value.name:
            # It is neither a type nor a sentence.
            return content.islower() and content not in _REMARKS
        # A label for people, and not the name of a field with its type.
        return value.name[:1].isupper() and content.islower() and content not in _REMARKS


@lru_cache(maxsize=1_024)
def _is_label(line: bytes, group: int) -> bool | None:
    """True if the value of a line is for people to read; None if the line has no value."""
    found = _LABELLED.fullmatch(line)
    if found is None or not found.group(group):
        return None
    return _LABEL.fullmatch(found.group(group)) is not None


@lru_cache(maxsize=1_024)
def _kind(line: bytes) -> LineKind:
    if _CODE_END.search(line) is not None or _CODE_START.match(line) is not None:
        return LineKind.CODE
    return LineKind.SETTING if _SETTING.fullmatch(line) is not None else LineKind.PROSE


def _around(data: bytes, value: NamedValue) -> list[bytes]:
    """Return the lines next to that of a value, without blank ones."""
    low = max(0, value.start - _WINDOW)
    line_start = max(low, data.rfind(b"\n", low, value.start) + 1)
    line_end = data.find(b"\n", value.end, value.end + _WINDOW)
    above = data[max(0, line_start - _WINDOW) : max(0, line_start - 1)].split(b"\n")
    below = data[line_end + 1 : line_end + 1 + _WINDOW].split(b"\n") if line_end >= 0 else []
    # The outermost ones may be truncated.
    if line_start > _WINDOW:
        above = above[1:]
    if line_end + 1 + _WINDOW < len(data):
        below = below[:-1]
    return [*_first_lines(reversed(above)), *_first_lines(below)]


def _first_lines(lines: Iterable[bytes]) -> list[bytes]:
    """Return the first few lines that are not blank."""
    kept: list[bytes] = []
    for line in lines:
        if stripped := line.rstrip():
            kept.append(stripped)
            if len(kept) == _MOST_LINES:
                break
    return kept
