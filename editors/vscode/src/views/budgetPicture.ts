/**
 * The budget picture: a panel that shows how the window of the model is spent.
 *
 * The panel keeps no state. It says `ready` whenever it was loaded, and gets the whole picture
 * then and after every change; what it sends back names a row or a command, never code or a path.
 */

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { Builds } from "../builds";
import { SCHEME } from "../documents";
import type { BudgetStatusParams } from "../protocol";
import { relativePath } from "./contextView";
import {
  EMPTY,
  type FromPanel,
  type Picture,
  type ToPanel,
  movedOnWords,
  pictureOfBuild,
  pictureOfStatus,
} from "./picture/model";
import { openPlace } from "./source";
import { placeOf } from "./tree";

const VIEW_TYPE = "sightline.budget";

/** What the panel's buttons run. */
const COMMANDS: ReadonlyMap<string, string> = new Map([
  ["build", "sightline.build"],
  ["rebuild", "sightline.rebuild"],
  ["manifest", "sightline.showManifest"],
]);

export function registerBudgetPicture(
  context: vscode.ExtensionContext,
  builds: Builds,
  status: () => BudgetStatusParams | undefined,
  onDidChangeStatus: vscode.Event<unknown>,
): vscode.Disposable {
  let panel: vscode.WebviewPanel | undefined;
  const draw = (): void => {
    if (panel?.visible) {
      const message: ToPanel = { picture: pictureNow(builds, status()) };
      void panel.webview.postMessage(message);
    }
  };
  const show = (): void => {
    if (panel) {
      panel.reveal(undefined, false);
      return;
    }
    panel = createPanel(context.extensionUri);
    panel.onDidDispose(() => {
      panel = undefined;
    });
    // A panel that was hidden is loaded again and asks by itself; one that was not gets it here.
    panel.onDidChangeViewState(draw);
    panel.webview.onDidReceiveMessage((message: FromPanel) => {
      if (message.kind === "ready") {
        draw();
      } else if (message.kind === "open") {
        void openRow(builds, message.row);
      } else if (message.kind === "run") {
        const command = COMMANDS.get(message.command);
        if (command !== undefined) {
          void vscode.commands.executeCommand(command);
        }
      }
    });
  };
  return vscode.Disposable.from(
    vscode.commands.registerCommand("sightline.showBudget", show),
    builds.onDidBuild(draw),
    onDidChangeStatus(draw),
    new vscode.Disposable(() => panel?.dispose()),
  );
}

/** The last build, else what the symbol under the cursor would cost, else a hint. */
function pictureNow(builds: Builds, status: BudgetStatusParams | undefined): Picture {
  const built = builds.current;
  if (built) {
    const file = status ? relativePath(built.folder, status.uri) : null;
    const { params, result } = built;
    const asked = [params.textDocument, ...(params.targets ?? [])].find((each) => each?.uri)?.uri;
    return pictureOfBuild(
      result,
      (asked && relativePath(built.folder, asked)) || "Refused",
      movedOnWords(params, result, status, file),
    );
  }
  if (status) {
    const uri = vscode.Uri.parse(status.uri);
    return pictureOfStatus(status, vscode.workspace.asRelativePath(uri, false));
  }
  return EMPTY;
}

/** Rows are the blocks of the budget report, in its order. */
async function openRow(builds: Builds, row: number): Promise<void> {
  const built = builds.current;
  const cost = built?.result.budget_report?.blocks?.[row];
  const block = built?.result.bundle?.blocks.find((each) => each.block_id === cost?.block_id);
  if (built && block && block.meta.path !== null) {
    await openPlace(built.folder, placeOf(block));
  }
}

function createPanel(extension: vscode.Uri): vscode.WebviewPanel {
  const dist = vscode.Uri.joinPath(extension, "dist");
  const panel = vscode.window.createWebviewPanel(
    VIEW_TYPE,
    "AI Context Budget",
    { viewColumn: columnBesideCode(), preserveFocus: false },
    { enableScripts: true, localResourceRoots: [dist], retainContextWhenHidden: false },
  );
  panel.webview.html = pageFor(
    panel.webview.cspSource,
    panel.webview.asWebviewUri(vscode.Uri.joinPath(dist, "picture.js")).toString(),
    panel.webview.asWebviewUri(vscode.Uri.joinPath(dist, "picture.css")).toString(),
    randomBytes(16).toString("hex"),
  );
  return panel;
}

/** The code stays in sight, so that the picture can follow it; bundle and picture share a group. */
function columnBesideCode(): vscode.ViewColumn {
  const bundles = vscode.window.tabGroups.all.find((group) =>
    group.tabs.some(
      (tab) => tab.input instanceof vscode.TabInputText && tab.input.uri.scheme === SCHEME,
    ),
  );
  return bundles?.viewColumn ?? vscode.ViewColumn.Beside;
}

/** The page holds no data: everything that is shown comes as a message and is set as text. */
export function pageFor(source: string, script: string, style: string, nonce: string): string {
  const policy = `default-src 'none'; style-src ${source}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style}">
<title>AI Context Budget</title>
</head>
<body>
<main id="picture" aria-busy="true"></main>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>
`;
}
