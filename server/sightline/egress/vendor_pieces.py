"""Vendors' keys in pieces: the beginning that identifies one, and the pieces after it.

Lists, appended strings, interpolations, wrapped lines of comments and mails, markup tags: the text
between two pieces is short and made of signs and plain words, and a piece is neither. The pieces
count only if all of them together look random.
"""

from __future__ import annotations

from collections.abc import Iterator

from sightline.egress.model import Certainty, Finding
from sightline.egress.randomness import cost, entropy
from sightline.egress.secret_patterns import compiled_for_texts, compiled_for_values
from sightline.egress.value_forms import is_example, is_sequence
from sightline.text import Span

_PREFIX = (
    rb"(?:gh[pousr]_|github_pat_|gl(?:pat|dt|rt|cbt|ptt|agent|soat)-|xox[abeoprs]-|xapp-[0-9]-"
    rb"|sk-(?:proj|ant|or|svcacct|admin|live)-|[sr]k_(?:live|test)_|whsec_|SG\.|AIza|ya29\.|GOCSPX-"
    rb"|AKIA|ASIA|npm_|pypi-AgE|dckr_pat_|hf_|dop_v1_|doo_v1_|shp(?:at|ss|ca|pa)_|hvs\.|hvb\.|tskey-"
    rb"|figd_|lin_api_|sntrys_|sntryu_|rubygems_|ATATT3|glsa_|NRAK-|r8_|gsk_|xai-|pplx-|key-[0-9a-f]{2}"
    rb"|eyJhbGci|eyJ0eXAi|EAAC|sq0(?:atp|csp)-|PMAK-|phc_|phx_|nvapi-|dapi[0-9a-f]{2}|pscale_|sbp_|vercel_)"
)
_HEAD = compiled_for_texts(rb"(?:^|[^A-Za-z0-9_\-+/])(" + _PREFIX + rb"[A-Za-z0-9_+/=.\-]*)")
_PREFIX_ALONE = compiled_for_values(_PREFIX)
# Signs, and a few short words: `", "`, `")\n  sb.append("`, `';\nconst token = '${a}`.
_GLUE = compiled_for_values(
    rb"(?:=\r?\n|\r?\n)?[^A-Za-z0-9]{0,24}"
    rb"(?:(?:[a-z]{1,12}|[A-Z]{1,12}|[A-Za-z][a-z]{1,8}(?:[A-Z][a-z]{2,8})?)(?:[0-9]{1,2})?"
    rb"[^A-Za-z0-9]{1,16}){0,6}"
)
_WEB_TOKEN = b"eyJ"
"""The head of a web token alone is not secret."""
_PIECE = compiled_for_values(rb"[A-Za-z0-9_+/=.\-]{4,200}")
_DIGIT = compiled_for_values(rb"[0-9]")
_LETTER = compiled_for_values(rb"[A-Za-z]")
_WORDS = compiled_for_values(
    rb"[a-z_\-]+|[A-Z_\-]+|[_\-]*[A-Za-z][a-z]+(?:[_\-]?[A-Z][a-z]+)*[_\-]*"
)
_JOINTS = b"-_+/"
"""Bytes of a key with which a piece may begin."""
_LONGEST_GLUE = 72
_MOST_PIECES = 60
_SHORTEST = 16
_BAR = 4_300


def vendor_pieces(data: bytes) -> Iterator[Finding]:
    position = 0
    while (found := _HEAD.search(data, position)) is not None:
        start, end = found.start(1), found.end(1)
        position = max(end, found.start() + 1)
        prefix = _PREFIX_ALONE.match(data, start, end)
        assert prefix is not None
        spans = [(start, end), *_further(data, end)]
        value = data[prefix.end() : end] + b"".join(data[first:last] for first, last in spans[1:])
        if len(spans) > 1 and _is_key(value):
            for first, last in spans:
                span = Span(first, last)
                yield Finding(span, "key-in-pieces", "vendor", Certainty.CERTAIN, True)
            position = max(position, spans[-1][1])
        elif prefix.group()[:3] != _WEB_TOKEN and _is_key(data[prefix.end() : end]):
            # Its beginning without the rest. A slash after a whole key belongs to a path.
            slash = data.find(b"/", prefix.end(), end)
            is_whole = slash >= 0 and _is_key(data[prefix.end() : slash])
            span = Span(start, slash if is_whole else end)
            yield Finding(span, "key-in-pieces", "vendor", Certainty.CERTAIN, True)


def _further(data: bytes, end: int) -> Iterator[tuple[int, int]]:
    for _ in range(_MOST_PIECES):
        glue = _GLUE.match(data, end, end + _LONGEST_GLUE)
        if glue is None or glue.end() == end:
            return
        piece = _PIECE.match(data, glue.end())
        if piece is None or not _is_piece(piece.group()):
            return
        start = piece.start()
        while start > end and data[start - 1] in _JOINTS:
            start -= 1
        yield start, piece.end()
        end = piece.end()


def _is_piece(value: bytes) -> bool:
    """True if no word looks so: letters with digits, or capitals among small letters."""
    if _DIGIT.search(value) is not None:
        return _LETTER.search(value) is not None or len(value) >= 8
    return _WORDS.fullmatch(value) is None


def _is_key(value: bytes) -> bool:
    bare = value.translate(None, b"_-+/=.")
    if len(bare) < _SHORTEST or is_example(value) or is_sequence(bare):
        return False
    if _DIGIT.search(bare) is None or _LETTER.search(bare) is None:
        return False
    return entropy(bare) >= 3_000 and cost(bare) >= _BAR
