"""repomix, asked to pack a tree with `--compress`."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from peers import contestants

_FILE = re.compile(r'^<file path="([^"\n]*)">\n(.*?)\n</file>$', re.MULTILINE | re.DOTALL)

Packing = Callable[[Path, Path], dict[str, str]]
"""Takes a tree and an empty folder, returns the packed text of each file by path, in repomix's
order.
"""


def packing(cache: Path) -> Packing | None:
    try:
        (contestant,) = contestants.prepare("repomix", cache)
    except contestants.UnavailableError as problem:
        print(f"!! LEFT OUT: {problem}", flush=True)
        return None

    def pack(tree: Path, scratch: Path) -> dict[str, str]:
        command = contestant.command(tree, scratch, ())
        subprocess.run(
            command.arguments, cwd=scratch, check=True, stdout=subprocess.DEVNULL, timeout=600
        )
        packed = (scratch / "packed.xml").read_text("utf-8", "replace")
        return {found[1]: found[2] for found in _FILE.finditer(packed)}

    return pack
