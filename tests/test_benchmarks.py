"""The benchmarks run, and on what they can be run on everywhere they find no difference."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

_ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("package", ["asyncio", "email", "importlib", "unittest"])
def test_python_symbols_agree_with_ast(package: str) -> None:
    result = _run("exactness.py", "python", str(Path(sysconfig.get_path("stdlib"), package)))
    assert result.returncode == 0, result.stdout
    assert "(100.0000 %), 0 additional symbols" in result.stdout


@pytest.mark.skipif(shutil.which("javac") is None, reason="needs a JDK")
def test_java_symbols_agree_with_javac() -> None:
    result = _run("exactness.py", "java", str(_ROOT / "tests" / "languages" / "java"))
    assert result.returncode == 0, result.stdout
    assert "(100.0000 %), 0 additional symbols" in result.stdout


def test_signatures_of_our_own_sources_and_of_every_fixture_pass_their_checks() -> None:
    folders = [str(_ROOT / folder) for folder in ("server", "tests", "benchmarks")]
    result = _run("signatures.py", *folders)
    assert result.returncode == 0, result.stdout
    rows = [line.split() for line in result.stdout.splitlines()[1:]]
    assert len(rows) == 17
    for language, files, clean, passed, failed, refused in rows:
        assert (files, clean, failed, refused) == (passed, passed, "0", "0"), language


def test_a_file_that_the_grammar_rejects_is_reported(tmp_path: Path) -> None:
    """The comparison sees files the compiler accepts and the grammar does not."""
    (tmp_path / "a.py").write_text("def f():\n    pass\n\nfrom __future__ import *\n")
    (tmp_path / "b.py").write_text("def g(a, /, *, b): return [x async for x in a]\n")
    result = _run("exactness.py", "python", str(tmp_path))
    assert "2 files, 2 declarations" in result.stdout
    assert "a.py: the compiler accepts it, the grammar finds errors" in result.stdout


def _run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(_ROOT / "benchmarks" / name), *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
