/** The commands that a person runs. Each converts, asks and shows; none decides. */

import * as vscode from "vscode";
import type { Builds, Built } from "./builds";
import { ServerUnavailableError, type Server } from "./context";
import { explanationUri, manifestUri, verificationUri, type Documents } from "./documents";
import { differencesPage, explanationPage } from "./pages";
import { buildProjectPack } from "./packs";
import { pickTargets } from "./picking";
import type { Focus } from "./focus";
import { refusalMessage } from "./refusalWords";
import { grouped } from "./numbers";
import { buildFix, buildIssue, buildReview, buildTaskPack, registerFixActions } from "./recipes";
import { paramsOf, targetOf, taskOf } from "./requests";
import { compareSnapshots, createSnapshot, listSnapshots } from "./snapshots";
import {
  EXPLAIN,
  MODELS,
  USER_SETTINGS_COMMAND,
  VERIFY,
  type BuildContextParams,
  type ExplainAnswer,
  type ExplainParams,
  type ModelsAnswer,
  type UserSettingsResult,
  type VerifyAnswer,
  type VerifyParams,
} from "./protocol";

export interface Parts {
  readonly server: Server;
  readonly builds: Builds;
  readonly documents: Documents;
  readonly focus: Focus;
  readonly log: vscode.LogOutputChannel;
  /** Say again what is wrong with the server, and what helps. */
  showProblem(): void;
}

const NO_FILE =
  "Open a file of the workspace first: the AI context is built for what is at the cursor.";
const NOTHING_BUILT = "Nothing was built yet: run “Build AI Context” first.";
const MESSAGE_MILLISECONDS = 8000;

export function registerCommands(parts: Parts): vscode.Disposable {
  const commands: Record<string, (...args: unknown[]) => unknown> = {
    "sightline.build": () => build(parts),
    "sightline.buildNow": () => build(parts, { takeIncomplete: true }),
    "sightline.buildTask": () => buildTask(parts),
    "sightline.selectModel": () => selectModel(parts),
    "sightline.buildFile": (uri, uris) => buildFile(parts, uri, uris),
    "sightline.copy": (uri) => copy(parts, uri),
    "sightline.pickTargets": () => pick(parts),
    "sightline.explain": () => explain(parts),
    "sightline.verify": (uri) => verify(parts, uri),
    "sightline.showManifest": (uri) => showManifest(parts, uri),
    "sightline.createSnapshot": (uri) => snapshot(parts, uri),
    "sightline.listSnapshots": () => listSnapshots(parts),
    "sightline.compareSnapshots": () => compareSnapshots(parts),
    "sightline.restart": () => parts.server.restart(),
    "sightline.showLog": () => parts.log.show(),
    "sightline.showProblem": () => parts.showProblem(),
    "sightline.openUserSettings": () => openUserSettings(parts),
    "sightline.buildReview": (source) => buildReview(parts, source),
    "sightline.buildFix": (uri, diagnostics) => buildFix(parts, uri, diagnostics),
    "sightline.buildIssue": (uri) => buildIssue(parts, uri),
    "sightline.buildTaskPack": (uri) => buildTaskPack(parts, uri),
    "sightline.buildProjectPack": (uri, uris) => buildProjectPack(parts, uri, uris),
  };
  return vscode.Disposable.from(
    registerFixActions(),
    ...Object.entries(commands).map(([name, run]) =>
      vscode.commands.registerCommand(name, async (...args: unknown[]) => {
        try {
          await run(...args);
        } catch (error) {
          if (!(error instanceof ServerUnavailableError)) {
            const message = error instanceof Error ? error.message : String(error);
            parts.log.error(`${name} failed: ${message}`);
            void vscode.window.showErrorMessage(`Sightline: ${message}`);
          }
        }
      }),
    ),
  );
}

async function build({ builds, focus }: Parts, given: BuildContextParams = {}): Promise<void> {
  if (focus.editor === undefined) {
    void vscode.window.showInformationMessage(NO_FILE);
    return;
  }
  await builds.build({ ...paramsOf(focus.editor), ...given });
}

/** Ask for the task and its constraints first; an empty one is left out. */
async function buildTask(parts: Parts): Promise<void> {
  const intent = await vscode.window.showInputBox({
    title: "Build AI Context for a Task (1/2)",
    prompt: "What is to be done, in your words",
    ignoreFocusOut: true,
  });
  if (intent === undefined) {
    return;
  }
  const constraints = await vscode.window.showInputBox({
    title: "Build AI Context for a Task (2/2)",
    prompt: "What must hold, separated by semicolons; may be empty",
    ignoreFocusOut: true,
  });
  if (constraints !== undefined) {
    await build(parts, taskOf(intent, constraints));
  }
}

async function selectModel({ server }: Parts): Promise<void> {
  await server.ready();
  const known = await server.request<ModelsAnswer>(MODELS, {});
  if (known.refusal !== null) {
    void vscode.window.showErrorMessage(refusalMessage(known.refusal));
    return;
  }
  const items = known.models.map((each) => ({
    label: each.model,
    description: `${grouped(each.max_input_tokens)} tokens, ${each.provider}`,
    ...(each.model === known.selected ? { detail: "$(check) in use" } : {}),
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: "Select Model…",
    placeHolder: known.note ?? "A name stands for all models whose name begins with it",
  });
  if (chosen !== undefined) {
    await vscode.workspace
      .getConfiguration("sightline")
      .update("model.name", chosen.label, vscode.ConfigurationTarget.Global);
  }
}

/** A file, or all files that are selected in the explorer. */
async function buildFile({ builds, focus }: Parts, argument: unknown, all: unknown): Promise<void> {
  const selected = Array.isArray(all) ? all.filter((each) => each instanceof vscode.Uri) : [];
  if (selected.length > 1) {
    await builds.build({ targets: selected.map((each) => ({ uri: each.toString() })) });
    return;
  }
  const uri = argument instanceof vscode.Uri ? argument : focus.editor?.document.uri;
  if (uri === undefined) {
    void vscode.window.showInformationMessage(NO_FILE);
    return;
  }
  await builds.build({ textDocument: { uri: uri.toString() } });
}

/** A bundle that is open is copied as it is; else what is at the cursor is built. */
async function copy({ builds, focus, documents }: Parts, argument: unknown): Promise<void> {
  const shown =
    argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
  const rendered = documents.builtOf(shown)?.result.rendered ?? documents.recipeText(shown);
  if (rendered != null) {
    await vscode.env.clipboard.writeText(rendered);
    vscode.window.setStatusBarMessage("$(copy) AI context copied", MESSAGE_MILLISECONDS);
    return;
  }
  if (focus.editor === undefined) {
    void vscode.window.showInformationMessage(NO_FILE);
    return;
  }
  await builds.copy(paramsOf(focus.editor));
}

async function pick({ server, builds, focus }: Parts): Promise<void> {
  await server.ready();
  const targets = await pickTargets(server);
  if (targets.length === 0) {
    return;
  }
  const uri = focus.editor?.document.uri;
  // A bare name is looked for in one folder: with several, in that of the active file.
  const isBare = targets.every((target) => target.uri == null);
  const isInFolder = uri !== undefined && vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  await builds.build(
    isBare && isInFolder ? { textDocument: { uri: uri.toString() }, targets } : { targets },
  );
}

async function explain({ server, builds, focus, documents }: Parts): Promise<void> {
  const editor = focus.editor;
  if (editor === undefined) {
    void vscode.window.showInformationMessage(NO_FILE);
    return;
  }
  const uri = editor.document.uri;
  const current = builds.current;
  const target = current && isOfSameFolder(current, uri) ? targetOf(current.params) : undefined;
  const params: ExplainParams = {
    textDocument: { uri: uri.toString() },
    position: { line: editor.selection.active.line, character: editor.selection.active.character },
    target: target ?? null,
  };
  const result = await server.request<ExplainAnswer>(EXPLAIN, params);
  const name = result.symbol ?? uri.path.split("/").at(-1) ?? "file";
  const asked = target && current?.result.manifest?.selection;
  await documents.show(
    explanationUri(name),
    explanationPage(result, asked?.target_symbols[0] ?? asked?.target_files[0]),
  );
}

function isOfSameFolder(built: Built, uri: vscode.Uri): boolean {
  return vscode.workspace.getWorkspaceFolder(uri)?.uri.toString() === built.folder.toString();
}

async function verify(parts: Parts, argument: unknown): Promise<void> {
  const { server, documents } = parts;
  const built = builtAt(parts, argument);
  if (built === undefined || built.result.bundle === null) {
    void vscode.window.showInformationMessage(NOTHING_BUILT);
    return;
  }
  const inFolder = built.result.manifest?.selection.target_files[0];
  const params: VerifyParams = {
    result: built.result,
    textDocument: inFolder ? { uri: vscode.Uri.joinPath(built.folder, inFolder).toString() } : null,
  };
  const answer = await server.request<VerifyAnswer>(VERIFY, params);
  if (answer.status === "verified") {
    void vscode.window.showInformationMessage("Sightline: verified, byte for byte.");
    return;
  }
  await documents.show(verificationUri(built), differencesPage(answer));
}

/** The build of a document that is named or active, else the last one. */
function builtAt({ builds, documents }: Parts, argument: unknown): Built | undefined {
  const active = vscode.window.activeTextEditor?.document.uri;
  const shown = argument instanceof vscode.Uri ? argument : active;
  return documents.builtOf(shown) ?? builds.current;
}

async function snapshot(parts: Parts, argument: unknown): Promise<void> {
  const built = builtAt(parts, argument);
  if (built === undefined || built.result.bundle === null) {
    void vscode.window.showInformationMessage(NOTHING_BUILT);
    return;
  }
  await createSnapshot(parts, built);
}

async function showManifest(parts: Parts, argument: unknown): Promise<void> {
  const { documents } = parts;
  const built = builtAt(parts, argument);
  if (built === undefined || built.result.manifest === null) {
    void vscode.window.showInformationMessage(NOTHING_BUILT);
    return;
  }
  const { manifest, redaction_report, budget_report } = built.result;
  await documents.show(
    manifestUri(built),
    `${JSON.stringify({ manifest, redaction_report, budget_report }, undefined, 2)}\n`,
    built,
  );
}

async function openUserSettings({ server }: Parts): Promise<void> {
  const { path, refusal } = await server.command<UserSettingsResult>(USER_SETTINGS_COMMAND);
  if (path === null) {
    void vscode.window.showErrorMessage(
      refusal ? refusalMessage(refusal) : "There is no such file.",
    );
    return;
  }
  await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: false });
}
