"""`sightline build`: print the context bundle, and why each part is in it.

stdout carries the bundle. stderr carries what a person needs: a table on a terminal, the reason of
a refusal.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import sys
from collections.abc import Sequence

import attrs
import msgspec

from sightline.bundle import BuildResult, Purpose, canonical
from sightline.cli.budget_table import show_bundle, show_candidates, spent
from sightline.cli.delivery import copy_to_clipboard, read_file, write_file
from sightline.cli.opening import open_indexed
from sightline.cli.output import DONE, REFUSED, Output
from sightline.cli.snapshots import recorded
from sightline.context import (
    BuildRequest,
    Constraint,
    Intent,
    LastError,
    PlanStep,
    Scope,
    TargetSpec,
)
from sightline.engine.build import build, refused_build, result_json, told_besides
from sightline.engine.host import Host
from sightline.engine.requests import build_request
from sightline.engine.shown import concealed
from sightline.engine.typed_targets import typed_path, typed_symbol, typed_target, typed_targets
from sightline.refusals import Refusal, RefusalKind
from sightline.render import Format


def run(options: argparse.Namespace, output: Output) -> int:
    request = _base_request(options)
    if isinstance(request, Refusal):
        return refuse_build(output, request)
    overrides = _overrides(options)
    first = options.targets[0] if options.targets else _first_path(request)
    around = typed_path(first) if first is not None else None
    with open_indexed(options, around, output, overrides) as host:
        if isinstance(host, Refusal):
            return refuse_build(output, host)
        output.json = Format(host.settings.render.format) is Format.JSON
        request = _with_targets(host, options, request)
        if isinstance(request, Refusal):
            return refuse_build(output, request)
        _, unknown_model = host.settings.profile()
        if unknown_model is not None:
            output.reason(unknown_model)
        result = build(host, request, overrides, correlation_id=options.correlation_id)
        if result.refusal is not None:
            code = refuse_build(output, result.refusal, result)
            # Programs read the offers in the refusal itself.
            for line in [] if output.json else _offers(host, options, result.refusal):
                output.reason(line)
            return code
        content = result_json(result) if output.json else (result.rendered or "").encode("utf-8")
        _deliver(options, output, content)
        code = DONE
        if options.snapshot or options.snapshot_to is not None:
            told = recorded(host, result, content, options.snapshot_to)
            if isinstance(told, Refusal):
                code = REFUSED
                output.reason(f"no snapshot was stored: {told.sentence()}")
            else:
                output.reason(told)
        _say_what_was_left_out(output, request, result)
        for each in result.manifest.hidden if result.manifest is not None else ():
            output.reason(each.sentence())
        for note in told_besides(result):
            output.reason(note)
        # The bundle was written: an error on stderr is no failure.
        with contextlib.suppress(OSError):
            if sys.stderr is not None and sys.stderr.isatty():
                show_bundle(result)
            elif options.summary:
                output.reason(spent(result))
            if options.explain:
                show_candidates(result)
    return code


def refuse_build(output: Output, refusal: Refusal, result: BuildResult | None = None) -> int:
    """Report a refusal as the answer to a build; return its exit code.

    Without `result` the answer does not repeat the request: it was not understood, or not scanned.
    """
    if not output.json:
        return output.refuse(refusal)
    output.raw(result_json(result or refused_build(refusal)))
    output.json = False
    try:
        return output.refuse(refusal)
    finally:
        output.json = True


def _offers(host: Host, options: argparse.Namespace, refusal: Refusal) -> list[str]:
    """Return the commands that a person can copy to solve the problem in one step."""
    if refusal.path is None:
        return []
    path = os.path.relpath(host.root / refusal.path)
    words = (options.intent, options.step, options.error, options.request, *options.constraint)
    has_words = any(each is not None for each in words)
    offers = []
    for action in refusal.actions:
        if action.kind == "mark_harmless":
            command = shlex.join(["sightline", "harmless", f"{path}:{action.line}"])
        elif has_words:
            # The person's text is not repeated: it may hold more than the request shows.
            command = "add --on-target-secret redact to the command"
        else:
            written = ["sightline", *options.arguments, "--on-target-secret", "redact"]
            command = shlex.join(written)
        offers.append(f"{action.title}: {command}")
    return offers


def _say_what_was_left_out(output: Output, request: BuildRequest, result: BuildResult) -> None:
    """Print which requested files are not in the bundle."""
    wanted = {each.path for each in (*request.targets, *request.user_selected_targets)}
    assert result.manifest is not None
    for each in result.manifest.selection.excluded_candidates:
        if each.path in wanted and each.symbol is None:
            source = f", from {each.rule_source}" if each.rule_source else ""
            output.reason(f"{each.path} is left out: {each.reason.value} [{each.rule}{source}]")


# The request.


def _base_request(options: argparse.Namespace) -> BuildRequest | Refusal:
    """Return the request without the targets of the command line."""
    if options.error_at is not None and options.error is None:
        return _contradiction("--error-at says where an error is, and --error is missing")
    request = BuildRequest()
    if options.request is not None:
        value = _read_json(options.request)
        if isinstance(value, Refusal):
            return value
        read = build_request(value)
        if isinstance(read, Refusal):
            return attrs.evolve(read, path=options.request)
        request = read
    changes: dict[str, object] = {}
    if options.purpose is not None:
        changes["purpose"] = Purpose(options.purpose)
    if options.intent is not None:
        changes["intent"] = Intent(options.intent)
    if options.step is not None:
        before = request.plan_step or PlanStep()
        changes["plan_step"] = msgspec.structs.replace(before, description=options.step)
    if options.constraint:
        added = tuple(_constraint(each) for each in options.constraint)
        changes["constraints"] = (*request.constraints, *added)
    return msgspec.structs.replace(request, **changes)


def _constraint(written: str) -> Constraint:
    scope, separator, text = written.partition(":")
    if separator and scope in tuple(Scope):
        return Constraint(text.strip(), Scope(scope))
    return Constraint(written)


def _with_targets(
    host: Host, options: argparse.Namespace, request: BuildRequest
) -> BuildRequest | Refusal:
    targets = typed_targets(host, options.targets)
    if isinstance(targets, Refusal):
        return targets
    is_one_file = len(targets) == 1 and targets[0].line is None and targets[0].symbol is None
    for name in options.symbol:
        if is_one_file:
            targets.append(TargetSpec(path=targets[0].path, symbol=name))
        else:
            targets.append(typed_symbol(host, name))
    selected = typed_targets(host, options.add)
    if isinstance(selected, Refusal):
        return selected
    dropped = _dropped(host, options.drop)
    if isinstance(dropped, Refusal):
        return dropped
    error = _last_error(host, options)
    if isinstance(error, Refusal):
        return error
    for each in (*targets, *selected):
        if each.path in dropped:
            return _contradiction(f"{each.path} is asked for, and --drop leaves it out")
    request = msgspec.structs.replace(
        request,
        targets=(*request.targets, *targets),
        user_selected_targets=(*request.user_selected_targets, *selected),
        dropped_paths=(*request.dropped_paths, *dropped),
        last_error=error or request.last_error,
    )
    return build_request(msgspec.to_builtins(request))


def _dropped(host: Host, written: Sequence[str]) -> list[str] | Refusal:
    """Return the paths to leave out. A path that does not exist is refused: it would leave out
    nothing.
    """
    dropped = []
    for each in written:
        path = host.path_of(each)
        if isinstance(path, Refusal):
            return path
        document = host.cache.look_at(path)
        if isinstance(document, Refusal) and document.kind is RefusalKind.INVALID_REQUEST:
            return concealed(host, document)
        dropped.append(path)
    return dropped


def _last_error(host: Host, options: argparse.Namespace) -> LastError | Refusal | None:
    if options.error is None:
        return None
    if options.error_at is None:
        return LastError(options.error)
    place = typed_target(host, options.error_at)
    if isinstance(place, Refusal):
        is_outside = place.reason == "outside_sandbox"
        return LastError(options.error, is_outside=True) if is_outside else place
    if place.symbol is not None or place.end_line is not None:
        return _contradiction("--error-at takes PATH or PATH:LINE")
    return LastError(options.error, place.path, place.line)


def _first_path(request: BuildRequest) -> str | None:
    return next((each.path for each in request.targets if each.path is not None), None)


def _overrides(options: argparse.Namespace) -> dict[str, object]:
    """Return the settings of the command line; None for those that were not given."""
    return {
        "model.name": options.model,
        "budget.max_input_tokens": options.max_input_tokens,
        "budget.response_token_reserve": options.reserve,
        "budget.soft_limit_threshold_pct": options.soft_limit_pct,
        "budget.estimator": options.estimator,
        "render.format": options.format,
        "context.depth": options.depth,
        "context.target_level": options.target_level,
        "context.max_hops": options.hops,
        "secrets.on_target_secret": options.on_target_secret,
    }


def _contradiction(problem: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST, "usage", None, problem, "see 'sightline build --help'"
    )


# Files and the clipboard.


def _read_json(path: str) -> object:
    data = read_file(path, "give a file with one JSON object")
    if isinstance(data, Refusal):
        return data
    try:
        value = msgspec.json.decode(data)
        # The request is recorded with the bundle, so it must have a canonical form.
        canonical(value)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return Refusal(
            RefusalKind.INVALID_REQUEST,
            "not_json",
            path,
            "the request is not JSON, or holds a number that is not exact in JSON",
            "give a file with one JSON object",
        )
    return value


def _deliver(options: argparse.Namespace, output: Output, content: bytes) -> None:
    if options.copy:
        output.reason(f"{len(content)} bytes {copy_to_clipboard(content)}")
    if options.output is not None:
        write_file(options.output, content)
    elif not options.copy:
        if output.is_terminal:
            output.contents(content, inserted=False)
        else:
            output.raw(content)
