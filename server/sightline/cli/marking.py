"""What `allow` and `harmless` share: one thing to do, in the workspace that a path is in."""

from __future__ import annotations

import argparse

from sightline.cli.opening import open_workspace
from sightline.cli.output import Output
from sightline.engine.host import Host
from sightline.refusals import Refusal, RefusalKind


def open_for_marking(
    options: argparse.Namespace, output: Output, path: str | None
) -> Host | Refusal:
    """Open the workspace that is meant, if exactly one thing is to be done."""
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
