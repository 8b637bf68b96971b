"""The default deny rules and the user's lifts. Pure: from a path to a verdict.

A rule is matched on every normal form of the path (case folded, NFC and NFKC, with and without
invisible characters). Rules have no negation, so a rule that matches a directory denies everything
below it. A rule also denies backups of what it denies, recognised by name.

Some rules have exceptions: files by extension to which they do not apply. The extensions of source
files are passed in: this package knows no languages.

A lift is either a rule as written, which disables that rule, or one file's full path, which exempts
that file. `credentials` rules can only be lifted by path, `version_control` rules not at all. Lifts
apply only to these rules: an ignore file is lifted by editing it.

A soft rule does not apply to what git tracks: a rule for directories holds if nothing below the
directory is tracked, and a pattern for files holds for files that are not tracked. Tracked files
are passed in.

Denials that settings add are matched like the default rules and cannot be lifted.
"""

from __future__ import annotations

import functools
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import resources
from typing import Any

import attrs

from sightline.workspace.backups import original_paths
from sightline.workspace.ignore_patterns import Expression, any_of, translate
from sightline.workspace.paths import check_form, normal_forms
from sightline.workspace.tracking import NOTHING_TRACKED, HiddenByRule, TrackedPaths

_BY_PATH_ONLY = "credentials"
_NEVER_LIFTED = "version_control"
_ADDED = "settings"
_SOURCE = "source"
_PUBLIC_KEY = "public_key"
_FILE_OR_DIRECTORY = "(?:(?:/)|$)"


@attrs.frozen
class PolicyVerdict:
    """The rule that denied a path: as it is written, and where."""

    rule: str | None
    source: str
    malformed: bool = False


@attrs.frozen(slots=False)
class Rule:
    pattern: str
    group: str
    expression: str
    source: str = ""
    """Where it is written; empty for a default rule."""
    exception: str | None = None
    """The kind of files to which it does not apply; then it denies no directory."""
    is_soft: bool = False
    """True if it does not apply to what git tracks."""

    @functools.cached_property
    def compiled(self) -> Expression:
        """Compiled on first use: most rules never deny anything in a workspace."""
        return Expression(self.expression)

    @property
    def verdict(self) -> PolicyVerdict:
        return PolicyVerdict(self.pattern, self.source or f"default:{self.group}")

    @property
    def is_liftable(self) -> bool:
        """True if a person may allow the whole rule."""
        return not self.source and self.group not in (_BY_PATH_ONLY, _NEVER_LIFTED)


@functools.cache
def default_rules() -> tuple[Rule, ...]:
    """Return all rules, in the order of the data file."""
    table = _table()
    exceptions = {
        pattern: kind for kind, patterns in table["exceptions"].items() for pattern in patterns
    }
    soft = table["tracked"]["soft_groups"]
    never_send = table["tracked"]["never_send"]
    return tuple(
        Rule(
            pattern,
            group,
            _expression(pattern),
            exception=exceptions.get(pattern),
            is_soft=group in soft and pattern not in never_send,
        )
        for group, patterns in table["groups"].items()
        for pattern in patterns
    )


@functools.cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads(
        resources.files(__package__).joinpath("default_rules.toml").read_text("utf-8")
    )


@functools.cache
def counted_rules() -> frozenset[str]:
    """Return the rules that hide source that is counted, whether git tracks it or not."""
    return frozenset(_table()["tracked"]["counted"])


def is_default_rule(pattern: str) -> bool:
    return any(rule.pattern == pattern for rule in default_rules())


def rule_named(written: str) -> str | None:
    """Return the default rule that a person means: as written, or by the name of its folder.

    `packages` and `packages/` mean `packages/**`, `bin` means `**/bin/**`.
    """
    folder = written.rstrip("/") + "/**"
    names = (written, folder, f"**/{folder}")
    return next((name for name in names if is_default_rule(name)), None)


def liftable_rule(pattern: str) -> bool:
    """True if a lift of the whole rule has an effect."""
    rule = next((each for each in default_rules() if each.pattern == pattern), None)
    return rule is not None and rule.is_liftable


def is_lift(lift: str) -> bool:
    """True if a lift may have an effect: it is a rule as written, or the path of one file."""
    if is_default_rule(lift):
        return True
    return "*" not in lift and check_form(lift) is None


class DefaultRules:
    """The default rules with the lifts of one user, and the denials of settings."""

    def __init__(
        self,
        lifted: tuple[str, ...],
        denied: Mapping[str, str],
        source_extensions: frozenset[str] = frozenset(),
    ) -> None:
        """`denied` has patterns in gitignore syntax, each with the place where it is written.

        `source_extensions` are those of known languages, case folded, each with its dot.
        """
        self._lifted = frozenset(lifted)
        self._denied = denied
        self._source_extensions = source_extensions
        self.tracked: Callable[[], TrackedPaths] = lambda: NOTHING_TRACKED
        """What git tracks now, for soft rules."""
        extensions = _table()["extensions"]
        self._exceptions = {
            _SOURCE: source_extensions - frozenset(extensions["data"]),
            _PUBLIC_KEY: frozenset(extensions[_PUBLIC_KEY]),
        }
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
        never_send = frozenset(_table()["tracked"]["never_send"])
        self._never_send = tuple(rule for rule in self._standing if rule.pattern in never_send)
        self._others = tuple(
            rule for rule in self._standing if not rule.is_soft and rule.pattern not in never_send
        )

    def lifting(self, patterns: Iterable[str]) -> DefaultRules:
        """Return the same rules with further ones lifted, as if git tracked nothing."""
        lifted = tuple(sorted({*self._lifted, *patterns}))
        return DefaultRules(lifted, self._denied, self._source_extensions)

    def sort_tracked(self, paths: Sequence[str]) -> TrackedPaths:
        """Filter the files that git tracks to those that rules apply to."""
        soft: list[str] = []
        hidden: Counter[str] = Counter()
        any_soft = _any_of(tuple(rule.expression for rule in self._standing if rule.is_soft))
        any_other = _any_of(tuple(rule.expression for rule in self._others))
        for path in paths:
            forms = normal_forms(path)
            if any(any_soft.matches(form) for form in forms) or _is_backup(any_soft, forms):
                soft.append(path)
            rule = self._first(self._never_send, path, forms)
            if rule is None or path in self._lifted:
                continue
            is_other = any(any_other.matches(form) for form in forms)
            if not is_other or self._first(self._others, path, forms) is None:
                hidden[rule.pattern] += 1
        return TrackedPaths.of(soft, [HiddenByRule(*each) for each in hidden.items()])

    def verdict(self, subject: str) -> PolicyVerdict | None:
        """Return the first rule that denies the subject; a directory's path ends in `/`."""
        forms = normal_forms(subject)
        is_lifted = subject in self._lifted
        rule = self._first(self._unliftable if is_lifted else self._standing, subject, forms)
        if rule is None and not is_lifted:
            rule = self._first_of_backup(subject, forms)
        return rule.verdict if rule is not None else None

    def _first(
        self,
        rules: tuple[Rule, ...],
        subject: str,
        forms: Iterable[str],
        backup: str | None = None,
    ) -> Rule | None:
        """Return the first rule that denies a subject, or the original that it is a backup of."""
        if not any(self._any.matches(form) for form in forms):
            return None
        for rule in rules:
            if rule.exception is not None and self._is_exempt(rule.exception, subject):
                continue
            if any(rule.compiled.matches(form) for form in forms):
                if rule.is_soft and self._is_tracked(rule, backup or subject):
                    continue
                return rule
        return None

    def _first_of_backup(self, subject: str, forms: Iterable[str]) -> Rule | None:
        """Return the rule that denies the original of a backup. A copied directory may contain
        secrets.
        """
        for form in forms:
            for original, is_file in original_paths(form):
                rule = self._first(self._standing, original, (original,), subject)
                if rule is not None and (
                    rule.group == _BY_PATH_ONLY or (is_file and rule.group != _NEVER_LIFTED)
                ):
                    return rule
        return None

    def _is_tracked(self, rule: Rule, subject: str) -> bool:
        """True if git tracks the subject, so that a soft rule does not hold."""
        tracked = self.tracked()
        if subject.endswith("/"):
            return subject.removesuffix("/") in tracked.directories
        if subject in tracked.files:
            return True
        # A new file beside tracked ones. A pattern for files does not consider its directory.
        return rule.pattern.endswith("/**") and subject.rpartition("/")[0] in tracked.directories

    def _is_exempt(self, exception: str, subject: str) -> bool:
        """True if the subject is a file of the exempted kind, or a directory, which may contain
        one.
        """
        name = subject.rpartition("/")[2]
        stem, dot, extension = name.rpartition(".")
        is_file = bool(name)
        return not is_file or (
            bool(stem) and (dot + extension).casefold() in self._exceptions[exception]
        )

    def root_verdict(self, root: str) -> PolicyVerdict | None:
        """Return the rule that denies a directory as a workspace, because it only contains
        credentials.

        Rules of other groups do not apply to a root: a project may be in `~/build`, and a directory
        called `credentials-service` may be a project.
        """
        forms = normal_forms(root.strip("/") + "/")
        for rule in default_rules():
            guards = rule.group in (_BY_PATH_ONLY, _NEVER_LIFTED) and rule.pattern.endswith("/**")
            if guards and any(rule.compiled.matches(form) for form in forms):
                return rule.verdict
        return None

    def leads_to_lift(self, directory: str) -> bool:
        """True if a file below the directory is exempt by its path."""
        return any(lift.startswith(directory + "/") for lift in self._lifted)

    def _is_lifted(self, rule: Rule) -> bool:
        return rule.pattern in self._lifted and rule.is_liftable


def _is_backup(expression: Expression, forms: Iterable[str]) -> bool:
    """True if a path is a copy of a file that an expression matches."""
    return any(
        is_file and expression.matches(original)
        for form in forms
        for original, is_file in original_paths(form)
    )


@functools.cache
def _any_of(expressions: tuple[str, ...]) -> Expression:
    return any_of(expressions)


def _added_expression(pattern: str) -> str:
    """Return a denial's expression. It is case folded, because subjects are."""
    forms = {unicodedata.normalize(form, pattern.casefold()) for form in ("NFC", "NFKC")}
    return "|".join(f"(?:{_expression(form)})" for form in sorted(forms))


def _expression(pattern: str) -> str:
    """Return a rule's expression for the subject or anything below it.

    `dir/**` also matches `dir/`: nothing re-includes its contents, so the listing need not look
    there. The slash in front keeps such a pattern anchored, now that it ends in a slash.
    """
    directories = pattern.endswith("/**")
    translated = translate("/" + pattern.removesuffix("**") if directories else pattern, 0)
    if translated is None:
        raise ValueError(f"not a pattern: {pattern}")
    expression, _ = translated
    if expression.endswith(_FILE_OR_DIRECTORY):
        return expression.removesuffix(_FILE_OR_DIRECTORY) + "(?:/.*|$)"
    return f"{expression}.*" if expression.endswith(("/", "(?:/)")) else expression
