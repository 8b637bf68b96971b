import { beforeEach, describe, expect, it, vi } from "vitest";
import * as vscode from "vscode";
import { tellAnswer, written } from "../src/marks";
import { resolveRefusal } from "../src/refusals";
import type { Server } from "../src/context";
import { ALLOW_PATH_COMMAND, MARK_HARMLESS_COMMAND, TAKE_BACK_COMMAND } from "../src/protocol";
import { built, refusal } from "./results";

const window = vscode.window as unknown as Record<string, ReturnType<typeof vi.fn>>;
const textDocument = { uri: "file:///home/ada/orders/.env" };
const ALLOWED = {
  status: "ok",
  refusal: null,
  root: "orders",
  changed: { rule: ".env", is_file: true, date: "2026-05-04" },
  allowances: [],
};
const MARKED = {
  status: "ok",
  refusal: null,
  root: "orders",
  changed: { id: "0123456789ab", file: "a.py", detector: "assigned-password", date: "2026-05-04" },
  marks: [],
};
const NOT_CONFIRMED = { status: "refused", refusal: refusal({ reason: "not_confirmed" }) };

beforeEach(() => {
  for (const name of ["showInformationMessage", "showErrorMessage", "showWarningMessage"]) {
    window[name] = vi.fn(async () => undefined);
  }
});

describe("what was written", () => {
  it("is said with its workspace and what takes it back", () => {
    expect(written(ALLOW_PATH_COMMAND, [{ textDocument }], ALLOWED)).toEqual({
      message: ".env is allowed in the workspace orders.",
      undo: { textDocument, rule: ".env" },
    });
    expect(written(MARK_HARMLESS_COMMAND, [{ textDocument }], MARKED)).toEqual({
      message: "A value of a.py (assigned-password) is marked as harmless in the workspace orders.",
      undo: { textDocument, mark: "0123456789ab" },
    });
  });

  it("is nothing where nothing changed, or another command ran", () => {
    expect(written(ALLOW_PATH_COMMAND, [{ textDocument }], { changed: null })).toBeUndefined();
    expect(written("sightline.reindex", [], { status: "ok" })).toBeUndefined();
  });

  it("is taken back by the button", async () => {
    window["showInformationMessage"] = vi.fn(async (_message: string, ...items: string[]) => items[0]);
    const run = vi.fn(async () => ({ status: "ok", refusal: null }));
    expect(tellAnswer(MARK_HARMLESS_COMMAND, [{ textDocument }], MARKED, run)).toBe(true);
    await vi.waitFor(() =>
      expect(run).toHaveBeenCalledWith(TAKE_BACK_COMMAND, { textDocument, mark: "0123456789ab" }),
    );
  });

  it("is not told where the person said no, which they know", () => {
    const run = vi.fn();
    expect(tellAnswer(ALLOW_PATH_COMMAND, [{ textDocument }], NOT_CONFIRMED, run)).toBe(false);
    expect(window["showErrorMessage"]).not.toHaveBeenCalled();
    const failed = { status: "refused", refusal: refusal({ reason: "settings_not_written" }) };
    expect(tellAnswer(ALLOW_PATH_COMMAND, [{ textDocument }], failed, run)).toBe(false);
    expect(window["showErrorMessage"]).toHaveBeenCalledOnce();
    expect(run).not.toHaveBeenCalled();
  });
});

describe("a refusal", () => {
  const denied = refusal({
    kind: "UnsupportedTarget",
    reason: "deny_rule",
    path: ".env",
    source: "default:credentials",
  });

  it("leads to a command that names the file, and to a build once it was confirmed", async () => {
    window["showWarningMessage"] = vi.fn(async (_message: string, ...items: string[]) => items[0]);
    const command = vi.fn(async () => ALLOWED as unknown);
    const given = built([], []);
    const next = await resolveRefusal(given, denied, { command } as unknown as Server);
    const uri = vscode.Uri.joinPath(given.folder, ".env").toString();
    expect(command).toHaveBeenCalledExactlyOnceWith(ALLOW_PATH_COMMAND, { textDocument: { uri } });
    expect(next).toEqual(given.params);
  });

  it("leads to no build where it was not confirmed", async () => {
    window["showWarningMessage"] = vi.fn(async (_message: string, ...items: string[]) => items[0]);
    const command = vi.fn(async () => NOT_CONFIRMED as unknown);
    expect(
      await resolveRefusal(built([], []), denied, { command } as unknown as Server),
    ).toBeUndefined();
  });

  it("leads to a mark of the value on its line, and to a build", async () => {
    const mark = { kind: "mark_harmless", title: "Mark", line: 3, detector: null };
    const secret = refusal({ kind: "SecretRisk", path: "a.py", lines: [3], actions: [mark] });
    window["showErrorMessage"] = vi.fn(async () => "Mark as Harmless…");
    const command = vi.fn(async () => MARKED as unknown);
    const given = built([], []);
    const next = await resolveRefusal(given, secret, { command } as unknown as Server);
    const uri = vscode.Uri.joinPath(given.folder, "a.py").toString();
    expect(command).toHaveBeenCalledExactlyOnceWith(MARK_HARMLESS_COMMAND, {
      textDocument: { uri },
      position: { line: 2, character: 0 },
      detector: null,
    });
    expect(next).toEqual(given.params);
  });

  it("leads to a build that redacts, once", async () => {
    const actions = [{ kind: "redact_once", title: "Redact", line: null, detector: null }];
    const secret = { ...refusal({ kind: "SecretRisk", path: "a.py", lines: [3] }), actions };
    window["showErrorMessage"] = vi.fn(async () => "Redact Once");
    const given = built([], []);
    const next = await resolveRefusal(given, secret, {} as Server);
    expect(next).toEqual({ ...given.params, redactTarget: true });
  });
});
