"""One of each dictionary that recipes return, with something in every field."""

from __future__ import annotations

from sightline.recipes.contexts import (
    CommitDict,
    ContextMetadata,
    ContextPack,
    FixContext,
    ImplementationContext,
    IssueContext,
    PackedIssue,
    ReviewContext,
)

_METADATA: ContextMetadata = {
    "truncated": True,
    "original_lines": 9,
    "kept_lines": 3,
    "sections_affected": ["conventions"],
    "missing": ["gone.py"],
    "binary": ["logo.png"],
    "redactions": {"github-token": 1},
    "warnings": ["gone.py: there is no such file"],
}
_COMMIT: CommitDict = {
    "hash": "0123456",
    "message": "Begin",
    "author": "Ada",
    "date": "2024-05-06T07:08:09+02:00",
}
_IMPLEMENTATION: ImplementationContext = {
    "tasks": "1. Do it.\n",
    "conventions": "Use spaces.\n",
    "branch": "main",
    "recent_commits": [_COMMIT],
    "_metadata": _METADATA,
}
_REVIEW: ReviewContext = {
    "diff": "diff --git a/a.py b/a.py\n",
    "changed_files": {"a.py": "a = 1\n"},
    "changed_symbols": [
        {
            "path": "a.py",
            "symbol": "f",
            "kind": "function",
            "change": "renamed",
            "old_symbol": "g",
            "base": "def g(): ...\n",
            "head": "def f(): ...\n",
            "start_line": 1,
            "end_line": 1,
            "callers": ["b.py::h"],
            "tests": ["tests/test_a.py::test_f"],
        }
    ],
    "callers": {"b.py": "def h(): ...\n"},
    "tests": {"tests/test_a.py": "def test_f(): ...\n"},
    "conventions": "",
    "stats": {"files_changed": 1, "insertions": 2, "deletions": 3},
    "_metadata": _METADATA,
}
_FIX: FixContext = {
    "errors": [
        {"file": "a.py", "line": 0, "message": "wrong", "severity": "warning", "code": None}
    ],
    "source_files": {"a.py": "a = 1\n"},
    "error_summary": "1 warning in 1 file",
    "_metadata": _METADATA,
}
_ISSUE: IssueContext = {
    "issue": {
        "number": 7,
        "title": "Wrong",
        "body": "In a.py.",
        "labels": ["bug"],
        "state": "open",
        "url": "https://forge.example/7",
    },
    "related_files": {"a.py": "a = 1\n"},
    "recent_changes": [_COMMIT],
    "_metadata": _METADATA,
}
_FAULT: PackedIssue = {
    "id": "1",
    "severity": "error",
    "message": "m",
    "file": "a.py",
    "line": 3,
    "symbol": "f",
    "evidence": "E",
}
_PACK: ContextPack = {
    "task": {
        "id": "7",
        "title": "Right sum",
        "goal": "The sum is right.",
        "acceptance": [{"id": "1", "description": "It is.", "verify": "pytest"}],
    },
    "constraints": {
        "allowedGlobs": ["src/**"],
        "forbiddenGlobs": ["*.lock"],
        "allowNewFiles": True,
    },
    "previousState": {"iteration": 1, "diffSummary": "", "issues": [_FAULT]},
    "files": [{"path": "a.py", "content": "a = 1\n", "priority": "high"}],
    "docs": [{"path": "README.md", "content": "# A\n"}],
    "repairTickets": [
        {
            "id": "1",
            "issueIds": ["1"],
            "instructions": "Fix it.",
            "files": ["a.py"],
            "errorOutput": "E",
        }
    ],
    "totalChars": 600,
    "truncated": False,
}

CONTEXTS: dict[str, object] = {
    "implementation_context": _IMPLEMENTATION,
    "review_context": _REVIEW,
    "fix_context": _FIX,
    "issue_context": _ISSUE,
    "context_pack": _PACK,
}
"""By the name of their schema."""
