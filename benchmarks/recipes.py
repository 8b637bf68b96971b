"""Recipes: what a review by symbol saves, and what the builders cost.

    python benchmarks/recipes.py --commits 10 REPOSITORY…     (work trees that may be checked out)
    python benchmarks/recipes.py --builders                   (a made-up tree of 10,000 files)

Of the newest commits with one parent that change source, each is checked out and reviewed twice:
with whole changed files, and by symbol. Both have the diff. Tokens are those of the Markdown, by
the calibrated estimator; those of `len // 4` stand beside them. A changed line counts as shown if
it stands in a changed symbol or a changed file, not only in the diff. A direct caller counts as
shown if the line that calls is in the review, a test that reaches the change if its first line is;
of each symbol the first twenty of both, as the index lists them.

A builder's memory is the most that this process held while it ran, beyond what it held before, and
the most that a process of its own held in all.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from sightline.budget import Estimator, estimator
from sightline.engine.git_operations import GitOperations, ReviewedChange
from sightline.engine.host import Host, open_host
from sightline.engine.recipe_requests import RecipeRequest, build_recipe
from sightline.engine.recipe_texts import AnswerTexts, RecipeRoots
from sightline.engine.recipes import review_context
from sightline.engine.symbol_review import is_test_file
from sightline.recipes.patches import split_patches
from sightline.refusals import Refusal
from sightline.render.recipe_text import recipe_markdown

_NO_LIMIT = 1 << 30
_COUNTING = estimator("lexical-1:o200k")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("repositories", nargs="*", type=Path)
    parser.add_argument("--commits", type=int, default=10)
    parser.add_argument("--builders", action="store_true")
    options = parser.parse_args()
    rows = [row for each in options.repositories for row in _reviews(each, options.commits)]
    if rows:
        _report("all", rows)
    if options.builders:
        _measure_builders()
    return 0


def _tokens(text: str) -> int:
    assert isinstance(_COUNTING, Estimator)
    return _COUNTING.tokens(text)


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=root, check=True, capture_output=True, text=True
    ).stdout


def _reviews(root: Path, count: int) -> list[dict[str, int]]:
    rows: list[dict[str, int]] = []
    start = _git(root, "rev-parse", "HEAD").strip()
    for commit in _git(root, "rev-list", "--no-merges", "-n", str(20 * count), start).split():
        if len(rows) >= count:
            break
        _git(root, "checkout", "-q", "--force", commit)
        host = open_host(root)
        assert isinstance(host, Host)
        with host:
            host.open_index()
            row = _review(host, commit)
        if row is not None:
            rows.append(row)
    _git(root, "checkout", "-q", "--force", start)
    _report(root.name, rows)
    return rows


def _review(host: Host, commit: str) -> dict[str, int] | None:
    change = ReviewedChange(GitOperations(host.root), f"{commit}~1")
    diff = change.diff(change.base)
    _, patches = split_patches(diff)
    source = [
        each
        for each in patches
        if each.path and each.changed_lines and host.registry.for_path(each.path, b"") is not None
    ]
    if not source:
        return None
    texts = [AnswerTexts(RecipeRoots(lambda _: host)) for _ in range(2)]
    whole = review_context(texts[0], change, change.base, None, _NO_LIMIT)
    begin = time.monotonic_ns()
    short = review_context(texts[1], change, change.base, by_symbol=True)
    elapsed = (time.monotonic_ns() - begin) // 1_000_000
    documents = [recipe_markdown("review", each) for each in (whole, short)]
    wanted, shown = _lines_shown(diff, short)
    users = _users_shown(host, short)
    return {
        "whole": _tokens(documents[0]),
        "short": _tokens(documents[1]),
        "quarter": len(documents[1]) // 4,
        "lines": wanted,
        "shown": shown,
        "callers": users[0],
        "callers_shown": users[1],
        "tests": users[2],
        "tests_shown": users[3],
        "milliseconds": elapsed,
    }


def _lines_shown(diff: str, context: dict[str, Any]) -> tuple[int, int]:
    """Return how many distinct new lines of source a change has, and how many are shown."""
    texts: dict[str, set[str]] = {}
    for path, text in context["changed_files"].items():
        texts.setdefault(path, set()).update(text.split("\n"))
    for each in context["changed_symbols"]:
        texts.setdefault(each["path"], set()).update((each["head"] or "").split("\n"))
    wanted = shown = 0
    for patch in split_patches(diff)[1]:
        if patch.path is None or patch.is_binary:
            continue
        lines = [row[1:] for row in patch.text.split("\n@@", 1)[-1].split("\n") if row[:1] == "+"]
        for line in {each for each in lines if each.strip() and len(each) < 2_000}:
            wanted += 1
            shown += line in texts.get(patch.path, set())
    return wanted, shown


def _users_shown(host: Host, context: dict[str, Any]) -> tuple[int, int, int, int]:
    """Return how many direct callers and tests there are, each with how many of them are shown."""
    texts: dict[str, str] = {}
    for field in ("changed_files", "callers", "tests"):
        for path, text in context[field].items():
            texts[path] = texts.get(path, "") + text
    for each in context["changed_symbols"]:
        texts[each["path"]] = texts.get(each["path"], "") + (each["head"] or "")
    calling: set[tuple[str, int]] = set()
    reaching: set[tuple[str, int]] = set()
    relations = host.snapshot.relations
    for each in context["changed_symbols"]:
        own = f"{each['path']}::{each['symbol']}"
        for target in host.snapshot.find(own):
            callers: dict[str, tuple[str, int]] = {}
            tests: dict[str, tuple[str, int]] = {}
            for relation in relations.callers(target, 3):
                used = (relation.evidence.path, relation.evidence.line)
                for place in relation.targets:
                    if is_test_file(place.path):
                        # A use outside of symbols is where it stands.
                        begin = (place.path, place.line) if place.symbol else used
                        tests.setdefault(str(place), begin)
                    elif relation.hops == 1 and str(place) != own:
                        callers.setdefault(str(place), used)
            calling |= {*list(callers.values())[:20]}
            reaching |= {*list(tests.values())[:20]}
    return (
        len(calling),
        sum(_line_of(host, *each) in texts.get(each[0], "") for each in calling),
        len(reaching),
        sum(_line_of(host, *each) in texts.get(each[0], "") for each in reaching),
    )


def _line_of(host: Host, path: str, line: int) -> str:
    text = (host.root / path).read_text("utf-8", "replace")
    return text.split("\n")[line - 1].rstrip("\r")


def _report(name: str, rows: list[dict[str, int]]) -> None:
    def total(key: str) -> int:
        return sum(each[key] for each in rows)

    if not rows:
        print(f"{name}: no commit that changes source")
        return
    saved = 100 - 100 * total("short") // max(1, total("whole"))
    slowest = max(each["milliseconds"] for each in rows)
    print(
        f"{name}: {len(rows)} commits, {total('whole')} tokens with whole files, "
        f"{total('short')} by symbol ({saved} % fewer; len // 4 says {total('quarter')}); "
        f"changed lines shown {total('shown')}/{total('lines')}, "
        f"direct callers {total('callers_shown')}/{total('callers')}, "
        f"tests that reach the change {total('tests_shown')}/{total('tests')}; "
        f"slowest {slowest} ms",
        flush=True,
    )


def _measure_builders() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for number in range(10_000):
            place = root / f"package_{number // 100}" / f"module_{number}.py"
            place.parent.mkdir(exist_ok=True)
            place.write_text(f"def function_{number}(value):\n    return value + {number}\n" * 5)
        (root / "CLAUDE.md").write_text("Use spaces.\n")
        _git(root, "init", "-q", "-b", "main")
        _git(root, "add", "-A")
        _git(root, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "begin")
        for number in range(10):
            place = root / f"package_{number}" / f"module_{number * 100}.py"
            place.write_text(place.read_text().replace("return value", "return 1 + value", 1))
        report = "".join(f"package_{n}/module_{n * 100}.py:2: error: wrong\n" for n in range(10))
        requests = [
            RecipeRequest(recipe="implementation", task_file=str(root / "CLAUDE.md")),
            RecipeRequest(recipe="review", base="HEAD", by_symbol=False),
            RecipeRequest(recipe="review", base="HEAD"),
            RecipeRequest(recipe="fix", report=report),
            RecipeRequest(recipe="issue", issue="Wrong\nin package_1/module_100.py"),
        ]
        host = open_host(root)
        assert isinstance(host, Host)
        with host:
            refusal = host.open_index()
            assert not isinstance(refusal, Refusal)
            for number, request in enumerate([requests[0], *requests]):
                before = _forget_peak()
                begin, begin_cpu = time.monotonic_ns(), _cpu_seconds()
                result = build_recipe(host, request)
                elapsed = (time.monotonic_ns() - begin) // 1_000_000
                cpu = round(1_000 * (_cpu_seconds() - begin_cpu))
                grown = (_peak_kilobytes(os.getpid()) - before) // 1024
                is_by_symbol = request.recipe == "review" and request.by_symbol
                name = f"{request.recipe}{' by symbol' if is_by_symbol else ''}"
                first = " (the first answer starts the process for git)" if number == 0 else ""
                print(
                    f"{name}: {elapsed} ms ({cpu} ms CPU), {grown} MB more, "
                    f"git's process {_largest_child() // 1024} MB in all, "
                    f"{result.tokens} tokens{first}",
                    flush=True,
                )


def _forget_peak() -> int:
    """Begin a new peak of this process's memory; what it holds now, in kilobytes."""
    Path("/proc/self/clear_refs").write_text("5")
    return _peak_kilobytes(os.getpid())


def _peak_kilobytes(process: int) -> int:
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"^VmHWM:\s+(\d+)", status, re.MULTILINE)
    return int(found[1]) if found else 0


def _git_processes() -> list[int]:
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return [
        int(each)
        for each in children
        if b"git_history_child" in Path(f"/proc/{each}/cmdline").read_bytes()
    ]


def _largest_child() -> int:
    return max(map(_peak_kilobytes, _git_processes()), default=0)


def _cpu_seconds() -> float:
    """CPU time of this process and of the one that asks git."""
    ticks = os.sysconf("SC_CLK_TCK")
    times = [Path(f"/proc/{each}/stat").read_text().split(")")[1] for each in _git_processes()]
    return time.process_time() + sum(sum(map(int, each.split()[11:13])) for each in times) / ticks


if __name__ == "__main__":
    sys.exit(main())
