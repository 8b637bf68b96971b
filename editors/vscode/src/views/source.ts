/** Opening what a view points at: a file of the workspace, with the lines that are meant. */

import * as vscode from "vscode";
import { SCHEME } from "../documents";
import type { Place } from "./tree";
import { visible } from "./words";

/** Shows a file beside no other, with its lines selected and the first of them in sight. */
export async function openPlace(folder: vscode.Uri, place: Place): Promise<void> {
  const uri = vscode.Uri.joinPath(folder, place.path);
  let document: vscode.TextDocument;
  try {
    document = await vscode.workspace.openTextDocument(uri);
  } catch {
    void vscode.window.showWarningMessage(
      `Sightline: ${visible(place.path)} cannot be opened. Rebuild to see what is there now.`,
    );
    return;
  }
  const editor = await vscode.window.showTextDocument(document, {
    viewColumn: columnFor(uri),
    preview: true,
  });
  const selections = place.lines.map(([first, last]) => selectionOf(document, first, last));
  const [top] = selections;
  if (top !== undefined) {
    editor.selections = selections;
    editor.revealRange(top, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }
}

/** From the first line's text to the last line's end; the text may have become shorter since. */
function selectionOf(document: vscode.TextDocument, first: number, last: number): vscode.Selection {
  const end = Math.min(last, document.lineCount) - 1;
  const start = Math.min(first - 1, end);
  return new vscode.Selection(start, 0, end, document.lineAt(end).text.length);
}

/** Where the file is shown, else where code is: the bundle and the picture stay in sight. */
function columnFor(uri: vscode.Uri): vscode.ViewColumn {
  const editors = vscode.window.visibleTextEditors.filter((each) => each.viewColumn !== undefined);
  const same = editors.find((each) => each.document.uri.toString() === uri.toString());
  const code = editors.find((each) => each.document.uri.scheme !== SCHEME);
  return (same ?? code)?.viewColumn ?? vscode.ViewColumn.One;
}
