"""The options of `sightline snapshot`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

_KINDS = {
    "file": ("PATH", "add a file of the repository"),
    "url": ("ADDRESS", "add a page; --content gives its text"),
    "snippet": ("LABEL", "add a text; --content gives it"),
    "command": ("COMMAND", "add a command; --output gives what it printed"),
    "image": ("PATH", "add an image, which is stored unchanged"),
}


def add_snapshot(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Store what an AI saw in the repository itself (refs/ai/), so that it can be proved later."
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    _add_create(actions.add_parser("create", help="store a snapshot and print its id"))
    listing = _add(actions, "list", "list snapshots, the oldest first")
    listing.add_argument(
        "--for", dest="path", metavar="PATH", help="only snapshots that contain this file or label"
    )
    listing.add_argument(
        "--since",
        metavar="TIME",
        help="only snapshots made since this time: 2026-01-31, or 2026-01-31T08:00:00Z",
    )
    listing.add_argument(
        "--commit",
        metavar="REV",
        help="only snapshots that this commit's AI-Context line names, or that were made when it "
        "was "
        "checked out",
    )
    _with_id(_add(actions, "show", "show what a snapshot contains"))
    content = _with_id(_add(actions, "cat", "print exactly what was sent"))
    content.add_argument(
        "item",
        nargs="?",
        metavar="PATH",
        help="print this item instead: a path or label that 'show' lists",
    )
    difference = _add(actions, "diff", "show how two snapshots differ")
    difference.add_argument(
        "id",
        metavar="A",
        help="the first snapshot: an id, the beginning of one, or an exported file",
    )
    difference.add_argument("other", metavar="B", help="the second snapshot")
    difference.add_argument("--patch", action="store_true", help="also show the changed lines")
    _with_id(
        _add(
            actions,
            "verify",
            "check a snapshot, and build its bundle again from the repository alone",
        )
    )
    _add_keeping(actions)


def _add_keeping(actions: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add what removes snapshots, links to them, and moves them."""
    pruning = _add(actions, "prune", "remove snapshots, and the refs that only they need")
    pruning.add_argument(
        "ids", nargs="*", metavar="ID", help="ids of snapshots, or the beginnings of ids"
    )
    pruning.add_argument(
        "--before", metavar="TIME", help="also remove all snapshots made before this time"
    )
    collecting = _add(actions, "gc", "remove old objects that neither git nor a snapshot needs")
    collecting.add_argument(
        "--days", type=float, default=14.0, help="remove only objects that are older (default: 14)"
    )
    collecting.add_argument("--dry-run", action="store_true", help="only count the objects")
    trailer = _with_id(
        _add(actions, "trailer", "print the line for a commit message that links to a snapshot")
    )
    trailer.description = (
        "Print the line for a commit message that links the commit to a snapshot. To add it: "
        'git commit --trailer "$(sightline snapshot trailer ID)"'
    )
    exporting = _with_id(_add(actions, "export", "write a snapshot and its contents to a file"))
    exporting.add_argument(
        "--output", metavar="FILE", help="write to this file (default: standard output)"
    )
    exporting.add_argument(
        "--interop",
        action="store_true",
        help="write only the JSON object, with hashes as lists of numbers",
    )
    importing = _add(actions, "import", "store an exported snapshot in this repository")
    importing.add_argument("file", metavar="FILE", help="a file that 'export' or '--to' wrote")
    _add_retention(importing)


def add_recording(parser: argparse.ArgumentParser) -> None:
    """Add the options that record a build as a snapshot in one step."""
    parser.add_argument(
        "--snapshot",
        action="store_true",
        help="also store the bundle as a context snapshot, and print its id on stderr",
    )
    parser.add_argument(
        "--snapshot-to",
        metavar="FILE",
        help="write the context snapshot to a file; this needs no repository",
    )


def _add_create(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_runs("create"), items=[])
    _add_common(parser)
    parser.add_argument(
        "bundle",
        nargs="?",
        metavar="BUNDLE.json",
        help="a file that 'sightline build --format json' wrote",
    )
    for kind, (metavar, help_) in _KINDS.items():
        parser.add_argument(
            f"--{kind}", action=_ItemOption, kind=kind, metavar=metavar, help=help_, default=None
        )
    parser.add_argument(
        "--content",
        "--output",
        action=_ContentOption,
        metavar="FILE|-",
        help="the content of the item before this option; - reads standard input",
    )
    parser.add_argument("--summary", metavar="TEXT", help="what the snapshot is about")
    parser.add_argument(
        "--to", metavar="FILE", help="write the snapshot to a file; this needs no repository"
    )
    parser.add_argument(
        "--heuristic",
        action="store_true",
        help="record that a program selected the items, not a person",
    )
    parser.add_argument(
        "--by", metavar="KIND:ID", help="who saw the items: human:ada, agent:coder (default: you)"
    )
    _add_retention(parser)


def _add_retention(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--keep",
        choices=["refs", "orphan", "pack", "mark"],
        default="refs",
        help="what protects the objects from git's garbage collection: a ref for each (refs), a "
        "commit "
        "(orphan), a pack of their own (pack), or only 'sightline snapshot gc' (mark) (default: "
        "refs)",
    )


class _ItemOption(argparse.Action):
    """Adds an item: its kind, its path and the source of its content."""

    def __init__(self, kind: str, **keywords: Any) -> None:
        super().__init__(**keywords)
        self._kind = kind

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        _option: str | None = None,
    ) -> None:
        namespace.items = [*namespace.items, (self._kind, str(values), None)]


class _ContentOption(argparse.Action):
    """Sets the source of the last item's content."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        if not namespace.items:
            parser.error(f"{option_string} has no item before it")
        kind, path, _ = namespace.items[-1]
        namespace.items = [*namespace.items[:-1], (kind, path, str(values))]


def _add(
    actions: argparse._SubParsersAction[argparse.ArgumentParser], name: str, help_: str
) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=help_)
    _add_common(parser)
    parser.set_defaults(run=_runs(name))
    return parser


def _with_id(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument(
        "id", metavar="ID", help="the id of a snapshot, the beginning of an id, or an exported file"
    )
    return parser


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format",
        choices=["text", "json"],
        default="text",
        help="text for people, json for programs (default: text)",
    )
    parser.add_argument(
        "--root",
        metavar="DIR",
        help="the repository (default: the one around the current directory)",
    )


def _runs(action: str) -> Callable[..., int]:
    """Return a function that loads the module of an action when it runs."""

    def run(options: argparse.Namespace, output: object) -> int:
        from sightline.cli import snapshots

        code: int = getattr(snapshots, f"run_{action}")(options, output)
        return code

    return run
