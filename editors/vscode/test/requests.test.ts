import { afterEach, describe, expect, it } from "vitest";
import * as vscode from "vscode";
import type { BuildContextParams } from "../src/protocol";
import {
  candidateLabel,
  candidateTarget,
  changed,
  folderOf,
  narrowed,
  paramsOf,
  targetOf,
  targetOfSymbol,
  withChoice,
} from "../src/requests";
import { taskOf } from "../src/requests";
import { screen } from "./vscode";

describe("a task", () => {
  it("has each constraint on its own, and no empty one", () => {
    expect(taskOf(" Round it. ", "no new files; ; keep it short;")).toEqual({
      intent: "Round it.",
      constraints: [{ text: "no new files" }, { text: "keep it short" }],
    });
  });

  it("that is empty is not asked for", () => {
    expect(taskOf(" ", "")).toEqual({ constraints: [] });
  });
});

const FILE = "file:///home/ada/a.py";

function editor(start: [number, number], end: [number, number]): vscode.TextEditor {
  const [from, to] = [new vscode.Position(...start), new vscode.Position(...end)];
  const isEmpty = start.join() === end.join();
  return {
    document: { uri: vscode.Uri.parse(FILE) },
    selection: { isEmpty, active: to, start: from, end: to },
  } as unknown as vscode.TextEditor;
}

describe("a build from an editor", () => {
  it("is for the place of the cursor", () => {
    expect(paramsOf(editor([3, 4], [3, 4]))).toEqual({
      textDocument: { uri: FILE },
      position: { line: 3, character: 4 },
    });
  });

  it("is for what is selected", () => {
    expect(paramsOf(editor([3, 0], [9, 2]))).toEqual({
      textDocument: { uri: FILE },
      range: { start: { line: 3, character: 0 }, end: { line: 9, character: 2 } },
    });
  });
});

describe("a change to a build", () => {
  const params: BuildContextParams = {
    textDocument: { uri: FILE },
    position: { line: 1, character: 0 },
  };
  const other = "file:///home/ada/b.py";

  it("adds a file once", () => {
    const once = changed(params, { add: [other] });
    expect(once).toEqual({ ...params, userSelectedTargets: [{ uri: other }], droppedUris: [] });
    expect(changed(once, { add: [other] })).toEqual(once);
  });

  it("drops a file once", () => {
    const once = changed(params, { drop: [other] });
    expect(once).toEqual({ ...params, userSelectedTargets: [], droppedUris: [other] });
    expect(changed(once, { drop: [other] })).toEqual(once);
  });

  it("never asks for what is dropped: the last word counts", () => {
    const added = changed(params, { add: [other] });
    expect(changed(added, { drop: [other] })).toMatchObject({
      userSelectedTargets: [],
      droppedUris: [other],
    });
    const dropped = changed(params, { drop: [other] });
    expect(changed(dropped, { add: [other] })).toMatchObject({
      userSelectedTargets: [{ uri: other }],
      droppedUris: [],
    });
  });

  it("takes a dropped file back without asking for it", () => {
    const dropped = changed(params, { drop: [other] });
    expect(changed(dropped, { restore: [other] })).toMatchObject({
      userSelectedTargets: [],
      droppedUris: [],
    });
  });

  it("keeps a choice that was made before", () => {
    const choice = { uri: other, symbol: "Store.save:9" };
    const chosen = withChoice({ targets: [{ symbol: "save" }] }, choice);
    expect(chosen).toEqual({ targets: [{ symbol: "save" }], userSelectedTargets: [choice] });
    expect(changed(chosen, { add: [other] }).userSelectedTargets).toEqual([choice, { uri: other }]);
  });

  it("narrows what is asked for to one target", () => {
    const target = { uri: FILE, symbol: "small" };
    expect(narrowed({ ...params, format: "xml" }, target)).toEqual({
      textDocument: { uri: FILE },
      format: "xml",
      targets: [target],
    });
  });
});

describe("the target that others are explained with regard to", () => {
  it("is what was asked for, or what was chosen for it", () => {
    const position = { line: 1, character: 2 };
    expect(targetOf({ textDocument: { uri: FILE }, position })).toEqual({
      uri: FILE,
      position,
      range: null,
    });
    expect(targetOf({ targets: [{ uri: FILE, symbol: "a" }] })).toEqual({ uri: FILE, symbol: "a" });
    expect(targetOf({ targets: [{ symbol: "a" }] })).toEqual({ symbol: "a" });
    expect(
      targetOf({ targets: [{ symbol: "a" }], userSelectedTargets: [{ uri: FILE, symbol: "a:1" }] }),
    ).toEqual({
      uri: FILE,
      symbol: "a:1",
    });
    expect(targetOf({})).toBeUndefined();
  });
});

describe("a candidate", () => {
  const folder = vscode.Uri.file("/home/ada");

  it.each([
    ["a.py::Store.save:9", { uri: FILE, symbol: "Store.save:9" }, "Store.save", "a.py:9"],
    ["a.py::Store.save:9#2", { uri: FILE, symbol: "Store.save:9#2" }, "Store.save", "a.py:9"],
    ["a.py::Store.save", { uri: FILE, symbol: "Store.save" }, "Store.save", "a.py"],
    ["a.py::ns::f:3", { uri: FILE, symbol: "ns::f:3" }, "ns::f", "a.py:3"],
    ["a.py", { uri: FILE }, "a.py", ""],
  ])("%s is sent back as it is spelt", (candidate, target, label, description) => {
    expect(candidateTarget(folder, candidate)).toEqual(target);
    expect(candidateLabel(candidate)).toEqual({ label, description });
  });

  it("from the workspace's symbols is named with its line", () => {
    const location = { uri: FILE, range: { start: { line: 8 } } };
    expect(targetOfSymbol({ name: "save", containerName: "Store", location })).toEqual({
      uri: FILE,
      symbol: "Store.save:9",
    });
    expect(targetOfSymbol({ name: "total", location })).toEqual({ uri: FILE, symbol: "total:9" });
  });
});

describe("the folder of a build", () => {
  afterEach(() => {
    screen.folders = [];
  });
  const folders = ["/home/ada", "/home/ada/inner", "/also"].map((path) => ({
    uri: vscode.Uri.file(path),
    name: path,
  }));

  it("is the innermost around the first file that is named", () => {
    screen.folders = folders as unknown as typeof screen.folders;
    expect(folderOf({ textDocument: { uri: FILE } }).path).toBe("/home/ada");
    expect(folderOf({ targets: [{ symbol: "a" }, { uri: "file:///home/ada/inner/b.py" }] }).path).toBe(
      "/home/ada/inner",
    );
  });

  it("is the first by its path where no file is named, as in the server", () => {
    screen.folders = folders as unknown as typeof screen.folders;
    expect(folderOf({ targets: [{ symbol: "a" }] }).path).toBe("/also");
  });

  it("is that of the file itself where none is open", () => {
    expect(folderOf({ textDocument: { uri: FILE } }).path).toBe("/home/ada");
  });
});
