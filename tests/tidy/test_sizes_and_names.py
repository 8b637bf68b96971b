"""The server's files, functions and classes stay small, and a name has one meaning."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping

from tests.tidy import tree
from tests.tidy.contracts import FRONTS

LONGEST_FILE = 500
LONGEST_FUNCTION = 60
MOST_METHODS = 25
SHARED_MODULE_NAMES = frozenset(["__init__", "__main__", "model"])


def test_sizes_and_names() -> None:
    assert [*size_problems(tree.sources()), *name_problems(tree.sources())] == []


def test_what_is_too_large_is_reported() -> None:
    long = "\n".join(["def f():", *["    a = 1"] * 60])
    wide = "\n".join(["class C:", *[f"    def f{number}(self): ..." for number in range(26)]])
    made_up = {
        "a.py": ast.parse("\n" * 500 + "a = 1"),
        "b.py": ast.parse(long),
        "c.py": ast.parse(wide),
        "d.py": ast.parse("\n" * 499 + "a = 1"),
    }
    assert list(size_problems(made_up)) == [
        "a.py is longer than 500 lines",
        "b.py: f is longer than 60 lines",
        "c.py: C has more than 25 methods",
    ]


def test_a_name_with_two_meanings_is_reported() -> None:
    empty = ast.parse("")
    made_up = {
        "a.py": ast.parse("class Place: ..."),
        "b/__init__.py": ast.parse("def f():\n    class _Place: ..."),
        "b/a.py": empty,
        "b/model.py": empty,
        "c/model.py": empty,
        "engine/explain.py": empty,
        "cli/explain.py": empty,
        "lsp/explain.py": empty,
        "cli/output.py": empty,
        "lsp/output.py": empty,
    }
    assert list(name_problems(made_up)) == [
        "class Place: a.py, b/__init__.py",
        "module a: a.py, b/a.py",
        "module output: cli/output.py, lsp/output.py",
    ]


def size_problems(sources: Mapping[str, ast.Module]) -> Iterator[str]:
    for path, module in sources.items():
        if max((_last_line(node) for node in module.body), default=0) > LONGEST_FILE:
            yield f"{path} is longer than {LONGEST_FILE} lines"
        for node in ast.walk(module):
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    if _last_line(node) - node.lineno + 1 > LONGEST_FUNCTION:
                        yield f"{path}: {node.name} is longer than {LONGEST_FUNCTION} lines"
                case ast.ClassDef(name=name, body=body):
                    methods = [
                        each
                        for each in body
                        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
                    ]
                    if len(methods) > MOST_METHODS:
                        yield f"{path}: {name} has more than {MOST_METHODS} methods"


def name_problems(sources: Mapping[str, ast.Module]) -> Iterator[str]:
    """Classes and modules of one name; a front's module may be called like the engine's."""
    classes: dict[str, list[str]] = defaultdict(list)
    modules: dict[str, list[str]] = defaultdict(list)
    for path, module in sources.items():
        for node in ast.walk(module):
            if isinstance(node, ast.ClassDef):
                classes[node.name.lstrip("_")].append(path)
        room, _, file = path.rpartition("/")
        if not (room in FRONTS and f"engine/{file}" in sources):
            modules[file.removesuffix(".py")].append(path)
    for what, named in (("class", classes), ("module", modules)):
        for name, paths in sorted(named.items()):
            if len(paths) > 1 and not (what == "module" and name in SHARED_MODULE_NAMES):
                yield f"{what} {name}: {', '.join(paths)}"


def _last_line(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno
