"""Work trees that were made to freeze, crash or fill whoever looks at them."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable, Mapping
from pathlib import Path

import pygit2

from tests.faults.hostile_git import MORE_TREES
from tests.faults.hostile_projects import PROJECT_TREES

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
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).unlink(missing_ok=True)
        os.mkfifo(root / name)

    return make


def _included_pipe(root: Path) -> None:
    os.mkfifo(root / "pipe")
    with (root / ".git/config").open("a") as file:
        file.write("[include]\n\tpath = ../pipe\n")


def _written(name: str, text: str) -> Maker:
    return lambda root: (root / name).write_text(text)


def _index_of(head: bytes, size: int) -> Maker:
    return lambda root: (root / ".git/index").write_bytes(head.ljust(size, b"\0"))


def _alternates(root: Path) -> None:
    objects = root / ".git/objects/info"
    objects.mkdir(parents=True, exist_ok=True)
    (objects / "alternates").write_text("/\n/proc/self/fd\n../../../../..\n" * 1_000)


def _looping_includes(root: Path) -> None:
    for name, other in (("config", "more"), ("more", "config")):
        with (root / ".git" / name).open("a") as file:
            file.write(f"[include]\n\tpath = {other}\n")


def _deep_folders(root: Path) -> None:
    """Deeper than any path can be written."""
    here = os.open(root, os.O_RDONLY)
    for _ in range(400):
        os.mkdir("d" * 30, dir_fd=here)
        below = os.open("d" * 30, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)


def _strange_names(root: Path) -> None:
    names = [b"n" * 252 + b".py", b"\xff\xfe.py", b"new\nline.py", b"\x1b]0;title\x07.py"]
    names += ["\u202eyp.exe".encode(), "\u2066\u2067x.py".encode(), b"-rf.py", b"x.py\r"]
    for name in names:
        # Names here are bytes, which `pathlib` does not take.
        with open(os.path.join(os.fsencode(root), name), "w") as file:  # noqa: PTH118, PTH123
            file.write("x = 1\n")


def _looping_links(root: Path) -> None:
    for name, target in (("self", "self"), ("one", "two"), ("two", "one"), ("up", ".")):
        (root / name).symlink_to(target)
    (root / "around").mkdir()
    (root / "around/back.py").symlink_to("../around/back.py")
    (root / "around/top").symlink_to("..")
    (root / ".aiignore").symlink_to(".aiignore")


def _sparse_files(root: Path) -> None:
    for name in ("huge.py", "package.json", ".gitignore", ".git/info/exclude", "README.md"):
        with (root / name).open("wb") as file:
            file.truncate(1 << 40)


def _sockets(root: Path) -> None:
    for number in range(3):
        with socket.socket(socket.AF_UNIX) as each:
            here = Path.cwd()
            # The path of a socket must be short.
            os.chdir(root)
            each.bind(f"s{number}.py")
            os.chdir(here)


def _many_links_to_one(root: Path) -> None:
    (root / "deep").mkdir()
    for number in range(40):
        (root / f"deep/l{number}").symlink_to(f"l{number + 1}")
    (root / "deep/l40").symlink_to("/etc")


def _self_extending(root: Path) -> None:
    (root / "tsconfig.json").write_text('{"extends": ["./tsconfig.json", "./tsconfig.b.json"]}')
    (root / "tsconfig.b.json").write_text('{"extends": "./tsconfig.json"}')
    for number in range(200):
        (root / f"tsconfig.{number}.json").write_text(
            f'{{"extends": "./tsconfig.{number + 1}.json"}}'
        )


def _member_patterns(root: Path) -> None:
    (root / "package.json").write_text(f'{{"workspaces": ["{"**a" * 30}b"]}}')
    (root / ("a" * 120)).mkdir()
    (root / ("a" * 120) / "package.json").write_text('{"name": "inner"}')


def _git_file_to_itself(root: Path) -> None:
    shutil.rmtree(root / ".git")
    (root / ".git").write_text("gitdir: .git\n" * 100_000)


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
    ".sightline.toml",
    ".sightlineignore",
    ".cursorignore",
    "package.json",
    "pnpm-workspace.yaml",
    "lerna.json",
    "go.mod",
    "go.work",
    "Cargo.toml",
    "README.md",
    "CLAUDE.md",
    "all.sln",
    ".git/commondir",
    ".git/objects/info/alternates",
    ".git/objects/12/1212121212121212121212121212121212121212",
    ".git/objects/pack/pack-12.idx",
    ".git/refs/heads/master",
    ".git/logs/HEAD",
    ".git/info/attributes",
    ".git/info/sparse-checkout",
    ".gitattributes",
    ".gitmodules",
    ".aiderignore",
    ".aiexclude",
    ".codeiumignore",
    ".repomixignore",
    ".councilignore",
    "AGENTS.md",
    "setup.cfg",
    "pom.xml",
    "Gemfile",
    "composer.json",
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
    "index of four billion entries": _index_of(b"DIRC\0\0\0\2\xff\xff\xff\xff", 200),
    "index of zeros": _index_of(b"DIRC\0\0\0\4\0\0\xff\xff", 20_000_000),
    "index that is cut off": _index_of(b"DIRC\0\0\0\2\0\0\0\1" + b"\1" * 40, 52),
    "alternates outside": _alternates,
    "includes in a circle": _looping_includes,
    "ten megabytes of .gitignore": _written(".gitignore", "a/**/b*c?[d-f]\n" * 700_000),
    "one pattern of a megabyte": _written(".gitignore", "*a" * 500_000 + "\n"),
    "folders without end": _deep_folders,
    "strange names": _strange_names,
    "links in a circle": _looping_links,
    "many links to the outside": _many_links_to_one,
    "sparse files": _sparse_files,
    "sockets": _sockets,
    "tsconfig that extends itself": _self_extending,
    "git file that leads to itself": _git_file_to_itself,
    "packed-refs of zeros": _written(".git/packed-refs", "\0" * 10_000_000),
    "HEAD that leads out": _written(".git/HEAD", "ref: ../../../../etc/passwd\n"),
    "nested exports": _written("package.json", '{"exports": ' + '{"a":' * 50_000 + "}" * 50_001),
    "nested tables": _written("Cargo.toml", "a = " + "[" * 50_000),
    "lines in pnpm-workspace.yaml": _written("pnpm-workspace.yaml", "packages:\n- '" * 60_000),
    "spaces in go.mod": _written("go.mod", "module " + " " * 900_000),
    "spaces in go.work": _written("go.work", "use " + "\t(" * 400_000),
    "entities in pom.xml": _written("pom.xml", '<!DOCTYPE a [<!ENTITY b "&b;&b;">]><a>&b;</a>'),
    "nested composer.json": _written("composer.json", '{"a":' * 200_000),
    "blanks in build.gradle": _written("build.gradle", "implementation" + " " * 900_000),
    "quotes in Python": _written("quotes.py", "'" * 250_000),
    "blanks in Python": _written("blanks.py", " " * 250_000),
    "patterns of a workspace": _member_patterns,
    **MORE_TREES,
    **PROJECT_TREES,
    **{f"pipe in place of {name}": _pipe(name) for name in _PIPES},
}
