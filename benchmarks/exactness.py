"""Symbols against real compiler front ends: name, container, first and last line.

    python benchmarks/exactness.py python [FOLDER]      the running Python's `ast`
    python benchmarks/exactness.py typescript FOLDER    the TypeScript compiler (npm `typescript`)
    python benchmarks/exactness.py java FOLDER          javac's tree API

Without a folder, Python is measured on the standard library of the running interpreter. Prints
how many of the compiler's declarations agree and every difference. A file that the compiler
rejects is left out; a file that it accepts and our grammar does not is counted and listed.
Symbols that the compiler has no declaration for (`exports.f = function () {}` in TypeScript) are
counted apart. Exit 1 below the target: 100 % for Python, 99.9 % for the others.
"""

from __future__ import annotations

import argparse
import ast
import json
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tokenize
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from sightline.languages import load_registry
from sightline.refusals import Refusal
from sightline.symbols import FileSummary
from sightline.workers import ParseRequest, ParseTask, Workers
from signatures import walk

_COMPILERS = Path(__file__).parent / "compilers"


class Declaration(NamedTuple):
    """The facts that are compared. `first` is the line of the doc comment, decorator or keyword
    with which it starts, `last` the line of its last token; `container` is dotted, empty at the top
    level.
    """

    container: str
    name: str
    first: int
    last: int


Truth = dict[Path, list[Declaration]]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("front_end", choices=["python", "typescript", "java"])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--show", type=int, default=40, help="differences to print")
    arguments = parser.parse_args()
    folder = arguments.folder or Path(sysconfig.get_path("stdlib"))
    truth_of: dict[str, Callable[[Path], Truth]] = {
        "python": python_truth,
        "typescript": typescript_truth,
        "java": java_truth,
    }
    truth = truth_of[arguments.front_end](folder)
    if not truth:
        print("no file to compare")
        return 1
    return compare(arguments.front_end, truth, arguments.show)


def compare(front_end: str, truth: Truth, show: int) -> int:
    registry = load_registry()
    files = sorted(truth)
    agreed = expected = 0
    rejected: list[str] = []
    differences: list[str] = []
    additional: list[str] = []
    with Workers() as workers:

        def requests() -> Iterator[ParseRequest]:
            for file in files:
                data = source_bytes(file)
                language = registry.for_path(file.as_posix(), data)
                assert language is not None
                yield ParseRequest(ParseTask.SUMMARIZE, language.name, data)

        for file, answer in zip(files, workers.ask_all(requests()), strict=True):
            wanted = Counter(truth[file])
            if isinstance(answer, Refusal) or not answer.summary.parse_clean:
                rejected.append(str(file))
                if isinstance(answer, Refusal):
                    continue
            ours = Counter(_CHOOSE[front_end](answer.summary))
            common = (ours & wanted).total()
            agreed += common
            expected += wanted.total()
            differences += [f"{file}: missing {each}" for each in sorted(wanted - ours)]
            additional += [f"{file}: additional {each}" for each in sorted(ours - wanted)]
    for lines in (differences, additional):
        print(*lines[:show], sep="\n", end="\n" if lines else "")
        if len(lines) > show:
            print(f"… and {len(lines) - show} more")
    for name in rejected[:show]:
        print(f"{name}: the compiler accepts it, the grammar finds errors")
    share = 100 * agreed / expected if expected else 0.0
    print(
        f"{front_end}: {len(files)} files, {expected} declarations, {agreed} agree "
        f"({share:.4f} %), {len(additional)} additional symbols, "
        f"{len(rejected)} files with grammar errors"
    )
    target = 100.0 if front_end == "python" else 99.9
    return 0 if share >= target else 1


def source_bytes(file: Path) -> bytes:
    """Return the text as UTF-8 without a byte order mark, as the workspace returns it."""
    data = file.read_bytes()
    if file.suffix == ".py":
        with tokenize.open(file) as stream:
            encoding = stream.encoding
        return data.decode(encoding).removeprefix("\ufeff").encode("utf-8")
    return data.removeprefix(b"\xef\xbb\xbf")


def python_truth(folder: Path) -> Truth:
    truth: Truth = {}
    for file in walk(folder):
        if file.suffix != ".py" or "site-packages" in file.parts:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(file.read_bytes(), str(file))
        except (SyntaxError, ValueError, UnicodeDecodeError):
            continue
        truth[file] = list(_python_declarations(tree, ""))
    return truth


def _python_declarations(tree: ast.AST, container: str) -> Iterator[Declaration]:
    pending: list[tuple[ast.AST, str]] = [(tree, container)]
    while pending:
        node, around = pending.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
                assert child.end_lineno is not None
                yield Declaration(around, child.name, first, child.end_lineno)
                pending.append((child, f"{around}.{child.name}" if around else child.name))
            else:
                pending.append((child, around))


def typescript_truth(folder: Path) -> Truth:
    npm = shutil.which("npm")
    node = shutil.which("node")
    if npm is None or node is None:
        sys.exit("node and npm are needed for the TypeScript compiler")
    files = [file for file in walk(folder) if file.suffix in (".ts", ".tsx", ".mts", ".cts")]
    with tempfile.TemporaryDirectory() as place:
        install = [npm, "install", "--no-audit", "--no-fund", "--silent", "typescript@5"]
        subprocess.run(install, cwd=place, check=True)
        shutil.copy(_COMPILERS / "typescript.cjs", place)
        return _from_json(_run([node, f"{place}/typescript.cjs"], files))


def java_truth(folder: Path) -> Truth:
    java = shutil.which("java")
    if java is None:
        sys.exit("a JDK is needed for javac's tree API")
    files = [file for file in walk(folder) if file.suffix == ".java"]
    return _from_json(_run([java, str(_COMPILERS / "JavaDeclarations.java")], files))


def _run(command: list[str], files: list[Path]) -> str:
    """A front end reads paths on its input and prints `[path, [declaration…]]` lines."""
    names = "".join(f"{file}\n" for file in files)
    return subprocess.run(command, input=names, text=True, check=True, capture_output=True).stdout


def _from_json(output: str) -> Truth:
    truth: Truth = {}
    for line in output.splitlines():
        path, rows = json.loads(line)
        truth[Path(path)] = [Declaration(*row) for row in rows]
    return truth


def _of_kinds(kinds: frozenset[str]) -> Callable[[FileSummary], list[Declaration]]:
    def choose(summary: FileSummary) -> list[Declaration]:
        return [
            Declaration(symbol.container or "", symbol.name, symbol.start_line, symbol.end_line)
            for symbol in summary.symbols
            if symbol.kind in kinds
        ]

    return choose


_TYPES = frozenset(["class", "interface", "struct", "enum", "trait"])
_CALLABLES = frozenset(["function", "method", "constructor"])
_CHOOSE = {
    "python": _of_kinds(_TYPES | _CALLABLES),
    "typescript": _of_kinds(_TYPES | _CALLABLES | {"module", "type", "property", "field"}),
    "java": _of_kinds(_TYPES | _CALLABLES),
}


if __name__ == "__main__":
    sys.exit(main())
