"""Suggest what a person may have meant by a name that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice

_MOST_NAMES = 20_000
_MOST_SUGGESTED = 3
_LEAST_LIKE = 0.72
_LONGEST = 100


def suggestions(written: str, names: Iterable[str]) -> list[str]:
    """Return the names whose spelling is most similar to a text, the most similar first."""
    if not 2 <= len(written) <= _LONGEST:
        return []
    small = written.casefold()
    near = {
        name: None
        for name in islice(names, _MOST_NAMES)
        # A full comparison takes long. Skip names whose length or letters differ too much.
        if abs(len(name) - len(written)) <= 2 + len(written) // 4
        and difflib.SequenceMatcher(None, small, name.casefold()).quick_ratio() >= _LEAST_LIKE
    }
    by_small = {name.casefold(): name for name in reversed(near)}
    found = difflib.get_close_matches(small, by_small, _MOST_SUGGESTED, _LEAST_LIKE)
    return [by_small[each] for each in found]


def did_you_mean(written: str, names: Iterable[str]) -> str:
    """Return a sentence that suggests similar names, or "" if there is none."""
    found = suggestions(written, names)
    return f"did you mean {' or '.join(found)}?" if found else ""


def near_paths(written: str, paths: Iterable[str]) -> list[str]:
    """Return paths that may be meant by a path that does not exist, the most similar first.

    These are files of the same name in other folders, and files with a similar name.
    """
    by_name: dict[str, list[str]] = {}
    for path in islice(paths, 10 * _MOST_NAMES):
        by_name.setdefault(path.rpartition("/")[2], []).append(path)
    name = written.rpartition("/")[2]
    names = [name] if name in by_name else suggestions(name, by_name)
    found = [path for each in names for path in by_name[each]]
    found.sort(key=lambda path: -difflib.SequenceMatcher(None, written, path).ratio())
    return found[:_MOST_SUGGESTED]
