"""Keep the objects of context snapshots, and remove objects that nothing needs.

It runs in the process of `git_objects_child`; `collect_objects` replaces `git prune`.

Invariants:

* In doubt, objects are kept: every object that any file in git's own directory names, as text or in
  an index, counts as needed, with everything that it refers to.
* Nothing is removed before everything that is needed is known. Nothing at all is removed if a
  needed object cannot be read, unless the repository says that objects are elsewhere (a shallow or
  partial clone).
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection, Container, Iterable, Iterator
from pathlib import Path

import pygit2
from pygit2.enums import ObjectType

_FAULTS = (pygit2.GitError, OSError, ValueError, KeyError)
_OBJECT_NAME = re.compile(r"[0-9a-f]{40}")
_NAMED = re.compile(rb"(?<![0-9a-f])[0-9a-f]{40}(?![0-9a-f])")
_LINK = re.compile(rb"^(?:tree|parent|object) ([0-9a-f]{40})$", re.MULTILINE)
_OTHERS = ("objects", "modules", "lfs", "hooks")
"""Folders of git's directory that name no object of this repository, or contain its objects."""
_INDEXES = ("index", "sharedindex.")
_TEMPORARY = ("tmp_object_git2_*", "pack/pack_git2_*")
_NAME_BYTES = 20
_PACK_INDEX = b"\xfftOc\0\0\0\2"


_SNAPSHOTS = "refs/ai/snapshots/"
_MARKS = "refs/ai/marks/"
_UPLOADS = "refs/ai/uploads"
_ANCHORS = ("refs/ai/blobs/", "refs/ai/commits/")


class DamagedError(Exception):
    """A needed object cannot be read, so it is not known what else is needed."""


def kept_objects(
    repository: pygit2.Repository,
    folder: Path,
    name: str,
    ids: set[str],
    commit: str | None,
    in_tree: set[str],
) -> tuple[list[str], list[str], bool]:
    """Return the objects of a snapshot that git may prune, refs that point to something else, and
    whether it is marked.

    Only `collect_objects` keeps the objects of a marked snapshot. `in_tree` are those that the ref
    of its commit keeps.
    """
    references = repository.references
    ids |= {commit} if commit is not None else set()
    wrong = [
        anchor
        for each in sorted(ids)
        for anchor in (f"{prefix}{each}" for prefix in _ANCHORS)
        if anchor in references and str(references[anchor].target) != each
    ]
    if _MARKS + name in references:
        return [], wrong, True
    unkept = {each for each in ids if all(prefix + each not in references for prefix in _ANCHORS)}
    unkept -= in_tree
    if unkept and _UPLOADS in references:
        for upload in repository.walk(references[_UPLOADS].peel(pygit2.Commit).id):
            unkept -= {str(entry.id) for entry in upload.tree}
    if unkept:
        unkept -= _in_kept_packs(folder / "objects/pack")
    return sorted(unkept), wrong, False


def _in_kept_packs(folder: Path) -> set[str]:
    """Return the ids of all objects in packs that git keeps."""
    found: set[str] = set()
    for keep in sorted(folder.glob("pack-*.keep")):
        index = keep.with_suffix(".idx").read_bytes()
        if index[:8] != _PACK_INDEX or not keep.with_suffix(".pack").exists():
            continue
        count = int.from_bytes(index[8 + 255 * 4 : 8 + 256 * 4], "big")
        names = index[8 + 256 * 4 : 8 + 256 * 4 + 20 * count]
        found.update(names[at : at + 20].hex() for at in range(0, len(names), 20))
    return found


def forget_snapshots(
    repository: pygit2.Repository, folder: Path, names: Collection[str], needed: Container[str]
) -> int:
    """Remove snapshots, then every ref to an object that is not `needed`; count these refs."""
    references = repository.references
    labels = {f"context snapshot {each}\n" for each in names}
    for each in names:
        for name in (_SNAPSHOTS + each, _MARKS + each):
            if name in references:
                references.delete(name)
    unneeded = [
        name
        for prefix in _ANCHORS
        for name in references
        if name.startswith(prefix) and name.removeprefix(prefix) not in needed
    ]
    for name in unneeded:
        references.delete(name)
    for keep in (folder / "objects/pack").glob("pack-*.keep"):
        if keep.read_bytes().decode("utf-8", "replace") in labels:
            keep.unlink()
    return len(unneeded) + _forget_uploads(repository, labels)


def _forget_uploads(repository: pygit2.Repository, labels: Container[str]) -> int:
    """Remove the commits of snapshots from the branch for uploads; return how many."""
    reference = repository.references.get(_UPLOADS)
    if reference is None:
        return 0
    uploads = list(repository.walk(reference.peel(pygit2.Commit).id))
    others = [each for each in uploads if each.message not in labels]
    if len(others) == len(uploads):
        return 0
    parents: list[pygit2.Oid] = []
    for each in reversed(others):
        signed = (each.author, each.committer, each.message)
        parents = [repository.create_commit(None, *signed, each.tree_id, parents)]
    if parents:
        repository.references.create(_UPLOADS, parents[0], force=True)
    else:
        repository.references.delete(_UPLOADS)
    return len(uploads) - len(others)


def collect_objects(
    repository: pygit2.Repository,
    folder: Path,
    needed: Iterable[str],
    seconds: float,
    *,
    is_trial: bool,
) -> tuple[int, int]:
    """Return how many objects were removed, and how many old ones were kept. Raises `DamagedError`.

    `folder` contains the objects and refs; only objects older than so many seconds are removed.
    """
    latest = time.time() - seconds
    candidates = dict(_loose_objects(folder / "objects", latest))
    unneeded = set(candidates)
    roots = {*needed, *_named_in_files(folder, {bytes.fromhex(each) for each in candidates})}
    _take_out(repository, roots, unneeded, is_partial=_is_partial(folder))
    if not is_trial:
        for name in sorted(unneeded):
            candidates[name].unlink(missing_ok=True)
        for place in _left_behind(folder / "objects", latest):
            place.unlink(missing_ok=True)
    return len(unneeded), len(candidates) - len(unneeded)


def _loose_objects(folder: Path, latest: float) -> Iterator[tuple[str, Path]]:
    for place in folder.glob("[0-9a-f][0-9a-f]/*"):
        name = place.parent.name + place.name
        if _OBJECT_NAME.fullmatch(name) and place.lstat().st_mtime <= latest:
            yield name, place


def _left_behind(folder: Path, latest: float) -> Iterator[Path]:
    """Return files of writers that were killed."""
    for pattern in _TEMPORARY:
        for place in folder.glob(pattern):
            if place.is_file() and place.lstat().st_mtime <= latest:
                yield place


def _named_in_files(folder: Path, candidates: set[bytes]) -> set[str]:
    """Return every object that a file in git's directory names: refs, logs, heads, indexes."""
    found: set[str] = set()
    for parent, folders, files in os.walk(folder):
        if Path(parent) == folder:
            folders[:] = [each for each in folders if each not in _OTHERS]
        for name in files:
            place = Path(parent) / name
            # Reading a pipe would block.
            data = place.read_bytes() if place.is_file() else b""
            found.update(each.decode("ascii") for each in _NAMED.findall(data))
            if name.startswith(_INDEXES):
                # Every version of the index format stores object ids as twenty bytes.
                ends = range(_NAME_BYTES, len(data) + 1)
                windows = (data[end - _NAME_BYTES : end] for end in ends)
                found.update(each.hex() for each in windows if each in candidates)
    return found


def _take_out(
    repository: pygit2.Repository, roots: set[str], unneeded: set[str], *, is_partial: bool
) -> None:
    """Remove from the unneeded objects everything that the roots refer to."""
    pending = sorted(each for each in roots if repository.odb.exists(pygit2.Oid(hex=each)))
    seen = set(pending)
    while pending:
        name = pending.pop()
        unneeded.discard(name)
        for each in _leads_to(repository, name):
            if each in seen:
                continue
            seen.add(each)
            if repository.odb.exists(pygit2.Oid(hex=each)):
                pending.append(each)
            elif not is_partial:
                raise DamagedError(each)


def _leads_to(repository: pygit2.Repository, name: str) -> list[str]:
    """Return the objects that an object refers to, without those of submodules."""
    try:
        kind, data = repository.odb.read(pygit2.Oid(hex=name))
        if kind == ObjectType.TREE:
            return list(_entries(data))
    except _FAULTS:
        raise DamagedError(name) from None
    if kind in (ObjectType.COMMIT, ObjectType.TAG):
        head = data.partition(b"\n\n")[0]
        return [each.decode("ascii") for each in _LINK.findall(head)]
    return []


def _entries(data: bytes) -> Iterator[str]:
    at = 0
    while at < len(data):
        end = data.index(b"\0", at)
        if not data.startswith(b"160000", at):
            yield data[end + 1 : end + 1 + _NAME_BYTES].hex()
        at = end + 1 + _NAME_BYTES


def _is_partial(folder: Path) -> bool:
    """True if the repository says that some of its objects are elsewhere."""
    packs = folder / "objects/pack"
    return (folder / "shallow").exists() or any(packs.glob("*.promisor"))
