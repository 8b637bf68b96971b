"""Build a recipe or a task pack in an open workspace: what every front asks for.

Invariants:

* Everything is read through the host, so what an editor has not saved counts, and nothing outside
  the root does.
* A request that cannot be met at all (no such revision, an unreadable report) is refused. What is
  missing beside that is a warning of the answer.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import msgspec

from sightline.budget import Estimator, estimator
from sightline.engine.git_operations import GitError, GitOperations, ReviewedChange
from sightline.engine.host import Host
from sightline.engine.recipe_results import RecipeResult, TaskPackResult
from sightline.engine.recipe_texts import AnswerTexts, RecipeRoots
from sightline.engine.recipes import (
    fix_context,
    implementation_context,
    issue_context,
    review_context,
)
from sightline.engine.report_places import ReportPlaces
from sightline.engine.results import Status
from sightline.engine.shown import concealed
from sightline.engine.task_packs import build_task_pack, task_from_text
from sightline.recipes.contexts import ContextDict
from sightline.recipes.readers import read_check_output, read_issue
from sightline.recipes.sections import fit_to_budget
from sightline.refusals import Refusal, RefusalKind
from sightline.render.recipe_text import recipe_markdown
from sightline.workspace.git_history import GitFault

RECIPES = ("implementation", "review", "fix", "issue")
_DEFAULT_BASES = ("main", "master", "HEAD")
_MOST_FIX_FILES = 50


class RecipeRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to build context for. Each recipe uses its own fields."""

    recipe: str
    task_file: str | None = None
    """Of an implementation: the file that says what is to be done."""
    base: str | None = None
    """Of a review: the revision that the change began at; by default `main` or `master`."""
    head: str | None = None
    """Of a review: the revision that the change ends at; by default the work tree."""
    staged: bool = False
    """Of a review: up to what is staged."""
    from_merge_base: bool = True
    """Of a review: begin at the common ancestor of base and head."""
    report: str | None = None
    """Of a fix: what a tool printed."""
    files: tuple[str, ...] = ()
    """Of a fix: which files to show; by default those that the report names."""
    issue: str | None = None
    """Of an issue: its JSON, or its text."""
    max_tokens: int | None = None
    by_symbol: bool = True
    """Of a review: show changed symbols, their callers and tests in place of whole files. Of a fix:
    show the symbol around each error in place of the lines around it."""
    may_scan: bool = True
    """Of a review by symbol: scan the workspace first, if that is still to be done. Otherwise the
    changed files come whole until it is done."""


def build_recipe(host: Host, request: RecipeRequest) -> RecipeResult:
    """Return the context that a request asks for, or why there is none."""
    build = _BUILDERS.get(request.recipe)
    if build is None:
        return _refused(_wrong("there is no such recipe", f"use {', '.join(RECIPES)}"))
    try:
        made = build(host, request)
    except GitError as error:
        made = _wrong(str(error), _ADVICE.get(error.fault, _OTHER_ADVICE), error.fault.value)
    if isinstance(made, Refusal):
        return _refused(concealed(host, made))
    return _fitted(host, request, made)


def build_pack(host: Host, task: str | bytes, tier: str) -> TaskPackResult:
    """Return the pack for a task that is given as JSON or YAML."""
    data = task.encode("utf-8", "replace") if isinstance(task, str) else task
    read = task_from_text(data)
    made = None if isinstance(read, Refusal) else build_task_pack(host, read, tier)
    refusal = read if isinstance(read, Refusal) else made.refusal if made is not None else None
    if made is None or made.pack is None:
        assert refusal is not None
        return TaskPackResult(Status.REFUSED, concealed(host, refusal))
    text = recipe_markdown("task", made.pack)
    return TaskPackResult(Status.OK, None, tier, made.pack, text, made.warnings)


def _refused(refusal: Refusal) -> RecipeResult:
    return RecipeResult(Status.REFUSED, refusal)


def _texts(host: Host) -> AnswerTexts:
    return AnswerTexts(RecipeRoots(lambda _: host))


def _git(host: Host) -> GitOperations:
    return GitOperations(host.root)


def _is_whole_repository(host: Host, git: GitOperations) -> bool:
    return os.path.realpath(git.root) == os.path.realpath(host.root)


def _implementation(host: Host, request: RecipeRequest) -> ContextDict | Refusal:
    if not request.task_file:
        return _wrong("no task file was named", "name the file that says what is to be done")
    path = host.path_of(request.task_file)
    if isinstance(path, Refusal):
        return path
    found = host.cache.look_at(path)
    if isinstance(found, Refusal):
        return found
    return implementation_context(_texts(host), host.root / path, _git(host), None)


def _review(host: Host, request: RecipeRequest) -> ContextDict | Refusal:
    git = _git(host)
    if not _is_whole_repository(host, git):
        return _wrong(
            "the workspace is not the root of a repository",
            "name the repository's own directory with --root",
            "no_repository",
        )
    head = request.head
    base = request.base or ("HEAD" if request.staged else _default_base(git))
    for revision in (base, head or "HEAD"):
        git.log(1, revision)
    if request.from_merge_base and base != "HEAD":
        base = git.merge_base(base, head or "HEAD")
    change = ReviewedChange(git, base, head, staged=request.staged)
    texts = _texts(host)
    by_symbol = request.by_symbol
    if by_symbol and not (request.may_scan or host.snapshot.index_complete):
        # Nobody knows all callers yet.
        texts.warn("the index is not complete yet: changed files are shown, not changed symbols")
        by_symbol = False
    return review_context(texts, change, base, by_symbol=by_symbol)


def _default_base(git: GitOperations) -> str:
    for base in _DEFAULT_BASES:
        try:
            if git.log(1, base):
                return base
        except GitError:
            continue
    return "HEAD"


def _fix(host: Host, request: RecipeRequest) -> ContextDict | Refusal:
    if request.report is None:
        return _wrong("no report of a check was given", "pipe a tool's output to '--from -'")
    output = read_check_output(request.report)
    if isinstance(output, Refusal):
        return output
    files: list[str] = []
    texts = _texts(host)
    if request.files:
        for each in request.files:
            path = host.path_of(each)
            if isinstance(path, Refusal):
                return path
            files.append(path)
    else:
        places = ReportPlaces(host, output)
        output = places.output()
        files += places.files
        for path, found in places.refused.items():
            texts.warn(f"{path}: withheld by the rule {found.rule}")
            texts.warn_of_rule(host, found)
        for each in places.ambiguous:
            texts.warn(f"{each}: several files of the workspace have this name; none is shown")
    distinct = list(dict.fromkeys(files))
    if len(distinct) > _MOST_FIX_FILES:
        texts.warn(f"the report names {len(distinct)} files; the first {_MOST_FIX_FILES} are shown")
    return fix_context(
        texts,
        output,
        distinct[:_MOST_FIX_FILES],
        root=host.root,
        by_symbol=request.by_symbol,
    )


def _issue(host: Host, request: RecipeRequest) -> ContextDict | Refusal:
    if request.issue is None:
        return _wrong("no issue was given", "name a file with its JSON, or '-'")
    issue = read_issue(request.issue)
    if isinstance(issue, Refusal):
        return issue
    return issue_context(_texts(host), issue, _git(host))


_OTHER_ADVICE = "name a revision of a repository"
_ADVICE = {
    GitFault.NO_REPOSITORY: "use a folder that is in a git repository",
    GitFault.NO_REVISION: "name a branch, a tag or a commit; a repository without commits has "
    "none, and a shallow clone lacks old ones (git fetch --unshallow)",
}

_BUILDERS: dict[str, Callable[[Host, RecipeRequest], ContextDict | Refusal]] = {
    "implementation": _implementation,
    "review": _review,
    "fix": _fix,
    "issue": _issue,
}

_SECTIONS = (
    "tasks",
    "conventions",
    "diff",
    "changed_files",
    "callers",
    "tests",
    "source_files",
    "related_files",
)
_SEPARATOR = "\0"


def _fitted(host: Host, request: RecipeRequest, context: ContextDict) -> RecipeResult:
    """Return a context within the tokens that a request allows, if it does."""
    counting = estimator(host.settings.profile()[0].estimator)
    count: Callable[[str], int] = counting.tokens if isinstance(counting, Estimator) else _quarter
    most = request.max_tokens
    text = recipe_markdown(request.recipe, context)
    if most is not None and count(text) > most:
        sections = _sections(context)
        room = most - count(
            recipe_markdown(request.recipe, _with(context, dict.fromkeys(sections, "")))
        )
        for _ in range(8):
            if room < 0:
                return _refused(_too_small(most))
            fitted = fit_to_budget(sections, room, estimator=count)
            cut = _with(context, fitted)
            text = recipe_markdown(request.recipe, cut)
            if (over := count(text) - most) <= 0:
                context = _noted(cut, fitted["_metadata"]) if "_metadata" in fitted else cut
                break
            room -= over
        else:
            return _refused(_too_small(most))
        text = recipe_markdown(request.recipe, context)
    return RecipeResult(Status.OK, None, request.recipe, context, text, count(text))


def _quarter(text: str) -> int:
    return len(text) // 4


def _sections(context: ContextDict) -> dict[str, str]:
    """Return the texts that may be cut, by field and path."""
    found: dict[str, str] = {}
    for name in _SECTIONS:
        value = context.get(name)
        if isinstance(value, str):
            found[name] = value
        elif isinstance(value, dict):
            found |= {f"{name}{_SEPARATOR}{path}": text for path, text in value.items()}
    if "issue" in context:
        found[f"issue{_SEPARATOR}body"] = context["issue"]["body"]
    for number, symbol in enumerate(context.get("changed_symbols", ())):
        for side in ("base", "head"):
            if symbol[side]:
                found[_SEPARATOR.join(["changed_symbols", str(number), side])] = symbol[side]
    return found


def _with(context: ContextDict, texts: dict[str, Any]) -> ContextDict:
    changed = dict(context)
    for name, text in texts.items():
        field, separator, path = name.partition(_SEPARATOR)
        if field == "changed_symbols":
            number, _, side = path.partition(_SEPARATOR)
            symbols = list(changed[field])
            symbols[int(number)] = {**symbols[int(number)], side: text}
            changed[field] = symbols
        elif separator:
            changed[field] = {**changed[field], path: text}
        elif field != "_metadata":
            changed[field] = text
    return changed


def _noted(context: ContextDict, cut: dict[str, Any]) -> ContextDict:
    before = context["_metadata"]
    lost = cut["original_lines"] - cut["kept_lines"]
    original = max(before["original_lines"], cut["original_lines"])
    affected = [each.partition(_SEPARATOR)[0] for each in cut["sections_affected"]]
    metadata = {
        **before,
        "truncated": True,
        "original_lines": original,
        "kept_lines": max(0, min(before["kept_lines"] - lost, original - 1)),
        "sections_affected": list(dict.fromkeys([*before["sections_affected"], *affected])),
    }
    return {**context, "_metadata": metadata}


def _too_small(most: int) -> Refusal:
    return Refusal(
        RefusalKind.CONTEXT_TOO_LARGE,
        "over_max_tokens",
        None,
        f"the parts that cannot be shortened need more than {most} tokens",
        "allow more tokens",
        rule=f"max_tokens={most}",
    )


def _wrong(problem: str, advice: str, reason: str = "usage") -> Refusal:
    return Refusal(RefusalKind.INVALID_REQUEST, reason, None, problem, advice)
