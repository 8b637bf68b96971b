import { beforeEach, expect, test, vi } from "vitest";

vi.mock("vscode", async (original) =>
  (await import("./screen")).editorModule(original as () => Promise<object>),
);

import * as vscode from "vscode";
import type { Builds, Built } from "../../src/builds";
import type { BudgetStatusParams } from "../../src/protocol";
import { registerBudgetPicture } from "../../src/views/budgetPicture";
import type { ToPanel } from "../../src/views/picture/model";
import { CALLER, RULES, TARGET, built } from "./results";
import { run, screen } from "./screen";

let current: Built | undefined;
let status: BudgetStatusParams | undefined;
const builtEmitter = new vscode.EventEmitter<Built>();
const statusEmitter = new vscode.EventEmitter<unknown>();
const builds = {
  get current() {
    return current;
  },
  onDidBuild: builtEmitter.event,
} as unknown as Builds;

const STATUS: BudgetStatusParams = {
  uri: "file:///w/src/shop.py",
  version: 1,
  decision: "ok",
  tokens: 108,
  neededTokens: 108,
  optionalTokens: 0,
  softLimitTokens: 7_200,
  hardLimitTokens: 9_000,
  symbol: "total",
  level: "FULL_FILE",
  refusal: null,
  blocks: [{ title: "Rules", priority: "P0", tokens: 100 }],
  indexComplete: true,
  revision: 1,
};

const panel = () => screen.panels[0];
const pictures = () => (panel()?.sent ?? []).map((each) => (each as ToPanel).picture);

function build(): void {
  const result = built([RULES, TARGET, CALLER]);
  current = { params: {}, result, folder: vscode.Uri.file("/w") };
  builtEmitter.fire(current);
}

beforeEach(async () => {
  current = undefined;
  status = undefined;
  screen.panels = [];
  screen.shown = [];
  screen.ran = [];
  const context = { extensionUri: vscode.Uri.file("/extension") } as vscode.ExtensionContext;
  registerBudgetPicture(context, builds, () => status, statusEmitter.event);
  await run("sightline.showBudget");
});

test("nothing is sent before the panel is ready, and there is one panel", async () => {
  await run("sightline.showBudget");
  expect(screen.panels).toHaveLength(1);
  expect(pictures()).toEqual([]);
});

test("the page loads its own two files only, and runs one script", () => {
  const page = panel()?.html ?? "";
  const policy = /content="(?<policy>default-src[^"]*)"/.exec(page)?.groups?.["policy"] ?? "";
  const nonce = /script-src 'nonce-(?<nonce>[0-9a-f]{32})'/.exec(policy)?.groups?.["nonce"];
  expect(policy).toMatch(/^default-src 'none'; style-src https:\/\/panel; script-src 'nonce-/);
  expect(policy).not.toContain("unsafe");
  expect([...page.matchAll(/<script[^>]*>/g)].map((each) => each[0])).toEqual([
    `<script nonce="${nonce}" src="https://panel/extension/dist/picture.js">`,
  ]);
  expect(page).toContain('href="https://panel/extension/dist/picture.css"');
});

test("it follows the live status until something is built", () => {
  panel()?.receive({ kind: "ready" });
  status = STATUS;
  statusEmitter.fire(undefined);
  status = { ...STATUS, tokens: 120 };
  statusEmitter.fire(undefined);
  build();
  expect(pictures().map((each) => [each.state, each.name, each.tokens])).toEqual([
    ["empty", "", 0],
    ["live", "total", 108],
    ["live", "total", 120],
    ["built", "total", 368],
  ]);
});

test("a build stays, with a word on where the cursor is", () => {
  build();
  status = { ...STATUS, symbol: "tax" };
  statusEmitter.fire(undefined);
  const last = pictures().at(-1);
  expect([last?.state, last?.name, last?.movedOn]).toEqual([
    "built",
    "total",
    "The cursor is elsewhere now, in tax: 108 tokens",
  ]);
});

test("nothing is sent to a panel that is hidden", () => {
  const shown = panel();
  if (shown) {
    shown.visible = false;
  }
  build();
  expect(pictures()).toEqual([]);
});

test("a row opens the source of its block, and only that of a file", async () => {
  build();
  for (const row of [0, 1, 99]) {
    panel()?.receive({ kind: "open", row });
  }
  await vi.waitFor(() => expect(screen.shown.map((each) => each.path)).toEqual(["/w/src/shop.py"]));
});

test("a button runs its command, and nothing else can be run", () => {
  panel()?.receive({ kind: "run", command: "rebuild" });
  panel()?.receive({ kind: "run", command: "workbench.action.quit" });
  panel()?.receive({ kind: "run", command: "constructor" });
  expect(screen.ran).toEqual(["sightline.rebuild"]);
});
