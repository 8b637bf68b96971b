/** The status bar: what a bundle for the symbol under the cursor would cost, while typing. */

import * as vscode from "vscode";
import type { Server, ServerState } from "./context";
import { compact, grouped, percent } from "./numbers";
import type { BudgetBlock, BudgetStatusParams, BuildResult } from "./protocol";
import { refusalMessage } from "./refusalWords";

/** All that the item shows. */
export interface StatusView {
  readonly text: string;
  /** Markdown. Names of files and symbols in it are escaped. */
  readonly tooltip: string;
  readonly colour: "warning" | "error" | undefined;
  readonly command: string;
  readonly label: string;
}

const ICON = "$(eye)";
const MOST_BLOCKS = 12;
const DECISIONS = {
  ok: "",
  warn_soft_limit: "past the soft limit",
  refuse_hard_limit: "past the hard limit",
} as const;

export function registerStatusBar(
  server: Server,
  lastResult: () => BuildResult | undefined,
): vscode.Disposable {
  const item = vscode.window.createStatusBarItem(
    "sightline.budget",
    vscode.StatusBarAlignment.Right,
    100,
  );
  item.name = "Sightline: AI context budget";
  const update = () => {
    const configuration = vscode.workspace.getConfiguration("sightline");
    const canBuild = (vscode.workspace.workspaceFolders ?? []).length > 0;
    if (!canBuild || !configuration.get<boolean>("statusBar.enabled", true)) {
      item.hide();
      return;
    }
    const model = modelName(configuration.get("model.name"), server.status, lastResult());
    apply(item, statusView(server.state, server.status, model));
    item.show();
  };
  update();
  return vscode.Disposable.from(
    item,
    server.onDidChangeState(update),
    server.onDidChangeStatus(update),
    vscode.workspace.onDidChangeWorkspaceFolders(update),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("sightline")) {
        update();
      }
    }),
  );
}

/** The model as it is set, else that of the last build, if its limits are those of the status. */
export function modelName(
  setting: string | undefined,
  status: BudgetStatusParams | undefined,
  last: BuildResult | undefined,
): string | undefined {
  const isSame = last?.budget_report?.hard_limit_tokens === status?.hardLimitTokens;
  return setting || (isSame ? last?.bundle?.model.model : undefined);
}

export function statusView(
  state: ServerState,
  status: BudgetStatusParams | undefined,
  model?: string,
): StatusView {
  if (state.kind !== "running" || status === undefined) {
    return serverView(state);
  }
  if (status.decision === "none") {
    return withoutNumbers(status);
  }
  return withNumbers(status, status.decision, model);
}

/** Text in Markdown that shows as it is written, and never as a link, an image or an icon. */
export function escaped(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]/gu, " ")
    .replace(/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/g, "")
    .replace(/[\\`*_{}[\]()#+\-.!|<>~$&:@]/g, "\\$&");
}

function apply(item: vscode.StatusBarItem, view: StatusView): void {
  item.text = view.text;
  item.tooltip = new vscode.MarkdownString(view.tooltip);
  item.command = view.command;
  item.backgroundColor =
    view.colour && new vscode.ThemeColor(`statusBarItem.${view.colour}Background`);
  item.accessibilityInformation = { label: view.label, role: "button" };
}

function serverView(state: ServerState): StatusView {
  switch (state.kind) {
    case "starting":
      return {
        text: "$(loading~spin) Sightline",
        tooltip: "Sightline's server is starting.",
        colour: undefined,
        command: "sightline.showLog",
        label: "Sightline is starting",
      };
    case "stopped":
      return {
        text: "$(eye-closed) Sightline",
        tooltip: "Sightline's server is stopped. Click to start it.",
        colour: undefined,
        command: "sightline.restart",
        label: "Sightline is stopped, start it",
      };
    case "restarting":
      return {
        text: "$(loading~spin) Sightline",
        tooltip: escaped(state.message),
        colour: "warning",
        command: "sightline.showLog",
        label: state.message,
      };
    case "running":
      return quiet("Nothing to count: open a file of the workspace.");
    case "missing":
      return {
        text: "$(cloud-download) Sightline",
        tooltip: `${escaped(state.message)} Click to install it.`,
        colour: undefined,
        command: "sightline.showProblem",
        label: `${state.message} Activate to install it`,
      };
    case "wrong":
    case "failed":
      return {
        text: "$(error) Sightline",
        tooltip: `${escaped(state.message)} Click for what helps.`,
        colour: "error",
        command: "sightline.showProblem",
        label: `${state.message} Activate for what helps`,
      };
  }
}

function quiet(reason: string): StatusView {
  return {
    text: `${ICON} –`,
    tooltip: escaped(reason),
    colour: undefined,
    command: "sightline.showBudget",
    label: `Sightline: no AI context here. ${reason}`,
  };
}

/** Nothing can be built here: a secret is an alarm, anything else is said quietly. */
function withoutNumbers(status: BudgetStatusParams): StatusView {
  const refusal = status.refusal;
  if (refusal === null) {
    return quiet("Nothing can be built here.");
  }
  const message = refusalMessage(refusal);
  if (refusal.kind !== "SecretRisk") {
    return quiet(message);
  }
  const { lines } = refusal;
  return {
    text: "$(shield) secret",
    tooltip: escaped(message),
    colour: "error",
    command: "sightline.build",
    label: `Sightline: a secret is in the target${lines.length > 0 ? `, line ${lines.join(", ")}` : ""}`,
  };
}

function withNumbers(
  status: BudgetStatusParams,
  decision: keyof typeof DECISIONS,
  model: string | undefined,
): StatusView {
  const { tokens, hardLimitTokens: limit } = status;
  const state = DECISIONS[decision];
  const what = status.symbol ?? "this file";
  return {
    text: `${ICON} ${parts(status)}${status.indexComplete ? "" : "…"}`,
    tooltip: tooltip(status, state, model),
    colour: decision === "ok" ? undefined : decision === "warn_soft_limit" ? "warning" : "error",
    command: "sightline.showBudget",
    label:
      `AI context for ${what}: ${grouped(tokens)} of ${grouped(limit)} tokens` +
      (state === "" ? "" : `, ${state}`),
  };
}

/** What is needed and what is optional, of the limit; one number where nothing is optional. */
function parts(status: BudgetStatusParams): string {
  const { tokens, neededTokens, optionalTokens, hardLimitTokens: limit } = status;
  return optionalTokens === 0 || tokens > limit
    ? ratio(tokens, limit)
    : `${compact(neededTokens)} + ${compact(optionalTokens)}/${compact(limit)}`;
}

/** Short, but never as if what is too much were just enough. */
function ratio(tokens: number, limit: number): string {
  const isAlike = tokens > limit && compact(tokens) === compact(limit);
  const written = isAlike ? grouped : compact;
  return `${written(tokens)}/${written(limit)}`;
}

function tooltip(status: BudgetStatusParams, state: string, model: string | undefined): string {
  const { tokens, softLimitTokens, hardLimitTokens } = status;
  const lines = [
    `**AI context for ${status.symbol === null ? "this file" : escaped(status.symbol)}**`,
    "",
    `${grouped(tokens)} of ${grouped(hardLimitTokens)} tokens` +
      ` (${percent(tokens, hardLimitTokens)} %)${state === "" ? "" : `, **${state}**`}`,
    ...(status.optionalTokens === 0
      ? []
      : [`${grouped(status.neededTokens)} needed, ${grouped(status.optionalTokens)} optional`]),
    "",
    ...blockTable(status.blocks, tokens),
    `Soft limit ${grouped(softLimitTokens)}, hard limit ${grouped(hardLimitTokens)}` +
      (model === undefined ? "" : `, model ${escaped(model)}`),
  ];
  if (status.refusal !== null) {
    lines.push("", escaped(refusalMessage(status.refusal)));
  }
  if (!status.indexComplete) {
    lines.push("", "The index is not complete yet: related files may be missing.");
  }
  return lines.join("\n");
}

/** Rows that add up to the tokens of the whole: what stands around the blocks is one of them. */
function blockTable(blocks: readonly BudgetBlock[], tokens: number): readonly string[] {
  if (blocks.length === 0) {
    return [];
  }
  const shown = blocks.slice(0, MOST_BLOCKS);
  const rest = blocks.slice(MOST_BLOCKS);
  const rows = shown.map(
    (block) => `| ${block.priority} | ${escaped(block.title)} | ${grouped(block.tokens)} |`,
  );
  if (rest.length > 0) {
    rows.push(`| | and ${rest.length} more | ${grouped(sum(rest))} |`);
  }
  const framing = tokens - sum(blocks);
  if (framing > 0) {
    rows.push(`| | around them | ${grouped(framing)} |`);
  }
  return ["| | block | tokens |", "|:--|:--|--:|", ...rows, ""];
}

function sum(blocks: readonly BudgetBlock[]): number {
  return blocks.reduce((total, block) => total + block.tokens, 0);
}
