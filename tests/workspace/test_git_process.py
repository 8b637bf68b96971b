"""What a work tree costs libgit2 is counted in CPU time: a busy machine withholds nothing."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sightline.workspace import git_ignores
from sightline.workspace.git_ignores import GitIgnores
from sightline.workspace.git_process import GitProcesses
from tests.workspace.conftest import Write, git

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
_WALL_SECONDS = 0.2
_HEAD = """\
import os, pathlib, signal, struct, sys, time

def answer():
    sys.stdout.buffer.write(struct.pack("<I", 2) + b"ok")
    sys.stdout.buffer.flush()

def has_begun_before():
    starts = pathlib.Path(__file__).with_name("starts")
    with starts.open("ab") as file:
        file.write(b"x")
    return starts.stat().st_size > 1

sys.stdin.buffer.read(4)
"""
Script = Callable[[str], GitProcesses]


@pytest.fixture
def script(tmp_path: Path) -> Iterator[Script]:
    made: list[GitProcesses] = []

    def make(body: str) -> GitProcesses:
        (tmp_path / "child.py").write_text(_HEAD + body)
        made.append(GitProcesses(tmp_path / "child.py", _WALL_SECONDS))
        return made[-1]

    yield make
    for each in made:
        each.end()


@linux
def test_a_process_that_works_is_waited_for(script: Script) -> None:
    """It takes several times the limit on standing still."""
    body = "while time.process_time() < 1.0: pass\nhas_begun_before()\nanswer()\n"
    assert script(body).exchange(b"", 1) == b"ok"


@pytest.mark.parametrize(
    "fault", ["time.sleep(60)", "os.kill(os.getpid(), signal.SIGKILL)", "raise SystemExit(0)"]
)
def test_a_fault_of_the_machine_is_asked_about_again(
    script: Script, tmp_path: Path, fault: str
) -> None:
    processes = script(f"if not has_begun_before():\n    {fault}\nanswer()\n")
    is_of_the_machine = "exit" not in fault.casefold()
    assert processes.exchange(b"", 3) == (b"ok" if is_of_the_machine else None)
    assert (tmp_path / "starts").stat().st_size == 1 + is_of_the_machine


def test_a_process_that_always_stands_still_is_given_up(script: Script, tmp_path: Path) -> None:
    assert script("has_begun_before()\ntime.sleep(60)\n").exchange(b"", 3) is None
    assert (tmp_path / "starts").stat().st_size == 3


@pytest.mark.skipif(not hasattr(signal, "SIGPROF"), reason="needs timers of CPU time")
def test_a_question_that_costs_too_much_is_not_asked_again(script: Script, tmp_path: Path) -> None:
    body = (
        "has_begun_before()\nsignal.setitimer(signal.ITIMER_PROF, 0.1)\nwhile True: pass\nanswer()"
    )
    assert script(body).exchange(b"", 3) is None
    assert (tmp_path / "starts").stat().st_size == 1


@linux
def test_a_process_that_gets_no_cpu_time_changes_no_answer(
    root: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is stopped for longer than anybody waits, as on a machine that does nothing else."""
    git(root, "init", "-q")
    write(".gitignore", "*.log\n")
    processes = GitProcesses(Path(git_ignores.__file__).with_name("git_child.py"), _WALL_SECONDS)
    monkeypatch.setattr(git_ignores, "_PROCESSES", processes)
    with closing(_Ending(processes)):
        asked = GitIgnores(root)
        before = _children_running("git_child.py")
        assert asked.ask(["a.log", "a.py"]) == [True, False]
        [child] = _children_running("git_child.py") - before
        os.kill(child, signal.SIGSTOP)
        assert asked.ask(["a.log", "a.py"]) == [True, False]
        assert child not in _children_running("git_child.py")


def test_a_busy_process_keeps_nobody_else_waiting(script: Script, tmp_path: Path) -> None:
    """Another one is started for who asks meanwhile, and none while one is free."""
    (tmp_path / "blocked").touch()
    processes = script(
        "if not has_begun_before():\n"
        "    while pathlib.Path(__file__).with_name('blocked').exists(): time.process_time()\n"
        "answer()\nsys.stdin.buffer.read(4)\nanswer()\n"
    )
    blocked = threading.Thread(target=processes.exchange, args=(b"", 9))
    blocked.start()
    while not (tmp_path / "starts").exists():
        time.sleep(0.01)
    assert [processes.exchange(b"", 3), processes.exchange(b"", 3)] == [b"ok", b"ok"]
    assert (tmp_path / "starts").stat().st_size >= 2
    (tmp_path / "blocked").unlink()
    blocked.join()


class _Ending:
    def __init__(self, processes: GitProcesses) -> None:
        self.close = processes.end


def _children_running(script: str) -> set[int]:
    listed = Path(f"/proc/self/task/{threading.main_thread().native_id}/children").read_text()
    return {
        int(each)
        for each in listed.split()
        if script.encode() in Path(f"/proc/{each}/cmdline").read_bytes()
    }
