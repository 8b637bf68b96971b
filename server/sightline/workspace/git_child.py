"""The process that asks libgit2 which paths of a work tree are ignored.

`git_ignores` starts it as a script and may kill it at any moment. libgit2 backtracks in patterns,
and opens whatever is at the place of a file that it expects. So a workspace could keep it busy for
ever: one question may take a second of CPU time.

A message is a length and that many bytes, separated by NUL: the kind of question, the root, a
generation, and the paths; those of directories end with a `/`. The answer to `ignored` has one byte
for each path, `1` if it is ignored. The answer to `tracked` has the paths in git's index, each
after a NUL; this question may take ten seconds of CPU time. Both answers are empty if there is no
repository, or no index that libgit2 can read.

Invariants: it writes nothing and logs nothing. It ends with its parent: by end of input when idle,
and by its own timer when busy. The repository's work tree is exactly the root; owner validation
stays on, no directory above the root is searched, and no setting of the user is used.
"""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path
from typing import IO

import pygit2
from pygit2.enums import ConfigLevel, FileMode, RepositoryOpenFlag

_LENGTH = struct.Struct("<I")
_CPU_SECONDS = 1.0
_INDEX_CPU_SECONDS = 10.0
_MEMORY_LIMIT_BYTES = 320 << 20
_MOST_REPOSITORIES = 8
_OVERLAY = Path(__file__).parent / "isolated.gitconfig"
_FAULTS = (pygit2.GitError, OSError, ValueError, KeyError)


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Answer one question after another, until the input ends."""
    _limit_resources()
    repositories: dict[tuple[bytes, bytes], pygit2.Repository | None] = {}
    while len(header := requests.read(_LENGTH.size)) == _LENGTH.size:
        message = requests.read(_LENGTH.unpack(header)[0])
        what, root, generation, *subjects = message.split(b"\0")
        if what == b"tracked":
            _end_after(_INDEX_CPU_SECONDS)
            answer = _tracked(os.fsdecode(root))
        else:
            _end_after(_CPU_SECONDS)
            asked = (root, generation)
            if asked not in repositories:
                repositories[asked] = _repository_at(os.fsdecode(root))
                while len(repositories) > _MOST_REPOSITORIES:
                    del repositories[next(iter(repositories))]
            repository = repositories[asked]
            answer = b"" if repository is None else _answer(repository, subjects)
        _end_after(0)
        answers.write(_LENGTH.pack(len(answer)) + answer)
        answers.flush()


def _answer(repository: pygit2.Repository, subjects: list[bytes]) -> bytes:
    return b"".join(b"1" if _is_ignored(repository, each) else b"0" for each in subjects)


def _is_ignored(repository: pygit2.Repository, subject: bytes) -> bool:
    try:
        return repository.path_is_ignored(os.fsdecode(subject))
    except _FAULTS:
        return True


def _tracked(root: str) -> bytes:
    repository = _repository_at(root)
    if repository is None:
        return b""
    try:
        paths = [each.path for each in repository.index if each.mode != FileMode.COMMIT]
    except _FAULTS:
        return b""
    # An entry may occur several times, as the sides of a conflict.
    return b"".join(
        b"\0" + path.encode("utf-8", "surrogateescape") for path in dict.fromkeys(paths)
    )


def _repository_at(root: str) -> pygit2.Repository | None:
    try:
        repository = pygit2.Repository(root, RepositoryOpenFlag.NO_SEARCH)
        workdir = repository.workdir
        if workdir is None or os.path.realpath(workdir) != root:
            return None
        repository.config.add_file(str(_OVERLAY), ConfigLevel.APP)
    except _FAULTS:
        return None
    return repository


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
    """Make the system end this process after so much CPU time, even inside libgit2."""
    try:
        from signal import ITIMER_PROF, setitimer
    except ImportError:
        return
    setitimer(ITIMER_PROF, seconds)


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
