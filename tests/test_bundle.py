"""The contract's objects: their canonical form and the ids that are made from it."""

from __future__ import annotations

import msgspec
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from sightline.bundle import (
    BlockMeta,
    BlockRegion,
    BlockType,
    ContextBlock,
    ContextBundle,
    Encoding,
    Model,
    Priority,
    Purpose,
    Source,
    canonical,
    content_id,
    identified,
)

_TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
_NUMBERS = st.integers(-(2**31), 2**40)


@st.composite
def _blocks(draw: st.DrawFn) -> ContextBlock:
    meta = BlockMeta(
        draw(st.none() | _TEXTS),
        draw(st.none() | _TEXTS),
        None,
        draw(st.sampled_from(Encoding)),
        draw(_NUMBERS),
        draw(_NUMBERS),
        draw(st.sampled_from(Source)),
        regions=(BlockRegion(draw(_TEXTS), 1, draw(_NUMBERS), "0" * 64),),
        document_version=draw(st.none() | _NUMBERS),
    )
    return identified(
        draw(st.sampled_from(BlockType)),
        draw(st.sampled_from(Priority)),
        draw(_TEXTS),
        draw(_TEXTS),
        meta,
    )


@given(st.lists(_blocks(), max_size=3), _TEXTS)
def test_a_bundle_is_written_as_the_library_for_canonical_json_writes_it(
    blocks: list[ContextBlock], name: str
) -> None:
    """The quick way to canonical JSON and the library's give the same bytes."""
    model = Model(name, name, 100_000, 16_000, 4_000, 80)
    bundle = ContextBundle("i", 1, "t", Purpose.DIFF, "c", model, tuple(blocks))
    assert canonical(bundle) == rfc8785.dumps(msgspec.to_builtins(bundle))


@given(_blocks(), _blocks())
def test_an_id_is_the_same_where_content_is_the_same_and_nowhere_else(
    one: ContextBlock, other: ContextBlock
) -> None:
    """Ids are made from content alone, so they can be worked out again by anybody."""
    anonymous = msgspec.structs.replace(one, block_id="")
    assert content_id(anonymous) == one.block_id
    same = anonymous == msgspec.structs.replace(other, block_id="")
    assert (one.block_id == other.block_id) is same
