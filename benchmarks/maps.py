"""What a map shows of the code that is changed next, beside aider's map.

    python benchmarks/maps.py REPOSITORY… [--commits 200] [--tokens 4096] [--cache DIR]

Of each repository, the tree before its newest commits with one parent is checked out. A definition
of that tree is wanted if one of those commits changes a line inside of it and the file has kept its
name since; a changed method counts for itself and not for its class. It is shown if the line with
its name stands in what the map shows of its file. Definitions of tests are left out of the second
count. Both maps are counted by the calibrated estimator; aider's may be larger than asked.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import attrs
import pygit2

from histories import Case, Checkout, Hunk, cases
from peers.asking import aider_python
from sightline.budget import Estimator, estimator
from sightline.engine.host import Host, open_host
from sightline.engine.packs import PackRequest, build_project_pack
from sightline.languages import Registry
from sightline.packs.hotspots import is_test
from sightline.symbols import FileSummary, summarize
from sightline.syntax import parse
from sightline.text import Text

_COUNTING = estimator("lexical-1:o200k")
_SHOWN_KINDS = frozenset(
    (
        *("class", "interface", "struct", "enum", "trait", "module", "type"),
        *("function", "method", "constructor", "macro"),
    )
)


@attrs.frozen
class Wanted:
    path: str
    symbol: str
    line: str
    """The line with the name, as it stands in the file."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--commits", type=int, default=200)
    parser.add_argument("--tokens", type=int, default=4096)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache/sightline-benchmarks")
    options = parser.parse_args()
    aider = aider_python(options.cache)
    for repository in options.repositories:
        with tempfile.TemporaryDirectory() as folder:
            _measure(repository, Path(folder), options.commits, options.tokens, aider)


def _measure(repository: Path, folder: Path, commits: int, tokens: int, aider: Path | None) -> None:
    checkout = Checkout(repository.resolve(), folder)
    opened = pygit2.Repository(str(repository))
    history = cases(opened, str(opened.head.target), _is_any, 1, 1_000)
    next_ones = [case for case, _ in zip(history, range(commits), strict=False)]
    checkout.show(next_ones[-1].parent)
    host = open_host(checkout.folder, {"index.store": False})
    if not isinstance(host, Host):
        raise SystemExit(host.sentence())
    with host:
        host.open_index()
        wanted = _wanted(host, next_ones)
        request = PackRequest(type="map", map_tokens=tokens)
        result = build_project_pack(host, request)
        assert result.pack is not None
        files = [path for path in host.snapshot.paths if host.snapshot.files[path].language]
        root = host.root
    rows = [("sightline", result.pack["map"], _by_path(result.pack["map"], files))]
    if aider is not None:
        text = _aider_map(aider, root, files, tokens, folder)
        rows.append(("aider", text, _by_path(text, files)))
    for name, text, shown in rows:
        product = [each for each in wanted if not is_test(each.path)]
        print(
            f"{repository.name}: {len(next_ones)} commits, {name}: {_tokens(text)} tokens, shows "
            f"{_share(wanted, shown)} of the definitions that they touch, "
            f"{_share(product, shown)} without tests",
            flush=True,
        )


def _is_any(_path: str, _data: bytes) -> bool:
    return True


def _wanted(host: Host, next_ones: list[Case]) -> list[Wanted]:
    """Return the definitions of the tree that later commits touch."""
    there: dict[str, dict[str, str]] = {}
    found: dict[tuple[str, str], Wanted] = {}
    for case in next_ones:
        for file in case.files:
            state = host.snapshot.files.get(file.path)
            if state is None or not state.language:
                continue
            if file.path not in there:
                data = (host.root / file.path).read_bytes()
                there[file.path] = _name_lines(host.registry, file.path, data)
            summary = _summary(host.registry, file.path, file.data)
            for hunk in file.hunks:
                for name in _touched(summary, hunk):
                    if name in there[file.path]:
                        line = there[file.path][name]
                        found.setdefault((file.path, name), Wanted(file.path, name, line))
    return [found[key] for key in sorted(found)]


def _summary(registry: Registry, path: str, data: bytes) -> FileSummary | None:
    language = registry.for_path(path, data)
    return None if language is None else summarize(parse(language, Text(data)))


def _name_lines(registry: Registry, path: str, data: bytes) -> dict[str, str]:
    summary = _summary(registry, path, data)
    lines = data.decode("utf-8", "replace").split("\n")
    return {
        each.qualified_name: lines[each.name_line - 1]
        for each in (summary.symbols if summary is not None else ())
        if each.kind in _SHOWN_KINDS
    }


def _touched(summary: FileSummary | None, hunk: Hunk) -> set[str]:
    """Return the innermost definitions around the lines that a hunk replaces or follows."""
    if summary is None:
        return set()
    found = set()
    for line in range(hunk.start, hunk.start + max(1, hunk.lines)):
        around = [
            each
            for each in summary.symbols
            if each.kind in _SHOWN_KINDS and each.start_line <= line <= each.end_line
        ]
        if around:
            found.add(max(around, key=lambda each: each.start_line).qualified_name)
    return found


def _aider_map(python: Path, root: Path, files: list[str], tokens: int, scratch: Path) -> str:
    """Return aider's map without any file in the chat."""
    script = Path(__file__).parent / "peers" / "aider_maps.py"
    question: dict[str, object] = {"root": str(root), "target": None, "names": []}
    question |= {"budgets": [tokens], "files": files, "characters": 400}
    done = subprocess.run(
        [str(python), str(script), str(scratch / "aider-tags")],
        input=json.dumps(question) + "\n",
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode or not done.stdout.strip():
        sys.exit(f"aider ended with {done.returncode}")
    text: str = json.loads(done.stdout.splitlines()[-1])[str(tokens)]
    return text


def _by_path(text: str, files: list[str]) -> dict[str, str]:
    paths = set(files)
    found: dict[str, str] = {}
    path = None
    for line in text.splitlines():
        if line.removesuffix(":") in paths:
            path = line.removesuffix(":")
            found.setdefault(path, "")
        elif path is not None:
            found[path] += line.removeprefix("│") + "\n"
    return found


def _share(wanted: list[Wanted], shown: Mapping[str, str]) -> str:
    count = sum(_core(each.line) in shown.get(each.path, "") for each in wanted)
    return f"{count}/{len(wanted)} ({100 * count / max(1, len(wanted)):.1f} %)"


def _core(line: str) -> str:
    """Return a line without its indentation and what opens a body."""
    return line.strip().rstrip("{: ")


def _tokens(text: str) -> int:
    assert isinstance(_COUNTING, Estimator)
    return _COUNTING.tokens(text)


if __name__ == "__main__":
    main()
