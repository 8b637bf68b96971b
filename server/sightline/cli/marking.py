"""Shared by `allow` and `harmless`: open the workspace of a path for a single action."""

from __future__ import annotations

import argparse

from sightline.cli.opening import open_workspace
from sightline.cli.output import Output
from sightline.engine.host import Host
from sightline.refusals import Refusal, RefusalKind


def open_for_marking(
    options: argparse.Namespace, output: Output, path: str | None
) -> Host | Refusal:
    """Open the workspace, if exactly one action was requested."""
    asked = [options.written is not None, options.list, options.remove is not None]
    if sum(asked) != 1:
        return Refusal(
            RefusalKind.INVALID_REQUEST,
            "usage",
            None,
            "give one of: what to add, --list, --remove",
            "see 'sightline allow --help' and 'sightline harmless --help'",
        )
    return open_workspace(options, path, output, {"index.jobs": 1})
