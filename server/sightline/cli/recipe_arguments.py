"""The options of `sightline context` and `sightline task`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from sightline.cli.option_values import count, number
from sightline.cli.output import Output

Run = Callable[[argparse.Namespace, Output], int]


def add_recipes(commands: Any, loaded: Callable[[str, str], Run]) -> None:
    """Add both commands. `loaded` returns a command's function, by module and name."""
    context = commands.add_parser(
        "context", help="context for a review, an error, an issue, a task"
    )
    _add_context(context, loaded("recipes", "run_context"))
    task = commands.add_parser("task", help="build the context pack for a task file")
    _add_task(task, loaded("recipes", "run_task"))


def _add_context(parser: argparse.ArgumentParser, run: Run) -> None:
    parser.description = (
        "Context for a task file, a review, failing checks or an issue: what to look at, without "
        "secrets, as Markdown or JSON."
    )
    recipes = parser.add_subparsers(title="recipes", metavar="RECIPE", dest="recipe", required=True)
    task = recipes.add_parser("implementation", help="a task file, conventions and history")
    task.add_argument("task_file", metavar="TASKFILE", help="what is to be done, in Markdown")
    review = recipes.add_parser("review", help="a change and the files that it changes")
    review.add_argument(
        "range",
        nargs="?",
        metavar="A..B",
        help="both ends of the change (default: from the base to the work tree)",
    )
    review.add_argument(
        "--base", metavar="REVISION", help="the branch to compare with (default: main or master)"
    )
    review.add_argument(
        "--staged", action="store_true", help="review what is staged for the next commit"
    )
    review.add_argument(
        "--by-symbol",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="changed symbols, their callers and tests in place of whole files (default)",
    )
    review.add_argument("--jobs", type=count, metavar="N", help="worker processes for the index")
    review.add_argument("--no-store", dest="store", action="store_false", help="keep no index")
    review.add_argument(
        "--large", action="store_true", help="index a large workspace without asking"
    )
    fix = recipes.add_parser("fix", help="the errors of a check and the lines around them")
    fix.add_argument(
        "paths",
        nargs="*",
        metavar="FILE",
        help="files to show (default: those that the report names)",
    )
    fix.add_argument(
        "--from",
        dest="report",
        required=True,
        metavar="FILE|-",
        help="what a tool printed: text, JSON, SARIF or JUnit XML; - reads a pipe",
    )
    fix.add_argument(
        "--by-symbol",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="the symbol around each error in place of ten lines on each side (default)",
    )
    issue = recipes.add_parser("issue", help="an issue and the files that it mentions")
    issue.add_argument("issue", metavar="FILE|-", help="the issue as JSON or text; - reads a pipe")
    for each in (task, review, fix, issue):
        each.add_argument(
            "--max-tokens", type=number, metavar="N", help="cut the context to so many tokens"
        )
        _add_delivery(each)
        each.set_defaults(run=run)


def _add_task(parser: argparse.ArgumentParser, run: Run) -> None:
    parser.description = (
        "The context pack for a task: its goal and acceptance criteria, files, docs and what "
        "happened before, within the characters of a tier."
    )
    parser.add_argument("task", metavar="TASK.json|YAML|-", help="the task; - reads a pipe")
    parser.add_argument(
        "--tier",
        choices=["strong", "default", "cheap"],
        default="default",
        help="120,000, 60,000 or 25,000 characters (default: default)",
    )
    _add_delivery(parser)
    parser.set_defaults(run=run)


def _add_delivery(parser: Any) -> None:
    parser.add_argument(
        "--format", choices=["json", "markdown"], default="markdown", help="for programs or a model"
    )
    parser.add_argument("--output", metavar="FILE", help="write the context to a file")
    parser.add_argument("--copy", action="store_true", help="copy the context to the clipboard")
    parser.add_argument(
        "--root",
        metavar="DIR",
        help="the workspace (default: the repository around the current directory)",
    )
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="RULE",
        help="let this call see what a default rule hides",
    )
