"""Named secrets: literals after a name like `password`, judged by their form.

A generated one is certain, any other literal is weak.
"""

from __future__ import annotations

from collections.abc import Iterator

from sightline.egress.generated import is_generated
from sightline.egress.model import Certainty, Finding
from sightline.egress.named_values import Form, NamedValue, named_values
from sightline.egress.secret_patterns import compiled_for_told, compiled_for_values
from sightline.egress.settings_lines import Surroundings
from sightline.egress.telling_names import Promise, promise_of
from sightline.egress.weak import is_weak, weak_promise
from sightline.text import Span

_CERTAIN = {
    Promise.SECRET: ("assigned-secret", "token"),
    Promise.VENDOR: ("assigned-service-key", "vendor"),
    Promise.PASSWORD: ("assigned-password", "password"),
}
# The start of a list, a tuple or a call: its contents are judged separately.
_AROUND_STRING = compiled_for_values(
    rb"[A-Za-z_.]*[\[({]+[a-zA-Z]?[\"'].*|[^\"']*\"[^\"]*\"[\])},;]*"
)
# `apiKeyRef.current = setApiKeyModal;`: a name of the program's own, with the end of a statement.
_STATEMENT = compiled_for_values(rb"[A-Za-z_$]+[;,]")


_NAME_BYTE = rb"[A-Za-z0-9_.\-\x80-\xff]"
_NAME = compiled_for_values(_NAME_BYTE + rb"*")
_CALLED = compiled_for_values(rb"[A-Za-z_][\w.]*[\[({][\"'`]|\$[\"']|^[(\[{<].*[)\]}>]$")
_TANGLED = compiled_for_told(
    _NAME_BYTE,
    rb"[ \t]{0,2}[=:][ \t]{0,2}([^\s\"'`$@&][^\s\"'`]{1,80}[\"'`][^\s]{3,120})(?:\s|$)",
)


def named_secrets(data: bytes) -> Iterator[Finding]:
    surroundings = Surroundings()
    reached = 0
    for value in named_values(data):
        if value.start < reached:
            continue
        finding = _judged(data, value, surroundings)
        if finding is not None:
            yield finding
            reached = finding.span.end
    yield from _tangled(data)


def _tangled(data: bytes) -> Iterator[Finding]:
    """Find values without quotes around them that contain quotes, and so look
    like several strings.
    """
    for found in _TANGLED.finditer(data):
        content = found.group(1).rstrip(b",;")
        promise = promise_of(_NAME.match(data, found.start()).group())  # type: ignore[union-attr]
        if _CALLED.search(content) is not None:
            continue
        if promise in _CERTAIN and is_generated(content):
            detector, kind = _CERTAIN[promise]
            span = Span(found.start(1), found.start(1) + len(content))
            yield Finding(span, detector, kind, Certainty.CERTAIN, True)


def _judged(data: bytes, value: NamedValue, surroundings: Surroundings) -> Finding | None:
    promise = promise_of(value.name)
    if promise in _CERTAIN:
        content = data[value.start : value.end]
        if is_generated(content) and not (value.form is Form.LINE and _is_code(content, value)):
            detector, kind = _CERTAIN[promise]
            span = Span(value.start, value.end)
            return Finding(span, detector, kind, Certainty.CERTAIN, not value.is_open)
    if is_weak(data, value, surroundings):
        detector = (
            "weak-password" if weak_promise(value.name) is Promise.PASSWORD else "weak-secret"
        )
        content = data[value.start : value.end]
        start = value.end - len(content.lstrip())
        end = value.start + len(content.rstrip())
        return Finding(Span(start, end), detector, "weak", Certainty.WEAK, True)
    return None


def _is_code(content: bytes, value: NamedValue) -> bool:
    """True if the rest of a line is an expression of a program."""
    if value.is_spaced and _STATEMENT.fullmatch(content) is not None:
        return True
    return _AROUND_STRING.fullmatch(content) is not None
