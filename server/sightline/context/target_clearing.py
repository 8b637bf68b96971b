"""What may be shown of a target that contains a secret.

A secret in the requested code refuses the build, unless settings say to replace it and that is
safe. If a symbol was requested and the secret is elsewhere in its file, the symbol's region is
shown, and the signatures of the rest with the secrets in them replaced.

Weak secrets are always replaced and refuse nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sightline.bundle import Priority, Reason
from sightline.context.blocks import BlockShape, Item, ItemRole, meant_symbols
from sightline.context.candidates import TARGET_FILE, TARGET_SYMBOL_FILE, target_score
from sightline.context.secret_checks import is_removable, unscanned
from sightline.context.sources import DocumentCut, ScannedDocument, Sources
from sightline.context.targets import TargetFile
from sightline.egress import Finding, ScanFailure
from sightline.refusals import Refusal, RefusalAction, RefusalKind
from sightline.settings import Settings
from sightline.slicing import Slice, regions
from sightline.text import Span, Text

_MOST_NAMED = 10


def target_items(
    sources: Sources, target: TargetFile, document: ScannedDocument, settings: Settings
) -> list[Item] | Refusal:
    """Return the items of a target: its file, or the parts of it without a secret."""
    findings = document.findings
    if isinstance(findings, ScanFailure):
        return unscanned(document.path, "the target", findings)
    redacts = settings.secrets.on_target_secret == "redact"
    secrets = [each for each in findings if not each.is_weak]
    refusing = [each for each in secrets if not (redacts and is_removable(each))]
    if not refusing:
        return [_item(target, document, BlockShape.FULL, is_alone=False)]
    cut = _cut(sources, target, document) if settings.context.target_level != "full" else None
    if cut is None:
        return _secret_in_target(document, refusing, redacts=redacts)
    asked, shown, signatures = cut
    inside = [each for each in refusing if _overlaps(_extent(document.text, each), asked)]
    unsure = [_extent(document.text, each) for each in secrets if not each.is_bounded]
    if inside or any(_overlaps(each, shown) for each in unsure):
        return _secret_in_target(document, inside or refusing, redacts=redacts)
    is_alone = signatures is None or any(_overlaps(each, signatures) for each in unsure)
    return [_item(target, document, BlockShape.REGION, is_alone=is_alone)]


def _item(
    target: TargetFile, document: ScannedDocument, largest: BlockShape, *, is_alone: bool
) -> Item:
    weight = TARGET_FILE if target.is_explicit else TARGET_SYMBOL_FILE
    return Item(
        ItemRole.TARGET,
        Priority.P0,
        document,
        Reason.TARGET,
        target_score(weight, document.byte_size),
        targets=target.symbols,
        largest=largest,
        is_alone=is_alone,
        is_secretive=largest is not BlockShape.FULL,
    )


def _cut(
    sources: Sources, target: TargetFile, document: ScannedDocument
) -> tuple[list[Span], list[Span], list[Span] | None] | None:
    """Return the requested regions, what is shown with them, and the signatures, if any."""
    if not target.symbols or document.language is None:
        return None
    cut = sources.cuts([document])[document.path]
    if not isinstance(cut, DocumentCut):
        return None
    symbols = meant_symbols(sources.snapshot, document.path, target.symbols, cut.summary)
    slice_ = regions(document.language, document.text, cut.summary, symbols) if symbols else None
    if not isinstance(slice_, Slice) or len(symbols) < len(target.symbols):
        return None
    signatures = cut.signatures if isinstance(cut.signatures, Slice) else None
    return (
        [symbol.region for symbol in symbols],
        _spans(slice_),
        _spans(signatures) if signatures is not None else None,
    )


def _spans(slice_: Slice) -> list[Span]:
    return [piece.span for piece in slice_.pieces if piece.span is not None]


def _extent(text: Text, finding: Finding) -> Span:
    """Return the bytes that may contain a secret: its whole lines if its bounds are not certain."""
    if finding.is_bounded:
        return finding.span
    first, last = text.line_of(finding.span.start), text.line_of(finding.span.end - 1)
    return Span(text.line_start(first), text.next_line_start(last))


def _overlaps(span: Span, others: Iterable[Span]) -> bool:
    return any(span.start < each.end and each.start < span.end for each in others)


def _secret_in_target(
    document: ScannedDocument, findings: Sequence[Finding], *, redacts: bool
) -> Refusal:
    """Refuse, and name each line with its detector and what a person can do in one step."""
    lines = [document.text.line_of(each.span.start) + 1 for each in findings]
    named = list(
        dict.fromkeys((line, each.detector) for line, each in zip(lines, findings, strict=True))
    )
    # A value that only another file reveals can only be marked there.
    own = findings if document.own_findings is None else document.own_findings
    markable = [
        (line, each.detector)
        for line, each in zip(lines, findings, strict=True)
        if not each.is_flood and _overlaps(each.span, [other.span for other in own])
    ]
    can_mark = bool(markable) and not any(each.is_flood for each in findings)
    places = [f"line {line}: {detector}" for line, detector in named]
    more = f"; and {len(places) - _MOST_NAMED} more" if len(places) > _MOST_NAMED else ""
    actions = [
        RefusalAction(
            "mark_harmless",
            f"Mark the value on line {line} ({detector}) as harmless in this workspace",
            line,
            detector,
        )
        for line, detector in (list(dict.fromkeys(markable))[:_MOST_NAMED] if can_mark else [])
    ]
    can_redact = not redacts and all(map(is_removable, findings))
    if can_redact:
        actions.insert(0, RefusalAction("redact_once", "Replace the secret for this build alone"))
    return Refusal(
        RefusalKind.SECRET_RISK,
        "secret_in_target",
        document.path,
        f"the target holds what looks like a secret ({'; '.join(places[:_MOST_NAMED])}{more})",
        "move the secret out of the project, add a deny rule"
        + (", or mark the value as harmless" if can_mark else "")
        + ("; or have it replaced for this build alone" if can_redact else ""),
        rule=findings[0].detector,
        source="egress",
        lines=tuple(sorted(set(lines))),
        actions=tuple(actions),
    )
