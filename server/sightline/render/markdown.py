"""Render blocks as Markdown: a heading that says what and why, and the content in a fence.

Rules, constraints and the task are instructions, not data: they are plain sentences unless they
contain possible markup. With markup, they stand in a fence like data.

Invariants:

* A fence is longer than every run of its character in the content. So no line of the content can
  end it, whatever the reader takes for a line.
* Content stands in the fence unchanged. If it does not end in a line feed, one is added and the
  frame says so: the line feed before the closing fence is then not content.
* Text from a workspace stands in a code span, never as markup.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sightline.bundle import BlockMeta, BlockRegion, ContextBlock
from sightline.render.frame import (
    Asked,
    AskedTarget,
    is_about_file,
    is_instruction,
    language_name,
    line_range,
    reason_words,
    visible,
)

_RUNS = {mark: re.compile(f"{mark}+") for mark in "`~"}
_PLAIN_TITLE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 ,.:;/()'-]*[A-Za-z0-9.)])?")
"""Titles that mean the same with and without markup."""

_MOST_NAMED = 8
"""The most regions that a heading names: with forty, it would be a paragraph."""
_SHORTEST_FENCE = 3

_PLAIN_LINE = re.compile(
    r"(?:(?:- |  )?[A-Za-z](?:[A-Za-z0-9 ,.:;/()'\"?%+\u00a1-\ufffd-]|\[REDACTED:[a-z0-9-]+\]"
    r"|(?<=[A-Za-z0-9])_(?=[A-Za-z0-9]))*)?(?<! )"
)
"""Lines that mean the same with and without markup; those of a list begin with a hyphen."""

_LEVELS = {
    "FULL_FILE": "whole file",
    "TARGET_REGION_ONLY": "parts of the file",
    "SIGNATURES_ONLY": "signatures",
    "SUMMARY_ONLY": "summary",
}


def opening(asked: Asked) -> str:
    return f"{_asked(asked)}Purpose: {asked.purpose.value}.\n\n{_warning(asked)}"


def steady_opening(asked: Asked) -> str:
    """Return the beginning of the text that does not change with an edit in a target."""
    return f"# Context\n\nPurpose: {asked.purpose.value}.\n\n{_warning(asked)}"


def asked_last(asked: Asked) -> str:
    """Return the text that names the targets, for the end of a rendering."""
    return _asked(asked) if asked.targets else ""


def _asked(asked: Asked) -> str:
    if not asked.targets:
        return "# Context of the project\n\n"
    if len(asked.targets) == 1:
        return f"# Target: {_target(asked.targets[0])}\n\n"
    return "# Targets\n\n" + "".join(f"- {_target(each)}\n" for each in asked.targets) + "\n"


def _warning(asked: Asked) -> str:
    return f"**{asked.warning}**\n\n" if asked.warning is not None else ""


def _target(target: AskedTarget) -> str:
    lines = _lines(target.first_line, target.last_line)
    if target.symbol is None:
        return f"{code_span(target.path)}, the whole file, {lines}"
    return f"{code_span(target.path)}, {lines}, {target.kind} {code_span(target.symbol)}"


def block_piece(block: ContextBlock) -> str:
    content = block.content
    heading = f"## {_heading(block)}\n\n"
    if is_instruction(block) and _is_plain(content):
        return f"{heading}{content}\n"
    end = _end(content)
    about = f"{end}\n\n" if end is not None else ""
    fence = fence_for(content)
    last = "" if not content or content.endswith("\n") else "\n"
    return f"{heading}{about}{fence}{language_name(block.meta)}\n{content}{last}{fence}\n\n"


def _is_plain(content: str) -> bool:
    """True if the text contains no Markdown markup other than a list."""
    lines = content.split("\n")
    return (
        not lines[-1]
        and bool(lines[0])
        and not lines[0].startswith(" ")
        and visible(content.replace("\n", "")) == content.replace("\n", "")
        and all(map(_PLAIN_LINE.fullmatch, lines))
    )


def _heading(block: ContextBlock) -> str:
    meta = block.meta
    if meta.path is not None and is_about_file(block):
        facts = f"{code_span(meta.path)}{_extent(meta)}"
    else:
        title = block.title if _PLAIN_TITLE.fullmatch(block.title) else code_span(block.title)
        about = "" if meta.path is None else f", about {code_span(meta.path)}"
        facts = f"{title}{about}{_extent(meta)}"
    reason = reason_words(block)
    return facts if reason is None else f"{facts}: {reason}"


def _end(content: str) -> str | None:
    if not content:
        return "Empty."
    return None if content.endswith("\n") else "No newline at end of file."


def _extent(meta: BlockMeta) -> str:
    """Return level and lines in words, to be shown after the path."""
    level = None if not meta.level else _LEVELS.get(meta.level, code_span(meta.level))
    parts = _parts(meta.regions) or (code_span(meta.symbol) if meta.symbol else None)
    if parts is None:
        return "" if level is None else f", {level}"
    if level is None or meta.level == "TARGET_REGION_ONLY":
        return f", {parts}"
    return f", {level} of {parts}"


def _parts(regions: Sequence[BlockRegion]) -> str:
    """Name the first regions, symbols before other lines, and count the rest."""
    named = sorted(regions, key=lambda each: not each.symbol)[:_MOST_NAMED]
    shown = [_region(each) for each in regions if each in named]
    left = len(regions) - len(shown)
    return ", ".join([*shown, f"and {left} more"] if left else shown)


def _region(region: BlockRegion) -> str:
    lines = _lines(region.start_line, region.end_line)
    return f"{code_span(region.symbol)} ({lines})" if region.symbol else lines


def _lines(first: int, last: int) -> str:
    return f"{'line' if first == last else 'lines'} {line_range(first, last)}"


def fence_for(content: str) -> str:
    """Return a fence of backticks, or of tildes if a shorter one is possible."""
    backticks = max(_SHORTEST_FENCE, _longest("`", content) + 1)
    tildes = max(_SHORTEST_FENCE, _longest("~", content) + 1)
    return "`" * backticks if backticks <= tildes else "~" * tildes


def code_span(shown: str) -> str:
    """Return any text as a code span on one line."""
    inner = visible(shown) or " "
    ticks = "`" * (_longest("`", inner) + 1)
    # A reader removes one space from each end if both ends have one, unless there are only spaces.
    is_padded = inner[0] == " " == inner[-1] and inner.strip(" ") != ""
    space = " " if is_padded or inner[0] == "`" or inner[-1] == "`" else ""
    return f"{ticks}{space}{inner}{space}{ticks}"


def _longest(mark: str, text: str) -> int:
    """Return the length of the longest run of a character."""
    # Most texts do not contain the character, and `in` finds that faster than a pattern.
    return max(map(len, _RUNS[mark].findall(text))) if mark in text else 0
