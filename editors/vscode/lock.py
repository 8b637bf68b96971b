"""Writes `requirements.txt`: what the server needs, pinned, with the hashes of all wheels of each.

    python editors/vscode/lock.py INDEX

The versions are those of this environment, in which the tests have passed; the hashes come from the
package index at that address (its simple pages). The extension installs nothing else: only wheels,
and only these.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
import urllib.request
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

FILE = Path(__file__).resolve().with_name("requirements.txt")
_PROJECT = FILE.parents[2] / "pyproject.toml"
_LINK = re.compile(r'#sha256=([0-9a-f]{64})"[^>]*>([^<]+\.whl)</a>')
_OLDEST = {"python_version": "3.11", "python_full_version": "3.11.0", "extra": ""}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("index", help="the address of the index, up to the name of a package")
    index = parser.parse_args().index
    lines = ["# Made by lock.py: the versions that the tests have passed with, and their wheels.\n"]
    for name, version in sorted(needed().items()):
        hashes = wheel_hashes(index, name, version)
        if not hashes:
            print(f"{name} {version} has no wheel", file=sys.stderr)
            return 1
        lines.append(
            " \\\n    ".join([f"{name}=={version}", *(f"--hash=sha256:{each}" for each in hashes)])
            + "\n"
        )
    FILE.write_text("".join(lines), encoding="utf-8")
    return 0


def needed() -> dict[str, str]:
    """Return what the server needs, and what that needs, by name, with the version that is here."""
    found: dict[str, str] = {}
    waiting: list[str] = tomllib.loads(_PROJECT.read_text("utf-8"))["project"]["dependencies"]
    while waiting:
        requirement = Requirement(waiting.pop())
        name = canonicalize_name(requirement.name)
        if name not in found and _is_needed(requirement):
            found[name] = distribution(name).version
            waiting.extend(distribution(name).requires or ())
    return found


def _is_needed(requirement: Requirement) -> bool:
    """Whether a system that we support needs it; no extra is."""
    if requirement.marker is None:
        return True
    systems = ({"sys_platform": "linux", "os_name": "posix", "platform_system": "Linux"},)
    systems += ({"sys_platform": "win32", "os_name": "nt", "platform_system": "Windows"},)
    systems += ({"sys_platform": "darwin", "os_name": "posix", "platform_system": "Darwin"},)
    return any(requirement.marker.evaluate({**_OLDEST, **each}) for each in systems)


def wheel_hashes(index: str, name: str, version: str) -> list[str]:
    """Return the hashes of all wheels of a release, in a fixed order."""
    with urllib.request.urlopen(f"{index.rstrip('/')}/{name}/", timeout=60) as answer:
        page = answer.read().decode("utf-8")
    found = {digest for digest, file in _LINK.findall(page) if file.split("-")[1] == version}
    return sorted(found)


if __name__ == "__main__":
    sys.exit(main())
