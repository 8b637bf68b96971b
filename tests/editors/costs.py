"""What the status bar must say: the engine's own numbers, written as the extension writes them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import sightline
from sightline.engine.results import BudgetStatus
from tests.editors.workspace import EDIT_LINE, EDITED


def status_of(
    project: Path,
    edit: Callable[[Path], object] = lambda _: None,
    path: str = EDITED,
    settings: Mapping[str, object] = MappingProxyType({}),
) -> BudgetStatus:
    """Return what the bundle at `EDIT_LINE` costs in a copy of a project that `edit` changes."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(shutil.copytree(project, Path(folder) / "copy"))
        edit(copy)
        given = {"index.store": False, **settings}
        with sightline.open(copy, settings=given) as workspace:
            status = workspace.status(str(copy / f"{path}:{EDIT_LINE}"))
    assert status.refusal is None, status.refusal
    return status


def cost(status: BudgetStatus) -> str:
    """Return the text of the status bar."""
    limit = _compact(status.hard_limit_tokens)
    if status.optional_tokens == 0:
        return f"{_compact(status.tokens)}/{limit}"
    return f"{_compact(status.needed_tokens)} + {_compact(status.optional_tokens)}/{limit}"


def _compact(tokens: int) -> str:
    return (
        str(tokens)
        if tokens < 1_000
        else f"{round(tokens / 1_000, 1):g}k"
        if tokens < 10_000
        else f"{round(tokens / 1_000)}k"
    )
