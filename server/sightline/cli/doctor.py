"""`sightline doctor`: does everything work that Sightline stands on?"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import platform
import sys
from collections.abc import Iterator

import attrs

from sightline import __version__
from sightline.cli.output import DONE, REFUSED, Output
from sightline.languages import LanguageError, load_registry
from sightline.refusals import Refusal
from sightline.workers import Request, Task, Workers


@attrs.frozen
class Check:
    name: str
    passed: bool
    detail: str


def run(options: argparse.Namespace, output: Output) -> int:
    del options
    checks = list(_checks())
    passed = all(check.passed for check in checks)
    if output.json:
        output.record({"ok": passed, "checks": [attrs.asdict(check) for check in checks]})
    else:
        width = max(len(check.name) for check in checks)
        for check in checks:
            mark = ("ok    ", "green") if check.passed else ("FAILED", "bold red")
            output.line(mark, ("  " + check.name.ljust(width), "bold"), ("  " + check.detail, ""))
    return DONE if passed else REFUSED


def _checks() -> Iterator[Check]:
    yield Check("sightline", True, __version__)
    yield Check("python", sys.version_info >= (3, 11), platform.python_version())
    for package in ("tree-sitter", "pathspec", "pygit2", "msgspec", "attrs"):
        yield Check(package, True, importlib.metadata.version(package))
    jailed = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
    yield Check(
        "file system",
        True,
        "opened component by component, links never followed by the system"
        if jailed
        else "no dir_fd or O_NOFOLLOW here: each component is checked before it is opened",
    )
    try:
        registry = load_registry()
    except LanguageError as error:
        yield Check("languages", False, str(error))
        return
    with Workers(1) as workers:
        first = True
        for language in registry.languages.values():
            try:
                patterns = len(language.tags.patterns)
            except LanguageError as error:
                yield Check(language.name, False, str(error))
                continue
            answer = workers.ask(Request(Task.SIGNATURES, language.name, b"\n"))
            if first:
                first = False
                started = not isinstance(answer, Refusal) or answer.reason != "no_worker"
                yield Check("workers", started, "start, parse and answer" if started else "none")
            working = not isinstance(answer, Refusal)
            yield Check(
                language.name,
                working,
                f"grammar ABI {language.grammar.abi_version}, {patterns} patterns, "
                f"{' '.join(language.extensions)}"
                if working
                else "its parser did not answer",
            )
