"""What a build costs in a file with thousands of symbols."""

from __future__ import annotations

from pathlib import Path

import pytest

import sightline
from sightline.bundle import Status
from sightline.context import enriching

_PIECE = (
    "class C{n}(Base):\n    def method_{n}(self, a: int) -> int:\n"
    "        value = compute(a, key=[1, 2, 3])\n        return value + {n}\n\n\n"
)


def test_steps_that_add_nothing_are_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each costs as much as the file is long: all of them would take minutes and gigabytes."""
    (tmp_path / "large.py").write_text("".join(_PIECE.format(n=n) for n in range(900)))
    tried: list[object] = []
    grown = enriching._grown

    def counted(assembly: object, step: object) -> object:
        tried.append(step)
        return grown(assembly, step)  # type: ignore[arg-type]

    monkeypatch.setattr(enriching, "_grown", counted)
    with sightline.open(tmp_path) as workspace:
        built = workspace.build("large.py::C7.method_7", max_input_tokens=16_000)
    assert built.status is Status.OK
    assert len(tried) <= 300
