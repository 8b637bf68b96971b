/**
 * What a person allowed or marked as harmless in a workspace, and how to take it back.
 *
 * The server asks before anything is written; here the person is told what came of it.
 */

import * as vscode from "vscode";
import {
  ALLOW_PATH_COMMAND,
  MARK_HARMLESS_COMMAND,
  TAKE_BACK_COMMAND,
  type AllowResult,
  type HarmlessResult,
  type TakeBackParams,
  type TextDocument,
} from "./protocol";
import { tellRefused } from "./refusalWords";

/** Runs a command of the server. */
export type RunCommand = (command: string, ...args: readonly unknown[]) => Promise<unknown>;

/** Something that was written, in words, and what takes it back. */
export interface Written {
  readonly message: string;
  readonly undo: TakeBackParams;
}

const UNDO = "Undo";

/** What a command has written into the person's settings; undefined where that is nothing. */
export function written(
  command: string,
  args: readonly unknown[],
  answer: unknown,
): Written | undefined {
  const textDocument = (args[0] as { textDocument?: TextDocument } | undefined)?.textDocument;
  if (textDocument === undefined) {
    return undefined;
  }
  if (command === ALLOW_PATH_COMMAND) {
    const { changed, root } = answer as AllowResult;
    return changed
      ? {
          message: `${changed.rule} is allowed in the workspace ${root}.`,
          undo: { textDocument, rule: changed.rule },
        }
      : undefined;
  }
  if (command === MARK_HARMLESS_COMMAND) {
    const { changed, root } = answer as HarmlessResult;
    return changed
      ? {
          message: `A value of ${changed.file} (${changed.detector}) is marked as harmless in the workspace ${root}.`,
          undo: { textDocument, mark: changed.id },
        }
      : undefined;
  }
  return undefined;
}

/** Tell the person what came of a command, and offer to take back what it wrote. True if done. */
export function tellAnswer(
  command: string,
  args: readonly unknown[],
  answer: unknown,
  run: RunCommand,
): boolean {
  if (tellRefused(answer)) {
    return false;
  }
  const change = written(command, args, answer);
  if (change !== undefined) {
    void offerUndo(change, run);
  }
  return true;
}

async function offerUndo(change: Written, run: RunCommand): Promise<void> {
  if ((await vscode.window.showInformationMessage(change.message, UNDO)) === UNDO) {
    if (!tellRefused(await run(TAKE_BACK_COMMAND, change.undo))) {
      void vscode.window.showInformationMessage("It was taken back.");
    }
  }
}
