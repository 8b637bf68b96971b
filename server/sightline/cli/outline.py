"""`sightline outline PATH…`: every symbol of each file."""

from __future__ import annotations

import argparse
import contextlib
import itertools
from collections.abc import Iterator, Sequence

from sightline.cli.opening import open_workspace, root_of
from sightline.cli.output import DONE, REFUSED, Output, about, padded
from sightline.engine.host import Host
from sightline.engine.outline import outlines
from sightline.engine.results import OutlineResult, OutlineSymbol, refused
from sightline.refusals import Refusal
from sightline.workspace import Root

_MOST_SIGNATURE_COLUMNS = 100


def run(options: argparse.Namespace, output: Output) -> int:
    codes = [DONE]
    is_first = True
    for result in _outlines(options, output):
        if result.refusal is not None:
            codes.append(output.refuse(result.refusal, result))
        elif output.json:
            output.result(result)
        else:
            if not is_first:
                output.line()
            _show(output, result)
            is_first = False
    # If files were refused for different reasons, the code for a withheld file wins.
    return REFUSED if REFUSED in codes else max(codes)


def _outlines(options: argparse.Namespace, output: Output) -> Iterator[OutlineResult]:
    """Outline files in the given order, each in the workspace around it."""
    with contextlib.ExitStack() as opened:
        hosts: dict[Root | Refusal | None, Host | Refusal] = {}

        def host_of(written: str) -> Host | Refusal:
            root = root_of(options, written)
            if root not in hosts:
                host = hosts[root] = open_workspace(options, written, output)
                if not isinstance(host, Refusal):
                    opened.enter_context(host)
            return hosts[root]

        for host, group in itertools.groupby(options.paths, host_of):
            yield from _in_workspace(host, list(group))


def _in_workspace(host: Host | Refusal, written: Sequence[str]) -> Iterator[OutlineResult]:
    if isinstance(host, Refusal):
        for each in written:
            yield refused(OutlineResult, about(host, each))
        return
    inside = [(each, host.path_of(each)) for each in written]
    results = outlines(host, [path for _, path in inside if isinstance(path, str)])
    for each, path in inside:
        if isinstance(path, Refusal):
            yield refused(OutlineResult, about(path, each))
        else:
            yield next(results)


def _show(output: Output, result: OutlineResult) -> None:
    symbols = result.symbols
    output.line(
        (result.path or "", "bold"),
        (f"  {result.language_title}, {_counted(result.line_count or 0, 'line')}, ", "dim"),
        (_counted(len(symbols), "symbol"), "dim"),
    )
    if result.first_error_line is not None:
        output.line(
            (
                f"  has syntax errors, the first on line {result.first_error_line}; "
                "what they touch is marked !",
                "red",
            )
        )
    rows = [_row(symbol) for symbol in symbols]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    for symbol, (lines, kind, name, signature) in zip(symbols, rows, strict=True):
        output.row(
            ("  " if symbol.reliable else "! ", "red"),
            (lines.rjust(widths[0]), "dim"),
            ("  " + kind.ljust(widths[1]), "cyan"),
            ("  " + padded(name, widths[2]), "bold"),
            ("  " + signature, ""),
        )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _row(symbol: OutlineSymbol) -> tuple[str, str, str, str]:
    owner = f"{symbol.container}." if symbol.container and symbol.depth == 0 else ""
    signature = " ".join(symbol.signature.split())
    if len(signature) > _MOST_SIGNATURE_COLUMNS:
        signature = signature[: _MOST_SIGNATURE_COLUMNS - 1] + "…"
    lines = f"{symbol.start_line}-{symbol.end_line}"
    if symbol.start_line == symbol.end_line:
        lines = str(symbol.start_line)
    return lines, symbol.kind, "  " * symbol.depth + owner + symbol.name, signature
