"""Blocks as Markdown: a heading, a line about the block, and the content in a fence.

Invariants:

* A fence is longer than every run of its character in the content, wherever that run stands: no
  reader can take a line of the content for the end of it, whatever it holds to be a line.
* Content stands in the fence as it is. Where it lacks a last line feed one is added, and the frame
  says so: then the line feed before the closing fence is not content.
* What comes from a workspace stands in a code span, never as markup.
"""

from __future__ import annotations

import re

from sightline.bundle import BlockMeta, BlockRegion, ContextBlock, Purpose
from sightline.render.frame import (
    is_about_file,
    language_name,
    line_range,
    visible,
)

_RUNS = {mark: re.compile(f"{mark}+") for mark in "`~"}
_PLAIN_TITLE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 ,.:;/()'-]*[A-Za-z0-9.)])?")
"""Titles that mean the same with and without markup."""

_SHORTEST_FENCE = 3

_LEVELS = {
    "FULL_FILE": "whole file",
    "TARGET_REGION_ONLY": "only the regions",
    "SIGNATURES_ONLY": "signatures only",
    "SUMMARY_ONLY": "summary only",
}


def opening(purpose: Purpose) -> str:
    return f"# Context, purpose: {purpose.value}\n\n"


def block_piece(block: ContextBlock) -> str:
    content = block.content
    details = _details(block)
    about = f"{details[0].upper()}{details[1:]}.\n\n" if details else ""
    fence = _fence(content)
    last = "" if not content or content.endswith("\n") else "\n"
    return (
        f"## {_heading(block)}\n\n{about}"
        f"{fence}{language_name(block.meta)}\n{content}{last}{fence}\n\n"
    )


def _heading(block: ContextBlock) -> str:
    meta = block.meta
    if meta.path is not None and is_about_file(block):
        symbol = f", symbol {_code(meta.symbol)}" if meta.symbol is not None else ""
        return f"{_code(meta.path)}{symbol}"
    return block.title if _PLAIN_TITLE.fullmatch(block.title) else _code(block.title)


def _details(block: ContextBlock) -> str:
    meta = block.meta
    facts = [
        None if meta.path is None or is_about_file(block) else f"about {_code(meta.path)}",
        _extent(meta),
        None if meta.reason is None else meta.reason.value.replace("_", " "),
        _end(block.content),
    ]
    return "; ".join(fact for fact in facts if fact is not None)


def _end(content: str) -> str | None:
    if not content:
        return "empty"
    return None if content.endswith("\n") else "no newline at end of file"


def _extent(meta: BlockMeta) -> str | None:
    level = None if meta.level is None else _LEVELS.get(meta.level, _code(meta.level))
    regions = ", ".join(_region(region) for region in meta.regions)
    if not regions:
        return level
    if level is None:
        return regions
    joint = " of " if meta.level == "TARGET_REGION_ONLY" else ", with "
    return f"{level}{joint}{regions}"


def _region(region: BlockRegion) -> str:
    word = "line" if region.start_line == region.end_line else "lines"
    lines = line_range(region.start_line, region.end_line)
    return f"{_code(region.symbol)} ({word} {lines})"


def _fence(content: str) -> str:
    """Of backticks, or of tildes where fewer of them do."""
    backticks = max(_SHORTEST_FENCE, _longest("`", content) + 1)
    tildes = max(_SHORTEST_FENCE, _longest("~", content) + 1)
    return "`" * backticks if backticks <= tildes else "~" * tildes


def _code(shown: str) -> str:
    """A code span that holds any text, as one line."""
    inner = visible(shown) or " "
    ticks = "`" * (_longest("`", inner) + 1)
    # A reader takes one space off either end where both have one, unless there is nothing else.
    is_padded = inner[0] == " " == inner[-1] and inner.strip(" ") != ""
    space = " " if is_padded or inner[0] == "`" or inner[-1] == "`" else ""
    return f"{ticks}{space}{inner}{space}{ticks}"


def _longest(mark: str, text: str) -> int:
    """How many of a mark stand in a row at most."""
    # Most texts have none, which is told far quicker than a pattern tells it.
    return max(map(len, _RUNS[mark].findall(text))) if mark in text else 0
