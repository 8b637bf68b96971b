"""An index that follows the file system ends up as one built afresh, whatever the storm."""

from __future__ import annotations

import threading
from collections.abc import Generator, Set
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
        steps = _steps(root)
        next(steps)
        for snapshot in project.follow(stop):
            try:
                # A step goes on once the index has seen what it did.
                steps.send(snapshot.files.keys())
            except StopIteration:
                break
        assert not stop.is_set(), "the changes were never told"
        stop.set()
        timer.cancel()
        followed = project.snapshot
        fresh = Project(Workspace(root), registry, workers, _NO_STORE).open()
        assert followed.fingerprint == fresh.fingerprint
        assert dict(followed.files) == dict(fresh.files)


def _steps(root: Path) -> Generator[None, Set[str], None]:
    """Changes, each made when the paths of the index show that the one before was seen."""
    yield
    (root / "second.py").write_text("x = 1\n")
    while "second.py" not in (yield):
        pass
    (root / "second.py").rename(root / "third.py")
    while True:
        paths = yield
        if "third.py" in paths and "second.py" not in paths:
            break
    (root / "storm").mkdir()
    for number in range(_STORM):
        (root / "storm" / f"m{number}.py").write_text(f"def f{number}(): return f{number + 1}()\n")
    while sum(path.startswith("storm/") for path in (yield)) < _STORM:
        pass
    (root / ".gitignore").write_text("storm/\n")
    while any(path.startswith("storm/") for path in (yield)):
        pass
