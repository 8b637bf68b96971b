"""A fuzzer of trees: names, links, ignore files, manifests and git folders that nobody would make.

    python -m tests.faults.fuzzed_trees FIRST COUNT

makes the trees with COUNT seeds from FIRST on and asks everything of each. It prints each seed
before its tree is made, so that whoever watches knows which one ended the process:

* a tree that takes more than `LIMIT_SECONDS` of processor time ends it by a signal;
* one that blocks without using any ends it after `STUCK_SECONDS`;
* an exception, or an answer that is no JSON or shows what is outside the root, ends it with a
  traceback.

The same seed makes the same tree.
"""

# Names here are bytes, which `pathlib` does not take.
# ruff: noqa: PTH101, PTH102, PTH108, PTH118, PTH120, PTH123, PTH208, PTH211
from __future__ import annotations

import contextlib
import faulthandler
import os
import random
import shutil
import signal
import socket
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import msgspec
import pygit2

from sightline.api import OpenWorkspace
from sightline.engine.declared_source import rules_to_ask_about
from sightline.engine.host import Toolchain, open_host
from sightline.engine.recipe_requests import RecipeRequest, build_recipe
from sightline.packs.manifests import read_manifest, read_packages
from sightline.packs.routes import find_offers
from sightline.refusals import Refusal
from sightline.workers import Workers
from sightline.workspace import Workspace, find_root
from tests.packs.plain_source import PlainSource

LIMIT_SECONDS = 10
"""Processor time of this process for one tree."""
STUCK_SECONDS = 600
_LONG_SECONDS = 15
"""What takes longer is told, for whoever looks: something may have stood still meanwhile."""
CANARY = "canary_word_outside_of_the_root"

_GOOD = "def area() -> int:\n    return 2\n"
_NAMES = [
    b"a.py", b"b.ts", b"c.go", b"d.rs", b"e.java", b"f", b"g.txt", b".env", b"id_rsa", b"build",
    b"node_modules", b"vendor", b"packages", b"bin", b"src", b"con.py", b"a.py.", b"a.py ", b" ",
    b"-rf", b"--root", b"a:b.py", b"a\\b.py", b"a\nb.py", b"\x1b[31m.py", b"\x7f", b"\r",
    b"\xff\xfe.py", b"\xed\xa0\x80.py", b"\xc3(.py", "\u202egnp.py".encode(), "\u2066a.py".encode(),
    "e\u0301.py".encode(), "\u00e9.py".encode(), "\ufeff.py".encode(), "\u200b.py".encode(),
    b"A.PY", "ﬁ.py".encode(), "İ.py".encode(), b"x" * 252 + b".py", b"y" * 255,
    "😀.py".encode(), b"...", b"..a", b"~", b"*", b"?", b"[", b"!x", b"#x", b"$(x)", b"'", b'"',
    b".git", b".GIT", b"GIT~1", b".git\xe2\x80\x8c", b"B.PY", b"a.Py", b"SRC", b"obj", b"pipe",
    b".vscode", b".ssh", b"c.rb", b"d.php", b"e.cs", b"f.kt", b"g.swift", b"h.scala", b"i.lua",
    b"j.sh", b"k.cpp", b"l.h", b"m.tsx",
]  # fmt: skip
_IGNORE_FILES = [
    b".gitignore", b".sightlineignore", b".aiignore", b".cursorignore", b".aiexclude",
    b".aiderignore", b".codeiumignore", b".repomixignore", b".councilignore", b".gitattributes",
]  # fmt: skip
_PATTERNS = [
    b"*", b"!*", b"!a.py", b"/", b"//", b"**", b"**/**/**", b"/**/", b"*.py", b"!\\", b"\\", b"[",
    b"[!", b"[]-]", b"[z-a]", b"a[", b"*a*a*a*a*a*a*b/x", b"**/a/**/a/**/b", b"\xff", b"\x00",
    b"\xef\xbb\xbf*.ts", b"a.py\r", b"a.py ", b"\\ ", b"#", b"!", b"!!a", b"a/**/b/", b"?" * 300,
    b"*" * 3000, b"(" * 50, b"{a,b}", b"[[:alpha:]]", b"[[:nothing:]]",
    "\u202e".encode(), b"x" * 9000, b"*.py -text diff=x filter=x", b"[attr]x x",
    b"a.py export-ignore",
]  # fmt: skip
_MANIFESTS = [
    b"package.json", b"tsconfig.json", b"jsconfig.json", b"tsconfig.base.json", b"go.mod",
    b"Cargo.toml", b"pyproject.toml", b".sightline.toml", b"setup.cfg", b"composer.json",
    b"go.work", b"pom.xml", b"Makefile", b"pnpm-workspace.yaml", b"lerna.json", b"all.sln",
    b"setup.py", b"Pipfile", b"requirements.txt", b"build.gradle", b"build.sbt", b"a.csproj",
    b"packages.config", b"Gemfile", b"a.gemspec", b"pubspec.yaml", b"Package.swift",
    b"CMakeLists.txt", b"conanfile.txt", b"vcpkg.json", b"meson.build", b"README.md", b"CLAUDE.md",
    b"AGENTS.md", b".gitmodules", b"CODEOWNERS", b"urls.py", b"routes.rb", b".editorconfig",
    b"docker-compose.yml", b"Dockerfile", b"tsconfig.build.json", b"deno.json", b"nx.json",
    b"rush.json", b"Directory.Build.props", b"mix.exs", b"dune-project", b"WORKSPACE",
]  # fmt: skip
_MANIFEST_TEXTS = [
    b"", b"{", b"[", b"[" * 5000, b'{"a":' * 3000, b'"' * 5001, b"a." * 3000 + b"a = 1\n",
    b"[a]\n" * 500, b"\xff\xfe", b"\x00", b"null", b"[]", b'"a"', b"1e999999", b"{}",
    b'{"name": 1, "main": [], "exports": {"..": "../../outside"}, "workspaces": ["../outside"]}',
    b'{"compilerOptions": {"baseUrl": "../outside", "paths": {"*": ["../../outside/*"]}}}',
    b'{"extends": "./tsconfig.json"}', b'{"extends": "../outside/tsconfig.json"}',
    b"module ../outside\nreplace a => ../outside\n",
    b"[workspace]\nmembers = ['../outside', '**']\n",
    b'[package]\nname = "../outside"\n[lib]\npath = "../outside/canary.py"\n',
    b"[policy]\nallow = ['**']\ndeny = ['[', '*', '']\n", b"[budget]\nmax_input_tokens = -1\n",
    b"[index]\nask_above = 1\nstore = false\n", b"[project]\nname = 3\n", b"/* " * 2000,
    b"// x\n{,}", b"a: &a [*a, *a]\nb: *a\n", b"packages:\n- '../outside'\n- \"" + b"a" * 5000,
    b"- " * 4000, b'<!DOCTYPE a [<!ENTITY b SYSTEM "../outside/canary.py">]><a>&b;</a>',
    b"<a>" * 5000, b"from setuptools import setup\nsetup(name=" + b"(" * 400 + b")\n",
    b"-r ../outside/canary.py\n-r requirements.txt\n", b"add_subdirectory(../outside)\n" * 500,
    b"[submodule \"a\"]\n\tpath = ../outside\n\turl = /etc\n", b"# " * 4000 + b"\n[a](" * 900,
    b"urlpatterns = [path('a', include('..outside.canary'))]\n" + b"@app.route('/" * 900,
    b"app.get('/a', (" * 1500, b"Rails.application.routes.draw do\n" + b"  resources :a do\n" * 900,
    b'Project("{A}") = "a", "..\\outside\\canary.py", "{B}"\n' * 200,
    b"a: &a [x,x,x,x]\n" + b"".join(b"%c: &%c [*%c,*%c,*%c]\n" % (n, n, n - 1, n - 1, n - 1)
    for n in range(98, 122)) + b"packages: *z\n",
    b"<!DOCTYPE a [<!ENTITY a 'xxxxxxxx'>" + b"".join(
    b"<!ENTITY %c '&%c;&%c;&%c;&%c;'>" % (n, n - 1, n - 1, n - 1, n - 1) for n in range(98, 122)
    ) + b"]><project><artifactId>&y;</artifactId></project>",
    b"a = " + b"{a = " * 3000, b"[" + b"a." * 4000 + b"a]\n", b"[[a]]\n" * 3000,
    b'{"a": ' + b"9" * 9000 + b"}", b'{"' + b"\\u0041" * 3000 + b'": "\\ud800"}',
    b'{"workspaces": {"packages": ["**", "*/*/*/*", "[", "{a,b}{a,b}{a,b}{a,b}{a,b}"]}}',
    b'{"dependencies": {' + b",".join(b'"d%d": "*"' % n for n in range(5000)) + b"}}",
]  # fmt: skip
_SOURCES = [
    _GOOD.encode(), b"", b"\xef\xbb\xbfx = 1\n", b"# -*- coding: latin-1 -*-\nx = '\xe9'\n",
    b"import a\nfrom . import b\nfrom ...outside import canary\n", b"\x00\x01", b"x" * 100_000,
    b"import '../../outside/canary';\nexport * from '../outside/canary.py';\n", b"(" * 3000,
    b"class A:\n\x0c    def f(self):\r\n        pass\r\n", b"\xff\xfea\x00\n\x00", b"def f(:\n  \"",
    b'password = "Vq8zT2mWx5Kc9RfLb3Hn"\n', b"package a\nimport \"../outside\"\nfunc F() {}\n",
    b"use super::super::super::outside;\nmod canary;\n", b"\xe2\x80\xaedef f(): pass\n",
]  # fmt: skip
_GIT_FILES = [
    b"config", b"HEAD", b"index", b"packed-refs", b"shallow", b"info/exclude", b"commondir",
    b"gitdir", b"config.worktree", b"objects/info/alternates", b"refs/heads/main",
]  # fmt: skip
_GIT_TEXTS = [
    b"", b"\x00" * 20, b"[core]\n\tworktree = /etc\n", b"[core]\n\tworktree = ../outside\n",
    b"[core",
    b"[include]\n\tpath = ../../outside/canary.py\n",
    b"[core]\n\texcludesFile = ../outside/canary.py\n",
    b"[core]\n\tfsmonitor = touch pwned\n[core]\n\trepositoryformatversion = 99\n", b"../outside\n",
    b"ref: ../../../outside/canary.py\n", b"ref: refs/heads/main\n",
    b"DIRC\x00\x00\x00\x02\xff\xff\xff\xff",
    b"*a*a*a*a*a*a*b\n!\\\n", b"0" * 40 + b"\n", b"[extensions]\n\tworktreeConfig = true\n",
    b"x" * 70_000,
]  # fmt: skip


def make_tree(root: Path, outside: Path, seed: int) -> _TreeMaker:
    """Make the tree of a seed in a folder that is not there yet."""
    maker = _TreeMaker(root, outside, random.Random(seed))
    maker.make()
    return maker


class _TreeMaker:
    def __init__(self, root: Path, outside: Path, chance: random.Random) -> None:
        self._chance = chance
        self._root = os.fsencode(root)
        self._outside = os.fsencode(outside)
        self._folders = [self._root]
        self._made = [self._root]

    def make(self) -> None:
        os.mkdir(self._root)
        self._write(os.path.join(self._root, b"a.py"), _GOOD.encode())
        if self._chance.random() < 0.3:
            self._attempt(self._make_git)
        self._take_steps(self._chance.randrange(2, 22))
        if self._chance.random() < 0.05:
            self._attempt(self._make_deep)
        if self._chance.random() < 0.1:
            self._attempt(self._close)

    def change(self) -> None:
        """Add and remove something, as it may happen between two looks."""
        self._attempt(self._remove_something)
        self._take_steps(4)

    def _take_steps(self, count: int) -> None:
        steps: list[Callable[[], object]] = [
            self._make_source, self._make_source, self._make_folder, self._make_folder,
            self._make_link, self._make_special, self._make_ignore_file, self._make_manifest,
            self._make_nested_git,
        ]  # fmt: skip
        for _ in range(count):
            self._attempt(self._chance.choice(steps))

    def _remove_something(self) -> None:
        os.unlink(self._chance.choice(self._made))

    def _attempt(self, step: Callable[[], object]) -> None:
        """Some names are taken, too long or not possible here."""
        with contextlib.suppress(OSError, ValueError, pygit2.GitError):
            step()

    def _place(self, names: list[bytes]) -> bytes:
        place = os.path.join(self._chance.choice(self._folders), self._chance.choice(names))
        self._made.append(place)
        return place

    def _write(self, place: bytes, content: bytes) -> None:
        with open(place, "xb") as file:
            file.write(content)

    def _make_source(self) -> None:
        self._write(self._place(_NAMES), self._chance.choice(_SOURCES))

    def _make_folder(self) -> None:
        place = self._place(_NAMES)
        os.mkdir(place)
        self._folders.append(place)

    def _make_link(self) -> None:
        place = self._place(_NAMES)
        targets = [
            os.path.join(self._outside, b"canary.py"), self._outside, b"/", b"/etc/passwd", b".",
            b"..", place, b"a.py", b"../" * 40, b"/dev/zero", b"/proc/self/fd/0", b"x" * 4000,
            os.path.relpath(os.path.join(self._outside, b"canary.py"), os.path.dirname(place)),
            self._chance.choice(self._made), b"nowhere", b"./././a.py", b"\xff",
        ]  # fmt: skip
        os.symlink(self._chance.choice(targets), place)

    def _make_special(self) -> None:
        place = self._place([*_NAMES, *_IGNORE_FILES, *_MANIFESTS])
        if self._chance.random() < 0.8:
            os.mkfifo(place)
            return
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as bound:
            bound.bind(place)

    def _make_ignore_file(self) -> None:
        lines = self._chance.choices(_PATTERNS, k=self._chance.randrange(1, 6))
        self._write(self._place(_IGNORE_FILES), b"\n".join(lines) + b"\n")

    def _make_manifest(self) -> None:
        self._write(self._place(_MANIFESTS), self._chance.choice(_MANIFEST_TEXTS))

    def _make_git(self) -> None:
        git = os.path.join(self._root, b".git")
        if self._chance.random() < 0.2:
            leads = [
                b"../outside/gitdir",
                b".",
                b".git",
                b"/etc",
                b"/dev/zero",
                b"\xff",
                b"x" * 9000,
            ]
            self._write(git, b"gitdir: " + self._chance.choice(leads) + b"\n")
            return
        repository = pygit2.init_repository(os.fsdecode(self._root))
        self._make_commits(repository)
        self._attempt(lambda: self._make_submodules(repository))
        for _ in range(self._chance.randrange(4)):
            place = os.path.join(git, self._chance.choice(_GIT_FILES))
            self._attempt(partial(self._break, place))

    def _make_nested_git(self) -> None:
        """What looks like a repository below the root, or like a submodule."""
        folder = self._chance.choice(self._folders)
        git = os.path.join(folder, b".git")
        os.mkdir(git)
        for name in (b"HEAD", b"config", b"index", b"objects", b"refs"):
            if self._chance.random() < 0.7:
                self._attempt(partial(self._break, os.path.join(git, name)))

    def _make_submodules(self, repository: pygit2.Repository) -> None:
        """Say of some names that they are submodules, whatever will stand there."""
        lost = pygit2.Oid(hex="12" * 20)
        for name in self._chance.sample(_NAMES, self._chance.randrange(4)):
            path = name.decode("utf-8", "replace")
            repository.index.add(pygit2.IndexEntry(path, lost, pygit2.enums.FileMode.COMMIT))
        repository.index.write()

    def _make_commits(self, repository: pygit2.Repository) -> None:
        """Commit what nobody would commit: names that leave the tree, objects that are missing."""
        if self._chance.random() < 0.5:
            return
        blob = repository.create_blob(self._chance.choice(_SOURCES))
        lost = pygit2.Oid(hex="12" * 20)
        names = [b"a.py", b"..", b".git", b"a/../../outside", b"/etc/passwd", b"CLAUDE.md", b"\xff"]
        parents: list[pygit2.Oid] = []
        who = pygit2.Signature("a\x1b[31m", "b", 1 << self._chance.randrange(40), 14 * 60)
        for _ in range(self._chance.randrange(1, 4)):
            entries = b"".join(
                b"100644 " + name + b"\0" + self._chance.choice([blob, lost]).raw
                for name in sorted(self._chance.sample(names, 3))
            )
            tree = repository.odb.write(pygit2.enums.ObjectType.TREE, entries)
            message = self._chance.choice(["a", "\u202e", "x" * 70_000])
            parents = [repository.create_commit("HEAD", who, who, message, tree, parents)]
        # libgit2 takes all the time that it is given over some of them.
        if self._chance.random() < 0.04:
            self._damage_objects(os.path.join(self._root, b".git", b"objects"))

    def _damage_objects(self, objects: bytes) -> None:
        for folder, _, files in os.walk(objects):
            for name in sorted(files)[:1]:
                place = os.path.join(folder, name)
                os.chmod(place, 0o600)
                with open(place, "r+b") as file:
                    file.seek(self._chance.randrange(20))
                    file.write(self._chance.choice([b"", b"\xff", b"\0" * 200]))
                    file.truncate(self._chance.choice([0, 9, 1 << 30]))

    def _break(self, place: bytes) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(place)
        roll = self._chance.random()
        if roll < 0.2:
            os.mkfifo(place)
        elif roll < 0.3:
            os.symlink(os.path.join(self._outside, b"canary.py"), place)
        elif roll < 0.4:
            os.mkdir(place)
        else:
            self._write(place, self._chance.choice(_GIT_TEXTS))

    def _close(self) -> None:
        """Take every permission from something, never through a link: that may lead outside."""
        place = self._chance.choice(self._made)
        if not stat.S_ISLNK(os.lstat(place).st_mode):
            os.chmod(place, 0o000)

    def _make_deep(self) -> None:
        """A nest that is deeper than a path can be long."""
        name, depth = self._chance.choice([(b"d", 400), (b"e" * 200, 40)])
        descriptor = os.open(self._root, os.O_RDONLY)
        try:
            for _ in range(depth):
                os.mkdir(name, dir_fd=descriptor)
                below = os.open(name, os.O_RDONLY, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = below
        finally:
            os.close(descriptor)


def ask_everything(root: Path, toolchain: Toolchain) -> bytes:
    """Ask of a tree whatever can be asked, and return all answers as one text."""
    answers: list[object] = []
    workspace = Workspace(root)
    listed = list(workspace.files())
    assert listed == sorted(workspace.survey().rows, key=lambda path: path.encode("utf-8"))
    names = [*listed[:6], *sorted(os.listdir(root))[:6], "../outside/canary.py", "a.py"]
    for name in names:
        read = workspace.read(name)
        answers.append(read.as_dict() if isinstance(read, Refusal) else str(read.text))
        find_root(Path(name.replace("\0", "")), root)
    host = open_host(root, toolchain=toolchain, keeps_index=False)
    if isinstance(host, Refusal):
        answers.append(host.as_dict())
    else:
        with host:
            host.open_index(is_agreed=True)
            opened = OpenWorkspace(host)
            answers += [opened.index(), opened.settings(), opened.references("area")]
            answers += [opened.find("The area of b.ts"), opened.references("canary")]
            for name in dict.fromkeys([*names[:1], *names[-2:]]):
                place = str(root / name)
                answers += [
                    opened.slice(place, "signatures"),
                    opened.outline(place),
                    opened.explain(place),
                    opened.build(place, max_input_tokens=20_000),
                ]
            answers += [opened.snapshots.list(), *map(str, rules_to_ask_about(host))]
            answers += [build_recipe(host, each) for each in _RECIPES]
    answers += _read_packages(workspace, listed)
    return msgspec.json.encode(answers)


def look_again(root: Path, change: Callable[[], object]) -> None:
    """Let a tree change between two surveys: the second sees what a fresh one sees."""
    workspace = Workspace(root)
    before = workspace.survey()
    change()
    again, fresh = workspace.survey(before), Workspace(root).survey()
    assert again.files == fresh.files
    assert again.policy == fresh.policy
    assert again.faulty == fresh.faulty


def _read_packages(workspace: Workspace, listed: list[str]) -> list[str]:
    """Let the readers of project files and routes have every file that may be seen."""
    reads = {path: workspace.read(path) for path in listed}
    texts = {path: str(got.text) for path, got in reads.items() if not isinstance(got, Refusal)}
    source = PlainSource(texts)
    return [str(read_manifest(source)), str(read_packages(source)), str(find_offers(texts))]


_RECIPES = (
    RecipeRequest(recipe="review", base="HEAD~1"),
    RecipeRequest(recipe="review", base="HEAD~1", head="HEAD", by_symbol=False),
    RecipeRequest(recipe="implementation", task_file="README.md"),
    RecipeRequest(recipe="fix", report="a.py:1:1: error: a\n../outside/canary.py:1: error: b\n"),
    RecipeRequest(recipe="issue", issue="See `area` in a.py and ../outside/canary.py."),
)


def main() -> None:
    first, count = int(sys.argv[1]), int(sys.argv[2])
    with (
        tempfile.TemporaryDirectory(prefix="trees-") as folder,
        Workers(1, time_limit=LIMIT_SECONDS) as workers,
    ):
        os.environ["SIGHTLINE_CACHE_DIR"] = f"{folder}/cache"
        os.environ["SIGHTLINE_CONFIG_DIR"] = f"{folder}/config"
        toolchain = Toolchain(workers)
        outside = Path(folder) / "outside"
        (outside / "gitdir").mkdir(parents=True)
        canary = outside / "canary.py"
        for seed in range(first, first + count):
            print(seed, flush=True)
            canary.write_text(f"{CANARY} = 1\n")
            # A read moves the time of the last access forward if it is older than the last change.
            os.utime(canary, (1, 2))
            root = Path(folder) / f"tree{seed}"
            maker = make_tree(root, outside, seed)
            begun = time.monotonic()
            signal.setitimer(signal.ITIMER_PROF, LIMIT_SECONDS)
            faulthandler.dump_traceback_later(STUCK_SECONDS, exit=True)
            shown = ask_everything(root, toolchain)
            look_again(root, maker.change)
            signal.setitimer(signal.ITIMER_PROF, 0)
            faulthandler.cancel_dump_traceback_later()
            if time.monotonic() - begun > _LONG_SECONDS:
                print(f"{seed}: {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
            assert not Path("pwned").exists(), "a program of the workspace was run"
            assert not (root / "pwned").exists(), "a program of the workspace was run"
            assert CANARY.encode() not in shown, "what is outside the root was shown"
            assert canary.stat().st_atime == 1, "what is outside the root was read"
            _remove(root)


def _remove(root: Path) -> None:
    for folder, _, _, _ in os.fwalk(root, topdown=True, onerror=lambda _: None):
        with contextlib.suppress(OSError):
            os.chmod(folder, 0o700)
    shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    main()
