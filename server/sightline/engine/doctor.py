"""Check that everything works on which Sightline depends."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from collections.abc import Iterator

from sightline import __version__
from sightline.bundle import HiddenFiles
from sightline.engine.host import Host
from sightline.engine.index import ignore_file_notes
from sightline.engine.results import DoctorCheck, DoctorResult
from sightline.languages import Language, LanguageError, load_registry
from sightline.refusals import Refusal
from sightline.workers import ParseRequest, ParseTask, Workers


def doctor(host: Host | None = None) -> DoctorResult:
    """Check the installation, and count what rules hide in a workspace if there is one."""
    checks = (*_checks(), *(_hidden(host) if host is not None else ()))
    return DoctorResult(all(check.passed for check in checks), checks)


def _checks() -> Iterator[DoctorCheck]:
    yield DoctorCheck("sightline", True, __version__)
    yield DoctorCheck("python", sys.version_info >= (3, 11), platform.python_version())
    for package in ("tree-sitter", "pathspec", "pygit2", "msgspec", "attrs"):
        yield DoctorCheck(package, True, importlib.metadata.version(package))
    jailed = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
    yield DoctorCheck(
        "file system",
        True,
        "opened component by component, links never followed by the system"
        if jailed
        else "no dir_fd or O_NOFOLLOW here: each component is checked before it is opened",
    )
    try:
        registry = load_registry()
    except LanguageError as error:
        yield DoctorCheck("languages", False, str(error))
        return
    with Workers(1) as workers:
        yield from _language_checks(workers, list(registry.languages.values()))


def _hidden(host: Host) -> Iterator[DoctorCheck]:
    """Report what rules hide. That is not a fault: a person decides."""
    if (held := host.take_first_look()) is not None:
        yield DoctorCheck("rules", True, f"not looked at: {held.message}; {held.advice}")
        return
    for note in ignore_file_notes(host):
        yield DoctorCheck("rules", True, note)
    for each in host.workspace.hidden:
        hidden = HiddenFiles.of(each.rule, each.files, each.at_least)
        yield DoctorCheck("rules", True, hidden.sentence())


def _language_checks(workers: Workers, languages: list[Language]) -> Iterator[DoctorCheck]:
    has_answered = False
    for language in languages:
        try:
            patterns = len(language.tags.patterns)
            _ = language.index_tags
        except LanguageError as error:
            yield DoctorCheck(language.name, False, str(error))
            continue
        answer = workers.ask(ParseRequest(ParseTask.SIGNATURES, language.name, b"\n"))
        if not has_answered:
            has_answered = True
            started = not isinstance(answer, Refusal) or answer.reason != "no_worker"
            yield DoctorCheck("workers", started, "start, parse and answer" if started else "none")
        working = not isinstance(answer, Refusal)
        yield DoctorCheck(
            language.name,
            working,
            f"grammar ABI {language.grammar.abi_version}, {patterns} patterns, "
            f"{' '.join(language.files.extensions)}"
            if working
            else "its parser did not answer",
        )
