"""`sightline index`: index a workspace and print what it contains."""

from __future__ import annotations

import argparse
import threading
from pathlib import Path

from sightline.cli.opening import open_indexed
from sightline.cli.output import DONE, Output, padded
from sightline.engine.host import no_workspace
from sightline.engine.index import (
    follow,
    ignore_file_notes,
    index_status,
    quarantine_notes,
    retry_quarantined,
)
from sightline.engine.results import IndexResult
from sightline.refusals import Refusal


def run(options: argparse.Namespace, output: Output) -> int:
    if options.path is not None and not _is_directory(options.path):
        return output.refuse(no_workspace())
    with open_indexed(options, options.path, output) as host:
        if isinstance(host, Refusal):
            return output.refuse(host)
        if options.retry:
            retry_quarantined(host)
        _show(output, index_status(host), detailed=options.stats)
        for note in (*ignore_file_notes(host), *quarantine_notes(host)):
            output.reason(note)
        if host.store_note is not None:
            output.reason(host.store_note)
        if options.watch:
            for result in follow(host, threading.Event()):
                _show(output, result, detailed=False)
    return DONE


def _is_directory(path: str) -> bool:
    try:
        return Path(path or "\0").is_dir()
    except (OSError, ValueError):
        return False


def _show(output: Output, result: IndexResult, *, detailed: bool) -> None:
    if output.json:
        output.result(result)
        return
    output.line(
        (f"{result.files} files", "bold"),
        (f", {result.symbols} symbols, {result.references} references", ""),
        (f"  ({result.parsed} parsed, {result.reused} known)", "dim"),
    )
    output.line(("fingerprint ", "dim"), (result.fingerprint or "", ""))
    for each in result.hidden:
        output.line((f"  hidden: {each.sentence()}", "yellow"))
    if not detailed:
        return
    for name, counts in result.languages.items():
        output.line(
            (f"  {padded(name, 12)}", ""),
            (
                f"{counts.files:>8} files {counts.symbols:>9} symbols "
                f"{counts.references:>10} references",
                "",
            ),
        )
    for reason, count in result.withheld.items():
        noun = "file" if count == 1 else "files"
        output.line((f"  withheld: {count} {noun}, {reason}", "dim"))
    for path, fault in result.quarantined.items():
        output.line((f"  quarantined: {path}, {fault}", "yellow"))
