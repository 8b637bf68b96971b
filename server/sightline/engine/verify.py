"""Build a recorded bundle again and name what differs."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from sightline.bundle import BuildResult, Status
from sightline.context import read_request
from sightline.context.build_differences import differences, read_result
from sightline.engine.build import build
from sightline.engine.host import Host, wrong_request
from sightline.engine.results import VerifyResult, VerifyStatus
from sightline.refusals import Refusal

_REPLAYED = ("model.", "budget.", "render.", "slicing.", "context.")
"""Overrides that a recorded build may bring with it: none of them guards anything."""


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
    """Return why a request cannot have these settings, if it cannot."""
    loaded = host.settings_with(overrides)
    return loaded if isinstance(loaded, Refusal) else wrong_request(loaded)


def read_record(recorded: BuildResult | bytes) -> BuildResult | Refusal:
    """Read a record like any other stranger's file."""
    if isinstance(recorded, BuildResult):
        recorded = msgspec.json.encode(recorded)
    return read_result(recorded)


def compare(record: BuildResult, derived: BuildResult) -> VerifyResult:
    """Compare a record with what was built from its request just now."""
    if record.rendered is None:
        derived = msgspec.structs.replace(derived, rendered=None)
    found = differences(record, derived)
    is_refused = derived.status is Status.REFUSED and record.status is Status.OK
    return VerifyResult(
        status=VerifyStatus.DIFFERENT if found else VerifyStatus.VERIFIED,
        differences=tuple(found),
        build_refusal=derived.refusal if is_refused else None,
        index_complete=derived.index_complete,
    )


def replayed(overrides: Mapping[str, object]) -> dict[str, object]:
    """Return the overrides of a record that a fresh build may use."""
    return {
        key: value
        for key, value in overrides.items()
        if key.startswith(_REPLAYED) and value is not None
    }
