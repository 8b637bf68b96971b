"""Allowances and marks over the protocol, only as the answer to a question that the server asked.

Invariants:

* A command writes nothing by itself. The server asks (`window/showMessageRequest`), naming file,
  line, detector or rule, and workspace; it writes if the person agrees. No answer, or any other
  answer, counts as no.
* Removing an allowance or mark only tightens, and needs no question.
* No question, answer or command carries a value or a hash of one.
* A person's answer is not lost where the folder is reopened meanwhile, which happens as soon as the
  server sees that its own settings file was written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from sightline.bundle import Status
from sightline.engine.allow import (
    ProposedAllowance,
    propose_path,
    remove_allowance,
    write_allowance,
)
from sightline.engine.harmless import ProposedMark, propose_marks, remove_harmless, write_mark
from sightline.engine.host import Host
from sightline.engine.shown import conceal_names, concealed
from sightline.lsp.extensions import (
    AllowPathParams,
    MarkHarmlessParams,
    TakeBackParams,
    TakeBackResult,
)
from sightline.lsp.folder import FolderClosedError
from sightline.lsp.folder_messages import reload_settings
from sightline.lsp.hidden_files import ALLOW, proposed_rule
from sightline.lsp.session import DocumentLocation
from sightline.lsp.state import ServerState
from sightline.refusals import Refusal, RefusalKind

_MARK = "Mark as Harmless in This Workspace"
_CANCEL = "Cancel"
_UNDO = "Undo"
_MOST_CHOICES = 5
_MOST_REOPENED = 8

_Result = TypeVar("_Result")
_Params = TypeVar("_Params", AllowPathParams, MarkHarmlessParams, TakeBackParams)


async def allow_path(state: ServerState, arguments: Sequence[object]) -> msgspec.Struct | Refusal:
    """Ask whether a file may be seen in its workspace, and record a yes."""
    found = _located(state, arguments, AllowPathParams)
    if isinstance(found, Refusal):
        return found
    asked, place = found
    uri, rule = asked.text_document.uri, asked.rule
    if rule is None:
        proposed = await _run(state, uri, lambda host: _proposed_allowance(host, place.path))
    else:
        proposed = await _run(state, uri, lambda host: proposed_rule(host, rule))
    if isinstance(proposed, Refusal):
        return proposed
    allowance, question = proposed
    if await state.client.ask(question, (ALLOW, _CANCEL)) != ALLOW:
        return _not_confirmed()
    result = await _run(state, uri, lambda host: write_allowance(host, allowance))
    if isinstance(result, Refusal):
        return result
    if result.changed is None:
        return result.refusal or _not_confirmed()
    reload_settings(state)
    said = f"'{result.changed.rule}' is allowed in the workspace '{result.root}'."
    _offer_undo(state, said, TakeBackParams(asked.text_document, rule=allowance.lift))
    return result


async def mark_harmless(
    state: ServerState, arguments: Sequence[object]
) -> msgspec.Struct | Refusal:
    """Ask whether a value is harmless in its workspace, and record a yes."""
    found = _located(state, arguments, MarkHarmlessParams)
    if isinstance(found, Refusal):
        return found
    asked, place = found
    refusal = state.session.out_of_step(asked.text_document.uri)
    if refusal is not None:
        return refusal
    column = await _column(state, place, asked)
    uri = asked.text_document.uri
    proposed = await _run(state, uri, lambda host: _proposed_marks(host, place.path, asked, column))
    if isinstance(proposed, Refusal):
        return proposed
    marks, question = proposed
    chosen = await state.client.ask(question, (*marks, _CANCEL))
    if chosen is None or chosen not in marks:
        return _not_confirmed()
    mark = marks[chosen]
    result = await _run(state, uri, lambda host: write_mark(host, mark))
    if isinstance(result, Refusal):
        return result
    if result.changed is None:
        return result.refusal or _not_confirmed()
    reload_settings(state)
    value = f"A value of '{result.changed.file}' ({result.changed.detector})"
    said = f"{value} is marked as harmless in the workspace '{result.root}'."
    _offer_undo(state, said, TakeBackParams(asked.text_document, mark=result.changed.id))
    return result


async def take_back(state: ServerState, arguments: Sequence[object]) -> msgspec.Struct | Refusal:
    """Remove an allowance or a mark, without a question."""
    found = _located(state, arguments, TakeBackParams)
    return found if isinstance(found, Refusal) else await _taken_back(state, found[0])


async def _taken_back(state: ServerState, asked: TakeBackParams) -> TakeBackResult | Refusal:
    uri, rule, mark = asked.text_document.uri, asked.rule, asked.mark
    if rule is not None and mark is None:
        allowed = await _run(state, uri, lambda host: remove_allowance(host, rule))
        if isinstance(allowed, Refusal):
            return allowed
        answer, refusal = TakeBackResult(Status.OK, allowance=allowed.changed), allowed.refusal
    elif mark is not None and rule is None:
        marked = await _run(state, uri, lambda host: remove_harmless(host, mark))
        if isinstance(marked, Refusal):
            return marked
        answer, refusal = TakeBackResult(Status.OK, mark=marked.changed), marked.refusal
    else:
        return _malformed()
    if refusal is not None:
        return refusal
    reload_settings(state)
    return answer


def _offer_undo(state: ServerState, said: str, undo: TakeBackParams) -> None:
    """Offer to undo the change, if the client has no plugin that does."""
    if not state.has_plugin:
        state.start(_undo(state, said, undo))


async def _undo(state: ServerState, said: str, undo: TakeBackParams) -> None:
    if await state.client.ask(said, (_UNDO,)) == _UNDO:
        outcome = await _taken_back(state, undo)
        if isinstance(outcome, Refusal):
            state.client.tell(outcome)


async def _run(state: ServerState, uri: str, work: Callable[[Host], _Result]) -> _Result | Refusal:
    """Do work once with the folder of a document.

    If the folder is closed before the work begins, the folder that takes its place does it; if
    while it runs, its result counts.
    """
    for _ in range(_MOST_REOPENED):
        place = state.session.place(uri)
        if isinstance(place, Refusal):
            return place
        host = place.folder.host
        results: list[_Result] = []

        def keep(host: Host = host, results: list[_Result] = results) -> None:
            results.append(work(host))

        try:
            await place.folder.run_for_request(keep)
        except FolderClosedError:
            if not results:
                continue
        return results[0]
    raise FolderClosedError


def _located(
    state: ServerState, arguments: Sequence[object], kind: type[_Params]
) -> tuple[_Params, DocumentLocation] | Refusal:
    """Return the parameters of a command, and the location of its file."""
    if len(arguments) != 1:
        return _malformed()
    try:
        asked = msgspec.convert(arguments[0], kind)
    except (msgspec.ValidationError, UnicodeError, RecursionError):
        return _malformed()
    place = state.session.place(asked.text_document.uri)
    return place if isinstance(place, Refusal) else (asked, place)


async def _column(
    state: ServerState, place: DocumentLocation, asked: MarkHarmlessParams
) -> int | None:
    """Return the column in characters, 1-based; None at the beginning of a line."""
    position = asked.position.to_position()
    text = await state.session.text_of(place, asked.text_document.uri)
    if isinstance(text, Refusal) or not 0 <= position.line < text.line_count:
        return None
    if position.column <= 0:
        return None
    offset = text.offset_at(position, state.session.encoding)
    before = text.data[text.line_start(text.line_of(offset)) : offset]
    return len(before.decode("utf-8", "replace")) + 1


# What is asked. On a folder's thread.


def _proposed_allowance(host: Host, path: str) -> tuple[ProposedAllowance, str] | Refusal:
    proposed = propose_path(host, path)
    if isinstance(proposed, Refusal):
        return concealed(host, proposed, path)
    shown = conceal_names(host, names=[path, host.root.name])
    question = (
        f"Allow '{shown.text(path)}' in the workspace '{shown.text(host.root.name)}'? The rule "
        f"{proposed.rule} ({proposed.source}) withholds it. Once allowed, it may be sent to an AI."
    )
    return proposed, question


def _proposed_marks(
    host: Host, path: str, asked: MarkHarmlessParams, column: int | None
) -> tuple[Mapping[str, ProposedMark], str] | Refusal:
    """Return the marks to choose from, by label, and the question."""
    line = asked.position.line + 1
    proposed = propose_marks(host, path, line, column, asked.detector)
    if isinstance(proposed, Refusal):
        return concealed(host, proposed, path)
    values = list({each.value: each for each in proposed}.values())[:_MOST_CHOICES]
    shown = conceal_names(host, names=[path, host.root.name])
    first = values[0]
    if len(values) == 1:
        choices = {_MARK: first}
        what = f"the value on line {first.line} of '{shown.text(path)}' ({first.detector})"
    else:
        choices = {f"Mark {each.detector} at Column {each.column}": each for each in values}
        what = f"a value on line {first.line} of '{shown.text(path)}'"
    question = (
        f"Mark {what} as harmless in the workspace '{shown.text(host.root.name)}'? It may then be "
        "sent to an AI from every file of this workspace."
    )
    return choices, question


# Refusals.


def _not_confirmed() -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "not_confirmed",
        None,
        "nothing was written: the question was not answered with yes",
        "ask again and confirm it, or use 'sightline allow' and 'sightline harmless'",
    )


def _malformed() -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "malformed_request",
        None,
        "the arguments of the command are wrong",
        "use the action that the editor offers",
    )
