"""Requests and positions of a client as plain values.

All units of a position:

* `Position` 0-based line, column in code units of the client's encoding; the input.
* byte offset into the client's text at the time of the request; in between.
* `TargetSpec` 1-based line and column, the column in characters; the output.

Invariant: a position refers to the client's text at the time of the request. Only a file that no
editor has open is read later, when the request is resolved.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

from sightline.context import BuildRequest, Intent, LastError, PlanStep, TargetSpec
from sightline.engine.requests import build_request
from sightline.lsp.extensions import ConstraintParams
from sightline.refusals import Refusal, RefusalKind
from sightline.text import Position, PositionEncoding, Text

ReadText = Callable[[str], Text | Refusal]
"""Reads a file that no editor has open, by its path."""


@attrs.frozen
class EditorTarget:
    """A file, a symbol, a cursor in a file or a selection in it."""

    path: str | None
    """None for a symbol anywhere in the workspace."""
    symbol: str | None = None
    start: Position | None = None
    """The cursor, or the start of the selection."""
    end: Position | None = None
    """The end of the selection."""
    encoding: PositionEncoding = PositionEncoding.UTF16
    text: Text | None = attrs.field(default=None, repr=False)
    """The client's text; None for a file that is not open, or if there is no position."""


@attrs.frozen
class EditorRequest:
    """A request for a build with positions in the client's units.

    A target that cannot be used is kept as a refusal: the order of the targets alone decides which
    problem is reported.
    """

    active: EditorTarget | Refusal | None = None
    targets: tuple[EditorTarget | Refusal, ...] = ()
    user_selected_targets: tuple[EditorTarget | Refusal, ...] = ()
    purpose: str = "diff"
    plan_step: PlanStep | None = None
    intent: Intent | None = None
    constraints: tuple[ConstraintParams, ...] = ()
    dropped_paths: tuple[str, ...] = ()
    last_error: LastError | None = None


def located_request(
    asked: EditorRequest | BuildRequest, read_text: ReadText
) -> BuildRequest | Refusal:
    """Return the request with every position in lines and characters."""
    if isinstance(asked, BuildRequest):
        return asked
    active = target_spec(asked.active, read_text) if asked.active is not None else None
    if isinstance(active, Refusal):
        return active
    targets = _target_specs(asked.targets, read_text)
    if isinstance(targets, Refusal):
        return targets
    selected = _target_specs(asked.user_selected_targets, read_text)
    if isinstance(selected, Refusal):
        return selected
    return build_request(
        {
            "purpose": asked.purpose,
            "active": active,
            "targets": targets,
            "plan_step": asked.plan_step,
            "intent": asked.intent,
            "constraints": [{"text": each.text, "scope": each.scope} for each in asked.constraints],
            "user_selected_targets": selected,
            "dropped_paths": asked.dropped_paths,
            "last_error": asked.last_error,
        }
    )


def target_spec(target: EditorTarget | Refusal, read_text: ReadText) -> TargetSpec | Refusal:
    """Return a target with its position in lines and characters."""
    if isinstance(target, Refusal):
        return target
    path, start = target.path, target.start
    if path is None:
        return TargetSpec.named(target.symbol) if target.symbol else TargetSpec()
    if target.symbol is not None or start is None:
        return TargetSpec(path=path, symbol=target.symbol)
    text = target.text if target.text is not None else read_text(path)
    if isinstance(text, Refusal):
        return text
    if start.line < 0 or start.column < 0:
        return _bad_position()
    line, column = _line_and_column(text, start, target.encoding)
    if line > text.last_line_number:
        # After the last line break there can be a cursor, but no symbol.
        return TargetSpec(path=path)
    end = target.end
    if end is None or end == start:
        return TargetSpec(path=path, line=line, column=column)
    end_line = max(line, _line_and_column(text, end, target.encoding)[0])
    if end.column == 0 and end_line > line:
        # A selection of whole lines ends at the start of the next.
        end_line -= 1
    return TargetSpec(path=path, line=line, end_line=end_line)


def _target_specs(
    targets: tuple[EditorTarget | Refusal, ...], read_text: ReadText
) -> list[TargetSpec] | Refusal:
    found: list[TargetSpec] = []
    for each in targets:
        spec = target_spec(each, read_text)
        if isinstance(spec, Refusal):
            return spec
        found.append(spec)
    return found


def _line_and_column(text: Text, place: Position, encoding: PositionEncoding) -> tuple[int, int]:
    """Return line and column of a position, both 1-based, the column in characters."""
    offset = text.offset_at(place, encoding)
    line = text.line_of(offset)
    column = len(text.data[text.line_start(line) : offset].decode("utf-8", "replace"))
    return line + 1, column + 1


def _bad_position() -> Refusal:
    return Refusal(
        RefusalKind.UNSUPPORTED_TARGET,
        "bad_position",
        None,
        "a line or character is below 0",
        "give a position in the file",
    )
