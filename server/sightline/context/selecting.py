"""Selection: targets, candidates and hard exclusions, steps 0 and 1 of the contract.

Invariants:

* Every candidate is either one that may be shown or excluded, with the rule that decided.
* A document is shown only if it was scanned, and everything secret in it can be replaced.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate

import attrs

from sightline.bundle import ExcludedCandidate, ExclusionReason, Priority, Purpose, Reason
from sightline.context.blocks import Item, ItemRole
from sightline.context.candidates import (
    TARGET_FILE,
    TARGET_SYMBOL_FILE,
    Candidate,
    bytewise,
    find_candidates,
    rank,
    target_score,
)
from sightline.context.request import BuildRequest
from sightline.context.secret_checks import (
    UNNAMED,
    is_free_of_secrets,
    is_removable,
    secret_in_names,
    unscanned,
)
from sightline.context.sources import DocumentCut, ScannedDocument, Sources
from sightline.context.target_clearing import target_items
from sightline.context.targets import SHOWN_WHOLE, TargetFile, Targets, find_targets
from sightline.egress import ScanFailure
from sightline.index import Snapshot
from sightline.refusals import Refusal, RefusalKind
from sightline.settings import Settings

_WITHHOLDING = frozenset(["deny_rule", "binary", "encoding", "too_large", "outside_sandbox"])
_MOST_MISSING_IMPORTS = 64
_MOST_PLACES = 12
"""The most paths that are checked for each import that leads to no file of the index."""


@attrs.frozen
class Selected:
    targets: Targets
    items: tuple[Item, ...]
    """Targets and the files that the user added."""
    found: tuple[Candidate, ...]
    """Every related symbol and file."""
    candidates: tuple[Candidate, ...]
    """Those that may be named and are considered."""
    excluded: tuple[ExcludedCandidate, ...]
    notes: tuple[str, ...]


def select(sources: Sources, request: BuildRequest, settings: Settings) -> Selected | Refusal:
    """Take steps 0 and 1: targets, candidates, hard exclusions."""
    if request.purpose is Purpose.INTENT:
        # With purpose intent, only the project's description is shown and no file.
        return Selected(Targets((), ()), (), (), (), _named_files(request), ())
    targets = find_targets(sources, request)
    if isinstance(targets, Refusal):
        return targets
    if not targets.files and request.purpose is Purpose.DIFF:
        return _no_target()
    unnameable = secret_in_names(sources, targets)
    if unnameable is not None:
        return unnameable
    documents = sources.documents([each.path for each in targets.files])
    target_documents: list[ScannedDocument] = []
    for each in targets.files:
        document = documents[each.path]
        if isinstance(document, Refusal):
            return document
        target_documents.append(document)
    hops = settings.context.max_hops
    found = find_candidates(sources.snapshot, targets, target_documents, hops)
    notes = (*found.notes, *_stray_lines(sources, request, targets))
    return _cleared(sources, settings, targets, found.candidates, notes)


def _stray_lines(sources: Sources, request: BuildRequest, targets: Targets) -> Iterator[str]:
    """Say if a requested line is in no symbol, possibly because of a syntax error."""
    whole = {each.path for each in targets.files if not each.symbols}
    for each in request.targets or (request.active,):
        if each is None or each.path not in whole or each.line is None:
            continue
        document = sources.documents([each.path])[each.path]
        if isinstance(document, Refusal) or document.language is None:
            continue
        cut = sources.cuts([document])[each.path]
        if isinstance(cut, DocumentCut) and cut.summary.errors:
            first = document.text.line_of(cut.summary.errors[0].start) + 1
            yield (
                f"{each.path}{SHOWN_WHOLE}no symbol encloses line {each.line}, and the file has "
                f"syntax errors, the first on line {first}"
            )


def select_again(sources: Sources, settings: Settings, selected: Selected) -> Selected | Refusal:
    """Return the same selection after the secrets of each document are known in all of them."""
    return _cleared(sources, settings, selected.targets, selected.found, selected.notes)


def _cleared(
    sources: Sources,
    settings: Settings,
    targets: Targets,
    found: Sequence[Candidate],
    notes: tuple[str, ...],
) -> Selected | Refusal:
    unnameable = secret_in_names(sources, targets)
    if unnameable is not None:
        return unnameable
    documents = sources.documents([each.path for each in (*targets.files, *targets.selected)])
    own_items: list[Item] = []
    excluded: list[ExcludedCandidate] = []
    for each in targets.files:
        document = documents[each.path]
        if isinstance(document, Refusal):
            return document
        items = target_items(sources, each, document, settings)
        if isinstance(items, Refusal):
            return items
        own_items += items
    for each in targets.selected:
        document = documents[each.path]
        cleared = cleared_document(document)
        if isinstance(cleared, ScannedDocument):
            own_items.append(_selected_item(each, cleared))
        else:
            excluded.append(excluded_candidate(each.path, cleared))
    known = {each.path for each in excluded}
    withheld_imports = _withheld_imports(sources, targets.files)
    excluded += [each for each in withheld_imports if each.path not in known]
    named, withheld = nameable(sources, found)
    if isinstance(named, Refusal):
        return named
    kept, given_up = _considered(sources, named, settings)
    return Selected(
        targets,
        tuple(own_items),
        tuple(found),
        tuple(kept),
        (*excluded, *withheld, *given_up),
        notes,
    )


def _withheld_imports(sources: Sources, targets: Sequence[TargetFile]) -> list[ExcludedCandidate]:
    """Return the files that the targets' imports name and that may not be shown.

    A default rule decides by the path alone, before anybody checks whether the file exists.
    """
    missing = [places for each in targets for places in _missing(sources.snapshot, each.path)]
    imports = [places[:_MOST_PLACES] for places in missing[:_MOST_MISSING_IMPORTS]]
    names = dict.fromkeys(path for places in imports for path in places)
    if not is_free_of_secrets(sources, "\n".join(names)):
        names = {path: None for path in names if is_free_of_secrets(sources, path)}
    documents = sources.documents(list(names))
    found: dict[str, ExcludedCandidate] = {}
    for places in imports:
        for path in places:
            document = documents.get(path)
            if isinstance(document, Refusal) and document.reason in _WITHHOLDING:
                found.setdefault(path, excluded_candidate(path, document))
                break
    return list(found.values())


def _missing(snapshot: Snapshot, path: str) -> list[tuple[str, ...]]:
    """Return, for each import that leads to no file of the snapshot, the paths that it may mean."""
    scope = snapshot.scope(path)
    if scope is None:
        return []
    found = (snapshot.resolver.places_of_import(scope, each) for each in scope.view.imports)
    return [places for places in dict.fromkeys(found) if places]


def _named_files(request: BuildRequest) -> tuple[ExcludedCandidate, ...]:
    """Exclude the files that a request names, if its purpose shows none."""
    step = request.plan_step
    paths = {
        *(each.path for each in (*request.targets, *request.user_selected_targets) if each.path),
        *(step.target_files if step else ()),
    }
    rule = f"purpose={request.purpose.value}"
    return tuple(
        ExcludedCandidate(path, ExclusionReason.DENY_RULE, rule, "request:purpose")
        for path in sorted(paths, key=bytewise)
    )


def nameable(
    sources: Sources, candidates: Sequence[Candidate]
) -> tuple[list[Candidate] | Refusal, list[ExcludedCandidate]]:
    """Return candidates whose path and symbols contain no secret; the others are excluded without
    names.
    """
    lines: list[tuple[int, str]] = []
    for index, candidate in enumerate(candidates):
        lines += [(index, name) for name in sorted(names_of(candidate))]
    found = sources.scan("".join(f"{name}\n" for _, name in lines))
    if isinstance(found, ScanFailure):
        return unscanned(None, "the names of files", found), []
    ends = list(accumulate(len(name.encode("utf-8")) + 1 for _, name in lines))
    marked = {
        lines[number][0]
        for each in found
        for number in range(
            bisect_right(ends, each.span.start), bisect_left(ends, each.span.end) + 1
        )
    }
    named = [each for index, each in enumerate(candidates) if index not in marked]
    rule = found[0].detector if found else ""
    withheld = [
        ExcludedCandidate(UNNAMED, ExclusionReason.SECRET_RISK, rule, "egress")
        for _ in {each.path for each in candidates} - {each.path for each in named}
    ]
    return named, withheld


def names_of(candidate: Candidate) -> set[str]:
    """Return every name that a bundle with this candidate contains."""
    names = {candidate.path, candidate.symbol or ""}
    for each in candidate.relations:
        names.add(each.symbol or "")
        if each.evidence is not None:
            names.update((each.evidence.path, each.evidence.name))
    return names


def _considered(
    sources: Sources, candidates: Sequence[Candidate], settings: Settings
) -> tuple[list[Candidate], list[ExcludedCandidate]]:
    """Return the candidates of as many files as a setting allows, the best ranked first."""
    best: dict[str, tuple[object, ...]] = {}
    for each in candidates:
        own = (
            each.priority.value,
            *rank(each, file_size(sources, each.path), is_represented=False),
        )
        best[each.path] = min(own, best.get(each.path, own))
    most = settings.context.max_candidates
    ordered = sorted(best, key=lambda path: best[path])
    out = frozenset(ordered[most:])
    excluded = [
        ExcludedCandidate(
            path,
            ExclusionReason.TOKEN_BUDGET,
            f"max_candidates={most}",
            "settings:context.max_candidates",
        )
        for path in ordered[most:]
    ]
    return [each for each in candidates if each.path not in out], excluded


def file_size(sources: Sources, path: str) -> int:
    """Return the size of a file in bytes from the index, or of its text if it has no facts."""
    scope = sources.snapshot.scope(path)
    if scope is not None:
        return scope.view.byte_size
    document = sources.documents([path])[path]
    return 0 if isinstance(document, Refusal) else document.byte_size


class DocumentReader:
    """Reads the documents of one build, and says which may not be shown and why.

    A second pass reads only documents that the first one has read.
    """

    def __init__(self, sources: Sources, allowed: frozenset[str] | None = None) -> None:
        self._sources = sources
        self._allowed = allowed
        self._known: dict[str, ScannedDocument | ExcludedCandidate] = {}

    @property
    def paths(self) -> frozenset[str]:
        """Return every document that was requested."""
        return frozenset(self._known)

    def expect(self, paths: Iterable[str]) -> None:
        """Announce documents that will be read soon."""
        self._sources.expect(dict.fromkeys((each for each in paths if self._is_allowed(each)), ()))

    def _is_allowed(self, path: str) -> bool:
        return self._allowed is None or path in self._allowed

    def document(self, path: str) -> ScannedDocument | ExcludedCandidate | None:
        """Return the document, or why it is excluded; None for one that a
        second pass may not read.
        """
        if not self._is_allowed(path):
            return None
        if path not in self._known:
            cleared = cleared_document(self._sources.documents([path])[path])
            self._known[path] = (
                cleared
                if isinstance(cleared, ScannedDocument)
                else excluded_candidate(path, cleared)
            )
        return self._known[path]


def _selected_item(target: TargetFile, document: ScannedDocument) -> Item:
    weight = TARGET_FILE if not target.symbols else TARGET_SYMBOL_FILE
    return Item(
        ItemRole.SELECTED,
        Priority.P1,
        document,
        Reason.USER_SELECTED,
        target_score(weight, document.byte_size),
        targets=target.symbols,
    )


def cleared_document(document: ScannedDocument | Refusal) -> ScannedDocument | Refusal | str:
    """Return the document if its secrets can be replaced, otherwise the refusal or the rule against
    it.
    """
    if isinstance(document, Refusal):
        return document
    findings = document.findings
    if isinstance(findings, ScanFailure):
        return findings.reason.value
    for each in findings:
        if not is_removable(each):
            line = document.text.line_of(each.span.start) + 1
            return f"{each.detector} on line {line}"
    return document


_EXCLUSIONS: Mapping[str, ExclusionReason] = {
    "binary": ExclusionReason.BINARY,
    "encoding": ExclusionReason.BINARY,
    "too_large": ExclusionReason.TOO_LARGE,
    "outside_sandbox": ExclusionReason.OUTSIDE_SANDBOX,
}


def excluded_candidate(path: str, why: Refusal | str) -> ExcludedCandidate:
    if isinstance(why, str):
        return ExcludedCandidate(path, ExclusionReason.SECRET_RISK, why, "egress")
    return ExcludedCandidate(
        path,
        _EXCLUSIONS.get(why.reason, ExclusionReason.DENY_RULE),
        why.rule or why.reason,
        why.source,
    )


def _no_target() -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "no_target",
        None,
        "the request names no file and no symbol",
        "name a file, a line of one or a symbol",
    )
