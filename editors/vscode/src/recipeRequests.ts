/**
 * What a recipe is asked for: the parameters of a review, of a fix, of an issue, of a task pack.
 *
 * Plain values throughout: nothing here asks the server or shows anything.
 */

import * as vscode from "vscode";
import type { BuildRecipeParams } from "./protocol";

/** What a review is of. */
export type Change =
  | { readonly kind: "branch" | "staged" | "uncommitted" }
  | { readonly kind: "since"; readonly revision: string };

/** A file and what is wrong in it. */
export type Diagnosed = readonly [uri: vscode.Uri, diagnostics: readonly vscode.Diagnostic[]];

/** Secrets and the like are told by Sightline itself: no code is wrong because of them. */
export const OWN_SOURCE = "sightline";
const MOST_FILES = 50;
const MOST_DIAGNOSTICS = 1000;
const MOST_IN_A_TITLE = 60;

/** A review of a change to the repository that a file is in. */
export function reviewParams(change: Change, root: vscode.Uri): BuildRecipeParams {
  // Any file of the folder names it.
  const textDocument = { uri: vscode.Uri.joinPath(root, ".gitignore").toString() };
  const params = { recipe: "review", textDocument } as const;
  switch (change.kind) {
    case "branch":
      return params;
    case "staged":
      return { ...params, base: "HEAD", staged: true };
    case "uncommitted":
      return { ...params, base: "HEAD" };
    case "since":
      return { ...params, ...rangeOf(change.revision) };
  }
}

/** `A`, or `A..B` with both ends. */
function rangeOf(written: string): { base: string; head?: string } {
  const range = /^(?<base>.+?)\.{2,3}(?<head>.+)$/.exec(written.trim());
  return range?.groups
    ? { base: range.groups["base"] ?? "", head: range.groups["head"] ?? "" }
    : { base: written.trim() };
}

/** What a group of the source-control view holds; undefined where it is not one of git's. */
export function changeOfGroup(group: string): Change | undefined {
  switch (group) {
    case "index":
      return { kind: "staged" };
    case "workingTree":
    case "untracked":
    case "merge":
      return { kind: "uncommitted" };
    default:
      return undefined;
  }
}

/** A fix of what diagnostics say; undefined where they say nothing about code. */
export function fixParams(found: readonly Diagnosed[]): BuildRecipeParams | undefined {
  const files = found
    .map(([uri, diagnostics]): Diagnosed => [uri, diagnostics.filter(isAboutCode)])
    .filter(([uri, diagnostics]) => uri.scheme !== "sightline" && diagnostics.length > 0)
    .slice(0, MOST_FILES);
  const first = files[0];
  if (first === undefined) {
    return undefined;
  }
  const items = files.map(([uri, diagnostics]) => ({
    kind: "full",
    uri: uri.toString(),
    items: diagnostics.slice(0, MOST_DIAGNOSTICS).map(written),
  }));
  return {
    recipe: "fix",
    report: JSON.stringify({ items }),
    fileUris: files.map(([uri]) => uri.toString()),
    textDocument: { uri: first[0].toString() },
  };
}

/** What a diagnostic says, in the words of the protocol. */
function written(diagnostic: vscode.Diagnostic): object {
  const { range, message, severity, source } = diagnostic;
  const code = typeof diagnostic.code === "object" ? diagnostic.code.value : diagnostic.code;
  return {
    range: { start: place(range.start), end: place(range.end) },
    message,
    severity: severity + 1,
    ...(code === undefined ? {} : { code }),
    ...(source === undefined ? {} : { source }),
  };
}

function place({ line, character }: vscode.Position): object {
  return { line, character };
}

export function isAboutCode(diagnostic: vscode.Diagnostic): boolean {
  return diagnostic.source !== OWN_SOURCE;
}

/** The diagnostics on a line of a file, or all of the file where the line has none. */
export function nearest(
  diagnostics: readonly vscode.Diagnostic[],
  line: number,
): readonly vscode.Diagnostic[] {
  const about = diagnostics.filter(isAboutCode);
  const here = about.filter(({ range }) => range.start.line <= line && line <= range.end.line);
  return here.length > 0 ? here : about;
}

/** The document of a recipe: `about` stands in its title. */
export function recipeUri(title: string, about: string): vscode.Uri {
  const plain = about.replace(/[/\\\p{C}]/gu, "-");
  const short = plain.length > MOST_IN_A_TITLE ? `${plain.slice(0, MOST_IN_A_TITLE)}…` : plain;
  return vscode.Uri.from({ scheme: "sightline", path: `/${title}: ${short}.md` });
}

/** Whether a document is that of a recipe, which is copied as it is. */
export function isRecipe(uri: vscode.Uri | undefined): boolean {
  return uri?.scheme === "sightline" && /^\/(?:Review|Fix|Issue|Task|Project) (?:Context|Pack): /.test(uri.path);
}
