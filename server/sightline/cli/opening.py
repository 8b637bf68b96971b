"""Open the workspace that a command names, with a progress bar while it is indexed."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from sightline.cli.output import Output, escape_controls
from sightline.engine.host import (
    Host,
    no_workspace,
    open_host,
    root_around,
    wrong_request,
)
from sightline.refusals import Refusal, RefusalKind
from sightline.workspace import Root


@contextlib.contextmanager
def open_indexed(
    options: argparse.Namespace,
    path: str | None,
    output: Output,
    overrides: Mapping[str, object] | None = None,
) -> Iterator[Host | Refusal]:
    """Open the workspace of a command, with its index updated and saved."""
    requested = {
        **(overrides or {}),
        "index.jobs": options.jobs,
        "index.store": None if options.store else False,
    }
    host = open_workspace(options, path, output, requested, keeps_index=True)
    if isinstance(host, Refusal):
        yield host
        return
    with host:
        refusal = _open_index(host, is_agreed=options.large)
        if refusal is not None and _agrees(refusal, host):
            refusal = _open_index(host, is_agreed=True)
        yield refusal or host


def open_workspace(
    options: argparse.Namespace,
    path: str | None,
    output: Output,
    requested: Mapping[str, object] | None = None,
    *,
    keeps_index: bool = False,
) -> Host | Refusal:
    """Open the workspace around a path, or the one that `--root` names, without an index."""
    asked = {**(requested or {}), "policy.allow": options.allow or None}
    shows_secrets = getattr(options, "show_secrets", False)
    if shows_secrets and not output.is_terminal:
        return _no_terminal()
    missing = _missing(options.root, path)
    root = root_of(options, path)
    if root is None:
        return missing
    if isinstance(root, Refusal):
        return root
    host = open_host(root.directory, asked, keeps_index=keeps_index)
    if isinstance(host, Refusal):
        return missing if host.reason == "invalid_root" else host
    refusal = wrong_request(host.loaded)
    if refusal is not None:
        host.close()
        return refusal
    for message in host.loaded.messages:
        output.reason(str(message))
    if root.is_elsewhere:
        output.reason(f"{path} is in another repository; the workspace is {root.directory}")
    if shows_secrets:
        host.shows_secrets = True
        output.reason("secrets are shown as they are; do not hand this output on")
    return host


def root_of(options: argparse.Namespace, path: str | None) -> Root | Refusal | None:
    """Return the root that `--root` names, else the one around a path; None if there is none."""
    if options.root is not None:
        # An empty string would mean the current directory, but is probably a mistake.
        return Root(Path(options.root or "\0"))
    try:
        return root_around(path or ".")
    except (OSError, ValueError):
        return None


def _missing(root: str | None, path: str | None) -> Refusal:
    """Return the refusal for a workspace that does not exist."""
    if root is not None or path is None:
        return no_workspace()
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "not_found",
        path,
        "there is no such file",
        "check the path, or name the workspace with --root",
    )


def _no_terminal() -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "not_a_terminal",
        None,
        "--show-secrets is for your own terminal, and stdout is not one",
        "leave --show-secrets out, or do not redirect the output",
        rule="secrets do not leave",
    )


def _agrees(refusal: Refusal, host: Host) -> bool:
    """Ask the person at the terminal, if there is one. No answer counts as no."""
    streams = (sys.stdin, sys.stderr)
    if not all(each is not None and each.isatty() for each in streams):
        return False
    question = f"{host.root}: {refusal.message}. Index it? [y/N] "
    sys.stderr.write(escape_controls(question))
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _open_index(host: Host, *, is_agreed: bool) -> Refusal | None:
    if sys.stderr is None or not sys.stderr.isatty():
        return host.open_index(is_agreed=is_agreed)
    if not is_agreed and (refusal := host.take_first_look()) is not None:
        return refusal
    columns = (
        TextColumn("indexing"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("indexing", total=None)

        def show(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        return host.open_index(show, is_agreed=True)
