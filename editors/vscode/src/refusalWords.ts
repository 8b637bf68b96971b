/** A refusal in words: the server's own. */

import * as vscode from "vscode";
import type { Refusal } from "./protocol";

/** The server's words in one line, with the rule that withholds a path and where it stands. */
export function refusalMessage(refusal: Refusal): string {
  const isRule = refusal.kind === "UnsupportedTarget" && refusal.rule !== null;
  const rule = isRule ? ` [${refusal.rule}${refusal.source ? ` in ${refusal.source}` : ""}]` : "";
  return `${sentence(refusal.message, rule)} ${sentence(refusal.advice)}`.trim();
}

/** Whether the answer to a command is a refusal, which the person is told. */
export function tellRefused(answer: unknown): boolean {
  const refusal = (answer as { refusal?: Refusal | null } | null)?.refusal;
  // Who has just said no need not be told.
  if (refusal && refusal.reason !== "not_confirmed") {
    void vscode.window.showErrorMessage(refusalMessage(refusal));
  }
  return Boolean(refusal);
}

/** Starts with a capital and ends with a full stop, whatever stands in it. */
function sentence(text: string, addition = ""): string {
  const bare = text.replace(/\.$/, "");
  return bare === "" ? "" : `${bare.charAt(0).toUpperCase()}${bare.slice(1)}${addition}.`;
}
