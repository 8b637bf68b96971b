"""A workbench for the contract: small workspaces, real builds, and what holds for every build.

Whatever a test builds goes through `Bench.attempt`, so that the rules about every bundle are
checked on every bundle of the suite, and not only where a test has them in mind.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from jsonschema import Draft202012Validator

from sightline.budget import Decision, decide, token_limits
from sightline.bundle import (
    BuildResult,
    ContextBlock,
    ExcludedCandidate,
    IncludedFile,
    OptionalFile,
    Redaction,
    RedactionType,
    Status,
    content_id,
)
from sightline.context import BuildRequest, Built, Refused, TargetSpec
from sightline.context.build_differences import read_result
from sightline.context.reports import bundle_fingerprint
from sightline.egress import guarded_scan
from sightline.engine.build import attempt_build
from sightline.engine.cache import BuildCache, Scan
from sightline.index import Snapshot
from sightline.index.store import Fault, NoStore
from sightline.languages import Registry
from sightline.project import Project
from sightline.refusals import Refusal, RefusalKind
from sightline.render import to_json
from sightline.schemas import schema
from sightline.settings import Loaded, load
from sightline.text import Text
from sightline.workers import Workers
from sightline.workspace import ReadLimits, Workspace

CREATED_AT = "2026-01-02T03:04:05Z"
CORRELATION_ID = "00000000-0000-4000-8000-000000000001"
ESTIMATOR = "chars4-1"
"""A formula that can be worked out by hand, so that no budget of a test depends on a fit."""

BLOCK_TYPES = (
    "system",
    "constraints",
    "project_meta",
    "file",
    "symbol",
    "error_context",
    "diff_hint",
)
"""The contract's order where priorities tie, written out once more on purpose."""


class Bench:
    """One workspace on the disk, opened as a session opens it."""

    def __init__(self, root: Path, registry: Registry, workers: Workers) -> None:
        self.root = root
        self._registry = registry
        self._workers = workers
        self._desks: dict[tuple[object, ...], BuildCache] = {}

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files without telling the index."""
        for path, content in files.items():
            place = self.root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content if isinstance(content, bytes) else content.encode())

    def build_cache(
        self,
        scan: Scan = guarded_scan,
        denied: Mapping[str, str] | None = None,
        max_file_bytes: int = 1 << 23,
    ) -> BuildCache:
        """The workspace, indexed on first use and kept."""
        key = (scan, tuple(sorted((denied or {}).items())), max_file_bytes)
        if key not in self._desks:
            workspace = Workspace(
                self.root, limits=ReadLimits(max_file_bytes=max_file_bytes), denied=denied or {}
            )
            store = NoStore(Fault.UNAVAILABLE)
            project = Project(workspace, self._registry, self._workers, store)
            project.open()
            project.count_terms()
            self._desks[key] = BuildCache(project, self._registry, self._workers, scan)
        return self._desks[key]

    @property
    def snapshot(self) -> Snapshot:
        return self.build_cache().project.snapshot

    def show(self, path: str, text: str, version: int | None = None) -> None:
        """Have an editor open a file with this text."""
        shown = self.build_cache().project.show(path, Text.of(text), version)
        assert isinstance(shown, Snapshot)

    def attempt(
        self,
        *targets: str | TargetSpec,
        request: BuildRequest | None = None,
        settings: Mapping[str, object] | None = None,
        build_cache: BuildCache | None = None,
        **parts: Any,
    ) -> Built | Refused:
        """A build of targets written as `path`, `path:line` or `path::symbol`, and checked."""
        asked = request or BuildRequest(targets=tuple(wanted(each) for each in targets), **parts)
        loaded = load(None, None, {}, {"budget.estimator": ESTIMATOR, **(settings or {})})
        assert isinstance(loaded, Loaded), loaded
        outcome = attempt_build(
            build_cache or self.build_cache(),
            asked,
            loaded.settings,
            created_at=CREATED_AT,
            correlation_id=CORRELATION_ID,
        ).outcome
        check(outcome, loaded, asked)
        return outcome

    def build(self, *targets: str | TargetSpec, **options: Any) -> Built:
        """A build that has to succeed."""
        outcome = self.attempt(*targets, **options)
        assert isinstance(outcome, Built), outcome
        return outcome

    def refuse(self, kind: RefusalKind, *targets: str | TargetSpec, **options: Any) -> Refused:
        """A build that has to be refused."""
        outcome = self.attempt(*targets, **options)
        assert isinstance(outcome, Refused), [block.title for block in outcome.bundle.blocks]
        assert outcome.refusal.kind is kind, outcome.refusal
        return outcome


def wanted(written: str | TargetSpec) -> TargetSpec:
    if isinstance(written, TargetSpec):
        return written
    path, separator, symbol = written.partition("::")
    if separator:
        return TargetSpec(path=path or None, symbol=symbol)
    path, separator, line = written.rpartition(":")
    return TargetSpec(path=path, line=int(line)) if separator else TargetSpec(path=written)


# What a test asks about an outcome.


def file_blocks(built: Built) -> list[ContextBlock]:
    return [block for block in built.bundle.blocks if block.meta.path is not None]


def blocks_of(built: Built, path: str) -> list[ContextBlock]:
    return [block for block in built.bundle.blocks if block.meta.path == path]


def block_of(built: Built, path: str) -> ContextBlock:
    (block,) = blocks_of(built, path)
    return block


def block_of_type(built: Built, block_type: str) -> ContextBlock:
    (block,) = [each for each in built.bundle.blocks if each.block_type == block_type]
    return block


def shape(built: Built) -> list[tuple[str, str, str, str | None]]:
    """Priority, type, title and level of each block, in the order of the bundle."""
    return [
        (block.priority.value, block.block_type.value, block.title, block.meta.level)
        for block in built.bundle.blocks
    ]


def included(built: Built) -> dict[str, IncludedFile]:
    return {each.path: each for each in built.manifest.selection.included_files}


def shown(built: Built) -> dict[str, IncludedFile | OptionalFile]:
    """Every file of a block, those that are only similar as well."""
    selection = built.manifest.selection
    return {**included(built), **{each.path: each for each in selection.optional_files}}


def excluded(built: Built) -> dict[str, ExcludedCandidate]:
    """By path; a path is excluded for one reason. Symbols of files that are shown are not in it."""
    everything_out = built.manifest.selection.excluded_candidates
    candidates = [each for each in everything_out if each.symbol is None]
    found = {each.path: each for each in candidates}
    assert len(found) == len(candidates), candidates
    return found


def redactions(built: Built, kind: str) -> list[Redaction]:
    return [each for each in built.redaction_report.redactions if each.type == kind]


def everything(outcome: Built | Refused) -> str:
    """All that leaves with an outcome, as one text."""
    return msgspec.json.encode(result(outcome)).decode() + (
        outcome.rendering.text if isinstance(outcome, Built) else ""
    )


def result(
    outcome: Built | Refused,
    request: BuildRequest | None = None,
    settings: Mapping[str, object] | None = None,
) -> BuildResult:
    """The outcome as it goes over the wire."""
    built = outcome if isinstance(outcome, Built) else None
    return BuildResult(
        status=Status.OK if built else Status.REFUSED,
        bundle=built.bundle if built else None,
        manifest=built.manifest if built else None,
        redaction_report=built.redaction_report if built else None,
        budget_report=outcome.budget_report,
        refusal=outcome.refusal if isinstance(outcome, Refused) else None,
        request=msgspec.to_builtins(request) if request else {},
        settings=dict(settings or {}),
        overrides={},
        index_complete=True,
    )


# What holds for every outcome.


def check(outcome: Built | Refused, loaded: Loaded, request: BuildRequest) -> None:
    settings = loaded.settings
    wire = to_json(result(outcome, request, settings.canonical()))
    _validate("build_result", json.loads(wire))
    assert not isinstance(read_result(wire), Refusal)
    bounds = token_limits(settings.profile()[0])
    budget = outcome.budget_report
    if budget is not None:
        stated = (budget.max_input_tokens, budget.hard_limit_tokens, budget.soft_limit_tokens)
        assert stated == (bounds.max_input, bounds.hard, bounds.soft)
        assert budget.reserve_output_tokens == bounds.reserve
        assert budget.decision == decide(budget.estimated_input_tokens, bounds)
        assert f"estimator {budget.estimator}" in budget.notes
    if isinstance(outcome, Refused):
        _check_refusal(outcome)
        return
    for name, value in (
        ("context_bundle", outcome.bundle),
        ("context_manifest", outcome.manifest),
        ("redaction_report", outcome.redaction_report),
        ("budget_report", outcome.budget_report),
    ):
        _validate(name, json.loads(to_json(value)))
    _check_order(outcome.bundle.blocks)
    _check_ids(outcome)
    _check_budget(outcome)
    _check_selection(outcome)
    _check_losses(outcome)


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(schema(name))


def _validate(name: str, value: object) -> None:
    problems = [
        f"{each.json_path}: {each.message[:200]}" for each in _validator(name).iter_errors(value)
    ]
    assert not problems, (name, problems)


def _check_refusal(outcome: Refused) -> None:
    refusal = outcome.refusal
    assert refusal.reason
    assert refusal.message
    assert refusal.advice, "a refusal says what can be done"
    assert "\n" not in refusal.message + refusal.advice
    is_too_large = refusal.kind is RefusalKind.CONTEXT_TOO_LARGE
    assert is_too_large == (outcome.budget_report is not None)
    assert (refusal.smallest_budget is not None) == is_too_large
    if not is_too_large:
        assert bool(refusal.candidates) == (refusal.kind is RefusalKind.AMBIGUOUS_TARGET)


def _check_order(blocks: tuple[ContextBlock, ...]) -> None:
    """INV-CONTEXT-1, worked out from the contract's words and not with the product's function."""

    def key(block: ContextBlock) -> tuple[int, int, bytes]:
        third = {"file": block.meta.path, "symbol": block.meta.symbol}.get(
            block.block_type.value, block.title
        )
        assert third is not None
        return (
            ("P0", "P1", "P2", "P3").index(block.priority.value),
            BLOCK_TYPES.index(block.block_type.value),
            third.encode(),
        )

    keys = [key(block) for block in blocks]
    assert keys == sorted(keys)
    ids = [block.block_id for block in blocks]
    assert len(ids) == len(set(ids))


def _check_ids(built: Built) -> None:
    bundle = built.bundle
    assert (bundle.created_at, bundle.correlation_id) == (CREATED_AT, CORRELATION_ID)
    reports = (built.manifest, built.redaction_report, built.budget_report)
    assert {each.bundle_id for each in reports} == {bundle.bundle_id}
    assert built.manifest.correlation_id == CORRELATION_ID
    assert built.manifest.purpose == bundle.purpose
    for block in bundle.blocks:
        assert block.block_id == content_id(msgspec.structs.replace(block, block_id=""))
    assert built.manifest.fingerprints.bundle_fingerprint == bundle_fingerprint(bundle)


def _check_budget(built: Built) -> None:
    budget = built.budget_report
    assert budget.decision is not Decision.REFUSE_HARD_LIMIT
    assert budget.estimated_input_tokens <= budget.hard_limit_tokens
    listed = [(each.block_id, each.title, each.priority) for each in budget.blocks]
    assert listed == [(each.block_id, each.title, each.priority) for each in built.bundle.blocks]
    costs = sum(each.tokens for each in budget.blocks)
    assert costs + budget.framing_tokens == budget.estimated_input_tokens
    is_warned = any(note.startswith("warning: ") for note in budget.notes)
    assert is_warned == (budget.decision is Decision.WARN_SOFT_LIMIT)


def _check_selection(built: Built) -> None:
    """The manifest lists what is in, each file once, and nothing that is out."""
    selection = built.manifest.selection
    needed = [each.path for each in selection.included_files]
    optional = [each.path for each in selection.optional_files]
    for paths in (needed, optional):
        assert paths == sorted(set(paths), key=str.encode)
    assert not {*needed} & {*optional}
    assert {*needed, *optional} == {block.meta.path for block in file_blocks(built)}
    out = [each.path for each in selection.excluded_candidates]
    assert out == sorted(out, key=str.encode)
    whole_out = {each.path for each in selection.excluded_candidates if each.symbol is None}
    assert not {*needed, *optional} & whole_out
    assert {each.path for each in selection.excluded_candidates if each.symbol} <= {
        *needed,
        *optional,
    }
    assert set(selection.target_files) <= set(needed)
    files = shown(built)
    for block in file_blocks(built):
        file = files[block.meta.path or ""]
        assert (block.meta.hash, block.meta.encoding) == (file.hash, file.encoding)
        assert (block.meta.byte_size, block.meta.source) == (file.byte_size, file.source)


def _check_losses(built: Built) -> None:
    """INV-CONTEXT-3: whatever is not shown whole is in the reports."""
    sliced = sorted(each.target for each in redactions(built, "content_sliced"))
    partial = [each for each in file_blocks(built) if each.meta.level != "FULL_FILE"]
    assert sliced == sorted(each.meta.path or "" for each in partial)
    assert all(each.details for each in built.redaction_report.redactions)
    reported = {
        each.target
        for each in built.redaction_report.redactions
        if each.type in (RedactionType.PATH_EXCLUDED, RedactionType.BLOCK_REMOVED)
    }
    assert {each.path for each in built.manifest.selection.excluded_candidates} <= reported
