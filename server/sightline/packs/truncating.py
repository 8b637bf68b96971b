"""Cut texts that are too long: keep the first and the last lines, with a marker between them."""

from __future__ import annotations

from sightline.packs.model import TruncationConfig


def truncate(content: str, config: TruncationConfig, limit: int | None = None) -> tuple[str, bool]:
    """Return a text within so many bytes of UTF-8, and whether something was cut.

    A text over the limit keeps its first and last lines; fewer if even those are too long. A single
    line that is longer than the limit is cut between two characters.
    """
    most = config.max_file_bytes if limit is None else limit
    if len(content.encode("utf-8", "replace")) <= most:
        return content, False
    lines = _lines(content)
    head, tail = config.preserve_head_lines, config.preserve_tail_lines
    while head + tail:
        if head + tail < len(lines):
            text = _joined(lines, head, tail, config.truncation_marker)
            if len(text.encode("utf-8", "replace")) <= most:
                return text, True
        # The beginning gets twice as many lines as the end.
        head, tail = (head * 3 // 4 if head > 1 else 0), (tail * 3 // 4 if tail > 1 else 0)
    marker = config.truncation_marker.encode("utf-8", "replace")
    room = most - len(marker)
    if room <= 0:
        return _cut(content, most), True
    return _cut(content, room) + config.truncation_marker, True


def _joined(lines: list[str], head: int, tail: int, marker: str) -> str:
    first = "".join(lines[:head])
    last = "".join(lines[len(lines) - tail :]) if tail else ""
    return first.removesuffix("\n") + marker + last


def _lines(content: str) -> list[str]:
    """Return lines that end only at `\\n`: a carriage return belongs to its line."""
    parts = content.split("\n")
    ended = [f"{part}\n" for part in parts[:-1]]
    return [*ended, parts[-1]] if parts[-1] else ended


def _cut(content: str, most: int) -> str:
    return content.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")
