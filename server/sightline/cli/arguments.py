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
from sightline.cli.helping import SHELLS, commands_of
from sightline.cli.option_values import number, port
from sightline.cli.output import Output
from sightline.cli.pack_arguments import add_pack
from sightline.cli.recipe_arguments import add_recipes
from sightline.cli.shared_arguments import (
    add_format,
    add_hops,
    add_indexing,
    add_place,
    add_reading,
    add_show_secrets,
)
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
    _add_verify(
        commands.add_parser("verify", help="build a recorded bundle again and list what differs")
    )
    _add_diff(commands.add_parser("diff", help="show which inputs of two builds differ"))
    _add_outline(commands.add_parser("outline", help="list the symbols of files"))
    _add_slice(commands.add_parser("slice", help="cut a file to symbols, signatures or a summary"))
    _add_index(commands.add_parser("index", help="index a workspace and show what it contains"))
    _add_find(commands.add_parser("find", help="find the code that a text is about"))
    _add_refs(commands.add_parser("refs", help="show who uses a symbol"))
    _add_explain(
        commands.add_parser("explain", help="show what a file or symbol uses, and what uses it")
    )
    add_recipes(commands, _loaded)
    pack = commands.add_parser(
        "pack", help="describe a whole project to somebody who does not know it"
    )
    add_pack(pack)
    pack.set_defaults(run=_loaded("project_packs", "run_pack"))
    _add_lsp(commands.add_parser("lsp", help="run the language server for an editor"))
    _add_allow(commands.add_parser("allow", help="let one workspace see what a default rule hides"))
    _add_harmless(
        commands.add_parser("harmless", help="mark a value that looks like a secret as harmless")
    )
    add_snapshot(commands.add_parser("snapshot", help="record what an AI saw, and prove it later"))
    _add_settings(
        commands.add_parser("settings", help="show the settings and where each comes from")
    )
    _add_models(commands.add_parser("models", help="list the models whose limits Sightline knows"))
    _add_doctor(commands.add_parser("doctor", help="check the installation"))
    _add_help(commands)
    for command in commands_of(parser):
        if command.parser.description is None:
            command.parser.description = f"{command.about[:1].upper()}{command.about[1:]}."
    return parser


def _add_help(commands: Any) -> None:
    parser = commands.add_parser("help", help="explain a command")
    parser.description = "Print the help of a command, or the list of all commands."
    parser.add_argument(
        "words", nargs="*", metavar="COMMAND", help="such as: build, or snapshot create"
    )
    parser.set_defaults(run=_loaded("helping", "run_help"), format="text")
    parser = commands.add_parser("completion", help="print the completion script for a shell")
    parser.description = (
        "Print the script that completes commands and options. In bash or zsh: "
        "source <(sightline completion bash). In fish: sightline completion fish | source."
    )
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
    parser.set_defaults(run=_loaded("helping", "run_completion"), format="text")


def _add_build(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Build the context that an AI needs to work on files or symbols: the code, cut on exact "
        "boundaries, inside the model's token budget, without secrets. The bundle is printed on "
        "stdout. If stderr is a terminal, a table of what the bundle contains is printed there."
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
        help="a symbol of PATH; without PATH, a symbol of the workspace; may be repeated",
    )
    parser.add_argument(
        "--purpose",
        choices=["intent", "plan", "diff"],
        help="what the model will do: understand the code, plan, or write a change (default: diff)",
    )
    parser.add_argument(
        "--format",
        choices=["json", "markdown", "xml"],
        help="the form of the bundle (default: the setting render.format, which is markdown)",
    )
    add_budget(parser.add_argument_group("budget"))
    add_asked(parser.add_argument_group("request"))
    parser.add_argument("--output", metavar="FILE", help="write the bundle to a file")
    parser.add_argument("--copy", action="store_true", help="copy the bundle to the clipboard")
    parser.add_argument(
        "--summary",
        action="store_true",
        help="if stderr is not a terminal, print one line with the cost there",
    )
    parser.add_argument(
        "--explain",
        action="store_true",
        help="list every candidate, whether it is in the bundle, and why",
    )
    add_recording(parser)
    add_place(parser)
    add_indexing(parser)
    parser.set_defaults(run=_loaded("build", "run"))


def _add_verify(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Build the bundle of a JSON file again, from the workspace as it is now, and list every "
        "difference."
    )
    parser.add_argument(
        "bundle", metavar="BUNDLE.json", help="a file that 'sightline build --format json' wrote"
    )
    add_reading(parser)
    add_indexing(parser)
    parser.set_defaults(run=_loaded("verify", "run_verify"))


def _add_diff(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Show which inputs of two builds differ: the request, settings, files or policy."
    )
    parser.add_argument("first", metavar="A.json", help="the earlier build")
    parser.add_argument("second", metavar="B.json", help="the later build")
    add_format(parser)
    parser.set_defaults(run=_loaded("verify", "run_diff"))


def _add_lsp(parser: argparse.ArgumentParser) -> None:
    parser.description = "Run the language server on standard input and output."
    add_format(parser)
    # Some clients pass the transport, although there is only one.
    parser.add_argument(
        "--stdio", action="store_true", help="use standard input and output (default)"
    )
    parser.add_argument(
        "--tcp",
        type=port,
        nargs="?",
        const=0,
        metavar="PORT",
        help="for debugging: listen on this port of this machine only; without PORT, on any free "
        "port",
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
        "Let a workspace see files that a default rule hides. The permission is stored in your own "
        "settings and holds for this workspace only."
    )
    parser.add_argument(
        "written",
        nargs="?",
        metavar="RULE|PATH",
        help="a default rule ('packages/**', or short: packages), or the path of one file",
    )
    _add_marking(parser, "RULE|PATH")
    parser.set_defaults(run=_loaded("allow", "run"))


def _add_harmless(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Mark a value that looks like a secret as harmless. Your own settings keep a keyed hash of "
        "the value, the file, the detector and the date; they hold for this workspace only."
    )
    parser.add_argument(
        "written",
        nargs="?",
        metavar="PATH:LINE[:COLUMN]",
        help="where the value is: copy the place that a refusal names",
    )
    _add_marking(parser, "ID")
    parser.set_defaults(run=_loaded("harmless", "run"))


def _add_marking(parser: argparse.ArgumentParser, removed: str) -> None:
    """Add the options of both commands that write the user's settings."""
    parser.add_argument(
        "--list", action="store_true", help="list what is marked or allowed in this workspace"
    )
    parser.add_argument("--remove", metavar=removed, help="remove an entry of the list")
    add_format(parser)
    parser.add_argument(
        "--root",
        metavar="DIR",
        help="the workspace (default: the repository around the current directory)",
    )
    parser.set_defaults(allow=[])


def _add_settings(parser: argparse.ArgumentParser) -> None:
    parser.description = "List the settings of a workspace, and where each value comes from."
    add_format(parser)
    parser.add_argument(
        "--root",
        metavar="DIR",
        help="the workspace (default: the repository around the current directory)",
    )
    parser.set_defaults(run=_loaded("settings", "run"))


def _add_outline(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "List every symbol of each file in source order. With --format json, each file is one line "
        "with a JSON object."
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files of the workspace")
    add_reading(parser)
    add_show_secrets(parser)
    parser.set_defaults(run=_loaded("outline", "run"))


def _add_slice(parser: argparse.ArgumentParser) -> None:
    parser.description = "Show a file, or a part of it, cut on exact syntax boundaries."
    parser.add_argument("path", metavar="PATH", help="a file of the workspace")
    parser.add_argument(
        "--level",
        required=True,
        choices=["full", "region", "signatures", "summary"],
        help="full: the whole file; region: the given symbols; signatures: every declaration "
        "without "
        "its body; summary: only the names",
    )
    parser.add_argument(
        "--symbol",
        action="append",
        default=[],
        metavar="NAME",
        help="with --level region, a symbol to show: NAME, Container.NAME or NAME:LINE; "
        "may be repeated",
    )
    parser.add_argument(
        "--docs",
        choices=["none", "first_line", "full"],
        default="none",
        help="with --level signatures, how much of each doc comment to keep (default: none)",
    )
    add_reading(parser)
    add_show_secrets(parser)
    parser.set_defaults(run=_loaded("slice", "run"))


def _add_index(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Read every visible file that has changed since the last time, and keep the index in your "
        "cache directory."
    )
    parser.add_argument(
        "path",
        nargs="?",
        metavar="DIR",
        help="a directory of the workspace (default: the current one)",
    )
    parser.add_argument(
        "--stats",
        action="store_true",
        help="count files by language, and files that were withheld by reason",
    )
    parser.add_argument(
        "--watch",
        action="store_true",
        help="keep running, and print the counts after each change on the disk",
    )
    parser.add_argument(
        "--retry",
        action="store_true",
        help="read again the files that took too long and were set aside (quarantine)",
    )
    add_reading(parser)
    add_indexing(parser)
    parser.set_defaults(run=_loaded("index", "run"))


def _add_find(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Rank the files and symbols that an issue, an error or a sentence is about. Each answer "
        "lists its clues: shared words, names and paths in the text, lines of a traceback, calls. "
        "The list is a proposal: it never removes anything from a bundle."
    )
    parser.add_argument(
        "text",
        nargs="?",
        metavar="TEXT",
        help="the task in words; '-' or no TEXT reads standard input",
    )
    parser.add_argument("--from", dest="file", metavar="FILE", help="read the task from a file")
    parser.add_argument(
        "--limit",
        type=number,
        default=10,
        metavar="N",
        help="list at most N files and symbols (default: 10)",
    )
    add_reading(parser)
    add_indexing(parser)
    parser.set_defaults(run=_loaded("find", "run"))


def _add_refs(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "List who calls, extends, names or imports a symbol. Each entry has the line of the use "
        "and how certain it is: resolved, dispatch, ambiguous or textual."
    )
    parser.add_argument(
        "symbol", metavar="SYMBOL", help="a name, a qualified name (Class.method) or PATH::SYMBOL"
    )
    add_reading(parser)
    add_show_secrets(parser)
    add_indexing(parser)
    add_hops(parser)
    parser.set_defaults(run=_loaded("references", "run"))


def _add_explain(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Show what a file imports and which files configure it. With a line or a symbol: what the "
        "symbol calls, extends and names, and who uses it. With --for: whether a bundle for TARGET "
        "would include the file, and why."
    )
    parser.add_argument(
        "path", metavar="PATH[:LINE|::SYMBOL]", help="a file, a line in it or a symbol in it"
    )
    parser.add_argument(
        "--for",
        dest="target",
        metavar="TARGET",
        help="the target of the bundle: PATH, PATH:LINE, PATH:FIRST-LAST or PATH::SYMBOL",
    )
    parser.add_argument(
        "--max-input-tokens",
        type=number,
        metavar="N",
        help="with --for, the token limit of the bundle",
    )
    add_reading(parser)
    add_show_secrets(parser)
    add_indexing(parser)
    add_hops(parser)
    parser.set_defaults(run=_loaded("explain", "run"), hops=None)


def _add_models(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "List the models whose limits Sightline knows. A name also covers the names that begin "
        "with it; * marks the model that is set."
    )
    add_format(parser)
    parser.add_argument(
        "--root",
        metavar="DIR",
        help="the workspace whose settings apply (default: the repository around the current "
        "directory)",
    )
    parser.set_defaults(run=_loaded("model_list", "run"))


def _add_doctor(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Check the Python interpreter, the workers, every language and the file system."
    )
    add_format(parser)
    parser.set_defaults(run=_loaded("doctor", "run"), root=None, allow=[])


def format_values(arguments: Sequence[str]) -> list[str]:
    """Return the values of `--format`, so that even wrong use is reported in that format."""
    values = [each.removeprefix("--format=") for each in arguments if each.startswith("--format=")]
    values += [value for option, value in itertools.pairwise(arguments) if option == "--format"]
    return values
