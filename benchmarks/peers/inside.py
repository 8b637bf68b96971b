"""What a process measures of itself, so that the start of an interpreter is no part of it.

    python inside.py parse-only|parsed-and-walked|stat-walk TREE
    python inside.py fill|warm-start|relations TREE CACHE
    python inside.py resident-memory TREE
    python inside.py keystroke

Prints one JSON object. `parse-only` is the limit that an index is held against: one thread reads
every file and has it parsed, with the languages known, the grammars loaded and the garbage
collector off; each tree is dropped at once. `parsed-and-walked` runs a query that matches nothing
over each tree besides: what any query costs before it has found anything. `stat-walk` is the limit
of a warm start: every directory listed, every file looked at.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import json
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import tree_sitter

from sightline.index import Snapshot
from sightline.index.store import Saved, open_store
from sightline.languages import load_registry
from sightline.project import Project
from sightline.text import Span, Text, TextSpliced
from sightline.workers import Workers
from sightline.workspace import Workspace

Figures = dict[str, float]


def main() -> int:
    name, *arguments = sys.argv[1:]
    print(json.dumps(_MEASURED[name](*map(Path, arguments))))
    return 0


def parse_only(tree: Path) -> Figures:
    return _parsed(tree, lambda _: lambda _: None)


def parsed_and_walked(tree: Path) -> Figures:
    def walk_with(grammar: tree_sitter.Language) -> Callable[[tree_sitter.Tree], None]:
        nothing = tree_sitter.QueryCursor(tree_sitter.Query(grammar, "(ERROR) @_"))

        def walk(parsed: tree_sitter.Tree) -> None:
            nothing.matches(parsed.root_node)

        return walk

    return _parsed(tree, walk_with)


def _parsed(
    tree: Path, make: Callable[[tree_sitter.Language], Callable[[tree_sitter.Tree], None]]
) -> Figures:
    """Parse every file, and call a function with each tree."""
    registry = load_registry()
    tools: dict[str, tuple[tree_sitter.Parser, Callable[[tree_sitter.Tree], None]]] = {}
    work = []
    for path in _files(str(tree)):
        language = registry.for_path(path, Path(path).read_bytes())
        assert language is not None, f"{path} has no language"
        if language.name not in tools:
            grammar = language.grammar
            tools[language.name] = (tree_sitter.Parser(grammar), make(grammar))
        work.append((path, *tools[language.name]))
    size = 0
    gc.disable()
    stop = _start()
    for path, parser, use in work:
        with open(path, "rb", buffering=0) as stream:  # noqa: PTH123
            data = stream.read()
        use(parser.parse(data))
        size += len(data)
    return {**stop(), "files": len(work), "bytes": size}


def stat_walk(tree: Path) -> Figures:
    stop = _start()
    files = 0
    pending = [str(tree)]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)
                    files += 1
    return {**stop(), "files": files}


def fill(tree: Path, cache: Path) -> Figures:
    """Index a tree and store it, for a warm start to find.

    A stamp of the last two seconds is too young to be trusted, and its file would be read again.
    """
    newest = max(path.stat().st_ctime for path in tree.rglob("*"))
    time.sleep(max(0.0, newest + 2.5 - time.time()))
    with _project(tree, cache) as project:
        files = len(project.open().files)
        assert isinstance(project.save(), Saved)
    return {"files": files}


def relations(tree: Path, cache: Path) -> Figures:
    """From nothing to a snapshot with complete relations, with the CPU time of the workers."""
    # `versions.py` puts the benchmarks on the module path.
    from peers.measuring import cpu_seconds

    begin = cpu_seconds()
    with _project(tree, cache) as project:
        snapshot = project.open()
        cpu = cpu_seconds() - begin
        assert snapshot.index_complete
    return {"cpu": cpu, "files": len(snapshot.files)}


def warm_start(tree: Path, cache: Path) -> Figures:
    """From the store and an unchanged tree to an index that has answered a question.

    Everything that does not depend on the tree is loaded before: imports, the table of languages
    and the default rules.
    """
    registry = load_registry()
    with tempfile.TemporaryDirectory() as empty:
        Workspace(Path(empty)).survey()
    stop = _start()
    workspace = Workspace(tree)
    store = open_store(str(workspace.root), cache)
    with Workers() as workers, Project(workspace, registry, workers, store) as project:
        snapshot = project.open()
        # No symbol has this name, so the name table is read and no file is.
        snapshot.find("no symbol of this name")
        figures = stop()
        parsed = project.statistics.parsed
    assert not parsed, f"{parsed} files were parsed: this was no warm start"
    return {**figures, "files": len(snapshot.files)}


def resident_memory(tree: Path) -> Figures:
    """Resident memory that the index of a tree takes beyond the interpreter and its imports, in
    the process that has scanned and saved it."""
    with tempfile.TemporaryDirectory() as cache, _project(tree, Path(cache)) as project:
        before = _resident_bytes()
        files = len(project.open().files)
        project.save()
        gc.collect()
        taken = _resident_bytes() - before
    return {"files": files, "bytes": taken, "megabytes_per_1000": taken / 1e6 / files * 1000}


def keystroke() -> Figures:
    """Keys typed in a Python file of 10,000 lines, at places spread over it.

    Two ways of typing: a new statement key by key, and one letter more inside a name, which a
    parser is quickest with. Keys before or after which the tree has an error do not count: there
    nothing is incremental. Median seconds for one key, by the clock since an index parses in
    another process: the incremental parse alone, and all the way to a snapshot that has it.
    """
    source = _large_source()
    statements = _typed(source, b"        total = self.add(entry)\n", b"\n        ", 1)
    letters = _typed(source, b"x", b"subtotal", 3)
    figures: Figures = {}
    for name, keys in (("statement", statements), ("letter", letters)):
        parses = _incremental_parses(source, keys)
        edits, parsed = _edits_to_snapshots(source, keys)
        clean = [index for index, seconds in enumerate(parses) if seconds is not None]
        figures[f"{name}_incremental_parse"] = statistics.median(
            seconds for seconds in parses if seconds is not None
        )
        figures[f"{name}_edit"] = statistics.median(edits[index] for index in clean)
        figures["parsed"] = max(parsed)
    return figures


def _typed(source: bytes, typed: bytes, after: bytes, behind: int) -> list[tuple[int, bytes]]:
    """Yield offsets and keystrokes for a text that is typed at some places, from the end to the
    beginning.
    """
    keys = []
    places = max(6, 24 // len(typed))
    for part in range(places, 0, -1):
        place = source.index(after, len(source) * part // (places + 2)) + behind
        keys += [(place + index, typed[index : index + 1]) for index in range(len(typed))]
    return keys


def _incremental_parses(source: bytes, keys: list[tuple[int, bytes]]) -> list[float | None]:
    """Return the seconds for each keystroke; None if there is an error before or after it."""
    was_broken = False
    parser = tree_sitter.Parser(load_registry().languages["python"].grammar)
    tree = parser.parse(source)
    taken: list[float | None] = []
    for place, key in keys:
        after = source[:place] + key + source[place:]
        start, end = _point(source, place), _point(after, place + len(key))
        begin = time.perf_counter()
        tree.edit(place, place, place + len(key), start, start, end)
        tree = parser.parse(after, tree)
        seconds = time.perf_counter() - begin
        is_broken = tree.root_node.has_error
        taken.append(None if is_broken or was_broken else seconds)
        was_broken = is_broken
        if is_broken:
            tree = parser.parse(after)
        source = after
    return taken


def _point(text: bytes, offset: int) -> tuple[int, int]:
    return text.count(b"\n", 0, offset), offset - text.rfind(b"\n", 0, offset) - 1


def _edits_to_snapshots(
    source: bytes, keys: list[tuple[int, bytes]]
) -> tuple[list[float], list[int]]:
    """Return the seconds from each keystroke to its snapshot, and how many files were parsed."""
    taken, parsed = [], []
    with tempfile.TemporaryDirectory() as place_on_disk:
        tree, cache = Path(place_on_disk, "tree"), Path(place_on_disk, "cache")
        tree.mkdir()
        (tree / "ledger.py").write_bytes(source)
        (tree / "account.py").write_text("class Account:\n    pass\n", "utf-8")
        with _project(tree, cache) as project:
            project.open()
            project.save()
            text = Text(source)
            project.show("ledger.py", text)
            # The first edit sends the text to the worker that keeps its tree.
            for place, end, typed in ((0, 0, b"#\n"), (0, 2, b"")):
                edit = _spliced(text, place, end, typed)
                project.edit("ledger.py", [edit])
                text = edit.after
            for place, key in keys:
                so_far = project.statistics.parsed
                begin = time.perf_counter()
                edit = _spliced(text, place, place, key)
                snapshot = project.edit("ledger.py", [edit])
                taken.append(time.perf_counter() - begin)
                text = edit.after
                parsed.append(project.statistics.parsed - so_far)
                source = source[:place] + key + source[place:]
                assert isinstance(snapshot, Snapshot)
                assert snapshot.files["ledger.py"].digest == hashlib.sha256(source).digest()
    return taken, parsed


def _spliced(text: Text, start: int, end: int, replacement: bytes) -> TextSpliced:
    return TextSpliced(text, Span(start, end), replacement, text.spliced(start, end, replacement))


@contextlib.contextmanager
def _project(tree: Path, cache: Path) -> Iterator[Project]:
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    workspace = Workspace(tree)
    store = open_store(str(workspace.root), cache)
    with Workers() as workers, Project(workspace, load_registry(), workers, store) as project:
        yield project


def _large_source(lines: int = 10_000) -> bytes:
    classes = -(-lines // _CLASS.count("\n"))
    return "".join(_CLASS.format(number=number) for number in range(classes)).encode()


_CLASS = '''class Ledger{number}(Account):
    """The entries of one account, number {number}."""

    currency = "EUR"

    def __init__(self, owner, *entries):
        super().__init__(owner)
        self.entries = list(entries)

    def total(self, since=None):
        """What the entries since a day sum up to."""
        subtotal = 0
        for entry in self.entries:
            if since is None or entry.day >= since:
                subtotal += entry.amount * self.rate(entry.currency)
        return round(subtotal, 2)

    @property
    def balance(self):
        return self.total() + opening_balance(self.owner, {number})

'''


_MEASURED: dict[str, Callable[..., Figures]] = {
    "parse-only": parse_only,
    "parsed-and-walked": parsed_and_walked,
    "stat-walk": stat_walk,
    "fill": fill,
    "warm-start": warm_start,
    "relations": relations,
    "resident-memory": resident_memory,
    "keystroke": keystroke,
}


def _files(tree: str) -> Iterator[str]:
    for base, directories, names in os.walk(tree):
        directories.sort()
        yield from (f"{base}/{name}" for name in sorted(names))


def _resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize()


def _start() -> Callable[[], Figures]:
    cpu, wall = time.process_time(), time.perf_counter()

    def stop() -> Figures:
        return {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}

    return stop


if __name__ == "__main__":
    sys.exit(main())
