"""The two levels without cutting: the whole file, and its names alone."""

from __future__ import annotations

from sightline.slicing.model import Level, Piece, Slice
from sightline.symbols import FileSummary
from sightline.text import Span, Text


def full_file(text: Text) -> Slice:
    pieces = (Piece(Span(0, len(text))),)
    return Slice(Level.FULL_FILE, text.data, pieces)


def summary_only(path: str, title: str, summary: FileSummary) -> Slice:
    """Return path, language, sizes and the names of the top-level declarations."""
    names = [f"{symbol.kind} {symbol.name}" for symbol in summary.symbols if symbol.parent < 0]
    lines = [
        f"path: {path}",
        f"language: {title}",
        f"bytes: {summary.byte_size}",
        f"lines: {summary.line_count}",
        f"declarations: {len(names)}",
        *(f"- {name}" for name in names),
    ]
    content = ("\n".join(lines) + "\n").encode("utf-8")
    return Slice(Level.SUMMARY_ONLY, content, (Piece(None, content),))
