"""The options of `sightline pack`."""

from __future__ import annotations

import argparse
import re

from sightline.cli.option_values import count, number

_SIZES = {"": 1, "k": 1_000, "m": 1_000_000}
_MAPS = {"1k": 1024, "2k": 2048, "4k": 4096, "8k": 8192}


def add_pack(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "What a codebase is, for somebody who has not seen it: its texts within a limit, or a "
        "summary made from the index, the project files and the history, or a map of its most "
        "used signatures. Secrets are replaced. The pack goes to stdout."
    )
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="folders and files; by default the workspace"
    )
    parser.add_argument(
        "--type",
        default="auto",
        choices=["auto", "full", "summary", "map"],
        help="full if it is within the limits, else a summary (default: auto)",
    )
    parser.add_argument(
        "--format", default="markdown", choices=["json", "msgpack", "markdown", "xml"]
    )
    _add_limits(parser)
    parser.add_argument(
        "--on-decode-error",
        choices=["skip", "replace"],
        default="skip",
        help="what happens to text whose encoding is not certain (default: skip)",
    )
    parser.add_argument(
        "--timestamp", default="", metavar="TIME", help="written into the pack as created_at"
    )
    parser.add_argument("--output", metavar="FILE", help="write the pack there")
    parser.add_argument(
        "--split",
        type=size,
        metavar="BYTES",
        help="write FILE in parts of at most so many bytes (500k, 1m); files are not cut",
    )
    parser.add_argument("--copy", action="store_true", help="hand the pack to the clipboard")
    parser.add_argument("--root", metavar="DIR", help="the workspace; by default around PATH")
    parser.add_argument(
        "--allow", action="append", default=[], metavar="RULE", help="lift a default rule"
    )
    parser.add_argument("--jobs", type=count, metavar="N", help="worker processes for the index")
    parser.add_argument(
        "--no-store", dest="store", action="store_false", help="keep no index between runs"
    )
    parser.add_argument(
        "--large", action="store_true", help="take a large workspace without a repository"
    )


def _add_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--include",
        action="append",
        default=[],
        metavar="GLOB",
        help="only files that match, in gitignore syntax; may be repeated",
    )
    parser.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="GLOB",
        help="leave out files that match; may be repeated",
    )
    parser.add_argument(
        "--max-content-bytes",
        type=size,
        default=500_000,
        metavar="BYTES",
        help="content of a full pack (default: 500000)",
    )
    parser.add_argument(
        "--max-files", type=number, default=200, metavar="N", help="of a full pack (default: 200)"
    )
    parser.add_argument(
        "--provider-limit",
        action="append",
        type=provider_limit,
        default=[],
        metavar="NAME=BYTES",
        help="what a provider takes; the smallest limit holds; may be repeated",
    )
    parser.add_argument(
        "--map-tokens",
        choices=list(_MAPS),
        default="4k",
        help="size of a map in tokens (default: 4k)",
    )


def map_tokens(written: str) -> int:
    return _MAPS[written]


def size(written: str) -> int:
    """Return a number of bytes: `500000`, `500k` or `1m`."""
    found = re.fullmatch(r"([0-9]{1,12})([km]?)b?", written.lower())
    if found is None:
        raise argparse.ArgumentTypeError("this is no size in bytes: write 500000, 500k or 1m")
    return int(found[1]) * _SIZES[found[2]]


def provider_limit(written: str) -> tuple[str, int]:
    name, equals, limit = written.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError("write NAME=BYTES, such as openai=400k")
    return name, size(limit)
