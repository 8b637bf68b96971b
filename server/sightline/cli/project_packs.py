"""`sightline pack`: a project pack on stdout, in a file, in parts, or on the clipboard.

stdout carries the pack, stderr lists what was left out of it.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from sightline.cli.delivery import copy_to_clipboard, write_file
from sightline.cli.opening import open_workspace
from sightline.cli.output import DONE, Output
from sightline.cli.pack_arguments import map_tokens
from sightline.engine.host import Host
from sightline.engine.pack_results import ProjectPackResult
from sightline.engine.packs import (
    PackRequest,
    build_project_pack,
    pack_bytes,
    pack_request,
    split_pack,
)
from sightline.refusals import Refusal, RefusalKind


def run_pack(options: argparse.Namespace, output: Output) -> int:
    refusal = _misused(options, output)
    if refusal is not None:
        return output.refuse(refusal)
    requested = {"index.jobs": options.jobs, "index.store": None if options.store else False}
    first = options.paths[0] if options.paths else None
    if options.root is None and first is not None and _is_project(first):
        # A named folder without a repository around it is itself the root.
        options.root, options.paths = first, options.paths[1:] and options.paths
    host = open_workspace(options, first, output, requested, keeps_index=True)
    if isinstance(host, Refusal):
        return output.refuse(host)
    with host, _shown_progress() as progress:
        request = _request(options)
        if isinstance(request, Refusal):
            return output.refuse(request)
        result = build_project_pack(host, request, progress, is_agreed=options.large)
        if result.refusal is not None:
            return output.refuse(result.refusal, result)
        parts = _parts(options, host, result)
    if isinstance(parts, Refusal):
        return output.refuse(parts)
    for warning in result.warnings:
        output.reason(warning)
    _deliver(options, output, parts)
    return DONE


def _request(options: argparse.Namespace) -> PackRequest | Refusal:
    return pack_request(
        {
            "paths": options.paths,
            "include": options.include,
            "exclude": options.exclude,
            "type": options.type,
            "format": options.format,
            "constraints": {
                "max_content_bytes": options.max_content_bytes,
                "max_files": options.max_files,
                "provider_limits": dict(options.provider_limit),
            },
            "encoding": {"on_decode_error": options.on_decode_error},
            "map_tokens": map_tokens(options.map_tokens),
            "timestamp": options.timestamp,
        }
    )


def _is_project(written: str) -> bool:
    """Return True if the path is a folder without a repository that is a workspace of its own."""
    from sightline.engine.host import root_around, root_named

    try:
        is_elsewhere = isinstance(root_around(written), Refusal)
        return is_elsewhere and not isinstance(root_named(written), Refusal)
    except (OSError, ValueError):
        return False


def _misused(options: argparse.Namespace, output: Output) -> Refusal | None:
    if options.split is not None and options.output is None:
        return _wrong("--split writes parts of a file, and --output is missing")
    if options.format == "msgpack" and options.copy:
        return _wrong("MessagePack is no text for a clipboard")
    if options.format == "msgpack" and options.output is None and output.is_terminal:
        return _wrong("MessagePack is no text for a terminal; name a file with --output")
    return None


def _parts(
    options: argparse.Namespace, host: Host, result: ProjectPackResult
) -> list[bytes] | Refusal:
    if options.split is not None:
        parts = split_pack(host, result.pack, options.format, options.split)
        if isinstance(parts, Refusal):
            return parts
        return [part.encode("utf-8") for part in parts]
    if options.format == "msgpack":
        return [pack_bytes(result.pack)]
    return [(result.rendered or "").encode("utf-8")]


def _deliver(options: argparse.Namespace, output: Output, parts: list[bytes]) -> None:
    if options.copy:
        content = b"".join(parts)
        output.reason(f"{len(content)} bytes {copy_to_clipboard(content)}")
    if options.output is not None:
        for name, content in zip(_names(options.output, len(parts)), parts, strict=True):
            write_file(name, content)
    elif not options.copy:
        if output.is_terminal:
            output.contents(parts[0], inserted=False)
        else:
            output.raw(parts[0])


def _names(written: str, number: int) -> list[str]:
    """Return the names of parts: `pack.md` becomes `pack.1.md`, `pack.2.md`."""
    if number == 1:
        return [written]
    path = Path(written)
    return [
        str(path.with_name(f"{path.stem}.{part}{path.suffix}")) for part in range(1, number + 1)
    ]


@contextlib.contextmanager
def _shown_progress() -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function that shows progress on a terminal; None elsewhere."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("packing"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("packing", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def _wrong(problem: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST, "usage", None, problem, "see 'sightline pack --help'"
    )
