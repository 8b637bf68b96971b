"""The options of `sightline pack`."""

from __future__ import annotations

import argparse
import re

from sightline.cli.option_values import count, number

_SIZES = {"": 1, "k": 1_000, "m": 1_000_000}
_MAPS = {"1k": 1024, "2k": 2048, "4k": 4096, "8k": 8192}


def add_pack(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Describe a codebase to somebody who does not know it: all of its texts up to a limit, a "
        "summary made from the index, the project files and the history, or a map of its most used "
        "signatures. Secrets are replaced. The pack is printed on stdout."
    )
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="folders and files (default: the whole workspace)"
    )
    parser.add_argument(
        "--type",
        default="auto",
        choices=["auto", "full", "summary", "map"],
        help="auto: full if that is within the limits, otherwise summary (default: auto)",
    )
    parser.add_argument(
        "--format",
        default="markdown",
        choices=["json", "msgpack", "markdown", "xml"],
        help="the form of the pack (default: markdown)",
    )
    _add_limits(parser)
    parser.add_argument(
        "--on-decode-error",
        choices=["skip", "replace"],
        default="skip",
        help="skip files whose encoding is unclear, or replace the unreadable characters "
        "(default: skip)",
    )
    parser.add_argument(
        "--timestamp",
        default="",
        metavar="TIME",
        help="the time to write into the pack as created_at",
    )
    _add_output(parser)


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", metavar="FILE", help="write the pack to a file")
    parser.add_argument(
        "--split",
        type=size,
        metavar="BYTES",
        help="with --output, write several parts of at most this size (500k, 1m); no source file "
        "is "
        "divided between parts",
    )
    parser.add_argument("--copy", action="store_true", help="copy the pack to the clipboard")
    parser.add_argument(
        "--root", metavar="DIR", help="the workspace (default: the repository that contains PATH)"
    )
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="RULE",
        help="for this call, show what this default rule hides",
    )
    parser.add_argument(
        "--jobs", type=count, metavar="N", help="how many worker processes to start for the index"
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


def _add_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--include",
        action="append",
        default=[],
        metavar="GLOB",
        help="pack only files that match a pattern in gitignore syntax; may be repeated",
    )
    parser.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="GLOB",
        help="leave out files that match a pattern; may be repeated",
    )
    parser.add_argument(
        "--max-content-bytes",
        type=size,
        default=500_000,
        metavar="BYTES",
        help="the most content that a full pack may have (default: 500000)",
    )
    parser.add_argument(
        "--max-files",
        type=number,
        default=200,
        metavar="N",
        help="the most files that a full pack may have (default: 200)",
    )
    parser.add_argument(
        "--provider-limit",
        action="append",
        type=provider_limit,
        default=[],
        metavar="NAME=BYTES",
        help="the most content that a provider accepts; the smallest limit counts; may be repeated",
    )
    parser.add_argument(
        "--map-tokens",
        choices=list(_MAPS),
        default="4k",
        help="the size of a map in tokens (default: 4k)",
    )


def map_tokens(written: str) -> int:
    return _MAPS[written]


def size(written: str) -> int:
    """Return a number of bytes: `500000`, `500k` or `1m`."""
    found = re.fullmatch(r"([0-9]{1,12})([km]?)b?", written.lower())
    if found is None:
        raise argparse.ArgumentTypeError("this is not a size in bytes: write 500000, 500k or 1m")
    return int(found[1]) * _SIZES[found[2]]


def provider_limit(written: str) -> tuple[str, int]:
    name, equals, limit = written.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError("write NAME=BYTES, such as openai=400k")
    return name, size(limit)
