"""Hostile trees whose trap is in configuration, attributes, project files or source files."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable, Mapping
from pathlib import Path

import pygit2

Maker = Callable[[Path], object]

_STARS = "*a" * 60 + "*b"
_LONG_NAME = "a" * 200


def _config(text: str, pipe: str | None = None) -> Maker:
    """Add to the configuration of a repository with a commit and a change behind it."""

    def make(root: Path) -> None:
        if pipe is not None:
            os.mkfifo(root / pipe)
        _commit(root)
        with (root / ".git/config").open("a") as file:
            file.write(text)

    return make


def _commit(root: Path) -> None:
    """Commit the good file and change it, so that a review reads attributes and filters."""
    repository = pygit2.Repository(str(root))
    repository.index.add("a.py")
    repository.index.write()
    who = pygit2.Signature("a", "b", 0, 0)
    repository.create_commit("HEAD", who, who, "a", repository.index.write_tree(), [])
    (root / _LONG_NAME).write_text("x\n")
    repository.index.add(_LONG_NAME)
    repository.index.write()
    (root / _LONG_NAME).write_text("y\n")


def _attributes(text: str) -> Maker:
    def make(root: Path) -> None:
        _commit(root)
        (root / ".gitattributes").write_text(text)

    return make


def _written(name: str, text: str) -> Maker:
    def make(root: Path) -> None:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)

    return make


def _gitlinks(root: Path) -> None:
    """Submodules that stand in the git folder, above the root and in each other."""
    repository = pygit2.Repository(str(root))
    commit = pygit2.Oid(hex="12" * 20)
    for number in range(300):
        path = f"sub{number}/" * (number % 40 + 1) + "m"
        repository.index.add(pygit2.IndexEntry(path, commit, pygit2.enums.FileMode.COMMIT))
    repository.index.write()
    lines = "".join(
        f'[submodule "{path}"]\n\tpath = {path}\n\turl = ../{path}\n'
        for path in (".git", "..", "../..", "/etc", "a.py", *(f"sub{n}/m" for n in range(3_000)))
    )
    (root / ".gitmodules").write_text(lines)
    (root / "sub0").mkdir()
    (root / "sub0/.git").write_text("gitdir: ../.git\n")
    (root / "sub0/x.py").write_text("x = 1\n")


def _nested_git_pipes(root: Path) -> None:
    """Folders below that look like repositories, with pipes and devices in them."""
    for number, name in enumerate((".git", ".git/HEAD", ".git/config", ".git/index")):
        place = root / f"n{number}" / name
        place.parent.mkdir(parents=True)
        os.mkfifo(place)
        (root / f"n{number}/x.py").write_text("x = 1\n")
    (root / "n9").mkdir()
    (root / "n9/.git").symlink_to("/dev/zero")


def _reftable(root: Path) -> None:
    with (root / ".git/config").open("a") as file:
        file.write("[core]\n\trepositoryformatversion = 1\n[extensions]\n\trefStorage = reftable\n")
    shutil.rmtree(root / ".git/refs")
    (root / ".git/refs").mkdir()
    (root / ".git/refs/heads").write_text("this repository uses the reftable format\n")
    (root / ".git/HEAD").write_text("ref: refs/heads/.invalid\n")
    (root / ".git/reftable").mkdir()
    os.mkfifo(root / ".git/reftable/tables.list")


def _yaml(depth: int) -> str:
    """References that double: a few lines stand for 10 ** depth words."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, depth)]
    return "\n".join([*lines, f"packages: *a{depth - 1}", ""])


def _xml(depth: int) -> str:
    lines = ['<!ENTITY e0 "xxxxxxxxxx">']
    lines += [f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, depth)]
    return (
        f"<!DOCTYPE p [{''.join(lines)}]><project><artifactId>&e{depth - 1};</artifactId></project>"
    )


def _line_of_dependencies(root: Path) -> None:
    """Manifests of a megabyte, each in one line."""
    names = {f"dependency-{number}": "*" for number in range(35_000)}
    (root / "package.json").write_text(json.dumps({"name": "x", "dependencies": names}))
    (root / "composer.json").write_text(json.dumps({"require": names}))
    members = ", ".join(f'"m{number}/**"' for number in range(60_000))
    (root / "Cargo.toml").write_text(f"[workspace]\nmembers = [{members}]\n")
    (root / "pyproject.toml").write_text(f'[project]\nname = "x"\ndependencies = [{members}]\n')
    (root / "go.mod").write_text("module x\nrequire (" + "a.b/c v1.0.0; " * 70_000 + ")\n")


def _paths_of_tsconfig(root: Path) -> None:
    """Many patterns, and many imports that none of them leads anywhere."""
    paths = {f"*{number}": [f"src{number}/*"] for number in range(25_000)}
    (root / "tsconfig.json").write_text(json.dumps({"compilerOptions": {"paths": paths}}))
    imports = "".join(f"import {{ x{n} }} from 'pkg{n}x';\n" for n in range(20_000))
    (root / "b.ts").write_text(imports + "export function b() { return x1() + x2(); }\n")


def _places_of_tsconfig(root: Path) -> None:
    """One pattern that leads to many places."""
    places = [f"s{number}/*" for number in range(60_000)]
    options = {"compilerOptions": {"baseUrl": ".", "paths": {"*": places}}}
    (root / "tsconfig.json").write_text(json.dumps(options))
    imports = "".join(f"import {{ x{n} }} from 'pkg{n}x';\n" for n in range(3_000))
    (root / "b.ts").write_text(imports + "export function b() { return x1() + x2(); }\n")


def _exports_of_each_other(root: Path) -> None:
    """Each file passes on what every other one passes on; nobody has what is asked for."""
    every = "".join(f"export * from './m{number}';\n" for number in range(300))
    for number in range(300):
        (root / f"m{number}.ts").write_text(f"{every}export const v{number} = 1;\n")
    names = [f"w{number}" for number in range(2_000)]
    (root / "b.ts").write_text(
        f"import {{ {', '.join(names)} }} from './m0';\n"
        f"export function b() {{ return {' + '.join(f'{each}()' for each in names)}; }}\n"
    )


def _bases_of_bases(root: Path) -> None:
    """There are Fibonacci's number of ways to the first base."""
    classes = "".join(
        f"class C{n}(C{n - 1}, C{n - 2}):\n    def f{n}(self): return self.no{n}()\n"
        for n in range(2, 400)
    )
    (root / "bases.py").write_text(f"class C0: pass\nclass C1: pass\n{classes}")
    calls = "".join(f"    x.missing{n}()\n" for n in range(2_000))
    (root / "b.py").write_text(f"from bases import *\ndef b():\n    x = C399()\n{calls}")


def _long_chains(root: Path) -> None:
    (root / "b.py").write_text(
        "class A:\n    def b(self) -> 'A': return self\n"
        f"def area():\n    return A(){'.b()' * 20_000}\n"
    )
    (root / "b.ts").write_text(f"type X = {'Array<' * 50_000}string{'>' * 50_000};\n")


def _folders_in_folders(root: Path) -> None:
    """Names that are as long as all names around them: the square of the text."""
    (root / "b.cpp").write_text("namespace aaaaaaaaaa{" * 50_000 + "}" * 50_000 + "\n")
    (root / "b.rs").write_text("mod aaaaaaaaaa{" * 50_000 + "}" * 50_000 + "\n")
    (root / "b.js").write_text("function a(){" * 100_000 + "}" * 100_000 + "\n")


def _one_name(root: Path) -> None:
    """One name is declared and called tens of thousands of times."""
    for number in range(4):
        (root / f"d{number}.py").write_text("def same(): pass\n" * 40_000)
    (root / "b.py").write_text("def b():\n" + "    same()\n" * 40_000)


def _overloads(root: Path) -> None:
    overloads = "".join(f"void f(int a{number}) {{}}\n" for number in range(10_000))
    (root / "b.cpp").write_text(f"{overloads}void b() {{ {'f(1); ' * 10_000}}}\n")


def _sockets_for_files(root: Path) -> None:
    """Where a file is expected that is read by name."""
    here = Path.cwd()
    os.chdir(root)
    try:
        for name in (".gitignore", "tsconfig.json", ".sightline.toml", ".git/info/exclude"):
            Path(name).unlink(missing_ok=True)
            with socket.socket(socket.AF_UNIX) as each:
                each.bind(name)
    finally:
        os.chdir(here)


PROJECT_TREES: Mapping[str, Maker] = {
    "attributes file that is a pipe": _config("[core]\n\tattributesFile = pipe\n", "pipe"),
    "attributes file that is a pipe below": _config(
        "[core]\n\tattributesFile = ./pipe\n\texcludesFile = pipe\n", "pipe"
    ),
    "attributes file that is a device": _config("[core]\n\tattributesFile = /dev/zero\n"),
    "excludes file that is a device": _config("[core]\n\texcludesFile = /dev/zero\n"),
    "programs in the configuration": _config(
        "[core]\n\tfsmonitor = ./a.py\n\thooksPath = .\n\tsshCommand = ./a.py\n\tpager = ./a.py\n"
        '[filter "x"]\n\tclean = ./a.py\n\tsmudge = ./a.py\n\tprocess = ./a.py\n'
        '[diff "x"]\n\ttextconv = ./a.py\n\tcommand = ./a.py\n\txfuncname = "(a*)*(b*)*c"\n'
    ),
    "directories declared safe": _config("[safe]\n\tdirectory = *\n\tbareRepository = all\n"),
    "repository of SHA-256": _config(
        "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n"
    ),
    "partial clone of nowhere": _config(
        "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n"
        '[remote "origin"]\n\turl = ext::./a.py\n\tpromisor = true\n'
    ),
    "sections in sections": _config("[a " + '"' + "\\" * 60_000 + '"]\n' + "[" * 60_000 + "\n"),
    "value over many lines": _config("[core]\n\tx = " + "a\\\n" * 200_000 + "b\n"),
    "repository of reftables": _reftable,
    "attributes of stars": _attributes("".join(f"{_STARS}{n} diff=x\n" for n in range(50))),
    "attributes of many lines": _attributes("*.py filter=x diff=x ident text eol=crlf\n" * 300_000),
    "attributes of a long line": _attributes("*.py " + "a=b " * 2_000_000 + "\n"),
    "attributes of macros": _attributes(
        "".join(f"[attr]m{n} m{n + 1} m{n + 1}\n" for n in range(60)) + "* m0\n"
    ),
    "gitlinks": _gitlinks,
    "pipes in folders like repositories": _nested_git_pipes,
    "references in pnpm-workspace.yaml": _written("pnpm-workspace.yaml", _yaml(12)),
    "nested pnpm-workspace.yaml": _written("pnpm-workspace.yaml", "packages: " + "[" * 200_000),
    "entities in entities of pom.xml": _written("pom.xml", _xml(12)),
    "entities in entities of a project": _written("all.csproj", _xml(12)),
    "nested pom.xml": _written("pom.xml", "<a>" * 200_000),
    "tables in tables": _written("pyproject.toml", "[" + ".".join(["a"] * 300_000) + "]\n"),
    "inline tables": _written("Cargo.toml", "a = " + "{a = " * 100_000),
    "many tables": _written("Cargo.toml", "[[bin]]\npath = 'a'\n" * 45_000),
    "escapes in package.json": _written("package.json", '{"name": "' + "\\u0041" * 150_000 + '"}'),
    "numbers in package.json": _written("package.json", '{"a": ' + "9" * 900_000 + "}"),
    "same keys in package.json": _written("package.json", "{" + '"a":1,' * 120_000 + '"b":1}'),
    "manifests of one line": _line_of_dependencies,
    "comments in tsconfig": _written("tsconfig.json", "/*" * 500_000),
    "commas in tsconfig": _written("tsconfig.json", "{" + ", " * 500_000 + "}"),
    "paths of tsconfig": _paths_of_tsconfig,
    "places of tsconfig": _places_of_tsconfig,
    "files that export each other": _exports_of_each_other,
    "bases of bases": _bases_of_bases,
    "long chains": _long_chains,
    "namespaces in namespaces": _folders_in_folders,
    "one name everywhere": _one_name,
    "overloads": _overloads,
    "sockets for files": _sockets_for_files,
}
