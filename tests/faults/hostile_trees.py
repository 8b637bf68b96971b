"""Work trees that were made to freeze, crash or fill whoever looks at them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pygit2

Maker = Callable[[Path], object]

GOOD = "def area() -> int:\n    return 2\n"


def make_tree(root: Path, kind: str) -> None:
    """Make a repository that holds one good file, `a.py`, and what the kind says."""
    root.mkdir(parents=True)
    pygit2.init_repository(str(root))
    (root / "a.py").write_text(GOOD)
    TREES[kind](root)


def make_bombs(root: Path, count: int) -> list[Path]:
    """Make a folder with one good file and so many texts that take their grammar minutes."""
    root.mkdir(parents=True)
    (root / "a.py").write_text(GOOD)
    bombs = []
    for number in range(count):
        suffix, text = _BOMBS[number % len(_BOMBS)]
        bombs.append(root / f"bomb{number}.{suffix}")
        bombs[-1].write_text(text + f" {number}\n")
    return bombs


_BOMBS = (("py", "<a>" * 100_000), ("js", '"' * 300_000), ("go", '"' * 300_000))


def _stars_in_one_name(root: Path) -> None:
    (root / ".gitignore").write_text("*a*a*a*a*a*a*a*b/x\n")
    (root / ("a" * 250)).write_text("x\n")
    (root / ("a" * 240)).mkdir()
    (root / ("a" * 240) / "x").write_text("x\n")


def _stars_over_folders(root: Path) -> None:
    (root / ".gitignore").write_text("".join(f"**/a/**/a/**/a/**/b{n}\n" for n in range(200)))
    deepest = root.joinpath(*["a"] * 100)
    deepest.mkdir(parents=True)
    (deepest / "x.py").write_text("x = 1\n")


def _denials(root: Path) -> None:
    lines = ", ".join(f'"**/a*a/**/a*a/**/a*a/**/b{n}"' for n in range(50))
    (root / ".sightline.toml").write_text(f"[policy]\ndeny = [{lines}]\n")
    deepest = root.joinpath(*["a" * 60] * 15)
    deepest.mkdir(parents=True)
    (deepest / "x.py").write_text("x = 1\n")


def _pipe(name: str) -> Maker:
    def make(root: Path) -> None:
        (root / name).unlink(missing_ok=True)
        os.mkfifo(root / name)

    return make


def _included_pipe(root: Path) -> None:
    os.mkfifo(root / "pipe")
    with (root / ".git/config").open("a") as file:
        file.write("[include]\n\tpath = ../pipe\n")


def _written(name: str, text: str) -> Maker:
    return lambda root: (root / name).write_text(text)


_PIPES = (
    ".gitignore",
    ".aiignore",
    ".git/info/exclude",
    ".git/shallow",
    ".git/gitdir",
    ".git/config.worktree",
    ".git/config",
    ".git/HEAD",
    ".git/index",
    ".git/packed-refs",
    "tsconfig.json",
    "pyproject.toml",
    "b.py",
)

TREES: Mapping[str, Maker] = {
    "stars in one name": _stars_in_one_name,
    "stars over folders": _stars_over_folders,
    "stars in settings": _denials,
    "many patterns": _written(".gitignore", "".join(f"*a{n}*b*c\n" for n in range(4_900))),
    "included pipe": _included_pipe,
    "tsconfig of quotes": _written("tsconfig.json", '"' * 200_001),
    "one key in Cargo.toml": _written("Cargo.toml", "a." * 30_000 + "a = 1\n"),
    "one key in pyproject.toml": _written("pyproject.toml", "a." * 30_000 + "a = 1\n"),
    "one key in .sightline.toml": _written(".sightline.toml", "a." * 30_000 + "a = 1\n"),
    "brackets in package.json": _written("package.json", "[" * 500_000),
    **{f"pipe in place of {name}": _pipe(name) for name in _PIPES},
}
