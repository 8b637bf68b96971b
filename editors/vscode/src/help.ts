/** What is said when there is no server, and what is offered. Nothing is installed unasked. */

import * as vscode from "vscode";
import type { Server } from "./context";
import { install, type Home } from "./installing";

const INSTALL = "Install";
const CHOOSE = "Choose Server…";
const RESTART = "Restart";
const SETTING = "Open Setting";
const LOG = "Show Log";

/** A setting that is wrong is to be put right: what is installed would not be used. */
const OFFERED = {
  missing: [INSTALL, CHOOSE, LOG],
  wrong: [SETTING, CHOOSE, LOG],
  failed: [RESTART, CHOOSE, LOG],
} as const;

const DECLINED = "installation.declined";

/** Whether a person closed the offer to install before. */
export function isDeclined(memory: vscode.Memento): boolean {
  return memory.get<boolean>(DECLINED, false);
}

export async function offerHelp(
  server: Server,
  home: Home,
  memory: vscode.Memento,
  log: vscode.LogOutputChannel,
): Promise<void> {
  const state = server.state;
  if (state.kind !== "missing" && state.kind !== "wrong" && state.kind !== "failed") {
    return;
  }
  // That nothing is installed yet is nobody's mistake.
  const show =
    state.kind === "missing"
      ? vscode.window.showInformationMessage
      : vscode.window.showErrorMessage;
  const chosen = await show(state.message, ...OFFERED[state.kind]);
  if (state.kind === "missing") {
    await memory.update(DECLINED, chosen === undefined);
  }
  switch (chosen) {
    case INSTALL:
      await installAndStart(server, home, log);
      break;
    case CHOOSE:
      await chooseServer();
      break;
    case RESTART:
      await server.restart();
      break;
    case SETTING:
      await vscode.commands.executeCommand(
        "workbench.action.openSettings",
        "sightline.server.path",
      );
      break;
    case LOG:
      log.show();
      break;
  }
}

async function installAndStart(
  server: Server,
  home: Home,
  log: vscode.LogOutputChannel,
): Promise<void> {
  const python = vscode.workspace.getConfiguration("sightline").get<string>("install.python", "");
  const problem = await install(home, python, log);
  if (problem === undefined) {
    await server.restart();
    return;
  }
  const chosen = await vscode.window.showErrorMessage(
    `Sightline's server was not installed: ${problem}.`,
    "Try Again",
    CHOOSE,
    LOG,
  );
  if (chosen === "Try Again") {
    await installAndStart(server, home, log);
  } else if (chosen === CHOOSE) {
    await chooseServer();
  } else if (chosen === LOG) {
    log.show();
  }
}

/** The setting's change starts the server. */
async function chooseServer(): Promise<void> {
  const chosen = await vscode.window.showOpenDialog({
    title: "Sightline's server, or a Python interpreter that has it",
    openLabel: "Use This",
    canSelectMany: false,
  });
  const path = chosen?.[0]?.fsPath;
  if (path !== undefined) {
    await vscode.workspace
      .getConfiguration("sightline")
      .update("server.path", path, vscode.ConfigurationTarget.Global);
  }
}
