"""A cloned repository cannot freeze the server, whatever it holds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from sightline.refusals import Refusal
from sightline.workspace import Workspace
from sightline.workspace.git_folder import looks_plain
from sightline.workspace.ignore_patterns import _compiled, compile_patterns
from sightline.workspace.jail import Jail
from tests.faults.hostile_trees import GOOD, TREES, make_tree
from tests.lsp.raw import PATIENCE_SECONDS, RawClient, uri_of, wait_until_gone

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")

_PORTIONS = 5
_ASKED: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("sightline/buildContext", {}),
    ("sightline/buildRecipe", {"recipe": "review", "base": "HEAD"}),
)


@pytest.mark.parametrize("kind", TREES)
def test_a_hostile_tree_is_surveyed(tmp_path: Path, kind: str) -> None:
    """A walk ends, and the good file is seen or withheld with a reason."""
    make_tree(tmp_path / "tree", kind)
    workspace = Workspace(tmp_path / "tree")
    survey = workspace.survey()
    read = workspace.read("a.py")
    assert ("a.py" in survey.rows) == (not isinstance(read, Refusal))
    if not isinstance(read, Refusal):
        assert str(read.text) == GOOD


@pytest.mark.parametrize("portion", range(_PORTIONS))
def test_other_requests_are_answered_while_hostile_trees_are_scanned(
    tmp_path: Path, portion: int
) -> None:
    """One window has many open, besides a folder like any other; then its client leaves."""
    (tmp_path / "good").mkdir()
    (tmp_path / "good/a.py").write_text(GOOD)
    hostile = []
    for number, kind in enumerate(list(TREES)[portion::_PORTIONS]):
        hostile.append(tmp_path / f"tree {number}")
        make_tree(hostile[-1], kind)
    with RawClient(tmp_path / "server") as client:
        client.initialize(*hostile, tmp_path / "good")
        asked = [
            client.begin(method, {"textDocument": {"uri": uri_of(root / "a.py")}, **more})
            for root in hostile
            for method, more in _ASKED
        ]
        assert client.text_of(uri_of(tmp_path / "good/a.py")) == GOOD
        for identity in asked:
            answer = client.answer_of(identity)
            assert answer["result"]["status"] in ("ok", "refused")
        # Behind the builds, each of which waited for its index.
        packed = [
            client.begin(
                "sightline/buildProjectPack",
                {"textDocument": {"uri": uri_of(root / "a.py")}, "type": "summary"},
            )
            for root in hostile
        ]
        assert client.text_of(uri_of(tmp_path / "good/a.py")) == GOOD
        for identity in packed:
            packs = client.answer_of(identity)
            assert "result" in packs, packs
            assert packs["result"]["status"] in ("ok", "refused")
        assert not client.faults
        server = client.process.pid
        assert client.process.stdin is not None
        client.process.stdin.close()
        assert not wait_until_gone(server, PATIENCE_SECONDS)


def test_a_hostile_folder_itself_answers_while_it_is_packed(tmp_path: Path) -> None:
    """The pack is made in a process, which nobody else of the folder waits for."""
    root = tmp_path / "tree"
    make_tree(root, "blanks in build.gradle")
    with RawClient(tmp_path / "server") as client:
        client.initialize(root)
        client.wait_until_indexed()
        uri = uri_of(root / "a.py")
        document = {"textDocument": {"uri": uri}}
        packed = client.begin("sightline/buildProjectPack", {**document, "type": "summary"})
        client.open(uri, GOOD, version=0)
        while not client.has_answer(packed):
            assert client.ask("sightline/buildContext", document)["status"] == "ok"
            assert client.text_of(uri) == GOOD
            if len(client.answers) > 6:
                break
        assert not client.has_answer(packed)
        assert client.answer_of(packed)["result"]["refusal"]["reason"] == "time_out"


def test_few_patterns_are_kept_compiled() -> None:
    """A thousand ignore files may have two hundred patterns each: they would take a gigabyte."""
    files = [compile_patterns(f"a{each}/*.{n}" for n in range(900)) for each in range(4)]
    assert _compiled.cache_info().currsize <= 2_048
    for each, file in enumerate(files):
        found = file.deciding(f"a{each}/x.7")
        assert found is not None
        assert found.line == 8


@pytest.mark.parametrize("name", ["gitdir", "shallow", "packed-refs", "info/exclude", "info"])
def test_git_is_not_asked_where_one_of_its_files_may_lead_out_of_the_root(
    tmp_path: Path, name: str
) -> None:
    """libgit2 follows links, whatever they lead to."""
    make_tree(tmp_path / "tree", "tsconfig of quotes")
    assert looks_plain(Jail(tmp_path / "tree"))
    place = tmp_path / "tree/.git" / name
    if place.exists():
        place.rename(tmp_path / "moved")
    place.symlink_to(tmp_path / "moved")
    assert not looks_plain(Jail(tmp_path / "tree"))
