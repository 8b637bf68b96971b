"""What builders return is valid by the published schemas, in every form of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from sightline import schemas
from sightline.engine.host import Host, open_host
from sightline.engine.recipe_requests import RecipeRequest, build_recipe
from sightline.recipes import (
    ContextPacker,
    GitHubIssue,
    GitOperations,
    ParsedError,
    StageResult,
    ValidationOutput,
    build_fix_context,
    build_implementation_context,
    build_issue_context,
    build_review_context,
)
from tests.recipes.conftest import write


def _problems(name: str, context: dict[str, Any]) -> list[str]:
    validator = Draft202012Validator(schemas.schema(name))
    return [error.message for error in validator.iter_errors(context)]


@pytest.mark.parametrize("has_repository", [True, False])
def test_contexts_are_valid(project: Path, tmp_path: Path, has_repository: bool) -> None:
    """In a repository, and where git can tell nothing."""
    root = project if has_repository else tmp_path / "none"
    write(root, "src/app.py", "def f():\n    return 1\n" * 300)
    git = GitOperations(root)
    errors = (ParsedError("src/app.py", 3, "m", code="E1"), ParsedError("", 0, "", None, "note"))
    output = ValidationOutput(False, (StageResult("check", False, errors=errors),))
    issue = GitHubIssue(1, "src/app.py", "", ("bug",))
    made = [
        ("implementation_context", build_implementation_context(root / "CLAUDE.md", git)),
        ("review_context", build_review_context(git, "main")),
        ("review_context", build_review_context(git, "main", by_symbol=True)),
        ("fix_context", build_fix_context(output, [root / "src/app.py", root / "no.py"])),
        ("issue_context", build_issue_context(issue, git)),
        ("issue_context", build_issue_context(None, None)),
    ]
    for name, context in made:
        assert _problems(name, context) == []


def test_what_fits_into_few_tokens_is_valid(project: Path) -> None:
    host = open_host(project, keeps_index=False)
    assert isinstance(host, Host)
    with host:
        for by_symbol, most in ((True, 300), (False, 900)):
            request = RecipeRequest(
                recipe="review", base="main", by_symbol=by_symbol, max_tokens=most
            )
            result = build_recipe(host, request)
            assert result.refusal is None
            assert result.tokens <= most
            assert result.context["_metadata"]["truncated"]
            assert _problems("review_context", result.context) == []


def test_packs_are_valid(project: Path) -> None:
    issue = {"id": "1", "severity": "error", "message": "m", "file": "src/app.py", "line": 300}
    task = {
        "id": "T",
        "title": "t",
        "goal": "g",
        "acceptance": ["It works."],
        "context": {"files": ["src/app.py"], "docs": ["CLAUDE.md"]},
        "previous": {"iteration": 1, "diff": "+x\n", "issues": [issue, {**issue, "evidence": "E"}]},
        "repairTickets": [{"id": "R"}, {"id": "S", "errorOutput": None}],
    }
    for given in (task, {"id": "T", "title": "", "goal": ""}):
        for tier in ("strong", "default", "cheap"):
            assert _problems("context_pack", ContextPacker(project, tier).build(given)) == []
