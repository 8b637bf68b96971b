/** Project packs: what a folder, or the whole workspace, is. */

import * as vscode from "vscode";
import { answerOf } from "./builds";
import { grouped } from "./numbers";
import { chosenUris, packParams } from "./packRequests";
import { BUILD_PROJECT_PACK, type BuildProjectPackAnswer } from "./protocol";
import { recipeUri } from "./recipeRequests";
import type { RecipeParts } from "./recipes";
import { refusalMessage } from "./refusalWords";

const MESSAGE_MILLISECONDS = 8000;
const NO_FOLDER = "Open a folder first: a pack is of a project.";
const TYPES = [
  { label: "auto", description: "Every text if it is within the limits, else a summary" },
  { label: "full", description: "Every text within the limits" },
  { label: "summary", description: "What the project is, from its index, files and history" },
  { label: "map", description: "The most used signatures within 4,096 tokens" },
] as const;

/** Of the folders and files that were chosen in the explorer; from the palette, of the workspace. */
export async function buildProjectPack(
  parts: RecipeParts,
  uri: unknown,
  uris: unknown,
): Promise<void> {
  const chosen = chosenUris(uri, uris);
  const folder = chosen[0] ?? folderOf(parts);
  if (folder === undefined) {
    void vscode.window.showInformationMessage(NO_FOLDER);
    return;
  }
  const type = await vscode.window.showQuickPick(TYPES, { title: "Build Project Pack" });
  if (type === undefined) {
    return;
  }
  const result = await answerOf<BuildProjectPackAnswer>(
    parts.server,
    BUILD_PROJECT_PACK,
    packParams(type.label, chosen.length > 0 ? chosen : [folder]),
    parts.log,
    "Packing the project",
  );
  if (result === undefined) {
    return;
  }
  if (result.refusal !== null || result.rendered === null) {
    void vscode.window.showErrorMessage(
      result.refusal ? refusalMessage(result.refusal) : "The server sent no text.",
    );
    return;
  }
  const name = folder.path.split("/").at(-1) ?? "project";
  await parts.documents.show(recipeUri("Project Pack", `${name}, ${type.label}`), result.rendered);
  for (const warning of result.warnings) {
    parts.log.info(warning);
  }
  vscode.window.setStatusBarMessage(
    `$(check) AI context: ${grouped(result.tokens)} tokens`,
    MESSAGE_MILLISECONDS,
  );
}

function folderOf({ focus }: RecipeParts): vscode.Uri | undefined {
  const uri = focus.editor?.document.uri;
  const around = uri && vscode.workspace.getWorkspaceFolder(uri)?.uri;
  return around ?? vscode.workspace.workspaceFolders?.[0]?.uri;
}
