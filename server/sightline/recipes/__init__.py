"""Recipes: context for a task, a review, a failing check and an issue, as plain dictionaries.

    from sightline.recipes import GitOperations, build_review_context

    context = build_review_context(GitOperations("path/to/project"), "main")

The builders read the caller's own objects by attribute and never raise; `_metadata` lists what is
missing, cut or replaced. Secrets are replaced in every field.

The modules of this package are pure: they read no file and run no git. The builders are exported
here and live in `engine`, which is loaded when one is first used.
"""

from __future__ import annotations

import importlib

from sightline.recipes.contexts import (
    CommitDict,
    ContextDict,
    ContextPack,
    DiffStatsDict,
    ErrorDict,
    FixContext,
    ImplementationContext,
    IssueContext,
    IssueDict,
    ReviewContext,
    TruncationMetadata,
)
from sightline.recipes.lines import truncate_file, truncate_line
from sightline.recipes.mentions import extract_file_paths
from sightline.recipes.model import (
    CommitInfo,
    DiffStats,
    GitHubIssue,
    GitStatus,
    ParsedError,
    StageResult,
    ValidationOutput,
)
from sightline.recipes.readers import read_check_output, read_issue
from sightline.recipes.sections import estimate_tokens, fit_to_budget

__all__ = [
    "CommitDict",
    "CommitInfo",
    "ContextDict",
    "ContextPack",
    "ContextPackError",
    "ContextPacker",
    "DiffStats",
    "DiffStatsDict",
    "ErrorDict",
    "FixContext",
    "GitError",
    "GitHubIssue",
    "GitOperations",
    "GitStatus",
    "ImplementationContext",
    "IssueContext",
    "IssueDict",
    "ParsedError",
    "ReviewContext",
    "StageResult",
    "TruncationMetadata",
    "ValidationOutput",
    "build_fix_context",
    "build_implementation_context",
    "build_issue_context",
    "build_review_context",
    "detect_secrets",
    "estimate_tokens",
    "extract_file_paths",
    "fit_to_budget",
    "read_check_output",
    "read_issue",
    "truncate_file",
    "truncate_line",
]

_OFFERED = {
    "ContextPackError": "task_packs",
    "ContextPacker": "task_packs",
    "GitError": "git_operations",
    "GitOperations": "git_operations",
    "build_fix_context": "recipes",
    "build_implementation_context": "recipes",
    "build_issue_context": "recipes",
    "build_review_context": "recipes",
    "detect_secrets": "recipe_texts",
}
"""By name, the module of `engine` that defines it."""


def __getattr__(name: str) -> object:
    if name not in _OFFERED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"sightline.engine.{_OFFERED[name]}"), name)
