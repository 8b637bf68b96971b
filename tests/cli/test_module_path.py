"""A workspace whose files are named like modules does not get them run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_NAMES = ("typing", "json", "argparse", "attrs", "attr", "msgspec", "re2", "pygit2", "pathspec")


def test_nothing_is_imported_from_the_working_directory(tmp_path: Path) -> None:
    for name in _NAMES:
        (tmp_path / f"{name}.py").write_text("open('ran', 'a').write(__name__)\nraise SystemExit\n")
    (tmp_path / "a.txt").write_text("plain\n")
    answer = subprocess.run(
        [sys.executable, "-m", "sightline", "build", "a.txt", "--root", "."],
        cwd=tmp_path,
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert not (tmp_path / "ran").exists()
    assert answer.returncode == 0, answer.stderr
