/**
 * The server's own messages, one interface each; `PROTOCOL.md` documents them.
 *
 * Parameters and notifications are camelCase. Results are the contract's objects, snake_case, and
 * every field of one is always there. Lines and characters of a `Position` are 0-based; lines in
 * results are 1-based.
 */

export const BUILD_CONTEXT = "sightline/buildContext";
export const SLICE = "sightline/slice";
export const EXPLAIN = "sightline/explain";
export const VERIFY = "sightline/verify";
export const INDEX_STATUS = "sightline/indexStatus";
export const DID_CHANGE_ACTIVE_FILE = "sightline/didChangeActiveFile";
export const BUDGET_STATUS = "sightline/budgetStatus";

/** Commands of the server, run with `workspace/executeCommand`. */
export const BUILD_COMMAND = "sightline.buildContext";
export const ALLOW_PATH_COMMAND = "sightline.allowPath";
export const MARK_HARMLESS_COMMAND = "sightline.markHarmless";
export const REINDEX_COMMAND = "sightline.reindex";
export const USER_SETTINGS_COMMAND = "sightline.userSettings";

/** A place in a document, in the encoding that was agreed on. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

/** From a place to another one, which is not part of it. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** A document by its URI. */
export interface TextDocument {
  readonly uri: string;
}

/** A file, a place in it, a symbol of it, or a symbol wherever it is. */
export interface Target {
  readonly uri?: string | null;
  readonly position?: Position | null;
  readonly range?: Range | null;
  readonly symbol?: string | null;
}

/** A step of a plan; paths are relative to the folder. */
export interface PlanStep {
  readonly id?: string;
  readonly title?: string;
  readonly description?: string;
  readonly targetFiles?: readonly string[];
  readonly targetSymbols?: readonly string[];
}

/** What must hold for the answer, and who says so. */
export interface Constraint {
  readonly text: string;
  readonly scope?: string;
}

/** What went wrong last; `line` is 0-based. */
export interface LastError {
  readonly message: string;
  readonly uri?: string | null;
  readonly line?: number | null;
  readonly code?: string | null;
  readonly severity?: string;
}

/** Limits for one request alone; null stands for what settings say. */
export interface ModelOverride {
  readonly name?: string | null;
  readonly maxInputTokens?: number | null;
  readonly responseTokenReserve?: number | null;
  readonly softLimitThresholdPct?: number | null;
  readonly estimator?: string | null;
}

/** The bundle for an active file, or for what is named besides. */
export interface BuildContextParams {
  readonly textDocument?: TextDocument | null;
  readonly position?: Position | null;
  readonly range?: Range | null;
  readonly purpose?: string;
  readonly targets?: readonly Target[];
  readonly planStep?: PlanStep | null;
  readonly intent?: string | null;
  readonly constraints?: readonly Constraint[];
  readonly userSelectedTargets?: readonly Target[];
  readonly droppedUris?: readonly string[];
  readonly lastError?: LastError | null;
  readonly model?: ModelOverride | null;
  readonly format?: string | null;
  readonly correlationId?: string | null;
  readonly workDoneToken?: number | string | null;
}

/** One symbol or file at one level; secrets in it are replaced as in a bundle. */
export interface SliceParams {
  readonly textDocument: TextDocument;
  readonly level: string;
  readonly symbols?: readonly string[];
  readonly position?: Position | null;
}

/** Why a path is in, out, or how it would rank; without a target, what it relates to. */
export interface ExplainParams {
  readonly textDocument: TextDocument;
  readonly position?: Position | null;
  readonly target?: Target | null;
}

/** Derive a build again from what it records, and name what changed. */
export interface VerifyParams {
  readonly result: BuildResult;
  readonly textDocument?: TextDocument | null;
}

/** How far the index of a document's folder is. */
export interface IndexStatusParams {
  readonly textDocument?: TextDocument | null;
}

/** The editor's focus and cursor; null where no file has the focus. */
export interface DidChangeActiveFileParams {
  readonly textDocument?: TextDocument | null;
  readonly position?: Position | null;
}

/** What a bundle for the symbol under the cursor would cost, for a status bar. */
export interface BudgetStatusParams {
  readonly uri: string;
  readonly version: number | null;
  readonly decision: Decision | "none";
  readonly tokens: number;
  readonly softLimitTokens: number;
  readonly hardLimitTokens: number;
  readonly symbol: string | null;
  readonly level: Level | null;
  readonly refusal: Refusal | null;
  readonly blocks: readonly StatusBlock[];
  readonly indexComplete: boolean;
  readonly revision: number;
}

/** A block as a budget status has it. */
export interface StatusBlock {
  readonly title: string;
  readonly priority: Priority;
  readonly tokens: number;
}

export type Decision = "ok" | "warn_soft_limit" | "refuse_hard_limit";
export type Priority = "P0" | "P1" | "P2" | "P3";
export type Level = "FULL_FILE" | "TARGET_REGION_ONLY" | "SIGNATURES_ONLY" | "SUMMARY_ONLY";
export type Format = "json" | "markdown" | "xml";

export type RefusalKind =
  | "ContextTooLarge"
  | "SecretRisk"
  | "AmbiguousTarget"
  | "UnsupportedTarget"
  | "IndexUnavailable"
  | "InvalidRequest";

/** Why something was withheld. `message` and `advice` are one line each. */
export interface Refusal {
  readonly kind: RefusalKind;
  readonly reason: string;
  readonly path: string | null;
  readonly message: string;
  readonly advice: string;
  /** The rule that decided, as written, and where it stands. */
  readonly rule: string | null;
  readonly source: string | null;
  /** What to choose from: `path::symbol`, `path::symbol:LINE`, or a path. */
  readonly candidates: readonly string[];
  /** 1-based lines of `path` where secrets are. */
  readonly lines?: readonly number[];
  /** Where the context was too large: the input limit that would do. */
  readonly smallest_budget?: number | null;
}

/** The answer to a build: a bundle with its reports, or a refusal; and what was asked. */
export interface BuildResult {
  readonly status: "ok" | "refused";
  readonly bundle: ContextBundle | null;
  readonly manifest: ContextManifest | null;
  readonly redaction_report: RedactionReport | null;
  readonly budget_report: BudgetReport | null;
  readonly refusal: Refusal | null;
  readonly request: Record<string, unknown>;
  readonly settings: Record<string, unknown>;
  readonly overrides: Record<string, unknown>;
  readonly index_complete: boolean;
  /** The text for the model, in the format that was asked for. */
  readonly rendered: string | null;
  readonly revision: number;
  readonly current_revision: number;
}

export interface ContextBundle {
  readonly bundle_id: string;
  readonly bundle_version: number;
  readonly created_at: string;
  readonly purpose: string;
  readonly correlation_id: string;
  readonly model: Model;
  readonly blocks: readonly ContextBlock[];
}

export interface Model {
  readonly provider: string;
  readonly model: string;
  readonly max_input_tokens: number;
  readonly max_output_tokens: number;
  readonly response_token_reserve: number;
  readonly soft_limit_threshold_pct: number;
}

export interface ContextBlock {
  readonly block_id: string;
  readonly block_type:
    "system" | "constraints" | "project_meta" | "file" | "symbol" | "error_context" | "diff_hint";
  readonly priority: Priority;
  readonly title: string;
  readonly content: string;
  readonly meta: BlockMeta;
}

export interface BlockMeta {
  readonly path: string | null;
  readonly symbol: string | null;
  readonly hash: string | null;
  readonly encoding: string;
  readonly byte_size: number;
  readonly line_count: number;
  readonly source: string;
  readonly level?: Level | null;
  readonly language?: string | null;
  readonly regions?: readonly BlockRegion[];
  readonly document_version?: number | null;
  readonly reason?: string | null;
  readonly score?: number | null;
  readonly relation?: BlockRelation | null;
  readonly further_relations?: readonly BlockRelation[];
  readonly check?: string | null;
}

/** Lines of the original that a block shows; 1-based, inclusive. */
export interface BlockRegion {
  readonly symbol: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly sha256: string;
}

/** Why a block is there, with the line that says so. */
export interface BlockRelation {
  readonly kind: string;
  readonly confidence: "resolved" | "ambiguous" | "textual";
  readonly hops: number;
  readonly symbol: string | null;
  readonly evidence: EvidenceLine;
}

/** The line that caused an inclusion: the call, the import, the base clause. */
export interface EvidenceLine {
  readonly path: string;
  readonly line: number;
  readonly name: string;
}

export interface ContextManifest {
  readonly bundle_id: string;
  readonly correlation_id: string;
  readonly purpose: string;
  readonly selection: Selection;
  readonly fingerprints: Record<string, string>;
}

export interface Selection {
  readonly target_files: readonly string[];
  readonly target_symbols: readonly string[];
  readonly included_files: readonly IncludedFile[];
  readonly excluded_candidates: readonly ExcludedCandidate[];
}

export interface IncludedFile {
  readonly path: string;
  readonly hash: string;
  readonly encoding: string;
  readonly byte_size: number;
  readonly reason: string;
  readonly level: Level;
  readonly score: number;
  readonly source: string;
  readonly relation?: BlockRelation | null;
}

/** A file that stayed out, and what decided. */
export interface ExcludedCandidate {
  readonly path: string;
  readonly reason: string;
  readonly rule?: string | null;
  readonly rule_source?: string | null;
  readonly score?: number | null;
}

export interface RedactionReport {
  readonly bundle_id: string;
  readonly redactions: readonly Redaction[];
}

export interface Redaction {
  readonly type: string;
  readonly target: string;
  readonly reason: string;
  readonly details: string;
}

export interface BudgetReport {
  readonly bundle_id: string;
  readonly estimated_input_tokens: number;
  readonly max_input_tokens: number;
  readonly soft_limit_tokens: number;
  readonly hard_limit_tokens: number;
  readonly reserve_output_tokens: number;
  readonly decision: Decision;
  readonly notes: readonly string[];
  readonly estimator: string;
  /** In the order of the bundle. */
  readonly blocks?: readonly BlockCost[];
  /** Of what stands around the blocks: with theirs it makes the estimate. */
  readonly framing_tokens?: number;
}

/** What a block costs in the rendered text, with its frame. */
export interface BlockCost {
  readonly block_id: string;
  readonly title: string;
  readonly priority: Priority;
  readonly tokens: number;
}

/** The answer to an explanation. */
export interface ExplainResult {
  readonly status: "ok" | "refused";
  readonly refusal: Refusal | null;
  readonly path: string | null;
  readonly symbol: string | null;
  readonly kind: string | null;
  readonly line: number | null;
  readonly relations: readonly Relation[] | null;
  readonly candidate: Verdict | null;
  readonly revision: number;
  readonly index_complete: boolean;
}

/** The answer to a verification. */
export interface VerifyResult {
  readonly status: "verified" | "different" | "refused";
  readonly refusal: Refusal | null;
  readonly differences: readonly Difference[] | null;
  readonly revision: number;
  readonly index_complete: boolean;
}

export interface Difference {
  readonly what: string;
  readonly where: string;
  readonly detail: string;
}

/** A symbol, or a whole file where `symbol` is null; `line` is 1-based. */
export interface Place {
  readonly path: string;
  readonly symbol: string | null;
  readonly kind: string;
  readonly line: number;
}

/** What something stands in relation to; several targets where the evidence tells none apart. */
export interface Relation {
  readonly kind: string;
  readonly confidence: "resolved" | "ambiguous" | "textual";
  readonly hops: number;
  readonly targets: readonly Place[];
  readonly evidence: EvidenceLine;
}

/** Whether a path is in a target's bundle, and why or why not. */
export type Verdict =
  | ({ readonly verdict: "in"; readonly priority: Priority } & IncludedFile)
  | ({ readonly verdict: "out" } & ExcludedCandidate)
  | { readonly verdict: "not_a_candidate"; readonly path: string }
  | { readonly verdict: "refused"; readonly refusal: Refusal };

/** The answer to `sightline.userSettings`: where the user's own settings are. */
export interface UserSettings {
  readonly status: "ok" | "refused";
  readonly refusal: Refusal | null;
  readonly path: string | null;
}
