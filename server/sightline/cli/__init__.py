"""The command line.

Exit codes: 0 done, 2 wrong use, 3 refused. A refusal's report goes to stdout with
`--format json`, its reason to stderr always. No input ends in a traceback.
"""

from __future__ import annotations

import argparse
import io
import itertools
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from sightline import __version__
from sightline.cli import doctor, indexing, outline, slicing
from sightline.cli.output import DONE, REFUSED, Output, OutputError
from sightline.languages import LanguageError
from sightline.refusals import Refusal, RefusalKind
from sightline.slicing import SignatureDocs


def main(argv: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        # A stream that cannot show a character shows its escape, rather than failing.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    output = Output(json="json" in _format_values(arguments))
    try:
        options = _parse(arguments)
        output.json = options.format == "json"
        code: int = options.run(options, output)
    except _WrongUseError as error:
        code = output.refuse(
            Refusal(RefusalKind.INVALID_REQUEST, "usage", None, str(error), error.advice)
        )
    except LanguageError as error:
        code = output.refuse(
            Refusal(
                RefusalKind.INDEX_UNAVAILABLE,
                "language",
                None,
                f"a language cannot be loaded: {error}",
                "run 'sightline doctor' to see what is missing",
            )
        )
    except BrokenPipeError:
        # The reader has seen enough.
        code = DONE
    except KeyboardInterrupt:
        code = 130
    except OutputError as error:
        output.reason(f"the output cannot be written: {error}; give it another place to go")
        code = REFUSED
    _settle_stdout()
    return code


def _settle_stdout() -> None:
    """Keep Python from complaining about a stdout that is gone when it closes it."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    options, rest = _parser().parse_known_args(arguments)
    paths = getattr(options, "paths", None)
    unknown = [each for each in rest if each.startswith("-")]
    if unknown or (rest and paths is None):
        listed = " ".join(unknown or rest)
        raise _WrongUseError(f"unrecognized arguments: {listed}", "see 'sightline --help'")
    if paths is not None:
        # Paths that stand behind an option; argparse takes only those in front.
        paths.extend(rest)
    return options


class _WrongUseError(Exception):
    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.advice = advice


class _Parser(argparse.ArgumentParser):
    """Leaves it to `main` to report wrong use, in one line and in the format asked for."""

    def __init__(self, **keywords: Any) -> None:
        # An abbreviation would be understood here and nowhere else.
        super().__init__(**{**keywords, "allow_abbrev": False})

    def error(self, message: str) -> NoReturn:
        raise _WrongUseError(message, f"see '{self.prog} --help'")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="sightline", description="Decides exactly what an AI may see of a codebase."
    )
    parser.add_argument("--version", action="version", version=f"sightline {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_outline(commands.add_parser("outline", help="list the symbols of files"))
    _add_slice(commands.add_parser("slice", help="cut a file to symbols, signatures or a summary"))
    _add_index(commands.add_parser("index", help="index a workspace and say what is in it"))
    _add_refs(commands.add_parser("refs", help="show who uses a symbol"))
    _add_explain(commands.add_parser("explain", help="show what a file or symbol relates to"))
    _add_doctor(commands.add_parser("doctor", help="check that everything Sightline needs works"))
    return parser


def _add_outline(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Every symbol of each file in source order. With --format json, one object per line and "
        "file, in the order given."
    )
    parser.add_argument("paths", nargs="+", metavar="PATH")
    _add_reading(parser)
    parser.set_defaults(run=outline.run)


def _add_slice(parser: argparse.ArgumentParser) -> None:
    parser.description = "One file at one level, cut where the syntax tree says."
    parser.add_argument("path", metavar="PATH")
    parser.add_argument(
        "--level",
        required=True,
        choices=["full", "region", "signatures", "summary"],
        help="the whole file, some symbols, every declaration without its body, or the names",
    )
    parser.add_argument(
        "--symbol",
        action="append",
        default=[],
        metavar="NAME",
        help="a symbol to cut out, with --level region: NAME, Container.NAME or NAME:LINE; "
        "may be repeated",
    )
    parser.add_argument(
        "--docs",
        type=SignatureDocs,
        choices=list(SignatureDocs),
        default=SignatureDocs.NONE,
        help="how much of each doc comment --level signatures keeps (default: none)",
    )
    _add_reading(parser)
    parser.set_defaults(run=slicing.run)


def _add_index(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Reads every visible file that has changed since the last time, and keeps what it learns "
        "in the user's cache directory."
    )
    parser.add_argument(
        "path", nargs="?", metavar="DIR", help="a directory of the workspace; by default this one"
    )
    parser.add_argument(
        "--stats", action="store_true", help="counts by language, and what was withheld and why"
    )
    parser.add_argument(
        "--watch",
        action="store_true",
        help="stay, and say what the index has become after each change on the disk",
    )
    _add_reading(parser)
    _add_indexing(parser)
    parser.set_defaults(run=indexing.run_index)


def _add_refs(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Who calls, extends, names or imports a symbol, each with the line that says so and how "
        "sure that is: resolved, ambiguous or textual."
    )
    parser.add_argument(
        "symbol", metavar="SYMBOL", help="a name, a qualified name (Class.method) or PATH::SYMBOL"
    )
    _add_reading(parser)
    _add_indexing(parser)
    _add_hops(parser)
    parser.set_defaults(run=indexing.run_refs)


def _add_explain(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "What a file imports and is configured by; with a line, what the symbol around it calls, "
        "extends, names and is used by."
    )
    parser.add_argument("path", metavar="PATH[:LINE]")
    _add_reading(parser)
    _add_indexing(parser)
    _add_hops(parser)
    parser.set_defaults(run=indexing.run_explain)


def _add_indexing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--jobs",
        type=_count,
        metavar="N",
        help="worker processes; by default one for each available core",
    )
    parser.add_argument(
        "--no-store",
        dest="store",
        action="store_false",
        help="neither read nor write the cache directory",
    )


def _add_hops(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--hops",
        type=_count,
        default=1,
        metavar="N",
        help="follow callers and callees over so many steps (default: 1)",
    )


def _count(value: str) -> int:
    if not value.isascii() or not value.isdigit() or not 1 <= int(value) <= 64:
        raise argparse.ArgumentTypeError("must be a number from 1 to 64")
    return int(value)


def _add_doctor(parser: argparse.ArgumentParser) -> None:
    parser.description = "Checks the interpreter, the workers, every language and the file system."
    _add_format(parser)
    parser.set_defaults(run=doctor.run)


def _add_reading(parser: argparse.ArgumentParser) -> None:
    _add_format(parser)
    parser.add_argument(
        "--root",
        metavar="DIR",
        help="the workspace; by default the repository around PATH, else the current directory "
        "if PATH is in it, else PATH's own directory",
    )
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="RULE",
        help="lift a default rule as written ('packages/**') or name the full path of one file "
        "that a default rule denies; may be repeated",
    )


def _add_format(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=["text", "json"], default="text")


def _format_values(arguments: Sequence[str]) -> list[str]:
    """What follows `--format`, so that even wrong use can be reported in that format."""
    values = [each.removeprefix("--format=") for each in arguments if each.startswith("--format=")]
    values += [value for option, value in itertools.pairwise(arguments) if option == "--format"]
    return values
