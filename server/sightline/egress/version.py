"""The version of the rules, for fingerprints: it changes when any rule does."""

from __future__ import annotations

import hashlib
from importlib.resources import files

_ENDINGS = (".py", ".toml", ".txt")


def _version() -> str:
    """Over every source of the room: a rule is code as much as it is data.

    Line ends do not count, since some systems change them when they check a file out.
    """
    digest = hashlib.sha256()
    folder = files("sightline.egress")
    for name in sorted(each.name for each in folder.iterdir() if each.name.endswith(_ENDINGS)):
        source = folder.joinpath(name).read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{name}:{len(source)}:".encode("ascii"))
        digest.update(source)
    return f"secrets-1:{digest.hexdigest()}"


RULES_VERSION = _version()
