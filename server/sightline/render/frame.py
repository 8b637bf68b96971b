"""The words around a block, and those for the request: Markdown and XML share them.

They name path, symbol, level, language, reason and the block's own lines. Ids, hashes, sizes,
scores and evidence are absent, because they can change although the block does not.
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
    """1-based; `last_line` is included in the range."""
    last_line: int
    symbol: str | None = None
    """The qualified name; None for the whole file."""
    kind: str = "file"
    """`function`, `class`, `method`, …"""


@attrs.frozen
class Asked:
    """The request, with which a rendering begins."""

    purpose: Purpose
    targets: tuple[AskedTarget, ...] = ()
    warning: str | None = None
    """A warning about the bundle as a whole."""


# Line breaks, control characters, surrogates, and characters that are invisible or change the order
# of others. They are listed here because Unicode categories differ between Python versions.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e0fff]"
)


def visible(shown: str) -> str:
    """Return a text as one line without invisible characters: each is written as `\\u{…}`."""
    return _UNSEEN.sub(escape, shown)


def escape(found: re.Match[str]) -> str:
    return f"\\u{{{ord(found[0]):04x}}}"


def is_about_file(block: ContextBlock) -> bool:
    """True if the block is named by its path; other blocks are named by their title."""
    return block.block_type in (BlockType.FILE, BlockType.SYMBOL) and block.meta.path is not None


def is_instruction(block: ContextBlock) -> bool:
    """True if a block is an instruction to the model; the others are data."""
    return block.block_type in (BlockType.SYSTEM, BlockType.CONSTRAINTS, BlockType.DIFF_HINT)


def language_name(meta: BlockMeta) -> str:
    """Return the name in lower case, with only the characters that have no meaning in markup."""
    return re.sub(r"[^a-z0-9+#.-]", "", (meta.language or "").lower())


def line_range(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def reason_words(block: ContextBlock) -> str | None:
    """Return why a block is there, to be shown after its path."""
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
