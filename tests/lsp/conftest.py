"""A small project, and a user's home that is nobody's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from sightline.engine.host import Toolchain
from sightline.lsp.folder import WorkspaceFolder
from sightline.lsp.session import Session
from sightline.text import PositionEncoding
from sightline.workers import Workers

SECRET = "Vq8zT2mWx5Kc9RfLb3Hn"
SHAPES = "class Shape:\n    def area(self) -> int:\n        return 0\n"
USE = (
    "from shapes import Shape\n\n\n"
    "class Square(Shape):\n    def twice(self) -> int:\n        return self.area() * 2\n\n\n"
    "def total(shape: Shape) -> int:\n    return shape.area()\n"
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return make_place(tmp_path / "a place")


@pytest_asyncio.fixture
async def session(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Session]:
    """A session in this process, with a place that is indexed."""
    monkeypatch.setenv("SIGHTLINE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SIGHTLINE_CONFIG_DIR", str(tmp_path / "config"))
    with Workers() as workers:
        session = Session(Toolchain(workers), PositionEncoding.UTF16)
        folder = session.add_folder(str(place))
        assert isinstance(folder, WorkspaceFolder)
        await folder.scan(lambda *_: None)
        yield session
        session.close()


def make_place(folder: Path) -> Path:
    (folder / "sub").mkdir(parents=True)
    (folder / "shapes.py").write_text(SHAPES)
    (folder / "use.py").write_text(USE)
    (folder / "sub" / "other.py").write_text("class Other:\n    def area(self) -> int: ...\n")
    (folder / "sub" / "ünï code.py").write_text("def größe() -> str:\n    return 'ß😀'\n")
    (folder / "secret.py").write_text(f'import use\n\npassword = "{SECRET}"\nuse.total(None)\n')
    (folder / ".env").write_text(f"TOKEN={SECRET}\n")
    (folder / "pyproject.toml").write_text("[project]\nname = 'shapes'\n")
    return folder
