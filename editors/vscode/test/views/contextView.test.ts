import { beforeEach, describe, expect, test, vi } from "vitest";

vi.mock("vscode", async (original) =>
  (await import("./screen")).editorModule(original as () => Promise<object>),
);

import * as vscode from "vscode";
import type { Builds, Built } from "../../src/builds";
import type { BuildContextParams, BuildResult } from "../../src/protocol";
import { registerContextView, relativePath } from "../../src/views/contextView";
import type { TreeNode } from "../../src/views/tree";
import { CALLER, REST, RULES, TARGET, built, refused } from "./results";
import { run, screen } from "./screen";

const FOLDER = vscode.Uri.file("/w");
const PARAMS: BuildContextParams = {
  textDocument: { uri: "file:///w/src/shop.py" },
  position: { line: 9, character: 0 },
};

let current: Built | undefined;
let asked: unknown[] = [];
const emitter = new vscode.EventEmitter<Built>();
const builds: Builds = {
  get current() {
    return current;
  },
  onDidBuild: emitter.event,
  build: async (params) => {
    asked.push(params);
    return undefined;
  },
  copy: async () => undefined,
  rebuild: async (change) => {
    asked.push(change);
    return undefined;
  },
  openDocument: async () => undefined,
};

/** Rules that the server was to ask about, and what the person answers. */
let allowed: string[] = [];
let isConfirmed = true;

function show(result: BuildResult, params = PARAMS): void {
  current = { params, result, folder: FOLDER };
  emitter.fire(current);
}

function all(node?: TreeNode): TreeNode[] {
  const children = screen.provider?.getChildren(node) ?? [];
  return children.flatMap((each) => [each, ...all(each)]);
}

function node(path: string, kind: string): TreeNode | undefined {
  return all().find((each) => each.path === path && each.kind === kind);
}

beforeEach(() => {
  current = undefined;
  asked = [];
  screen.warnings = [];
  screen.shown = [];
  screen.files = [];
  allowed = [];
  registerContextView({} as vscode.ExtensionContext, builds, async (_, rule) => {
    allowed.push(rule);
    return isConfirmed;
  });
});

test("nothing is shown before anything was built", () => {
  expect(all()).toEqual([]);
});

test("a build fills the view, a refusal says what is wrong", () => {
  show(built([RULES, TARGET]));
  expect([screen.view.message, screen.view.description]).toEqual(["", "308 / 9,000"]);
  show(refused({}));
  expect(screen.view.message).toBe("The target holds a secret. Move it.");
});

test("an item has what the editor needs of it", () => {
  show(built([TARGET, CALLER]));
  const caller = node("src/till.py", "block");
  const item = caller && screen.provider?.getTreeItem(caller);
  expect(item?.contextValue).toBe("block");
  expect(item?.resourceUri?.toString()).toBe("file:///w/src/till.py");
  expect(item?.command?.command).toBe("sightline.openBlock");
  expect(item?.accessibilityInformation?.label).toContain("src/till.py, P2");
});

test.each([true, false])("a rule that hides files goes once it is confirmed (%s)", async (yes) => {
  const result = built([TARGET]);
  const hidden = [{ rule: "packages/**", files: 2, command: "", at_least: false }];
  show({ ...result, manifest: result.manifest && { ...result.manifest, hidden } });
  isConfirmed = yes;
  const rule = node("packages/**", "hidden");
  const item = rule && screen.provider?.getTreeItem(rule);
  expect(item?.contextValue).toBe("hidden");
  expect(item?.command?.command).toBe("sightline.allowRule");
  await run("sightline.allowRule", rule);
  expect(allowed).toEqual(["packages/**"]);
  expect(asked).toEqual(yes ? [{}] : []);
});

describe("dropping", () => {
  test("builds again without the file", async () => {
    show(built([TARGET, CALLER]));
    await run("sightline.dropFile", node("src/till.py", "block"));
    expect(asked).toEqual([{ drop: ["file:///w/src/till.py"] }]);
  });

  test("never drops the target, nor what is left of its file", async () => {
    show(built([TARGET, REST]));
    const targets = all().filter((each) => each.kind === "target");
    expect(targets).toHaveLength(2);
    for (const each of targets) {
      await run("sightline.dropFile", each);
    }
    expect(asked).toEqual([]);
    expect(screen.warnings).toHaveLength(2);
  });

  test("is taken back", async () => {
    show(built([TARGET]), { ...PARAMS, droppedUris: ["file:///w/src/till.py"] });
    await run("sightline.restoreFile", node("src/till.py", "dropped"));
    expect(asked).toEqual([{ restore: ["file:///w/src/till.py"] }]);
  });
});

describe("adding", () => {
  test("takes what was left out", async () => {
    const rule = { reason: "token_budget", rule: "step 1", rule_source: "budget" } as const;
    show(built([TARGET], [{ path: "src/old.py", ...rule, score: null, symbol: null }]));
    await run("sightline.addFile", node("src/old.py", "leftOut"));
    expect(asked).toEqual([{ add: ["file:///w/src/old.py"] }]);
  });

  test("takes all that the explorer has selected", async () => {
    show(built([TARGET]));
    const uris = [vscode.Uri.file("/w/a.py"), vscode.Uri.file("/w/b.py")];
    await run("sightline.addFile", uris[0], uris);
    expect(asked).toEqual([{ add: ["file:///w/a.py", "file:///w/b.py"] }]);
  });

  test("leaves out what is not in the folder, and says so", async () => {
    show(built([TARGET]));
    await run("sightline.addFile", vscode.Uri.file("/elsewhere/a.py"));
    expect(asked).toEqual([]);
    expect(screen.warnings[0]).toContain("/elsewhere/a.py");
  });

  test("asks for a file that is not in yet where none is given", async () => {
    screen.files = ["/w/z.py", "/w/a.py", "/w/src/shop.py"].map((path) => vscode.Uri.file(path));
    show(built([TARGET]));
    await run("sightline.addFile");
    expect(screen.offered).toEqual(["a.py", "z.py"]);
    expect(asked).toEqual([{ add: ["file:///w/a.py"] }]);
  });

  test("builds for the file where nothing was built", async () => {
    await run("sightline.addFile", vscode.Uri.file("/w/a.py"));
    expect(asked).toEqual([{ targets: [{ uri: "file:///w/a.py" }] }]);
  });
});

describe("a choice of a refusal", () => {
  const candidates = ["src/a.py::A.save:5"];
  const target = { uri: "file:///w/src/a.py", symbol: "A.save:5" };

  test("among namesakes stands beside the name that was asked for", async () => {
    const params = { targets: [{ symbol: "save" }] };
    show(refused({ kind: "AmbiguousTarget", candidates }), params);
    await run("sightline.buildChoice", node(candidates[0] ?? "", "choice"));
    expect(asked).toEqual([{ ...params, userSelectedTargets: [target] }]);
  });

  test("of something smaller stands in its place", async () => {
    show(refused({ kind: "ContextTooLarge", candidates }));
    await run("sightline.buildChoice", node(candidates[0] ?? "", "choice"));
    expect(asked).toEqual([{ textDocument: PARAMS.textDocument, targets: [target] }]);
  });
});

test("from a refusal a way leads back to what was built before", async () => {
  show(refused({}));
  expect(all().map((each) => each.kind)).toEqual(["refusal"]);
  show(built([TARGET]));
  show(refused({}), { ...PARAMS, userSelectedTargets: [{ uri: "file:///w/a:b.py" }] });
  const back = all().find((each) => each.kind === "previous");
  expect(back?.label).toBe("Back to total");
  await run(back ? (screen.provider?.getTreeItem(back).command?.command ?? "") : "");
  expect(asked).toEqual([PARAMS]);
});

describe("opening", () => {
  test("selects every region of a block", async () => {
    show(built([TARGET]));
    await run("sightline.openBlock", node("src/shop.py", "target"));
    expect(screen.shown[0]?.path).toBe("/w/src/shop.py");
    expect(screen.shown[0]?.selections).toEqual([
      { 0: 8, 1: 0, 2: 12, 3: 4 },
      { 0: 19, 1: 0, 2: 21, 3: 4 },
    ]);
  });

  test("stays within a file that has become shorter", async () => {
    screen.lines = 10;
    show(built([TARGET]));
    await run("sightline.openBlock", node("src/shop.py", "target"));
    expect(screen.shown[0]?.selections).toEqual([
      { 0: 8, 1: 0, 2: 9, 3: 4 },
      { 0: 9, 1: 0, 2: 9, 3: 4 },
    ]);
    screen.lines = 30;
  });

  test("says when a file is gone", async () => {
    show(built([TARGET]), { ...PARAMS, droppedUris: ["file:///w/gone.py"] });
    await run("sightline.openBlock", node("gone.py", "dropped"));
    expect(screen.shown).toEqual([]);
    expect(screen.warnings[0]).toContain("gone.py");
  });
});

test("a command that gets nothing does nothing", async () => {
  show(built([TARGET]));
  for (const name of ["openBlock", "dropFile", "restoreFile", "buildChoice"]) {
    await run(`sightline.${name}`);
  }
  expect([asked, screen.shown]).toEqual([[], []]);
});

test("only what is in the folder has a path in it", () => {
  expect(relativePath(FOLDER, "file:///w/a%20b/c.py")).toBe("a b/c.py");
  expect(relativePath(FOLDER, "file:///wide/c.py")).toBeNull();
  expect(relativePath(FOLDER, "untitled:/w/c.py")).toBeNull();
});
