"""What is asked of each capability, as plain values that print and compare.

A build's request is `context.BuildRequest`; the rest are here. A position is given in bytes, by
whoever knows the units of its front.
"""

from __future__ import annotations

import msgspec

from sightline.context import BuildRequest, TargetSpec, read_request
from sightline.refusals import Refusal


def build_request(values: object) -> BuildRequest | Refusal:
    """Return the request for a build that JSON values describe, or what is wrong with it."""
    return read_request(values)


class SliceRequest(msgspec.Struct, frozen=True):
    path: str
    level: str
    """`full`, `region`, `signatures` or `summary`."""
    symbols: tuple[str, ...] = ()
    """With `region`: names as an outline gives them."""
    offset: int | None = None
    """With `region` and no symbols: the symbol around this byte."""
    docs: str | None = None
    """With `signatures`: `none`, `first_line` or `full` doc comments; None for the setting."""


class ReferencesRequest(msgspec.Struct, frozen=True):
    symbol: str
    """`NAME`, `Container.NAME` or `PATH::NAME`."""
    hops: int = 1


class FindRequest(msgspec.Struct, frozen=True):
    text: str
    """An issue, an error, a sentence."""
    limit: int = 10
    """So many files, and so many symbols, at most."""


class ExplainRequest(msgspec.Struct, frozen=True):
    path: str
    offset: int | None = None
    """The symbol around this byte is meant; the whole file where there is none."""
    line: int | None = None
    """1-based. Instead of `offset`: the symbol around the first character of a line."""
    symbol: str | None = None
    """Instead of a place: a symbol of the file, as an outline names it."""
    target: TargetSpec | None = None
    """Explain the file's place in the bundle for this target as well."""
    hops: int = 1
