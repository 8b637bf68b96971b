"""`sightline doctor`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run


def test_a_whole_installation_passes(run: Run) -> None:
    result = run("doctor", "--format", "json")
    report = json.loads(result.stdout)
    assert (result.returncode, report["ok"]) == (0, True)
    names = [check["name"] for check in report["checks"]]
    assert {"python", "tree-sitter", "workers", "typescript", "bash"} <= set(names)


def test_a_faulty_language_is_named(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "python"
    folder.mkdir()
    (folder / "language.toml").write_text(
        'title = "Python"\n[grammar]\nmodule = "tree_sitter_python"\n'
        '[files]\nextensions = [".py"]\n'
        '[comments]\nline = "#"\n[signatures]\nbody = "..."\nvalue = "..."\n'
    )
    (folder / "tags.scm").write_text("(no_such_node) @comment\n")
    result = run("doctor", SIGHTLINE_LANGUAGE_PATH=str(tmp_path))
    assert result.returncode == 3
    assert b"FAILED  python" in result.stdout
    assert b"tags.scm:1: Invalid node type: no_such_node" in result.stdout
