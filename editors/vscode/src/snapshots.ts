/** Context snapshots: store the last bundle as one, list them, show what was sent, compare two. */

import { userInfo } from "node:os";
import * as vscode from "vscode";
import type { Built } from "./builds";
import type { Server } from "./context";
import { SCHEME, type Documents } from "./documents";
import { refusalMessage } from "./refusalWords";
import {
  SNAPSHOT,
  type SnapshotAnswer,
  type SnapshotChange,
  type SnapshotEntry,
  type SnapshotParams,
} from "./protocol";

export interface SnapshotParts {
  readonly server: Server;
  readonly documents: Documents;
}

const COPY_TRAILER = "Copy Commit Trailer";
const NO_SNAPSHOTS = "There are no snapshots yet: run “Create Snapshot of the Context” first.";
const SHORT_ID = 13;

/** Store a bundle as a snapshot in the repository, and offer the line that links a commit to it. */
export async function createSnapshot(parts: SnapshotParts, built: Built): Promise<void> {
  const file = built.result.manifest?.selection.target_files[0];
  const answer = await ask(parts, {
    action: "create",
    result: built.result as unknown as Readonly<Record<string, unknown>>,
    createdBy: `human:${userInfo().username}`,
    textDocument: file ? { uri: vscode.Uri.joinPath(built.folder, file).toString() } : null,
  });
  const trailer = answer?.trailer;
  if (answer === undefined || trailer == null) {
    return;
  }
  const stored = `Snapshot ${answer.snapshots[0]?.object_id ?? ""} is stored in the repository.`;
  // Nobody is waited for: the message may stay for long.
  void vscode.window.showInformationMessage(stored, COPY_TRAILER).then(async (chosen) => {
    if (chosen === COPY_TRAILER) {
      await vscode.env.clipboard.writeText(trailer);
    }
  });
}

/** Choose a snapshot, then what to do with it. */
export async function listSnapshots(parts: SnapshotParts): Promise<void> {
  const entries = await snapshots(parts);
  const entry = await chosenOf(entries, "Context Snapshots");
  if (entry === undefined) {
    return;
  }
  const actions: { label: string; run: () => Promise<void> }[] = [
    { label: "$(list-tree) Show What It Holds", run: () => showPage(parts, entry, "show") },
    { label: "$(file) Show What Was Sent", run: () => showPage(parts, entry, "cat") },
    { label: "$(verified) Verify", run: () => showPage(parts, entry, "verify") },
    { label: "$(diff) Compare With…", run: () => compareWith(parts, entries, entry) },
    { label: "$(copy) Copy Commit Trailer", run: () => copyTrailer(entry) },
  ];
  const action = await vscode.window.showQuickPick(actions, { title: titleOf(entry) });
  await action?.run();
}

/** Choose two snapshots and show how they differ. */
export async function compareSnapshots(parts: SnapshotParts): Promise<void> {
  const entries = await snapshots(parts);
  const entry = await chosenOf(entries, "Compare Context Snapshots (1/2)");
  if (entry !== undefined) {
    await compareWith(parts, entries, entry);
  }
}

/** The older of the two is the left one, whichever was chosen first. */
async function compareWith(
  parts: SnapshotParts,
  entries: readonly SnapshotEntry[],
  entry: SnapshotEntry,
): Promise<void> {
  const others = entries.filter((each) => each.object_id !== entry.object_id);
  const other = await chosenOf(others, "Compare With");
  if (other === undefined) {
    return;
  }
  const [left, right] = inOrder(entry, other);
  const answer = await ask(parts, {
    action: "diff",
    id: left.object_id,
    other: right.object_id,
  });
  if (answer === undefined) {
    return;
  }
  await parts.documents.show(
    pageUri(`Compare: ${shortId(left)} and ${shortId(right)}`, "diff"),
    answer.rendered ?? "",
  );
  const change = await vscode.window.showQuickPick(answer.changes.map(changeItem), {
    title: "What Differs",
    placeHolder: "Choose a file to see both sides",
  });
  if (change?.hasSides === true) {
    await showSides(parts, left, right, change.path);
  }
}

/** Open both contents of an item in the editor's own compare view. */
async function showSides(
  parts: SnapshotParts,
  left: SnapshotEntry,
  right: SnapshotEntry,
  path: string,
): Promise<void> {
  const sides: vscode.Uri[] = [];
  for (const entry of [left, right]) {
    const answer = await ask(parts, { action: "cat", id: entry.object_id, path });
    if (answer === undefined) {
      return;
    }
    sides.push(parts.documents.keep(sideUri(entry, path), answer.rendered ?? ""));
  }
  const title = `${path} (${shortId(left)} ↔ ${shortId(right)})`;
  await vscode.commands.executeCommand("vscode.diff", sides[0], sides[1], title);
}

async function showPage(
  parts: SnapshotParts,
  entry: SnapshotEntry,
  action: "show" | "cat" | "verify",
): Promise<void> {
  const answer = await ask(parts, { action, id: entry.object_id });
  if (answer !== undefined) {
    const names = { show: "Snapshot", cat: "Sent", verify: "Verification" };
    const uri = pageUri(`${names[action]}: ${shortId(entry)}`, action === "cat" ? "md" : "txt");
    await parts.documents.show(uri, answer.rendered ?? "");
  }
}

async function copyTrailer(entry: SnapshotEntry): Promise<void> {
  await vscode.env.clipboard.writeText(`AI-Context: ${entry.object_id}`);
}

async function snapshots(parts: SnapshotParts): Promise<readonly SnapshotEntry[]> {
  const answer = await ask(parts, { action: "list" });
  if (answer !== undefined && answer.snapshots.length === 0) {
    void vscode.window.showInformationMessage(NO_SNAPSHOTS);
  }
  return [...(answer?.snapshots ?? [])].reverse();
}

async function chosenOf(
  entries: readonly SnapshotEntry[],
  title: string,
): Promise<SnapshotEntry | undefined> {
  if (entries.length === 0) {
    return undefined;
  }
  const chosen = await vscode.window.showQuickPick(entries.map(snapshotItem), {
    title,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.entry;
}

/** Ask in the folder of the active file; say what is refused and return nothing then. */
async function ask(
  { server }: SnapshotParts,
  params: SnapshotParams,
): Promise<SnapshotAnswer | undefined> {
  await server.ready();
  const uri = vscode.window.activeTextEditor?.document.uri;
  const here = uri?.scheme === SCHEME || uri === undefined ? null : { uri: uri.toString() };
  const answer = await server.request<SnapshotAnswer>(SNAPSHOT, { textDocument: here, ...params });
  if (answer.refusal !== null) {
    void vscode.window.showErrorMessage(refusalMessage(answer.refusal));
    return undefined;
  }
  return answer;
}

/** A snapshot in a list: when and what for, then by whom and at which commit. */
export function snapshotItem(
  entry: SnapshotEntry,
): vscode.QuickPickItem & { readonly entry: SnapshotEntry } {
  const commit = entry.commit === null ? "" : `, at ${entry.commit.slice(0, 10)}`;
  return {
    label: entry.summary ?? `${entry.items} ${entry.items === 1 ? "item" : "items"}`,
    description: `${entry.created_at.slice(0, 19).replace("T", " ")} by ${entry.created_by}`,
    detail: `${entry.object_id}${commit}`,
    entry,
  };
}

/** A difference in a list. Both sides can be shown where an item is in both and is a text. */
export function changeItem(
  change: SnapshotChange,
): vscode.QuickPickItem & { readonly path: string; readonly hasSides: boolean } {
  const icon = { "-": "$(diff-removed)", "+": "$(diff-added)" }[change.mark] ?? "$(diff-modified)";
  return {
    label: `${icon} ${change.where || change.what}`,
    description: change.where ? `${change.what}  ${change.detail}` : change.detail,
    path: change.where,
    hasSides: change.patch !== "",
  };
}

/** Ids begin with their time, so their order is that of time. */
export function inOrder(one: SnapshotEntry, other: SnapshotEntry): [SnapshotEntry, SnapshotEntry] {
  return one.object_id <= other.object_id ? [one, other] : [other, one];
}

export function sideUri(entry: SnapshotEntry, path: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${path}`, query: entry.object_id });
}

function pageUri(title: string, extension: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/${title}.${extension}` });
}

function titleOf(entry: SnapshotEntry): string {
  return `Snapshot ${shortId(entry)}`;
}

function shortId(entry: SnapshotEntry): string {
  return entry.object_id.slice(0, SHORT_ID);
}
