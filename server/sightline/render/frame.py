"""What was asked, and what the frame of a block says, in the words that both forms of text share.

A frame names path, symbol, level, language, reason and the block's own lines. Ids, hashes, sizes,
scores and evidence are absent: they would change where the block itself does not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import attrs

from sightline.bundle import BlockMeta, BlockType, ContextBlock, Priority, Purpose, Reason


@attrs.frozen
class AskedTarget:
    """A file that a bundle is about, or one symbol of it."""

    path: str
    first_line: int
    """1-based, like `last_line`, which is part of it."""
    last_line: int
    symbol: str | None = None
    """The qualified name; None for the whole file."""
    kind: str = "file"
    """`function`, `class`, `method`, …"""


@attrs.frozen
class Asked:
    """What was asked for: a rendering says it before anything else."""

    purpose: Purpose
    targets: tuple[AskedTarget, ...] = ()
    warning: str | None = None
    """A sentence about the bundle as a whole that nobody may miss."""


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


def is_instruction(block: ContextBlock) -> bool:
    """Whether a block is what the model is told to do; the others are data."""
    return block.block_type in (BlockType.SYSTEM, BlockType.CONSTRAINTS, BlockType.DIFF_HINT)


def language_name(meta: BlockMeta) -> str:
    """Lower case, and nothing that could mean anything to whoever reads the frame."""
    return re.sub(r"[^a-z0-9+#.-]", "", (meta.language or "").lower())


def line_range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def reason_words(block: ContextBlock) -> str | None:
    """Why a block is there, to be read behind its path."""
    meta = block.meta
    if meta.reason is None:
        return _RELATIONS["similar"] if meta.relation is not None else None
    if meta.reason is Reason.TARGET:
        is_target = block.priority is Priority.P0
        return "the target" if is_target else "the rest of the target's file"
    relation = meta.relation
    if relation is None or meta.reason is Reason.USER_SELECTED:
        return _REASONS[meta.reason]
    words = _RELATIONS.get(relation.kind, _REASONS[meta.reason])
    if relation.kind == "base" and meta.reason is Reason.INTERFACE:
        words = _REASONS[meta.reason]
    return f"{words}, indirectly" if relation.hops is not None and relation.hops > 1 else words


_REASONS: Mapping[Reason, str] = {
    Reason.DEPENDENCY: "used by the target",
    Reason.INTERFACE: "an interface of the target",
    Reason.CALLER: "calls the target",
    Reason.BASE_TYPE: "a base type of the target",
    Reason.CONFIG: "configuration of the project",
    Reason.USER_SELECTED: "added by the user",
}
_RELATIONS: Mapping[str, str] = {
    "dependency": "used by the target",
    "dependent": "uses the target",
    "base": "a base type of the target",
    "implementer": "implements or extends the target",
    "caller": "calls the target",
    "callee": "called by the target",
    "config": "configuration of the project",
    "import": "imported by the target's file",
    "value": "named by the target",
    "overrides": "overridden by the target",
    "overridden_by": "overrides the target",
    "may_dispatch_to": "may be called by the target",
    "similar": "similar to the target",
}
