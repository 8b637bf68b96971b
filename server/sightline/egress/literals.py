"""Literals: random values without a name or a form that explains them.

The bar is highest here, because identifiers, digests and addresses are random too: both cases and
digits must be well mixed, and nothing beside the value may say what else it is. A long one in
quotes or after a sign is certain, a shorter one is weak.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator

from sightline.egress.model import Certainty, Finding
from sightline.egress.randomness import cost, entropy, is_uuid
from sightline.egress.secret_patterns import compiled, compiled_for_values
from sightline.egress.telling_names import Promise, promise_of, speaks_of_another
from sightline.egress.value_forms import is_digest, is_example, is_sequence
from sightline.egress.vendors import names_an_object
from sightline.text import Span

_LITERAL = compiled(
    rb"(?:[\"'`=:(>,\[])([A-Za-z0-9_\-]{40,160})(?:[\s\"'`<),;&\]]|$)",
)
# At least so many in a row with a digit among the first of them: hardly any name is like that.
_SHORTEST = 24
_SHORT = compiled(
    rb"(?:^|[^A-Za-z0-9_\-+/.])("
    + b"|".join(
        rb"[A-Za-z_\-]{%d}[0-9][A-Za-z0-9_\-]{%d,}" % (index, _SHORTEST - 1 - index)
        for index in range(_SHORTEST)
    )
    + rb")"
)
_LONGEST = 160
_KEY_END = compiled_for_values(rb"[\"'`][ \t]{0,2}(?::|=>)")
_EXPLAINED = compiled_for_values(
    rb"(?i)uuid|guid|integrity|sha[0-9_\-]|hash|digest|checksum|commit|ssh-|cert|public|signature"
    rb"|csrf|xsrf|authenticity|websocket|href|src=|price_|artist|fingerprint|asset|font|blob|\bcid|etag|nonce|salt|address|mappings|base64|encoded|\.(?:js|css|png)"
    rb"|[a-z]ids?[\"']?[ \t]{0,2}[:=(]|\bids?[\"']?[ \t]{0,2}[:=( ]"
)
_NAME = compiled_for_values(rb"([A-Za-z][A-Za-z0-9_.\-]*)[^A-Za-z0-9]{0,6}$")
_QUERIED = compiled_for_values(rb"://[^\s\"'`]*[?&]([A-Za-z_\-]{1,24})=\Z")
_BASE58 = compiled_for_values(rb"[1-9A-HJ-NP-Za-km-z]+")
_RUN = compiled_for_values(rb"[A-Za-z0-9+/]{32,}")
_NEAR = 60
_FAR = 400
_FEWEST_LINES = 2
_SIZES = frozenset([*range(0x20, 0x80), 0x81, 0x82])
"""Bytes that give the length of an ASN.1 element."""
_FEWEST = 4
"""The fewest characters of each class."""


def literals(data: bytes) -> Iterator[Finding]:
    position = 0
    while (found := _LITERAL.search(data, position)) is not None:
        start, end = found.start(1), found.end(1)
        # The end of one literal may begin the next.
        position = end
        value = found.group(1)
        if _is_opaque(value) and not _is_encoded(data, start, end) and not _is_named(data, start):
            certainty = Certainty.WEAK if _is_queried(data, start) else Certainty.CERTAIN
            kind = "weak" if certainty is Certainty.WEAK else "token"
            yield Finding(Span(start, end), "unnamed-secret", kind, certainty, True)
    for found in _SHORT.finditer(data):
        start, end = found.start(1), found.end(1)
        value = found.group(1)
        if (
            end - start <= _LONGEST
            and data[end : end + 1] not in (b"+", b"/", b".")
            # It is a name in a table, not a value.
            and _KEY_END.match(data, end) is None
            and _is_well_mixed(value)
            and not _is_explained(data, start)
            and not _is_named(data, start)
            and not _is_encoded(data, start, end)
        ):
            yield Finding(Span(start, end), "unnamed-value", "weak", Certainty.WEAK, True)


def _is_well_mixed(value: bytes) -> bool:
    bare = value.translate(None, b"_-")
    digits = sum(48 <= byte <= 57 for byte in bare)
    lower = sum(97 <= byte <= 122 for byte in bare)
    return (
        min(digits, lower, len(bare) - digits - lower) >= _FEWEST - 1
        and cost(bare) >= 5_100
        and entropy(bare) >= 3_500
        and not is_uuid(value)
        and len(set(value)) < len(value)
        and not is_sequence(value)
        and not is_example(value)
    )


def _is_explained(data: bytes, start: int) -> bool:
    """True if the text before it on the line says what else it is."""
    line = data[max(0, start - _NEAR) : start + _SHORTEST].rpartition(b"\n")[2]
    return _EXPLAINED.search(line) is not None


def _is_opaque(value: bytes) -> bool:
    bare = value.replace(b"_", b"").replace(b"-", b"")
    digits = sum(48 <= byte <= 57 for byte in bare)
    lower = sum(97 <= byte <= 122 for byte in bare)
    upper = len(bare) - digits - lower
    return (
        min(digits, lower, upper) >= _FEWEST
        and len(bare) * 8 >= len(value) * 7
        and cost(bare) >= 5_300
        and entropy(bare) >= 4_000
        # The addresses and content identifiers of blockchains are public.
        and not (len(value) <= 52 and _BASE58.fullmatch(value) is not None)
        # So is an alphabet, in which no character is repeated.
        and len(set(value)) < len(value)
        and not is_sequence(value)
        and not is_example(value)
    )


def _is_encoded(data: bytes, start: int, end: int) -> bool:
    """True if it is text in base64, or a line of a file in base64."""
    value = data[start:end]
    if b"eyJ" in value[:8] or is_digest(value) or names_an_object(value):
        # A JSON object is read separately.
        return True
    decoded = base64.b64decode(value[: len(value) // 4 * 4], altchars=b"-_")
    if sum(32 <= byte < 127 for byte in decoded[:60]) * 10 >= len(decoded[:60]) * 9:
        return True
    if value[:1] == b"M" and decoded[:1] == b"\x30" and decoded[1] in _SIZES:
        # A certificate or a public key: private keys are recognised by their structure.
        return True
    # Lines as wide as this one, or wider ones if this is the last.
    before = [len(run) for run in _RUN.findall(data, max(0, start - _FAR), start)]
    after = [len(run) for run in _RUN.findall(data, end, end + _FAR)]
    width = max(before, default=0)
    if before.count(width) >= _FEWEST_LINES and width > len(value):
        return True
    return (before + after).count(len(value)) >= _FEWEST_LINES


def _is_queried(data: bytes, start: int) -> bool:
    """True if it is a part of a URL whose name says nothing: `?q=…`."""
    found = _QUERIED.search(data, max(0, start - _NEAR), start)
    return found is not None and promise_of(found.group(1)) < Promise.SECRET


def _is_named(data: bytes, start: int) -> bool:
    """True if a name beside it says what else it is."""
    line = data[max(0, start - _NEAR) : start].rpartition(b"\n")[2]
    name = _NAME.search(line)
    return name is not None and speaks_of_another(name.group(1))
