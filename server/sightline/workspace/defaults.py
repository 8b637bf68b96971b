"""The default deny rules and the user's lifts. Pure: a path goes in, a verdict comes out.

A rule is matched on every normal form of the path (case folded, NFC and NFKC, with and without
invisible characters). Rules have no negation, so a rule that matches a directory denies all
that is below it.

A lift is either a rule as written, which switches that rule off, or one file's full path,
which exempts that file. `credentials` rules yield only to the second, `version_control` rules
to neither. Lifts are about these rules alone: an ignore file is lifted by editing it.

Denials that settings add are matched like the default rules, and no lift is about them.
"""

from __future__ import annotations

import functools
import tomllib
import unicodedata
from collections.abc import Mapping
from importlib import resources

import attrs

from sightline.workspace.ignore_patterns import Expression, any_of, translate
from sightline.workspace.paths import check_form, normal_forms

_BY_PATH_ONLY = "credentials"
_NEVER_LIFTED = "version_control"
_ADDED = "settings"
_FILE_OR_DIRECTORY = "(?:(?:/)|$)"


@attrs.frozen
class PolicyVerdict:
    """What decided that a path is denied: the rule as written, and where it stands."""

    rule: str | None
    source: str
    malformed: bool = False


@attrs.frozen(slots=False)
class Rule:
    pattern: str
    group: str
    expression: str
    source: str = ""
    """Where it stands; empty for a default rule."""

    @functools.cached_property
    def compiled(self) -> Expression:
        """Compiled when first needed: most rules never deny anything in a workspace."""
        return Expression(self.expression)

    @property
    def verdict(self) -> PolicyVerdict:
        return PolicyVerdict(self.pattern, self.source or f"default:{self.group}")


@functools.cache
def default_rules() -> tuple[Rule, ...]:
    """All rules, in the order of the data file."""
    table = tomllib.loads(
        resources.files(__package__).joinpath("default_rules.toml").read_text("utf-8")
    )
    return tuple(
        Rule(pattern, group, _expression(pattern))
        for group, patterns in table["groups"].items()
        for pattern in patterns
    )


def is_lift(lift: str) -> bool:
    """Whether a lift can have a meaning: a rule as written, or the path of one file."""
    if any(rule.pattern == lift for rule in default_rules()):
        return True
    return "*" not in lift and check_form(lift) is None


class DefaultRules:
    """The default rules as one user has them, and what settings deny besides."""

    def __init__(self, lifted: tuple[str, ...], denied: Mapping[str, str]) -> None:
        """`denied` has patterns in gitignore syntax, each with the place where it stands."""
        self._lifted = frozenset(lifted)
        added = tuple(
            Rule(pattern, _ADDED, _added_expression(pattern), source)
            for pattern, source in sorted(denied.items())
        )
        standing = tuple(rule for rule in default_rules() if not self._is_lifted(rule))
        self._standing = (*standing, *added)
        self._unliftable = tuple(
            rule for rule in self._standing if rule.group in (_NEVER_LIFTED, _ADDED)
        )
        self._any = _any_of(tuple(rule.expression for rule in self._standing))

    def verdict(self, subject: str) -> PolicyVerdict | None:
        """The first rule that denies the subject; a directory's path ends in `/`."""
        forms = normal_forms(subject)
        if not any(self._any.matches(form) for form in forms):
            return None
        rules = self._unliftable if subject in self._lifted else self._standing
        for rule in rules:
            if any(rule.compiled.matches(form) for form in forms):
                return rule.verdict
        return None

    def root_verdict(self, root: str) -> PolicyVerdict | None:
        """The rule that denies a place as a workspace: a directory that only holds such files.

        Rules of the other groups say nothing about a root: a project may live in `~/build`, and
        one that is called `credentials-service` is a project.
        """
        forms = normal_forms(root.strip("/") + "/")
        for rule in default_rules():
            guards = rule.group in (_BY_PATH_ONLY, _NEVER_LIFTED) and rule.pattern.endswith("/**")
            if guards and any(rule.compiled.matches(form) for form in forms):
                return rule.verdict
        return None

    def leads_to_lift(self, directory: str) -> bool:
        """Whether a file below the directory is exempt by its path."""
        return any(lift.startswith(directory + "/") for lift in self._lifted)

    def _is_lifted(self, rule: Rule) -> bool:
        return rule.pattern in self._lifted and rule.group not in (_BY_PATH_ONLY, _NEVER_LIFTED)


@functools.cache
def _any_of(expressions: tuple[str, ...]) -> Expression:
    return any_of(expressions)


def _added_expression(pattern: str) -> str:
    """A denial's expression. Subjects come case folded, and so must what is to match them."""
    forms = {unicodedata.normalize(form, pattern.casefold()) for form in ("NFC", "NFKC")}
    return "|".join(f"(?:{_expression(form)})" for form in sorted(forms))


def _expression(pattern: str) -> str:
    """A rule's expression for the subject or anything below it.

    `dir/**` also matches `dir/`: nothing re-includes what is inside, so the listing need not
    look there. The slash in front keeps such a pattern anchored, now that it ends in a slash.
    """
    directories = pattern.endswith("/**")
    translated = translate("/" + pattern.removesuffix("**") if directories else pattern, 0)
    if translated is None:
        raise ValueError(f"not a pattern: {pattern}")
    expression, _ = translated
    if expression.endswith(_FILE_OR_DIRECTORY):
        return expression.removesuffix(_FILE_OR_DIRECTORY) + "(?:/.*|$)"
    return f"{expression}.*" if expression.endswith(("/", "(?:/)")) else expression
