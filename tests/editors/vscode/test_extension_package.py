"""The `.vsix` that people install."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import sightline


def test_the_package_has_what_it_needs_and_no_more(extension: Path) -> None:
    """Bundled code, the server's wheel and pictures; neither sources nor packages of others."""
    with zipfile.ZipFile(extension) as package:
        names = package.namelist()
        manifest = json.loads(package.read("extension/package.json"))
    inside = [name.removeprefix("extension/") for name in names if name.startswith("extension/")]
    assert manifest["version"] == sightline.__version__
    assert {"dist/main.js", "dist/picture.js", "dist/picture.css"} <= set(inside)
    assert f"wheel/sightline_lsp-{sightline.__version__}-py3-none-any.whl" in inside
    assert "wheel/requirements.txt" in inside
    assert manifest["icon"] in inside
    unwanted = ("src/", "test/", "node_modules/", "out/", "build.py", "tsconfig", "vitest")
    assert [name for name in inside if name.startswith(unwanted)] == []
    assert [name for name in inside if name.endswith((".ts", ".map", "package-lock.json"))] == []
    assert extension.stat().st_size < 5_000_000
