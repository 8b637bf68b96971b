"""`sightline index`, `refs SYMBOL` and `explain PATH[:LINE]`: the index, and what it knows."""

from __future__ import annotations

import argparse
import threading
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import attrs

from sightline.cli.evidence import Lines, no_line, split_line
from sightline.cli.opening import Opened, no_root, open_project
from sightline.cli.output import DONE, Output, padded
from sightline.index import Confidence, Place, Relation, RelationKind, Snapshot, Target
from sightline.refusals import Refusal, RefusalKind
from sightline.text import Text
from sightline.workers import Request, Task

_MOST_DEFINITIONS = 20
_MOST_SHOWN = 200
_STYLES = {
    Confidence.RESOLVED: "green",
    Confidence.AMBIGUOUS: "yellow",
    Confidence.TEXTUAL: "dim",
}


def run_index(options: argparse.Namespace, output: Output) -> int:
    if options.path is not None and not _is_directory(options.path):
        return output.refuse(no_root())
    with open_project(options, options.path, output) as opened:
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


def _watch(opened: Opened, output: Output) -> None:
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
    with open_project(options, None, output) as opened:
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
                            **snapshot.place(target).as_dict(),
                            "relations": [each.as_dict() for each in relations],
                        }
                        for target, relations in found
                    ],
                }
            )
            return DONE
        lines = Lines(opened.workspace)
        for number, (target, relations) in enumerate(found):
            if number:
                output.line(("", ""))
            _show_place(output, snapshot.place(target))
            _show_relations(output, lines, relations)
    return DONE


def run_explain(options: argparse.Namespace, output: Output) -> int:
    if options.target is not None:
        # Only this needs all that builds a bundle.
        from sightline.cli.explaining import run

        return run(options, output)
    if options.max_input_tokens is not None:
        return output.refuse(_without_target())
    typed, line = split_line(options.path)
    with open_project(options, typed, output) as opened:
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
        if line is not None:
            if not 1 <= line <= max(1, document.text.last_line_number):
                return output.refuse(no_line(path, line, document.text.last_line_number))
            target = _around(opened, path, document.text, line)
        relations = snapshot.around(path, target, options.hops or 1)
        about = snapshot.place(target) if target else Place(path, "", "file", 1)
        state = snapshot.files.get(path)
        if output.json:
            output.record(
                {
                    **about.as_dict(),
                    "language": state.language if state and state.language else None,
                    "fault": state.fault if state and state.fault else None,
                    "index_complete": snapshot.index_complete,
                    "relations": [each.as_dict() for each in relations],
                }
            )
            return DONE
        _show_place(output, about)
        _show_relations(output, Lines(opened.workspace), relations)
    return DONE


def _users(snapshot: Snapshot, target: Target, hops: int) -> list[Relation]:
    return [
        *snapshot.callers(target, hops),
        *snapshot.implementers(target),
        *snapshot.type_users(target),
        *snapshot.importers(target),
    ]


def _index_record(opened: Opened) -> dict[str, object]:
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


def _show_index(output: Output, opened: Opened, *, detailed: bool) -> None:
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


def _show_relations(output: Output, lines: Lines, relations: Sequence[Relation]) -> None:
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


def _around(opened: Opened, path: str, text: Text, line: int) -> Target | None:
    """The innermost symbol whose region the first character of a line is in."""
    start, end = text.line_start(line - 1), text.line_end(line - 1)
    written = text.data[start:end]
    offset = start + len(written) - len(written.lstrip())
    language = opened.registry.for_path(path, text.data)
    if language is not None:
        answer = opened.workers.ask(Request(Task.SUMMARIZE, language.name, text.data))
        if not isinstance(answer, Refusal):
            return opened.snapshot.symbol_around(path, offset, answer.summary)
    return opened.snapshot.symbol_at(path, offset)


def _without_target() -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "usage",
        None,
        "--max-input-tokens says how large a bundle may be, and --for is missing",
        "see 'sightline explain --help'",
    )


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


_TITLES = {
    RelationKind.CALLER: "called by",
    RelationKind.CALLEE: "calls",
    RelationKind.BASE: "extends or implements",
    RelationKind.IMPLEMENTER: "extended or implemented by",
    RelationKind.DEPENDENCY: "depends on",
    RelationKind.DEPENDENT: "used by",
    RelationKind.CONFIG: "configured by",
}
