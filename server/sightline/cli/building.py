"""`sightline build`, `verify` and `diff`: the bundle, and what speaks for it.

stdout carries the bundle, stderr what a person wants to know about it: a table on a terminal, the
reason where there is none.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import re
import sys
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs
import msgspec

from sightline.building import Desk, build_result
from sightline.bundle import BuildResult, Purpose, Status, canonical
from sightline.cli.budget_table import show_bundle, show_candidates, spent
from sightline.cli.delivery import copy_to_clipboard, read_file, write_file
from sightline.cli.opening import Opened, open_project
from sightline.cli.output import DONE, REFUSED, Output
from sightline.context import (
    Built,
    Constraint,
    Intent,
    LastError,
    PlanStep,
    Refused,
    Request,
    Scope,
    Wanted,
    read_request,
)
from sightline.context.verify import Difference, changed_inputs, differences, read_result
from sightline.refusals import Refusal, RefusalKind
from sightline.render import Format, to_json
from sightline.workspace import Workspace

_TARGET = re.compile(
    r"(?P<path>.+?)(?:::(?P<symbol>.+)"
    r"|:(?P<line>[0-9]{1,9})(?:-(?P<end>[0-9]{1,9})|:(?P<column>[0-9]{1,9}))?)?",
    re.DOTALL,
)
_REPLAYED = ("model.", "budget.", "render.", "slicing.", "context.")
"""Overrides that a recorded build may bring with it: none of them guards."""


def run_build(options: argparse.Namespace, output: Output) -> int:
    request = _base_request(options)
    if isinstance(request, Refusal):
        return refuse_build(output, request)
    overrides = _overrides(options)
    first = options.targets[0] if options.targets else _first_path(request)
    with open_project(options, path_of(first), output, overrides) as opened:
        if isinstance(opened, Refusal):
            return refuse_build(output, opened)
        output.json = _format(opened) is Format.JSON
        request = _with_targets(opened.workspace, options, request)
        if isinstance(request, Refusal):
            return refuse_build(output, request)
        _, unknown_model = opened.loaded.settings.profile()
        if unknown_model is not None:
            output.reason(unknown_model)
        outcome = built(opened, request, options.correlation_id)
        result = _result(opened, request, outcome, overrides)
        if isinstance(outcome, Refused):
            return refuse_build(output, outcome.refusal, result)
        content = to_json(result) if output.json else outcome.rendering.text.encode("utf-8")
        _deliver(options, output, content)
        _say_what_was_left_out(output, request, outcome)
        # What a person reads besides the bundle may go nowhere; the bundle has been handed over.
        with contextlib.suppress(OSError):
            if sys.stderr is not None and sys.stderr.isatty():
                show_bundle(outcome)
            elif options.summary:
                output.reason(spent(outcome))
            if options.explain:
                show_candidates(outcome)
    return DONE


def run_verify(options: argparse.Namespace, output: Output) -> int:
    recorded = _recorded(options.bundle)
    if isinstance(recorded, Refusal):
        return output.refuse(recorded)
    request = read_request(recorded.request)
    if isinstance(request, Refusal):
        return output.refuse(attrs.evolve(request, path=options.bundle))
    overrides = {
        key: value
        for key, value in recorded.overrides.items()
        if key.startswith(_REPLAYED) and value is not None
    }
    name = Path(options.bundle).name
    with open_project(options, None, output, overrides) as opened:
        if isinstance(opened, Refusal):
            return output.refuse(opened)
        outcome = built(opened, request)
        derived = _result(opened, request, outcome, overrides)
        if recorded.rendered is not None and isinstance(outcome, Built):
            derived = msgspec.structs.replace(derived, rendered=outcome.rendering.text)
        found = differences(recorded, derived)
        if output.json:
            output.record(
                {
                    "status": "different" if found else "verified",
                    "bundle": name,
                    "differences": [msgspec.to_builtins(each) for each in found],
                }
            )
        else:
            _show_differences(output, found, f"{name}: verified")
        if found:
            output.reason(f"{name} is not what a build gives now")
            if isinstance(outcome, Refused) and recorded.status is Status.OK:
                output.reason(f"a build is refused now: {outcome.refusal.message}")
            if _is_visible(opened, options.bundle):
                output.reason(
                    f"{name} is itself a file of the workspace that it is about; keep bundles "
                    "outside, or name them in .sightlineignore"
                )
    return REFUSED if found else DONE


def run_diff(options: argparse.Namespace, output: Output) -> int:
    results = []
    for name in (options.first, options.second):
        recorded = _recorded(name)
        if isinstance(recorded, Refusal):
            return output.refuse(recorded)
        results.append(recorded)
    found = changed_inputs(*results)
    if output.json:
        output.record({"differences": [msgspec.to_builtins(each) for each in found]})
    else:
        _show_differences(output, found, "the two builds have the same inputs")
    return DONE


def refuse_build(output: Output, refusal: Refusal, result: BuildResult | None = None) -> int:
    """A refusal in the form of a build's answer, and its reason; the exit code that goes with it.

    Without `result` nothing of the request is told: it was not understood, or not scanned.
    """
    if not output.json:
        return output.refuse(refusal)
    output.raw(to_json(result or _refused_result(refusal)))
    output.json = False
    try:
        return output.refuse(refusal)
    finally:
        output.json = True


def built(opened: Opened, request: Request, correlation_id: str | None = None) -> Built | Refused:
    settings = opened.loaded.settings
    desk = Desk(opened.project, opened.registry, opened.workers)
    now = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
    return desk.build(
        request,
        settings,
        created_at=now.isoformat().replace("+00:00", "Z"),
        correlation_id=correlation_id or str(uuid.uuid4()),
    )


def _result(
    opened: Opened, request: Request, outcome: Built | Refused, overrides: Mapping[str, object]
) -> BuildResult:
    return build_result(
        outcome,
        request,
        opened.loaded.settings,
        overrides,
        index_complete=opened.project.snapshot.index_complete,
        rendered=False,
    )


def _refused_result(refusal: Refusal) -> BuildResult:
    return BuildResult(
        status=Status.REFUSED,
        bundle=None,
        manifest=None,
        redaction_report=None,
        budget_report=None,
        refusal=refusal,
        request={},
        settings={},
        overrides={},
        index_complete=False,
    )


def _say_what_was_left_out(output: Output, request: Request, outcome: Built) -> None:
    """A file that a person asked for and that is not in is told to that person."""
    wanted = {each.path for each in (*request.targets, *request.user_selected_targets)}
    for each in outcome.manifest.selection.excluded_candidates:
        if each.path in wanted:
            source = f", from {each.rule_source}" if each.rule_source else ""
            output.reason(f"{each.path} is left out: {each.reason.value} [{each.rule}{source}]")


# What is asked for.


def _base_request(options: argparse.Namespace) -> Request | Refusal:
    """The request without the targets that stand on the command line."""
    if options.error_at is not None and options.error is None:
        return _contradiction("--error-at says where an error is, and --error is missing")
    request = Request()
    if options.request is not None:
        value = _read_json(options.request)
        if isinstance(value, Refusal):
            return value
        read = read_request(value)
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
    workspace: Workspace, options: argparse.Namespace, request: Request
) -> Request | Refusal:
    targets = wanted_targets(workspace, options.targets)
    if isinstance(targets, Refusal):
        return targets
    is_one_file = len(targets) == 1 and targets[0].line is None and targets[0].symbol is None
    for name in options.symbol:
        if is_one_file:
            targets.append(Wanted(path=targets[0].path, symbol=name))
        else:
            targets.append(_named(workspace, name))
    selected = wanted_targets(workspace, options.add)
    if isinstance(selected, Refusal):
        return selected
    dropped = _dropped(workspace, options.drop)
    if isinstance(dropped, Refusal):
        return dropped
    error = _last_error(workspace, options)
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
    return read_request(msgspec.to_builtins(request))


def wanted_targets(workspace: Workspace, written: Sequence[str]) -> list[Wanted] | Refusal:
    """Targets as a person types them."""
    targets = []
    for each in written:
        target = _wanted(workspace, each)
        if isinstance(target, Refusal):
            return target
        targets.append(target)
    return targets


def _wanted(workspace: Workspace, written: str) -> Wanted | Refusal:
    found = None if _is_there(written) else _TARGET.fullmatch(written)
    path = workspace.relative(found["path"] if found else written)
    if isinstance(path, Refusal):
        return path
    if found is None:
        return Wanted(path=path)
    return Wanted(
        path=path,
        line=int(found["line"]) if found["line"] else None,
        column=int(found["column"]) if found["column"] else None,
        end_line=int(found["end"]) if found["end"] else None,
        symbol=found["symbol"],
    )


def _dropped(workspace: Workspace, written: Sequence[str]) -> list[str] | Refusal:
    """Paths to leave out. One that is not there is a mistake, and would leave out nothing."""
    dropped = []
    for each in written:
        path = workspace.relative(each)
        if isinstance(path, Refusal):
            return path
        document = workspace.read(path)
        if isinstance(document, Refusal) and document.kind is RefusalKind.INVALID_REQUEST:
            return document
        dropped.append(path)
    return dropped


def _named(workspace: Workspace, name: str) -> Wanted:
    """A symbol, perhaps with the path that it is in."""
    path, separator, symbol = name.partition("::")
    if separator and symbol and _is_there(path):
        inside = workspace.relative(path)
        if not isinstance(inside, Refusal):
            return Wanted(path=inside, symbol=symbol)
    return Wanted(symbol=name)


def _last_error(workspace: Workspace, options: argparse.Namespace) -> LastError | Refusal | None:
    if options.error is None:
        return None
    if options.error_at is None:
        return LastError(options.error)
    place = _wanted(workspace, options.error_at)
    if isinstance(place, Refusal):
        return place
    if place.symbol is not None or place.end_line is not None:
        return _contradiction("--error-at takes PATH or PATH:LINE")
    return LastError(options.error, place.path, place.line)


def _first_path(request: Request) -> str | None:
    return next((each.path for each in request.targets if each.path is not None), None)


def path_of(target: str | None) -> str | None:
    """The path in a target as typed, to find the workspace around it."""
    if target is None or _is_there(target):
        return target
    found = _TARGET.fullmatch(target)
    return found["path"] if found else target


def _is_there(path: str) -> bool:
    with contextlib.suppress(OSError, ValueError):
        return Path(path).exists()
    return False


def _overrides(options: argparse.Namespace) -> dict[str, object]:
    """Settings that the command line gives; None where it says nothing."""
    return {
        "model.name": options.model,
        "budget.max_input_tokens": options.max_input_tokens,
        "budget.response_token_reserve": options.reserve,
        "budget.soft_limit_threshold_pct": options.soft_limit_pct,
        "budget.estimator": options.estimator,
        "render.format": options.format,
        "context.target_level": options.target_level,
        "context.max_hops": options.hops,
        "secrets.on_target_secret": options.on_target_secret,
    }


def _format(opened: Opened) -> Format:
    return Format(opened.loaded.settings.render.format)


def _contradiction(problem: str) -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST, "usage", None, problem, "see 'sightline build --help'"
    )


# Files and the clipboard.


def _recorded(path: str) -> BuildResult | Refusal:
    data = read_file(path, "give the file that 'sightline build --format json' wrote")
    if isinstance(data, Refusal):
        return data
    result = read_result(data)
    return attrs.evolve(result, path=path) if isinstance(result, Refusal) else result


def _read_json(path: str) -> object:
    data = read_file(path, "give a file with one JSON object")
    if isinstance(data, Refusal):
        return data
    try:
        value = msgspec.json.decode(data)
        # What is asked for is recorded with the bundle, so it has to have a canonical form.
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
        copy_to_clipboard(content)
        output.note(f"{len(content)} bytes were handed to the terminal's clipboard")
    if options.output is not None:
        write_file(options.output, content)
    elif not options.copy:
        if output.is_terminal:
            output.contents(content, inserted=False)
        else:
            output.raw(content)


def _is_visible(opened: Opened, path: str) -> bool:
    inside = opened.workspace.relative(path)
    return not isinstance(inside, Refusal) and inside in opened.project.snapshot.files


def _show_differences(output: Output, found: Sequence[Difference], none: str) -> None:
    if not found:
        output.line((none, "green"))
    for each in found:
        output.line((f"{each.what}  ", "bold"), (each.where, ""), (f"  {each.detail}", "dim"))
