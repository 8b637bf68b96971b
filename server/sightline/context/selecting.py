"""Selection: candidates, hard exclusions and ranks, steps 0 to 2 of the contract.

Invariants:

* Every candidate ends up among the items or among the excluded, with the rule that decided.
* An item's document was scanned, and nothing in it is left that cannot be replaced.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate

import attrs

from sightline.bundle import ExcludedCandidate, ExclusionReason, Priority, Purpose, Reason
from sightline.context.blocks import Item, ItemRole
from sightline.context.candidates import (
    TARGET_FILE,
    TARGET_SYMBOL_FILE,
    Candidate,
    Ranked,
    before_reading,
    bytewise,
    find_candidates,
    ranked,
)
from sightline.context.request import BuildRequest
from sightline.context.secret_checks import (
    UNNAMED,
    is_removable,
    secret_in_names,
    unscanned,
)
from sightline.context.sources import ScannedDocument, Sources
from sightline.context.target_clearing import target_items
from sightline.context.targets import TargetFile, Targets, find_targets
from sightline.egress import ScanFailure
from sightline.refusals import Refusal, RefusalKind
from sightline.settings import Settings

READ_AT_ONCE = 30
"""How many optional files are read before checking whether there is room for more."""

_LARGEST_CONFIG = 2_000


@attrs.frozen
class Selected:
    targets: Targets
    items: tuple[Item, ...]
    """Ranked, the best first; targets in front."""
    optional: tuple[Candidate, ...]
    """The best first. Not read yet: most will not fit."""
    excluded: tuple[ExcludedCandidate, ...]


def select(sources: Sources, request: BuildRequest, settings: Settings) -> Selected | Refusal:
    """Steps 0 to 2: candidates, hard exclusions, ranks."""
    if request.purpose is Purpose.INTENT:
        # Intent sees the project's description and no file.
        return Selected(Targets((), ()), (), (), _named_files(request))
    targets = find_targets(sources, request)
    if isinstance(targets, Refusal):
        return targets
    if not targets.files and request.purpose is Purpose.DIFF:
        return _no_target()
    unnameable = secret_in_names(sources, targets)
    if unnameable is not None:
        return unnameable
    paths = [each.path for each in (*targets.files, *targets.selected)]
    documents = sources.documents(paths)
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
    target_documents = [
        document
        for each in targets.files
        if isinstance(document := documents[each.path], ScannedDocument)
    ]
    found = find_candidates(sources.snapshot, targets, target_documents, settings.context.max_hops)
    named, withheld = _nameable(sources, found)
    if isinstance(named, Refusal):
        return named
    kept, given_up = _considered(named, request, settings)
    excluded += [*withheld, *given_up]
    needed = [each for each in kept if each.priority is not Priority.P3]
    optional = tuple(each for each in kept if each.priority is Priority.P3)
    expect_items(sources, [*needed, *optional[:READ_AT_ONCE]])
    related, unsafe = read_items(sources, request, needed)
    return Selected(targets, (*own_items, *related), optional, (*excluded, *unsafe))


def _named_files(request: BuildRequest) -> tuple[ExcludedCandidate, ...]:
    """Exclude the files that a request names, where its purpose shows none."""
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


def expect_items(sources: Sources, candidates: Sequence[Candidate]) -> None:
    """Say which candidates will be read next, and what will be shown of them."""
    sources.expect(
        {each.path: each.symbols if each.priority is Priority.P3 else () for each in candidates}
    )


def read_items(
    sources: Sources, request: BuildRequest, candidates: Sequence[Candidate]
) -> tuple[list[Item], list[ExcludedCandidate]]:
    """Candidates read, scanned and ranked, and those that may not be shown."""
    expect_items(sources, candidates)
    read = sources.documents([each.path for each in candidates])
    excluded: list[ExcludedCandidate] = []
    safe: list[tuple[Candidate, ScannedDocument]] = []
    for candidate in candidates:
        cleared = cleared_document(read[candidate.path])
        if isinstance(cleared, ScannedDocument):
            safe.append((candidate, cleared))
        else:
            excluded.append(excluded_candidate(candidate.path, cleared))
    represented = frozenset(
        [request.last_error.path] if request.last_error and request.last_error.path else []
    )
    return [_related_item(each) for each in ranked(safe, represented)], excluded


def _nameable(
    sources: Sources, candidates: Sequence[Candidate]
) -> tuple[list[Candidate] | Refusal, list[ExcludedCandidate]]:
    """Candidates whose path and symbols hold no secret, and the others, excluded unnamed."""
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
        for _ in range(len(candidates) - len(named))
    ]
    return named, withheld


def names_of(candidate: Candidate) -> set[str]:
    """Every name that a bundle with this candidate says."""
    names = {candidate.path, *(name for name, _ in candidate.symbols)}
    for each in candidate.relations:
        names.update((each.symbol or "", each.evidence.path, each.evidence.name))
    return names


def _considered(
    candidates: Sequence[Candidate], request: BuildRequest, settings: Settings
) -> tuple[list[Candidate], list[ExcludedCandidate]]:
    """Candidates that are read, and those that a setting or the request leaves out."""
    dropped = frozenset(request.dropped_paths)
    excluded = [
        ExcludedCandidate(each.path, ExclusionReason.DENY_RULE, each.path, "request:dropped_paths")
        for each in candidates
        if each.path in dropped
    ]
    open_ = [each for each in candidates if each.path not in dropped]
    depth = settings.context.depth
    if depth != "fill":
        deeper = [each for each in open_ if depth == "target" or each.priority is Priority.P3]
        excluded += [
            ExcludedCandidate(
                each.path, ExclusionReason.DENY_RULE, f"depth={depth}", "settings:context.depth"
            )
            for each in deeper
        ]
        out = {each.path for each in deeper}
        open_ = [each for each in open_ if each.path not in out]
    if not settings.context.optional_blocks:
        excluded += [
            ExcludedCandidate(
                each.path,
                ExclusionReason.DENY_RULE,
                "optional_blocks=false",
                "settings:context.optional_blocks",
            )
            for each in open_
            if each.priority is Priority.P3
        ]
        open_ = [each for each in open_ if each.priority is not Priority.P3]
    open_.sort(key=before_reading)
    most = settings.context.max_candidates
    excluded += [
        ExcludedCandidate(
            each.path,
            ExclusionReason.TOKEN_BUDGET,
            f"max_candidates={most}",
            "settings:context.max_candidates",
        )
        for each in open_[most:]
    ]
    return open_[:most], excluded


def without_duplicates(
    candidates: Sequence[Item],
) -> tuple[tuple[Item, ...], list[ExcludedCandidate]]:
    """Drop each file whose bytes are those of one that ranks higher."""
    seen: dict[bytes, str] = {}
    items: list[Item] = []
    excluded: list[ExcludedCandidate] = []
    for item in candidates:
        content = item.document.text.data
        first = seen.setdefault(content, item.path)
        if first != item.path and item.role is ItemRole.RELATED:
            excluded.append(
                ExcludedCandidate(
                    item.path,
                    ExclusionReason.DUPLICATE,
                    f"same content as {first}",
                    "selection",
                    item.score,
                )
            )
            continue
        items.append(item)
    return tuple(items), excluded


def _selected_item(target: TargetFile, document: ScannedDocument) -> Item:
    weight = TARGET_FILE if not target.symbols else TARGET_SYMBOL_FILE
    return Item(
        ItemRole.SELECTED,
        Priority.P1,
        document,
        Reason.USER_SELECTED,
        weight,
        targets=target.symbols,
    )


def _priority(each: Ranked) -> Priority:
    """A large project file is optional: it cannot be cut and would push out everything else."""
    is_config = each.candidate.reason is Reason.CONFIG
    if is_config and each.document.byte_size > _LARGEST_CONFIG:
        return Priority.P3
    return each.candidate.priority


def _related_item(each: Ranked) -> Item:
    return Item(
        ItemRole.RELATED,
        _priority(each),
        each.document,
        each.candidate.reason,
        each.score,
        candidate=each.candidate,
    )


def cleared_document(document: ScannedDocument | Refusal) -> ScannedDocument | Refusal | str:
    """The document if its secrets can be replaced; else the refusal or the rule against it."""
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
