"""Refusals of a workspace: withheld by a rule, not text, outside of the root.

Invariant: no refusal contains contents, and none reveals whether anything exists outside of the
root.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from sightline.refusals import Refusal
from sightline.workspace.defaults import PolicyVerdict
from sightline.workspace.paths import refuse
from sightline.workspace.reading import Undecodable


def denial(path: str, resolved: str, verdict: PolicyVerdict) -> Refusal:
    if verdict.malformed:
        message = "An ignore file cannot be understood, so all it may cover is withheld: {path}"
        advice = f"Repair {verdict.source}: a small UTF-8 file with one pattern per line."
    elif verdict.source.startswith("default:"):
        message = "A default rule withholds this file: {path}"
        advice = _lift_advice(verdict, path)
    else:
        message = "The workspace's own ignore rules withhold this file: {path}"
        advice = f"Change the rule in {verdict.source} if the file may be seen."
    if resolved != path:
        message += " (by where its link leads)"
    return refuse("deny_rule", path, message, advice, rule=verdict.rule, source=verdict.source)


def denied_folder(path: str, verdict: Refusal) -> Refusal:
    """Return the refusal of a folder, derived from that of its contents."""
    return refuse(
        verdict.reason,
        path,
        "A rule withholds this folder: {path}",
        verdict.advice,
        rule=verdict.rule,
        source=verdict.source,
    )


def _lift_advice(verdict: PolicyVerdict, path: str) -> str:
    group = verdict.source.removeprefix("default:")
    if group == "version_control" or verdict.rule is None:
        return "Name another file: this rule has no exceptions."
    # The command can be copied as it is.
    if group == "credentials":
        named = shlex.quote(path)
        return (
            "If the file holds no secret, allow it in this workspace by its full path: "
            f"sightline allow {named} (--allow does it for once)"
        )
    named = shlex.quote(verdict.rule)
    return (
        "If the file may be seen, allow the rule in this workspace: "
        f"sightline allow {named} (--allow does it for once)"
    )


def undecodable(path: str, problem: Undecodable) -> Refusal:
    if problem.reason == "binary":
        message = "This is not a text file, or not certainly one: {path}"
        advice = "Name a text file."
    else:
        message = "The file's encoding is not supported, or not certain: {path}"
        advice = "Save it as UTF-8."
    return refuse(problem.reason, path, message, advice, rule=problem.check)


def elsewhere(path: str) -> Refusal:
    advice = "Name a file inside the workspace, or open the workspace that holds it."
    if path and not Path(path).is_absolute():
        # Do not say whether there is such a file: that would reveal what exists outside.
        advice = (
            "A relative path counts from the current directory if that is in the workspace, else"
            " from the workspace's root."
        )
    return refuse("outside_sandbox", path, "The file is outside the workspace: {path}", advice)
