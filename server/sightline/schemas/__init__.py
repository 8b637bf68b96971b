"""The published JSON Schemas of what Sightline answers with, and how they are made.

`schema(name)` reads a file of this folder, `generated(name)` makes it anew from the types in
`sightline.bundle` and `sightline.engine.results`; a test keeps the two the same. A schema
describes what Sightline emits: it allows no key that the types do not have, and it stands alone,
without references to other files.

What a type cannot say about a field stands in the tables below, by the field's name.
"""

from __future__ import annotations

import ast
import inspect
import json
from collections.abc import Iterable
from importlib import resources
from types import ModuleType
from typing import Any

import msgspec

from sightline import bundle, refusals
from sightline.bundle import (
    BudgetReport,
    ContextBlock,
    ContextBundle,
    ContextManifest,
    RedactionReport,
)
from sightline.engine import (
    pack_results,
    recipe_results,
    results,
    settings_results,
    snapshot_results,
)
from sightline.packs import model as pack_model
from sightline.recipes import contexts, task
from sightline.refusals import Refusal

__all__ = ["NAMES", "STRING_VALUES", "documentation", "generated", "schema", "serialized"]


_TYPES: dict[str, type] = {
    "context_block": ContextBlock,
    "context_bundle": ContextBundle,
    "context_manifest": ContextManifest,
    "redaction_report": RedactionReport,
    "budget_report": BudgetReport,
    **results.RESULTS,
    "task": task.Task,
    "full_pack": pack_model.FullPack,
    "summary_pack": pack_model.SummaryPack,
    "repository_map": pack_model.RepositoryMap,
    "context_pack_info": pack_model.TransparencyRecord,
    "context_pack": contexts.ContextPack,
    "implementation_context": contexts.ImplementationContext,
    "review_context": contexts.ReviewContext,
    "fix_context": contexts.FixContext,
    "issue_context": contexts.IssueContext,
}
_MODULES = (
    bundle,
    refusals,
    results,
    settings_results,
    recipe_results,
    snapshot_results,
    pack_results,
    pack_model,
    task,
    contexts,
)
"""Where the types are."""

NAMES = tuple(_TYPES)


def schema(name: str) -> dict[str, Any]:
    """A published schema, by its name without `.schema.json`."""
    files = {file.name: file for file in resources.files(__name__).iterdir()}
    file = files.get(f"{name}.schema.json")
    if file is None:
        raise LookupError(f"no schema is called {name!r}")
    loaded: dict[str, Any] = json.loads(file.read_bytes())
    return loaded


def generated(name: str) -> dict[str, Any]:
    """What the file of that name has to hold."""
    types = [_TYPES[name]]
    if types[0].__name__ in _PACKS:
        types.append(pack_model.TransparencyRecord)
    (top, *_), definitions = msgspec.json.schema_components(
        types, ref_template=_REFERENCE + "{name}"
    )
    notes = documentation(_MODULES)
    for definition_name, definition in definitions.items():
        definitions[definition_name] = _completed(definition_name, definition, notes)
    own = definitions.pop(top["$ref"].removeprefix(_REFERENCE))
    made = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"sightline:schema/{name}",
        **own,
    }
    if definitions:
        made["$defs"] = {key: definitions[key] for key in sorted(definitions)}
    return made


def serialized(made: dict[str, Any]) -> bytes:
    """A schema as its file holds it."""
    return json.dumps(made, indent=2, ensure_ascii=False).encode() + b"\n"


_REFERENCE = "#/$defs/"
_NUMBERED = ("AcceptanceCriteria", "Issue", "RepairTicket")
_OPEN = (*_NUMBERED, "PackedCriterion", "PackedIssue", "PackedTicket")
"""Objects that may have fields of the caller's own."""
_HOLDERS = ("Task", *_NUMBERED)
"""Types that keep such fields in one of their own, which JSON does not have."""

# In Python `$` also matches before a last line feed; the greatest length shuts that out.
_UUID: dict[str, Any] = {
    "format": "uuid",
    "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
    "maxLength": 36,
}
_SHA256: dict[str, Any] = {"pattern": "^[0-9a-f]{64}$", "maxLength": 64}
_DECLARATIONS: dict[str, Any] = {"pattern": "^[0-9]+/[0-9]+$"}
_LINE_NUMBER: dict[str, Any] = {"minimum": 1}
_ANY_INTEGER: dict[str, Any] = {}

_RULES: dict[str, dict[str, Any]] = {
    "bundle_id": _UUID,
    "block_id": _UUID,
    "correlation_id": _UUID,
    "bundle_version": {"const": 1},
    "created_at": {
        "format": "date-time",
        "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"
        r"(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$",
    },
    "hash": _SHA256,
    "sha256": _SHA256,
    "project_index_fingerprint": _SHA256,
    "config_fingerprint": _SHA256,
    "bundle_fingerprint": _SHA256,
    "fingerprint": _SHA256,
    "BlockMeta.check": _DECLARATIONS,
    "SliceSelfCheck.declarations": _DECLARATIONS,
    "start_line": _LINE_NUMBER,
    "name_line": _LINE_NUMBER,
    "end_line": _LINE_NUMBER,
    "first_error_line": _LINE_NUMBER,
    "line": _LINE_NUMBER,
    "CandidateLine.number": _LINE_NUMBER,
    "soft_limit_threshold_pct": {"minimum": 1, "maximum": 100},
    "CommitDict.hash": {},
    "ErrorDict.line": {"minimum": 0},
    # The caller's, and empty where it gives none.
    "PackMetadata.created_at": {},
    "MapMetadata.created_at": {},
    # A criterion may be a plain sentence.
    "Task.acceptance": {
        "items": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/AcceptanceCriteria"}]}
    },
    "PreviousIteration.issues": {
        "items": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/Issue"}]}
    },
    "Task.repairTickets": {
        "items": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/RepairTicket"}]}
    },
    # Penalties take a score below zero, and an editor counts its versions as it likes.
    "score": _ANY_INTEGER,
    "document_version": _ANY_INTEGER,
}
"""By `field`, in whichever object, or by `Type.field`. Other integers are counts: zero or more."""

STRING_VALUES: dict[str, tuple[str, ...]] = {
    "level": ("FULL_FILE", "TARGET_REGION_ONLY", "SIGNATURES_ONLY", "SUMMARY_ONLY"),
    "confidence": ("resolved", "dispatch", "ambiguous", "textual"),
    "CandidateLine.status": ("shown", "signatures", "left_out"),
    "recipe": ("implementation", "review", "fix", "issue"),
    "ChangedSymbol.change": ("added", "deleted", "modified", "renamed"),
    "ErrorDict.severity": ("error", "warning"),
    "PackedFile.priority": ("high", "medium", "low"),
    "tier": ("strong", "default", "cheap"),
    "ProjectPackResult.type": ("full", "summary", "map"),
    "BuildProjectPackParams.type": ("auto", "full", "summary", "map"),
    "BuildProjectPackParams.format": ("json", "msgpack", "markdown", "xml"),
    "BuildProjectPackParams.on_decode_error": ("skip", "replace"),
    "BudgetStatus.decision": ("ok", "warn_soft_limit", "refuse_hard_limit", "none"),
}
"""The values of a string that is no enumeration in Python, by `field` or by `Type.field`."""

_BUILD_RESULT_CASES: dict[str, Any] = {
    "if": {"properties": {"status": {"const": "ok"}}},
    "then": {
        "properties": {
            "bundle": {"type": "object"},
            "manifest": {"type": "object"},
            "redaction_report": {"type": "object"},
            "budget_report": {"type": "object"},
            "refusal": {"type": "null"},
        }
    },
    "else": {
        "properties": {
            "bundle": {"type": "null"},
            "refusal": {"type": "object"},
            "rendered": {"type": "null"},
        }
    },
}
"""A refusal comes without a bundle, a bundle without a refusal."""

_REFUSAL_CASES: dict[str, Any] = {
    "if": {"properties": {"status": {"const": "refused"}}},
    "then": {"properties": {"refusal": {"type": "object"}}},
    "else": {"properties": {"refusal": {"type": "null"}}},
}
"""Of every other object that has a status and a refusal."""

_BUDGET_STATUS_CASES: dict[str, Any] = {
    "if": {"properties": {"decision": {"const": "none"}}},
    "then": {"properties": {"refusal": {"type": "object"}}},
}
"""Where nothing can be built, the refusal says why."""


def _completed(name: str, definition: dict[str, Any], notes: dict[str, str]) -> dict[str, Any]:
    """A definition with what its type could not say."""
    head = {"title": name}
    if name in notes:
        head["description"] = notes[name]
    if "enum" in definition:
        # In the order of the contract, which is that of the type.
        kind = next(vars(module)[name] for module in _MODULES if name in vars(module))
        return {**head, "type": "string", "enum": [member.value for member in kind]}
    properties = {}
    for field, described in definition["properties"].items():
        if name in _HOLDERS and field == "more":
            continue
        note = notes.get(f"{name}.{field}")
        properties[field] = {
            **({} if note is None else {"description": note}),
            **_field(name, field, described),
        }
    # A refusal may carry more, by its kind: the smallest budget that fits, the lines of a secret.
    is_refusal = name == Refusal.__name__
    # Records of builds may be older than what was added to the contract's objects since.
    is_complete = is_refusal or _is_result_type(name) or _is_whole_record(name)
    required = list(properties) if is_complete else definition["required"]
    if name in _NUMBERED:
        required = [each for each in required if each != "id"]
    if name in _PACKS:
        # It stands beside the fields of a pack where one is answered with.
        properties["context_pack_info"] = {"$ref": f"{_REFERENCE}{_RECORD}"}
    return {
        **head,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": is_refusal or name in _OPEN,
        **_cases(name, properties),
    }


def _is_result_type(name: str) -> bool:
    return any(
        isinstance(found := vars(module).get(name), type) and found.__module__ == module.__name__
        for module in (
            results,
            settings_results,
            recipe_results,
            snapshot_results,
            pack_results,
        )
    )


_RECORD = pack_model.TransparencyRecord.__name__
_PACKS = (
    pack_model.FullPack.__name__,
    pack_model.SummaryPack.__name__,
    pack_model.RepositoryMap.__name__,
)


def _is_whole_record(name: str) -> bool:
    """Return whether a value of a pack always has all of its fields."""
    found = vars(pack_model).get(name)
    if not isinstance(found, type) or not issubclass(found, pack_model.Record):
        return False
    return not found.__struct_config__.omit_defaults


def _cases(name: str, properties: dict[str, Any]) -> dict[str, Any]:
    """What one field of an object says about another."""
    if name == bundle.BuildResult.__name__:
        return _BUILD_RESULT_CASES
    if name == results.BudgetStatus.__name__:
        return _BUDGET_STATUS_CASES
    return _REFUSAL_CASES if {"status", "refusal"} <= properties.keys() else {}


def _field(type_name: str, name: str, described: dict[str, Any]) -> dict[str, Any]:
    # Everything is emitted, always: a default would only mislead.
    described = {key: value for key, value in described.items() if key != "default"}
    choices = described.get("anyOf", [])
    is_nullable = {"type": "null"} in choices
    if is_nullable and len(choices) == 2 and "type" in choices[0]:
        described = {**choices[0], "type": [choices[0]["type"], "null"]}
    rules = _RULES.get(f"{type_name}.{name}", _RULES.get(name))
    if rules is None:
        rules = {"minimum": 0} if _is_integer(described) else {}
    described.update(rules)
    values = STRING_VALUES.get(f"{type_name}.{name}", STRING_VALUES.get(name))
    if values is not None:
        described["enum"] = list(values)
    if is_nullable and "enum" in described:
        described["enum"] = [*described["enum"], None]
    return described


def _is_integer(described: dict[str, Any]) -> bool:
    return described.get("type") in ("integer", ["integer", "null"])


def documentation(modules: Iterable[ModuleType]) -> dict[str, str]:
    """Return the docstrings of types and of their fields, by `Type` and `Type.field`.

    They are read from the source: a field has none at run time, and what an undocumented type
    inherits differs from one Python to the next.
    """
    found: dict[str, str] = {}
    for module in modules:
        for node in ast.parse(inspect.getsource(module)).body:
            if not isinstance(node, ast.ClassDef):
                continue
            own = ast.get_docstring(node)
            if own is not None:
                found[node.name] = _one_line(own)
            for field, note in zip(node.body, node.body[1:], strict=False):
                match field, note:
                    case (
                        ast.AnnAssign(target=ast.Name(id=name)),
                        ast.Expr(value=ast.Constant(value=str(text))),
                    ):
                        found[f"{node.name}.{name}"] = _one_line(text)
    return found


def _one_line(text: str) -> str:
    return " ".join(text.split())
