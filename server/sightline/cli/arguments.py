"""The commands of the command line and their options.

A command's module is loaded when the command runs: most modules are not needed.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
from collections.abc import Callable, Sequence
from typing import Any

from sightline import __version__
from sightline.cli.build_arguments import add_asked, add_budget
from sightline.cli.command_parsing import Parser, WrongUseError, options_of, without_values
from sightline.cli.helping import SHELLS
from sightline.cli.option_values import count, number, port
from sightline.cli.output import Output
from sightline.cli.pack_arguments import add_pack
from sightline.cli.recipe_arguments import add_recipes
from sightline.cli.snapshot_arguments import add_recording, add_snapshot
from sightline.refusals import Refusal, RefusalKind
from sightline.suggesting import did_you_mean


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command. Raises `WrongUseError`."""
    parser = command_parser()
    options, rest = parser.parse_known_args(arguments)
    options.root_parser = parser
    paths = getattr(options, "paths", None)
    if paths is None:
        paths = getattr(options, "targets", None)
    unknown = [each for each in rest if each.startswith("-")]
    if unknown or (rest and paths is None):
        listed = " ".join(unknown or rest)
        known = options_of(parser, arguments)
        near = did_you_mean(unknown[0].partition("=")[0], known) if unknown else ""
        advice = "see 'sightline --help'"
        raise WrongUseError(
            without_values(f"unrecognized arguments: {listed}"),
            f"{near}; {advice}" if near else advice,
        )
    if paths is not None:
        # Paths that come after an option; argparse takes only those before it.
        paths.extend(rest)
    return options


def command_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = Parser(
        prog="sightline", description="Decides exactly what an AI may see of a codebase."
    )
    parser.add_argument("--version", action="version", version=f"sightline {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_build(commands.add_parser("build", help="build the context bundle for files or symbols"))
    _add_verify(commands.add_parser("verify", help="derive a bundle again and name what differs"))
    _add_diff(commands.add_parser("diff", help="show which inputs of two builds differ"))
    _add_outline(commands.add_parser("outline", help="list the symbols of files"))
    _add_slice(commands.add_parser("slice", help="cut a file to symbols, signatures or a summary"))
    _add_index(commands.add_parser("index", help="index a workspace and say what is in it"))
    _add_find(commands.add_parser("find", help="find the code that a task in words is about"))
    _add_refs(commands.add_parser("refs", help="show who uses a symbol"))
    _add_explain(commands.add_parser("explain", help="show what a file or symbol relates to"))
    add_recipes(commands, _loaded)
    pack = commands.add_parser("pack", help="pack a project for somebody who has not seen it")
    add_pack(pack)
    pack.set_defaults(run=_loaded("project_packs", "run_pack"))
    _add_lsp(commands.add_parser("lsp", help="serve an editor"))
    _add_allow(commands.add_parser("allow", help="allow a rule or a file in one workspace"))
    _add_harmless(commands.add_parser("harmless", help="mark a value as no secret in a workspace"))
    add_snapshot(commands.add_parser("snapshot", help="record what an AI saw, and prove it"))
    _add_settings(commands.add_parser("settings", help="show the settings and where they stand"))
    _add_models(commands.add_parser("models", help="list the models that limits are known of"))
    _add_doctor(commands.add_parser("doctor", help="check that everything Sightline needs works"))
    _add_help(commands)
    return parser


def _add_help(commands: Any) -> None:
    parser = commands.add_parser("help", help="explain a command")
    parser.add_argument("words", nargs="*", metavar="COMMAND")
    parser.set_defaults(run=_loaded("helping", "run_help"), format="text")
    parser = commands.add_parser("completion", help="print the script that completes in a shell")
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
    parser.set_defaults(run=_loaded("helping", "run_completion"), format="text")


def _add_build(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "What an AI needs to work on some files or symbols: the code, cut on exact boundaries, "
        "inside the model's token budget, without secrets. The bundle goes to stdout, a table of "
        "it to stderr."
    )
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="TARGET",
        help="PATH, PATH:LINE, PATH:LINE:COLUMN, PATH:FIRST-LAST or PATH::SYMBOL",
    )
    parser.add_argument(
        "--symbol",
        action="append",
        default=[],
        metavar="NAME",
        help="a symbol of PATH, or of the workspace without one; may be repeated",
    )
    parser.add_argument(
        "--purpose",
        choices=["intent", "plan", "diff"],
        help="what the model is to do: understand, plan, or make a change (default: diff)",
    )
    parser.add_argument(
        "--format",
        choices=["json", "markdown", "xml"],
        help="the form of the bundle (default: as settings say, Markdown)",
    )
    add_budget(parser.add_argument_group("budget"))
    add_asked(parser.add_argument_group("what is asked for"))
    parser.add_argument("--output", metavar="FILE", help="write the bundle to a file")
    parser.add_argument(
        "--copy", action="store_true", help="hand the bundle to the terminal's clipboard"
    )
    parser.add_argument(
        "--summary",
        action="store_true",
        help="print the cost of the bundle on stderr, also if stderr is not a terminal",
    )
    parser.add_argument(
        "--explain", action="store_true", help="list every candidate, in or out, and why"
    )
    add_recording(parser)
    _add_place(parser)
    _add_indexing(parser)
    parser.set_defaults(run=_loaded("build", "run"))


def _add_verify(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Builds again what a file of 'build --format json' records, from the workspace as it is "
        "now, and names every difference."
    )
    parser.add_argument(
        "bundle", metavar="BUNDLE.json", help="what 'sightline build --format json' wrote"
    )
    _add_reading(parser)
    _add_indexing(parser)
    parser.set_defaults(run=_loaded("verify", "run_verify"))


def _add_diff(parser: argparse.ArgumentParser) -> None:
    parser.description = "Show which inputs of two builds differ: request, settings, files, policy."
    parser.add_argument("first", metavar="A.json", help="the earlier build")
    parser.add_argument("second", metavar="B.json", help="the later build")
    _add_format(parser)
    parser.set_defaults(run=_loaded("verify", "run_diff"))


def _add_lsp(parser: argparse.ArgumentParser) -> None:
    parser.description = "The language server, on standard input and output."
    _add_format(parser)
    # Some clients pass the transport, although there is only one.
    parser.add_argument("--stdio", action="store_true", help="the default")
    parser.add_argument(
        "--tcp",
        type=port,
        nargs="?",
        const=0,
        metavar="PORT",
        help="for debugging: a port of this machine alone; any that is free if none is given",
    )
    # The protocol's own option: the server ends when this process ends.
    parser.add_argument("--clientProcessId", type=number, metavar="PID", help=argparse.SUPPRESS)
    parser.set_defaults(run=_run_lsp)


def _loaded(module: str, name: str) -> Callable[[argparse.Namespace, Output], int]:
    """Return a function that loads a command's module when it runs."""

    def run(options: argparse.Namespace, output: Output) -> int:
        command = getattr(importlib.import_module(f"sightline.cli.{module}"), name)
        code: int = command(options, output)
        return code

    return run


def _run_lsp(options: argparse.Namespace, output: Output) -> int:
    from sightline.lsp.serving import listen, serve_stdio, serve_tcp

    if options.tcp is None:
        serve_stdio(options.clientProcessId)
    try:
        listening = listen(options.tcp)
    except OSError as error:
        refusal = Refusal(
            RefusalKind.INVALID_REQUEST,
            "port_unavailable",
            None,
            f"port {options.tcp} of this machine cannot be used: {error.strerror}",
            "give another, or none for any that is free",
        )
    else:
        serve_tcp(listening, options.clientProcessId)
    return output.refuse(refusal)


def _add_allow(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Lets a workspace see what a default rule withholds. It is recorded in your own settings, "
        "for this workspace alone."
    )
    parser.add_argument(
        "written",
        nargs="?",
        metavar="RULE|PATH",
        help="a default rule ('packages/**', or packages for short), or one file's path",
    )
    _add_marking(parser, "RULE|PATH")
    parser.set_defaults(run=_loaded("allow", "run"))


def _add_harmless(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Mark a value as harmless: it looks like a secret but is not. A keyed hash is recorded in "
        "your own settings, for this workspace alone, with file, detector and date."
    )
    parser.add_argument(
        "written",
        nargs="?",
        metavar="PATH:LINE[:COLUMN]",
        help="where the value is, as a refusal names it",
    )
    _add_marking(parser, "ID")
    parser.set_defaults(run=_loaded("harmless", "run"))


def _add_marking(parser: argparse.ArgumentParser, removed: str) -> None:
    """Add the options of both commands that write the user's settings."""
    parser.add_argument("--list", action="store_true", help="show what holds in this workspace")
    parser.add_argument("--remove", metavar=removed, help="take it back")
    _add_format(parser)
    parser.add_argument(
        "--root",
        metavar="DIR",
        help="the workspace (default: the repository around the current directory)",
    )
    parser.set_defaults(allow=[])


def _add_settings(parser: argparse.ArgumentParser) -> None:
    parser.description = "The settings that hold in a workspace, and where each comes from."
    _add_format(parser)
    parser.add_argument(
        "--root",
        metavar="DIR",
        help="the workspace (default: the repository around the current directory)",
    )
    parser.set_defaults(run=_loaded("settings", "run"))


def _add_outline(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Every symbol of each file in source order. With --format json, one object per line and "
        "file, in the order given."
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files of the workspace")
    _add_reading(parser)
    _add_show_secrets(parser)
    parser.set_defaults(run=_loaded("outline", "run"))


def _add_slice(parser: argparse.ArgumentParser) -> None:
    parser.description = "One file at one level, cut where the syntax tree says."
    parser.add_argument("path", metavar="PATH", help="a file of the workspace")
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
        choices=["none", "first_line", "full"],
        default="none",
        help="how much of each doc comment --level signatures keeps (default: none)",
    )
    _add_reading(parser)
    _add_show_secrets(parser)
    parser.set_defaults(run=_loaded("slice", "run"))


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
    parser.add_argument(
        "--retry",
        action="store_true",
        help="try files again that are in quarantine because they hit a limit",
    )
    _add_reading(parser)
    _add_indexing(parser)
    parser.set_defaults(run=_loaded("index", "run"))


def _add_find(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Ranks files and symbols for an issue, an error or a sentence, each with what speaks for "
        "it: shared words, names and paths that the text mentions, frames of a traceback, calls. "
        "These are proposals: nothing is left out of a bundle because it is not among them."
    )
    parser.add_argument(
        "text", nargs="?", metavar="TEXT", help="the task in words; '-' or nothing reads a pipe"
    )
    parser.add_argument("--from", dest="file", metavar="FILE", help="read the task from a file")
    parser.add_argument(
        "--limit", type=number, default=10, metavar="N", help="files and symbols to list (10)"
    )
    _add_reading(parser)
    _add_indexing(parser)
    parser.set_defaults(run=_loaded("find", "run"))


def _add_refs(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Who calls, extends, names or imports a symbol, each with the line that says so and how "
        "sure that is: resolved, dispatch, ambiguous or textual."
    )
    parser.add_argument(
        "symbol", metavar="SYMBOL", help="a name, a qualified name (Class.method) or PATH::SYMBOL"
    )
    _add_reading(parser)
    _add_show_secrets(parser)
    _add_indexing(parser)
    _add_hops(parser)
    parser.set_defaults(run=_loaded("references", "run"))


def _add_explain(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "What a file imports and is configured by; with a line or a symbol, what that symbol "
        "calls, extends, names and is used by. With --for: whether the file would be in the bundle "
        "for a target, and why."
    )
    parser.add_argument(
        "path", metavar="PATH[:LINE|::SYMBOL]", help="a file, a line of it or a symbol of it"
    )
    parser.add_argument(
        "--for",
        dest="target",
        metavar="TARGET",
        help="PATH, PATH:LINE, PATH:FIRST-LAST or PATH::SYMBOL that a bundle would be built for",
    )
    parser.add_argument(
        "--max-input-tokens", type=number, metavar="N", help="of that bundle, with --for"
    )
    _add_reading(parser)
    _add_show_secrets(parser)
    _add_indexing(parser)
    _add_hops(parser)
    parser.set_defaults(run=_loaded("explain", "run"), hops=None)


def _add_indexing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--jobs",
        type=count,
        metavar="N",
        help="worker processes; by default one for each available core",
    )
    parser.add_argument(
        "--no-store",
        dest="store",
        action="store_false",
        help="neither read nor write the cache directory",
    )
    parser.add_argument(
        "--large",
        action="store_true",
        help="index a large workspace without a repository, which is asked about otherwise",
    )


def _add_hops(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--hops",
        type=count,
        default=1,
        metavar="N",
        help="follow callers and callees over so many steps (default: 1)",
    )


def _add_models(parser: argparse.ArgumentParser) -> None:
    parser.description = "A name stands for all that begin with it; * marks the one that is set."
    _add_format(parser)
    parser.add_argument("--root", metavar="DIR", help="the workspace whose settings count")
    parser.set_defaults(run=_loaded("model_list", "run"))


def _add_doctor(parser: argparse.ArgumentParser) -> None:
    parser.description = "Checks the interpreter, the workers, every language and the file system."
    _add_format(parser)
    parser.set_defaults(run=_loaded("doctor", "run"), root=None, allow=[])


def _add_reading(parser: argparse.ArgumentParser) -> None:
    _add_format(parser)
    _add_place(parser)


def _add_show_secrets(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--show-secrets",
        action="store_true",
        help="show secrets as they are, on your own terminal only",
    )


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--root",
        metavar="DIR",
        help="the workspace; by default the repository around PATH, else the current directory "
        "if PATH is in it",
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
    parser.add_argument(
        "--format", choices=["text", "json"], default="text", help="for people or for programs"
    )


def format_values(arguments: Sequence[str]) -> list[str]:
    """Return the values of `--format`, so that even wrong use is reported in that format."""
    values = [each.removeprefix("--format=") for each in arguments if each.startswith("--format=")]
    values += [value for option, value in itertools.pairwise(arguments) if option == "--format"]
    return values
