"""Say how many files a rule hides, in answers that such a rule touched.

Invariant: nothing is read but git's index. Before a workspace was indexed or surveyed, what git
does not track is not counted.
"""

from __future__ import annotations

import attrs

from sightline.bundle import HiddenFiles
from sightline.engine.host import Host
from sightline.refusals import Refusal
from sightline.workspace.defaults import liftable_rule


def hidden_files(host: Host) -> tuple[HiddenFiles, ...]:
    """Return what rules hide that a person may allow, as far as it is known."""
    hidden = host.snapshot.hidden
    surveyed = host.workspace.surveyed
    if hidden:
        return hidden
    counted = surveyed.hidden_by_rule if surveyed else host.workspace.hidden_by_git()
    return tuple(HiddenFiles.of(each.rule, each.files, each.at_least) for each in counted)


def with_amount(host: Host, refusal: Refusal) -> Refusal:
    """Return a refusal by a rule with the number of files that this rule hides."""
    if refusal.reason != "deny_rule":
        return refusal
    for each in hidden_files(host):
        if each.rule == refusal.rule:
            told = f"{refusal.advice}; the rule hides {each.amount} here"
            return attrs.evolve(refusal, advice=told)
    return refusal


def lift_told(host: Host, refusal: Refusal) -> str | None:
    """Return how a person allows the rule of a refusal, where that is one to be allowed."""
    rule = refusal.rule
    if refusal.reason != "deny_rule" or rule is None or not liftable_rule(rule):
        return None
    if not (refusal.source or "").startswith("default:"):
        return None
    for each in hidden_files(host):
        if each.rule == rule:
            return each.sentence()
    return f"to allow the rule {rule} in this workspace: {HiddenFiles.of(rule, 0, False).command}"


def is_under(parts: list[str], rule: str) -> bool:
    """Return True if a folder, given by its names, stands where a rule of folders holds."""
    folder = rule.removeprefix("**/").removesuffix("/**").casefold()
    names = [each.casefold() for each in parts]
    return folder in names if rule.startswith("**/") else names[:1] == [folder]
