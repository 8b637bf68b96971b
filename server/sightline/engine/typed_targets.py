"""Targets as a person types them: `PATH`, `PATH:LINE`, `PATH:LINE:COLUMN`, `PATH:FIRST-LAST` or
`PATH::SYMBOL`."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from pathlib import Path

from sightline.context import TargetSpec
from sightline.engine.host import Host
from sightline.refusals import Refusal

_TARGET = re.compile(
    r"(?P<path>.+?)(?:::(?P<symbol>.+)"
    r"|:(?P<line>[0-9]{1,9})(?:-(?P<end>[0-9]{1,9})|:(?P<column>[0-9]{1,9}))?)?",
    re.DOTALL,
)
_LINE = re.compile(r"(?P<path>.+?):(?P<line>[0-9]{1,9})(?::[0-9]{1,9})?", re.DOTALL)


def typed_targets(
    host: Host, written: Sequence[str], base: Path | None = None
) -> list[TargetSpec] | Refusal:
    """Return the targets that a person means.

    Relative paths start at `base`, by default the current directory.
    """
    targets = []
    for each in written:
        target = typed_target(host, each, base)
        if isinstance(target, Refusal):
            return target
        targets.append(target)
    return targets


def typed_target(host: Host, written: str, base: Path | None = None) -> TargetSpec | Refusal:
    found = None if _exists(_at(base, written)) else _TARGET.fullmatch(written)
    path = host.path_of(_at(base, found["path"] if found else written))
    if isinstance(path, Refusal):
        return path
    if found is None:
        return TargetSpec(path=path)
    return TargetSpec(
        path=path,
        line=int(found["line"]) if found["line"] else None,
        column=int(found["column"]) if found["column"] else None,
        end_line=int(found["end"]) if found["end"] else None,
        symbol=found["symbol"],
    )


def typed_symbol(host: Host, name: str, base: Path | None = None) -> TargetSpec:
    """Find a symbol in all files, or in the path before it."""
    path, separator, symbol = name.partition("::")
    if separator and symbol and _exists(_at(base, path)):
        inside = host.path_of(_at(base, path))
        if not isinstance(inside, Refusal):
            return TargetSpec(path=inside, symbol=symbol)
    return TargetSpec(symbol=name)


def typed_path(written: str) -> str:
    """Return the path in a target as typed, to find the workspace around it."""
    if _exists(written):
        return written
    found = _TARGET.fullmatch(written)
    return found["path"] if found else written


def typed_line(written: str) -> tuple[str, int | None]:
    """Split `PATH` or `PATH:LINE[:COLUMN]`."""
    found = _LINE.fullmatch(written)
    return (found["path"], int(found["line"])) if found else (written, None)


def _at(base: Path | None, written: str) -> str:
    return str(base / written) if base is not None and written else written


def _exists(path: str) -> bool:
    with contextlib.suppress(OSError, ValueError):
        return Path(path).exists()
    return False
