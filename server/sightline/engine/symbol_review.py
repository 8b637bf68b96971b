"""A review by symbol: each changed symbol before and after the change, its callers, its tests.

Versions before and after the change come from git's objects; callers and tests come from the index
of the work tree. Nothing is checked out.

Invariants: every line that a change adds is in the answer. A region is shown once, however many
symbols it calls. A withheld file is in no region.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from sightline.egress.tiers import is_test_path
from sightline.engine.git_operations import GitError, ReviewedChange
from sightline.engine.host import Host
from sightline.engine.recipe_texts import AnswerTexts, ScannedText
from sightline.index import Evidence, Relation, SymbolLocation, users_of_deleted
from sightline.recipes.lines import CutText
from sightline.recipes.patches import removed_and_added
from sightline.recipes.symbol_changes import (
    ChangedLines,
    SymbolChange,
    SymbolRegion,
    shown_lines,
    symbol_changes,
    symbol_regions,
    user_lines,
    windows,
)
from sightline.refusals import Refusal
from sightline.text import Text
from sightline.workers import ParseRequest, ParseTask
from sightline.workspace.git_history import ChangedFile

MOST_CALLERS = 20
_MOST_FILES = 300
_TEST_HOPS = 3
_MOST_USER_FILES = 200
_LOOSE_CONTEXT = 3
_TEST_NAME = re.compile(r"(?:^|[._-])(?:tests?|specs?)(?:[._-]|$)|Tests?\.|Spec\.")

Ranges = list[tuple[int, int]]


@attrs.define
class _ReviewedFile:
    path: str
    old_path: str
    old: ScannedText | None
    new: ScannedText | None
    changes: list[SymbolChange] = attrs.field(factory=list)
    loose: tuple[int, ...] = ()


class SymbolReview:
    """Collects the texts of a review by symbol; `shown` returns them when all have been read."""

    def __init__(
        self, texts: AnswerTexts, host: Host, change: ReviewedChange, new: Mapping[str, ScannedText]
    ) -> None:
        self._texts = texts
        self._host = host
        self._root = change.root
        changed = [each for each in change.difference().files if not each.is_binary]
        if len(changed) > _MOST_FILES:
            left_out = len(changed) - _MOST_FILES
            texts.warn(f"{left_out} of {len(changed)} changed files are in the diff alone")
            changed = changed[:_MOST_FILES]
        self._files = [self._reviewed(each, change, new) for each in changed]
        self._compare(changed)
        self._callers: dict[str, Ranges] = {}
        self._tests: dict[str, Ranges] = {}
        self._users: dict[tuple[str, str], tuple[list[str], list[str]]] = {}
        self._heads = {
            (each.path, one.new.name)
            for each in self._files
            for one in each.changes
            if one.new is not None and not one.new.has_parts
        }
        """Symbols that are shown in any case."""
        for each in self._files:
            for one in each.changes:
                if one.new is not None:
                    self._find_users(each.path, one.new)
                if one.old is not None and one.change in ("deleted", "renamed"):
                    self._find_lost_users(each.old_path, one.old, one.new or one.old, each.path)
        self._read = {
            path: found
            for path in sorted({*self._callers, *self._tests})
            if (found := texts.read(self._root / path, path, is_optional=True)) is not None
        }

    def _reviewed(
        self, file: ChangedFile, change: ReviewedChange, new: Mapping[str, ScannedText]
    ) -> _ReviewedFile:
        old = None
        if file.status != "added" and not file.is_submodule:
            try:
                data = change.git.show(change.base, file.old_path)
            except GitError:
                data = None
            if data is not None:
                name = f"{file.old_path} before the change"
                old = self._texts.take_version(self._root / file.old_path, name, data)
        behind = None if file.status == "deleted" else new.get(file.path)
        path = file.old_path if behind is None else file.path
        return _ReviewedFile(path, file.old_path, old, behind)

    def _compare(self, changed: Sequence[ChangedFile]) -> None:
        """Find the symbols of all files before and after the change, and those
        that have changed.
        """
        asked: list[tuple[int, bool, ParseRequest]] = []
        for index, each in enumerate(self._files):
            for is_new, text in ((False, each.old), (True, each.new)):
                if text is None:
                    continue
                language = self._host.registry.for_path(each.path, text.text.data)
                if language is not None:
                    request = ParseRequest(ParseTask.SUMMARIZE, language.name, text.text.data)
                    asked.append((index, is_new, request))
        answers = self._host.workers.ask_all(request for *_, request in asked)
        found: dict[tuple[int, bool], list[SymbolRegion]] = {}
        for (index, is_new, _), answer in zip(asked, answers, strict=True):
            if not isinstance(answer, Refusal):
                found[index, is_new] = symbol_regions(
                    [
                        (each.qualified_name, each.kind, each.start_line, each.end_line)
                        for each in answer.summary.symbols
                    ]
                )
        for index, (each, file) in enumerate(zip(self._files, changed, strict=True)):
            lines = _changed_lines(file)
            each.changes, each.loose = symbol_changes(
                found.get((index, False), []),
                found.get((index, True), []),
                lines,
                _rows(each.old),
                _rows(each.new),
            )

    def _find_users(self, path: str, region: SymbolRegion) -> None:
        """Find who calls or names a symbol, and which tests reach it."""
        snapshot = self._host.snapshot
        relations = snapshot.relations
        for target in snapshot.find(f"{path}::{region.name}"):
            self._note_users(
                path,
                region.name,
                [
                    *relations.callers(target, _TEST_HOPS, _MOST_USER_FILES),
                    *relations.value_users(target, _MOST_USER_FILES),
                    *relations.implementers(target, _MOST_USER_FILES),
                    *relations.type_users(target, _MOST_USER_FILES),
                ],
            )

    def _find_lost_users(
        self, old_path: str, old: SymbolRegion, shown: SymbolRegion, path: str
    ) -> None:
        """Find who still uses the name of a removed symbol."""
        language = self._host.registry.for_path(old_path, b"")
        if language is not None:
            family = language.modules.family
            found = users_of_deleted(self._host.snapshot, old_path, old.name, family)
            self._note_users(path, shown.name, found)

    def _note_users(self, path: str, symbol: str, used: Sequence[Relation]) -> None:
        callers, tests = self._users.setdefault((path, symbol), ([], []))
        for relation in used:
            for place in relation.targets:
                is_test = is_test_file(place.path)
                name = str(place) if place.symbol else place.path
                if (relation.hops > 1 and not is_test) or name == f"{path}::{symbol}":
                    continue
                told = tests if is_test else callers
                if len(told) < MOST_CALLERS or name in told:
                    if name not in told:
                        told.append(name)
                    users = self._tests if is_test else self._callers
                    self._note_region(users, place, relation.evidence)

    def _note_region(self, users: dict[str, Ranges], place: SymbolLocation, use: Evidence) -> None:
        scope, line = self._host.snapshot.scope(place.path), use.line
        if scope is None or (place.path, place.symbol) in self._heads:
            return
        if not place.symbol:
            # A use outside of symbols.
            around = (max(1, line - _LOOSE_CONTEXT), line + _LOOSE_CONTEXT)
            users.setdefault(place.path, []).append(around)
            return
        for each in scope.definitions:
            first, last = scope.view.line_number(each.start), scope.view.line_number(each.end - 1)
            if each.qualified_name == place.symbol and first <= place.line <= last:
                region = SymbolRegion(place.symbol, each.kind, first, last)
                pieces = user_lines(region, line if use.path == place.path else None)
                users.setdefault(place.path, []).extend(pieces)

    def shown(self) -> tuple[dict[str, Any], dict[str, CutText]]:
        """Return the fields that a review by symbol adds, and what it shows of changed files."""
        shown_files: dict[str, CutText] = {}
        symbols: list[dict[str, Any]] = []
        for file in self._files:
            if file.new is not None and file.loose:
                count = file.new.line_count
                pieces = windows(file.loose, 1, count, _LOOSE_CONTEXT)
                shown_files[file.path] = self._texts.show_lines(file.new, pieces)
            symbols += [self._symbol(file, each) for each in file.changes]
        return (
            {
                "changed_symbols": symbols,
                "callers": self._regions(self._callers),
                "tests": self._regions(self._tests),
            },
            shown_files,
        )

    def _symbol(self, file: _ReviewedFile, change: SymbolChange) -> dict[str, Any]:
        region = change.new or change.old
        assert region is not None
        callers, tests = self._users.get((file.path, region.name), ([], []))
        old_name = change.old.name if change.change == "renamed" and change.old else ""
        names = self._texts.clean_each("symbol", [file.path, region.name, old_name])
        return {
            "path": names[0],
            "symbol": names[1],
            "kind": region.kind,
            "change": change.change,
            "old_symbol": names[2] or None,
            "base": self._piece(file.old, change.old, change.old_lines),
            "head": self._piece(file.new, change.new, change.new_lines),
            "start_line": region.first,
            "end_line": region.last,
            "callers": self._texts.clean_each("symbol", callers) if callers else [],
            "tests": self._texts.clean_each("symbol", tests) if tests else [],
        }

    def _piece(
        self, text: ScannedText | None, region: SymbolRegion | None, lines: Sequence[int]
    ) -> str | None:
        if text is None or region is None:
            return None
        cut = self._texts.show_lines(text, shown_lines(region, lines)).text
        return cut.removeprefix("...\n").removesuffix("...").removesuffix("\n") + "\n"

    def _regions(self, users: Mapping[str, Ranges]) -> dict[str, str]:
        """Return the regions of users, one text for each file."""
        shown = {}
        for path in sorted(users):
            found = self._read.get(path)
            if found is None:
                continue
            merged: Ranges = []
            for first, end in sorted(users[path]):
                last = min(end, found.line_count)
                if merged and first <= merged[-1][1] + 1:
                    merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
                elif first <= last:
                    merged.append((first, last))
            shown[path] = self._texts.show_lines(found, merged).text
        names = self._texts.clean_each("path", list(shown)) if shown else []
        return dict(zip(names, shown.values(), strict=True))


def is_test_file(path: str) -> bool:
    """True if a path is that of a test, by its folders or by its name."""
    return is_test_path(path) or _TEST_NAME.search(Path(path).name) is not None


def _changed_lines(file: ChangedFile) -> ChangedLines:
    if file.patch:
        return ChangedLines(*removed_and_added(file.patch.decode("utf-8", "replace")))
    return ChangedLines(
        _lines((hunk.old_start, hunk.old_lines) for hunk in file.hunks),
        _lines((hunk.new_start, hunk.new_lines) for hunk in file.hunks),
    )


def _lines(hunks: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    return tuple(line for start, count in hunks for line in range(start, start + count))


def _rows(text: ScannedText | None) -> list[str]:
    return [] if text is None else Text(text.text.data).data.decode("utf-8").split("\n")
