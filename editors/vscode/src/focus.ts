/**
 * The editor that a person works in, told to the server as it changes.
 *
 * A bundle, the log or a picture that takes the focus changes nothing: one reads them while one
 * works on the file that was active before.
 */

import * as vscode from "vscode";
import type { Server } from "./context";
import { SCHEME } from "./documents";
import type { DidChangeActiveFileParams } from "./protocol";

const SERVED = new Set(["file", "untitled"]);
const READ_BESIDE = new Set([SCHEME, "output"]);
const SETTLE_MILLISECONDS = 50;

export interface Focus extends vscode.Disposable {
  /** The editor that counts as active; undefined where no file does. */
  readonly editor: vscode.TextEditor | undefined;
}

export function followFocus(server: Server): Focus {
  let editor: vscode.TextEditor | undefined;
  let sent = "";
  let timer: NodeJS.Timeout | undefined;

  const send = () => {
    const params: DidChangeActiveFileParams = editor
      ? {
          textDocument: { uri: editor.document.uri.toString() },
          position: {
            line: editor.selection.active.line,
            character: editor.selection.active.character,
          },
        }
      : { textDocument: null, position: null };
    const written = JSON.stringify(params);
    if (written !== sent) {
      sent = written;
      server.focus(params);
    }
  };
  const update = () => {
    clearTimeout(timer);
    editor = counted(vscode.window.activeTextEditor, editor);
    send();
  };

  update();
  const subscriptions = vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor((active) => {
      clearTimeout(timer);
      if (active === undefined) {
        // Between two editors there is none for a moment.
        timer = setTimeout(update, SETTLE_MILLISECONDS);
      } else {
        update();
      }
    }),
    vscode.window.onDidChangeTextEditorSelection((event) => {
      if (event.textEditor === editor || event.textEditor === vscode.window.activeTextEditor) {
        update();
      }
    }),
    vscode.workspace.onDidCloseTextDocument((document) => {
      if (document === editor?.document && !vscode.workspace.textDocuments.includes(document)) {
        editor = undefined;
        update();
      }
    }),
    server.onDidGetReady(() => {
      sent = "";
      update();
    }),
  );
  return {
    get editor() {
      return editor;
    },
    dispose: () => {
      clearTimeout(timer);
      subscriptions.dispose();
    },
  };
}

/** Which editor counts, given the one that has the focus and the one that counted before. */
export function counted(
  active: vscode.TextEditor | undefined,
  before: vscode.TextEditor | undefined,
): vscode.TextEditor | undefined {
  if (active && SERVED.has(active.document.uri.scheme)) {
    return active;
  }
  const isReadBeside = active ? READ_BESIDE.has(active.document.uri.scheme) : isWebviewActive();
  if (!isReadBeside || before === undefined || before.document.isClosed) {
    return undefined;
  }
  // The editor object is another one once its tab was shown again.
  const key = before.document.uri.toString();
  return (
    vscode.window.visibleTextEditors.find((each) => each.document.uri.toString() === key) ?? before
  );
}

function isWebviewActive(): boolean {
  return vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputWebview;
}
