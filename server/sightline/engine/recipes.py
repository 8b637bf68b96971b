"""Context for a task, a review, a failing check and an issue, as plain dictionaries.

Invariants:

* No builder raises: a file that is missing and a git that fails leave their field empty, and
  `_metadata` says so.
* Every text is scanned whole before it is cut, in `recipe_texts`; every field of the answer was.
* What policy withholds is in no field: neither in a file nor in the diff of one.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from sightline.engine.conventions import read_conventions, root_of
from sightline.engine.git_operations import GitError, GitOperations, ReviewedChange
from sightline.engine.host import Host, open_host
from sightline.engine.recipe_texts import BINARY_RULES, AnswerTexts, RecipeRoots, ScannedText
from sightline.engine.symbol_fix import lines_around_errors
from sightline.engine.symbol_review import SymbolReview
from sightline.recipes.attributes import (
    commit_of,
    errors_of,
    issue_of,
    items,
    path_text,
    stats_of,
)
from sightline.recipes.contexts import ContextDict
from sightline.recipes.lines import CONTEXT_LINES, CutText, kept_ranges
from sightline.recipes.mentions import extract_file_paths
from sightline.recipes.model import CommitInfo, DiffStats, ParsedError
from sightline.recipes.patches import FilePatch, split_patches
from sightline.refusals import Refusal
from sightline.workspace.entries import is_file

_LOG = logging.getLogger("sightline.recipes")
_LOG.addHandler(logging.NullHandler())

LONGEST_FILE = 500
_LONGEST_TASKS = 50_000
_RECENT_COMMITS = 10
_RECENT_CHANGES = 5
_LINES_BESIDES_WINDOW = 5
MOST_CHANGED_FILES = 1_000
"""Changed files whose contents a review shows."""
_MOST_MENTIONS = 300


def build_implementation_context(
    task_file: Path | str, git: object, *, conventions_path: Path | str | None = None
) -> ContextDict:
    """Return a task file, the project's conventions, the branch and the last ten commits."""
    with _answering() as texts:
        return implementation_context(texts, task_file, git, conventions_path)


def implementation_context(
    texts: AnswerTexts, task_file: Path | str, git: object, conventions_path: Path | str | None
) -> ContextDict:
    place = path_text(task_file)
    if not place:
        texts.warn("there is no task file")
    tasks = texts.read(Path(place)) if place else None
    nearby = [Path(place)] if place else []
    conventions = read_conventions(texts, conventions_path, nearby, git)
    branch = _asked(texts, "the branch", "", lambda: _call(git, "current_branch"))
    commits = _commits(texts, git, _RECENT_COMMITS)
    texts.spread()
    shown_tasks = _shown(texts, tasks, _LONGEST_TASKS)
    shown_conventions = _shown(texts, conventions, LONGEST_FILE)
    return {
        "tasks": shown_tasks.text,
        "conventions": shown_conventions.text,
        "branch": texts.clean("branch", branch if isinstance(branch, str) else ""),
        "recent_commits": _commit_dicts(texts, commits),
        "_metadata": texts.metadata([("tasks", shown_tasks), ("conventions", shown_conventions)]),
    }


def build_review_context(
    git: object,
    base_branch: str,
    *,
    conventions_path: Path | str | None = None,
    max_file_lines: int = LONGEST_FILE,
    by_symbol: bool = False,
) -> ContextDict:
    """Return the diff against a branch, the files that it changes, conventions and statistics.

    A file of `max_file_lines` or more is cut around what has changed in it. With `by_symbol`, which
    needs a `GitOperations` of Sightline and its index, the changed symbols come in place of whole
    files: each before and behind the change, with its callers and the tests that reach it.
    """
    with _answering(keeps_index=by_symbol) as texts:
        # A mock may say that it is an instance of what it stands for.
        if issubclass(type(git), GitOperations):
            git = ReviewedChange(cast(GitOperations, git), base_branch)
        return review_context(
            texts, git, base_branch, conventions_path, max_file_lines, by_symbol=by_symbol
        )


def review_context(
    texts: AnswerTexts,
    git: object,
    base_branch: str,
    conventions_path: Path | str | None = None,
    max_file_lines: int = LONGEST_FILE,
    *,
    by_symbol: bool = False,
) -> ContextDict:
    root = root_of(git)
    diff = _asked(texts, "the diff", "", lambda: _call(git, "diff", base=base_branch))
    given = _asked(texts, "statistics", None, lambda: _call(git, "diff_stats", base=base_branch))
    stats = stats_of(given) if given is not None else DiffStats(0, 0, 0)
    before, patches = split_patches(diff if isinstance(diff, str) else "")
    paths = list(stats.file_list) or [each.path for each in patches if each.path is not None]
    gone = {each.old_path for each in patches if each.path is None}
    kept = _without_withheld(texts, root, patches)
    diff_text = texts.take("diff", before + "".join(each.text for each in kept))
    # A submodule is a commit of another repository: its patch says all there is.
    gone |= {each.path for each in patches if each.is_submodule}
    there = [path for path in dict.fromkeys(paths) if path not in gone]
    if len(there) > MOST_CHANGED_FILES:
        left_out = len(there) - MOST_CHANGED_FILES
        texts.warn(f"the contents of {left_out} changed files are left out: there are {len(there)}")
    files = {
        path: found
        for path in there[:MOST_CHANGED_FILES]
        if (found := _changed_file(texts, git, root, path)) is not None
    }
    conventions = read_conventions(texts, conventions_path, [root / each for each in paths], git)
    symbols = _symbol_review(texts, git, root, files) if by_symbol else None
    texts.spread()
    if symbols is not None:
        more, shown_files = symbols.shown()
    else:
        more = {}
        changed_lines = {each.path: each.changed_lines for each in patches if each.path}
        shown_files = {
            path: _cut_around(texts, found, max_file_lines - 1, changed_lines.get(path, ()))
            for path, found in files.items()
        }
    shown_diff = _shown(texts, diff_text, None)
    shown_conventions = _shown(texts, conventions, LONGEST_FILE)
    return {
        "diff": shown_diff.text,
        "changed_files": _named_files(texts, shown_files),
        **more,
        "conventions": shown_conventions.text,
        "stats": _stats_dict(stats),
        "_metadata": texts.metadata(
            [
                ("diff", shown_diff),
                *(("changed_files", cut) for cut in shown_files.values()),
                ("conventions", shown_conventions),
            ]
        ),
    }


def build_fix_context(
    validation_output: object,
    files: Iterable[Path | str],
    *,
    context_lines: int = CONTEXT_LINES,
    by_symbol: bool = False,
) -> ContextDict:
    """Return the errors of a check, and the lines around them in the files that are given.

    With `by_symbol`, the symbol around an error is shown in place of the lines around it, where it
    is not long.
    """
    with _answering() as texts:
        return fix_context(texts, validation_output, files, context_lines, by_symbol=by_symbol)


def fix_context(
    texts: AnswerTexts,
    validation_output: object,
    files: Iterable[Path | str],
    context_lines: int = CONTEXT_LINES,
    root: Path | None = None,
    *,
    by_symbol: bool = False,
) -> ContextDict:
    """Return the context of a fix; `root` is where relative paths count from."""
    place = root or Path.cwd()
    errors = errors_of(validation_output)
    read = {
        path: found
        for path in map(path_text, items(files))
        if path and (found := texts.read(place / path, path)) is not None
    }
    texts.spread()
    lines = {name: _lines_of_errors(errors, name, place) for name in read}
    host = texts.roots.host_of(place / "any") if by_symbol else None
    pieces = lines_around_errors(host, read, lines, context_lines) if isinstance(host, Host) else {}
    # A file that is not there is empty, as in the document, and `missing` names it.
    shown = {
        path: CutText("", 0, 0) for path in map(path_text, items(files)) if path in texts.missing
    }
    for name, found in read.items():
        if name in pieces:
            shown[name] = texts.show_lines(found, pieces[name])
            continue
        most = len(lines[name]) * (2 * context_lines + _LINES_BESIDES_WINDOW) or LONGEST_FILE
        shown[name] = _cut_around(texts, found, most, lines[name], context_lines)
    return {
        "errors": _error_dicts(texts, errors),
        "source_files": _named_files(texts, shown),
        "error_summary": error_summary(errors),
        "_metadata": texts.metadata([("source_files", cut) for cut in shown.values()]),
    }


def build_issue_context(issue: object, git: object, *, max_related_files: int = 10) -> ContextDict:
    """Return an issue, the files that its text mentions and the last five commits."""
    with _answering() as texts:
        return issue_context(texts, issue, git, max_related_files)


def issue_context(
    texts: AnswerTexts, issue: object, git: object, max_related_files: int = 10
) -> ContextDict:
    root = root_of(git)
    told = issue_of(issue)
    body, title = texts.take("issue body", told.body), texts.take("issue title", told.title)
    related: dict[str, ScannedText] = {}
    places: set[Path] = set()
    mentions = extract_file_paths(f"{told.title}\n{told.body}")
    for path in mentions[:_MOST_MENTIONS]:
        if len(related) >= max_related_files:
            break
        mentioned = _mentioned(root, path)
        if mentioned is None or mentioned[0] in places:
            continue
        place, name = mentioned
        places.add(place)
        if (found := texts.read(place, name, is_optional=True)) is not None:
            related[name] = found
    commits = _commits(texts, git, _RECENT_CHANGES)
    texts.spread()
    shown = {path: _shown(texts, found, LONGEST_FILE) for path, found in related.items()}
    return {
        "issue": {
            "number": told.number,
            "title": texts.show(title),
            "body": texts.show(body),
            "labels": texts.clean_each("label", told.labels),
            "state": texts.clean("state", told.state),
            "url": texts.clean("url", told.url),
        },
        "related_files": _named_files(texts, shown),
        "recent_changes": _commit_dicts(texts, commits),
        "_metadata": texts.metadata([("related_files", cut) for cut in shown.values()]),
    }


def error_summary(errors: Sequence[ParsedError]) -> str:
    """Return how many errors there are in how many files, in words."""
    if not errors:
        return "No errors"
    warnings = sum(each.severity == "warning" for each in errors)
    word = "warning" if warnings == len(errors) else "error"
    files = len({each.file for each in errors})
    told = f"{_counted(len(errors), word)} in {_counted(files, 'file')}"
    is_mixed = 0 < warnings < len(errors)
    return f"{told} ({_counted(warnings, 'warning')} among them)" if is_mixed else told


@contextmanager
def _answering(*, keeps_index: bool = False) -> Iterator[AnswerTexts]:
    """Yield the texts of an answer to a Python caller, whose log gets the warnings as well."""
    roots = RecipeRoots(lambda root: open_host(root, keeps_index=keeps_index))
    try:
        texts = AnswerTexts(roots)
        yield texts
        for warning in texts.clean_each("warning", [*texts.warnings, *texts.suspicions()]):
            _LOG.warning("%s", warning)
    finally:
        roots.close()


def _call(git: object, name: str, **arguments: object) -> object:
    return getattr(git, name)(**arguments)


def _asked(texts: AnswerTexts, what: str, default: object, ask: Callable[[], object]) -> object:
    """Return what git says; where it fails, the default and a warning without git's own words."""
    try:
        return ask()
    except GitError as error:
        texts.warn(f"git could not tell {what}: {error}")
    except Exception as error:
        texts.warn(f"git could not tell {what} ({type(error).__name__})")
    return default


def _stats_dict(stats: DiffStats) -> dict[str, int]:
    return {
        "files_changed": stats.files_changed,
        "insertions": stats.insertions,
        "deletions": stats.deletions,
    }


def _commits(texts: AnswerTexts, git: object, count: int) -> list[CommitInfo]:
    given = _asked(texts, "the history", (), lambda: _call(git, "log", n=count))
    commits = [commit_of(each) for each in items(given)][:count]
    for each in commits:
        texts.take("commit message", each.message)
    return commits


def _commit_dicts(texts: AnswerTexts, commits: Sequence[CommitInfo]) -> list[dict[str, str]]:
    fields = ("short_hash", "message", "author", "date")
    cleaned = texts.clean_each(
        "commit", [getattr(each, field) for each in commits for field in fields]
    )
    rows = [cleaned[start : start + 4] for start in range(0, len(cleaned), 4)]
    return [dict(zip(("hash", "message", "author", "date"), row, strict=True)) for row in rows]


def _error_dicts(texts: AnswerTexts, errors: Sequence[ParsedError]) -> list[dict[str, object]]:
    told = [(each.file, each.message, each.code or "") for each in errors]
    cleaned = texts.clean_each("error", [text for row in told for text in row])
    return [
        {
            "file": cleaned[3 * number],
            "line": each.line,
            "message": cleaned[3 * number + 1],
            "severity": each.severity,
            "code": cleaned[3 * number + 2] if each.code is not None else None,
        }
        for number, each in enumerate(errors)
    ]


def _without_withheld(
    texts: AnswerTexts, root: Path, patches: Sequence[FilePatch]
) -> list[FilePatch]:
    """Return the patches of files that may be seen, under both of their names."""
    host = texts.roots.host_of(root / "any")
    kept = []
    withheld = 0
    refusals: list[Refusal] = []
    for patch in patches:
        verdicts = [] if isinstance(host, Refusal) else [host.judge(name) for name in patch.names]
        if patch.is_binary:
            # Such a patch names the file and has no contents.
            verdicts = [each for each in verdicts if each is None or each.source != BINARY_RULES]
        if isinstance(host, Refusal) or any(verdicts) or not patch.names:
            withheld += 1
            refusals += [each for each in verdicts if each is not None]
        else:
            kept.append(patch)
    if withheld:
        texts.warn(f"the diff of {_counted(withheld, 'file')} is withheld by policy")
    if not isinstance(host, Refusal):
        for each in refusals:
            texts.warn_of_rule(host, each)
    return kept


def _symbol_review(
    texts: AnswerTexts, git: object, root: Path, files: dict[str, ScannedText]
) -> SymbolReview | None:
    """Return the review by symbol; None, and a warning, where there cannot be one."""
    host = texts.roots.host_of(root / "any")
    if not isinstance(git, ReviewedChange) or isinstance(host, Refusal):
        texts.warn("the review is not by symbol: that takes GitOperations of sightline.recipes")
        return None
    if not host.snapshot.index_complete and (refusal := host.open_index()) is not None:
        texts.warn(f"the review is not by symbol: {refusal.message}")
        return None
    try:
        return SymbolReview(texts, host, git, files)
    except GitError as error:
        texts.warn(f"the review is not by symbol: {error}")
        return None


def _changed_file(texts: AnswerTexts, git: object, root: Path, path: str) -> ScannedText | None:
    """Read a file as it is behind the change: in the work tree, or in git's objects."""
    if not isinstance(git, ReviewedChange) or git.is_in_work_tree:
        return texts.read(root / path, path)
    try:
        return texts.take_version(root / path, path, git.show_head(path))
    except GitError as error:
        texts.warn(f"{path}: {error}")
        return None


def _mentioned(root: Path, path: str) -> tuple[Path, str] | None:
    """Return the file below the root that a text mentions, and its name: the path as written.

    Of a path that leads elsewhere, as on another machine, the end counts: `/app/src/main.py` may
    mean `src/main.py`. Some write `@src/main.py`.
    """
    written = path.replace("\\", "/")
    parts = written.split("/")
    ends = ["/".join(parts[start:]) for start in range(1, len(parts) - 1)]
    if written.startswith("@"):
        ends.insert(0, written[1:])
    for each in (written, written.lstrip("/"), *ends):
        place = Path(os.path.normpath(root / each))
        if place.is_relative_to(root) and "\0" not in each and is_file(place):
            return place, each if each in ends else path
    return None


def _lines_of_errors(errors: Sequence[ParsedError], name: str, root: Path) -> list[int]:
    """Return the lines of a file that errors name, however they spell its path."""
    absolute = os.path.normpath(root / name)
    return sorted(
        {
            each.line
            for each in errors
            if each.line >= 1
            and each.file
            and (os.path.normpath(root / each.file) == absolute or _ends_with(absolute, each.file))
        }
    )


def _ends_with(absolute: str, file: str) -> bool:
    parts = Path(os.path.normpath(file)).parts
    return parts == Path(absolute).parts[-len(parts) :]


def _cut_around(
    texts: AnswerTexts,
    found: ScannedText,
    most: int,
    lines: Sequence[int],
    context_lines: int = CONTEXT_LINES,
) -> CutText:
    return texts.show_lines(found, kept_ranges(found.line_count, most, lines, context_lines))


def _shown(texts: AnswerTexts, found: ScannedText | None, most: int | None) -> CutText:
    if found is None:
        return CutText("", 0, 0)
    count = found.line_count
    return texts.show_lines(found, kept_ranges(count, count if most is None else most, ()))


def _named_files(texts: AnswerTexts, shown: dict[str, CutText]) -> dict[str, str]:
    names = texts.clean_each("path", list(shown))
    return {name: cut.text for name, cut in zip(names, shown.values(), strict=True)}


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
