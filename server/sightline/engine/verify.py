"""Build a recorded bundle again and list what differs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from sightline.bundle import BuildResult, Difference, Status
from sightline.context import read_request
from sightline.context.build_differences import differences, read_result
from sightline.engine.build import build
from sightline.engine.host import Host, wrong_request
from sightline.engine.results import VerifyResult, VerifyStatus
from sightline.engine.shown import conceal_record
from sightline.refusals import Refusal

_REPLAYED = ("model.", "budget.", "render.", "slicing.", "context.")
"""Overrides that a recorded build may contain: none of them protects anything."""


def verify(host: Host, recorded: BuildResult | bytes) -> VerifyResult:
    """Compare a build, or its JSON, with a fresh build of the same request."""
    record = read_record(recorded)
    if isinstance(record, Refusal):
        return VerifyResult(VerifyStatus.REFUSED, record)
    request = read_request(record.request)
    if isinstance(request, Refusal):
        return VerifyResult(VerifyStatus.REFUSED, request)
    overrides = replayed(record.overrides)
    refusal = wrong_overrides(host, overrides)
    if refusal is not None:
        return VerifyResult(VerifyStatus.REFUSED, refusal)
    return compare(record, build(host, request, overrides))


def wrong_overrides(host: Host, overrides: Mapping[str, object]) -> Refusal | None:
    """Return why a request cannot have these settings, or None."""
    loaded = host.settings_with(overrides)
    return loaded if isinstance(loaded, Refusal) else wrong_request(loaded)


def read_record(recorded: BuildResult | bytes) -> BuildResult | Refusal:
    """Read a record, which may come from anybody."""
    if isinstance(recorded, BuildResult):
        recorded = msgspec.json.encode(recorded)
    return read_result(recorded)


def compare(record: BuildResult, derived: BuildResult) -> VerifyResult:
    """Compare a record with a fresh build of its request."""
    if record.rendered is None:
        derived = msgspec.structs.replace(derived, rendered=None)
    found = differences(record, derived)
    is_refused = derived.status is Status.REFUSED and record.status is Status.OK
    refusal = derived.refusal if is_refused else None
    if refusal is not None:
        refusal = conceal_record(_texts(record), [refusal.path or ""]).refusal(refusal)
    return VerifyResult(
        status=VerifyStatus.DIFFERENT if found else VerifyStatus.VERIFIED,
        differences=without_secrets(found, [record]),
        build_refusal=refusal,
        index_complete=derived.index_complete,
    )


def without_secrets(
    differences: Sequence[Difference], records: Iterable[BuildResult]
) -> tuple[Difference, ...]:
    """Return differences with secrets in names replaced: a record may be forged."""
    if not differences:
        return ()
    said = [part for each in differences for part in (each.where, each.detail)]
    concealer = conceal_record((text for each in records for text in _texts(each)), said)
    return tuple(
        msgspec.structs.replace(
            each, where=concealer.text(each.where), detail=concealer.text(each.detail)
        )
        for each in differences
    )


def _texts(record: BuildResult) -> list[str]:
    """Return the texts of a record that may reveal that a name is a secret."""
    blocks = record.bundle.blocks if record.bundle is not None else ()
    texts = [block.content for block in blocks]
    request = json.dumps(record.request, ensure_ascii=False)
    return [*texts, record.rendered or "", request]


def replayed(overrides: Mapping[str, object]) -> dict[str, object]:
    """Return the overrides of a record that a fresh build may use."""
    return {
        key: value
        for key, value in overrides.items()
        if key.startswith(_REPLAYED) and value is not None
    }
