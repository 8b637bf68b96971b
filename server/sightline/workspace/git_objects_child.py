"""The process that reads and writes objects and refs of a repository for context snapshots.

It is started as a script by `git_objects` and can be killed at any moment: an object is written
whole or not at all, and the ref of a snapshot is written last.

A message is a length and that many bytes of MessagePack, as in `git_history_child`.

Invariants: nothing is written but objects and refs below `refs/ai/`; nothing is pushed; no hook
and no program that the repository configures runs. Owner validation stays on, no directory above
the root is searched.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any

import msgspec
import pygit2
from pygit2.enums import FileMode, ObjectType, RepositoryOpenFlag

_LENGTH = struct.Struct("<I")
_CPU_SECONDS = 60.0
_MEMORY_LIMIT_BYTES = 2 << 30
_FAULTS = (pygit2.GitError, OSError, ValueError, KeyError, TypeError)
_SNAPSHOTS = "refs/ai/snapshots/"
_BLOBS = "refs/ai/blobs/"
_COMMITS = "refs/ai/commits/"
_UPLOADS = "refs/ai/uploads"

Question = dict[str, Any]
Answer = dict[str, Any]


class NoAnswerError(Exception):
    """Why a question has no answer, as a word of `ObjectFault`."""


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer one question after the other, until the input ends."""
    _limit_resources()
    while len(header := requests.read(_LENGTH.size)) == _LENGTH.size:
        question = msgspec.msgpack.decode(requests.read(_LENGTH.unpack(header)[0]))
        _end_after(_CPU_SECONDS)
        answer = msgspec.msgpack.encode(_answer(question))
        _end_after(0)
        answers.write(_LENGTH.pack(len(answer)) + answer)
        answers.flush()


def _answer(question: Question) -> Answer:
    try:
        if question["ask"] == "stage":
            return _stage(question)
        repository = _repository_at(question["root"])
    except NoAnswerError as fault:
        return {"fault": str(fault)}
    except _FAULTS:
        return {"fault": "no_repository"}
    try:
        return _ANSWERS[question["ask"]](repository, question)
    except NoAnswerError as fault:
        return {"fault": str(fault)}
    except _FAULTS:
        writes = question["ask"] in ("write", "anchor", "forget")
        return {"fault": "not_writable" if writes else "unreadable"}


def _repository_at(root: str) -> pygit2.Repository:
    pygit2.settings.enable_fsync_gitdir(True)
    repository = pygit2.Repository(root, RepositoryOpenFlag.NO_SEARCH)
    workdir = repository.workdir
    place = repository.path if workdir is None else workdir
    if os.path.realpath(place) != root:
        raise NoAnswerError("no_repository")
    return repository


def _stage(question: Question) -> Answer:
    """Make a directory a repository whose index names the given files."""
    repository = pygit2.init_repository(question["root"])
    exclude = Path(repository.path) / "info/exclude"
    exclude.unlink(missing_ok=True)
    if question["exclude"] is not None:
        exclude.parent.mkdir(exist_ok=True)
        exclude.write_bytes(question["exclude"])
    index = repository.index
    # The index only has to name the files: their blobs are in the other repository.
    pygit2.settings.enable_strict_object_creation(False)
    try:
        for path, mode, blob in question["files"]:
            index.add(pygit2.IndexEntry(path, pygit2.Oid(hex=blob), FileMode(mode)))
        index.write()
    finally:
        pygit2.settings.enable_strict_object_creation(True)
    return {"ids": []}


def _write(repository: pygit2.Repository, question: Question) -> Answer:
    return {"ids": [str(repository.create_blob(data)) for data in question["blobs"]]}


def _anchor(repository: pygit2.Repository, question: Question) -> Answer:
    """Store a snapshot and keep what it needs, by one of the strategies of the document."""
    name, strategy = question["id"], question["strategy"]
    if _SNAPSHOTS + name in repository.references:
        raise NoAnswerError("exists")
    snapshot = repository.create_blob(question["json"])
    blobs = sorted(set(question["blobs"]))
    commit = question["commit"]
    if strategy == "refs":
        for each in blobs:
            _set_ref(repository, _BLOBS + each, each)
    elif strategy == "orphan":
        _upload(repository, name, [*blobs, str(snapshot)])
    elif strategy == "pack":
        _pack(repository, name, [*blobs, str(snapshot)])
    if commit is not None and strategy != "mark":
        _set_ref(repository, _COMMITS + commit, commit)
    # Last: a snapshot whose ref is there has everything that it needs.
    repository.references.create(_SNAPSHOTS + name, snapshot)
    return {"id": str(snapshot)}


def _set_ref(repository: pygit2.Repository, name: str, target: str) -> None:
    if name not in repository.references:
        try:
            repository.references.create(name, pygit2.Oid(hex=target))
        except pygit2.AlreadyExistsError:
            return


def _upload(repository: pygit2.Repository, name: str, blobs: Iterable[str]) -> None:
    """Commit blobs on the branch of uploads, which has no parent but itself."""
    builder = repository.TreeBuilder()
    for each in blobs:
        builder.insert(each, pygit2.Oid(hex=each), FileMode.BLOB)
    actor = pygit2.Signature("Sightline", "snapshots@sightline.invalid", 0, 0)
    parents = []
    if _UPLOADS in repository.references:
        parents = [repository.references[_UPLOADS].target]
    commit = repository.create_commit(
        None, actor, actor, f"snapshot {name}\n", builder.write(), parents
    )
    if parents:
        repository.references[_UPLOADS].set_target(commit)
    else:
        repository.references.create(_UPLOADS, commit)


def _pack(repository: pygit2.Repository, name: str, blobs: Iterable[str]) -> None:
    """Write blobs into a pack of their own that git keeps."""
    builder = pygit2.PackBuilder(repository)
    for each in blobs:
        builder.add(pygit2.Oid(hex=each))
    folder = Path(repository.path) / "objects/pack"
    if not folder.is_dir():
        raise NoAnswerError("not_writable")
    before = {each.name for each in folder.glob("pack-*.pack")}
    builder.write(str(folder))
    for made in sorted(folder.glob("pack-*.pack")):
        if made.name not in before:
            made.with_suffix(".keep").write_text(f"context snapshot {name}\n", encoding="ascii")


def _list(repository: pygit2.Repository, _: Question) -> Answer:
    found = []
    for reference in repository.references.iterator():
        name = reference.name
        if name.startswith(_SNAPSHOTS):
            blob = repository.get(reference.target)
            data = blob.data if isinstance(blob, pygit2.Blob) else None
            found.append([name.removeprefix(_SNAPSHOTS), str(reference.target), data])
    return {"snapshots": sorted(found)}


def _read(repository: pygit2.Repository, question: Question) -> Answer:
    """Return the data of blobs, each None where it is missing or not what its id says."""
    data = []
    for each in question["ids"]:
        found = None
        try:
            blob = repository.get(pygit2.Oid(hex=each))
            if isinstance(blob, pygit2.Blob) and str(pygit2.hash(blob.data)) == each:
                found = blob.data
        except _FAULTS:
            found = None
        data.append(found)
    return {"data": data}


def _tree(repository: pygit2.Repository, question: Question) -> Answer:
    """Return every file of a commit: path, mode and blob."""
    try:
        commit = repository[pygit2.Oid(hex=question["commit"])].peel(pygit2.Commit)
    except _FAULTS:
        raise NoAnswerError("missing") from None
    files: list[list[Any]] = []
    pending = [("", commit.tree)]
    while pending:
        folder, tree = pending.pop()
        for entry in tree:
            path = f"{folder}{entry.name}"
            if isinstance(entry, pygit2.Tree):
                pending.append((f"{path}/", entry))
            elif entry.type == ObjectType.BLOB:
                files.append([path, int(entry.filemode), str(entry.id)])
    return {"files": sorted(files)}


def _forget(repository: pygit2.Repository, question: Question) -> Answer:
    """Remove snapshots, and the anchors that no other snapshot needs."""
    for each in question["ids"]:
        if _SNAPSHOTS + each in repository.references:
            repository.references.delete(_SNAPSHOTS + each)
        for keep in (Path(repository.path) / "objects/pack").glob("pack-*.keep"):
            if keep.read_bytes() == f"context snapshot {each}\n".encode("ascii"):
                keep.unlink()
    needed = set(question["needed"])
    removed = 0
    for prefix in (_BLOBS, _COMMITS):
        for name in [each for each in repository.references if each.startswith(prefix)]:
            if name.removeprefix(prefix) not in needed:
                repository.references.delete(name)
                removed += 1
    is_empty = not any(each.startswith(_SNAPSHOTS) for each in repository.references)
    if is_empty and _UPLOADS in repository.references:
        repository.references.delete(_UPLOADS)
        removed += 1
    return {"removed": removed}


_ANSWERS: dict[str, Callable[[pygit2.Repository, Question], Answer]] = {
    "write": _write,
    "anchor": _anchor,
    "list": _list,
    "read": _read,
    "tree": _tree,
    "forget": _forget,
}


def _limit_resources() -> None:
    try:
        import resource
    except ImportError:
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = _MEMORY_LIMIT_BYTES if hard == resource.RLIM_INFINITY else min(hard, _MEMORY_LIMIT_BYTES)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end_after(seconds: float) -> None:
    """Let the system end this process after so much CPU time, even inside libgit2."""
    try:
        from signal import ITIMER_PROF, setitimer
    except ImportError:
        return
    setitimer(ITIMER_PROF, seconds)


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
