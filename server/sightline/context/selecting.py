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
from sightline.context.blocks import Item, Role
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
from sightline.context.request import Request
from sightline.context.sources import Document, Sources
from sightline.context.targets import TargetFile, Targets, find_targets
from sightline.egress import Certainty, Finding, ScanFailure
from sightline.refusals import Refusal, RefusalKind
from sightline.settings import Settings

UNNAMED = "[REDACTED:path]"
"""What stands for a path that holds what looks like a secret."""

READ_AT_ONCE = 30
"""So many optional files, before it is asked whether there is room for more."""

_LARGEST_CONFIG = 2_000


@attrs.frozen
class Selected:
    targets: Targets
    items: tuple[Item, ...]
    """Ranked, the best first; targets in front."""
    optional: tuple[Candidate, ...]
    """The best first; nobody has looked at them yet, and most will not fit."""
    excluded: tuple[ExcludedCandidate, ...]


def select(sources: Sources, request: Request, settings: Settings) -> Selected | Refusal:
    """Steps 0 to 2: candidates, hard exclusions, ranks."""
    if request.purpose is Purpose.INTENT:
        # What somebody wants is made out from what kind of project it is, and nothing else.
        return Selected(Targets((), ()), (), (), _named_in_vain(request))
    targets = find_targets(sources, request)
    if isinstance(targets, Refusal):
        return targets
    if not targets.files and request.purpose is Purpose.DIFF:
        return _no_target()
    unnameable = _secret_in_names(sources, targets)
    if unnameable is not None:
        return unnameable
    paths = [each.path for each in (*targets.files, *targets.selected)]
    documents = sources.documents(paths)
    target_items: list[Item] = []
    excluded: list[ExcludedCandidate] = []
    for each in targets.files:
        document = documents[each.path]
        if isinstance(document, Refusal):
            return document
        refusal = _secret_in_target(document, settings)
        if refusal is not None:
            return refusal
        target_items += _target_items(each, document)
    for each in targets.selected:
        document = documents[each.path]
        cleared = cleared_document(document)
        if isinstance(cleared, Document):
            target_items.append(_selected_item(each, cleared))
        else:
            excluded.append(_excluded(each.path, cleared))
    target_documents = [
        document for each in targets.files if isinstance(document := documents[each.path], Document)
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
    return Selected(targets, (*target_items, *related), optional, (*excluded, *unsafe))


def _named_in_vain(request: Request) -> tuple[ExcludedCandidate, ...]:
    """Files that a request names though its purpose lets it have none."""
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
    sources: Sources, request: Request, candidates: Sequence[Candidate]
) -> tuple[list[Item], list[ExcludedCandidate]]:
    """Candidates read, scanned and ranked, and those that may not be shown."""
    expect_items(sources, candidates)
    read = sources.documents([each.path for each in candidates])
    excluded: list[ExcludedCandidate] = []
    safe: list[tuple[Candidate, Document]] = []
    for candidate in candidates:
        cleared = cleared_document(read[candidate.path])
        if isinstance(cleared, Document):
            safe.append((candidate, cleared))
        else:
            excluded.append(_excluded(candidate.path, cleared))
    represented = frozenset(
        [request.last_error.path] if request.last_error and request.last_error.path else []
    )
    return [_related_item(each) for each in ranked(safe, represented)], excluded


def _nameable(
    sources: Sources, candidates: Sequence[Candidate]
) -> tuple[list[Candidate] | Refusal, list[ExcludedCandidate]]:
    """Those of which path and symbols may be said; one with a secret there is told of unnamed."""
    lines: list[tuple[int, str]] = []
    for index, candidate in enumerate(candidates):
        names = {candidate.path, *(name for name, _ in candidate.symbols)}
        for each in candidate.relations:
            names.update((each.symbol or "", each.evidence.path, each.evidence.name))
        lines += [(index, name) for name in sorted(names)]
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


def _considered(
    candidates: Sequence[Candidate], request: Request, settings: Settings
) -> tuple[list[Candidate], list[ExcludedCandidate]]:
    """Those that are looked at, and those that a setting or a person leaves out."""
    dropped = frozenset(request.dropped_paths)
    excluded = [
        ExcludedCandidate(each.path, ExclusionReason.DENY_RULE, each.path, "request:dropped_paths")
        for each in candidates
        if each.path in dropped
    ]
    open_ = [each for each in candidates if each.path not in dropped]
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
    """A file that is byte for byte one that ranks higher adds nothing."""
    seen: dict[bytes, str] = {}
    items: list[Item] = []
    excluded: list[ExcludedCandidate] = []
    for item in candidates:
        content = item.document.text.data
        first = seen.setdefault(content, item.path)
        if first != item.path and item.role is Role.RELATED:
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


def _target_items(target: TargetFile, document: Document) -> list[Item]:
    weight = TARGET_FILE if target.is_explicit else TARGET_SYMBOL_FILE
    item = Item(Role.TARGET, Priority.P0, document, Reason.TARGET, weight, targets=target.symbols)
    if not target.symbols:
        return [item]
    rest = Item(Role.REST, Priority.P1, document, Reason.TARGET, weight)
    return [item, rest]


def _selected_item(target: TargetFile, document: Document) -> Item:
    weight = TARGET_FILE if not target.symbols else TARGET_SYMBOL_FILE
    return Item(
        Role.SELECTED,
        Priority.P1,
        document,
        Reason.USER_SELECTED,
        weight,
        targets=target.symbols,
    )


def _priority(each: Ranked) -> Priority:
    """A large project file cannot be cut, and is optional: it would cost all else its place."""
    is_config = each.candidate.reason is Reason.CONFIG
    if is_config and each.document.byte_size > _LARGEST_CONFIG:
        return Priority.P3
    return each.candidate.priority


def _related_item(each: Ranked) -> Item:
    return Item(
        Role.RELATED,
        _priority(each),
        each.document,
        each.candidate.reason,
        each.score,
        candidate=each.candidate,
    )


def _secret_in_names(sources: Sources, targets: Targets) -> Refusal | None:
    """Targets are named in the manifest, so their names are scanned like what is sent."""
    names = [
        str(name)
        for file in (*targets.files, *targets.selected)
        for name in (file.path, *map(sources.snapshot.place, file.symbols))
    ]
    found = sources.scan("".join(f"{name}\n" for name in names))
    if isinstance(found, ScanFailure):
        return unscanned(None, "the targets' names", found)
    if not found:
        return None
    return Refusal(
        RefusalKind.SECRET_RISK,
        "secret_in_name",
        None,
        f"the name of a target holds what looks like a secret ({found[0].detector})",
        "give the file or the symbol another name, or choose another target",
        rule=found[0].detector,
        source="egress",
    )


def _secret_in_target(document: Document, settings: Settings) -> Refusal | None:
    findings = document.findings
    if isinstance(findings, ScanFailure):
        return unscanned(document.path, "the target", findings)
    if not findings:
        return None
    is_removable = all(_is_removable(each) for each in findings)
    redacts = settings.secrets.on_target_secret == "redact"
    if redacts and is_removable:
        return None
    lines = [document.text.line_of(each.span.start) + 1 for each in findings]
    places = [f"line {line}: {each.detector}" for line, each in zip(lines, findings, strict=True)]
    shown = "; ".join(places[:10]) + (f"; and {len(places) - 10} more" if len(places) > 10 else "")
    return Refusal(
        RefusalKind.SECRET_RISK,
        "secret_in_target",
        document.path,
        f"the target holds what looks like a secret ({shown})",
        "move the secret out of the project, add a deny rule, or mark the value as harmless in "
        "your own settings (secrets.harmless)"
        + ("" if redacts else "; or set secrets.on_target_secret to 'redact'"),
        rule=findings[0].detector,
        source="egress",
        lines=tuple(sorted(set(lines))),
    )


def _is_removable(finding: Finding) -> bool:
    return finding.is_bounded and finding.certainty is Certainty.CERTAIN


def cleared_document(document: Document | Refusal) -> Document | Refusal | str:
    """A document that may be shown, its secrets replaced; else why not."""
    if isinstance(document, Refusal):
        return document
    findings = document.findings
    if isinstance(findings, ScanFailure):
        return findings.reason.value
    for each in findings:
        if not _is_removable(each):
            line = document.text.line_of(each.span.start) + 1
            return f"{each.detector} on line {line}"
    return document


_EXCLUSIONS: Mapping[str, ExclusionReason] = {
    "binary": ExclusionReason.BINARY,
    "encoding": ExclusionReason.BINARY,
    "too_large": ExclusionReason.TOO_LARGE,
    "outside_sandbox": ExclusionReason.OUTSIDE_SANDBOX,
}


def _excluded(path: str, why: Refusal | str) -> ExcludedCandidate:
    if isinstance(why, str):
        return ExcludedCandidate(path, ExclusionReason.SECRET_RISK, why, "egress")
    return ExcludedCandidate(
        path,
        _EXCLUSIONS.get(why.reason, ExclusionReason.DENY_RULE),
        why.rule or why.reason,
        why.source,
    )


def unscanned(path: str | None, what: str, failure: ScanFailure) -> Refusal:
    return Refusal(
        RefusalKind.SECRET_RISK,
        failure.reason.value,
        path,
        f"{what} could not be scanned for secrets, so it is withheld",
        "run 'sightline doctor'; if it finds nothing, report the file's size and kind",
        rule="what is not scanned is not sent",
        source="egress",
    )


def _no_target() -> Refusal:
    return Refusal(
        RefusalKind.INVALID_REQUEST,
        "no_target",
        None,
        "the request names no file and no symbol",
        "name a file, a line of one or a symbol",
    )
