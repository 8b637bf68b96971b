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
# Patterns, not checks in code: an error message about a mismatch does not repeat the value.


class WirePosition(msgspec.Struct, frozen=True):
    """A place in a document, in the encoding that was agreed on."""

    line: int
    """0-based."""
    character: int
    """0-based."""

    def to_position(self) -> Position:
        return Position(self.line, self.character)


class WireRange(msgspec.Struct, frozen=True):
    """A range in a document."""

    start: WirePosition
    end: WirePosition
    """The first position after the range."""


class TextDocument(msgspec.Struct, frozen=True):
    """A document by its URI."""

    uri: str


class TargetParams(msgspec.Struct, frozen=True, rename="camel"):
    """A file, a position or range in it, one of its symbols, or a symbol anywhere in the
    workspace.
    """

    uri: str | None = None
    """Null: `symbol` is searched for in the workspace."""
    position: WirePosition | None = None
    """The target is the symbol around it."""
    range: WireRange | None = None
    """The targets are the symbols in it."""
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
    """A requirement for the model's answer."""

    text: str
    scope: str = "user"
    """Who requires it: `system`, `project`, `session` or `user`."""


class LastErrorParams(msgspec.Struct, frozen=True, rename="camel"):
    """The last error."""

    message: str
    uri: str | None = None
    """The file that the error is in."""
    line: int | None = None
    """0-based, as everywhere in the protocol."""
    code: str | None = None
    severity: str = "error"


class ModelParams(msgspec.Struct, frozen=True, rename="camel"):
    """Limits for this request alone; null takes the value from settings."""

    name: str | None = None
    max_input_tokens: int | None = None
    response_token_reserve: int | None = None
    soft_limit_threshold_pct: int | None = None
    estimator: str | None = None


class BuildContextParams(msgspec.Struct, frozen=True, rename="camel"):
    """The bundle for an active file, or for other targets."""

    text_document: TextDocument | None = None
    """The active file."""
    position: WirePosition | None = None
    """The target is the symbol around it. Without it and `range`, the target is the whole file."""
    range: WireRange | None = None
    """The targets are the symbols in it."""
    purpose: str = "diff"
    """`intent`, `plan` or `diff`."""
    targets: tuple[TargetParams, ...] = ()
    """Further targets. They come before the active file."""
    plan_step: PlanStepParams | None = None
    intent: str | None = None
    """What a person wants, in their words."""
    constraints: tuple[ConstraintParams, ...] = ()
    user_selected_targets: tuple[TargetParams, ...] = ()
    """Targets that a person added, or chose among several."""
    dropped_uris: tuple[str, ...] = ()
    """Files that a person left out."""
    last_error: LastErrorParams | None = None
    model: ModelParams | None = None
    format: _Format | None = None
    """How `rendered` is written and counted; null takes the value from settings."""
    redact_target: bool = False
    """Replace secrets in the target for this build alone, if their exact bounds are known."""
    depth: _Depth | None = None
    """How much comes with the target: `target`, `needed` or `fill`; null takes the value from
    settings.
    """
    take_incomplete: bool = False
    """During the first scan, build from what has been read; without it, the build waits for the
    scan.
    """
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
    """Any file of the folder to use; by default the first folder."""
    task_uri: str | None = None
    """For an implementation: the file that describes the task."""
    base: str | None = None
    """For a review: the revision that the change begins at; by default `main` or `master`."""
    head: str | None = None
    """For a review: the revision that the change ends at; by default the work tree."""
    staged: bool = False
    """For a review: end at what is staged."""
    by_symbol: bool = True
    """For a review: show changed symbols, their callers and tests instead of whole files. For a
    fix: show the symbol around each error.
    """
    report: str | None = None
    """For a fix: the output of a tool, or diagnostics as JSON."""
    file_uris: tuple[str, ...] = ()
    """For a fix: the files to show; by default those that the report names."""
    issue: str | None = None
    """For an issue: its JSON, or its text."""
    max_tokens: int | None = None
    """Cut the context to so many tokens."""


class BuildTaskPackParams(msgspec.Struct, frozen=True, rename="camel"):
    """The context pack for a task."""

    task: str
    """The task, as JSON or YAML."""
    tier: str = "default"
    """`strong`, `default` or `cheap`."""
    text_document: TextDocument | None = None
    """Any file of the folder to use; by default the first folder."""


class BuildProjectPackParams(msgspec.Struct, frozen=True, rename="camel"):
    """A description of a codebase, for a reader who has not seen it."""

    text_document: TextDocument | None = None
    """Any file of the folder to use; by default the first folder."""
    uris: tuple[str, ...] = ()
    """Folders and files to pack; by default the whole folder."""
    include: tuple[str, ...] = ()
    """Patterns in gitignore syntax: include only files that match one."""
    exclude: tuple[str, ...] = ()
    """Patterns in gitignore syntax of files to leave out."""
    type: str = "auto"
    """`auto`, `full`, `summary` or `map`."""
    format: str = "markdown"
    """Format of `rendered`: `json`, `markdown` or `xml`."""
    max_content_bytes: int | None = None
    """The limit of content in a full pack; by default 500,000."""
    max_files: int | None = None
    """The limit of files in a full pack; by default 200."""
    prefer_summary: bool = False
    provider_limits: dict[str, int] = {}
    """The bytes of content that each provider accepts; the smallest limit applies."""
    on_decode_error: str = "skip"
    """What to do with text whose encoding is not certain: `skip` or `replace`."""
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
    """Any file of the folder to use; by default the first folder."""
    id: str = ""
    """For all but `create` and `list`: an id, or the beginning of one."""
    other: str = ""
    """For `diff`: the second snapshot."""
    path: str | None = None
    """For `list`: only those that show this file. For `cat`: the item; by default what was sent."""
    since: str | None = None
    """For `list`: only snapshots since this time, as RFC 3339."""
    commit: str | None = None
    """For `list`: only snapshots that this commit's trailer names, or that were made at it."""
    result: dict[str, Any] | None = None
    """For `create`: the answer to `sightline/buildContext`."""
    created_by: str = "other:unknown"
    """For `create`: who saw it, such as `agent:coder`; a name without a kind is a person."""
    retention: str = "refs"
    """For `create`: `refs`, `orphan`, `pack` or `mark`."""
    summary: str | None = None
    """For `create`: a description in words."""


class ExplainParams(msgspec.Struct, frozen=True, rename="camel"):
    """Why a path is included or left out, and how it ranks; without a target, what it relates
    to.
    """

    text_document: TextDocument
    position: WirePosition | None = None
    """The symbol around it is explained; null for the whole file."""
    target: TargetParams | None = None
    """Also say whether the bundle for this target would include the file."""


class VerifyParams(msgspec.Struct, frozen=True, rename="camel"):
    """Build again from what a build records, and name what changed."""

    result: dict[str, Any]
    """The answer to `sightline/buildContext`, or the JSON that the shell printed."""
    text_document: TextDocument | None = None
    """A file of the workspace that it was built in; by default the first folder."""


class IndexStatusParams(msgspec.Struct, frozen=True, rename="camel"):
    """What the index of a folder holds, and how far the scan is."""

    text_document: TextDocument | None = None
    """Any file of the folder to use; by default the first folder."""


class ModelsParams(msgspec.Struct, frozen=True, rename="camel"):
    """The models with known limits, and the model that is set."""

    text_document: TextDocument | None = None
    """Any file of the folder to use; by default the first folder."""


class DidChangeActiveFileParams(msgspec.Struct, frozen=True, rename="camel"):
    """The editor's focus and cursor."""

    text_document: TextDocument | None = None
    """Null if no file has the focus."""
    position: WirePosition | None = None
    """The cursor."""


class BudgetStatusParams(msgspec.Struct, frozen=True, rename="camel"):
    """What a bundle for the symbol under the cursor would cost, for a status bar."""

    uri: str
    """The file that has the focus."""
    version: int | None
    """Version of the text that was counted; null if the text was read from disk."""
    decision: str
    """`ok`, `warn_soft_limit`, `refuse_hard_limit`, or `none` if nothing can be built."""
    tokens: int
    """Tokens of the whole bundle; 0 if nothing can be built."""
    needed_tokens: int
    """Tokens of the bundle without its optional blocks (P3)."""
    optional_tokens: int
    """Tokens of the optional blocks."""
    soft_limit_tokens: int
    """Above this many tokens, a build warns."""
    hard_limit_tokens: int
    """Above this many tokens, a build is refused."""
    symbol: str | None
    """The target's symbol; null for a whole file."""
    level: str | None
    """The target's level."""
    refusal: Refusal | None
    """Why there is no bundle; null if there is one."""
    blocks: tuple[BudgetBlock, ...]
    """In the order of the bundle."""
    index_complete: bool
    """True if every visible file has been read."""
    revision: int
    """Revision of the text and files that were counted."""


class AnswerRevisions(msgspec.Struct, frozen=True):
    """Fields that the answer to a request has besides those of its result."""

    revision: int
    """Revision of the text and files that the answer describes."""
    current_revision: int
    """Revision of the text and files when the answer was sent."""


class AllowPathParams(msgspec.Struct, frozen=True, rename="camel"):
    """Allow a file that a default rule withholds, in its workspace."""

    text_document: TextDocument
    rule: str | None = None
    """Allow this whole rule, which hides files of the workspace, instead of the file."""


class MarkHarmlessParams(msgspec.Struct, frozen=True, rename="camel"):
    """Mark a value that looks like a secret as harmless, in the workspace of its file."""

    text_document: TextDocument
    position: WirePosition
    """A position in the value; at the beginning of a line, any value of that line."""
    detector: str | None = None
    """The rule that found it; null for any rule."""


class TakeBackParams(msgspec.Struct, frozen=True, rename="camel"):
    """Remove an allowance or a mark of a workspace."""

    text_document: TextDocument
    """A file of the workspace."""
    rule: str | None = None
    """The allowance, as `AllowanceEntry.rule` names it."""
    mark: str | None = None
    """The mark, as `HarmlessEntry.id` names it."""


class CommandResult(msgspec.Struct, frozen=True):
    """The answer to a command that changes something and returns nothing."""

    status: Status
    refusal: Refusal | None = None


class TakeBackResult(msgspec.Struct, frozen=True):
    """The answer to a command that removes an allowance or a mark."""

    status: Status
    refusal: Refusal | None = None
    allowance: AllowanceEntry | None = None
    """The allowance that was removed; null if it was a mark."""
    mark: HarmlessEntry | None = None
    """The mark that was removed; null if it was an allowance."""


class UserSettingsResult(msgspec.Struct, frozen=True):
    """Where the user's own settings are."""

    status: Status
    refusal: Refusal | None = None
    path: str | None = None
    """The absolute path of the file; null if the request is refused."""


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
"""Requests from client to server."""

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
"""The result of each request; the answer also has `ANSWER_FIELDS`."""

ANSWER_FIELDS = AnswerRevisions.__struct_fields__

NOTIFICATIONS: dict[str, type[msgspec.Struct]] = {
    DID_CHANGE_ACTIVE_FILE: DidChangeActiveFileParams,
}
"""Notifications from client to server."""

TO_CLIENT: dict[str, type[msgspec.Struct]] = {BUDGET_STATUS: BudgetStatusParams}
"""Notifications from server to client."""

COMMAND_PARAMETERS: dict[str, type[msgspec.Struct]] = {
    "sightline.buildContext": BuildContextParams,
    "sightline.allowPath": AllowPathParams,
    "sightline.markHarmless": MarkHarmlessParams,
    "sightline.takeBack": TakeBackParams,
}
"""The single argument of each command that takes one."""

COMMANDS: dict[str, type[msgspec.Struct]] = {
    "sightline.buildContext": BuildResult,
    "sightline.allowPath": AllowResult,
    "sightline.markHarmless": HarmlessResult,
    "sightline.takeBack": TakeBackResult,
    "sightline.reindex": CommandResult,
    "sightline.userSettings": UserSettingsResult,
}
"""The result of each command; the answer to a build also has `ANSWER_FIELDS`."""
