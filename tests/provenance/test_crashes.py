"""Writers that are killed, several at once, without room or without permission.

`--kills 500` kills more often than the twenty times of an ordinary run.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from sightline.engine.snapshot_items import GivenItem
from sightline.engine.snapshots import create_snapshot, list_snapshots, prune_snapshots
from sightline.refusals import Refusal
from sightline.workspace.git_objects import GitObjects, Retention
from tests.provenance.repository import ME, git, made, verify_snapshot

_WRITER = """
import sys
from pathlib import Path
from sightline.engine.snapshot_items import GivenItem
from sightline.engine.snapshots import create_snapshot, list_snapshots, prune_snapshots
from sightline.provenance import ActorRef
from sightline.refusals import Refusal
from sightline.workspace.git_objects import GitObjects

root, action, retention, count = Path(sys.argv[1]), *sys.argv[2:4], int(sys.argv[4])
print("ready", flush=True)
for number in range(count):
    if action == "prune":
        done = prune_snapshots(root, [each.name for each in list_snapshots(root).found[:1]])
    else:
        items = [GivenItem("snippet", f"{n}", f"{number} {n}".encode()) for n in range(5)]
        actor = ActorRef.human("ada")
        done = create_snapshot(GitObjects(root), items, created_by=actor, retention=retention)
    if isinstance(done, Refusal):
        sys.exit(done.sentence())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds the process in /proc")
def test_a_writer_that_is_killed_leaves_a_whole_snapshot_or_none(
    root: Path, request: pytest.FixtureRequest
) -> None:
    """At any moment, in every way of keeping; git and `verify` find nothing wrong after it."""
    retentions = [each.value for each in Retention]
    whole = 0
    for number in range(request.config.getoption("--kills")):
        chance = random.Random(number)
        before = _count(root)
        [process] = _processes_of(root)
        timer = threading.Timer(chance.random() * 0.03, os.kill, (process, signal.SIGKILL))
        texts = [f"{number} {each}" for each in range(chance.choice([2, 9, 30]))]
        items = [GivenItem("snippet", each, each.encode()) for each in texts]
        timer.start()
        create_snapshot(
            GitObjects(root), items, created_by=ME, retention=retentions[number % len(retentions)]
        )
        timer.join()
        git(root, "fsck", "--strict")
        assert _count(root) in (before, before + 1)
        whole += _count(root) - before
        _age_locks(root)
    _are_whole(root)
    assert whole < request.config.getoption("--kills")


def _processes_of(root: Path) -> list[int]:
    """Return the process that writes for this one, which is started by a question."""
    _count(root)
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    for task in Path("/proc/self/task").iterdir():
        children += (task / "children").read_text().split()
    return [
        int(each)
        for each in dict.fromkeys(children)
        if b"git_objects_child.py" in Path(f"/proc/{each}/cmdline").read_bytes()
    ]


def _age_locks(root: Path) -> None:
    """Let locks that were left look old, as they are when the next person comes."""
    long_ago = time.time() - 3600
    for lock in (root / ".git/refs/ai").rglob("*.lock"):
        os.utime(lock, (long_ago, long_ago))


def _count(root: Path) -> int:
    listed = list_snapshots(root)
    assert not isinstance(listed, Refusal)
    assert listed.unreadable == ()
    return len(listed.found)


def _are_whole(root: Path) -> None:
    """Check that nothing is missing of any snapshot, and that stock git keeps it."""
    listed = list_snapshots(root)
    assert not isinstance(listed, Refusal)
    for info in listed.found:
        check = verify_snapshot(root, info)
        assert not isinstance(check, Refusal)
        assert (check.missing, check.differences) == ((), ())
    git(root, "fsck", "--strict")


def test_writers_at_once_lose_nothing(root: Path) -> None:
    """Two store the same texts while a third removes what the oldest snapshot alone needs."""
    made(root, GivenItem("snippet", "note", b"first"))
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(root), action, retention, "12"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for action, retention in (("create", "refs"), ("create", "orphan"), ("prune", "refs"))
    ]
    for each in writers:
        _, problem = each.communicate(timeout=300)
        assert (each.returncode, problem) == (0, b"")
    assert 1 <= _count(root) <= 25
    _are_whole(root)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_without_room_nothing_is_stored(root: Path) -> None:
    """No byte can be written: the answer is a refusal, and the repository is as it was."""
    script = (
        "import resource\n"
        "hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script + _WRITER, str(root), "create", "refs", "1"],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert b"cannot be written" in done.stderr
    assert b"Traceback" not in done.stderr
    assert git(root, "for-each-ref", "refs/ai") == ""
    git(root, "fsck", "--strict")


def test_a_store_that_cannot_be_written_is_read(root: Path) -> None:
    """A directory that is a file stands for one without permission, which root ignores."""
    info = made(root, GivenItem("snippet", "note", b"kept"))
    git(root, "gc", "-q")
    place = root / ".git/refs/ai/snapshots"
    place.parent.mkdir(exist_ok=True)
    if place.exists():
        place.rmdir()
    place.write_bytes(b"")
    refused = create_snapshot(
        GitObjects(root), [GivenItem("snippet", "note", b"more")], created_by=ME
    )
    assert isinstance(refused, Refusal)
    assert refused.reason == "not_writable"
    place.unlink()
    check = verify_snapshot(root, info)
    assert not isinstance(check, Refusal)
    assert (check.missing, check.differences) == ((), ())


def test_a_snapshot_that_another_process_does_not_know_is_not_pruned(root: Path) -> None:
    """What a snapshot needs is looked up anew if one was stored meanwhile."""
    known = made(root, GivenItem("snippet", "note", b"one"))
    other = made(root, GivenItem("snippet", "note", b"two"))
    name = known.snapshot.object_id
    assert GitObjects(root).forget([name], (), []) == "changed"
    assert prune_snapshots(root, [name]) == 1
    check = verify_snapshot(root, other)
    assert not isinstance(check, Refusal)
    assert (check.missing, check.differences) == ((), ())
