"""Own names: a value that has a name of its own, which says that the value is no secret.

`login(user: "svc", traceId: "…")`, `trace_id=…`, `<etag>…`: what stands there looks like chance, as
a secret does, and the call or the line around it speaks of one; but it is told to everybody.
"""

from __future__ import annotations

from sightline.egress.secret_patterns import compiled, compiled_for_values
from sightline.egress.telling_names import names_another

# Right before a value.
_OWN_NAME = compiled(
    rb"([A-Za-z][A-Za-z0-9_.\-]*)[\"'`]?[ \t]{0,8}(?::?[ \t]?[A-Za-z]{1,16}[ \t]{0,2}=|:=|=>|[:=>])"
    rb"[ \t]{0,8}[\"'`]{0,3}\z"
)
_INNER_NAME = compiled_for_values(rb"<?([A-Za-z][A-Za-z0-9_.\-]{1,40})[=>]")
_SIGNS = frozenset((b"=", b":", b">"))
_REACH = 72


def is_named_otherwise(data: bytes, start: int) -> bool:
    """Whether the value at an offset has such a name before it."""
    before = data[max(0, start - _REACH) : start]
    if before.rstrip(b"\"'`").rstrip(b" \t")[-1:] not in _SIGNS:
        return False
    name = _OWN_NAME.search(before)
    return name is not None and names_another(name.group(1))


def names_itself_otherwise(value: bytes) -> bool:
    """The same for a name that the value, as it was cut out, begins with."""
    name = _INNER_NAME.match(value)
    return name is not None and names_another(name.group(1))
