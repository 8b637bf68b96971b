"""The published schemas say what the contract says, and what Sightline emits is valid by them."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from importlib import resources
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from sightline import schemas
from sightline.budget import Decision
from sightline.bundle import (
    BlockCost,
    BlockRegion,
    BlockRelation,
    BudgetReport,
    BuildResult,
    ContextBundle,
    ContextManifest,
    Encoding,
    EvidenceLine,
    ExcludedCandidate,
    ExclusionReason,
    Fingerprints,
    IncludedFile,
    Model,
    Priority,
    Purpose,
    Reason,
    Redaction,
    RedactionReason,
    RedactionReport,
    RedactionType,
    Selection,
    Source,
    Status,
)
from sightline.engine import find_results, pack_results, results, snapshot_results
from sightline.engine.packs import transparency
from sightline.packs import model as pack_model
from sightline.packs.full_pack import PackLimits, build_full_pack
from sightline.packs.snapshotting import LeftOut, ListedFile, make_snapshot
from sightline.packs.summary_pack import build_summary_pack
from sightline.recipes.task import Task
from sightline.refusals import Refusal, RefusalKind
from sightline.render import to_json
from tests.packs.plain_source import PlainSource
from tests.recipes.samples import CONTEXTS
from tests.render import blocks as sample

_UUID = "6f0c3b52-7d0e-5c3a-9a53-5b8f0e6f4a11"
_SHA256 = "0123456789abcdef" * 4

_PURPOSES = ["intent", "plan", "diff"]
_ENCODINGS = ["utf-8", "utf-16le", "utf-16be", "ascii", "windows-1252", "unknown"]
_PRIORITIES = ["P0", "P1", "P2", "P3"]

# The contract, object by object: each field with the values it may take, or with its kind.
_CONTRACT: dict[str, dict[str, dict[str, list[str] | str]]] = {
    "context_block": {
        "": {
            "block_id": "string",
            "block_type": [
                "system",
                "constraints",
                "project_meta",
                "file",
                "symbol",
                "error_context",
                "diff_hint",
            ],
            "priority": _PRIORITIES,
            "title": "string",
            "content": "string",
            "meta": "object",
        },
        "meta": {
            "path": "string or null",
            "symbol": "string or null",
            "hash": "string or null",
            "encoding": _ENCODINGS,
            "byte_size": "integer",
            "line_count": "integer",
            "source": ["index", "filesystem", "user", "system"],
        },
    },
    "context_bundle": {
        "": {
            "bundle_id": "string",
            "bundle_version": "integer",
            "created_at": "string",
            "purpose": _PURPOSES,
            "correlation_id": "string",
            "model": "object",
            "blocks": "array",
        },
        "model": {
            "provider": "string",
            "model": "string",
            "max_input_tokens": "integer",
            "max_output_tokens": "integer",
            "response_token_reserve": "integer",
            "soft_limit_threshold_pct": "integer",
        },
    },
    "context_manifest": {
        "": {
            "bundle_id": "string",
            "correlation_id": "string",
            "purpose": _PURPOSES,
            "selection": "object",
            "fingerprints": "object",
        },
        "selection": {
            "target_files": "array",
            "target_symbols": "array",
            "included_files": "array",
            "excluded_candidates": "array",
        },
        "selection.included_files": {
            "path": "string",
            "hash": "string",
            "encoding": _ENCODINGS,
            "byte_size": "integer",
            "reason": [
                "target",
                "dependency",
                "interface",
                "caller",
                "base_type",
                "config",
                "user_selected",
            ],
        },
        "selection.excluded_candidates": {
            "path": "string",
            "reason": [
                "deny_rule",
                "binary",
                "too_large",
                "token_budget",
                "outside_sandbox",
                "secret_risk",
                "duplicate",
            ],
        },
        "fingerprints": {
            "project_index_fingerprint": "string",
            "config_fingerprint": "string",
            "bundle_fingerprint": "string",
        },
    },
    "redaction_report": {
        "": {"bundle_id": "string", "redactions": "array"},
        "redactions": {
            "type": ["path_excluded", "pattern_redacted", "block_removed", "content_sliced"],
            "target": "string",
            "reason": ["secret", "deny_rule", "budget", "binary", "policy"],
            "details": "string",
        },
    },
    "budget_report": {
        "": {
            "bundle_id": "string",
            "estimated_input_tokens": "integer",
            "max_input_tokens": "integer",
            "soft_limit_tokens": "integer",
            "hard_limit_tokens": "integer",
            "reserve_output_tokens": "integer",
            "decision": ["ok", "warn_soft_limit", "refuse_hard_limit"],
            "notes": "array",
        },
    },
}


@pytest.mark.parametrize("name", schemas.NAMES)
def test_the_published_files_are_made_from_the_types(
    name: str, request: pytest.FixtureRequest
) -> None:
    """`pytest --update-golden` writes them anew."""
    made = schemas.serialized(schemas.generated(name))
    file = resources.files(schemas).joinpath(f"{name}.schema.json")
    if request.config.getoption("--update-golden"):
        with resources.as_file(file) as path:
            path.write_bytes(made)
    assert file.read_bytes() == made
    assert schemas.schema(name) == json.loads(made)


@pytest.mark.parametrize("name", schemas.NAMES)
def test_every_schema_is_a_schema_that_stands_alone(name: str) -> None:
    """Valid by its own dialect, under its own name, with references to nothing but itself."""
    published = schemas.schema(name)
    Draft202012Validator.check_schema(published)
    assert published["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert published["$id"] == f"sightline:schema/{name}"
    references = set(_references(published))
    assert references <= {f"#/$defs/{key}" for key in published.get("$defs", {})}


@pytest.mark.parametrize(
    ("name", "place"), [(name, place) for name, places in _CONTRACT.items() for place in places]
)
def test_every_field_of_the_contract_is_there_and_required(name: str, place: str) -> None:
    """By the contract's names and with its values; and no other field gets in."""
    published = schemas.schema(name)
    described = _at(published, place)
    fields = _CONTRACT[name][place]
    assert list(described["properties"])[: len(fields)] == list(fields)
    assert set(fields) <= set(described["required"])
    assert described["additionalProperties"] is False
    actual = {field: _values_or_kind(published, described["properties"][field]) for field in fields}
    assert actual == {field: _comparable(allowed) for field, allowed in fields.items()}


@pytest.mark.parametrize("name", schemas.NAMES)
def test_what_is_emitted_is_valid_and_complete(name: str) -> None:
    """Every property that the schema names is in what is emitted."""
    emitted = _SAMPLES[name]
    assert _errors(name, emitted) == []
    assert set(schemas.schema(name)["properties"]) == set(emitted)


@pytest.mark.parametrize("name", schemas.NAMES)
def test_a_missing_or_an_extra_field_is_not_valid(name: str) -> None:
    """Each required field in turn is taken out, and one that nobody knows is put in."""
    for field in schemas.schema(name)["required"]:
        broken = copy.deepcopy(_SAMPLES[name])
        del broken[field]
        assert _errors(name, broken) != [], field
    assert _errors(name, {**_SAMPLES[name], "surprise": 1}) != []


def _replaced(*path: str | int, by: object) -> Callable[[Any], None]:
    def change(value: Any) -> None:
        for step in path[:-1]:
            value = value[step]
        value[path[-1]] = by

    return change


_BREAKS: list[tuple[str, Callable[[Any], None]]] = [
    ("context_block", _replaced("block_type", by="files")),
    ("context_block", _replaced("priority", by="P4")),
    ("context_block", _replaced("block_id", by="1")),
    ("context_block", _replaced("block_id", by=_UUID + "\n")),
    ("context_block", _replaced("content", by=None)),
    ("context_block", _replaced("meta", "hash", by=_SHA256.upper())),
    ("context_block", _replaced("meta", "hash", by=_SHA256 + "\n")),
    ("context_block", _replaced("meta", "byte_size", by=-1)),
    ("context_block", _replaced("meta", "byte_size", by="1")),
    ("context_block", _replaced("meta", "encoding", by="latin-1")),
    ("context_block", _replaced("meta", "level", by="HALF_FILE")),
    ("context_block", _replaced("meta", "reason", by="because")),
    ("context_block", _replaced("meta", "regions", 0, "start_line", by=0)),
    ("context_block", _replaced("meta", "relation", "confidence", by="sure")),
    ("context_block", _replaced("meta", "unknown", by=None)),
    ("context_bundle", _replaced("purpose", by="chat")),
    ("context_bundle", _replaced("bundle_version", by=2)),
    ("context_bundle", _replaced("created_at", by="yesterday")),
    ("context_bundle", _replaced("model", "max_input_tokens", by=1.5)),
    ("context_bundle", _replaced("model", "soft_limit_threshold_pct", by=101)),
    ("context_bundle", _replaced("blocks", 0, "title", by=7)),
    ("context_manifest", _replaced("selection", "included_files", 0, "reason", by="luck")),
    ("context_manifest", _replaced("selection", "excluded_candidates", 0, "reason", by="luck")),
    ("context_manifest", _replaced("fingerprints", "bundle_fingerprint", by="")),
    ("redaction_report", _replaced("redactions", 0, "type", by="lost")),
    ("redaction_report", _replaced("redactions", 0, "reason", by="lost")),
    ("budget_report", _replaced("decision", by="maybe")),
    ("budget_report", _replaced("estimated_input_tokens", by=-1)),
    ("budget_report", _replaced("notes", by="one")),
    ("build_result", _replaced("status", by="error")),
    ("build_result", _replaced("status", by="refused")),
    ("build_result", _replaced("bundle", by=None)),
    ("build_result", _replaced("bundle", "blocks", 0, "meta", "source", by="network")),
    ("build_result", _replaced("index_complete", by=None)),
    ("slice_result", _replaced("level", by="full")),
    ("slice_result", _replaced("hash", by="")),
    ("slice_result", _replaced("content", by=7)),
    ("slice_result", _replaced("pieces", 0, "start_byte", by=-1)),
    ("slice_result", _replaced("pieces", 0, "characters", by=None)),
    ("slice_result", _replaced("check", "declarations", by="all")),
    ("slice_result", _replaced("redactions", 0, "line", by=0)),
    ("slice_result", _replaced("redactions", 0, "value", by="x")),
    ("outline_result", _replaced("symbols", 0, "name_line", by=0)),
    ("outline_result", _replaced("symbols", 0, "body", "end_line", by=None)),
    ("references_result", _replaced("definitions", 0, "relations", 0, "confidence", by="sure")),
    ("references_result", _replaced("definitions", 0, "relations", 0, "targets", by={})),
    ("explain_result", _replaced("candidate", "status", by="in")),
    ("explain_result", _replaced("candidate", "status", by="refused")),
    ("explain_result", _replaced("candidate", "priority", by="P9")),
    ("explain_result", _replaced("candidate", "line", "status", by="hidden")),
    ("explain_result", _replaced("candidate", "line", "number", by=0)),
    ("explain_result", _replaced("candidate", "verdict", by="in")),
    ("explain_result", _replaced("relations", 0, "targets", 0, "line", by=0)),
    ("verify_result", _replaced("status", by="ok")),
    ("verify_result", _replaced("differences", 0, "detail", by=None)),
    ("index_result", _replaced("languages", "python", "files", by=-1)),
    ("index_result", _replaced("withheld", "binary", by="1")),
    ("budget_status", _replaced("decision", by="maybe")),
    ("budget_status", _replaced("decision", by="none")),
    ("budget_status", _replaced("blocks", 0, "priority", by=None)),
    ("settings_result", _replaced("origins", "render.format", "places", by="x")),
    ("doctor_result", _replaced("checks", 0, "passed", by="yes")),
    ("allow_result", _replaced("allowances", 0, "is_file", by="no")),
    ("harmless_result", _replaced("changed", "sha256", by="x")),
    ("models_result", _replaced("models", 0, "is_own", by="x")),
]


@pytest.mark.parametrize(("name", "change"), _BREAKS)
def test_a_wrong_value_is_not_valid(name: str, change: Callable[[Any], None]) -> None:
    """One value at a time, in a sample that is otherwise as emitted."""
    broken = copy.deepcopy(_SAMPLES[name])
    change(broken)
    assert broken != _SAMPLES[name]
    assert _errors(name, broken) != []


def test_a_refusal_may_carry_more_but_no_bundle_and_no_text() -> None:
    """What to do next differs by kind; what was withheld is in none of them."""
    refusal = Refusal(RefusalKind.SECRET_RISK, "secret", "a.py", "A secret.", "Move it.")
    refused = {
        **_SAMPLES["build_result"],
        "status": "refused",
        "bundle": None,
        "manifest": None,
        "rendered": None,
        "refusal": {**refusal.as_dict(), "lines": [3]},
    }
    assert _errors("build_result", refused) == []
    for field in ("bundle", "rendered"):
        leaking = {**refused, field: _SAMPLES["build_result"][field]}
        assert _errors("build_result", leaking) != [], field
    assert _errors("build_result", {**refused, "refusal": None}) != []
    for field in refusal.as_dict():
        broken = copy.deepcopy(refused)
        del broken["refusal"][field]
        assert _errors("build_result", broken) != [], field


@pytest.mark.parametrize(
    "name", [name for name, kind in results.RESULTS.items() if "refusal" in kind.__struct_fields__]
)
def test_a_refused_result_says_why_and_no_other_does(name: str) -> None:
    """With its status a result has a refusal, and every field as always."""
    refused = json.loads(to_json(_refused(results.RESULTS[name])))
    assert _errors(name, refused) == []
    assert list(refused) == list(_SAMPLES[name])
    assert _errors(name, {**refused, "refusal": None}) != []
    if name != "budget_status":
        assert _errors(name, {**refused, "status": _SAMPLES[name]["status"]}) != []
        assert _errors(name, {**_SAMPLES[name], "refusal": refused["refusal"]}) != []


def test_no_name_reads_a_file_of_another_folder() -> None:
    """A name is a name, not a path."""
    for name in ("unknown", "../settings", ""):
        with pytest.raises(LookupError):
            schemas.schema(name)


def _errors(name: str, value: object) -> list[str]:
    validator = Draft202012Validator(schemas.schema(name))
    return [error.message for error in validator.iter_errors(value)]


def _references(value: object) -> list[str]:
    if isinstance(value, list):
        return [found for item in value for found in _references(item)]
    if isinstance(value, dict):
        own = [value["$ref"]] if "$ref" in value else []
        return own + [found for item in value.values() for found in _references(item)]
    return []


def _at(published: dict[str, Any], place: str) -> dict[str, Any]:
    described = published
    for step in filter(None, place.split(".")):
        described = _resolved(published, described["properties"][step])
        if described.get("type") == "array":
            described = _resolved(published, described["items"])
    return described


def _resolved(published: dict[str, Any], described: dict[str, Any]) -> dict[str, Any]:
    reference = described.get("$ref")
    if reference is None:
        return described
    resolved: dict[str, Any] = published["$defs"][reference.removeprefix("#/$defs/")]
    return resolved


def _values_or_kind(published: dict[str, Any], described: dict[str, Any]) -> list[str] | str:
    described = _resolved(published, described)
    if "enum" in described:
        return _comparable(described["enum"])
    kind = described["type"]
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _comparable(allowed: list[str] | str) -> list[str] | str:
    return allowed if isinstance(allowed, str) else sorted(allowed)


def _samples() -> dict[str, dict[str, Any]]:
    region = sample.region("total", 3, 9)
    block = sample.file("src/cart.py", "x\n", Priority.P0, regions=(region,))
    bundle = ContextBundle(
        _UUID,
        1,
        "2026-01-31T12:00:00Z",
        Purpose.DIFF,
        _UUID,
        Model("generic", "generic", 100_000, 16_000, 4_000, 80),
        (block, sample.system()),
    )
    included = IncludedFile(
        "src/cart.py",
        _SHA256,
        Encoding.UTF_8,
        2,
        Reason.TARGET,
        "FULL_FILE",
        -5,
        Source.USER,
        block.meta.relation,
    )
    excluded = ExcludedCandidate(
        "certificate.pem", ExclusionReason.DENY_RULE, "**/*.pem", "default:credentials"
    )
    manifest = ContextManifest(
        _UUID,
        _UUID,
        Purpose.DIFF,
        Selection(("src/cart.py",), ("total",), (included,), (excluded,)),
        Fingerprints(_SHA256, _SHA256, _SHA256),
    )
    redactions = RedactionReport(
        _UUID,
        (Redaction(RedactionType.PATH_EXCLUDED, "a.pem", RedactionReason.DENY_RULE, "**/*.pem"),),
    )
    budget = BudgetReport(
        _UUID,
        12,
        100_000,
        76_800,
        96_000,
        4_000,
        Decision.OK,
        ("estimator chars4-1",),
        "chars4-1",
        (BlockCost(block.block_id, block.title, block.priority, 10),),
        2,
    )
    result = BuildResult(
        Status.OK,
        bundle,
        manifest,
        redactions,
        budget,
        None,
        {"purpose": "diff"},
        {"render.format": "markdown"},
        {},
        True,
        "# Context\n",
    )
    objects: dict[str, msgspec.Struct] = {
        "context_block": block,
        "context_bundle": bundle,
        "context_manifest": manifest,
        "redaction_report": redactions,
        "budget_report": budget,
        "build_result": result,
    }
    objects.update(_result_samples())
    return {name: json.loads(to_json(value)) for name, value in (objects | CONTEXTS).items()}


def _result_samples() -> dict[str, msgspec.Struct]:
    """One result of each capability, with something in every field that may be empty."""
    evidence = EvidenceLine("src/till.py", 4, "total")
    place = results.RelatedSymbol("src/till.py", "pay", "function", 3)
    relation = results.SymbolRelation("caller", "resolved", 1, 0, (place,), evidence)
    candidate = results.ExplainCandidate(
        "src/till.py::pay",
        results.CandidateStatus.INCLUDED,
        reason="caller",
        score=-5,
        priority=Priority.P2,
        level="SIGNATURES_ONLY",
        blocks=(results.CandidateBlock(Priority.P2, "SIGNATURES_ONLY", None, 12),),
        relations=(BlockRelation("caller", "resolved", 1, "total", evidence),),
        line=results.CandidateLine(7, "signatures"),
    )
    secret = results.SecretFound("assigned-password", 3)
    symbol = results.OutlineSymbol(
        "total",
        "Cart.total",
        "method",
        "Cart",
        3,
        4,
        9,
        results.OutlineBody(5, 9),
        "def total",
        True,
        1,
    )
    definition = results.ReferencesDefinition("src/cart.py", "Cart.total", "method", 4, (relation,))
    difference = results.Difference("file", "src/cart.py", "hash 1 is 2")
    return {
        "slice_result": results.SliceResult(
            Status.OK,
            path="src/cart.py",
            language="python",
            parse_clean=True,
            level="SIGNATURES_ONLY",
            content="def total(): ...\n",
            hash=_SHA256,
            encoding="utf-8",
            bom=False,
            regions=(BlockRegion("Cart.total", 3, 9, _SHA256),),
            pieces=(
                results.SlicePiece(None, 0, 13, 13),
                results.SlicePiece(" ...\n", None, None, 5),
            ),
            check=results.SliceSelfCheck(True, True, "1/1", True, True),
            document_version=-1,
            redactions=(secret,),
        ),
        "outline_result": results.OutlineResult(
            Status.OK,
            None,
            "src/cart.py",
            "python",
            "Python",
            False,
            12,
            20,
            (symbol,),
            (secret,),
        ),
        "references_result": results.ReferencesResult(
            Status.OK, None, "total", (definition,), True
        ),
        "explain_result": results.ExplainResult(
            Status.OK,
            path="src/cart.py",
            symbol="Cart.total",
            kind="method",
            line=4,
            language="python",
            relations=(relation,),
            candidate=candidate,
            index_complete=True,
        ),
        "verify_result": results.VerifyResult(
            results.VerifyStatus.DIFFERENT, None, (difference,), _REFUSAL, True
        ),
        "diff_result": results.DiffResult(Status.OK, None, (difference,)),
        "index_result": results.IndexResult(
            Status.OK,
            root="shop",
            visible=3,
            files=2,
            languages={"python": results.LanguageCounts(2, 8, 9)},
            withheld={"binary": 1},
            quarantined={"src/odd.py": "crash"},
            fingerprint=_SHA256,
            index_complete=True,
        ),
        "budget_status": results.BudgetStatus(
            "ok",
            12,
            10,
            2,
            76_800,
            96_000,
            "Cart.total",
            "FULL_FILE",
            None,
            (results.BudgetBlock("src/cart.py", Priority.P0, 10),),
            True,
        ),
        "settings_result": results.SettingsResult(
            Status.OK,
            None,
            {"render": {"format": "markdown"}},
            {"render.format": results.SettingOrigin("user", ("config.toml",))},
            {"model": "generic", "note": None},
            (results.SettingMessage("render.colour", "config.toml", "there is no such setting"),),
        ),
        "doctor_result": results.DoctorResult(True, (results.DoctorCheck("python", True, "3.11"),)),
        "allow_result": results.AllowResult(
            Status.OK,
            None,
            "shop",
            results.AllowanceEntry("packages/**", False, "2026-05-04"),
            (results.AllowanceEntry("packages/**", False, "2026-05-04"),),
        ),
        "harmless_result": results.HarmlessResult(
            Status.OK,
            None,
            "shop",
            results.HarmlessEntry("0123456789ab", "a.py", "assigned-password", "2026-05-04"),
            (results.HarmlessEntry("0123456789ab", "a.py", "assigned-password", "2026-05-04"),),
        ),
        "recipe_result": results.RecipeResult(
            Status.OK, None, "review", {"diff": ""}, "# Context for a review\n", 5
        ),
        "find_result": find_results.FindResult(
            Status.OK,
            None,
            (find_results.FoundPath("a.py", (find_results.FoundClue("path", ("a.py",)),)),),
            (
                find_results.FoundPlace(
                    "a.py", "f", "function", 1, (find_results.FoundClue("words", ("sum",)),)
                ),
            ),
            ("only the first 60,000 characters of the task were read",),
            index_complete=True,
        ),
        "snapshot_result": results.SnapshotResult(
            Status.OK,
            snapshots=(
                snapshot_results.SnapshotEntry(
                    "01890a5d-ac96-774b-bcce-b302099a8057",
                    "2026-01-02T03:04:05Z",
                    "human:ada",
                    "explicit",
                    1,
                ),
            ),
            snapshot={"version": 1},
            rendered="- url https://a.example\n",
            changes=(snapshot_results.SnapshotChange("-", "url", "https://a.example", "", ""),),
        ),
        "project_pack_result": pack_results.ProjectPackResult(
            Status.OK, None, "full", {"type": "full"}, "# Project pack\n", 3, ("1 file was cut",)
        ),
        **_packs(),
        "task_pack_result": results.TaskPackResult(
            Status.OK, None, "cheap", {"files": []}, "# Context pack for a task\n", ("a.py: x",)
        ),
        "task": _task(),
        "models_result": results.ModelsResult(
            Status.OK,
            None,
            "mine",
            "a note",
            (results.ModelEntry("mine", "me", 1_000, 100, 100, "chars4-1", True),),
        ),
    }


def _packs() -> dict[str, msgspec.Struct]:
    """A pack of each form, as it is of a small project."""
    source = PlainSource(
        {
            "package.json": '{"name": "shop", "dependencies": {"express": "4"}, "main": "app.js"}',
            "app.js": "const app = require('express')()\napp.get('/items', list)\n",
        }
    )
    files = [ListedFile(path, source.size(path)) for path in source.paths]
    snapshot = make_snapshot(files, [LeftOut("logo.png", "binary")], "2026-01-02T03:04:05Z")
    full = build_full_pack(snapshot, source, PackLimits())
    made: pack_model.RepositoryMap = pack_model.RepositoryMap(
        map="app.js:\n",
        tokens=3,
        max_tokens=1024,
        metadata=pack_model.MapMetadata("", ".", 3, 1, 0, 0),
    )
    return {
        "full_pack": full,
        "summary_pack": build_summary_pack(snapshot, source, PackLimits()),
        "repository_map": made,
        "context_pack_info": transparency(full, snapshot, "it was asked for"),
    }


def _task() -> Task:
    """A task with something in every field."""
    issue = {"id": "1", "severity": "error", "message": "m", "file": "a.py", "line": 3}
    issue |= {"symbol": "f", "evidence": "E"}
    ticket = {"id": "1", "issueIds": ["1"], "instructions": "Fix it.", "files": ["a.py"]}
    return msgspec.convert(
        {
            "id": "7",
            "title": "Right sum",
            "goal": "The sum is right.",
            "acceptance": [{"id": "1", "description": "It is.", "verify": "pytest"}],
            "context": {"files": ["a.py"], "docs": ["README.md"]},
            "contract": {
                "allowedGlobs": ["src/**"],
                "forbiddenGlobs": ["*.lock"],
                "allowNewFiles": True,
            },
            "previous": {"iteration": 1, "diff": "", "issues": [issue]},
            "repairTickets": [{**ticket, "errorOutput": "E"}],
        },
        Task,
    )


def _refused(kind: type[msgspec.Struct]) -> msgspec.Struct:
    if kind is BuildResult:
        return BuildResult(Status.REFUSED, None, None, None, None, _REFUSAL, {}, {}, {}, False)
    if kind is results.VerifyResult:
        return results.VerifyResult(results.VerifyStatus.REFUSED, _REFUSAL)
    if kind is results.BudgetStatus:
        return results.BudgetStatus("none", refusal=_REFUSAL)
    return msgspec.convert({"status": "refused", "refusal": _REFUSAL}, kind)


_REFUSAL = Refusal(RefusalKind.UNSUPPORTED_TARGET, "binary", "a.png", "It is binary.", "Leave it.")
_SAMPLES = _samples()
for _each in ("full_pack", "summary_pack", "repository_map"):
    # The record stands beside the fields of a pack.
    _SAMPLES[_each]["context_pack_info"] = _SAMPLES["context_pack_info"]
