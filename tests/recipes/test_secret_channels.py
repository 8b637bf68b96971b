"""A different secret in every channel: none comes out, in no field and in no rendered text.

Each is told in one place only, so nothing but that channel's own scan finds it.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from sightline.engine.host import Host, open_host
from sightline.engine.recipe_requests import RecipeRequest, build_pack, build_recipe
from tests.recipes.conftest import Git, write

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_CHANNELS = (
    "added line", "removed line", "commit message", "author", "branch", "path", "old path",
    "symbol", "conventions", "task file", "issue title", "issue body", "issue label", "issue url",
    "error message", "error code", "error path", "source file", "task goal", "task title",
    "criterion", "glob", "diff", "issue message", "evidence", "instructions", "error output", "doc",
    "doc path", "ticket file",
)  # fmt: skip


def _secret(channel: str) -> str:
    """A token of a vendor's form, another one for each channel."""
    digest = (
        hashlib.sha256(channel.encode()).digest() + hashlib.sha256(channel[::-1].encode()).digest()
    )
    return "ghp_" + "".join(_LETTERS[byte % len(_LETTERS)] for byte in digest[:36])


@pytest.fixture
def leaking(tmp_path: Path, git: Git) -> Path:
    root = tmp_path / "project"
    write(root, "CLAUDE.md", f"Use {_secret('conventions')} to log in.\n")
    write(root, "src/app.py", f"def f():\n    return '{_secret('removed line')}'\n\n\nf()\n")
    write(root, f"src/{_secret('old path')}.py", "def g():\n    return 1\n" * 9)
    git("add", "-A")
    git("commit", "-qm", "Begin")
    git("checkout", "-qb", f"topic/{_secret('branch')}")
    write(root, "src/app.py", f"def f():\n    return '{_secret('added line')}'\n\n\nf()\n")
    git("mv", f"src/{_secret('old path')}.py", f"src/{_secret('path')}.py")
    write(root, "src/named.py", f"def {_secret('symbol')}():\n    return 2\n")
    git("add", "-A")
    author = f"--author=Ada {_secret('author')} <ada@example.org>"
    git("commit", "-qm", f"Use {_secret('commit message')}", author)
    write(root, "tasks.md", f"Rotate {_secret('task file')}.\n")
    write(root, "src/other.py", f"x = 1\nkey = '{_secret('source file')}'\n")
    write(root, f"docs/{_secret('doc path')}.md", f"Log in with {_secret('doc')}.\n")
    return root


def _requests(root: Path) -> list[RecipeRequest]:
    issue = {
        "number": 7,
        "title": f"Wrong {_secret('issue title')}",
        "body": f"In src/other.py and src/app.py, {_secret('issue body')}.",
        "labels": [{"name": _secret("issue label")}],
        "state": "open",
        "url": f"https://forge.example/7?token={_secret('issue url')}",
    }
    row = {
        "filename": str(root / "src/other.py"),
        "location": {"row": 2, "column": 1},
        "message": f"near {_secret('error message')}",
        "code": _secret("error code"),
    }
    rows = [row, {**row, "filename": f"src/{_secret('error path')}.py"}]
    return [
        RecipeRequest(recipe="implementation", task_file=str(root / "tasks.md")),
        RecipeRequest(recipe="review", base="main", by_symbol=False),
        RecipeRequest(recipe="review", base="main"),
        RecipeRequest(recipe="review", base="main", max_tokens=1_500),
        RecipeRequest(recipe="fix", report=json.dumps(rows)),
        RecipeRequest(recipe="issue", issue=json.dumps(issue)),
    ]


def _task() -> str:
    issue = {
        "id": "1",
        "severity": "error",
        "message": f"see {_secret('issue message')}",
        "evidence": f"printed {_secret('evidence')}",
    }
    ticket = {
        "id": "R",
        "instructions": f"use {_secret('instructions')}",
        "files": [f"{_secret('ticket file')}.py"],
        "errorOutput": f"401 {_secret('error output')}\n" + "x" * 3_000,
    }
    task = {
        "id": "T",
        "title": _secret("task title"),
        "goal": f"Rotate {_secret('task goal')}",
        "acceptance": [f"No {_secret('criterion')} is left."],
        "context": {"files": ["src/app.py"], "docs": [f"docs/{_secret('doc path')}.md"]},
        "contract": {"allowedGlobs": ["src/**"], "forbiddenGlobs": [f"{_secret('glob')}/**"]},
        "previous": {"iteration": 1, "diff": f"+{_secret('diff')}\n", "issues": [issue]},
        "repairTickets": [ticket],
    }
    return json.dumps(task)


def test_no_channel_lets_a_secret_out(leaking: Path) -> None:
    host = open_host(leaking, keeps_index=False)
    assert isinstance(host, Host)
    shown: list[str] = []
    with host:
        for request in _requests(leaking):
            result = build_recipe(host, request)
            assert result.refusal is None, result.refusal
            shown += [json.dumps(result.context, ensure_ascii=False), result.rendered or ""]
        pack = build_pack(host, _task(), "default")
        assert pack.refusal is None, pack.refusal
        shown += [json.dumps(pack.pack, ensure_ascii=False), pack.rendered or "", *pack.warnings]
    told = "\n".join(shown)
    assert "REDACTED" in told
    assert [channel for channel in _CHANNELS if _secret(channel)[6:22] in told] == []
