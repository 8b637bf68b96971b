"""The process that asks libgit2 for histories, diffs and old versions of files.

It is started as a script by `git_history` and can be killed at any moment. One question has ten
seconds of CPU time and 320 MB of memory.

A message is a length and that many bytes of MessagePack: a map with `ask`, `root` and what the
question needs. The answer has `fault`, or the fields of the structs in `git_history`.

Invariants: it writes nothing and logs nothing; it ends with its parent, by end of input when idle
and by its own timer when busy. libgit2 runs no program that a repository configures. The work tree
is exactly the root; owner validation stays on, no directory above the root is searched, and no
setting of the user's is used.
"""

from __future__ import annotations

import datetime
import os
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import msgspec
import pygit2
from pygit2.enums import (
    ConfigLevel,
    DeltaStatus,
    DiffFind,
    DiffOption,
    FileMode,
    FileStatus,
    RepositoryOpenFlag,
    SortMode,
)

_LENGTH = struct.Struct("<I")
_CPU_SECONDS = 10.0
_MEMORY_LIMIT_BYTES = 320 << 20
_WINDOW_BYTES = 16 << 20
_MAPPED_BYTES = 128 << 20
"""What libgit2 maps of packs, however large they are."""
_LARGEST_PATCH = 2 << 20
_LARGEST_DIFF = 48 << 20
_MOST_FILES = 20_000
_MOST_COMMITS = 10_000
_OVERLAY = Path(__file__).parent / "isolated.gitconfig"
_FAULTS = (pygit2.GitError, OSError, ValueError, KeyError, TypeError)

_STAGED = (
    FileStatus.INDEX_NEW
    | FileStatus.INDEX_MODIFIED
    | FileStatus.INDEX_DELETED
    | FileStatus.INDEX_RENAMED
    | FileStatus.INDEX_TYPECHANGE
)
_UNSTAGED = (
    FileStatus.WT_MODIFIED
    | FileStatus.WT_DELETED
    | FileStatus.WT_RENAMED
    | FileStatus.WT_TYPECHANGE
)

Question = dict[str, Any]
Answer = dict[str, Any]


class FaultError(Exception):
    """Why a question has no answer, as a word of `GitFault`."""


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer one question after the other, until the input ends."""
    _limit_resources()
    pygit2.settings.mwindow_size = _WINDOW_BYTES
    pygit2.settings.mwindow_mapped_limit = _MAPPED_BYTES
    while len(header := requests.read(_LENGTH.size)) == _LENGTH.size:
        question = msgspec.msgpack.decode(requests.read(_LENGTH.unpack(header)[0]))
        _end_after(_CPU_SECONDS)
        answer = msgspec.msgpack.encode(_answer(question))
        _end_after(0)
        answers.write(_LENGTH.pack(len(answer)) + answer)
        answers.flush()


def _answer(question: Question) -> Answer:
    try:
        repository = _repository_at(question["root"])
        return _ANSWERS[question["ask"]](repository, question)
    except FaultError as fault:
        return {"fault": str(fault)}
    except _FAULTS:
        return {"fault": "unreadable"}


def _repository_at(root: str) -> pygit2.Repository:
    try:
        repository = pygit2.Repository(root, RepositoryOpenFlag.NO_SEARCH)
    except _FAULTS:
        raise FaultError("no_repository") from None
    workdir = repository.workdir
    if workdir is None or os.path.realpath(workdir) != root:
        raise FaultError("no_repository")
    repository.config.add_file(str(_OVERLAY), ConfigLevel.APP)
    return repository


def _head(repository: pygit2.Repository, _: Question) -> Answer:
    if repository.head_is_unborn:
        reference = repository.references["HEAD"]
        target = reference.raw_target
        name = target.decode("utf-8", "replace") if isinstance(target, bytes) else ""
        return {"branch": name.removeprefix("refs/heads/"), "commit": None, "is_detached": False}
    commit = str(repository.head.target)
    if repository.head_is_detached:
        return {"branch": commit, "commit": commit, "is_detached": True}
    return {"branch": repository.head.shorthand, "commit": commit, "is_detached": False}


def _log(repository: pygit2.Repository, question: Question) -> Answer:
    revision = question["revision"]
    if revision == "HEAD" and repository.head_is_unborn:
        return {"commits": []}
    wanted = min(question["count"], _MOST_COMMITS)
    commits: list[Answer] = []
    if wanted > 0:
        walk = repository.walk(_commit(repository, revision).id, SortMode.TIME)
        # A shallow clone ends where the parent of a commit is missing.
        for commit in _until_fault(walk):
            commits.append(_commit_info(commit))
            if len(commits) >= wanted:
                break
    return {"commits": commits}


def _until_fault(walk: Iterator[pygit2.Commit]) -> Iterator[pygit2.Commit]:
    while True:
        try:
            commit = next(walk)
        except (StopIteration, *_FAULTS):
            return
        yield commit


def _commit_info(commit: pygit2.Commit) -> Answer:
    author = commit.author
    zone = datetime.timezone(datetime.timedelta(minutes=author.offset))
    try:
        date = datetime.datetime.fromtimestamp(author.time, zone).isoformat()
    except (OverflowError, ValueError, OSError):
        date = ""
    message = commit.raw_message.decode("utf-8", "replace")
    return {
        "hash": str(commit.id),
        "short_hash": commit.short_id,
        "message": message.lstrip().partition("\n")[0].strip(),
        "author": author.raw_name.decode("utf-8", "replace"),
        "date": date,
        "body": message,
        "parents": [str(each) for each in commit.parent_ids],
    }


def _changes(repository: pygit2.Repository, question: Question) -> Answer:
    """Return which files each of the last commits changed, merges and first commits left out."""
    if repository.head_is_unborn:
        return {"commits": []}
    wanted = min(question["count"], _MOST_COMMITS)
    changed: list[Answer] = []
    walk = repository.walk(_commit(repository, question["revision"]).id, SortMode.TIME)
    for commit in _until_fault(walk):
        if len(changed) >= wanted:
            break
        if len(commit.parent_ids) != 1:
            continue
        parent = repository.get(commit.parent_ids[0])
        if parent is None:
            # A shallow clone ends here.
            break
        difference = parent.tree.diff_to_tree(commit.tree, context_lines=0, interhunk_lines=0)
        paths = [_path(delta.new_file.raw_path) for delta in difference.deltas]
        if len(paths) <= _MOST_FILES:
            changed.append({"author": commit.author.raw_email.hex(), "paths": paths})
    return {"commits": changed}


def _diff(repository: pygit2.Repository, question: Question) -> Answer:
    if question["base"] == "HEAD" and question["head"] is None and repository.head_is_unborn:
        return {"files": _first_files(repository), "left_out": 0}
    _require_quiet(repository)
    base = _tree(repository, question["base"])
    options = DiffOption.INCLUDE_TYPECHANGE | DiffOption.INDENT_HEURISTIC
    lines = question["context_lines"]
    if question["head"] is not None:
        head = _tree(repository, question["head"])
        diff = base.diff_to_tree(head, options, lines)
    else:
        index = repository.index
        diff = base.diff_to_index(index, options, lines)
        if not question["is_staged"]:
            # What `git diff COMMIT` compares: the work tree, as far as the index knows it.
            diff.merge(index.diff_to_workdir(options, lines))
    diff.find_similar(DiffFind.FIND_RENAMES)
    _require_quiet(repository, [_path(delta.new_file.raw_path) for delta in diff.deltas])
    files: list[Answer] = []
    size = 0
    for number, delta in enumerate(diff.deltas):
        if number >= _MOST_FILES:
            break
        try:
            patch = diff[number]
        except _FAULTS:
            # A partial clone lacks the contents of some files.
            files.append(_described(delta))
            continue
        if patch is None:
            continue
        changed = _changed_file(patch, _LARGEST_DIFF - size)
        size += len(changed["patch"])
        files.append(changed)
    return {"files": files, "left_out": max(0, len(diff) - _MOST_FILES)}


def _first_files(repository: pygit2.Repository) -> list[Answer]:
    """Return what is staged where there is no commit yet: every file is new."""
    files = []
    for entry in list(repository.index)[:_MOST_FILES]:
        blob = repository.get(entry.id)
        data = blob.data if isinstance(blob, pygit2.Blob) else b""
        is_binary = b"\0" in data[:8000]
        lines = 0 if is_binary else data.count(b"\n") + (not data.endswith(b"\n") and data != b"")
        patch = pygit2.Patch.create_from(b"", data, new_as_path=entry.path)
        files.append(
            {
                "status": "added",
                "old_path": entry.path,
                "path": entry.path,
                "old_mode": 0,
                "mode": int(entry.mode),
                "is_binary": is_binary,
                "is_submodule": entry.mode == FileMode.COMMIT,
                "insertions": lines,
                "deletions": 0,
                "hunks": [[0, 0, 1, lines]] if lines else [],
                "patch": patch.data if len(patch.data) <= _LARGEST_PATCH else b"",
                "is_long": len(patch.data) > _LARGEST_PATCH,
            }
        )
    return files


def _changed_file(patch: pygit2.Patch, room: int) -> Answer:
    text = patch.data
    _, insertions, deletions = patch.line_stats
    is_long = len(text) > min(_LARGEST_PATCH, room)
    return {
        **_described(patch.delta),
        "is_binary": bool(patch.delta.is_binary),
        "insertions": insertions,
        "deletions": deletions,
        "hunks": [
            [each.old_start, each.old_lines, each.new_start, each.new_lines] for each in patch.hunks
        ],
        "patch": b"" if is_long else text,
        "is_long": is_long,
    }


def _described(delta: pygit2.DiffDelta) -> Answer:
    """Return what is known of a changed file without its contents."""
    return {
        "status": _STATUSES.get(delta.status, "modified"),
        "old_path": _path(delta.old_file.raw_path),
        "path": _path(delta.new_file.raw_path),
        "old_mode": int(delta.old_file.mode),
        "mode": int(delta.new_file.mode),
        "is_binary": False,
        "is_submodule": FileMode.COMMIT in (delta.old_file.mode, delta.new_file.mode),
        "insertions": 0,
        "deletions": 0,
        "hunks": [],
        "patch": b"",
        "is_long": True,
    }


_STATUSES = {
    DeltaStatus.ADDED: "added",
    DeltaStatus.UNTRACKED: "added",
    DeltaStatus.COPIED: "added",
    DeltaStatus.DELETED: "deleted",
    DeltaStatus.RENAMED: "renamed",
    DeltaStatus.TYPECHANGE: "modified",
}


def _show(repository: pygit2.Repository, question: Question) -> Answer:
    """Return the bytes of a file at a revision; of the index where the revision is empty."""
    path = question["path"]
    if question["revision"] == "":
        try:
            found: Any = repository[repository.index[path].id]
        except KeyError:
            raise FaultError("no_path") from None
    else:
        try:
            found = _tree(repository, question["revision"])[path]
        except KeyError:
            raise FaultError("no_path") from None
    if not isinstance(found, pygit2.Blob):
        raise FaultError("no_path")
    if found.size > question["limit"]:
        raise FaultError("too_large")
    return {"data": found.data, "id": str(found.id)}


def _merge_base(repository: pygit2.Repository, question: Question) -> Answer:
    one, other = (_commit(repository, question[each]).id for each in ("one", "other"))
    found = repository.merge_base(one, other)
    if found is None:
        raise FaultError("no_merge_base")
    return {"commit": str(found)}


def _status(repository: pygit2.Repository, question: Question) -> Answer:
    _require_quiet(repository)
    staged, unstaged, untracked = [], [], []
    for path, flags in sorted(repository.status(untracked_files="all").items()):
        if flags & _STAGED:
            staged.append(path)
        if flags & _UNSTAGED:
            unstaged.append(path)
        if flags & FileStatus.WT_NEW:
            untracked.append(path)
    head = _head(repository, question)
    ahead, behind = _distance(repository)
    return {
        "staged": staged[:_MOST_FILES],
        "unstaged": unstaged[:_MOST_FILES],
        "untracked": untracked[:_MOST_FILES],
        "branch": head["branch"],
        "ahead": ahead,
        "behind": behind,
    }


def _require_quiet(repository: pygit2.Repository, paths: Sequence[str] | None = None) -> None:
    """Raise `FaultError` if libgit2 would wait for a pipe in the work tree, or below folders."""
    # Only these questions need it: importing the room takes longer than most answers.
    from sightline.workspace.git_work_tree import are_quiet, is_quiet

    root = repository.workdir
    if not (is_quiet(root) if paths is None else are_quiet(root, paths)):
        raise FaultError("unreadable")


def _distance(repository: pygit2.Repository) -> tuple[int, int]:
    """Return how many commits the branch is ahead of its upstream, and behind it."""
    try:
        branch = repository.branches.local[repository.head.shorthand]
        # Without an upstream the attribute is None, and this one is missing.
        return repository.ahead_behind(branch.target, branch.upstream.target)
    except (*_FAULTS, AttributeError):
        return 0, 0


def _commit(repository: pygit2.Repository, revision: str) -> pygit2.Commit:
    try:
        return repository.revparse_single(revision).peel(pygit2.Commit)
    except _FAULTS:
        raise FaultError("no_revision") from None


def _tree(repository: pygit2.Repository, revision: str) -> pygit2.Tree:
    try:
        return repository.revparse_single(revision).peel(pygit2.Tree)
    except _FAULTS:
        raise FaultError("no_revision") from None


def _path(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape").encode("utf-8", "replace").decode("utf-8")


_ANSWERS: dict[str, Callable[[pygit2.Repository, Question], Answer]] = {
    "head": _head,
    "log": _log,
    "changes": _changes,
    "diff": _diff,
    "show": _show,
    "merge_base": _merge_base,
    "status": _status,
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
