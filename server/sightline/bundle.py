"""The objects that a build returns, with the field names of the contract.

Every type here is plain and frozen, and is serialised as it is; `schemas/*.json` is made from these
types. Fields of the contract come first. Fields that Sightline adds come after them, under `meta`
or under new keys, and never replace one.

Invariants:

* Every field was scanned for secrets: these objects are what leaves the machine.
* Numbers are integers, and the order of every list depends only on its input.
"""

from __future__ import annotations

import hashlib
import uuid
from enum import StrEnum
from typing import Any

import msgspec
import rfc8785

from sightline.budget import Decision
from sightline.refusals import Refusal

_NAMESPACE = uuid.UUID("6f0c3b52-7d0e-5c3a-9a53-5b8f0e6f4a11")
"""The namespace of ids that are derived from content."""


class Purpose(StrEnum):
    INTENT = "intent"
    PLAN = "plan"
    DIFF = "diff"


class BlockType(StrEnum):
    """The kinds of blocks. Blocks of equal priority stand in this order."""

    SYSTEM = "system"
    CONSTRAINTS = "constraints"
    PROJECT_META = "project_meta"
    FILE = "file"
    SYMBOL = "symbol"
    ERROR_CONTEXT = "error_context"
    DIFF_HINT = "diff_hint"


class Priority(StrEnum):
    P0 = "P0"
    P1 = "P1"
    P2 = "P2"
    P3 = "P3"


class Encoding(StrEnum):
    UTF_8 = "utf-8"
    UTF_16LE = "utf-16le"
    UTF_16BE = "utf-16be"
    ASCII = "ascii"
    WINDOWS_1252 = "windows-1252"
    UNKNOWN = "unknown"


class Source(StrEnum):
    INDEX = "index"
    FILESYSTEM = "filesystem"
    USER = "user"
    SYSTEM = "system"


class Reason(StrEnum):
    """Why a file is in the bundle."""

    TARGET = "target"
    DEPENDENCY = "dependency"
    INTERFACE = "interface"
    CALLER = "caller"
    BASE_TYPE = "base_type"
    CONFIG = "config"
    USER_SELECTED = "user_selected"


class ExclusionReason(StrEnum):
    """Why a candidate is not in the bundle."""

    DENY_RULE = "deny_rule"
    BINARY = "binary"
    TOO_LARGE = "too_large"
    TOKEN_BUDGET = "token_budget"
    OUTSIDE_SANDBOX = "outside_sandbox"
    SECRET_RISK = "secret_risk"
    DUPLICATE = "duplicate"


class RedactionType(StrEnum):
    PATH_EXCLUDED = "path_excluded"
    PATTERN_REDACTED = "pattern_redacted"
    BLOCK_REMOVED = "block_removed"
    CONTENT_SLICED = "content_sliced"


class RedactionReason(StrEnum):
    SECRET = "secret"
    DENY_RULE = "deny_rule"
    BUDGET = "budget"
    BINARY = "binary"
    POLICY = "policy"


class Status(StrEnum):
    OK = "ok"
    REFUSED = "refused"


class BlockRegion(msgspec.Struct, frozen=True):
    """The lines of the original that a block shows: 1-based, inclusive."""

    symbol: str
    start_line: int
    end_line: int
    sha256: str
    """The SHA-256 of the region in the original, as UTF-8."""


class EvidenceLine(msgspec.Struct, frozen=True):
    """The line that caused an inclusion: the call, the import, the base clause."""

    path: str
    line: int
    name: str


class BlockRelation(msgspec.Struct, frozen=True):
    """Why a block is in the bundle, with the line or the words that are the evidence."""

    kind: str
    """`dependency`, `base`, `implementer`, `caller`, `callee`, `dependent`, `config`, …; `similar`
    if only shared words connect the block with the target.
    """
    confidence: str
    """`resolved`, `dispatch`, `ambiguous` or `textual`."""
    hops: int | None
    """Null for a block that is only similar."""
    symbol: str | None
    """The symbol of this block's file that the relation is about; null for the whole file."""
    evidence: EvidenceLine | None
    """Null for a block that is only similar."""
    shared: tuple[str, ...] = ()
    """Words that occur both in the block and in the target, the most telling first."""


class BlockMeta(msgspec.Struct, frozen=True):
    path: str | None
    symbol: str | None
    hash: str | None
    """SHA-256 of the whole original: the bytes on disk, or the editor's text as UTF-8."""
    encoding: Encoding
    byte_size: int
    """Size of the whole file; size of the content if the block shows no file."""
    line_count: int
    source: Source
    level: str | None = None
    """`FULL_FILE`, `TARGET_REGION_ONLY`, `SIGNATURES_ONLY` or `SUMMARY_ONLY`."""
    language: str | None = None
    regions: tuple[BlockRegion, ...] = ()
    document_version: int | None = None
    """The editor's version of the document, if the text comes from an editor."""
    reason: Reason | None = None
    """Null for a block that is only similar to the target, and for one that shows no file."""
    score: int | None = None
    relation: BlockRelation | None = None
    """The strongest relation to a target."""
    further_relations: tuple[BlockRelation, ...] = ()
    check: str | None = None
    """For a signatures slice: how many of the expected declarations it
    contains, such as `37/37`.
    """
    likeness: int | None = None
    """The score, in millionths, of the best part of an optional block."""


class ContextBlock(msgspec.Struct, frozen=True):
    block_id: str
    block_type: BlockType
    priority: Priority
    title: str
    content: str
    meta: BlockMeta


class Model(msgspec.Struct, frozen=True):
    provider: str
    model: str
    max_input_tokens: int
    max_output_tokens: int
    response_token_reserve: int
    soft_limit_threshold_pct: int


class ContextBundle(msgspec.Struct, frozen=True):
    bundle_id: str
    bundle_version: int
    created_at: str
    purpose: Purpose
    correlation_id: str
    model: Model
    blocks: tuple[ContextBlock, ...]


class IncludedFile(msgspec.Struct, frozen=True):
    path: str
    hash: str
    encoding: Encoding
    byte_size: int
    reason: Reason
    level: str
    score: int
    source: Source
    relation: BlockRelation | None = None


class OptionalReason(StrEnum):
    """Why an optional file is in the bundle: no relation leads to it."""

    SIMILAR = "similar"


class OptionalFile(msgspec.Struct, frozen=True):
    """A file that is only similar to a target."""

    path: str
    hash: str
    encoding: Encoding
    byte_size: int
    reason: OptionalReason
    level: str
    score: int
    source: Source
    relation: BlockRelation | None = None


class ExcludedCandidate(msgspec.Struct, frozen=True):
    path: str
    reason: ExclusionReason
    rule: str | None = None
    """The rule that decided, as it is written."""
    rule_source: str | None = None
    """Where that rule is written."""
    score: int | None = None
    symbol: str | None = None
    """The symbol that is not shown, if another part of its file is; null for a whole file."""


class Selection(msgspec.Struct, frozen=True):
    target_files: tuple[str, ...]
    target_symbols: tuple[str, ...]
    included_files: tuple[IncludedFile, ...]
    excluded_candidates: tuple[ExcludedCandidate, ...]
    optional_files: tuple[OptionalFile, ...] = ()
    """Files of blocks that no relation leads to. Together with `included_files`: the files of all
    blocks.
    """


class Fingerprints(msgspec.Struct, frozen=True):
    project_index_fingerprint: str
    config_fingerprint: str
    bundle_fingerprint: str


class QuarantinedFile(msgspec.Struct, frozen=True):
    """A file whose parsing or scanning exceeded a limit: its symbols and
    relations are not known.
    """

    path: str
    hash: str
    """The SHA-256 of its text."""
    language: str
    reason: str
    """`time_out`, `parser_crash` or `scan_time_out`."""
    limit: str
    """The limit, in words."""


class HiddenFiles(msgspec.Struct, frozen=True):
    """Source files that a default rule hides, and that a person may allow.

    Source files are those that git tracks. If git tracks none of the hidden files, they are the
    files of a known language.
    """

    rule: str
    """The rule as it is written: `packages/**`."""
    files: int
    """How many files of the workspace would be visible without the rule."""
    command: str
    """The command that allows the rule in this workspace."""
    at_least: bool = False
    """True if there may be more: counting stopped at a limit."""

    @classmethod
    def of(cls, rule: str, files: int, at_least: bool) -> HiddenFiles:
        return cls(rule, files, f"sightline allow '{rule}'", at_least)

    @property
    def amount(self) -> str:
        """Return the number of files in words."""
        noun = "source file" if self.files == 1 else "source files"
        return f"{'at least ' * self.at_least}{self.files} {noun}"

    def sentence(self) -> str:
        """Return one line that says what is hidden, why, and what to do."""
        return (
            f"the rule {self.rule} hides {self.amount}; "
            f"to allow it in this workspace: {self.command}"
        )


class ContextManifest(msgspec.Struct, frozen=True):
    bundle_id: str
    correlation_id: str
    purpose: Purpose
    selection: Selection
    fingerprints: Fingerprints
    weak_redactions: int = 0
    """How many weak secrets were replaced."""
    quarantined: tuple[QuarantinedFile, ...] = ()
    """The first 50 files in quarantine. Whether they relate to a target is unknown."""
    hidden: tuple[HiddenFiles, ...] = ()
    """Tracked files that rules hide and that a person may allow; the rule with the most files
    first.
    """


class Redaction(msgspec.Struct, frozen=True):
    type: RedactionType
    target: str
    reason: RedactionReason
    details: str


class WeakRedactions(msgspec.Struct, frozen=True):
    """Weak secrets that were replaced: plain words after a name like `password`."""

    target: str
    """The path of the file, or the field of the request."""
    count: int
    lines: tuple[int, ...]
    """The lines where the values begin: 1-based, each line once."""


class RedactionReport(msgspec.Struct, frozen=True):
    bundle_id: str
    redactions: tuple[Redaction, ...]
    weak: tuple[WeakRedactions, ...] = ()
    """Weak secrets are counted here, and never in `redactions`."""


class BlockCost(msgspec.Struct, frozen=True):
    """What a block costs in the rendered text, including its heading and delimiters."""

    block_id: str
    title: str
    priority: Priority
    tokens: int


class BudgetReport(msgspec.Struct, frozen=True):
    bundle_id: str
    estimated_input_tokens: int
    max_input_tokens: int
    soft_limit_tokens: int
    hard_limit_tokens: int
    reserve_output_tokens: int
    decision: Decision
    notes: tuple[str, ...]
    estimator: str
    blocks: tuple[BlockCost, ...] = ()
    """In the order of the bundle."""
    framing_tokens: int = 0
    """The cost of the text around the blocks. It and the costs of the blocks add up to the
    estimate.
    """


class BuildResult(msgspec.Struct, frozen=True):
    """The answer to a build: a bundle with its reports, or a refusal; and the request."""

    status: Status
    bundle: ContextBundle | None
    manifest: ContextManifest | None
    redaction_report: RedactionReport | None
    budget_report: BudgetReport | None
    refusal: Refusal | None
    request: dict[str, Any]
    """The request, as it was understood."""
    settings: dict[str, Any]
    """The settings in force that can change a byte of a bundle."""
    overrides: dict[str, Any]
    """Settings that the request overrides, by dotted key."""
    index_complete: bool
    """True if every visible file had been read when the relations were looked up."""
    rendered: str | None = None
    """The text that was counted, in the requested format."""


class Difference(msgspec.Struct, frozen=True):
    """One difference between two builds."""

    what: str
    """`file`, `block`, `setting`, `request`, `fingerprint`, `tampered`, …"""
    where: str
    detail: str
    """Hashes, levels, names and numbers; never contents."""


_WITHOUT_MAPS = (ContextBlock, ContextBundle, ContextManifest, RedactionReport, BudgetReport)


def canonical(value: object) -> bytes:
    """Return the canonical JSON (RFC 8785) of a value: the form that is hashed and sent."""
    if isinstance(value, _WITHOUT_MAPS):
        # If every key is an ASCII field name and no number is large, sorting is enough. A test
        # compares the result with that of the library, which takes thirty times as long.
        return msgspec.json.encode(value, order="sorted")
    return rfc8785.dumps(msgspec.to_builtins(value))


def digest(value: object) -> str:
    """Return the SHA-256 of the canonical JSON of a value."""
    return hashlib.sha256(canonical(value)).hexdigest()


def content_id(value: object) -> str:
    """Return an id for some content: the same id for the same content, on every machine."""
    return str(uuid.uuid5(_NAMESPACE, digest(value)))


def identified(
    block_type: BlockType, priority: Priority, title: str, content: str, meta: BlockMeta
) -> ContextBlock:
    """Return the block with the id of its content."""
    block = ContextBlock("", block_type, priority, title, content, meta)
    return msgspec.structs.replace(block, block_id=content_id(block))
