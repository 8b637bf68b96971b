"""An index that follows the file system ends up as one built afresh, whatever the storm."""

from __future__ import annotations

import threading
from pathlib import Path

from sightline.index.store import Fault, NoStore
from sightline.languages import Registry
from sightline.project import Project
from sightline.workers import Workers
from sightline.workspace import Workspace

_NO_STORE = NoStore(Fault.UNAVAILABLE)
_STORM = 2500


def test_edits_a_storm_and_an_ignore_file_lead_to_the_index_of_what_is_there(
    tmp_path: Path, registry: Registry
) -> None:
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "first.py").write_text("def first(): pass\n")
    stop = threading.Event()
    timer = threading.Timer(120, stop.set)
    timer.start()
    with Workers(2) as workers, Project(Workspace(root), registry, workers, _NO_STORE) as project:
        project.open()
        steps = iter(_steps(root))
        step = next(steps)
        for snapshot in project.follow(stop):
            if step(snapshot.files.keys()):
                following = next(steps, None)
                if following is None:
                    break
                step = following
        assert not stop.is_set(), "the changes were never told"
        stop.set()
        timer.cancel()
        followed = project.snapshot
        fresh = Project(Workspace(root), registry, workers, _NO_STORE).open()
        assert followed.fingerprint == fresh.fingerprint
        assert dict(followed.files) == dict(fresh.files)


def _steps(root: Path):  # type: ignore[no-untyped-def]
    """What to do next, each with how to tell that the index has seen it."""
    yield lambda paths: _then(True, lambda: (root / "second.py").write_text("x = 1\n"))
    yield lambda paths: _then(
        "second.py" in paths, lambda: (root / "second.py").rename(root / "third.py")
    )
    yield lambda paths: _then("third.py" in paths and "second.py" not in paths, lambda: _storm(root))
    yield lambda paths: _then(
        sum(path.startswith("storm/") for path in paths) == _STORM,
        lambda: (root / ".gitignore").write_text("storm/\n"),
    )
    yield lambda paths: not any(path.startswith("storm/") for path in paths)


def _then(is_seen, act):  # type: ignore[no-untyped-def]
    if is_seen:
        act()
    return is_seen


def _storm(root: Path) -> None:
    (root / "storm").mkdir()
    for number in range(_STORM):
        (root / "storm" / f"m{number}.py").write_text(f"def f{number}(): return f{number + 1}()\n")
