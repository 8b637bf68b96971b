"""Rules that hide what a workspace's own project files declare as its source.

A never-send rule such as `packages/**` applies whatever a workspace says. If project files declare
such a folder as source, the user is asked once whether to allow the rule.

Invariants:

* Project files are read through the workspace, with its checks, at a cost that is linear in their
  text.
* A workspace decides nothing by this: it only causes the question. A person answers it.
* The user's cache records that the question was asked, under a digest of the root and the rule.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from sightline.bundle import HiddenFiles
from sightline.engine.hidden_counts import is_under
from sightline.engine.host import Host
from sightline.index.store import default_cache_directory, is_inside
from sightline.index.store.store_folder import ForeignDirectoryError, open_store_folder
from sightline.refusals import Refusal
from sightline.toml import read_toml

_LARGEST = 1 << 20
_MOST_SOLUTIONS = 8
_PNPM_ENTRY = re.compile(r"""^\s*-\s+(?:"([^"\n]*+)"|'([^'\n]*+)'|([^\s#'"]++))""")
_SOLUTION_PROJECT = re.compile(r'^Project\([^\n=]*+=[^",\n]*+"[^"\n]*+",[^"\n]*+"([^"\n]*+)"', re.M)
_GO_USE = re.compile(r"^(?:use[ \t]++|[ \t]++)(\.[^\s(]*+)", re.M)


def rules_to_ask_about(host: Host) -> tuple[HiddenFiles, ...]:
    """Return rules that hide declared source and have not been asked about yet."""
    hidden = host.snapshot.hidden
    if not hidden:
        return ()
    declared = [each for path in declared_folders(host) for each in [_parts(path)] if each]
    return tuple(
        each
        for each in hidden
        if any(is_under(parts, each.rule) for parts in declared) and not _was_asked(host, each.rule)
    )


def declared_folders(host: Host) -> Iterator[str]:
    """Yield the folders and projects that project files of the root name, as they are written."""
    solutions = [each for each in host.snapshot.files if "/" not in each and each.endswith(".sln")]
    readers = {**_READERS, **dict.fromkeys(sorted(solutions)[:_MOST_SOLUTIONS], _solution)}
    for name, reader in readers.items():
        text = host.text_of(name) if name in host.snapshot.files else None
        if text is None or isinstance(text, Refusal) or len(text.data) > _LARGEST:
            continue
        with contextlib.suppress(ValueError, RecursionError):
            yield from reader(str(text))


def note_asked(host: Host, rule: str) -> None:
    """Record that the question about a rule was asked in this workspace."""
    with contextlib.suppress(OSError, ForeignDirectoryError):
        cache = default_cache_directory()
        folder = cache / "asked"
        if is_inside(folder, host.root):
            return
        cache.mkdir(0o700, parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            folder.mkdir(0o700)
        with open_store_folder(folder) as opened, opened.create(_name(host, rule)):
            pass


def _was_asked(host: Host, rule: str) -> bool:
    try:
        with open_store_folder(default_cache_directory() / "asked") as opened:
            return opened.status(_name(host, rule)) is not None
    except (OSError, ForeignDirectoryError):
        return False


def _name(host: Host, rule: str) -> str:
    told = f"{Path(host.root)}\0{rule}".encode("utf-8", "surrogateescape")
    return hashlib.blake2b(told, digest_size=16, person=b"sightline-asked").hexdigest()


def _parts(path: str) -> list[str]:
    if path.startswith("!"):
        return []
    return [each for each in path.replace("\\", "/").split("/") if each not in ("", ".")]


def _package(source: str) -> Iterator[str]:
    table = json.loads(source)
    listed = table.get("workspaces") if isinstance(table, dict) else None
    yield from _texts(listed.get("packages") if isinstance(listed, dict) else listed)


def _lerna(source: str) -> Iterator[str]:
    table = json.loads(source)
    if isinstance(table, dict):
        # Without a setting, lerna takes `packages/*`.
        yield from _texts(table.get("packages", ["packages/*"]))


def _pnpm(source: str) -> Iterator[str]:
    is_listed = False
    for line in source.splitlines():
        if line[:1] not in ("", " ", "\t", "-", "#"):
            is_listed = line.startswith("packages:")
        found = _PNPM_ENTRY.match(line) if is_listed else None
        if found:
            yield found[1] or found[2] or found[3] or ""


def _cargo(source: str) -> Iterator[str]:
    workspace = read_toml(source).get("workspace")
    yield from _texts(workspace.get("members") if isinstance(workspace, dict) else None)


def _solution(source: str) -> Iterator[str]:
    return (found[1] for found in _SOLUTION_PROJECT.finditer(source))


def _go_work(source: str) -> Iterator[str]:
    return (found[1] for found in _GO_USE.finditer(source))


def _texts(value: object) -> Iterator[str]:
    return (
        (each for each in value if isinstance(each, str)) if isinstance(value, list) else iter(())
    )


_READERS: Mapping[str, Callable[[str], Iterator[str]]] = {
    "package.json": _package,
    "lerna.json": _lerna,
    "pnpm-workspace.yaml": _pnpm,
    "Cargo.toml": _cargo,
    "go.work": _go_work,
}
