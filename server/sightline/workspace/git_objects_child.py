"""The process that reads and writes objects and refs of a repository for context snapshots.

It is started as a script by `git_objects` and can be killed at any moment: an object is written
whole or not at all, and the ref of a snapshot is written last.

A message is a length and that many bytes of MessagePack, as in `git_history_child`.

Invariants: nothing is written but objects and refs below `refs/ai/`; nothing is pushed; no hook
and no program that the repository configures runs. Owner validation stays on, no directory above
the root is searched.
"""

from __future__ import annotations

import contextlib
import os
import re
import struct
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import msgspec
import pygit2
from pygit2.enums import ConfigLevel, FileMode, ObjectType, RepositoryOpenFlag
from pygit2.ffi import C

_LENGTH = struct.Struct("<I")
_CPU_SECONDS = 60.0
_REMOVING_SECONDS = 600.0
_MEMORY_LIMIT_BYTES = 320 << 20
_WINDOW_BYTES = 16 << 20
_MAPPED_BYTES = 128 << 20
"""What libgit2 maps of packs, however large they are."""
_FAULTS = (pygit2.GitError, OSError, ValueError, KeyError, TypeError)
_SNAPSHOTS = "refs/ai/snapshots/"
_BLOBS = "refs/ai/blobs/"
_COMMITS = "refs/ai/commits/"
_MARKS = "refs/ai/marks/"
_UPLOADS = "refs/ai/uploads"
_ASSUMED_UNCHANGED = 0x8000
_NOT_CHECKED_OUT = 0x4000
_LOCK_TRIES = 60
_ALONE_TRIES = 1200
_LOCK_SECONDS = 0.05
_STALE_LOCK_SECONDS = 60.0

_SURROGATE = re.compile("[\ud800-\udfff]")
_FALSE = ("false", "no", "off", "0", "")
_OVERLAY = Path(__file__).parent / "isolated.gitconfig"

_ACTOR = pygit2.Signature("Sightline", "snapshots@sightline.invalid", 0, 0)

Question = dict[str, Any]
Answer = dict[str, Any]


class NoAnswerError(Exception):
    """Why a question has no answer, as a word of `ObjectFault`."""


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer one question after the other, until the input ends."""
    _limit_resources()
    pygit2.settings.mwindow_size = _WINDOW_BYTES
    pygit2.settings.mwindow_mapped_limit = _MAPPED_BYTES
    while len(header := requests.read(_LENGTH.size)) == _LENGTH.size:
        question = msgspec.msgpack.decode(requests.read(_LENGTH.unpack(header)[0]))
        removes = question["ask"] in ("collect", "forget")
        _end_after(_REMOVING_SECONDS if removes else _CPU_SECONDS)
        answer = msgspec.msgpack.encode(_answer(question))
        _end_after(0)
        answers.write(_LENGTH.pack(len(answer)) + answer)
        answers.flush()


def _answer(question: Question) -> Answer:
    try:
        if question["ask"] == "stage":
            # Only this question needs it: importing the room takes longer than most answers.
            from sightline.workspace.git_staging import stage

            return stage(question)
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
        writes = question["ask"] in ("write", "anchor", "forget", "collect")
        return {"fault": "not_writable" if writes else "unreadable"}


def _repository_at(root: str) -> pygit2.Repository:
    pygit2.settings.enable_fsync_gitdir(True)
    repository = pygit2.Repository(root, RepositoryOpenFlag.NO_SEARCH)
    workdir = repository.workdir
    place = repository.path if workdir is None else workdir
    if os.path.realpath(place) != root:
        raise NoAnswerError("no_repository")
    return repository


def _write(repository: pygit2.Repository, question: Question) -> Answer:
    return {"ids": [str(repository.create_blob(data)) for data in question["blobs"]]}


def _anchor(repository: pygit2.Repository, question: Question) -> Answer:
    """Store a snapshot and keep what it needs, by one of the strategies of the document."""
    with _alone(_common_folder(repository)):
        return {"id": _anchored(repository, question)}


def _anchored(repository: pygit2.Repository, question: Question) -> str:
    name, strategy, commit = question["id"], question["strategy"], question["commit"]
    if _SNAPSHOTS + name in repository.references:
        raise NoAnswerError("exists")
    blobs = sorted(set(question["blobs"]))
    if any(pygit2.Oid(hex=each) not in repository for each in blobs):
        raise NoAnswerError("missing")
    snapshot = str(repository.create_blob(question["json"]))
    if strategy == "refs":
        for each in blobs:
            _set_ref(repository, _BLOBS + each, each)
    elif strategy == "orphan":
        _upload(repository, name, [*blobs, snapshot])
    elif strategy == "pack":
        _pack(repository, name, [*blobs, snapshot])
    else:
        _set_ref(repository, _MARKS + name, snapshot)
    if commit is not None and strategy != "mark":
        _set_ref(repository, _COMMITS + commit, commit)
    # Last: a snapshot whose ref is there has everything that it needs.
    _set_ref(repository, _SNAPSHOTS + name, snapshot)
    return snapshot


def _set_ref(repository: pygit2.Repository, name: str, target: str) -> None:
    """Let a ref lead to an object, whatever it led to before."""
    known = repository.references.get(name)
    if known is not None and str(known.target) == target:
        return
    _while_locked(
        repository,
        name,
        lambda: repository.references.create(name, pygit2.Oid(hex=target), force=True),
    )


def _while_locked(repository: pygit2.Repository, name: str, change: Callable[[], object]) -> None:
    """Change a ref; wait for another writer, and remove a lock that a killed one left long ago."""
    lock = _common_folder(repository) / f"{name}.lock"
    for _ in range(_LOCK_TRIES):
        try:
            change()
        except pygit2.GitError:
            try:
                age = time.time() - lock.stat().st_mtime
            except FileNotFoundError:
                age = 0.0
            if age > _STALE_LOCK_SECONDS:
                lock.unlink(missing_ok=True)
            time.sleep(_LOCK_SECONDS)
        else:
            return
    raise NoAnswerError("locked" if lock.exists() else "not_writable")


def _common_folder(repository: pygit2.Repository) -> Path:
    """Return the directory of objects and refs, which all worktrees share."""
    folder = Path(repository.path)
    try:
        shared = (folder / "commondir").read_text("utf-8").strip()
    except FileNotFoundError:
        return folder
    return (folder / shared).resolve()


def _upload(repository: pygit2.Repository, name: str, blobs: Iterable[str]) -> None:
    """Commit blobs on the branch of uploads, which has no parent but itself."""
    builder = repository.TreeBuilder()
    for each in blobs:
        builder.insert(each, pygit2.Oid(hex=each), FileMode.BLOB)
    tree = builder.write()
    label = _label(name).decode("ascii")

    def commit(parents: list[pygit2.Oid]) -> pygit2.Oid:
        return repository.create_commit(None, _ACTOR, _ACTOR, label, tree, parents)

    def append() -> None:
        reference = repository.references.get(_UPLOADS)
        if reference is None:
            repository.references.create(_UPLOADS, commit([]))
        else:
            # It fails where another writer was faster, and the next try sees that one's commit.
            reference.set_target(commit([pygit2.Oid(hex=str(reference.target))]))

    _while_locked(repository, _UPLOADS, append)


def _pack(repository: pygit2.Repository, name: str, blobs: Iterable[str]) -> None:
    """Write blobs into a pack of their own that git keeps."""
    builder = pygit2.PackBuilder(repository)
    for each in blobs:
        builder.add(pygit2.Oid(hex=each))
    folder = _common_folder(repository) / "objects/pack"
    if not folder.is_dir():
        raise NoAnswerError("not_writable")
    before = {each.name for each in folder.glob("pack-*.pack")}
    builder.write(str(folder))
    for made in sorted(folder.glob("pack-*.pack")):
        if made.name not in before:
            made.with_suffix(".keep").write_bytes(_label(name))


def _label(name: str) -> bytes:
    """Return what marks a pack or a commit as that of a snapshot."""
    return f"context snapshot {name}\n".encode("ascii")


def _kept(repository: pygit2.Repository, question: Question) -> Answer:
    """Return which objects of a snapshot stock git may prune, and which refs lead elsewhere."""
    # Only the questions about keeping need it: importing the room takes longer than most answers.
    from sightline.workspace.git_keeping import kept_objects

    commit = question["commit"]
    files = set()
    if commit is not None and _COMMITS + commit in repository.references:
        files = {each for _, _, each in _files_below(repository, commit)}
    folder = _common_folder(repository)
    unkept, wrong, is_marked = kept_objects(
        repository, folder, question["name"], {*question["ids"]}, commit, files
    )
    return {"unkept": unkept, "wrong": wrong, "is_marked": is_marked}


def _list(repository: pygit2.Repository, question: Question) -> Answer:
    found = []
    wanted = _SNAPSHOTS + question["prefix"]
    # Reading by type and data is twice as fast as making an object of each.
    database = repository.odb
    for reference in repository.references.iterator():
        name = reference.name
        if name.startswith(wanted):
            target = reference.target
            try:
                kind, data = database.read(pygit2.Oid(hex=str(target)))
                content = data if kind == ObjectType.BLOB else None
            except _FAULTS:
                content = None
            found.append([name[len(_SNAPSHOTS) :], str(target), content])
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
    return {"files": sorted(_files_below(repository, question["commit"]))}


def _work_tree(repository: pygit2.Repository, _: Question) -> Answer:
    """Return the commit that is checked out, its files, and how the disk and the index differ."""
    repository.config.add_file(str(_OVERLAY), ConfigLevel.APP)
    commit = None if repository.head_is_unborn else str(repository.head.peel(pygit2.Commit).id)
    files = sorted(_files_below(repository, commit)) if commit is not None else []
    if repository.is_bare:
        nothing = dict.fromkeys(("changed", "added", "removed", "tracked", "unseen"), ())
        return {"commit": commit, "files": files, **nothing}
    from sightline.workspace.git_work_tree import is_quiet

    if not is_quiet(repository.workdir):
        raise NoAnswerError("unreadable")
    tracked, changed = _tracked(repository)
    changed |= {*repository.status(untracked_files="all")}
    root = repository.workdir
    database = repository.odb
    unseen: set[str] = set()
    for path, _, blob in files:
        size = _size_of(database, blob)
        if size is None:
            unseen.add(blob)
        if size is None or size != _size_on_disk(root, path):
            changed.add(path)
    committed = {path for path, _, _ in files}
    return {
        "commit": commit,
        "files": files,
        "changed": _readable(changed),
        "added": _readable(tracked - committed),
        "removed": _readable(committed - tracked),
        "tracked": _readable(tracked),
        "unseen": sorted(unseen),
    }


def _tracked(repository: pygit2.Repository) -> tuple[set[str], set[str]]:
    """Return the paths of the index, and those of them that git was told not to look at."""
    tracked, unseen = set(), set()
    entries = repository.index
    for number, each in enumerate(entries):
        if each.mode != FileMode.COMMIT:
            tracked.add(each.path)
            # pygit2 has no name for the flags of an entry.
            entry = C.git_index_get_byindex(entries._index, number)
            if entry.flags & _ASSUMED_UNCHANGED or entry.flags_extended & _NOT_CHECKED_OUT:
                unseen.add(each.path)
    return tracked, unseen


def _readable(paths: Iterable[str]) -> list[str]:
    """Return paths in order; one that is not UTF-8 is never visible."""
    return sorted(each for each in paths if _is_readable(each))


def _is_readable(path: str) -> bool:
    return path.isascii() or not _SURROGATE.search(path)


def _size_of(database: pygit2.Odb, blob: str) -> int | None:
    """Return the size of a blob; None in a partial clone that was not asked for it yet."""
    try:
        found: tuple[int, int] = database.read_header(pygit2.Oid(hex=blob))
    except KeyError:
        return None
    return found[1]


def _size_on_disk(root: str, path: str) -> int | None:
    """Return the size of a file; None if it is not there.

    A file of another size than its blob may be unchanged to git: without its line ends, or where
    git was told not to look.
    """
    try:
        return os.lstat(root + path).st_size
    except OSError:
        return None


def _files_below(repository: pygit2.Repository, name: str) -> list[list[Any]]:
    """Return the files of a commit, submodules aside."""
    try:
        commit = repository[pygit2.Oid(hex=name)].peel(pygit2.Commit)
        files: list[list[Any]] = []
        pending = [("", commit.tree)]
        while pending:
            folder, tree = pending.pop()
            for entry in tree:
                path = f"{folder}{entry.name}"
                if isinstance(entry, pygit2.Tree):
                    pending.append((f"{path}/", entry))
                elif entry.type == ObjectType.BLOB and _is_readable(path):
                    files.append([path, int(entry.filemode), str(entry.id)])
    except _FAULTS:
        raise NoAnswerError("missing") from None
    return files


def _forget(repository: pygit2.Repository, question: Question) -> Answer:
    """Remove snapshots, and the anchors that no other snapshot needs."""
    from sightline.workspace.git_keeping import forget_snapshots

    folder = _common_folder(repository)
    with _alone(folder):
        _check_known(repository, question)
        removed = forget_snapshots(repository, folder, question["ids"], {*question["needed"]})
        return {"removed": removed}


def _collect(repository: pygit2.Repository, question: Question) -> Answer:
    """Remove loose objects that neither git nor a snapshot needs, and that are old enough."""
    from sightline.workspace.git_keeping import DamagedError, collect_objects

    folder = _common_folder(repository)
    if _is_set(repository, "extensions.preciousObjects"):
        raise NoAnswerError("precious")
    with _alone(folder):
        _check_known(repository, question)
        try:
            removed, kept = collect_objects(
                repository,
                folder,
                question["needed"],
                question["seconds"],
                is_trial=question["is_trial"],
            )
        except DamagedError:
            raise NoAnswerError("damaged") from None
    return {"removed": removed, "kept": kept}


def _is_set(repository: pygit2.Repository, name: str) -> bool:
    values = [str(each) for each in repository.config.get_multivar(name)]
    return any(each.strip().lower() not in _FALSE for each in values)


def _check_known(repository: pygit2.Repository, question: Question) -> None:
    """End the question if there is a snapshot of which the asker did not know what it needs."""
    known = {*question["known"]}
    if any(each not in known for each in _names_of_snapshots(repository)):
        raise NoAnswerError("changed")


def _names_of_snapshots(repository: pygit2.Repository) -> list[str]:
    return [
        each.removeprefix(_SNAPSHOTS)
        for each in repository.references
        if each.startswith(_SNAPSHOTS)
    ]


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let no other process change snapshots meanwhile. The system ends it with this process.

    Without it, one process could remove an anchor that another one just found to be there.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    descriptor = os.open(folder / "objects", os.O_RDONLY)
    try:
        for _ in range(_ALONE_TRIES):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(_LOCK_SECONDS)
            except OSError:
                # A file system without such locks.
                break
            else:
                break
        else:
            raise NoAnswerError("locked")
        yield
    finally:
        os.close(descriptor)


_ANSWERS: dict[str, Callable[[pygit2.Repository, Question], Answer]] = {
    "write": _write,
    "anchor": _anchor,
    "list": _list,
    "read": _read,
    "tree": _tree,
    "work_tree": _work_tree,
    "kept": _kept,
    "forget": _forget,
    "collect": _collect,
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
