"""The rows of `context.py`: what each shows for a target within a budget."""

from __future__ import annotations

import json
import posixpath
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from changes import Change
from context_report import MissedLine, Outcome, Related
from peers.asking import Asking, aider_python, asking
from peers.repomix import Packing, packing
from retrieval import (
    Aligner,
    Corpus,
    Piece,
    Shown,
    by_bm25,
    filled,
    same_folder,
    target_tokens,
)
from sightline.budget import estimator
from sightline.bundle import BuildResult, ContextBlock
from sightline.context import BuildRequest, TargetSpec
from sightline.engine.build import build
from sightline.engine.host import Host
from sightline.index import Confidence, RelationKind, Snapshot
from sightline.refusals import Refusal

SIGHTLINE = "sightline"
CHUNKS = "bm25 chunks"
FILES = "bm25 files"
FOLDER = "same folder"
AIDER = "aider map"
REPOMIX = "repomix"
ORACLE = "oracle files"
ROWS = (SIGHTLINE, CHUNKS, FILES, FOLDER, AIDER, REPOMIX, ORACLE)

_SOFT_PERCENT = 80
_REGION_LEVELS = ("FULL_FILE", "TARGET_REGION_ONLY")
_MOST_RELATED = 20
_NO_TIME = "1970-01-01T00:00:00Z"
_NO_CALLER = "00000000-0000-0000-0000-000000000000"


class Peers:
    """The other tools, each installed in a folder of its own."""

    def __init__(self, rows: Sequence[str], cache: Path, scratch: Path) -> None:
        self._aider = aider_python(cache) if AIDER in rows else None
        self._asking = asking(self._aider, scratch / "aider-tags")
        self.repomix: Packing | None = packing(cache) if REPOMIX in rows else None
        self.aider: Asking | None = None

    def __enter__(self) -> Peers:
        self.aider = self._asking.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._asking.__exit__(kind, error, traceback)


class Rows:
    """The requested rows, for the commits of one repository."""

    def __init__(
        self,
        rows: Sequence[str],
        budgets: Sequence[int],
        counting: str,
        peers: Peers,
        settings: Sequence[str],
    ) -> None:
        found = estimator(counting)
        if isinstance(found, Refusal):
            sys.exit(found.sentence())
        self._rows = rows
        self._budgets = budgets
        self._peers = peers
        self._corpus = Corpus(found)
        self._settings: dict[str, object] = {
            "budget.response_token_reserve": 0,
            "budget.estimator": counting,
        }
        for each in settings:
            key, _, value = each.partition("=")
            self._settings[key] = json.loads(value)

    def measure(self, repository: str, host: Host, change: Change) -> Outcome:
        texts = Texts(host.root)
        built = {budget: self._build(host, change, budget) for budget in self._budgets}
        ours = {budget: _shown_by(each, texts) for budget, each in built.items()}
        snapshot = host.snapshot
        sources = {
            path: snapshot.files[path].digest
            for path in snapshot.paths
            if snapshot.files[path].language and path != change.path
        }
        self._corpus.show(host.root, sources)
        softs = {budget: budget * _SOFT_PERCENT // 100 for budget in self._budgets}
        spends = {budget: ours[budget].tokens or softs[budget] for budget in self._budgets}
        equal: dict[str, dict[int, Shown]] = {SIGHTLINE: ours}
        nominal: dict[str, dict[int, Shown]] = {SIGHTLINE: ours}
        for row in self._rows:
            pieces = self._pieces(row, change)
            if pieces is not None:
                paid = target_tokens(self._corpus, change.query)
                equal[row] = {each: filled(pieces, paid, spends[each]) for each in spends}
                nominal[row] = {each: filled(pieces, paid, softs[each]) for each in softs}
        if self._peers.aider is not None:
            nominal[AIDER] = self._aider(self._peers.aider, host, change, texts, sources, softs)
        if self._peers.repomix is not None:
            packed = self._repomix(self._peers.repomix, host, change, texts, sources)
            paid = target_tokens(self._corpus, change.query)
            nominal[REPOMIX] = {each: _packed(packed, paid, softs[each]) for each in softs}
        return Outcome(
            repository,
            change.commit,
            f"{change.path}::{change.name}",
            change.language,
            change.wanted_lines,
            {row: _found(change, by_budget) for row, by_budget in equal.items()},
            {row: _tokens(by_budget) for row, by_budget in equal.items()},
            {row: _found(change, by_budget) for row, by_budget in nominal.items()},
            {row: _tokens(by_budget) for row, by_budget in nominal.items()},
            {each: result.refusal.kind.value for each, result in built.items() if result.refusal},
            {each: _missed(host, change, built[each], ours[each]) for each in self._budgets},
            {each: _related(snapshot, change, built[each]) for each in self._budgets},
            {each: _own(change, ours[each]) for each in self._budgets},
        )

    def _build(self, host: Host, change: Change, budget: int) -> BuildResult:
        request = BuildRequest(targets=(TargetSpec(path=change.path, symbol=change.name),))
        return build(
            host,
            request,
            {**self._settings, "budget.max_input_tokens": budget},
            created_at=_NO_TIME,
            correlation_id=_NO_CALLER,
        )

    def _pieces(self, row: str, change: Change) -> list[Piece] | None:
        if row == CHUNKS:
            return by_bm25(self._corpus.chunks, change.query)
        if row == FILES:
            return by_bm25(self._corpus.files, change.query)
        if row == FOLDER:
            return same_folder(self._corpus.files, change.path)
        if row == ORACLE:
            known = [each for each in self._corpus.chunks if each.path in change.wanted]
            ranked = by_bm25(known, change.query)
            rest = {(each.path, each.first) for each in ranked}
            return [*ranked, *(each for each in known if (each.path, each.first) not in rest)]
        return None

    def _aider(
        self,
        ask: Asking,
        host: Host,
        change: Change,
        texts: Texts,
        sources: Mapping[str, bytes],
        spends: Mapping[int, int],
    ) -> dict[int, Shown]:
        paid = target_tokens(self._corpus, change.query)
        room = {budget: max(1, spend - paid) for budget, spend in spends.items()}
        # aider counts characters: tell it how many make a token here.
        characters = sum(len(texts.read(path)) for path in sources)
        tokens = sum(piece.tokens for piece in self._corpus.files)
        symbol = change.name.rpartition(":")[0]
        maps = ask(
            host.root,
            change.path,
            symbol,
            sorted(set(room.values())),
            [*sources, change.path],
            100 * characters // max(1, tokens),
        )
        shown = {}
        for budget, each in room.items():
            lines = {
                path: frozenset(texts.aligner(path).shown(content))
                for path, content in maps[each].items()
            }
            text = "\n".join(f"{path}:\n{content}" for path, content in maps[each].items())
            shown[budget] = Shown(lines, paid + self._corpus.tokens(text))
        return shown

    def _repomix(
        self,
        pack: Packing,
        host: Host,
        change: Change,
        texts: Texts,
        sources: Mapping[str, bytes],
    ) -> list[tuple[str, frozenset[int], int]]:
        with tempfile.TemporaryDirectory() as scratch:
            packed = pack(host.root, Path(scratch))
        folder = posixpath.dirname(change.path)
        paths = [path for path in packed if path in sources]
        paths.sort(key=lambda path: posixpath.dirname(path) != folder)
        return [
            (
                path,
                frozenset(texts.aligner(path).shown(packed[path])),
                self._corpus.tokens(packed[path]) + self._corpus.heading_tokens(path),
            )
            for path in paths
        ]


class Texts:
    """The files of one tree as text, each read once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._texts: dict[str, str] = {}
        self._aligners: dict[str, Aligner] = {}

    def read(self, path: str) -> str:
        if path not in self._texts:
            self._texts[path] = (self._root / path).read_bytes().decode("utf-8", "replace")
        return self._texts[path]

    def aligner(self, path: str) -> Aligner:
        if path not in self._aligners:
            self._aligners[path] = Aligner(self.read(path))
        return self._aligners[path]


def _shown_by(result: BuildResult, texts: Texts) -> Shown:
    if result.bundle is None or result.budget_report is None:
        return Shown({}, 0)
    lines: dict[str, set[int]] = {}
    for block in result.bundle.blocks:
        path = block.meta.path
        if path is not None:
            lines.setdefault(path, set()).update(_block_lines(block, texts.aligner(path)))
    return Shown(
        {path: frozenset(each) for path, each in lines.items()},
        result.budget_report.estimated_input_tokens,
    )


def _block_lines(block: ContextBlock, aligner: Aligner) -> set[int]:
    """Return the lines that a block shows.

    A region that the block names counts only as far as its text is in the block.
    """
    if block.meta.level == "FULL_FILE":
        return set(range(1, len(aligner.lines) + 1))
    named = [(each.start_line, each.end_line) for each in block.meta.regions]
    return aligner.in_ranges(named, block.content) | aligner.shown(block.content)


def _found(change: Change, by_budget: Mapping[int, Shown]) -> dict[int, int]:
    return {
        budget: sum(
            len(lines & shown.lines.get(path, frozenset())) for path, lines in change.wanted.items()
        )
        for budget, shown in by_budget.items()
    }


def _tokens(by_budget: Mapping[int, Shown]) -> dict[int, int]:
    return {budget: shown.tokens for budget, shown in by_budget.items()}


def _packed(files: Sequence[tuple[str, frozenset[int], int]], spent: int, budget: int) -> Shown:
    lines = {}
    for path, shown, tokens in files:
        if spent + tokens <= budget:
            spent += tokens
            lines[path] = shown
    return Shown(lines, spent)


# Why a line is missing.


def _missed(host: Host, change: Change, result: BuildResult, ours: Shown) -> list[MissedLine]:
    missed = []
    for path in sorted(change.wanted):
        absent = change.wanted[path] - ours.lines.get(path, frozenset())
        if absent:
            cause = _cause(host, result, path)
            relation = _relation(host.snapshot, change, path)
            missed += [MissedLine(path, line, cause, relation) for line in sorted(absent)]
    return missed


def _cause(host: Host, result: BuildResult, path: str) -> str:
    snapshot = host.snapshot
    if path not in snapshot.files:
        refusal = host.judge(path)
        return f"hidden: {refusal.reason if refusal else 'not in the index'}"
    if result.refusal is not None:
        return f"refused: {result.refusal.kind.value}"
    assert result.bundle is not None
    assert result.manifest is not None
    levels = [each.meta.level or "" for each in result.bundle.blocks if each.meta.path == path]
    if levels:
        is_whole = any(level in _REGION_LEVELS for level in levels)
        return "other region shown" if is_whole else "signatures only"
    for each in result.manifest.selection.excluded_candidates:
        if each.path == path:
            return f"excluded: {each.reason.value}"
    return "no candidate"


def _relation(snapshot: Snapshot, change: Change, path: str) -> str:
    """Return how a file relates to the target, the closest relation first."""
    relations, target = snapshot.relations, change.target
    used = [*relations.callees(target), *relations.types_used(target)]
    for name, found in (("target uses it", used), ("uses target", relations.callers(target))):
        for relation in found:
            if any(place.path == path for place in relation.targets):
                return f"{name}, {relation.confidence.value}"
    uses, users = _imported(snapshot, change.path), _imported(snapshot, path)
    if path in uses:
        return "file imports it"
    if change.path in users:
        return "imports the file"
    if posixpath.dirname(path) == posixpath.dirname(change.path):
        return "same folder"
    return "both import one file" if uses & users else "none"


def _imported(snapshot: Snapshot, path: str) -> frozenset[str]:
    return frozenset(
        place.path
        for relation in snapshot.relations.dependencies(path)
        for place in relation.targets
    )


# Direct relations.


def _related(snapshot: Snapshot, change: Change, result: BuildResult) -> Related | None:
    """Return how many resolved direct relations are in regions; None for too many or none.

    For a caller the line of its call must be shown, for others the line of the name.
    """
    scope = snapshot.scope(change.path)
    assert scope is not None
    own = scope.definitions[change.target[1]]
    first, last = scope.view.line_number(own.start), scope.view.line_number(own.end)
    places: set[tuple[str, int]] = set()
    for relation in snapshot.relations.around(change.path, change.target):
        if relation.confidence is not Confidence.RESOLVED or relation.kind is RelationKind.CONFIG:
            continue
        if relation.kind in (RelationKind.CALLER, RelationKind.DEPENDENT):
            places.add((relation.evidence.path, relation.evidence.line))
        else:
            places.update((each.path, each.line) for each in relation.targets if each.symbol)
    places = {
        (path, line) for path, line in places if path != change.path or not first <= line <= last
    }
    if not places or len(places) > _MOST_RELATED:
        return None
    blocks = result.bundle.blocks if result.bundle else ()
    return Related(len(places), sum(_is_in_region(blocks, *each) for each in sorted(places)))


def _own(change: Change, shown: Shown) -> Related | None:
    """Return how many changed lines of the target's file, outside of the target, are shown."""
    if not change.own:
        return None
    return Related(len(change.own), len(change.own & shown.lines.get(change.path, frozenset())))


def _is_in_region(blocks: Sequence[ContextBlock], path: str, line: int) -> bool:
    return any(
        block.meta.path == path
        and (
            block.meta.level == "FULL_FILE"
            or (
                block.meta.level in _REGION_LEVELS
                and any(each.start_line <= line <= each.end_line for each in block.meta.regions)
            )
        )
        for block in blocks
    )
