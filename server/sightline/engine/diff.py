"""Show which inputs of two recorded builds differ. No workspace is needed."""

from __future__ import annotations

from sightline.bundle import BuildResult, Status
from sightline.context.build_differences import changed_inputs
from sightline.engine.results import DiffResult, refused
from sightline.engine.verify import read_record, without_secrets
from sightline.refusals import Refusal


def diff(first: BuildResult | bytes, second: BuildResult | bytes) -> DiffResult:
    """Compare the requests, settings, files and policies of two builds or their JSON."""
    one, other = read_record(first), read_record(second)
    for each in (one, other):
        if isinstance(each, Refusal):
            return refused(DiffResult, each)
    assert isinstance(one, BuildResult)
    assert isinstance(other, BuildResult)
    found = without_secrets(changed_inputs(one, other), [one, other])
    return DiffResult(status=Status.OK, differences=found)
