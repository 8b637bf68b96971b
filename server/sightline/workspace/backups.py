"""Recognise backups by name, and find the names of their originals.

Editors, package managers and people leave copies behind: `.env.bak`, `server.pem~`, `#id_rsa#`,
`.id_rsa.swp`, `kubeconfig copy`, `.npmrc.1`. Pure: from names to names. Names are case folded.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

_MOST_LAYERS = 4
"""The largest depth of copies of copies (`.env.bak~`)."""

_WORDS = (
    "backup|bak|bck|bk|bkp|copy|dist|disabled|off|old|orig|original|prev|previous|rej|sav|save|"
    "saved|temp|tmp"
)
_COPY = r"(?:[ _-]{0,3}copy(?:[ _-]?\(?[0-9]{1,4}\)?)?|[ _-]?\((?:copy|[0-9]{1,4})\))"
_SWAP = re.compile(r"\.sw[a-p]\Z|\.swx\Z")
_BEHIND = re.compile(
    rf"(?:\.~[0-9]{{1,6}}~|~{{1,4}}|[._-](?:{_WORDS})[._-]?[0-9-]{{0,19}}|{_COPY}"
    r"|[._-][0-9]{1,14}|[._-][0-9]{4}-[0-9]{2}-[0-9]{2}(?:[t_.-][0-9:.-]{1,9})?"
    r"|\.(?:rpmsave|rpmnew|rpmorig|pacsave|pacnew|(?:dpkg|ucf)-[a-z]{3,8}))\Z"
)
_BEFORE_EXTENSION = re.compile(rf"{_COPY}(?=\.[^. ]{{1,16}}\Z)")
_IN_FRONT = re.compile(r"\A(?:\.?#|~\$|\._|(?:backup|copy)[ _-]of[ _-])")
_FLATTENED = re.compile(r".*[%!]", re.DOTALL)
"""If an editor keeps copies in one folder, the path is part of the name: `!home!me!.env~`."""

_MAY_BE_BACKUP = re.compile(
    rf"[~#%!]|\.sw|\._|[._-](?:{_WORDS})|copy|backup|\([0-9]|[._-][0-9]|\.(?:rpm|pac|dpkg|ucf)"
)

SIGNS_OF_BACKUPS = tuple(
    each.pattern
    for each in (_MAY_BE_BACKUP, _SWAP, _BEHIND, _BEFORE_EXTENSION, _IN_FRONT, _FLATTENED)
)
"""The patterns, for the digest of a policy."""


def original_paths(path: str) -> Iterator[tuple[str, bool]]:
    """Yield the paths of the originals if a path is a copy, or is in a copy, according to its
    names.

    Each comes with True if the copy is the last name of the path and that is not a directory.
    """
    names = path.split("/")
    for number, name in enumerate(names):
        is_file = number == len(names) - 1
        for original in original_names(name):
            yield "/".join([*names[:number], original, *names[number + 1 :]]), is_file


@functools.lru_cache(maxsize=4096)
def original_names(name: str) -> tuple[str, ...]:
    """Return the names of the files that a file of this name may be a copy of,
    the nearest first.
    """
    if _MAY_BE_BACKUP.search(name) is None:
        return ()
    found: dict[str, None] = {}
    layer = [name]
    for _ in range(_MOST_LAYERS):
        layer = [each for one in layer for each in _uncovered(one) if each not in found]
        found.update(dict.fromkeys(layer))
    return tuple(each for each in found if each and each != name)


def _uncovered(name: str) -> Iterator[str]:
    """Yield the name without one sign of a copy, for each possible reading."""
    if _SWAP.search(name):
        swapped = _SWAP.sub("", name)
        # The swap file of `name` is `.name.swp`.
        yield from (swapped, swapped.removeprefix("."))
    for sign in (_BEHIND, _BEFORE_EXTENSION):
        found = sign.search(name)
        if found is not None and found.start() > 0:
            yield name[: found.start()] + name[found.end() :]
    bare = _IN_FRONT.sub("", name)
    if bare != name:
        yield from (bare, bare.removesuffix("#"))
    flattened = _FLATTENED.match(name)
    if flattened is not None:
        yield name[flattened.end() :]
