/**
 * The budget picture as data: how a model's window is spent, block by block.
 *
 * Every number is in tokens. The blocks and the frame around them make `tokens`; `hard` and
 * `reserve` make `window`. Shares are whole percents of `tokens` that add up to 100.
 */

import type { BudgetStatusParams, BuildContextParams, BuildResult, Priority, Refusal } from "../../protocol";
import { targetWords, whyWords } from "../tree";
import { PRIORITIES, decisionWords, levelWords, priorityWords, sentence, tokenWords, visible } from "../words";

export interface Picture {
  readonly state: "empty" | "live" | "built" | "refused";
  /** What it is about: a symbol or a file. */
  readonly name: string;
  readonly file: string;
  readonly decision: "ok" | "warn_soft_limit" | "refuse_hard_limit" | "none";
  readonly verdict: string;
  readonly tokens: number;
  readonly soft: number;
  readonly hard: number;
  /** Null where it is not known: a live status does not tell. */
  readonly reserve: number | null;
  readonly rows: readonly Row[];
  readonly framing: Sum;
  readonly sums: readonly PrioritySum[];
  /** Of the model and of how tokens were counted; empty where it is not known. */
  readonly facts: readonly string[];
  /** What was done to fit. */
  readonly notes: readonly string[];
  /** That the editor has moved on from what is shown. */
  readonly movedOn: string | null;
  readonly message: string | null;
}

export interface Sum {
  readonly tokens: number;
  readonly share: number;
}

export interface Row extends Sum {
  readonly title: string;
  readonly priority: Priority;
  readonly level: string;
  readonly why: string;
  /** Whether a file stands behind it. */
  readonly opens: boolean;
}

export interface PrioritySum extends Sum {
  readonly priority: Priority;
  readonly words: string;
}

/** What the extension says to the panel: all of it, each time. */
export interface ToPanel {
  readonly picture: Picture;
}

/** What the panel says to the extension. A row is meant by its place in the table. */
export type FromPanel =
  | { readonly kind: "ready" }
  | { readonly kind: "open"; readonly row: number }
  | { readonly kind: "run"; readonly command: string };

export const EMPTY: Picture = {
  state: "empty",
  name: "",
  file: "",
  decision: "none",
  verdict: "",
  tokens: 0,
  soft: 0,
  hard: 0,
  reserve: null,
  rows: [],
  framing: { tokens: 0, share: 0 },
  sums: [],
  facts: [],
  notes: [],
  movedOn: null,
  message: "Put the cursor into a file of the project to see what its context would cost.",
};

/** `asked` is the file that the build was asked for, which a refusal need not name. */
export function pictureOfBuild(
  result: BuildResult,
  asked: string,
  movedOn: string | null,
): Picture {
  const report = result.budget_report;
  const blocks = new Map(result.bundle?.blocks.map((each) => [each.block_id, each]));
  const costs = report?.blocks ?? [];
  const parts = costs.map((each) => {
    const block = blocks.get(each.block_id);
    return {
      title: visible(each.title),
      priority: each.priority,
      level: levelWords(block?.meta.level ?? null),
      why: block ? whyWords(block) : "",
      opens: block !== undefined && block.meta.path !== null,
      tokens: each.tokens,
    };
  });
  const refusal = result.refusal;
  const files = result.manifest?.selection.target_files ?? [];
  const model = result.bundle?.model.model;
  return {
    ...shared(parts, report?.estimated_input_tokens ?? 0),
    state: refusal ? "refused" : "built",
    name: visible(refusal ? (refusal.path ?? asked) : targetWords(result)),
    file: visible(files.join(", ")),
    decision: report?.decision ?? "none",
    verdict: report ? decisionWords(report.decision) : "refused",
    tokens: report?.estimated_input_tokens ?? 0,
    soft: report?.soft_limit_tokens ?? 0,
    hard: report?.hard_limit_tokens ?? 0,
    reserve: report?.reserve_output_tokens ?? null,
    facts: [...(model ? [`model ${visible(model)}`] : []), ...(report ? [report.estimator] : [])],
    notes: (report?.notes ?? []).map(visible),
    movedOn,
    message: refusal ? refusalWords(refusal) : null,
  };
}

/** `file` is the path of the status' document, as people write it. */
export function pictureOfStatus(status: BudgetStatusParams, file: string): Picture {
  const parts = status.blocks.map((each) => ({
    title: visible(each.title),
    priority: each.priority,
    level: "",
    why: "",
    opens: false,
    tokens: each.tokens,
  }));
  const refusal = status.refusal;
  return {
    ...shared(parts, status.tokens),
    state: "live",
    name: visible(status.symbol ?? file),
    file: visible(file),
    decision: status.decision,
    verdict: status.decision === "none" ? "nothing can be built" : decisionWords(status.decision),
    tokens: status.tokens,
    soft: status.softLimitTokens,
    hard: status.hardLimitTokens,
    reserve: null,
    facts: [],
    notes: [],
    movedOn: null,
    message: refusal ? refusalWords(refusal) : null,
  };
}

/**
 * What to say when the live status is no longer about the build: another file or symbol, or the
 * same one at another price. `file` is the status' path in the folder of the build, null outside.
 */
export function movedOnWords(
  params: BuildContextParams,
  result: BuildResult,
  status: BudgetStatusParams | undefined,
  file: string | null,
): string | null {
  const selection = result.manifest?.selection;
  if (status === undefined || selection === undefined || status.decision === "none") {
    return null;
  }
  const now = `${visible(status.symbol ?? file ?? "another file")}: ${tokenWords(status.tokens)}`;
  const symbols = selection.target_symbols;
  const isTarget =
    file !== null &&
    selection.target_files.includes(file) &&
    (symbols.length === 0 || symbols.includes(`${file}::${status.symbol ?? ""}`));
  if (!isTarget) {
    return `The cursor is elsewhere now, in ${now}`;
  }
  const built = result.budget_report?.estimated_input_tokens;
  if (isPlain(params) && symbols.length === 1 && built !== status.tokens) {
    return `The code has changed since. ${now} now`;
  }
  return null;
}

/** Whether the build asked for what the live status asks for, so that the two compare. */
function isPlain(params: BuildContextParams): boolean {
  const lists = [params.targets, params.userSelectedTargets, params.droppedUris, params.constraints];
  const others = [params.planStep, params.intent, params.lastError, params.model, params.format];
  return (
    (params.purpose ?? "diff") === "diff" &&
    lists.every((each) => (each ?? []).length === 0) &&
    others.every((each) => each === null || each === undefined)
  );
}

function refusalWords(refusal: Refusal): string {
  return visible(`${sentence(refusal.message)} ${sentence(refusal.advice)}`);
}

/** Whole percents of the amounts that add up to 100: the largest remainders are rounded up. */
export function shares(amounts: readonly number[]): number[] {
  const total = amounts.reduce((sum, each) => sum + each, 0);
  if (total <= 0) {
    return amounts.map(() => 0);
  }
  const whole = amounts.map((each) => Math.floor((each * 100) / total));
  const missing = 100 - whole.reduce((sum, each) => sum + each, 0);
  const byRemainder = amounts
    .map((each, index) => ({ index, remainder: (each * 100) % total }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index)
    .slice(0, missing);
  for (const { index } of byRemainder) {
    whole[index] = (whole[index] ?? 0) + 1;
  }
  return whole;
}

/** The frame is what the estimate has beyond the blocks, so that the sums always add up. */
function shared(
  parts: readonly Omit<Row, "share">[],
  tokens: number,
): Pick<Picture, "rows" | "framing" | "sums"> {
  const blocks = parts.reduce((sum, each) => sum + each.tokens, 0);
  const framing = parts.length > 0 ? tokens - blocks : 0;
  const percents = shares([...parts.map((each) => each.tokens), framing]);
  const rows = parts.map((each, index) => ({ ...each, share: percents[index] ?? 0 }));
  const sums = PRIORITIES.map((priority) => {
    const own = rows.filter((each) => each.priority === priority);
    return {
      priority,
      words: priorityWords(priority),
      tokens: own.reduce((sum, each) => sum + each.tokens, 0),
      share: own.reduce((sum, each) => sum + each.share, 0),
      count: own.length,
    };
  });
  return {
    rows,
    framing: { tokens: framing, share: percents[parts.length] ?? 0 },
    sums: sums
      .filter((each) => each.count > 0)
      .map(({ priority, words, tokens, share }) => ({ priority, words, tokens, share })),
  };
}
