"""Allow, in one workspace, what a default rule hides; list and remove allowances.

An allowance belongs to the user, and is stored in their own settings together with the workspace.
Nothing is asked here: the caller has made sure that a person wants it.
"""

from __future__ import annotations

import datetime
import os

import attrs

from sightline.bundle import Status
from sightline.engine.host import Host
from sightline.engine.results import AllowanceEntry, AllowResult, refused
from sightline.engine.shown import Concealer, conceal_names, concealed
from sightline.refusals import Refusal, RefusalKind
from sightline.settings.editing import add_mark, read_marks, remove_mark
from sightline.settings.marks import Allowance
from sightline.workspace import is_default_rule, liftable_rule, rule_named


@attrs.frozen
class ProposedAllowance:
    """What would be allowed: a whole rule, or one file by its path."""

    lift: str
    rule: str
    """The rule that hides it."""
    source: str
    """Where that rule is written."""

    @property
    def is_file(self) -> bool:
        return self.lift != self.rule


def propose_allowance(host: Host, written: str) -> ProposedAllowance | Refusal:
    """Return what a person means by a rule, a folder of a rule, or a path."""
    rule = rule_named(written)
    if rule is not None:
        return ProposedAllowance(rule, rule, "default") if liftable_rule(rule) else _hard(rule)
    path = host.path_of(written)
    return path if isinstance(path, Refusal) else propose_path(host, path)


def names_rule(written: str) -> bool:
    """True if a person means a default rule, not a path."""
    return rule_named(written) is not None


def propose_path(host: Host, path: str) -> ProposedAllowance | Refusal:
    """Return what must be allowed so that one file of the workspace is visible."""
    withheld = host.judge(path)
    if withheld is None:
        return _not_withheld(path)
    source = withheld.source or ""
    if not source.startswith("default:") or source == "default:version_control":
        return withheld
    assert withheld.rule is not None, "a default rule has a name"
    if (host.workspace.root / path).is_dir():
        return _folder(path, withheld.rule)
    return ProposedAllowance(path, withheld.rule, source)


def write_allowance(host: Host, proposed: ProposedAllowance) -> AllowResult:
    """Record an allowance for this workspace in the user's settings."""
    allowance = Allowance(proposed.lift, datetime.date.today().isoformat())
    refusal = add_mark(os.environ, str(host.workspace.root), allowance)
    return _refused(refusal) if refusal is not None else _result(host, allowance)


def allow(host: Host, written: str) -> AllowResult:
    """Allow a rule or a file in this workspace."""
    proposed = propose_allowance(host, written)
    if isinstance(proposed, Refusal):
        return _refused(concealed(host, proposed, written))
    return write_allowance(host, proposed)


def list_allowances(host: Host) -> AllowResult:
    """List what the user allowed in this workspace."""
    return _result(host, None)


def remove_allowance(host: Host, written: str) -> AllowResult:
    """Remove an allowance in this workspace: a rule, its folder, or a path."""
    marks = read_marks(os.environ, str(host.workspace.root))
    if isinstance(marks, Refusal):
        return _refused(marks)
    path = host.path_of(written)
    names = (written, rule_named(written), None if isinstance(path, Refusal) else path)
    for each in marks.allow:
        if each.rule in names:
            refusal = remove_mark(os.environ, str(host.workspace.root), each)
            return _refused(refusal) if refusal is not None else _result(host, each)
    return _refused(
        _wrong_use(
            "not_allowed",
            "nothing of that name is allowed in this workspace",
            "'sightline allow --list' lists what is allowed",
        )
    )


def _result(host: Host, changed: Allowance | None) -> AllowResult:
    marks = read_marks(os.environ, str(host.workspace.root))
    if isinstance(marks, Refusal):
        return _refused(marks)
    names = [each.rule for each in (*marks.allow, *([changed] if changed else []))]
    concealer = conceal_names(host, names=names)
    return AllowResult(
        status=Status.OK,
        root=concealer.text(host.workspace.root.name),
        changed=_entry(changed, concealer) if changed is not None else None,
        allowances=tuple(_entry(each, concealer) for each in marks.allow),
    )


def _entry(allowance: Allowance, concealer: Concealer) -> AllowanceEntry:
    is_file = not is_default_rule(allowance.rule)
    return AllowanceEntry(concealer.text(allowance.rule), is_file, allowance.date)


def _refused(refusal: Refusal) -> AllowResult:
    return refused(AllowResult, refusal)


def _hard(rule: str) -> Refusal:
    return _wrong_use(
        "rule_not_lifted",
        f"the rule {rule} cannot be lifted as a whole",
        "allow one file by its full path; files of version control are never shown",
    )


def _folder(path: str, rule: str) -> Refusal:
    advice = f"allow the rule ({rule}) or one file in it"
    if not liftable_rule(rule):
        advice = "allow one file in it, by its full path"
    return _wrong_use("is_directory", f"this is a folder: {path}", advice)


def _not_withheld(path: str) -> Refusal:
    return _wrong_use("not_withheld", f"no default rule withholds {path}", "it is visible already")


def _wrong_use(reason: str, message: str, advice: str) -> Refusal:
    return Refusal(RefusalKind.INVALID_REQUEST, reason, None, message, advice)
