"""The version of the rules, for fingerprints: it changes when any rule does."""

from __future__ import annotations

import hashlib
from importlib.resources import files

_ENDINGS = (".py", ".toml", ".txt")


def _version() -> str:
    """Hash every source file of the package: rules are code as well as data.

    Line ends do not count, because some systems change them on checkout.
    """
    digest = hashlib.sha256()
    folder = files("sightline.egress")
    for name in sorted(each.name for each in folder.iterdir() if each.name.endswith(_ENDINGS)):
        source = folder.joinpath(name).read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{name}:{len(source)}:".encode("ascii"))
        digest.update(source)
    return f"secrets-1:{digest.hexdigest()}"


RULES_VERSION = _version()
