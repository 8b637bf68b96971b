"""The options of `sightline snapshot`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

_KINDS = {
    "file": ("PATH", "a file of the repository"),
    "url": ("ADDRESS", "a page; its content is what --content says"),
    "snippet": ("LABEL", "a text; its content is what --content says"),
    "command": ("COMMAND", "a command; its output is what --output says"),
    "image": ("PATH", "an image, stored as it is"),
}


def add_snapshot(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Context snapshots: what an AI saw, stored in the repository itself (refs/ai/) and "
        "provable later."
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    _add_create(actions.add_parser("create", help="store a snapshot and print its id"))
    listing = _add(actions, "list", "list the snapshots, the oldest first")
    listing.add_argument("--for", dest="path", metavar="PATH", help="those that show this file")
    listing.add_argument(
        "--since",
        metavar="TIME",
        help="those made since: 2026-01-31, or with a time 2026-01-31T08:00:00Z",
    )
    listing.add_argument(
        "--commit",
        metavar="REV",
        help="those that this commit's trailer names, or that were made at it",
    )
    _with_id(_add(actions, "show", "show what a snapshot holds"))
    content = _with_id(_add(actions, "cat", "print the very bytes that were sent"))
    content.add_argument("item", nargs="?", metavar="PATH", help="print this item instead")
    difference = _add(actions, "diff", "show how two snapshots differ")
    difference.add_argument("id", metavar="A", help="an id, the beginning of one, or a file")
    difference.add_argument("other", metavar="B")
    difference.add_argument("--patch", action="store_true", help="show the changed lines as well")
    _with_id(_add(actions, "verify", "check a snapshot and build its bundle again from it alone"))
    pruning = _add(actions, "prune", "remove snapshots, and what only they keep")
    pruning.add_argument("ids", nargs="*", metavar="ID")
    pruning.add_argument("--before", metavar="TIME", help="those made before this time")
    collecting = _add(
        actions, "gc", "remove what neither git nor a snapshot needs, as 'git gc' does"
    )
    collecting.add_argument(
        "--days", type=float, default=14.0, help="how old an object must be; default: 14"
    )
    collecting.add_argument("--dry-run", action="store_true", help="only say how many")
    trailer = _with_id(_add(actions, "trailer", "print the line that links a commit to a snapshot"))
    trailer.description = (
        "Print the line that links a commit to a snapshot, for you to add: git commit --trailer "
        '"$(sightline snapshot trailer ID)"'
    )
    exporting = _with_id(_add(actions, "export", "write a snapshot with its contents to a file"))
    exporting.add_argument("--output", metavar="FILE", help="default: standard output")
    exporting.add_argument(
        "--interop",
        action="store_true",
        help="only the object, with hashes in the form of the peer library",
    )
    importing = _add(actions, "import", "store a snapshot that was exported")
    importing.add_argument("file", metavar="FILE")
    _add_retention(importing)


def add_recording(parser: argparse.ArgumentParser) -> None:
    """Add the options that record a build as a snapshot in one step."""
    parser.add_argument(
        "--snapshot",
        action="store_true",
        help="store the bundle as a context snapshot and say its id on stderr",
    )
    parser.add_argument(
        "--snapshot-to",
        metavar="FILE",
        help="write the context snapshot to a file: where there is no repository",
    )


def _add_create(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_runs("create"), items=[])
    _add_common(parser)
    parser.add_argument("bundle", nargs="?", metavar="BUNDLE.json", help="what a build wrote")
    for kind, (metavar, help_) in _KINDS.items():
        parser.add_argument(
            f"--{kind}", action=_ItemOption, kind=kind, metavar=metavar, help=help_, default=None
        )
    parser.add_argument(
        "--content",
        "--output",
        action=_ContentOption,
        metavar="FILE|-",
        help="of the item before it",
    )
    parser.add_argument("--summary", metavar="TEXT")
    parser.add_argument(
        "--to", metavar="FILE", help="write it to a file: where there is no repository"
    )
    parser.add_argument(
        "--heuristic", action="store_true", help="the items were selected by their relevance"
    )
    parser.add_argument("--by", metavar="KIND:ID", help="who saw it: human:ada, agent:coder")
    _add_retention(parser)


def _add_retention(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--keep",
        choices=["refs", "orphan", "pack", "mark"],
        default="refs",
        help="how git is kept from pruning it; default: a ref for each blob",
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
        "id", metavar="ID", help="of a snapshot, the beginning of it, or an exported file"
    )
    return parser


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=["text", "json"], default="text")
    parser.add_argument("--root", metavar="DIR", help="the repository; by default around here")


def _runs(action: str) -> Callable[..., int]:
    """Return a function that loads the module of an action when it runs."""

    def run(options: argparse.Namespace, output: object) -> int:
        from sightline.cli import snapshots

        code: int = getattr(snapshots, f"run_{action}")(options, output)
        return code

    return run
