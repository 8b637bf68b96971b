"""An editor's front in a few lines: it makes the texts that a project is told of."""

from __future__ import annotations

from sightline.index import Snapshot
from sightline.project import Project
from sightline.refusals import Refusal
from sightline.text import Span, TextSpliced


def edit(
    project: Project,
    path: str,
    start: int,
    end: int,
    replacement: bytes,
    version: int | None = None,
) -> Snapshot | Refusal:
    """Replace some bytes of the text that a project was shown last."""
    before = project.text_of(path)
    assert before is not None
    after = before.spliced(start, end, replacement)
    return project.edit(path, [TextSpliced(before, Span(start, end), replacement, after)], version)
