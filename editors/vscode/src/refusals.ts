/** Refusals as things to do. What is said is the server's words; what is offered is ours. */

import * as vscode from "vscode";
import type { Built } from "./builds";
import type { Server } from "./context";
import { grouped } from "./numbers";
import { ALLOW_PATH_COMMAND, type BuildContextParams, type Refusal, type TargetParams } from "./protocol";
import { candidateLabel, candidateTarget, narrowed, withChoice } from "./requests";

/** Something that a person can do about a refusal. */
export type Offer =
  | { readonly act: "choose"; readonly label: string; readonly candidates: readonly string[] }
  | { readonly act: "narrow"; readonly label: string; readonly candidates: readonly string[] }
  | { readonly act: "raise"; readonly label: string; readonly tokens: number }
  | { readonly act: "goTo"; readonly label: string; readonly path: string; readonly line: number }
  | { readonly act: "allow"; readonly label: string; readonly path: string }
  | { readonly act: "settings"; readonly label: string }
  | { readonly act: "userSettings"; readonly label: string }
  | { readonly act: "retry"; readonly label: string };

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
      return [];
  }
}

/** The server's words in one line, with the rule that withholds a path and where it stands. */
export function refusalMessage(refusal: Refusal): string {
  const isRule = refusal.kind === "UnsupportedTarget" && refusal.rule !== null;
  const rule = isRule ? ` [${refusal.rule}${refusal.source ? ` in ${refusal.source}` : ""}]` : "";
  return `${sentence(refusal.message, rule)} ${sentence(refusal.advice)}`.trim();
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

/** Whether the answer to a command is a refusal, which the person is told. */
export function tellRefused(answer: unknown): boolean {
  const refusal = (answer as { refusal?: Refusal | null } | null)?.refusal;
  if (refusal) {
    void vscode.window.showErrorMessage(refusalMessage(refusal));
  }
  return Boolean(refusal);
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
    case "allow":
      return tellRefused(await server.command(ALLOW_PATH_COMMAND, offer.path))
        ? undefined
        : built.params;
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
  const lines = path === null ? [] : refusal.lines;
  // More than a few buttons do not fit into a notification.
  const places = lines
    .slice(0, 3)
    .map((line): Offer => ({ act: "goTo", label: `Go to Line ${line}`, path: path ?? "", line }));
  return [...places, { act: "userSettings", label: "Open User Settings File" }];
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
    return [{ act: "allow", label: "Allow This Path", path: refusal.path }];
  }
  const rule = RULE_IN_FILE.exec(refusal.source)?.groups;
  return rule
    ? [{ act: "goTo", label: "Show Rule", path: rule["path"] ?? "", line: Number(rule["line"]) }]
    : [];
}

/** Starts with a capital and ends with a full stop, whatever stands in it. */
function sentence(text: string, addition = ""): string {
  const bare = text.replace(/\.$/, "");
  return bare === "" ? "" : `${bare.charAt(0).toUpperCase()}${bare.slice(1)}${addition}.`;
}
