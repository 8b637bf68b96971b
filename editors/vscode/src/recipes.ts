/** Context for a review, for diagnostics, for an issue and for a task file. */

import * as vscode from "vscode";
import { answerOf } from "./builds";
import type { Server } from "./context";
import type { Documents } from "./documents";
import type { Focus } from "./focus";
import { grouped } from "./numbers";
import {
  BUILD_RECIPE,
  BUILD_TASK_PACK,
  type BuildRecipeAnswer,
  type BuildRecipeParams,
  type BuildTaskPackAnswer,
  type BuildTaskPackParams,
} from "./protocol";
import {
  changeOfGroup,
  fixParams,
  isAboutCode,
  nearest,
  recipeUri,
  reviewParams,
  type Change,
  type Diagnosed,
} from "./recipeRequests";
import { refusalMessage } from "./refusalWords";

export interface RecipeParts {
  readonly server: Server;
  readonly documents: Documents;
  readonly focus: Focus;
  readonly log: vscode.LogOutputChannel;
}

const MESSAGE_MILLISECONDS = 8000;
const MOST_BYTES = 5 * 1024 * 1024;
const NOTHING_WRONG = "There is no diagnostic here that a fix could be built for.";

/** The change of a repository, from the source-control view or from the palette. */
export async function buildReview(parts: RecipeParts, argument: unknown): Promise<void> {
  const given = argument as { rootUri?: vscode.Uri; id?: string } | undefined;
  const root = given?.rootUri ?? folderOfFocus(parts);
  if (root === undefined) {
    void vscode.window.showInformationMessage("Open a folder first: a review is of a repository.");
    return;
  }
  const change = changeOfGroup(given?.id ?? "") ?? (await chosenChange());
  if (change !== undefined) {
    const name = root.path.split("/").at(-1) ?? "repository";
    const what = change.kind === "since" ? change.revision : change.kind;
    await build(parts, reviewParams(change, root), recipeUri("Review Context", `${name}, ${what}`));
  }
}

/** What diagnostics say: those that are named, those at the cursor, or the file's. */
export async function buildFix(
  parts: RecipeParts,
  uri: unknown,
  diagnostics: unknown,
): Promise<void> {
  const found = diagnosed(parts, uri, diagnostics);
  const params = fixParams(found);
  if (params === undefined) {
    void vscode.window.showInformationMessage(NOTHING_WRONG);
    return;
  }
  const name = found.length === 1 ? (found[0]?.[0].path.split("/").at(-1) ?? "file") : "workspace";
  await build(parts, params, recipeUri("Fix Context", name));
}

/** An issue in a file: its JSON, or its text. */
export async function buildIssue(parts: RecipeParts, argument: unknown): Promise<void> {
  const uri = await chosenFile(argument, "Build Context for an Issue", {
    "Issues (JSON or text)": ["json", "md", "txt"],
    "All files": ["*"],
  });
  const issue = uri && (await textOf(uri));
  if (uri !== undefined && issue !== undefined) {
    const params = { recipe: "issue", issue, textDocument: folderDocument(parts, uri) } as const;
    await build(parts, params, recipeUri("Issue Context", fileName(uri)));
  }
}

/** A task file: the pack for the tier that a person chooses. */
export async function buildTaskPack(parts: RecipeParts, argument: unknown): Promise<void> {
  const uri = await chosenFile(argument, "Build Context Pack for a Task File", {
    "Tasks (JSON or YAML)": ["json", "yaml", "yml"],
  });
  const task = uri && (await textOf(uri));
  if (uri === undefined || task === undefined) {
    return;
  }
  const tiers = [
    { label: "default", description: "60,000 characters" },
    { label: "strong", description: "120,000 characters" },
    { label: "cheap", description: "25,000 characters" },
  ] as const;
  const tier = await vscode.window.showQuickPick(tiers, { title: "For which tier of models" });
  if (tier === undefined) {
    return;
  }
  const params: BuildTaskPackParams = {
    task,
    tier: tier.label,
    textDocument: folderDocument(parts, uri),
  };
  const result = await answerOf<BuildTaskPackAnswer>(
    parts.server,
    BUILD_TASK_PACK,
    params,
    parts.log,
    "Building the context pack",
  );
  const size = typeof result?.pack["totalChars"] === "number" ? result.pack["totalChars"] : 0;
  await show(parts, result, recipeUri("Task Pack", fileName(uri)), `${grouped(size)} characters`);
}

/** The lightbulb of every editor and of the Problems panel. */
export function registerFixActions(): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider(
    { scheme: "file" },
    {
      provideCodeActions(document, _range, context) {
        const diagnostics = context.diagnostics.filter(isAboutCode);
        if (diagnostics.length === 0) {
          return [];
        }
        const action = new vscode.CodeAction("Build Fix Context", vscode.CodeActionKind.QuickFix);
        action.diagnostics = diagnostics;
        action.command = {
          command: "sightline.buildFix",
          title: action.title,
          arguments: [document.uri, diagnostics],
        };
        return [action];
      },
    },
    { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
  );
}

async function build(
  parts: RecipeParts,
  params: BuildRecipeParams,
  uri: vscode.Uri,
): Promise<void> {
  const result = await answerOf<BuildRecipeAnswer>(
    parts.server,
    BUILD_RECIPE,
    params,
    parts.log,
    "Building AI context",
  );
  await show(parts, result, uri, `${grouped(result?.tokens ?? 0)} tokens`);
}

async function show(
  { documents }: RecipeParts,
  result: BuildRecipeAnswer | BuildTaskPackAnswer | undefined,
  uri: vscode.Uri,
  size: string,
): Promise<void> {
  if (result === undefined) {
    return;
  }
  if (result.refusal !== null || result.rendered === null) {
    void vscode.window.showErrorMessage(
      result.refusal ? refusalMessage(result.refusal) : "The server sent no text.",
    );
    return;
  }
  await documents.show(uri, result.rendered);
  vscode.window.setStatusBarMessage(`$(check) AI context: ${size}`, MESSAGE_MILLISECONDS);
}

function diagnosed({ focus }: RecipeParts, uri: unknown, diagnostics: unknown): Diagnosed[] {
  if (uri instanceof vscode.Uri && Array.isArray(diagnostics)) {
    return [[uri, diagnostics as vscode.Diagnostic[]]];
  }
  const editor = focus.editor;
  if (editor !== undefined) {
    const { document, selection } = editor;
    const here = nearest(vscode.languages.getDiagnostics(document.uri), selection.active.line);
    if (here.length > 0) {
      return [[document.uri, here]];
    }
  }
  return vscode.languages
    .getDiagnostics()
    .filter(([each]) => vscode.workspace.getWorkspaceFolder(each) !== undefined)
    .map(([each, all]): Diagnosed => [each, all.filter(isError)])
    .filter(([, all]) => all.length > 0);
}

function isError(diagnostic: vscode.Diagnostic): boolean {
  return isAboutCode(diagnostic) && diagnostic.severity === vscode.DiagnosticSeverity.Error;
}

async function chosenChange(): Promise<Change | undefined> {
  const items = [
    {
      label: "Since the Branch Began",
      detail: "From the common ancestor with main or master to the work tree",
      change: "branch",
    },
    { label: "Staged Changes", detail: "What the next commit takes", change: "staged" },
    { label: "Uncommitted Changes", detail: "From HEAD to the work tree", change: "uncommitted" },
    { label: "Since a Revision…", detail: "From A, or from A to B as A..B", change: "since" },
  ] as const;
  const chosen = await vscode.window.showQuickPick(items, { title: "Build Review Context" });
  if (chosen === undefined || chosen.change !== "since") {
    return chosen && { kind: chosen.change };
  }
  const revision = await vscode.window.showInputBox({
    title: "Build Review Context",
    prompt: "A branch, a tag or a commit; or two of them, as A..B",
    ignoreFocusOut: true,
  });
  return revision?.trim() ? { kind: "since", revision: revision.trim() } : undefined;
}

async function chosenFile(
  argument: unknown,
  title: string,
  filters: Record<string, string[]>,
): Promise<vscode.Uri | undefined> {
  if (argument instanceof vscode.Uri) {
    return argument;
  }
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const chosen = await vscode.window.showOpenDialog({
    title,
    filters,
    ...(folder === undefined ? {} : { defaultUri: folder }),
  });
  return chosen?.[0];
}

/** What the editor shows of a file, saved or not; else what the disk has. */
async function textOf(uri: vscode.Uri): Promise<string | undefined> {
  const open = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
  if (open !== undefined) {
    return open.getText();
  }
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size > MOST_BYTES) {
    void vscode.window.showErrorMessage(`${fileName(uri)} is larger than 5 MiB.`);
    return undefined;
  }
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
}

/** A file of the folder that a context is built in: that of the chosen file, else of the focus. */
function folderDocument(parts: RecipeParts, uri: vscode.Uri): { uri: string } | null {
  const inFolder = vscode.workspace.getWorkspaceFolder(uri) ? uri : parts.focus.editor?.document.uri;
  return inFolder === undefined ? null : { uri: inFolder.toString() };
}

function folderOfFocus({ focus }: RecipeParts): vscode.Uri | undefined {
  const uri = focus.editor?.document.uri;
  const around = uri && vscode.workspace.getWorkspaceFolder(uri)?.uri;
  return around ?? vscode.workspace.workspaceFolders?.[0]?.uri;
}

function fileName(uri: vscode.Uri): string {
  return uri.path.split("/").at(-1) ?? "file";
}
