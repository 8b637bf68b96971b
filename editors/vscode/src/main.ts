/** Activation: the parts are made and put together here, and nothing else happens. */

import { homedir } from "node:os";
import * as vscode from "vscode";
import { createBuilds, type Builds } from "./builds";
import { registerCommands } from "./commands";
import { Server } from "./context";
import { findServer } from "./discovery";
import { Documents } from "./documents";
import { followFocus } from "./focus";
import { ownPython, type Home } from "./installing";
import { machineProbes } from "./machine";
import { isDeclined, offerHelp } from "./help";
import { tellAnswer } from "./marks";
import { isRuleAllowed } from "./refusals";
import { registerStatusBar } from "./statusBar";
import { registerBudgetPicture } from "./views/budgetPicture";
import { registerContextView } from "./views/contextView";

let server: Server | undefined;

export function activate(extension: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel("Sightline", { log: true });
  let isOpening = hasFolder();
  const home: Home = {
    storage: extension.globalStorageUri.fsPath,
    version: String(extension.extension.packageJSON.version),
    extensionFolder: extension.extensionUri.fsPath,
  };
  const started = new Server({
    log,
    safeFolder: home.extensionFolder,
    find: () =>
      findServer(
        {
          setting: vscode.workspace.getConfiguration("sightline").get<string>("server.path", ""),
          ownPython: ownPython(home),
          version: home.version,
          isTrusted: vscode.workspace.isTrusted,
          home: homedir(),
        },
        machineProbes(home.extensionFolder),
        (line) => log.info(line),
      ),
    build: (params): Promise<unknown> => builds.build(params),
    tellAnswer: (command, args, answer) =>
      void tellAnswer(command, args, answer, (...asked) => started.command(...asked)),
    explain: () => {
      // Whoever declined to install is not asked again by every window that opens.
      if (!isOpening || started.state.kind !== "missing" || !isDeclined(extension.globalState)) {
        showProblem();
      }
    },
  });
  server = started;
  const showProblem = () => void offerHelp(started, home, extension.globalState, log);
  const documents = new Documents();
  const builds: Builds & vscode.Disposable = createBuilds(started, documents, log);
  const focus = followFocus(started);
  extension.subscriptions.push(
    log,
    started,
    documents,
    builds,
    focus,
    registerStatusBar(started, () => builds.current?.result),
    registerCommands({ server: started, builds, documents, focus, log, showProblem }),
    registerContextView(extension, builds, (built, rule) => isRuleAllowed(built, rule, started)),
    registerBudgetPicture(extension, builds, () => started.status, started.onDidChangeStatus),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("sightline.server")) {
        void started.restart();
      }
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      if (hasFolder() && started.state.kind === "stopped") {
        void started.start();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      if (started.state.kind !== "running") {
        void started.restart();
      }
    }),
  );
  if (isOpening) {
    void started.start().finally(() => {
      isOpening = false;
    });
  }
}

/** Without one there is nothing that a context could be built from. */
function hasFolder(): boolean {
  return (vscode.workspace.workspaceFolders ?? []).length > 0;
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
