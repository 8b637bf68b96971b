"""The requests of each capability, as plain values that print and compare.

A build's request is `context.BuildRequest`; the others are here. Positions are byte offsets: each
front converts its own units.
"""

from __future__ import annotations

import msgspec

from sightline.context import BuildRequest, TargetSpec, read_request
from sightline.refusals import Refusal


def build_request(values: object) -> BuildRequest | Refusal:
    """Return the build request that JSON values describe, or what is wrong with it."""
    return read_request(values)


class SliceRequest(msgspec.Struct, frozen=True):
    path: str
    level: str
    """`full`, `region`, `signatures` or `summary`."""
    symbols: tuple[str, ...] = ()
    """With `region`: names as an outline lists them."""
    offset: int | None = None
    """With `region` and no symbols: the symbol around this byte."""
    docs: str | None = None
    """With `signatures`: `none`, `first_line` or `full` doc comments; None takes the value from
    settings.
    """


class ReferencesRequest(msgspec.Struct, frozen=True):
    symbol: str
    """`NAME`, `Container.NAME` or `PATH::NAME`."""
    hops: int = 1


class FindRequest(msgspec.Struct, frozen=True):
    text: str
    """An issue, an error, a sentence."""
    limit: int = 10
    """The most files, and the most symbols."""


class ExplainRequest(msgspec.Struct, frozen=True):
    path: str
    offset: int | None = None
    """The symbol around this byte is meant; None means the whole file."""
    line: int | None = None
    """1-based. An alternative to `offset`: the symbol around the first character of a line."""
    symbol: str | None = None
    """An alternative to a place: a symbol of the file, as an outline names it."""
    target: TargetSpec | None = None
    """Also explain the file's place in the bundle for this target."""
    hops: int = 1
