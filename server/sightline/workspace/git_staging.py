"""Turn a directory into a repository that tracks files whose objects are elsewhere.

It runs in the process of `git_objects_child`, for a directory that `verify` created.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pygit2
from pygit2.enums import FileMode

_ACTOR = pygit2.Signature("Sightline", "snapshots@sightline.invalid", 0, 0)


def stage(question: dict[str, Any]) -> dict[str, Any]:
    """Turn a directory into a repository whose index names the given files."""
    root = Path(question["root"])
    repository = pygit2.init_repository(
        root.with_name("repository") if question["is_linked"] else root
    )
    repository.config["core.ignorecase"] = question["ignores_case"]
    exclude = Path(repository.path) / "info/exclude"
    exclude.unlink(missing_ok=True)
    if question["exclude"] is not None:
        exclude.parent.mkdir(exist_ok=True)
        exclude.write_bytes(question["exclude"])
    if question["is_linked"]:
        tree = repository.TreeBuilder().write()
        repository.create_commit("HEAD", _ACTOR, _ACTOR, "nothing", tree, [])
        repository.add_worktree("snapshot", str(root))
        repository = pygit2.Repository(str(root))
    index = repository.index
    # The index only has to name the files: their blobs are in the other repository.
    pygit2.settings.enable_strict_object_creation(False)
    try:
        for path, mode, blob in question["files"]:
            index.add(pygit2.IndexEntry(path, pygit2.Oid(hex=blob), FileMode(mode)))
        index.write()
    finally:
        pygit2.settings.enable_strict_object_creation(True)
    if question["is_unreadable"]:
        repository.config["core.repositoryformatversion"] = 1
        repository.config["extensions.objectformat"] = "sha256"
    return {"ids": []}
