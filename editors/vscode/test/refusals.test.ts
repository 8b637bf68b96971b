import { describe, expect, it } from "vitest";
import { refusalMessage } from "../src/refusalWords";
import { offers, said } from "../src/refusals";
import { refusal } from "./results";

describe("what is offered", () => {
  it("is a choice where several symbols have the name", () => {
    const candidates = ["orders/archive.py::Archive.save:5", "orders/store.py::Store.save:9"];
    expect(offers(refusal({ kind: "AmbiguousTarget", candidates }))).toEqual([
      { act: "choose", label: "Choose…", candidates },
    ]);
  });

  it("is less, or more room, where the context is too large", () => {
    const candidates = ["a.py::small"];
    const full = refusal({ kind: "ContextTooLarge", candidates, smallest_budget: 12_345 });
    expect(offers(full)).toEqual([
      { act: "narrow", label: "Narrow…", candidates },
      { act: "raise", label: "Allow 12,345 Tokens Once", tokens: 12_345 },
      { act: "settings", label: "Settings" },
    ]);
    expect(offers(refusal({ kind: "ContextTooLarge" })).map((offer) => offer.act)).toEqual([
      "settings",
    ]);
  });

  it("is the way to the lines of a secret", () => {
    const lines = [3, 5, 8, 13];
    const actions = lines.map((line) => ({
      kind: "mark_harmless",
      title: "Mark",
      line,
      detector: null,
    }));
    const secret = refusal({ kind: "SecretRisk", path: "orders/mail.py", lines, actions });
    expect(offers(secret)).toEqual([
      { act: "goTo", label: "Go to Line 3", path: "orders/mail.py", line: 3 },
      { act: "goTo", label: "Go to Line 5", path: "orders/mail.py", line: 5 },
      {
        act: "harmless",
        label: "Mark as Harmless…",
        path: "orders/mail.py",
        values: lines.map((line) => ({ line, detector: null })),
      },
    ]);
    expect(offers(refusal({ kind: "SecretRisk" }))).toEqual([]);
  });

  it("is to redact once and to mark as harmless, as the server says", () => {
    const actions = [
      { kind: "redact_once", title: "Redact", line: null, detector: null },
      { kind: "mark_harmless", title: "Mark", line: 3, detector: "assigned-password" },
    ];
    const secret = { ...refusal({ kind: "SecretRisk", path: "a.py", lines: [3] }), actions };
    expect(offers(secret)).toEqual([
      { act: "goTo", label: "Go to Line 3", path: "a.py", line: 3 },
      { act: "redact", label: "Redact Once" },
      {
        act: "harmless",
        label: "Mark as Harmless…",
        path: "a.py",
        values: [{ line: 3, detector: "assigned-password" }],
      },
    ]);
    const none = { ...secret, actions: [] };
    expect(offers(none).map((offer) => offer.act)).toEqual(["goTo"]);
  });

  it("is to allow a path that a default rule withholds, and that alone", () => {
    const denied = {
      kind: "UnsupportedTarget",
      reason: "deny_rule",
      path: "build/x.py",
      rule: "**/build/**",
    } as const;
    expect(offers(refusal({ ...denied, source: "default:build_outputs" }))).toEqual([
      { act: "allow", label: "Allow in This Workspace…", path: "build/x.py" },
    ]);
    expect(offers(refusal({ ...denied, source: ".gitignore:3" }))).toEqual([
      { act: "goTo", label: "Show Rule", path: ".gitignore", line: 3 },
    ]);
    expect(offers(refusal({ ...denied, source: "policy.deny" }))).toEqual([]);
    expect(offers(refusal({ ...denied, source: "default:version_control" }))).toEqual([]);
    expect(
      offers(refusal({ kind: "UnsupportedTarget", reason: "outside_sandbox", path: "/etc/hosts" })),
    ).toEqual([]);
  });

  it("is to allow the rule that hides files in which a symbol may stand", () => {
    const unknown = { kind: "InvalidRequest", reason: "unknown_symbol", path: null } as const;
    const rule = { rule: "packages/**", source: "default:never_send" };
    expect(offers(refusal({ ...unknown, ...rule }))).toEqual([
      { act: "allowRule", label: "Allow packages/** in This Workspace…", rule: "packages/**" },
    ]);
    expect(offers(refusal({ ...unknown, ...rule, path: "a.py" }))).toEqual([]);
    expect(offers(refusal({ ...unknown, rule: null, source: null }))).toEqual([]);
  });

  it("is another try while the index is not there", () => {
    expect(offers(refusal({ kind: "IndexUnavailable" }))).toEqual([
      { act: "retry", label: "Try Again" },
    ]);
  });

  it("is nothing for a request that is wrong", () => {
    expect(offers(refusal({ kind: "InvalidRequest" }))).toEqual([]);
  });
});

describe("what is said", () => {
  it("is the server's words, with the rule and where it stands", () => {
    const denied = refusal({
      kind: "UnsupportedTarget",
      message: "A default rule withholds this file: build/x.py",
      advice: "allow it.",
      rule: "**/build/**",
      source: "default:build_outputs",
    });
    expect(refusalMessage(denied)).toBe(
      "A default rule withholds this file: build/x.py [**/build/** in default:build_outputs]. Allow it.",
    );
  });

  it("names no check that the words name already", () => {
    const secret = refusal({ kind: "SecretRisk", rule: "assigned-password", source: "egress" });
    expect(refusalMessage(secret)).toBe("It is so. Do something else.");
  });

  it("leaves out the advice that a button offers to follow", () => {
    const tooLarge = refusal({ kind: "ContextTooLarge", smallest_budget: 9 });
    expect(said(tooLarge, offers(tooLarge))).toBe("It is so.");
    const secret = refusal({ kind: "SecretRisk", path: "a.py", lines: [1] });
    expect(said(secret, offers(secret))).toBe("It is so. Do something else.");
  });

  it("is whole sentences", () => {
    expect(refusalMessage(refusal({ message: "it is so", advice: "" }))).toBe("It is so.");
  });
});
