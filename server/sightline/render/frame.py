"""What the frame of a block says, in the words that both forms of text share.

A frame names path, symbol, level, language, reason and the block's own lines. Ids, hashes, sizes,
scores and evidence are absent: they would change where the block itself does not.
"""

from __future__ import annotations

import re

from sightline.bundle import BlockMeta, BlockType, ContextBlock

# Line breaks, controls, surrogates, and what is invisible or reorders what is seen. Spelled out:
# the categories of a Unicode table differ from one Python to the next.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e0fff]"
)


def visible(shown: str) -> str:
    """One line in which nothing is hidden: such characters are written as `\\u{…}`."""
    return _UNSEEN.sub(escape, shown)


def escape(found: re.Match[str]) -> str:
    return f"\\u{{{ord(found[0]):04x}}}"


def is_about_file(block: ContextBlock) -> bool:
    """Whether the path names the block; the others are named by their title."""
    return block.block_type in (BlockType.FILE, BlockType.SYMBOL) and block.meta.path is not None


def language_name(meta: BlockMeta) -> str:
    """Lower case, and nothing that could mean anything to whoever reads the frame."""
    return re.sub(r"[^a-z0-9+#.-]", "", (meta.language or "").lower())


def line_range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"
