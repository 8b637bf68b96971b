"""Hostile trees whose trap is in the git folder, and trees of awkward links, devices and names."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import struct
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import pygit2

Maker = Callable[[Path], object]

_ID = "12" * 20
_LOOSE = f".git/objects/{_ID[:2]}/{_ID[2:]}"


def _head_at(root: Path, loose: bytes, size: int | None = None) -> None:
    """Let the branch lead to a loose object of these bytes, and maybe of more zeros."""
    place = root / _LOOSE
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("wb") as file:
        file.write(loose)
        file.truncate(size or len(loose))
    for name in ("master", "main"):
        (root / f".git/refs/heads/{name}").write_text(_ID + "\n")


def _zlib_bomb(root: Path) -> None:
    packer = zlib.compressobj(9)
    head = packer.compress(b"commit 4000000000\0")
    _head_at(root, head + packer.compress(b"\0" * (256 << 20)) + packer.flush())


def _lying_size(root: Path) -> None:
    _head_at(root, zlib.compress(b"commit 18446744073709551615\0tree " + b"1" * 40))


def _endless_ancestors(root: Path) -> None:
    repository = pygit2.Repository(str(root))
    tree = repository.TreeBuilder().write()
    who = pygit2.Signature("a", "b", 0, 0)
    parents: list[pygit2.Oid] = []
    for number in range(3_000):
        parents = [repository.create_commit(None, who, who, f"{number}", tree, parents * 9)]
    repository.references.create("refs/heads/master", parents[0], force=True)


def _tree_in_itself(root: Path) -> None:
    """Each tree has the next one thirty times: a walk over all paths never ends."""
    repository = pygit2.Repository(str(root))
    inner = repository.TreeBuilder().write()
    for _ in range(40):
        builder = repository.TreeBuilder()
        for number in range(30):
            builder.insert(f"d{number}", inner, pygit2.enums.FileMode.TREE)
        inner = builder.write()
    who = pygit2.Signature("a", "b", 0, 0)
    repository.create_commit("HEAD", who, who, "a", inner, [])


def _garbage_packs(root: Path) -> None:
    packs = root / ".git/objects/pack"
    packs.mkdir(parents=True, exist_ok=True)
    for number in range(300):
        name = f"pack-{number:040x}"
        (packs / f"{name}.idx").write_bytes(b"\xfftOc\0\0\0\2" + b"\xff" * 1_024)
        (packs / f"{name}.pack").write_bytes(b"PACK\0\0\0\2\xff\xff\xff\xff")
    (packs / "multi-pack-index").write_bytes(b"MIDX\1\1\xff\xff" + b"\xff" * 5_000)
    (root / ".git/objects/info").mkdir(exist_ok=True)
    (root / ".git/objects/info/commit-graph").write_bytes(b"CGPH\1\1\xff\xff" + b"\xff" * 5_000)


def _largest_index(root: Path) -> None:
    entries = []
    for number in range(40_000):
        name = b"d%07d/" % number + b"x" * 980
        entry = struct.pack(">10I", 0, 0, 0, 0, 0, 0, 0o100644, 0, 0, 1) + b"\1" * 20
        entry += struct.pack(">H", len(name)) + name
        entries.append(entry + b"\0" * (8 - len(entry) % 8))
    data = b"DIRC" + struct.pack(">II", 2, len(entries)) + b"".join(entries)
    (root / ".git/index").write_bytes(data + hashlib.sha1(data).digest())


def _many_refs(root: Path) -> None:
    with (root / ".git/packed-refs").open("w") as file:
        file.write("# pack-refs with: peeled fully-peeled sorted\n")
        file.writelines(f"{number:040x} refs/heads/b{number:06}\n" for number in range(200_000))


def _refs_in_a_circle(root: Path) -> None:
    (root / ".git/refs/heads/master").write_text("ref: refs/heads/main\n")
    (root / ".git/refs/heads/main").write_text("ref: refs/heads/master\n")


def _config(text: str) -> Maker:
    def make(root: Path) -> None:
        with (root / ".git/config").open("a") as file:
            file.write(text)

    return make


def _link(name: str, target: str) -> Maker:
    def make(root: Path) -> None:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(target)

    return make


def _git_link(target: str) -> Maker:
    def make(root: Path) -> None:
        (root / ".git").rename(root.parent / f"{root.name} git")
        (root / ".git").symlink_to(target)

    return make


def _nested_repositories(root: Path) -> None:
    here = root
    for _ in range(60):
        here = here / "r"
        pygit2.init_repository(str(here))
        (here / ".gitignore").write_text("*a*a*a*b\n!r\n")
        (here / "x.py").write_text("x = 1\n")


def _many_ignore_files(root: Path) -> None:
    lines = "".join(f"**/a{number}/**/*.b\n" for number in range(200))
    for number in range(400):
        (root / f"d{number}").mkdir()
        (root / f"d{number}/.gitignore").write_text(lines)
        (root / f"d{number}/x.py").write_text("x = 1\n")


def _doubling_links(root: Path) -> None:
    """There are 2 ** 40 paths to the last folder."""
    for number in range(40):
        (root / f"l{number}").mkdir()
        for name in ("a", "b"):
            (root / f"l{number}/{name}").symlink_to(f"../l{number + 1}")
    (root / "l40").mkdir()
    (root / "l40/x.py").write_text("x = 1\n")


def _devices(root: Path) -> None:
    """Only root makes devices; for others, files without permission stand in their place."""
    for name in ("b.py", ".gitignore", ".sightlineignore", "package.json", ".sightline.toml"):
        try:
            os.mknod(root / name, 0o600 | stat.S_IFCHR, os.makedev(1, 5))
        except OSError:
            (root / name).write_text("x = 1\n")
            (root / name).chmod(0o000)


def _same_names(root: Path) -> None:
    for name in ("B.py", "b.py", ".GITIGNORE", ".Gitignore", "e\u0301.py", "\u00e9.py", "ﬁ.py"):
        (root / name).write_text("x = 1\n")
    for name in (".GIT", ".git ", ".git\u200c", ".g\u200dit", "\uff0egit", "GIT~1", ".git."):
        (root / name).mkdir()
        (root / name / "config").write_text("[core]\n\tworktree = /etc\n")


def _many_workspaces(root: Path) -> None:
    (root / "packages").mkdir()
    (root / "packages/x.py").write_text("x = 1\n")
    globs = ",".join('"packages/**/*{a,b}*"' for _ in range(40_000))
    (root / "package.json").write_text(f'{{"workspaces": [{globs}]}}')
    (root / "all.sln").write_text('Project("{A}") = "a", "' * 40_000)


def _links_of_build_tools(root: Path) -> None:
    for name, target in (
        ("bazel-out", "/tmp/nowhere/execroot/_main/bazel-out"),
        ("bazel-bin", "/usr/bin"),
        ("bazel-src", "."),
        ("result", "/nix/store/abc-project"),
    ):
        (root / name).symlink_to(target)
    store = root / "node_modules/.pnpm/a@1.0.0/node_modules"
    store.mkdir(parents=True)
    for name in ("a", "b"):
        (store / name).mkdir()
        (root / f"node_modules/{name}").symlink_to(f".pnpm/a@1.0.0/node_modules/{name}")
    (store / "a/self").symlink_to("../a")


def _hidden_folders_without_end(root: Path) -> None:
    """What a rule hides is counted: up to a limit."""
    for number in range(30):
        folder = root / "packages" / f"p{number}"
        folder.mkdir(parents=True)
        for each in range(1_000):
            os.mknod(folder / f"x{each}.py")


def _long_lines(root: Path) -> None:
    (root / ".gitignore").write_text("!" * 900_000 + "\n")
    (root / ".sightlineignore").write_text("[" * 900_000 + "\n")
    (root / ".cursorignore").write_text("a/" * 450_000 + "\n")


def _closed_folders(root: Path) -> None:
    for name in ("closed", ".cursor", "src"):
        (root / name).mkdir()
        (root / name / "x.py").write_text("x = 1\n")
        (root / name).chmod(0o000)


def _file_for_folder(root: Path) -> None:
    for name in (".git/objects/pack", ".git/refs/heads", ".git/info", ".git/hooks"):
        with contextlib.suppress(OSError):
            for each in (root / name).iterdir():
                each.unlink()
            (root / name).rmdir()
        (root / name).write_text("x\n")


MORE_TREES: Mapping[str, Maker] = {
    "commit that unpacks to gigabytes": _zlib_bomb,
    "commit that is cut off": lambda root: _head_at(root, zlib.compress(b"commit 99\0")[:9]),
    "commit of a sparse gigabyte": lambda root: _head_at(root, zlib.compress(b"x"), 1 << 30),
    "commit of a lying size": _lying_size,
    "commits without end": _endless_ancestors,
    "tree of a trillion paths": _tree_in_itself,
    "packs of garbage": _garbage_packs,
    "largest index": _largest_index,
    "many refs": _many_refs,
    "refs in a circle": _refs_in_a_circle,
    "work tree elsewhere": _config("[core]\n\tworktree = /etc\n"),
    "megabyte of sections": _config("[a]\n\tb = c\n" * 100_000),
    "includes by condition": _config('[includeIf "gitdir:/"]\n\tpath = /dev/zero\n' * 100),
    "git folder that is a link": _git_link("/etc"),
    "git folder that is a long link": _git_link("x" * 4_000),
    "git folder that is its own link": _git_link(".git"),
    "git folder that is a device": _git_link("/dev/zero"),
    "objects that are a link": _link(".git/objects/12", "/proc/self/fd"),
    "files in place of folders of git": _file_for_folder,
    "nested repositories": _nested_repositories,
    "many ignore files": _many_ignore_files,
    "links that double": _doubling_links,
    "devices": _devices,
    "same names": _same_names,
    "many workspaces": _many_workspaces,
    "links of build tools": _links_of_build_tools,
    "hidden folders without end": _hidden_folders_without_end,
    "ignore files of one line": _long_lines,
    "closed folders": _closed_folders,
    "conventions that are a link": _link("AGENTS.md", "/dev/zero"),
    "settings that are a link": _link(".sightline.toml", "/dev/zero"),
    "attributes that are a link": _link(".gitattributes", "/dev/zero"),
}
