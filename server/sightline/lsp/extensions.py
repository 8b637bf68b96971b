"""Sightline's own messages, one type each. `PROTOCOL.md` documents them and a test keeps step.

Parameters are camelCase and may have more fields than are read: clients differ. Results are the
contract's objects, snake_case; every field is always there.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

BUILD_CONTEXT = "sightline/buildContext"
SLICE = "sightline/slice"
EXPLAIN = "sightline/explain"
VERIFY = "sightline/verify"
INDEX_STATUS = "sightline/indexStatus"
DID_CHANGE_ACTIVE_FILE = "sightline/didChangeActiveFile"
BUDGET_STATUS = "sightline/budgetStatus"


_Format = Annotated[str, msgspec.Meta(pattern=r"^(json|markdown|xml)\Z")]
_Uuid = Annotated[
    str, msgspec.Meta(pattern=r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
]
# Patterns, since what is said of a value that does not match one does not repeat the value.


class Position(msgspec.Struct, frozen=True):
    line: int
    character: int


class Range(msgspec.Struct, frozen=True):
    start: Position
    end: Position


class TextDocument(msgspec.Struct, frozen=True):
    uri: str


class Target(msgspec.Struct, frozen=True, rename="camel"):
    """A file, a place in it, a symbol of it, or a symbol wherever it is."""

    uri: str | None = None
    position: Position | None = None
    range: Range | None = None
    symbol: str | None = None


class PlanStep(msgspec.Struct, frozen=True, rename="camel"):
    id: str = ""
    title: str = ""
    description: str = ""
    target_files: tuple[str, ...] = ()
    target_symbols: tuple[str, ...] = ()


class Constraint(msgspec.Struct, frozen=True):
    text: str
    scope: str = "user"


class LastError(msgspec.Struct, frozen=True, rename="camel"):
    message: str
    uri: str | None = None
    line: int | None = None
    """0-based, as everywhere in the protocol."""
    code: str | None = None
    severity: str = "error"


class ModelOverride(msgspec.Struct, frozen=True, rename="camel"):
    """Limits for this request alone; null stands for what settings say."""

    name: str | None = None
    max_input_tokens: int | None = None
    response_token_reserve: int | None = None
    soft_limit_threshold_pct: int | None = None
    estimator: str | None = None


class BuildContextParams(msgspec.Struct, frozen=True, rename="camel"):
    """The bundle for an active file, or for what is named besides."""

    text_document: TextDocument | None = None
    position: Position | None = None
    range: Range | None = None
    purpose: str = "diff"
    targets: tuple[Target, ...] = ()
    plan_step: PlanStep | None = None
    intent: str | None = None
    constraints: tuple[Constraint, ...] = ()
    user_selected_targets: tuple[Target, ...] = ()
    dropped_uris: tuple[str, ...] = ()
    last_error: LastError | None = None
    model: ModelOverride | None = None
    format: _Format | None = None
    correlation_id: _Uuid | None = None
    work_done_token: int | str | None = None


class SliceParams(msgspec.Struct, frozen=True, rename="camel"):
    """One symbol or file at one level; secrets in it are replaced as in a bundle."""

    text_document: TextDocument
    level: str
    """`full`, `region`, `signatures` or `summary`."""
    symbols: tuple[str, ...] = ()
    position: Position | None = None
    """With `region` and no symbols: the symbol around it."""


class ExplainParams(msgspec.Struct, frozen=True, rename="camel"):
    """Why a path is in, out, or how it would rank; without a target, what it relates to."""

    text_document: TextDocument
    position: Position | None = None
    target: Target | None = None


class VerifyParams(msgspec.Struct, frozen=True, rename="camel"):
    """Derive a build again from what it records, and name what changed."""

    result: dict[str, Any]
    text_document: TextDocument | None = None
    """A file of the workspace that it was built in; by default the first folder."""


class IndexStatusParams(msgspec.Struct, frozen=True, rename="camel"):
    text_document: TextDocument | None = None


class DidChangeActiveFileParams(msgspec.Struct, frozen=True, rename="camel"):
    """The editor's focus and cursor; null where no file has the focus."""

    text_document: TextDocument | None = None
    position: Position | None = None


class BudgetStatusParams(msgspec.Struct, frozen=True, rename="camel"):
    """What a bundle for the symbol under the cursor would cost, for a status bar."""

    uri: str
    version: int | None
    decision: str
    """`ok`, `warn_soft_limit`, `refuse_hard_limit`, or `none` where nothing can be built."""
    tokens: int
    soft_limit_tokens: int
    hard_limit_tokens: int
    symbol: str | None
    level: str | None
    refusal: dict[str, Any] | None
    blocks: tuple[dict[str, Any], ...]
    """Title, priority and tokens of each block."""
    index_complete: bool
    revision: int


REQUESTS: dict[str, type[msgspec.Struct]] = {
    BUILD_CONTEXT: BuildContextParams,
    SLICE: SliceParams,
    EXPLAIN: ExplainParams,
    VERIFY: VerifyParams,
    INDEX_STATUS: IndexStatusParams,
}
"""From client to server, with an answer."""

NOTIFICATIONS: dict[str, type[msgspec.Struct]] = {
    DID_CHANGE_ACTIVE_FILE: DidChangeActiveFileParams,
}
"""From client to server."""

TO_CLIENT: dict[str, type[msgspec.Struct]] = {BUDGET_STATUS: BudgetStatusParams}
"""From server to client."""

COMMANDS = (
    "sightline.buildContext",
    "sightline.allowPath",
    "sightline.markHarmless",
    "sightline.reindex",
    "sightline.userSettings",
)
