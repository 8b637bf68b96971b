"""The results of every capability, as plain values. The one source of their published forms.

The JSON Schemas, the tables of PROTOCOL.md and both editors' types are made from these structs or
checked against them. The shell prints them with `--format json`; the server and Python return them.

Invariants:

* Every field is always there; None stands for "there is none".
* A refusal is a result like any other: `status` is `refused` and `refusal` says why.
* Lines are 1-based and inclusive. Paths are relative to the workspace.
* No field holds a byte of a recognised secret.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

import msgspec

from sightline.bundle import (
    BlockRegion,
    BlockRelation,
    BuildResult,
    Difference,
    EvidenceLine,
    HiddenFiles,
    Priority,
    Status,
)
from sightline.engine.find_results import FindResult
from sightline.engine.pack_results import ProjectPackResult
from sightline.engine.recipe_results import RecipeResult, TaskPackResult
from sightline.engine.settings_results import (
    AllowanceEntry,
    AllowResult,
    DoctorCheck,
    DoctorResult,
    HarmlessEntry,
    HarmlessResult,
    ModelEntry,
    ModelsResult,
    SettingMessage,
    SettingOrigin,
    SettingsResult,
)
from sightline.engine.snapshot_results import SnapshotResult
from sightline.refusals import Refusal

__all__ = [
    "RESULTS",
    "AllowResult",
    "AllowanceEntry",
    "BudgetBlock",
    "BudgetStatus",
    "BuildResult",
    "CandidateBlock",
    "CandidateLine",
    "CandidateStatus",
    "DiffResult",
    "Difference",
    "DoctorCheck",
    "DoctorResult",
    "ExplainCandidate",
    "ExplainResult",
    "HarmlessEntry",
    "HarmlessResult",
    "IndexResult",
    "LanguageCounts",
    "ModelEntry",
    "ModelsResult",
    "OutlineBody",
    "OutlineResult",
    "OutlineSymbol",
    "RecipeResult",
    "ReferencesDefinition",
    "ReferencesResult",
    "RelatedSymbol",
    "SecretFound",
    "SettingMessage",
    "SettingOrigin",
    "SettingsResult",
    "SlicePiece",
    "SliceResult",
    "SliceSelfCheck",
    "SnapshotResult",
    "Status",
    "SymbolRelation",
    "TaskPackResult",
    "VerifyResult",
    "VerifyStatus",
    "refused",
]


class SecretFound(msgspec.Struct, frozen=True):
    """A secret that was replaced: which rule found it and where, never its value."""

    detector: str
    """The name of the rule."""
    line: int


class SlicePiece(msgspec.Struct, frozen=True):
    """A piece of a slice: bytes of the original, or text that Sightline put in."""

    inserted: str | None
    """The text that was put in; null for a piece of the original."""
    start_byte: int | None
    """Null for text that was put in."""
    end_byte: int | None
    """The first byte behind the piece; null for text that was put in."""
    characters: int
    """How many characters of the slice's content it makes."""


class SliceSelfCheck(msgspec.Struct, frozen=True):
    """What the self-check of a signatures slice found."""

    parses_clean: bool
    """True if the slice has no syntax error."""
    same_declarations: bool
    """True if the slice declares what the original declares."""
    declarations: str
    """Declarations kept of those expected, such as `37/37`."""
    no_body_bytes: bool
    """True if no byte of a body that was cut is left."""
    in_original_order: bool
    """True if everything that was kept stands in the original's order."""


class SliceResult(msgspec.Struct, frozen=True):
    """One file at one level, with its secrets replaced."""

    status: Status
    refusal: Refusal | None = None
    path: str | None = None
    language: str | None = None
    """Null where the file is in no language that Sightline knows."""
    parse_clean: bool | None = None
    """True if the file has no syntax error; null where the level needs no syntax tree."""
    level: str | None = None
    """`FULL_FILE`, `TARGET_REGION_ONLY`, `SIGNATURES_ONLY` or `SUMMARY_ONLY`."""
    content: str | None = None
    hash: str | None = None
    """SHA-256 of the whole file as it was read."""
    encoding: str | None = None
    """Of the file as it was read."""
    bom: bool | None = None
    """True if the file begins with a byte order mark."""
    regions: tuple[BlockRegion, ...] = ()
    """The lines of the original that are shown, in source order."""
    pieces: tuple[SlicePiece, ...] = ()
    """In the order of the content; none where secrets were replaced."""
    check: SliceSelfCheck | None = None
    """What the self-check of a signatures slice found; null at other levels."""
    document_version: int | None = None
    """The editor's version of the text; null where the text is of the disk."""
    redactions: tuple[SecretFound, ...] = ()
    """The secrets of the whole file that were replaced."""
    weak_redactions: tuple[SecretFound, ...] = ()
    """Weak ones (a plain word after `password`), counted apart."""


class OutlineBody(msgspec.Struct, frozen=True):
    """The lines of a symbol's body."""

    start_line: int
    end_line: int


class OutlineSymbol(msgspec.Struct, frozen=True):
    """A symbol of a file."""

    name: str
    qualified_name: str
    """With the names of what encloses it, such as `Cart.total`."""
    kind: str
    """`function`, `class`, `method`, …"""
    container: str | None
    """The qualified name of the enclosing symbol; null at the top of the file."""
    start_line: int
    """The first line of the region: doc comment and decorators included."""
    name_line: int
    end_line: int
    body: OutlineBody | None
    signature: str
    """The declaration without its body."""
    reliable: bool
    """False if a syntax error makes its boundaries uncertain."""
    depth: int
    """How many symbols of the file enclose it."""


class OutlineResult(msgspec.Struct, frozen=True):
    """Every symbol of one file, in source order."""

    status: Status
    refusal: Refusal | None = None
    path: str | None = None
    language: str | None = None
    language_title: str | None = None
    """The language as people write it."""
    parse_clean: bool | None = None
    """True if the file has no syntax error."""
    first_error_line: int | None = None
    """The line of the first syntax error."""
    line_count: int | None = None
    symbols: tuple[OutlineSymbol, ...] = ()
    redactions: tuple[SecretFound, ...] = ()
    """The secrets of the whole file that were replaced."""
    weak_redactions: tuple[SecretFound, ...] = ()
    """Weak ones (a plain word after `password`), counted apart."""


class RelatedSymbol(msgspec.Struct, frozen=True):
    """A symbol, or a whole file where `symbol` is null."""

    path: str
    symbol: str | None
    """The qualified name; null for the whole file."""
    kind: str
    """`function`, `class`, `method`, …; `file` for the whole file."""
    line: int
    """The line that its name is in; 1 for the whole file."""


class SymbolRelation(msgspec.Struct, frozen=True):
    """What something relates to. Several targets mean that the evidence does not tell them apart.

    For a caller the target is the symbol that calls; for a callee the symbol that is called.
    """

    kind: str
    """`dependency`, `dependent`, `base`, `implementer`, `caller`, `callee`, `overrides`,
    `overridden_by`, `may_dispatch_to` or `config`."""
    confidence: str
    """`resolved`, `dispatch`, `ambiguous` or `textual`."""
    hops: int
    """Over how many steps."""
    left_out: int
    """How many more targets there are than are named, the nearest first; in the last relation of a
    kind, how many more relations."""
    targets: tuple[RelatedSymbol, ...]
    evidence: EvidenceLine


class ReferencesDefinition(msgspec.Struct, frozen=True):
    """One declaration of a symbol and everything that uses it."""

    path: str
    symbol: str | None
    """The qualified name; null for the whole file."""
    kind: str
    line: int
    relations: tuple[SymbolRelation, ...]


class ReferencesResult(msgspec.Struct, frozen=True):
    """Who uses a symbol, for each declaration that the name can mean."""

    status: Status
    refusal: Refusal | None = None
    symbol: str | None = None
    """The symbol as it was asked for."""
    definitions: tuple[ReferencesDefinition, ...] = ()
    index_complete: bool = False
    """True if every visible file had been read."""


class CandidateStatus(StrEnum):
    """What became of a file in the bundle for a target."""

    INCLUDED = "included"
    EXCLUDED = "excluded"
    NOT_A_CANDIDATE = "not_a_candidate"
    REFUSED = "refused"
    """The bundle itself was refused."""


class CandidateBlock(msgspec.Struct, frozen=True):
    """A block of the bundle that shows the file."""

    priority: Priority
    level: str | None
    symbol: str | None
    tokens: int


class CandidateLine(msgspec.Struct, frozen=True):
    """Whether a line of the file is in the bundle."""

    number: int
    status: str
    """`shown`, `signatures` (the file is cut to them) or `left_out`."""


class ExplainCandidate(msgspec.Struct, frozen=True):
    """Whether a file is in the bundle for a target, and why or why not."""

    target: str
    """The target as it was asked for."""
    status: CandidateStatus
    refusal: Refusal | None = None
    """Why the bundle was refused, where it was; else null."""
    reason: str | None = None
    """Why it is included or excluded; null where it is neither."""
    score: int | None = None
    rule: str | None = None
    """The rule that excluded it, as written; else null."""
    rule_source: str | None = None
    """Where that rule stands."""
    priority: Priority | None = None
    """Of its first block; null where it is not included."""
    level: str | None = None
    blocks: tuple[CandidateBlock, ...] = ()
    """The blocks that show it, in the order of the bundle."""
    relations: tuple[BlockRelation, ...] = ()
    """Its relations to the target, the strongest first."""
    line: CandidateLine | None = None
    """Null where no line was asked about."""


class ExplainResult(msgspec.Struct, frozen=True):
    """What a file or a symbol relates to, and its place in the bundle for a target."""

    status: Status
    refusal: Refusal | None = None
    path: str | None = None
    symbol: str | None = None
    """The qualified name; null for the whole file."""
    kind: str | None = None
    """`function`, `class`, `method`, …; `file` for the whole file."""
    line: int | None = None
    """The line that its name is in; 1 for the whole file."""
    language: str | None = None
    fault: str | None = None
    """Why the index knows nothing of the file; null where it knows the file."""
    relations: tuple[SymbolRelation, ...] = ()
    candidate: ExplainCandidate | None = None
    """Its place in the target's bundle; null where no target was named."""
    index_complete: bool = False
    """True if every visible file had been read."""


class VerifyStatus(StrEnum):
    """How a recorded build compares with a fresh one."""

    VERIFIED = "verified"
    DIFFERENT = "different"
    REFUSED = "refused"
    """The record cannot be read, or nothing can be built at all."""


class VerifyResult(msgspec.Struct, frozen=True):
    """A recorded build compared with a fresh one."""

    status: VerifyStatus
    refusal: Refusal | None = None
    differences: tuple[Difference, ...] = ()
    """Empty where the record is verified."""
    build_refusal: Refusal | None = None
    """Why a fresh build is refused, where only the fresh one is; else null."""
    index_complete: bool = False
    """True if every visible file had been read."""


class DiffResult(msgspec.Struct, frozen=True):
    """The inputs in which two recorded builds differ."""

    status: Status
    refusal: Refusal | None = None
    differences: tuple[Difference, ...] = ()
    """Empty where both are of the same inputs."""


class LanguageCounts(msgspec.Struct, frozen=True):
    """What the index has of one language."""

    files: int
    symbols: int
    references: int


class IndexResult(msgspec.Struct, frozen=True):
    """What the index holds."""

    status: Status
    refusal: Refusal | None = None
    root: str | None = None
    """The name of the workspace's directory."""
    visible: int = 0
    """Files that policy shows."""
    files: int = 0
    """Files of a known language that were parsed."""
    symbols: int = 0
    """Declared names, local ones included."""
    references: int = 0
    languages: dict[str, LanguageCounts] = {}
    """Counts by the name of the language."""
    parsed: int = 0
    """Files that the last scan parsed."""
    reused: int = 0
    """Files whose facts the last scan took from before."""
    withheld: dict[str, int] = {}
    """Visible names that could not be read: how many, by reason; `ignore_file` counts folders."""
    quarantined: dict[str, str] = {}
    """Files that could not be parsed, each with its reason: `time_out` and `parser_crash` are tried
    again by `sightline index --retry`, and by the server after its start."""
    pending: int = 0
    """Changes that the index has not taken in yet."""
    fingerprint: str | None = None
    """The same for the same files: SHA-256."""
    index_complete: bool = False
    """True if every visible file had been read."""
    store_note: str | None = None
    """Why the index is not kept between runs; null where it is kept."""
    hidden: tuple[HiddenFiles, ...] = ()
    """Tracked files that rules hide though a person may allow them, the most files first."""


class BudgetBlock(msgspec.Struct, frozen=True):
    """A block as a budget status lists it."""

    title: str
    priority: Priority
    tokens: int


class BudgetStatus(msgspec.Struct, frozen=True):
    """What a bundle would cost."""

    decision: str
    """`ok`, `warn_soft_limit`, `refuse_hard_limit`, or `none` where nothing can be built."""
    tokens: int = 0
    """Of the whole bundle; 0 where nothing can be built."""
    needed_tokens: int = 0
    """Of the bundle without its optional blocks (P3)."""
    optional_tokens: int = 0
    """Of the optional blocks."""
    soft_limit_tokens: int = 0
    """Above it comes a warning."""
    hard_limit_tokens: int = 0
    """Above it the bundle is refused."""
    symbol: str | None = None
    """The target's symbol; null for a whole file."""
    level: str | None = None
    """The target's level."""
    refusal: Refusal | None = None
    """Why there is no bundle; null where there is one."""
    blocks: tuple[BudgetBlock, ...] = ()
    """In the order of the bundle."""
    index_complete: bool = False
    """True if every visible file had been read."""


_Result = TypeVar(
    "_Result",
    SliceResult,
    OutlineResult,
    ReferencesResult,
    ExplainResult,
    DiffResult,
    IndexResult,
    SettingsResult,
    AllowResult,
    HarmlessResult,
    ModelsResult,
)


def refused(kind: type[_Result], refusal: Refusal) -> _Result:
    """A result of a capability that says nothing but why it was refused."""
    result = kind(status=Status.REFUSED, refusal=refusal)
    if isinstance(result, SliceResult | OutlineResult | ExplainResult):
        return msgspec.structs.replace(result, path=refusal.path)
    return result


RESULTS: dict[str, type[msgspec.Struct]] = {  # By the name of the published schema.
    "build_result": BuildResult,
    "slice_result": SliceResult,
    "outline_result": OutlineResult,
    "references_result": ReferencesResult,
    "explain_result": ExplainResult,
    "verify_result": VerifyResult,
    "diff_result": DiffResult,
    "index_result": IndexResult,
    "budget_status": BudgetStatus,
    "settings_result": SettingsResult,
    "doctor_result": DoctorResult,
    "allow_result": AllowResult,
    "harmless_result": HarmlessResult,
    "models_result": ModelsResult,
    "recipe_result": RecipeResult,
    "task_pack_result": TaskPackResult,
    "project_pack_result": ProjectPackResult,
    "snapshot_result": SnapshotResult,
    "find_result": FindResult,
}
