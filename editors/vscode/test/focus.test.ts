import { afterEach, describe, expect, it } from "vitest";
import type * as vscode from "vscode";
import { counted } from "../src/focus";
import { TabInputText, TabInputWebview, Uri, screen } from "./vscode";

function editor(uri: string, isClosed = false): vscode.TextEditor {
  return { document: { uri: Uri.parse(uri), isClosed } } as unknown as vscode.TextEditor;
}

const code = editor("file:///home/ada/a.py");

afterEach(() => {
  screen.tab = undefined;
  screen.editors = [];
});

describe("the editor that counts as active", () => {
  it("is the one of a file or of an unsaved text", () => {
    expect(counted(code, undefined)).toBe(code);
    const unsaved = editor("untitled:Untitled-1");
    expect(counted(unsaved, code)).toBe(unsaved);
  });

  it("stays where it was while a bundle, the log or a picture is read", () => {
    expect(counted(editor("sightline:/AI Context: a.md"), code)).toBe(code);
    expect(counted(editor("output:sightline"), code)).toBe(code);
    screen.tab = new TabInputWebview("sightline.budget");
    expect(counted(undefined, code)).toBe(code);
  });

  it("is none where another kind of document is worked on", () => {
    expect(counted(editor("git:/home/ada/a.py"), code)).toBeUndefined();
    screen.tab = new TabInputText(Uri.parse("vscode-settings:/settings"));
    expect(counted(undefined, code)).toBeUndefined();
    screen.tab = undefined;
    expect(counted(undefined, code)).toBeUndefined();
  });

  it("is none once its document is closed", () => {
    expect(counted(editor("output:sightline"), editor("file:///home/ada/a.py", true))).toBeUndefined();
  });

  it("is the one that shows the same document now", () => {
    const again = editor("file:///home/ada/a.py");
    screen.editors = [again];
    expect(counted(editor("output:sightline"), code)).toBe(again);
  });
});
