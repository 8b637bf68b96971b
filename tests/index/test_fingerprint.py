"""The fingerprint: one for the same contents, wherever and however; another for any other.

Whoever compares two fingerprints trusts both directions: an equal one means that every answer is
the same, and a different one is never the machine's doing.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sightline import languages
from sightline.index.store import Fault, NoStore, open_store
from sightline.languages import load_registry
from sightline.project import Project
from sightline.text import Text
from sightline.workers import Workers
from sightline.workspace import ReadLimits, Workspace, defaults
from sightline.workspace import workspace as workspace_module

_FILES = {
    ".gitignore": "ignored/\n",
    ".env": "PASSWORD=hunter2\n",
    "README.md": "# Shapes\n",
    "data/Ärea.txt": "not a source\n",
    "go.mod": "module shapes\n",
    "ignored/note.py": "def ignored(): pass\n",
    "main.go": "package main\n\nfunc main() { make() }\n",
    "packages/left/index.py": "x = 1\n",
    "src/base.py": "class Shape:\n    def area(self): return 0\n",
    "src/round.py": "from base import Shape\n\nclass Circle(Shape): pass\n",
    "src/z.py": "",
    "Über/naïve.py": "def größe(): return area()\n",
}
_FINGERPRINT = """
import os, random, sys
from pathlib import Path
from sightline.index.store import Fault, NoStore
from sightline.languages import load_registry
from sightline.project import Project
from sightline.workers import Workers
from sightline.workspace import Workspace

if sys.argv[3] == "shuffled":
    scandir, listdir = os.scandir, os.listdir
    class Shuffled:
        def __init__(self, entries): self.entries = entries
        def __enter__(self): return self
        def __exit__(self, *error): self.entries.close()
        def close(self): self.entries.close()
        def __iter__(self):
            found = list(self.entries)
            random.shuffle(found)
            return iter(found)
    os.scandir = lambda *arguments: Shuffled(scandir(*arguments))
    os.listdir = lambda *arguments: random.sample(found := listdir(*arguments), len(found))

with Workers(int(sys.argv[2]), time_limit=60) as workers:
    workspace = Workspace(Path(sys.argv[1]))
    with Project(workspace, load_registry(), workers, NoStore(Fault.UNAVAILABLE)) as project:
        print(project.open().fingerprint)
"""


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    with Workers(1, time_limit=60) as workers:
        yield workers


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return _write(tmp_path / "workspace")


@pytest.fixture
def fingerprint(root: Path, workers: Workers) -> str:
    return _fingerprint(root, workers)


@pytest.mark.parametrize(
    ("count", "order", "environment"),
    [
        (1, "listed", {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"}),
        (2, "shuffled", {"PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "TZ": "Asia/Kathmandu"}),
        (4, "shuffled", {"PYTHONHASHSEED": "4242", "LC_ALL": "tr_TR.UTF-8", "TZ": "EST5EDT"}),
    ],
)
def test_no_process_makes_a_difference(
    root: Path, fingerprint: str, count: int, order: str, environment: dict[str, str]
) -> None:
    """Neither its hash seed, locale, time zone and workers, nor the order of a listing."""
    assert _in_process(root, environment, count, order) == fingerprint


def test_no_place_order_or_time_makes_a_difference(fingerprint: str, workers: Workers) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for seed in (1, 2):
            names = sorted(_FILES)
            random.Random(seed).shuffle(names)
            other = _write(Path(folder) / f"elsewhere {seed}", names)
            for number, name in enumerate(names):
                os.utime(other / name, (10**9 * seed, 10**8 + number))
            assert _fingerprint(other, workers) == fingerprint


def test_no_history_makes_a_difference(root: Path, fingerprint: str, workers: Workers) -> None:
    """Cold, warm, changed and changed back, opened in an editor and closed again."""
    cache = root.parent / "cache"
    cache.mkdir(0o700)
    found = []
    for _ in range(2):
        workspace = Workspace(root)
        store = open_store(str(workspace.root), cache)
        with Project(workspace, load_registry(), workers, store) as project:
            found.append(project.open().fingerprint)
            text = (root / "src/base.py").read_bytes()
            (root / "src/base.py").write_bytes(b"class Other: pass\n")
            (root / "new.rb").write_bytes(b"def area; end\n")
            assert project.refresh().fingerprint != fingerprint
            project.save()
            (root / "src/base.py").write_bytes(text)
            (root / "new.rb").unlink()
            found.append(project.refresh().fingerprint)
            project.show("src/base.py", Text(text))
            found.append(project.snapshot.fingerprint)
            project.show("src/base.py", Text(b""))
            assert project.snapshot.fingerprint != fingerprint
            found.append(project.hide("src/base.py").fingerprint)
            project.save()
    assert set(found) == {fingerprint}


@pytest.mark.parametrize("path", [".env", "ignored/note.py"])
def test_what_is_denied_makes_no_difference(
    root: Path, fingerprint: str, workers: Workers, path: str
) -> None:
    with (root / path).open("a") as file:
        file.write("x = 2\n")
    assert _fingerprint(root, workers) == fingerprint
    (root / path).unlink()
    assert _fingerprint(root, workers) == fingerprint


def test_any_visible_byte_makes_a_difference(
    root: Path, fingerprint: str, workers: Workers
) -> None:
    seen = {fingerprint}
    visible = [path for path in _FILES if not path.startswith((".env", "ignored/", "packages/"))]
    for path in visible:
        (root / path).write_bytes((root / path).read_bytes() + b"\n")
        seen.add(_fingerprint(root, workers))
    assert len(seen) == len(visible) + 1


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "src/z.py").rename(root / "src/y.py"),
        lambda root: (root / "README.md").rename(root / "README.txt"),
        lambda root: (root / "src/z.py").unlink(),
        lambda root: (root / "src/new.py").touch(),
        lambda root: (root / "src/new.txt").touch(),
        lambda root: (root / "src/.gitignore").write_text("# nothing\n"),
        lambda root: (root / ".sightlineignore").write_text("nothing-of-this-name\n"),
    ],
    ids=["renamed", "renamed text", "removed", "added", "added text", "rules", "other rules"],
)
def test_any_other_name_or_rule_makes_a_difference(
    root: Path, fingerprint: str, workers: Workers, change: Callable[[Path], object]
) -> None:
    change(root)
    assert _fingerprint(root, workers) != fingerprint


def test_a_lifted_rule_and_another_limit_make_a_difference(
    root: Path, fingerprint: str, workers: Workers
) -> None:
    """Also where there is nothing, as yet, that it would show."""
    lifted = _fingerprint(root, workers, Workspace(root, lifted=("packages/**",)))
    assert len({fingerprint, lifted}) == 2
    shutil.rmtree(root / "packages")
    seen = {
        _fingerprint(root, workers),
        _fingerprint(root, workers, Workspace(root, lifted=("packages/**",))),
        _fingerprint(root, workers, Workspace(root, limits=ReadLimits(max_file_bytes=12_345))),
    }
    assert len(seen) == 3


def test_another_default_rule_makes_a_difference(
    root: Path, fingerprint: str, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    fewer = defaults.default_rules()[:-1]
    for module in (defaults, workspace_module):
        monkeypatch.setattr(module, "default_rules", lambda: fewer)
    assert _fingerprint(root, workers) != fingerprint


@pytest.mark.parametrize("file", ["tags.scm", "language.toml"])
def test_another_query_makes_a_difference(root: Path, fingerprint: str, file: str) -> None:
    """If only by a comment: nobody has to judge whether a change to a query matters."""
    own = root.parent / "languages"
    builtin = Path(languages.__file__).parent
    shutil.copytree(builtin / "python", own / "python")
    assert _in_process(root, {"SIGHTLINE_LANGUAGE_PATH": str(own)}) == fingerprint
    comment = "\n; nothing\n" if file == "tags.scm" else "\n# nothing\n"
    with (own / "python" / file).open("a") as text:
        text.write(comment)
    assert _in_process(root, {"SIGHTLINE_LANGUAGE_PATH": str(own)}) != fingerprint


def test_another_shared_part_of_a_query_makes_a_difference(root: Path) -> None:
    own = root.parent / "languages"
    shutil.copytree(Path(languages.__file__).parent / "python", own / "python")
    table = own / "python" / "language.toml"
    table.write_text('extends = ["shared"]\n' + table.read_text("utf-8"), "utf-8")
    (own / "shared").mkdir()
    parts = own / "shared" / "fragments.scm"
    parts.write_text("(define.remark (comment))\n")
    before = _in_process(root, {"SIGHTLINE_LANGUAGE_PATH": str(own)})
    parts.write_text("(define.remark (comment))\n; nothing\n")
    assert _in_process(root, {"SIGHTLINE_LANGUAGE_PATH": str(own)}) != before


def test_another_grammar_makes_a_difference(root: Path, fingerprint: str) -> None:
    """The binary itself counts: its version says little."""
    import tree_sitter_python

    package = root.parent / "grammars" / "tree_sitter_python"
    shutil.copytree(Path(tree_sitter_python.__file__).parent, package)
    place = {"PYTHONPATH": str(package.parent)}
    assert _in_process(root, place) == fingerprint
    binaries = [each for each in package.iterdir() if each.suffix in (".so", ".pyd")]
    assert len(binaries) == 1
    with binaries[0].open("ab") as binary:
        binary.write(b"\0")
    assert _in_process(root, place) != fingerprint


def test_a_language_that_nothing_is_written_in_makes_no_difference(
    root: Path, fingerprint: str
) -> None:
    own = root.parent / "languages"
    shutil.copytree(Path(languages.__file__).parent / "ruby", own / "ruby")
    with (own / "ruby" / "tags.scm").open("a") as text:
        text.write("\n; nothing\n")
    assert _in_process(root, {"SIGHTLINE_LANGUAGE_PATH": str(own)}) == fingerprint


def _write(root: Path, names: list[str] | None = None) -> Path:
    for name in names or sorted(_FILES):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(_FILES[name], "utf-8", newline="")
    return root


def _fingerprint(root: Path, workers: Workers, workspace: Workspace | None = None) -> str:
    workspace = workspace or Workspace(root)
    with Project(workspace, load_registry(), workers, NoStore(Fault.UNAVAILABLE)) as project:
        return project.open().fingerprint


def _in_process(
    root: Path, environment: dict[str, str], count: int = 1, order: str = "listed"
) -> str:
    result = subprocess.run(
        [sys.executable, "-c", _FINGERPRINT, str(root), str(count), order],
        env={**os.environ, **environment},
        capture_output=True,
        check=True,
        timeout=300,
    )
    return result.stdout.decode("ascii").strip()
