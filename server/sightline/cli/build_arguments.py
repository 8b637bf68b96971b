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
        "--max-input-tokens", type=number, metavar="N", help="tokens that the model takes in all"
    )
    budget.add_argument(
        "--reserve", type=number, metavar="N", help="tokens to keep free for the answer"
    )
    budget.add_argument(
        "--soft-limit-pct",
        type=number,
        metavar="PERCENT",
        help="fill the bundle up to so much of the limit (default: 80)",
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
        help="what is to be done, in your words; the text opens with it",
    )
    asked.add_argument("--step", metavar="TEXT", help="the plan's step, in words")
    asked.add_argument(
        "--constraint",
        action="append",
        default=[],
        metavar="[SCOPE:]TEXT",
        help="system:, project:, session: or user: (the default); may be repeated",
    )
    asked.add_argument("--error", metavar="MESSAGE", help="the last error")
    asked.add_argument("--error-at", metavar="PATH:LINE", help="where it is")
    asked.add_argument("--request", metavar="FILE", help="a JSON request; options add to it")
    asked.add_argument(
        "--add",
        action="append",
        default=[],
        metavar="TARGET",
        help="also include this file or symbol: PATH or PATH::SYMBOL",
    )
    asked.add_argument(
        "--drop", action="append", default=[], metavar="PATH", help="a file to leave out"
    )
    asked.add_argument(
        "--depth",
        choices=["target", "needed", "fill"],
        help="the target alone, what it needs, or optional context as well (default)",
    )
    asked.add_argument(
        "--target-level",
        choices=["auto", "full", "region"],
        help="show a target's whole file, its region alone, or as its size says (default: auto)",
    )
    asked.add_argument("--hops", type=count, metavar="N", help="follow callers over so many steps")
    asked.add_argument(
        "--on-target-secret",
        choices=["refuse", "redact"],
        help="what to do about a secret in a target (default: refuse)",
    )
    asked.add_argument(
        "--correlation-id", type=unique_id, metavar="UUID", help="an id of yours for this build"
    )
