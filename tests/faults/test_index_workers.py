"""Workers that are lost while an index is built, and files that lose them.

A lost worker costs the time of the file it was at. A file that takes too long, or costs two
workers, is set aside with the reason, and not tried again by itself. Everything else is as if
nothing had happened.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sightline.index import Snapshot
from sightline.index.store import Fault, NoStore, Saved, open_store
from sightline.languages import load_registry
from sightline.project import Project
from sightline.refusals import Refusal
from sightline.text import Text
from sightline.workers import (
    IndexAnswer,
    IndexRequest,
    ParseAnswer,
    ParseRequest,
    ParseTask,
    Workers,
    stock,
)
from sightline.workers.process import Worker
from sightline.workspace import Workspace
from tests.index.snapshots import answers, differences

_BOMB = b'"' * 300_000
_FILES = 150

linux = pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="looks into /proc")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "workspace"
    root.mkdir()
    return root


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    cache = tmp_path / "cache"
    cache.mkdir(0o700)
    return cache


@pytest.fixture(scope="module")
def steady() -> Iterator[Workers]:
    with Workers(1, time_limit=60) as workers:
        yield workers


@linux
@pytest.mark.parametrize("seed", range(2))
def test_a_worker_killed_at_any_moment_changes_nothing(
    root: Path, steady: Workers, seed: int
) -> None:
    _write_modules(root, work="    x = (1 + 2) * [3][0]\n" * 300)
    chance = random.Random(seed)
    killed: list[int] = []
    with Workers(2, time_limit=60) as workers:

        def kill(_done: int, _total: int) -> None:
            victims = [each for each in _scanning() if each not in before and each not in killed]
            if victims and chance.random() < 0.05:
                killed.append(chance.choice(victims))
                os.kill(killed[-1], signal.SIGKILL)

        before = _scanning()
        with _project(root, workers) as project:
            snapshot = project.open(kill)
            assert project.statistics.parsed == _FILES
            assert project.statistics.refused == {}
            with _project(root, steady) as other:
                assert not differences(answers(other.open()), answers(snapshot))
    assert killed


def test_a_bomb_is_tried_once_and_set_aside(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = 0

    class Counted(Worker):
        def __init__(self, arguments: list[str], *, has_low_priority: bool = False) -> None:
            nonlocal started
            started += 1
            super().__init__(arguments, has_low_priority=has_low_priority)

    monkeypatch.setattr(stock, "Worker", Counted)
    (root / "a.js").write_text("export function first() { return last(); }\n")
    (root / "bomb.js").write_bytes(_BOMB)
    (root / "z.js").write_text("import { first } from './a';\nfunction last() { first(); }\n")
    with Workers(1, time_limit=1.0) as workers:
        with _project(root, workers, cache) as project:
            snapshot = project.open()
            assert started == 2
            assert project.statistics.parsed == 3
            assert {path: each.reason for path, each in project.statistics.refused.items()} == {
                "bomb.js": "time_out"
            }
            _assert_answers_without_the_bomb(snapshot)
            assert isinstance(project.save(), Saved)
            project.refresh()
            assert (project.statistics.parsed, started) == (0, 2)
        with _project(root, workers, cache) as project:
            _assert_answers_without_the_bomb(project.open())
            assert (project.statistics.parsed, started) == (0, 2)
            (root / "bomb.js").write_text("function defused() {}\n")
            assert project.refresh().find("defused") == [("bomb.js", 0)]
            assert (project.statistics.parsed, project.statistics.refused) == (1, {})


def test_a_bomb_in_the_editor_is_set_aside_as_well(root: Path, cache: Path) -> None:
    (root / "a.js").write_text("function first() {}\n")
    with Workers(1, time_limit=1.0) as workers, _project(root, workers, cache) as project:
        project.open()
        project.show("a.js", Text(_BOMB))
        assert project.snapshot.files["a.js"].fault == "time_out"
        assert project.snapshot.find("first") == []
        assert project.hide("a.js").find("first") == [("a.js", 0)]


def test_a_fault_of_the_machine_is_not_held_against_a_file(
    root: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no worker can be started nothing is parsed, and all of it as soon as one can."""
    (root / "a.py").write_text("def first(): pass\n")
    (root / "b.py").write_text("def second(): pass\n")
    for is_restarted in (False, True):
        with Workers(1) as broken, _project(root, broken, cache) as project:
            with monkeypatch.context() as without:
                without.setattr(sys, "executable", "/bin/false")
                (root / "a.py").write_text(f"def first(): return {is_restarted}\n")
                project.open()
                assert project.snapshot.files["a.py"].fault == "no_worker"
                assert project.snapshot.find("first") == []
                assert isinstance(project.save(), Saved)
            if not is_restarted:
                assert project.refresh().find("first") == [("a.py", 0)]
    with Workers(1) as workers, _project(root, workers, cache) as project:
        assert project.open().find("first") == [("a.py", 0)]


def test_a_damaged_store_is_made_up_for_by_parsing(
    root: Path, cache: Path, steady: Workers
) -> None:
    """Whatever bytes have changed between two runs, answers come from the files themselves."""
    _write_modules(root)
    with _project(root, steady, cache) as project:
        expected = answers(project.open())
        project.save()
    chance = random.Random(7)
    kept = {file: file.read_bytes() for file in cache.rglob("*") if file.is_file()}
    assert {file.suffix for file in kept} >= {".pack", ".section"}
    for file, data in kept.items():
        if not data:
            continue
        for damage in (_flipped(data, chance), data[: chance.randrange(len(data))]):
            file.write_bytes(damage)
            with _project(root, steady, cache) as project:
                assert not differences(expected, answers(project.open())), file.name
            file.write_bytes(data)


def test_facts_that_are_damaged_after_the_start_are_read_from_the_files(
    root: Path, cache: Path, steady: Workers
) -> None:
    _write_modules(root)
    with _project(root, steady, cache) as project:
        expected = answers(project.open())
        assert isinstance(project.save(), Saved)
        for file in cache.rglob("*.*"):
            if file.is_file():
                with file.open("r+b") as damaged:
                    damaged.write(bytes(file.stat().st_size))
        assert not differences(expected, answers(project.snapshot))
        assert not differences(expected, answers(project.refresh()))


def _assert_answers_without_the_bomb(snapshot: Snapshot) -> None:
    assert snapshot.index_complete
    assert snapshot.files["bomb.js"].fault == "time_out"
    assert snapshot.scope("bomb.js") is None
    assert snapshot.find("bomb.js::anything") == []
    assert [str(each.targets[0]) for each in snapshot.relations.callers(("a.js", 0))] == [
        "z.js::last"
    ]
    assert snapshot.relations.dependencies("bomb.js") == []


def _project(root: Path, workers: Workers, cache: Path | None = None) -> Project:
    workspace = Workspace(root)
    store = open_store(str(workspace.root), cache) if cache else NoStore(Fault.UNAVAILABLE)
    return Project(workspace, load_registry(), workers, store)


def _write_modules(root: Path, *, work: str = "") -> None:
    for number in range(_FILES):
        (root / f"module_{number}.py").write_text(
            f"from module_{number // 2} import function_{number // 2} as parent\n\n\n"
            f"class Type_{number}:\n    pass\n\n\n"
            f"def function_{number}():\n{work}    return parent(Type_{number}())\n"
        )


def _flipped(data: bytes, chance: random.Random) -> bytes:
    position = chance.randrange(len(data))
    return (
        data[:position] + bytes([data[position] ^ 1 << chance.randrange(8)]) + data[position + 1 :]
    )


def _scanning() -> list[int]:
    """Workers of this process that have answered more than a greeting: files, one at least.

    One that has not is at its first file, which may be another's second try.
    """
    found = []
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
            if (
                parent != os.getpid()
                or b"sightline.workers" not in (process / "cmdline").read_bytes()
            ):
                continue
            written = (process / "io").read_text().split("wchar: ")[1].split()[0]
        except (OSError, ValueError, IndexError):
            continue
        if int(written) > 100:
            found.append(int(process.name))
    return sorted(found)


def test_texts_that_take_long_never_hold_all_workers() -> None:
    """Nine are asked for, of which none can end; whoever asks behind them is answered."""
    with Workers(1, time_limit=600) as workers:
        workers.stay_ready()
        long = [workers.begin_index(_request(_BOMB + b"%d" % number)) for number in range(9)]
        for number in range(3):
            answer = workers.ask(ParseRequest(ParseTask.SUMMARIZE, "javascript", b"let a = 1;\n"))
            assert isinstance(answer, ParseAnswer)
            index = workers.index(_request(b"let b = %d;\n" % number))
            assert isinstance(index, IndexAnswer)
        assert not any(each.done() for each in long)


def test_a_text_that_makes_way_for_others_is_tried_to_its_limit() -> None:
    """More take long than there is room for: some workers are killed, and no text fares worse."""
    with Workers(1, time_limit=0.4) as workers:
        workers.stay_ready()
        long = [workers.begin_index(_request(_BOMB + b"%d" % number)) for number in range(7)]
        for each in long:
            answer = each.result()
            assert isinstance(answer, Refusal)
            assert answer.reason == "time_out"
        assert isinstance(workers.index(_request(b"let a = 1;\n")), IndexAnswer)


def test_a_scan_goes_on_while_texts_take_long() -> None:
    """All of it is answered: what takes long is set aside, and everything else is indexed."""
    requests = [_request(_BOMB + b"%d" % number, number) for number in range(3)]
    requests += [_request(b"let a = %d;\n" % number, number) for number in range(3, 40)]
    with Workers(1, time_limit=0.4) as workers:
        workers.stay_ready()
        answers = {each.number: answer for each, answer in workers.index_all(requests)}
    assert sorted(answers) == list(range(40))
    assert all(isinstance(answers[number], Refusal) == (number < 3) for number in range(40))


def _request(data: bytes, number: int = 0) -> IndexRequest:
    return IndexRequest(number, "javascript", data)
