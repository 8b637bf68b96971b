"""The options of `sightline build` for the size of a bundle and for the request."""

from __future__ import annotations

import argparse

from sightline.cli.option_values import count, number, unique_id


def add_budget(budget: argparse._ArgumentGroup) -> None:
    budget.add_argument(
        "--model",
        metavar="NAME",
        help="the model that the bundle is for; it sets the limits and the tokenizer",
    )
    budget.add_argument(
        "--max-input-tokens",
        type=number,
        metavar="N",
        help="the size of the model's context window, in tokens",
    )
    budget.add_argument(
        "--reserve", type=number, metavar="N", help="tokens to keep free for the answer"
    )
    budget.add_argument(
        "--soft-limit-pct",
        type=number,
        metavar="PERCENT",
        help="warn above this share of the limit, and add optional context only below it "
        "(default: 80)",
    )
    budget.add_argument(
        "--estimator", metavar="NAME", help="how to count tokens, such as lexical-1:o200k"
    )


def add_asked(asked: argparse._ArgumentGroup) -> None:
    asked.add_argument(
        "--task",
        "--intent",
        dest="intent",
        metavar="TEXT",
        help="the task in your words; the bundle begins with it",
    )
    asked.add_argument("--step", metavar="TEXT", help="the step of a plan that is to be done now")
    asked.add_argument(
        "--constraint",
        action="append",
        default=[],
        metavar="[SCOPE:]TEXT",
        help="a rule that the model must keep; SCOPE is system, project, session or user "
        "(default); "
        "may be repeated",
    )
    asked.add_argument(
        "--error", metavar="MESSAGE", help="the error message that the last attempt ended with"
    )
    asked.add_argument("--error-at", metavar="PATH:LINE", help="the line that the error names")
    asked.add_argument(
        "--request",
        metavar="FILE",
        help="read the request from a JSON file; options are added to it",
    )
    asked.add_argument(
        "--add",
        action="append",
        default=[],
        metavar="TARGET",
        help="also include this file or symbol: PATH or PATH::SYMBOL; may be repeated",
    )
    asked.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar="PATH",
        help="leave this file out; may be repeated",
    )
    _add_choices(asked)


def _add_choices(asked: argparse._ArgumentGroup) -> None:
    asked.add_argument(
        "--depth",
        choices=["target", "needed", "fill"],
        help="how much to include: the target alone, also what it needs, or also similar code "
        "(default: fill)",
    )
    asked.add_argument(
        "--target-level",
        choices=["auto", "full", "region"],
        help="show the whole file of a target, or only its symbol; auto decides by the size of "
        "the file "
        "(default: auto)",
    )
    asked.add_argument(
        "--hops", type=count, metavar="N", help="follow callers of callers up to N steps"
    )
    asked.add_argument(
        "--on-target-secret",
        choices=["refuse", "redact"],
        help="if a target contains a secret, refuse the build or replace the secret (default: "
        "refuse)",
    )
    asked.add_argument(
        "--correlation-id",
        type=unique_id,
        metavar="UUID",
        help="your own id for this build, copied into the result",
    )
