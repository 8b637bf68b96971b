"""`sightline context …` and `sightline task …`: context for a task, a review, a fix, an issue.

stdout carries the context, stderr lists what was left out of it.
"""

from __future__ import annotations

import argparse
import contextlib

import msgspec

from sightline.cli.delivery import copy_to_clipboard, read_given, write_file
from sightline.cli.opening import open_indexed, open_workspace
from sightline.cli.output import DONE, Output
from sightline.engine.recipe_requests import RecipeRequest, build_pack, build_recipe
from sightline.refusals import Refusal, RefusalKind


def run_context(options: argparse.Namespace, output: Output) -> int:
    request = _request(options)
    if isinstance(request, Refusal):
        return output.refuse(request)
    with contextlib.ExitStack() as opened:
        if request.recipe == "review" and request.by_symbol:
            host = opened.enter_context(open_indexed(options, None, output))
        else:
            host = open_workspace(options, request.task_file, output)
            if not isinstance(host, Refusal):
                opened.enter_context(host)
        if isinstance(host, Refusal):
            return output.refuse(host)
        result = build_recipe(host, request)
    if result.refusal is not None:
        return output.refuse(result.refusal)
    for warning in result.context["_metadata"]["warnings"]:
        output.reason(warning)
    _deliver(options, output, result.context, result.rendered or "")
    return DONE


def run_task(options: argparse.Namespace, output: Output) -> int:
    given = read_given(options.task, "give a file with a task in JSON or YAML, or '-'")
    if isinstance(given, Refusal):
        return output.refuse(given)
    host = open_workspace(options, None, output)
    if isinstance(host, Refusal):
        return output.refuse(host)
    with host:
        result = build_pack(host, given, options.tier)
    if result.refusal is not None:
        return output.refuse(result.refusal)
    for warning in result.warnings:
        output.reason(warning)
    _deliver(options, output, result.pack, result.rendered or "")
    return DONE


def _request(options: argparse.Namespace) -> RecipeRequest | Refusal:
    most = options.max_tokens
    if options.recipe == "implementation":
        return RecipeRequest(recipe="implementation", task_file=options.task_file, max_tokens=most)
    if options.recipe == "review":
        return _review(options)
    written = options.report if options.recipe == "fix" else options.issue
    given = read_given(written, "name an existing file, or '-' for a pipe")
    if isinstance(given, Refusal):
        return given
    text = given.decode("utf-8", "replace")
    if options.recipe == "fix":
        return RecipeRequest(
            recipe="fix",
            report=text,
            files=tuple(options.paths),
            max_tokens=most,
            by_symbol=options.by_symbol,
        )
    return RecipeRequest(recipe="issue", issue=text, max_tokens=most)


def _review(options: argparse.Namespace) -> RecipeRequest | Refusal:
    if options.range is None:
        return RecipeRequest(
            recipe="review",
            base=options.base,
            staged=options.staged,
            max_tokens=options.max_tokens,
            by_symbol=options.by_symbol,
        )
    if options.staged or options.base is not None:
        return _wrong("a range says both ends of the change: leave --base and --staged out")
    base, dots, head = options.range.partition("..")
    if not dots:
        return _wrong("a change is named A..B, or by --base")
    return RecipeRequest(
        recipe="review",
        base=base or "HEAD",
        head=head.lstrip(".") or "HEAD",
        from_merge_base=head.startswith("."),
        max_tokens=options.max_tokens,
        by_symbol=options.by_symbol,
    )


def _deliver(
    options: argparse.Namespace, output: Output, values: dict[str, object], text: str
) -> None:
    content = msgspec.json.encode(values) + b"\n" if output.json else text.encode("utf-8")
    if options.copy:
        output.reason(f"{len(content)} bytes {copy_to_clipboard(content)}")
    if options.output is not None:
        write_file(options.output, content)
    elif not options.copy:
        if output.is_terminal:
            output.contents(content, inserted=False)
        else:
            output.raw(content)


def _wrong(problem: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST, "usage", None, problem, "see 'sightline context --help'"
    )
