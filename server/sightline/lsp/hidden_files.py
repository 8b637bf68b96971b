"""Questions about rules that hide source files: once per rule and workspace, and on a person's
command.

Invariant: settings are written only after an answer to a question that the server asked.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from sightline.engine.allow import (
    ProposedAllowance,
    names_rule,
    propose_allowance,
    write_allowance,
)
from sightline.engine.declared_source import note_asked, rules_to_ask_about
from sightline.engine.host import Host
from sightline.engine.shown import conceal_names
from sightline.lsp.folder import WorkspaceFolder
from sightline.lsp.state import ServerState
from sightline.refusals import Refusal, RefusalKind

ALLOW = "Allow in This Workspace"
_KEEP = "Keep It Hidden"


async def ask_about_declared(
    state: ServerState, folder: WorkspaceFolder, allowed: Callable[[], None]
) -> None:
    """Ask once about each rule that hides files which the workspace's project files declare as
    source.

    `allowed` is called after the person allowed one.
    """
    host, run = folder.host, folder.run_for_request
    for each in await run(lambda: rules_to_ask_about(host)):
        proposed = await run(partial(proposed_rule, host, each.rule, is_declared=True))
        if isinstance(proposed, Refusal):
            continue
        allowance, question = proposed
        answer = await state.client.ask(question, (ALLOW, _KEEP))
        await run(partial(note_asked, host, each.rule))
        if answer == ALLOW:
            result = await run(partial(write_allowance, host, allowance))
            if result.refusal is not None:
                state.client.tell(result.refusal)
            allowed()


def proposed_rule(
    host: Host, written: str, *, is_declared: bool = False
) -> tuple[ProposedAllowance, str] | Refusal:
    """Return the allowance for a rule, and the question about it. Runs on a folder's thread."""
    if not names_rule(written):
        return _no_rule()
    proposed = propose_allowance(host, written)
    if isinstance(proposed, Refusal):
        return proposed
    amounts = {each.rule: each.amount for each in host.snapshot.hidden}
    files = amounts.get(proposed.rule, "no source file that is known of")
    name = conceal_names(host, names=[host.root.name]).text(host.root.name)
    declared = ", which a project file of this workspace declares as its source" * is_declared
    question = (
        f"Allow {proposed.rule} in the workspace '{name}'? The rule hides {files}{declared}. "
        "Once allowed, they may be sent to an AI."
    )
    return proposed, question


def _no_rule() -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "no_such_rule",
        None,
        "there is no such rule",
        "use a rule from the list of hidden files",
    )
