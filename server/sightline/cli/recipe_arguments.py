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
        "context", help="build context for a review, an error, an issue or a task"
    )
    _add_context(context, loaded("recipes", "run_context"))
    task = commands.add_parser("task", help="build a context pack for a task file")
    _add_task(task, loaded("recipes", "run_task"))


def _add_context(parser: argparse.ArgumentParser, run: Run) -> None:
    parser.description = (
        "Build context for a task file, a review, failing checks or an issue, without secrets, as "
        "Markdown or JSON."
    )
    recipes = parser.add_subparsers(title="recipes", metavar="RECIPE", dest="recipe", required=True)
    task = recipes.add_parser(
        "implementation", help="a task file, the project's conventions and its history"
    )
    task.add_argument("task_file", metavar="TASKFILE", help="the task as a Markdown file")
    review = _add_review(recipes)
    fix = _add_fix(recipes)
    issue = recipes.add_parser("issue", help="an issue and the files that it mentions")
    issue.add_argument(
        "issue", metavar="FILE|-", help="the issue as JSON or text; - reads standard input"
    )
    for each in (task, review, fix, issue):
        each.add_argument(
            "--max-tokens", type=number, metavar="N", help="shorten the context to at most N tokens"
        )
        _add_delivery(each)
        each.set_defaults(run=run)


def _add_review(recipes: Any) -> Any:
    review = recipes.add_parser("review", help="a change and the code around it")
    review.add_argument(
        "range",
        nargs="?",
        metavar="A..B",
        help="the first and last revision of the change (default: from the base to the work tree)",
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
        help="show changed symbols, their callers and tests instead of whole files (default)",
    )
    review.add_argument(
        "--jobs", type=count, metavar="N", help="how many worker processes to start for the index"
    )
    review.add_argument(
        "--no-store",
        dest="store",
        action="store_false",
        help="do not read or write the cache directory",
    )
    review.add_argument(
        "--large",
        action="store_true",
        help="index a large directory that is not a repository without asking first",
    )
    return review


def _add_fix(recipes: Any) -> Any:
    fix = recipes.add_parser("fix", help="the errors that a tool reported and the code around them")
    fix.add_argument(
        "paths",
        nargs="*",
        metavar="FILE",
        help="files to show (default: the files that the report names)",
    )
    fix.add_argument(
        "--from",
        dest="report",
        required=True,
        metavar="FILE|-",
        help="the output of a tool: text, JSON, SARIF or JUnit XML; - reads standard input",
    )
    fix.add_argument(
        "--by-symbol",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="show the symbol around each error instead of ten lines before and after it (default)",
    )
    return fix


def _add_task(parser: argparse.ArgumentParser, run: Run) -> None:
    parser.description = (
        "Build the context pack for a task: its goal, acceptance criteria, files, documents and "
        "earlier attempts. The tier limits its size in characters."
    )
    parser.add_argument(
        "task", metavar="TASK.json|YAML|-", help="the task file; - reads standard input"
    )
    parser.add_argument(
        "--tier",
        choices=["strong", "default", "cheap"],
        default="default",
        help="strong: 120,000 characters, default: 60,000, cheap: 25,000 (default: default)",
    )
    _add_delivery(parser)
    parser.set_defaults(run=run)


def _add_delivery(parser: Any) -> None:
    parser.add_argument(
        "--format",
        choices=["json", "markdown"],
        default="markdown",
        help="json for programs, markdown for a model (default: markdown)",
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
        help="for this call, show what this default rule hides; may be repeated",
    )
