"""How near a file is to those of the targets: by name, by folder and by imports.

The weights are tuned with `benchmarks/context.py`, together with those of `fusing`.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from sightline.index import Snapshot
from sightline.index.likeness.fixed_point import log2

UNIT = 1_000_000
"""What stands for 1 in the fused value."""
_PATH = UNIT // 240
"""For a file below all folders of the target; less where fewer are the same."""
_STEM = UNIT // 48
"""For a file of the same name, but for its extension and for words such as `test`; less where more
than `_FEW_NAMESAKES` have it. Files of one language at different depths are no such pair."""
_FEW_NAMESAKES = 4
_STEM_WORDS = UNIT // 60
"""For a file whose name shares a rare word; times the share of words that are the same."""
_MOST_FILES_OF_RARE_WORD = 10
_NAMED = UNIT * 6 // 1_000
"""For a file whose path has a word of the target's name that no other path has; less where more
paths have it."""
_SHORTEST_WORD = 3
_IMPORTS_TARGET = UNIT // 240
_IMPORTED = UNIT // 240
_TEST_OF_CODE = UNIT * 3 // 1_000
"""For a test where the target is none."""
_CODE_OF_TEST = UNIT * 9 // 1_000
"""For code where the target is a test."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_MOST_KNOWN = 1 << 16
"""Of so many paths the words are kept for the next build."""
_TEST_WORDS = frozenset(["test", "tester", "testing", "tests", "spec", "specs"])


class Nearness:
    """How near each file of a snapshot is to the nearest file of a target."""

    def __init__(self, snapshot: Snapshot, targets: Sequence[str], names: Iterable[str]) -> None:
        """`names` are those of the targets, with what they stand in."""
        self._snapshot = snapshot
        self._targets = targets
        self._known: dict[str, int] = {}
        self._files_by_word: Counter[str] = Counter()
        self._files_by_stem: Counter[frozenset[str]] = Counter()
        self._paths_by_word: Counter[str] = Counter()
        self._count = 1
        for path in snapshot.paths:
            if snapshot.files[path].language:
                words = _stem_words(path)
                self._files_by_word.update(words)
                self._files_by_stem[words] += 1
                self._paths_by_word.update(_path_words(path))
                self._count += 1
        self._are_tests = [is_test(each) for each in targets]
        self._imported = {path for each in targets for path in _imports(snapshot, each)}
        self._names = _singular(
            word
            for each in (*names, *(posixpath.basename(path).rpartition(".")[0] for path in targets))
            for word in _WORD.findall(each)
        )

    def of(self, path: str) -> int:
        known = self._known.get(path)
        if known is None:
            known = max((self._to(path, each) for each in self._targets), default=0)
            known += _IMPORTED if path in self._imported else 0
            imports = _imports(self._snapshot, path)
            known += _IMPORTS_TARGET if any(each in imports for each in self._targets) else 0
            known += self._named(path)
            if all(is_test(path) != each for each in self._are_tests):
                known += _TEST_OF_CODE if is_test(path) else _CODE_OF_TEST
            self._known[path] = known
        return known

    def _to(self, path: str, target: str) -> int:
        words, others = _stem_words(path), _stem_words(target)
        shared = words & others
        value = 0
        if shared and words == others and not _is_other_level(path, target):
            value = _STEM * _FEW_NAMESAKES // max(_FEW_NAMESAKES, self._files_by_stem[words])
        if any(self._files_by_word[each] <= _MOST_FILES_OF_RARE_WORD for each in shared):
            value += _STEM_WORDS * len(shared) // len(words | others)
        folders = target.split("/")[:-1]
        same = len(posixpath.commonprefix([path.split("/")[:-1], folders]))
        return value + (_PATH * same // len(folders) if folders else 0)

    def _named(self, path: str) -> int:
        """Return what the rarest word is worth that a path shares with the targets' names."""
        shared = _path_words(path) & self._names
        fewest = min((self._paths_by_word[each] for each in shared), default=0)
        if not fewest:
            return 0
        return _NAMED * log2(2 * self._count, 2 * fewest + 1) // max(1, log2(self._count))


def _is_other_level(path: str, target: str) -> bool:
    """Return True for two files of a name and kind that stand at different depths."""
    return (
        path.count("/") != target.count("/")
        and posixpath.splitext(path)[1] == posixpath.splitext(target)[1]
        and is_test(path) == is_test(target)
    )


@lru_cache(maxsize=_MOST_KNOWN)
def _stem_words(path: str) -> frozenset[str]:
    """The words of a file's name without its extension; none that says that it is a test."""
    stem = posixpath.basename(path).rpartition(".")[0]
    return frozenset(each.lower() for each in _WORD.findall(stem)) - _TEST_WORDS


@lru_cache(maxsize=_MOST_KNOWN)
def _path_words(path: str) -> frozenset[str]:
    """The words of a file's name and of its folder's, each in the singular."""
    folder, _, name = path.rpartition("/")
    return _singular(
        [*_WORD.findall(name.rpartition(".")[0]), *_WORD.findall(folder.rpartition("/")[2])]
    )


def _singular(words: Iterable[str]) -> frozenset[str]:
    return (
        frozenset(_one(each.lower()) for each in words if len(each) >= _SHORTEST_WORD) - _TEST_WORDS
    )


def _one(word: str) -> str:
    """Return the singular of a plain English plural."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and word[-2] != "s" else word


@lru_cache(maxsize=_MOST_KNOWN)
def is_test(path: str) -> bool:
    return any(each.lower() in _TEST_WORDS for each in _WORD.findall(path))


def _imports(snapshot: Snapshot, path: str) -> set[str]:
    relations = snapshot.relations.dependencies(path)
    return {place.path for relation in relations for place in relation.targets}
