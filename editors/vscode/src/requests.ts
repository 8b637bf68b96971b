/**
 * What is asked for: the parameters of a build, from an editor, a choice or a change.
 *
 * Plain values throughout: nothing here asks the server or shows anything.
 */

import * as vscode from "vscode";
import type { BuildContextParams, TargetParams } from "./protocol";

/** What a person changes about the current build, by URI. */
export interface Change {
  readonly add?: readonly string[];
  readonly drop?: readonly string[];
  readonly restore?: readonly string[];
}

/** A symbol as the server lists it. */
export interface WorkspaceSymbol {
  readonly name: string;
  readonly containerName?: string | null;
  readonly location: { readonly uri: string; readonly range: { readonly start: { line: number } } };
}

/** The symbol at the cursor, or the symbols of the selection. */
export function paramsOf(editor: vscode.TextEditor): BuildContextParams {
  const { document, selection } = editor;
  const textDocument = { uri: document.uri.toString() };
  const place = (position: vscode.Position) => ({
    line: position.line,
    character: position.character,
  });
  return selection.isEmpty
    ? { textDocument, position: place(selection.active) }
    : { textDocument, range: { start: place(selection.start), end: place(selection.end) } };
}

/** What a build is for, as one target that others are explained with regard to. */
export function targetOf(params: BuildContextParams): TargetParams | undefined {
  const named = params.targets?.[0];
  if (named !== undefined) {
    return named.uri == null ? (params.userSelectedTargets?.[0] ?? named) : named;
  }
  const uri = params.textDocument?.uri;
  return uri === undefined
    ? params.userSelectedTargets?.[0]
    : { uri, position: params.position ?? null, range: params.range ?? null };
}

/** The parameters of a build with a person's change to it. What is dropped is not asked for. */
export function changed(params: BuildContextParams, change: Change): BuildContextParams {
  const add = change.add ?? [];
  const drop = change.drop ?? [];
  const back = new Set([...add, ...(change.restore ?? [])]);
  const dropped = [...(params.droppedUris ?? []).filter((uri) => !back.has(uri)), ...drop];
  const selected = (params.userSelectedTargets ?? []).filter((each) => !named(each, drop));
  const known = new Set(selected.filter((each) => isWholeFile(each)).map((each) => each.uri));
  return {
    ...params,
    droppedUris: [...new Set(dropped)],
    userSelectedTargets: [
      ...selected,
      ...add.filter((uri) => !known.has(uri)).map((uri): TargetParams => ({ uri })),
    ],
  };
}

/** A task and its constraints, as a person types them: constraints are parted by semicolons. */
export function taskOf(intent: string, constraints: string): BuildContextParams {
  const parts = constraints.split(";").map((each) => each.trim());
  return {
    ...(intent.trim() === "" ? {} : { intent: intent.trim() }),
    constraints: parts.filter((each) => each !== "").map((text) => ({ text })),
  };
}

/** The choice among namesakes stands beside the name that was asked for. */
export function withChoice(params: BuildContextParams, target: TargetParams): BuildContextParams {
  return { ...params, userSelectedTargets: [...(params.userSelectedTargets ?? []), target] };
}

/** A smaller target stands in the place of all that was asked for. */
export function narrowed(params: BuildContextParams, target: TargetParams): BuildContextParams {
  const { position: _position, range: _range, planStep: _planStep, ...rest } = params;
  return { ...rest, targets: [target] };
}

/** The workspace folder that a build is of: the innermost one around the first file it names. */
export function folderOf(params: BuildContextParams): vscode.Uri {
  const named = [...(params.targets ?? []), ...(params.userSelectedTargets ?? [])];
  const uri = params.textDocument?.uri ?? named.find((each) => each.uri)?.uri;
  if (uri) {
    const parsed = vscode.Uri.parse(uri);
    return vscode.workspace.getWorkspaceFolder(parsed)?.uri ?? vscode.Uri.joinPath(parsed, "..");
  }
  // The server takes the first folder in the order of their paths, too.
  const folders = [...(vscode.workspace.workspaceFolders ?? [])];
  folders.sort((one, other) => (one.uri.fsPath < other.uri.fsPath ? -1 : 1));
  return folders[0]?.uri ?? vscode.Uri.file("/");
}

/** A candidate as a target: `path::symbol`, `path::symbol:LINE`, or a path of the folder. */
export function candidateTarget(folder: vscode.Uri, candidate: string): TargetParams {
  const separator = candidate.indexOf("::");
  const path = separator < 0 ? candidate : candidate.slice(0, separator);
  const uri = vscode.Uri.joinPath(folder, path).toString();
  return separator < 0 ? { uri } : { uri, symbol: candidate.slice(separator + 2) };
}

/** A candidate as people read it: its name, and the file and line where it stands. */
export function candidateLabel(candidate: string): { label: string; description: string } {
  const separator = candidate.indexOf("::");
  if (separator < 0) {
    return { label: candidate, description: "" };
  }
  const path = candidate.slice(0, separator);
  const place = /^(?<name>.+?):(?<line>[0-9]+)(?:#[0-9]+)?$/s.exec(candidate.slice(separator + 2));
  return place?.groups
    ? { label: place.groups["name"] ?? "", description: `${path}:${place.groups["line"]}` }
    : { label: candidate.slice(separator + 2), description: path };
}

/** The spelling that the server gives to a choice: a name with its line names one symbol. */
export function targetOfSymbol(symbol: WorkspaceSymbol): TargetParams {
  const name = symbol.containerName ? `${symbol.containerName}.${symbol.name}` : symbol.name;
  return {
    uri: symbol.location.uri,
    symbol: `${name}:${symbol.location.range.start.line + 1}`,
  };
}

function named(target: TargetParams, uris: readonly string[]): boolean {
  return target.uri != null && uris.includes(target.uri);
}

function isWholeFile(target: TargetParams): boolean {
  return target.symbol == null && target.position == null && target.range == null;
}
