"""The repository that tests of snapshots begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.provenance.repository import git


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    (root / "src").mkdir(parents=True)
    (root / "src/app.py").write_text(
        "from src.tax import tax\n\n\ndef total(x):\n    return tax(x)\n"
    )
    (root / "src/tax.py").write_text("def tax(x):\n    return x // 5\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Begin")
    return root
