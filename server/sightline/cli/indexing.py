"""`sightline index`, `refs SYMBOL` and `explain PATH[:LINE]`: the index, and what it knows."""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from sightline.cli.files import no_lift
from sightline.cli.output import DONE, Output, padded
from sightline.index import Confidence, Place, Relation, RelationKind, Snapshot, Target
from sightline.index.store import Fault, NoStore, SaveFailure, open_store
from sightline.languages import load_registry
from sightline.project import Project
from sightline.refusals import Refusal, RefusalKind
from sightline.text import Text
from sightline.workers import Workers
from sightline.workspace import RootError, Workspace, find_root, is_lift

_MOST_DEFINITIONS = 20
_MOST_SHOWN = 200
_LINE = re.compile(r"(?P<path>.+?):(?P<line>[0-9]{1,9})(?::[0-9]{1,9})?", re.DOTALL)
_STYLES = {
    Confidence.RESOLVED: "green",
    Confidence.AMBIGUOUS: "yellow",
    Confidence.TEXTUAL: "dim",
}


def run_index(options: argparse.Namespace, output: Output) -> int:
    if options.path is not None and not _is_directory(options.path):
        return output.refuse(_no_root())
    with _opened(options, options.path) as opened:
        if isinstance(opened, Refusal):
            return output.refuse(opened)
        record = _index_record(opened)
        if output.json:
            output.record(record)
        else:
            _show_index(output, opened, detailed=options.stats)
        for path, refusal in sorted(opened.project.statistics.quarantined.items()):
            output.reason(f"{path}: {refusal.message}; {refusal.advice}")
        if opened.store_note:
            output.reason(opened.store_note)
        if options.watch:
            _watch(opened, output)
    return DONE


def _is_directory(path: str) -> bool:
    try:
        return Path(path or "\0").is_dir()
    except (OSError, ValueError):
        return False


def _watch(opened: _Opened, output: Output) -> None:
    """Say what the index has become after each change, until interrupted."""
    before = opened.snapshot.fingerprint
    for snapshot in opened.project.follow(threading.Event()):
        if snapshot.fingerprint == before:
            continue
        before = snapshot.fingerprint
        if opened.project.is_unsaved:
            opened.project.save()
        changed = attrs.evolve(opened, snapshot=snapshot)
        if output.json:
            output.record(_index_record(changed))
        else:
            _show_index(output, changed, detailed=False)


def run_refs(options: argparse.Namespace, output: Output) -> int:
    with _opened(options, None) as opened:
        if isinstance(opened, Refusal):
            return output.refuse(opened)
        snapshot = opened.snapshot
        targets = snapshot.find(options.symbol)
        if not targets:
            return output.refuse(_unknown(options.symbol))
        if len(targets) > _MOST_DEFINITIONS:
            return output.refuse(_too_many(snapshot, options.symbol, targets))
        found = [(target, _users(snapshot, target, options.hops)) for target in targets]
        if output.json:
            output.record(
                {
                    "symbol": options.symbol,
                    "index_complete": snapshot.index_complete,
                    "definitions": [
                        {
                            **_place_record(snapshot.place(target)),
                            "relations": [_relation_record(each) for each in relations],
                        }
                        for target, relations in found
                    ],
                }
            )
            return DONE
        lines = _Lines(opened.workspace)
        for number, (target, relations) in enumerate(found):
            if number:
                output.line(("", ""))
            _show_place(output, snapshot.place(target))
            _show_relations(output, lines, relations)
    return DONE


def run_explain(options: argparse.Namespace, output: Output) -> int:
    place = _LINE.fullmatch(options.path)
    typed = place["path"] if place else options.path
    with _opened(options, typed) as opened:
        if isinstance(opened, Refusal):
            return output.refuse(opened)
        path = opened.workspace.relative(typed)
        if isinstance(path, Refusal):
            return output.refuse(path)
        document = opened.workspace.read(path)
        if isinstance(document, Refusal):
            return output.refuse(document)
        snapshot = opened.snapshot
        target: Target | None = None
        if place:
            line = int(place["line"])
            if not 1 <= line <= max(1, document.text.last_line_number):
                return output.refuse(_no_line(path, line, document.text.last_line_number))
            target = snapshot.symbol_at(path, _first_on_line(document.text, line))
        relations = _around(snapshot, path, target, options.hops)
        about = snapshot.place(target) if target else Place(path, "", "file", 1)
        state = snapshot.files.get(path)
        if output.json:
            output.record(
                {
                    **_place_record(about),
                    "language": state.language if state and state.language else None,
                    "fault": state.fault if state and state.fault else None,
                    "index_complete": snapshot.index_complete,
                    "relations": [_relation_record(each) for each in relations],
                }
            )
            return DONE
        _show_place(output, about)
        _show_relations(output, _Lines(opened.workspace), relations)
    return DONE


@attrs.frozen
class _Opened:
    workspace: Workspace
    project: Project
    snapshot: Snapshot
    store_note: str


@contextlib.contextmanager
def _opened(options: argparse.Namespace, path: str | None) -> Iterator[_Opened | Refusal]:
    """The index of the workspace a command is about, brought up to date and stored."""
    for lift in options.allow:
        if not is_lift(lift):
            yield no_lift(lift)
            return
    try:
        root = Path(options.root or "\0") if options.root is not None else None
        workspace = Workspace(
            root if root is not None else find_root(Path(path or "."), Path.cwd()),
            lifted=tuple(options.allow),
        )
    except (RootError, OSError, ValueError):
        yield _no_root()
        return
    store = open_store(str(workspace.root)) if options.store else NoStore(Fault.UNAVAILABLE)
    with (
        Workers(options.jobs) as workers,
        Project(workspace, load_registry(), workers, store) as project,
    ):
        snapshot = _scan(project)
        note = ""
        if isinstance(store, NoStore) and options.store:
            note = f"the index is not kept: {_FAULTS.get(store.fault, store.fault)}"
        elif project.is_unsaved:
            outcome = project.save()
            if isinstance(outcome, SaveFailure):
                note = f"the index is not kept: {_FAULTS.get(outcome.fault, outcome.fault)}"
        yield _Opened(workspace, project, snapshot, note)


def _scan(project: Project) -> Snapshot:
    """Bring the index up to date, with a bar for whoever watches."""
    if sys.stderr is None or not sys.stderr.isatty():
        return project.open()
    columns = (
        TextColumn("indexing"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("indexing", total=None)
        return project.open(lambda done, total: progress.update(task, completed=done, total=total))


def _users(snapshot: Snapshot, target: Target, hops: int) -> list[Relation]:
    return [
        *snapshot.callers(target, hops),
        *snapshot.implementers(target),
        *snapshot.type_users(target),
        *snapshot.importers(target),
    ]


def _around(snapshot: Snapshot, path: str, target: Target | None, hops: int) -> list[Relation]:
    """Everything that a file, or a symbol of it, stands in relation to."""
    if target is None:
        return [*snapshot.dependencies(path), *snapshot.configs(path)]
    return [
        *snapshot.bases(target),
        *snapshot.implementers(target),
        *snapshot.callers(target, hops),
        *snapshot.callees(target, hops),
        *snapshot.types_used(target),
        *snapshot.configs(path),
    ]


def _index_record(opened: _Opened) -> dict[str, object]:
    snapshot, statistics = opened.snapshot, opened.project.statistics
    states = [state for state in snapshot.files.values() if state.language and not state.fault]
    files = Counter(state.language for state in states)
    declarations: Counter[str] = Counter()
    references: Counter[str] = Counter()
    for state in states:
        declarations[state.language] += state.declarations
        references[state.language] += state.references
    return {
        "root": opened.workspace.root.name,
        "index_complete": snapshot.index_complete,
        "fingerprint": snapshot.fingerprint,
        "visible": len(snapshot.files),
        "files": len(states),
        "declarations": declarations.total(),
        "references": references.total(),
        "languages": {
            name: {
                "files": files[name],
                "declarations": declarations[name],
                "references": references[name],
            }
            for name in sorted(files)
        },
        "parsed": statistics.parsed,
        "reused": statistics.reused,
        "withheld": dict(sorted(Counter(statistics.withheld.values()).items())),
        "quarantined": {
            path: state.fault for path in snapshot.paths if (state := snapshot.files[path]).fault
        },
    }


def _show_index(output: Output, opened: _Opened, *, detailed: bool) -> None:
    record = _index_record(opened)
    output.line(
        (f"{record['files']} files", "bold"),
        (f", {record['declarations']} declarations, {record['references']} references", ""),
        (f"  ({record['parsed']} parsed, {record['reused']} known)", "dim"),
    )
    output.line(("fingerprint ", "dim"), (str(record["fingerprint"]), ""))
    if not detailed:
        return
    languages = record["languages"]
    assert isinstance(languages, dict)
    for name, counts in languages.items():
        output.line(
            (f"  {padded(name, 12)}", ""),
            (
                f"{counts['files']:>8} files {counts['declarations']:>9} declarations "
                f"{counts['references']:>10} references",
                "",
            ),
        )
    withheld = record["withheld"]
    assert isinstance(withheld, dict)
    for reason, count in withheld.items():
        output.line((f"  withheld: {count} files, {reason}", "dim"))
    quarantined = record["quarantined"]
    assert isinstance(quarantined, dict)
    for path, fault in quarantined.items():
        output.line((f"  quarantined: {path}, {fault}", "yellow"))


def _show_place(output: Output, place: Place) -> None:
    where = f"{place.path}:{place.line}" if place.symbol else place.path
    output.line((place.symbol or place.path, "bold"), (f"  {place.kind}  {where}", "dim"))


def _show_relations(output: Output, lines: _Lines, relations: Sequence[Relation]) -> None:
    by_kind: dict[RelationKind, list[Relation]] = {}
    for relation in relations:
        by_kind.setdefault(relation.kind, []).append(relation)
    if not relations:
        output.line(("  nothing in the workspace relates to it", "dim"))
    for kind, found in by_kind.items():
        output.line((f"  {_TITLES[kind]} ({len(found)})", "cyan"))
        for relation in found[:_MOST_SHOWN]:
            targets = ", ".join(_shown(place) for place in relation.targets[:3])
            more = len(relation.targets) - 3
            evidence = relation.evidence
            output.line(
                (f"    {padded(relation.confidence.value, 10)}", _STYLES[relation.confidence]),
                (targets + (f" and {more} more" if more > 0 else ""), ""),
                (f"  [{relation.hops} hops]" if relation.hops > 1 else "", "dim"),
            )
            if kind is not RelationKind.CONFIG:
                output.line(
                    (f"               {evidence.path}:{evidence.line}: ", "dim"),
                    (lines.line(evidence.path, evidence.line), "dim"),
                )
        if len(found) > _MOST_SHOWN:
            output.line((f"    and {len(found) - _MOST_SHOWN} more; see --format json", "dim"))


def _shown(place: Place) -> str:
    return f"{place.path}::{place.symbol}:{place.line}" if place.symbol else place.path


class _Lines:
    """Lines of files as evidence, each file read once."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._texts: dict[str, Text | None] = {}

    def line(self, path: str, number: int) -> str:
        if path not in self._texts:
            document = self._workspace.read(path)
            self._texts[path] = None if isinstance(document, Refusal) else document.text
        text = self._texts[path]
        if text is None or number > text.line_count:
            return "(the file can no longer be read)"
        start, end = text.line_start(number - 1), text.line_end(number - 1)
        line = text.data[start:end].decode("utf-8").strip()
        return line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + "…"


def _first_on_line(text: Text, line: int) -> int:
    """The offset of the first character on a line that is no white space."""
    start, end = text.line_start(line - 1), text.line_end(line - 1)
    written = text.data[start:end]
    return start + len(written) - len(written.lstrip())


def _place_record(place: Place) -> dict[str, object]:
    return {
        "path": place.path,
        "symbol": place.symbol or None,
        "kind": place.kind,
        "line": place.line,
    }


def _relation_record(relation: Relation) -> dict[str, object]:
    return {
        "kind": relation.kind.value,
        "confidence": relation.confidence.value,
        "hops": relation.hops,
        "targets": [_place_record(place) for place in relation.targets],
        "evidence": {
            "path": relation.evidence.path,
            "line": relation.evidence.line,
            "name": relation.evidence.name,
        },
    }


def _unknown(symbol: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "unknown_symbol",
        None,
        f"nothing visible in the workspace declares '{symbol[:200]}'",
        "check the name; 'sightline outline PATH' lists the symbols of a file",
    )


def _too_many(snapshot: Snapshot, symbol: str, targets: Sequence[Target]) -> Refusal:
    return Refusal(
        RefusalKind.AMBIGUOUS_TARGET,
        "several_matches",
        None,
        f"'{symbol[:200]}' names {len(targets)} symbols",
        "choose one of them as PATH::SYMBOL",
        candidates=tuple(dict.fromkeys(str(snapshot.place(target)) for target in targets)),
    )


def _no_line(path: str, line: int, last: int) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "no_such_line",
        path,
        f"it has no line {line}",
        f"its last line is {last}",
    )


def _no_root() -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "invalid_root",
        None,
        "the workspace is not a directory",
        "give an existing directory",
    )


_LONGEST_LINE = 120
_TITLES = {
    RelationKind.CALLER: "called by",
    RelationKind.CALLEE: "calls",
    RelationKind.BASE: "extends or implements",
    RelationKind.IMPLEMENTER: "extended or implemented by",
    RelationKind.DEPENDENCY: "depends on",
    RelationKind.DEPENDENT: "used by",
    RelationKind.CONFIG: "configured by",
}
_FAULTS = {
    Fault.INSIDE_WORKSPACE: "the cache directory is inside the workspace",
    Fault.UNSAFE: "the cache directory is not ours alone",
    Fault.FULL: "the disk is full",
    Fault.DENIED: "the cache directory cannot be written to",
    Fault.BUSY: "another process is saving it",
    Fault.UNAVAILABLE: "the cache directory cannot be used",
}
