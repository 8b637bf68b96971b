"""What the path of a file says about the file."""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache

from sightline.index.likeness.words import WORD, spelled_terms

_TEST_FOLDERS = frozenset(["test", "tests", "testing", "__tests__", "spec", "specs", "testdata"])
_TEST_FILE = re.compile(
    r"(?:test_.*|.*[_.-](?:test|tests|spec)s?\.\w+|conftest\.\w+|.*[a-z0-9](?:Test|Tests|Spec)\.\w+)"
)
_SIDE_FOLDERS = frozenset(
    [
        *("example", "examples", "demo", "demos", "samples", "tutorials", "galleries"),
        *("doc", "docs", "bench", "benchmarks", "asv_bench", "asv_benchmarks"),
        *("tools", "build_tools", "maintainer_tools", "scripts", "extras", "release"),
    ]
)
_SIDE_FILES = frozenset(["setup.py", "conf.py", "versioneer.py"])


@lru_cache(maxsize=65_536)
def is_test(path: str) -> bool:
    *folders, name = path.split("/")
    return any(each.lower() in _TEST_FOLDERS for each in folders) or bool(
        _TEST_FILE.fullmatch(name)
    )


@lru_cache(maxsize=65_536)
def is_beside(path: str) -> bool:
    """True for examples, documentation and tools, which a task seldom means."""
    *folders, name = path.split("/")
    return name in _SIDE_FILES or any(each in _SIDE_FOLDERS for each in folders)


def own_name(path: str) -> str:
    """Return the name under which a file is known: the folder's name for a package's main file."""
    stem = posixpath.basename(path).partition(".")[0]
    if stem in ("__init__", "index", "mod", "lib"):
        return posixpath.basename(posixpath.dirname(path)) or stem
    return stem


@lru_cache(maxsize=65_536)
def terms_of(name: str) -> tuple[bytes, ...]:
    """Return the terms of a name, each once."""
    found: dict[bytes, None] = {}
    for word in WORD.findall(name.encode("utf-8", "replace")):
        found.update((term, None) for term, _ in spelled_terms(word))
    return tuple(found)
