"""Packs are made in a process that can be killed."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

import sightline
from sightline.engine.pack_process import made_pack
from sightline.packs.full_pack import PackLimits, build_full_pack
from sightline.packs.model import ContextPack, ProjectSnapshot
from sightline.packs.snapshotting import ListedFile, make_snapshot
from sightline.packs.source import FileFacts, FileHistory, SymbolFact
from sightline.packs.summary_pack import build_summary_pack
from sightline.refusals import Refusal
from tests.packs.plain_source import PlainSource

_ROUTED = "from flask import Flask\napp = Flask(__name__)\n\n@app.route('/a')\ndef show(): ...\n"
_TEXTS = {
    "README.md": "# Shop\n\nShop is a program that sells things to people.\n",
    "package.json": '{"name": "shop", "description": "Sells things.", "main": "index.js"}',
    "src/app.py": _ROUTED,
    **{f"src/part{number}.py": f"def part{number}(): ...\n" for number in range(300)},
}


def _snapshot(texts: Mapping[str, str]) -> ProjectSnapshot:
    paths = sorted(texts, key=str.encode)
    return make_snapshot((ListedFile(path, len(texts[path].encode())) for path in paths), (), "now")


def _source() -> PlainSource:
    symbol = SymbolFact("src/app.py", "show", "show", "function", 5, 5)
    facts = {"src/app.py": FileFacts("python", (symbol,), ("flask",), (), ("src/part1.py",))}
    return PlainSource(_TEXTS, facts, {"src/app.py": FileHistory(3, 2)}, commits_seen=9)


@pytest.mark.parametrize("form", ["full", "summary"])
def test_the_process_makes_the_pack_that_would_be_made_here(form: str) -> None:
    snapshot, source, limits = _snapshot(_TEXTS), _source(), PackLimits()
    build = build_full_pack if form == "full" else build_summary_pack
    expected: ContextPack = build(snapshot, source, limits, "shop")
    made = made_pack(form, snapshot, source, limits, "shop")
    assert not isinstance(made, Refusal)
    assert made.manifest.project_name == "shop"
    assert msgspec.json.encode(made) == msgspec.json.encode(expected)


@pytest.mark.skipif(sys.platform == "win32", reason="no timer of processor time")
def test_a_project_file_that_takes_too_long_is_named() -> None:
    texts = {**_TEXTS, "build.gradle": "implementation" + " " * 900_000}
    made = made_pack(
        "full", _snapshot(texts), PlainSource(texts), PackLimits(), "shop", seconds=0.5
    )
    assert isinstance(made, Refusal)
    assert (made.reason, made.path) == ("time_out", "build.gradle")


def test_a_source_that_fails_fails_here() -> None:
    """The process ends with the pack that nobody waits for any more."""

    class Failing(PlainSource):
        def read(self, path: str) -> str | None:
            raise OSError(path)

    with pytest.raises(OSError, match=r"package\.json|README\.md|app\.py"):
        made_pack("full", _snapshot(_TEXTS), Failing(_TEXTS), PackLimits(), "shop")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are UTF-8")
@pytest.mark.parametrize("kind", ["full", "summary", "map"])
def test_names_that_are_not_utf8_stop_no_pack(tmp_path: Path, kind: str) -> None:
    """They are counted and listed with a mark for each wrong byte; so is the folder's own name."""
    root = tmp_path / os.fsdecode(b"shop \xff")
    root.mkdir()
    (root / "a.py").write_text("def area() -> int:\n    return 1\n", encoding="utf-8")
    for name in (b"\xff\xfe.py", b"folder \xfe/b.py"):
        place = root / os.fsdecode(name)
        place.parent.mkdir(exist_ok=True)
        place.write_text("x = 1\n", encoding="utf-8")
    with sightline.open(root) as workspace:
        result = workspace.pack(type=kind, format="json")
    assert result.rendered is not None
    assert "a.py" in result.rendered
    assert result.pack is not None
    if kind != "map":
        listed = [each["path"] for each in result.pack["file_index"] if not each["included"]]
        assert "\ufffd\ufffd.py" in listed
    result.rendered.encode("utf-8")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no list of child processes")
def test_a_process_that_a_late_signal_of_its_pipe_ended_is_started_again() -> None:
    """On a busy machine the signal of a question may come when the question was read already."""
    signalled: list[int] = []

    class Late(PlainSource):
        def read(self, path: str) -> str | None:
            if not signalled:
                signalled.extend(_pack_processes())
                os.kill(signalled[-1], signal.SIGIO)
            return super().read(path)

    made = made_pack("full", _snapshot(_TEXTS), Late(_TEXTS), PackLimits(), "shop")
    assert len(signalled) == 1
    assert not isinstance(made, Refusal)


def _pack_processes() -> list[int]:
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return [
        int(each)
        for each in children
        if b"pack_child" in Path(f"/proc/{each}/cmdline").read_bytes()
    ]
