"""Sightline's own messages, one type each.

The tables of `PROTOCOL.md`, the VS Code client's types and the Neovim plugin's types are made from
these types by `editors/protocol_types.py`, and a test compares them.

Parameters are camelCase and may have more fields than are read: clients differ. Results are those
of the engine, snake_case; every field is always there.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from sightline.bundle import BuildResult, Status
from sightline.engine.pack_results import ProjectPackResult
from sightline.engine.results import (
    AllowanceEntry,
    AllowResult,
    BudgetBlock,
    ExplainResult,
    HarmlessEntry,
    HarmlessResult,
    IndexResult,
    ModelsResult,
    RecipeResult,
    SliceResult,
    SnapshotResult,
    TaskPackResult,
    VerifyResult,
)
from sightline.refusals import Refusal
from sightline.text import Position

BUILD_CONTEXT = "sightline/buildContext"
SLICE = "sightline/slice"
EXPLAIN = "sightline/explain"
VERIFY = "sightline/verify"
INDEX_STATUS = "sightline/indexStatus"
MODELS = "sightline/models"
BUILD_RECIPE = "sightline/buildRecipe"
BUILD_TASK_PACK = "sightline/buildTaskPack"
BUILD_PROJECT_PACK = "sightline/buildProjectPack"
SNAPSHOT = "sightline/snapshot"
DID_CHANGE_ACTIVE_FILE = "sightline/didChangeActiveFile"
BUDGET_STATUS = "sightline/budgetStatus"


_Format = Annotated[str, msgspec.Meta(pattern=r"^(json|markdown|xml)\Z")]
_Depth = Annotated[str, msgspec.Meta(pattern=r"^(target|needed|fill)\Z")]
_Uuid = Annotated[
    str, msgspec.Meta(pattern=r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
]
# Patterns, since what is said of a value that does not match one does not repeat the value.


class WirePosition(msgspec.Struct, frozen=True):
    """A place in a document, in the encoding that was agreed on."""

    line: int
    """0-based."""
    character: int
    """0-based."""

    def to_position(self) -> Position:
        return Position(self.line, self.character)


class WireRange(msgspec.Struct, frozen=True):
    """From one place up to another."""

    start: WirePosition
    end: WirePosition
    """The first place behind the range."""


class TextDocument(msgspec.Struct, frozen=True):
    """A document by its URI."""

    uri: str


class TargetParams(msgspec.Struct, frozen=True, rename="camel"):
    """A file, a place in it, a symbol of it, or a symbol wherever it is."""

    uri: str | None = None
    """Null: `symbol` is looked for in the workspace."""
    position: WirePosition | None = None
    """The symbol around it is meant."""
    range: WireRange | None = None
    """The symbols in it are meant."""
    symbol: str | None = None
    """A name, or `PATH::SYMBOL` as a refusal's `candidates` write it."""


class PlanStepParams(msgspec.Struct, frozen=True, rename="camel"):
    """A step of a plan."""

    id: str = ""
    title: str = ""
    description: str = ""
    target_files: tuple[str, ...] = ()
    """Paths relative to the folder."""
    target_symbols: tuple[str, ...] = ()
    """Names, or `PATH::SYMBOL`."""


class ConstraintParams(msgspec.Struct, frozen=True):
    """What must hold for the model's answer."""

    text: str
    scope: str = "user"
    """Who says so: `system`, `project`, `session` or `user`."""


class LastErrorParams(msgspec.Struct, frozen=True, rename="camel"):
    """What went wrong last."""

    message: str
    uri: str | None = None
    """The file that it is in."""
    line: int | None = None
    """0-based, as everywhere in the protocol."""
    code: str | None = None
    severity: str = "error"


class ModelParams(msgspec.Struct, frozen=True, rename="camel"):
    """Limits for this request alone; null stands for what settings say."""

    name: str | None = None
    max_input_tokens: int | None = None
    response_token_reserve: int | None = None
    soft_limit_threshold_pct: int | None = None
    estimator: str | None = None


class BuildContextParams(msgspec.Struct, frozen=True, rename="camel"):
    """The bundle for an active file, or for what is named besides."""

    text_document: TextDocument | None = None
    """The active file."""
    position: WirePosition | None = None
    """The symbol around it is the target. Without it and `range`, the whole file is."""
    range: WireRange | None = None
    """The symbols in it are the targets."""
    purpose: str = "diff"
    """`intent`, `plan` or `diff`."""
    targets: tuple[TargetParams, ...] = ()
    """They stand in front of the active file."""
    plan_step: PlanStepParams | None = None
    intent: str | None = None
    """What a person wants, in their words."""
    constraints: tuple[ConstraintParams, ...] = ()
    user_selected_targets: tuple[TargetParams, ...] = ()
    """What a person adds, or chose among several."""
    dropped_uris: tuple[str, ...] = ()
    """Files that a person wants left out."""
    last_error: LastErrorParams | None = None
    model: ModelParams | None = None
    format: _Format | None = None
    """How `rendered` is written and counted; null stands for what settings say."""
    redact_target: bool = False
    """Replace secrets in the target for this build alone, where their bounds are sure."""
    depth: _Depth | None = None
    """How much comes with the target: `target`, `needed` or `fill`; null for what settings say."""
    take_incomplete: bool = False
    """Build from what has been read, during the first scan; else the build waits for its end."""
    correlation_id: _Uuid | None = None
    """A UUID of the caller's."""
    work_done_token: int | str | None = None
    """For progress."""


class SliceParams(msgspec.Struct, frozen=True, rename="camel"):
    """One symbol or file at one level; secrets in it are replaced as in a bundle."""

    text_document: TextDocument
    level: str
    """`full`, `region`, `signatures` or `summary`."""
    symbols: tuple[str, ...] = ()
    """With `region`: the names of the symbols to show."""
    position: WirePosition | None = None
    """With `region` and no symbols: the symbol around it."""


class BuildRecipeParams(msgspec.Struct, frozen=True, rename="camel"):
    """Context for a task file, a review, failing checks or an issue. Each uses its own fields."""

    recipe: str
    """`implementation`, `review`, `fix` or `issue`."""
    text_document: TextDocument | None = None
    """A file of the folder that is meant; by default the first folder."""
    task_uri: str | None = None
    """Of an implementation: the file that says what is to be done."""
    base: str | None = None
    """Of a review: the revision that the change began at; by default `main` or `master`."""
    head: str | None = None
    """Of a review: the revision that the change ends at; by default the work tree."""
    staged: bool = False
    """Of a review: up to what is staged."""
    by_symbol: bool = True
    """Of a review: changed symbols, their callers and tests in place of whole files. Of a fix: the
    symbol around each error."""
    report: str | None = None
    """Of a fix: what a tool printed, or diagnostics as JSON."""
    file_uris: tuple[str, ...] = ()
    """Of a fix: which files to show; by default those that the report names."""
    issue: str | None = None
    """Of an issue: its JSON, or its text."""
    max_tokens: int | None = None
    """Cut the context to so many tokens."""


class BuildTaskPackParams(msgspec.Struct, frozen=True, rename="camel"):
    """The context pack for a task."""

    task: str
    """The task, as JSON or YAML."""
    tier: str = "default"
    """`strong`, `default` or `cheap`."""
    text_document: TextDocument | None = None
    """A file of the folder that is meant; by default the first folder."""


class BuildProjectPackParams(msgspec.Struct, frozen=True, rename="camel"):
    """What a codebase is, for somebody who has not seen it."""

    text_document: TextDocument | None = None
    """A file of the folder that is meant; by default the first folder."""
    uris: tuple[str, ...] = ()
    """Folders and files to pack; by default the whole folder."""
    include: tuple[str, ...] = ()
    """Patterns in gitignore syntax: only files that match one."""
    exclude: tuple[str, ...] = ()
    """Patterns in gitignore syntax of files to leave out."""
    type: str = "auto"
    """`auto`, `full`, `summary` or `map`."""
    format: str = "markdown"
    """Of `rendered`: `json`, `markdown` or `xml`."""
    max_content_bytes: int | None = None
    """Content of a full pack; by default 500,000."""
    max_files: int | None = None
    """Files of a full pack; by default 200."""
    prefer_summary: bool = False
    provider_limits: dict[str, int] = {}
    """Bytes of content that providers take; the smallest limit holds."""
    on_decode_error: str = "skip"
    """What happens to text whose encoding is not certain: `skip` or `replace`."""
    map_tokens: int = 4096
    """The size of a map."""
    timestamp: str = ""
    """Written into the pack as `created_at`."""
    work_done_token: int | str | None = None


class SnapshotParams(msgspec.Struct, frozen=True, rename="camel"):
    """Record what an AI saw in the repository; list, show, compare and verify what is recorded."""

    action: str
    """`create`, `list`, `show`, `cat`, `diff`, `verify` or `prune`."""
    text_document: TextDocument | None = None
    """A file of the folder that is meant; by default the first folder."""
    id: str = ""
    """Of all but `create` and `list`: an id, or the beginning of one."""
    other: str = ""
    """Of `diff`: the second snapshot."""
    path: str | None = None
    """Of `list`: only those that show this file. Of `cat`: the item; by default what was sent."""
    since: str | None = None
    """Of `list`: only snapshots since this time, as RFC 3339."""
    commit: str | None = None
    """Of `list`: only snapshots that this commit's trailer names, or that were made at it."""
    result: dict[str, Any] | None = None
    """Of `create`: the answer to `sightline/buildContext`."""
    created_by: str = "other:unknown"
    """Of `create`: who saw it: `agent:coder`; without a kind, a person."""
    retention: str = "refs"
    """Of `create`: `refs`, `orphan`, `pack` or `mark`."""
    summary: str | None = None
    """Of `create`: in words."""


class ExplainParams(msgspec.Struct, frozen=True, rename="camel"):
    """Why a path is in, out, or how it would rank; without a target, what it relates to."""

    text_document: TextDocument
    position: WirePosition | None = None
    """The symbol around it is explained; null for the whole file."""
    target: TargetParams | None = None
    """Also tell whether the file would be in the bundle for this target."""


class VerifyParams(msgspec.Struct, frozen=True, rename="camel"):
    """Derive a build again from what it records, and name what changed."""

    result: dict[str, Any]
    """The answer to `sightline/buildContext`, or the JSON that the shell printed."""
    text_document: TextDocument | None = None
    """A file of the workspace that it was built in; by default the first folder."""


class IndexStatusParams(msgspec.Struct, frozen=True, rename="camel"):
    """What the index of a folder holds, and how far it is."""

    text_document: TextDocument | None = None
    """A file of the folder that is meant; by default the first folder."""


class ModelsParams(msgspec.Struct, frozen=True, rename="camel"):
    """The models that limits are known of, and the one that is set."""

    text_document: TextDocument | None = None
    """A file of the folder that is meant; by default the first folder."""


class DidChangeActiveFileParams(msgspec.Struct, frozen=True, rename="camel"):
    """The editor's focus and cursor."""

    text_document: TextDocument | None = None
    """Null where no file has the focus."""
    position: WirePosition | None = None
    """The cursor."""


class BudgetStatusParams(msgspec.Struct, frozen=True, rename="camel"):
    """What a bundle for the symbol under the cursor would cost, for a status bar."""

    uri: str
    """The file that has the focus."""
    version: int | None
    """Of the text that was counted; null where the text is of the disk."""
    decision: str
    """`ok`, `warn_soft_limit`, `refuse_hard_limit`, or `none` where nothing can be built."""
    tokens: int
    """Of the whole bundle; 0 where nothing can be built."""
    needed_tokens: int
    """Of the bundle without its optional blocks (P3)."""
    optional_tokens: int
    """Of the optional blocks."""
    soft_limit_tokens: int
    """Above it comes a warning."""
    hard_limit_tokens: int
    """Above it the bundle is refused."""
    symbol: str | None
    """The target's symbol; null for a whole file."""
    level: str | None
    """The target's level."""
    refusal: Refusal | None
    """Why there is no bundle; null where there is one."""
    blocks: tuple[BudgetBlock, ...]
    """In the order of the bundle."""
    index_complete: bool
    """True if every visible file had been read."""
    revision: int
    """Of the text and files that were counted."""


class AnswerRevisions(msgspec.Struct, frozen=True):
    """What the answer to a request has besides the fields of its result."""

    revision: int
    """Of the text and files that the answer is about."""
    current_revision: int
    """Of the text and files when the answer was sent."""


class AllowPathParams(msgspec.Struct, frozen=True, rename="camel"):
    """Allow a file that a default rule withholds, in the workspace that it is in."""

    text_document: TextDocument
    rule: str | None = None
    """A rule that hides files of that workspace, to be allowed as a whole, in place of the file."""


class MarkHarmlessParams(msgspec.Struct, frozen=True, rename="camel"):
    """Mark what looks like a secret as harmless, in the workspace of its file."""

    text_document: TextDocument
    position: WirePosition
    """In the value; at the beginning of a line, any value of that line."""
    detector: str | None = None
    """The rule that found it; null for any."""


class TakeBackParams(msgspec.Struct, frozen=True, rename="camel"):
    """Take back an allowance or a mark of a workspace."""

    text_document: TextDocument
    """A file of the workspace."""
    rule: str | None = None
    """The allowance, as `AllowanceEntry.rule` names it."""
    mark: str | None = None
    """The mark, as `HarmlessEntry.id` names it."""


class CommandResult(msgspec.Struct, frozen=True):
    """The answer to a command that changes something and gives nothing back."""

    status: Status
    refusal: Refusal | None = None


class TakeBackResult(msgspec.Struct, frozen=True):
    """The answer to a command that takes something back."""

    status: Status
    refusal: Refusal | None = None
    allowance: AllowanceEntry | None = None
    """The allowance that was taken back; null where it was a mark."""
    mark: HarmlessEntry | None = None
    """The mark that was taken back; null where it was an allowance."""


class UserSettingsResult(msgspec.Struct, frozen=True):
    """Where the user's own settings are."""

    status: Status
    refusal: Refusal | None = None
    path: str | None = None
    """The absolute path of the file; null where it is refused."""


REQUESTS: dict[str, type[msgspec.Struct]] = {
    BUILD_CONTEXT: BuildContextParams,
    SLICE: SliceParams,
    EXPLAIN: ExplainParams,
    VERIFY: VerifyParams,
    INDEX_STATUS: IndexStatusParams,
    MODELS: ModelsParams,
    BUILD_RECIPE: BuildRecipeParams,
    BUILD_TASK_PACK: BuildTaskPackParams,
    BUILD_PROJECT_PACK: BuildProjectPackParams,
    SNAPSHOT: SnapshotParams,
}
"""From client to server, with an answer."""

RESULTS: dict[str, type[msgspec.Struct]] = {
    BUILD_CONTEXT: BuildResult,
    SLICE: SliceResult,
    EXPLAIN: ExplainResult,
    VERIFY: VerifyResult,
    INDEX_STATUS: IndexResult,
    MODELS: ModelsResult,
    BUILD_RECIPE: RecipeResult,
    BUILD_TASK_PACK: TaskPackResult,
    BUILD_PROJECT_PACK: ProjectPackResult,
    SNAPSHOT: SnapshotResult,
}
"""What answers each request; the answer also has `ANSWER_FIELDS`."""

ANSWER_FIELDS = AnswerRevisions.__struct_fields__

NOTIFICATIONS: dict[str, type[msgspec.Struct]] = {
    DID_CHANGE_ACTIVE_FILE: DidChangeActiveFileParams,
}
"""From client to server."""

TO_CLIENT: dict[str, type[msgspec.Struct]] = {BUDGET_STATUS: BudgetStatusParams}
"""From server to client."""

COMMAND_PARAMETERS: dict[str, type[msgspec.Struct]] = {
    "sightline.buildContext": BuildContextParams,
    "sightline.allowPath": AllowPathParams,
    "sightline.markHarmless": MarkHarmlessParams,
    "sightline.takeBack": TakeBackParams,
}
"""The one argument of each command that has one."""

COMMANDS: dict[str, type[msgspec.Struct]] = {
    "sightline.buildContext": BuildResult,
    "sightline.allowPath": AllowResult,
    "sightline.markHarmless": HarmlessResult,
    "sightline.takeBack": TakeBackResult,
    "sightline.reindex": CommandResult,
    "sightline.userSettings": UserSettingsResult,
}
"""What answers each command; the answer to a build also has `ANSWER_FIELDS`."""
