"""A project: what is open, what is saved, what is denied, and what is known in between."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sightline.index import Confidence, Snapshot
from sightline.index.store import Fault, NoStore, Saved, open_store
from sightline.languages import Registry, load_registry
from sightline.project import Project
from sightline.refusals import Refusal
from sightline.text import Span, Text, TextSpliced
from sightline.workers import Workers
from sightline.workspace import ReadLimits, Workspace
from tests.index.editing import edit
from tests.index.snapshots import answers, differences

_BASE = "class Shape:\n    def area(self):\n        return 0\n"
_ROUND = "from base import Shape\n\nclass Circle(Shape): pass\n\ndef make():\n    return Circle()\n"

Open = Callable[..., Project]


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers(1, time_limit=60) as workers:
        yield workers


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "base.py").write_text(_BASE)
    (root / "round.py").write_text(_ROUND)
    return root


@pytest.fixture
def start(root: Path, tmp_path: Path, workers: Workers) -> Open:
    """Starts a project as a new process would, with the store of the last one or without any."""
    cache = tmp_path / "cache"
    cache.mkdir(0o700)

    def start(*, is_stored: bool = False, max_file_bytes: int = 1 << 20) -> Project:
        workspace = Workspace(root, limits=ReadLimits(max_file_bytes=max_file_bytes))
        store = open_store(str(workspace.root), cache) if is_stored else NoStore(Fault.UNAVAILABLE)
        return Project(workspace, load_registry(), workers, store)

    return start


def test_closing_a_document_goes_back_to_the_disk(start: Open) -> None:
    project = start()
    before = project.open()
    shown = project.show("base.py", Text(b"class Other: pass\n"))
    assert isinstance(shown, Snapshot)
    assert (shown.find("Shape"), shown.find("Other")) == ([], [("base.py", 0)])
    assert not differences(answers(before), answers(project.hide("base.py")))


def test_closing_a_document_that_was_withheld_goes_back_to_the_disk(start: Open) -> None:
    """An editor that shows a file in the wrong encoding has a text that is none."""
    project = start()
    before = project.open()
    assert isinstance(project.show("base.py", Text(b"class\0Other: pass\n")), Refusal)
    assert "base.py" not in project.snapshot.files
    assert not differences(answers(before), answers(project.hide("base.py")))


def test_closing_does_not_hide_a_text_that_was_shown_since(start: Open) -> None:
    """The file is open again by the time that somebody comes to its closing, with equal bytes."""
    project = start()
    project.open()
    closed, again = Text(b"class Other: pass\n"), Text(b"class Other: pass\n")
    project.show("base.py", closed)
    project.show("base.py", again)
    assert project.hide("base.py", closed).find("Other") == [("base.py", 0)]
    assert project.text_of("base.py") is again
    assert project.hide("base.py", again).find("Other") == []


@pytest.mark.parametrize("shown", [None, b"", b"class Other: pass\n"])
def test_edits_of_a_text_that_is_not_shown_bring_their_own(
    start: Open, shown: bytes | None
) -> None:
    """They were made to a text that the project was not told of, or not any more."""
    project = start()
    project.open()
    if shown is not None:
        project.show("base.py", Text(shown))
    before = Text(b"class Other: pass\n")
    after = before.spliced(6, 11, b"Third")
    snapshot = project.edit("base.py", [TextSpliced(before, Span(6, 11), b"Third", after)], 7)
    assert isinstance(snapshot, Snapshot)
    assert snapshot.find("Third") == [("base.py", 0)]
    assert project.text_of("base.py") is after


def test_several_edits_at_once_are_as_one_after_the_other(start: Open) -> None:
    project, other = start(), start()
    for each in (project, other):
        each.open()
    text = Text(_BASE.encode())
    project.show("base.py", text)
    other.show("base.py", text)
    edits = []
    for number in range(4):
        line = f"def added_{number}(): return Shape()\n".encode()
        after = text.spliced(0, 0, line)
        edits.append(TextSpliced(text, Span(0, 0), line, after))
        text = after
        _edited(other, "base.py", 0, 0, line)
    snapshot = project.edit("base.py", edits)
    assert isinstance(snapshot, Snapshot)
    assert not differences(answers(other.snapshot), answers(snapshot))


def test_a_document_that_was_never_saved_goes_with_its_editor(start: Open) -> None:
    project = start()
    before = project.open()
    project.show("new.py", Text(b"def fresh(): pass\n"))
    assert project.snapshot.find("fresh") == [("new.py", 0)]
    assert project.refresh().find("fresh") == [("new.py", 0)]
    assert not differences(answers(before), answers(project.hide("new.py")))


def test_closing_a_document_that_was_saved_parses_nothing(start: Open, root: Path) -> None:
    """The index holds the very text already; so it does when the disk catches up with it."""
    project = start()
    project.open()
    text = b"def fresh(): pass\n"
    project.show("base.py", Text(text))
    (root / "base.py").write_bytes(text)
    project.refresh()
    assert project.statistics.parsed == 0
    assert project.hide("base.py").find("fresh") == [("base.py", 0)]
    assert project.statistics.parsed == 0


def test_closing_one_document_misses_no_other_change(start: Open, root: Path) -> None:
    project = start()
    project.open()
    project.show("base.py", Text(b""))
    (root / "round.py").write_text("def other(): pass\n")
    (root / "more.py").write_text("def more(): pass\n")
    project.hide("base.py")
    assert project.refresh().find("other") == [("round.py", 0)]
    assert project.snapshot.find("more") == [("more.py", 0)]


def test_a_document_that_is_ignored_from_now_on_is_gone(start: Open, root: Path) -> None:
    """What policy withholds is withheld from the editor's text as well, and comes back with it."""
    project = start()
    project.open()
    project.show("base.py", Text(b"class Secret: pass\n"))
    (root / ".gitignore").write_text("base.py\n")
    denied = project.refresh()
    assert ("base.py" in denied.files, denied.find("Secret")) == (False, [])
    assert isinstance(project.show("base.py", Text(b"class Secrets: pass\n")), Refusal)
    assert "base.py" not in project.snapshot.files
    (root / ".gitignore").unlink()
    assert project.refresh().find("Secrets") == [("base.py", 0)]


def test_names_of_an_unsaved_text_do_not_hide_those_on_the_disk(start: Open) -> None:
    """After a restart the editor's text is gone, and look-ups go by the disk again."""
    project = start(is_stored=True)
    before = answers(project.open())
    project.show("base.py", Text(b"class Other: pass\n"))
    assert isinstance(project.save(), Saved)
    again = start(is_stored=True)
    assert not differences(before, answers(again.open()))


def test_a_document_may_be_shown_before_the_project_is_open(start: Open) -> None:
    first = start(is_stored=True)
    first.open()
    first.save()
    project = start(is_stored=True)
    project.show("base.py", Text(b"class Other: pass\n"))
    assert project.open().find("Other") == [("base.py", 0)]
    assert project.snapshot.find("Shape") == []


def test_what_was_saved_before_it_was_denied_is_not_shown_after(start: Open, root: Path) -> None:
    """Not even where an editor has it open and asks before the first scan."""
    first = start(is_stored=True)
    first.open()
    first.save()
    (root / ".gitignore").write_text("base.py\n")
    project = start(is_stored=True)
    assert isinstance(project.show("base.py", Text(_BASE.encode())), Refusal)
    snapshot = project.open()
    assert "base.py" not in snapshot.files
    assert not differences(answers(start().open()), answers(snapshot))


@pytest.mark.parametrize("kept", [b"#" * 200, b"name = '\0'\n", b"%PDF-\n"])
def test_a_text_that_would_not_be_read_from_the_disk_is_not_taken_from_an_editor(
    start: Open, root: Path, kept: bytes
) -> None:
    project = start(max_file_bytes=150)
    project.open()
    project.show("base.py", Text(b""))
    edit(project, "base.py", 0, 0, kept)
    refusal = project.read("base.py")
    (root / "base.py").write_bytes(kept)
    fresh = start(max_file_bytes=150)
    assert not differences(answers(fresh.open()), answers(project.snapshot))
    assert refusal == fresh.read("base.py")
    edit(project, "base.py", 0, len(kept), _BASE.encode())
    assert project.snapshot.find("Shape") == [("base.py", 0)]


@pytest.mark.parametrize(("before", "now"), [(1 << 20, 60), (60, 1 << 20)])
def test_what_was_saved_under_another_limit_is_held_to_the_one_of_now(
    start: Open, before: int, now: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sightline.workspace.survey._YOUNG_NS", -(10**18))
    first = start(is_stored=True, max_file_bytes=before)
    first.open()
    first.save()
    snapshot = start(is_stored=True, max_file_bytes=now).open()
    fresh = start(max_file_bytes=now).open()
    assert snapshot.fingerprint == fresh.fingerprint
    assert not differences(answers(fresh), answers(snapshot))


def test_a_first_file_of_a_language_in_the_editor_counts_its_grammar(start: Open) -> None:
    project = start()
    project.open()
    project.show("main.go", Text(b"package main\n"))
    shown = project.snapshot.fingerprint
    assert project.refresh().fingerprint == shown


def test_a_text_that_is_not_utf_8_costs_its_own_facts_alone(start: Open) -> None:
    project = start()
    project.open()
    text = Text(b"")
    # No text is made like this: nothing is to depend on that.
    text.data = b"class Caf\xe9: pass\n"
    project.show("base.py", text)
    assert project.snapshot.files["base.py"].fault
    assert project.snapshot.scope("base.py") is None
    assert project.snapshot.find("make") == [("round.py", 1)]


def test_an_edit_relinks_callers_without_parsing_them(start: Open, root: Path) -> None:
    project = start()
    snapshot = project.open()
    assert [each.confidence for each in snapshot.relations.bases(("round.py", 0))] == [
        Confidence.RESOLVED
    ]
    (root / "base.py").write_text("class Form: pass\n")
    after = project.refresh()
    assert project.statistics.parsed == 1
    assert after.relations.bases(("round.py", 0)) == []
    assert snapshot.find("Shape") == [("base.py", 0)], "a snapshot stays as it is"


@pytest.mark.parametrize("is_lost", [False, True])
def test_a_snapshot_answers_for_its_own_text_after_later_edits(
    start: Open, workers: Workers, is_lost: bool
) -> None:
    """Nobody asked while its text was the newest, and the worker may be gone by now."""
    project = start()
    project.open()
    text = _BASE.encode() * 40
    project.show("base.py", Text(text))
    edited: list[tuple[bytes, Snapshot]] = []
    for number in range(4):
        line = f"def added_{number}(): return Shape()\n".encode()
        text = line + text
        edited.append((text, _edited(project, "base.py", 0, 0, line)))
    if is_lost:
        _lose_editor(workers)
    for text, snapshot in [edited[2], *edited]:
        other = start()
        other.open()
        shown = other.show("base.py", Text(text))
        assert isinstance(shown, Snapshot)
        assert not differences(answers(shown), answers(snapshot))


def test_snapshots_are_read_by_several_threads_while_keys_come_in(start: Open) -> None:
    project = start()
    project.open()
    project.show("base.py", Text(_BASE.encode()))
    failures: list[object] = []

    def read(snapshot: Snapshot, number: int) -> None:
        found = snapshot.find(f"n{'x' * number}"), snapshot.find(f"n{'x' * (number + 1)}")
        if found != ([("base.py", 0)], []):
            failures.append((number, found))

    _edited(project, "base.py", 0, 0, b"def n(): pass\n")
    threads = []
    for number in range(1, 30):
        snapshot = _edited(project, "base.py", 5, 5, b"x")
        threads += [threading.Thread(target=read, args=(snapshot, number)) for _ in range(2)]
        for thread in threads[-3:-1]:
            thread.start()
    threads[-1].start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.parametrize("is_stored", [False, True])
def test_a_name_that_was_typed_and_taken_away_is_named_by_nobody(
    start: Open, is_stored: bool
) -> None:
    """How many files have a name decides what is near: it must not depend on what was typed."""
    project = start(is_stored=True)
    project.open()
    project.show("base.py", Text(_BASE.encode()))
    before = answers(project.snapshot)
    text = b"make()\n"
    edit(project, "base.py", len(_BASE), len(_BASE), text)
    assert project.snapshot.files_naming("make") == {"base.py", "round.py"}
    edit(project, "base.py", len(_BASE), len(_BASE) + len(text), b"")
    if is_stored:
        project.save()
        project = start(is_stored=True)
        project.open()
    assert project.snapshot.files_naming("make") == {"round.py"}
    assert not differences(before, answers(project.snapshot))


@pytest.mark.parametrize("is_lost", [False, True])
def test_what_was_edited_and_saved_by_its_editor_is_in_the_store(
    start: Open, root: Path, workers: Workers, is_lost: bool
) -> None:
    """Though nobody has asked for its facts so far."""
    with start(is_stored=True) as project:
        project.open()
        project.show("base.py", Text(_BASE.encode()))
        _edited(project, "base.py", 0, 0, b"def fresh(): pass\n\n")
        (root / "base.py").write_bytes(b"def fresh(): pass\n\n" + _BASE.encode())
        project.refresh()
        if is_lost:
            _lose_editor(workers)
        assert isinstance(project.save(), Saved)
        before = answers(project.snapshot)
        assert project.snapshot.find("fresh") == [("base.py", 0)]
    with start(is_stored=True) as project:
        assert not differences(before, answers(project.open()))
        assert project.statistics.parsed == 0


def test_what_was_edited_and_not_saved_is_in_no_store(start: Open) -> None:
    with start(is_stored=True) as project:
        before = answers(project.open())
        project.show("base.py", Text(_BASE.encode()))
        snapshot = _edited(project, "base.py", 0, 0, b"def fresh(): pass\n\n")
        assert isinstance(project.save(), Saved)
        for each in (snapshot, project.snapshot):
            assert each.find("fresh") == [("base.py", 0)]
    with start(is_stored=True) as project:
        assert not differences(before, answers(project.open()))


def test_an_edit_after_one_that_was_refused_brings_every_name(
    start: Open, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = start()
    project.open()
    project.show("base.py", Text(_BASE.encode()))
    _edited(project, "base.py", 0, 0, b"def fresh(): pass\n\n")
    with monkeypatch.context() as without:
        _lose_editor(workers)
        without.setattr(sys, "executable", "/bin/false")
        refused = _edited(project, "base.py", 0, 0, b"def second(): pass\n\n")
        assert (refused.files["base.py"].fault, refused.find("Shape")) == ("no_worker", [])
    snapshot = _edited(project, "base.py", 0, 0, b"def third(): pass\n\n")
    for name in ("fresh", "second", "third", "Shape"):
        assert [path for path, _ in snapshot.find(name)] == ["base.py"]


def _edited(project: Project, path: str, start: int, end: int, replacement: bytes) -> Snapshot:
    snapshot = edit(project, path, start, end, replacement)
    assert isinstance(snapshot, Snapshot)
    return snapshot


def _lose_editor(workers: Workers) -> None:
    assert workers._editor is not None
    workers._editor._process.kill()
    workers._editor._process.wait()


def test_answers_in_the_middle_of_a_scan_say_so(start: Open, root: Path) -> None:
    """What is known so far is answered, from the scan's own callback and from another thread."""
    for number in range(200):
        (root / f"module_{number}.py").write_text(f"def function_{number}(): pass\n")
    project = start()
    assert not project.snapshot.index_complete
    seen: list[tuple[bool, int]] = []
    reached, asked = threading.Event(), threading.Event()

    def ask() -> None:
        reached.wait()
        seen.append((project.snapshot.index_complete, len(project.snapshot.find("function_0"))))
        asked.set()

    def progress(done: int, total: int) -> None:
        assert 0 < done <= total == 202
        snapshot = project.snapshot
        assert not snapshot.index_complete
        assert len(snapshot.files) == done
        if done == 100:
            reached.set()
            asked.wait()

    thread = threading.Thread(target=ask)
    thread.start()
    done = project.open(progress)
    thread.join()
    assert seen == [(False, 1)]
    assert done.index_complete
    assert len(done.files) == 202
    assert not differences(answers(done), answers(start().open()))


def test_a_scan_that_is_broken_off_is_made_up_for(start: Open, root: Path) -> None:
    project = start(is_stored=True)
    project.open()
    (root / "base.py").write_text("class Form: pass\n")
    (root / "round.py").unlink()

    def stop(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        project.refresh(stop)
    assert not project.snapshot.index_complete
    assert isinstance(project.save(), Saved)
    for later in (project.refresh(), start(is_stored=True).open()):
        assert not differences(answers(start().open()), answers(later))


def test_a_module_that_is_called_like_a_project_file_configures_nothing(
    tmp_path: Path, registry: Registry
) -> None:
    """`setup.py` beside the code is a project file, inside a package it is a module."""
    root = tmp_path / "workspace"
    (root / "app").mkdir(parents=True)
    for path in ("setup.py", "app/__init__.py", "app/setup.py", "app/main.py"):
        (root / path).write_text("x = 1\n")
    with (
        Workers(1) as workers,
        Project(Workspace(root), registry, workers, NoStore(Fault.UNAVAILABLE)) as project,
    ):
        found = project.open().relations.configs("app/main.py")
    assert [place.path for relation in found for place in relation.targets] == ["setup.py"]
