/** Refusals as things to do. What is said is the server's words; what is offered is ours. */

import * as vscode from "vscode";
import type { Built } from "./builds";
import type { Server } from "./context";
import { grouped } from "./numbers";
import { tellAnswer } from "./marks";
import {
  ALLOW_PATH_COMMAND,
  MARK_HARMLESS_COMMAND,
  type AllowPathParams,
  type BuildContextParams,
  type MarkHarmlessParams,
  type Refusal,
  type TargetParams,
} from "./protocol";
import { refusalMessage } from "./refusalWords";
import { candidateLabel, candidateTarget, narrowed, withChoice } from "./requests";

/** Something that a person can do about a refusal. */
export type Offer =
  | { readonly act: "choose"; readonly label: string; readonly candidates: readonly string[] }
  | { readonly act: "narrow"; readonly label: string; readonly candidates: readonly string[] }
  | { readonly act: "raise"; readonly label: string; readonly tokens: number }
  | { readonly act: "goTo"; readonly label: string; readonly path: string; readonly line: number }
  | { readonly act: "allow"; readonly label: string; readonly path: string }
  | { readonly act: "allowRule"; readonly label: string; readonly rule: string }
  | { readonly act: "redact"; readonly label: string }
  | {
      readonly act: "harmless";
      readonly label: string;
      readonly path: string;
      readonly values: readonly Value[];
    }
  | { readonly act: "settings"; readonly label: string }
  | { readonly act: "userSettings"; readonly label: string }
  | { readonly act: "retry"; readonly label: string };

/** A value that is refused, by where it is; its detector where the server names it. */
export interface Value {
  readonly line: number;
  readonly detector: string | null;
}

const NEVER_SEND = "default:never_send";
const RULE_IN_FILE = /^(?<path>[^:]+):(?<line>[0-9]+)$/;

/** What is offered for a refusal, the most helpful first. */
export function offers(refusal: Refusal): readonly Offer[] {
  switch (refusal.kind) {
    case "AmbiguousTarget":
      return [{ act: "choose", label: "Choose…", candidates: refusal.candidates }];
    case "ContextTooLarge":
      return tooLarge(refusal);
    case "SecretRisk":
      return secret(refusal);
    case "UnsupportedTarget":
      return withheld(refusal);
    case "IndexUnavailable":
      return [{ act: "retry", label: "Try Again" }];
    case "InvalidRequest":
      return hiddenByRule(refusal);
  }
}

/** Tell the person, do what they choose; the parameters of the next build where there is one. */
export async function resolveRefusal(
  built: Built,
  refusal: Refusal,
  server: Server,
): Promise<BuildContextParams | undefined> {
  const offered = offers(refusal);
  const only = offered[0];
  if (only?.act === "choose") {
    const target = await choose(only.candidates, built.folder, refusalMessage(refusal));
    return target && withChoice(built.params, target);
  }
  const show =
    refusal.kind === "SecretRisk" || refusal.kind === "ContextTooLarge"
      ? vscode.window.showErrorMessage
      : vscode.window.showWarningMessage;
  const label = await show(said(refusal, offered), ...offered.map((offer) => offer.label));
  const chosen = offered.find((offer) => offer.label === label);
  return chosen && carryOut(chosen, built, server);
}

/** Advice that the buttons offer to follow need not be read. */
export function said(refusal: Refusal, offered: readonly Offer[]): string {
  const isOffered = offered.some((offer) => offer.act === "raise" || offer.act === "allow");
  return refusalMessage(isOffered ? { ...refusal, advice: "" } : refusal);
}

async function carryOut(
  offer: Offer,
  built: Built,
  server: Server,
): Promise<BuildContextParams | undefined> {
  switch (offer.act) {
    case "choose":
    case "narrow": {
      const target = await choose(offer.candidates, built.folder, "What the context is for");
      return target && narrowed(built.params, target);
    }
    case "raise":
      return { ...built.params, model: { ...built.params.model, maxInputTokens: offer.tokens } };
    case "allow": {
      const asked: AllowPathParams = { textDocument: documentOf(built, offer.path) };
      return (await isDone(ALLOW_PATH_COMMAND, asked, server)) ? built.params : undefined;
    }
    case "allowRule":
      return (await isRuleAllowed(built, offer.rule, server)) ? built.params : undefined;
    case "harmless": {
      const value = await chooseValue(offer.values);
      if (value === undefined) {
        return undefined;
      }
      const asked: MarkHarmlessParams = {
        textDocument: documentOf(built, offer.path),
        position: { line: value.line - 1, character: 0 },
        detector: value.detector,
      };
      return (await isDone(MARK_HARMLESS_COMMAND, asked, server)) ? built.params : undefined;
    }
    case "redact":
      return { ...built.params, redactTarget: true };
    case "retry":
      return built.params;
    case "goTo":
      await goTo(vscode.Uri.joinPath(built.folder, offer.path), offer.line);
      return undefined;
    case "settings":
      await vscode.commands.executeCommand("workbench.action.openSettings", "sightline.budget");
      return undefined;
    case "userSettings":
      await vscode.commands.executeCommand("sightline.openUserSettings");
      return undefined;
  }
}

/** Have the server ask whether a rule that hides files may go; whether the person allowed it. */
export async function isRuleAllowed(built: Built, rule: string, server: Server): Promise<boolean> {
  // Any name in the folder tells which workspace is meant.
  const asked: AllowPathParams = { textDocument: documentOf(built, ".sightline.toml"), rule };
  return isDone(ALLOW_PATH_COMMAND, asked, server);
}

/** Run a command that asks the person; whether it has written what it was for. */
async function isDone(command: string, asked: object, server: Server): Promise<boolean> {
  const answer = await server.command<unknown>(command, asked);
  return tellAnswer(command, [asked], answer, (...args) => server.command(...args));
}

async function chooseValue(values: readonly Value[]): Promise<Value | undefined> {
  if (values.length < 2) {
    return values[0];
  }
  const items = values.map((value) => ({
    label: `Line ${value.line}`,
    description: value.detector ?? "",
    value,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: "Mark as harmless in this workspace",
    placeHolder: "Choose one",
    ignoreFocusOut: true,
  });
  return chosen?.value;
}

function documentOf(built: Built, path: string): { readonly uri: string } {
  return { uri: vscode.Uri.joinPath(built.folder, path).toString() };
}

async function choose(
  candidates: readonly string[],
  folder: vscode.Uri,
  title: string,
): Promise<TargetParams | undefined> {
  const items = candidates.map((candidate) => ({ ...candidateLabel(candidate), candidate }));
  const chosen = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: "Choose one",
    matchOnDescription: true,
    ignoreFocusOut: true,
  });
  return chosen && candidateTarget(folder, chosen.candidate);
}

async function goTo(uri: vscode.Uri, line: number): Promise<void> {
  const position = new vscode.Position(line - 1, 0);
  await vscode.window.showTextDocument(uri, {
    selection: new vscode.Range(position, position),
    preview: false,
  });
}

function tooLarge(refusal: Refusal): readonly Offer[] {
  const listed: Offer[] = [];
  if (refusal.candidates.length > 0) {
    listed.push({
      act: "narrow",
      label: "Narrow…",
      candidates: refusal.candidates,
    });
  }
  const tokens = refusal.smallest_budget;
  if (tokens != null) {
    listed.push({ act: "raise", label: `Allow ${grouped(tokens)} Tokens Once`, tokens });
  }
  listed.push({ act: "settings", label: "Settings" });
  return listed;
}

function secret(refusal: Refusal): readonly Offer[] {
  const path = refusal.path;
  if (path === null) {
    return [];
  }
  // More than a few buttons do not fit into a notification.
  const listed: Offer[] = refusal.lines
    .slice(0, 2)
    .map((line): Offer => ({ act: "goTo", label: `Go to Line ${line}`, path, line }));
  const { canRedact, values } = secretActions(refusal);
  if (canRedact) {
    listed.push({ act: "redact", label: "Redact Once" });
  }
  if (values.length > 0) {
    listed.push({ act: "harmless", label: "Mark as Harmless…", path, values });
  }
  return listed;
}

/** What the server says can be done about a secret. */
function secretActions(refusal: Refusal): {
  readonly canRedact: boolean;
  readonly values: readonly Value[];
} {
  const { actions } = refusal;
  return {
    canRedact: actions.some((action) => action.kind === "redact_once"),
    values: actions.flatMap(({ kind, line, detector }) =>
      kind === "mark_harmless" && line !== null ? [{ line, detector }] : [],
    ),
  };
}

/** There is no such symbol, and a rule hides files that it may stand in. */
function hiddenByRule({ path, rule, source }: Refusal): readonly Offer[] {
  return path === null && rule !== null && source === NEVER_SEND
    ? [{ act: "allowRule", label: `Allow ${rule} in This Workspace…`, rule }]
    : [];
}

function withheld(refusal: Refusal): readonly Offer[] {
  if (refusal.path === null || refusal.source === null) {
    return [];
  }
  // What belongs to version control yields to nobody.
  if (refusal.source === "default:version_control") {
    return [];
  }
  if (refusal.source.startsWith("default:")) {
    return [{ act: "allow", label: "Allow in This Workspace…", path: refusal.path }];
  }
  const rule = RULE_IN_FILE.exec(refusal.source)?.groups;
  return rule
    ? [{ act: "goTo", label: "Show Rule", path: rule["path"] ?? "", line: Number(rule["line"]) }]
    : [];
}
