"""Options that several commands share."""

from __future__ import annotations

import argparse

from sightline.cli.option_values import count


def add_indexing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--jobs",
        type=count,
        metavar="N",
        help="how many worker processes to start (default: one for each available core)",
    )
    parser.add_argument(
        "--no-store",
        dest="store",
        action="store_false",
        help="do not read or write the cache directory",
    )
    parser.add_argument(
        "--large",
        action="store_true",
        help="index a large directory that is not a repository without asking first",
    )


def add_hops(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--hops",
        type=count,
        default=1,
        metavar="N",
        help="follow callers and callees up to N steps (default: 1)",
    )


def add_reading(parser: argparse.ArgumentParser) -> None:
    add_format(parser)
    add_place(parser)


def add_show_secrets(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--show-secrets",
        action="store_true",
        help="show secrets as they are, on your own terminal only",
    )


def add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--root",
        metavar="DIR",
        help="the workspace (default: the repository that contains PATH, otherwise the current "
        "directory)",
    )
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="RULE",
        help="for this call, show what a default rule hides: the rule ('packages/**') or the path "
        "of one file; may be repeated",
    )


def add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--format",
        choices=["text", "json"],
        default="text",
        help="text for people, json for programs (default: text)",
    )
