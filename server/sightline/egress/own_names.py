"""A value with a name of its own, which says that it is not a secret.

`login(user: "svc", traceId: "…")`, `trace_id=…`, `<etag>…`: the value looks random, like a secret,
and the call or the line around it mentions one; but the value is public.
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
    """True if such a name stands before the value at an offset."""
    before = data[max(0, start - _REACH) : start]
    if before.rstrip(b"\"'`").rstrip(b" \t")[-1:] not in _SIGNS:
        return False
    name = _OWN_NAME.search(before)
    return name is not None and names_another(name.group(1))


def names_itself_otherwise(value: bytes) -> bool:
    """True if the value, as it was cut out, begins with such a name."""
    name = _INNER_NAME.match(value)
    return name is not None and names_another(name.group(1))
