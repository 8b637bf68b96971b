"""The examples of docs/python.md do what they say."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

_PAGE = Path(__file__).parents[2] / "docs" / "python.md"
_FILES = {
    "shapes.py": "class Shape:\n    def area(self) -> int:\n        return 0\n",
    "use.py": "from shapes import Shape\n\n\ndef total(shape: Shape) -> int:\n"
    "    return shape.area()\n",
    "config.py": 'password = "Vq8zT2mWx5Kc9RfLb3Hn"\n',
}


def test_every_example_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a project of the files that the page speaks of, with nobody's settings."""
    root = tmp_path / "project"
    root.mkdir()
    for name, text in _FILES.items():
        (root / name).write_text(text)
    monkeypatch.chdir(root)
    monkeypatch.setenv("SIGHTLINE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("SIGHTLINE_INDEX_JOBS", "1")
    examples = doctest.DocTestParser().get_doctest(
        _PAGE.read_text(encoding="utf-8"), {}, "python.md", str(_PAGE), 0
    )
    assert len(examples.examples) > 10
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    result = runner.run(examples, out=report.append)
    assert result.failed == 0, "".join(report)
