import { describe, expect, it } from "vitest";
import type { BuildResult } from "../src/protocol";
import { escaped, modelName, statusView } from "../src/statusBar";
import { refusal, result, status } from "./results";

const RUNNING = { kind: "running" } as const;

describe("the status bar", () => {
  it("shows tokens and limit of the symbol at the cursor", () => {
    expect(statusView(RUNNING, status({}))).toMatchObject({
      text: "$(eye) 1.2k/96k",
      colour: undefined,
      command: "sightline.showBudget",
      label: "AI context for total: 1,234 of 96,000 tokens",
    });
  });

  it("warns past the soft limit", () => {
    const view = statusView(RUNNING, status({ decision: "warn_soft_limit", tokens: 80_000 }));
    expect(view).toMatchObject({ text: "$(eye) 80k/96k", colour: "warning" });
    expect(view.label).toContain("past the soft limit");
  });

  it("is an error past the hard limit, and says what helps", () => {
    const tooLarge = refusal({ kind: "ContextTooLarge", message: "the context is too large" });
    const view = statusView(
      RUNNING,
      status({ decision: "refuse_hard_limit", tokens: 100_000, refusal: tooLarge }),
    );
    expect(view).toMatchObject({ text: "$(eye) 100k/96k", colour: "error" });
    expect(view.tooltip).toContain("The context is too large");
  });

  it("tells a little too much from just enough, and what may grow from what is counted", () => {
    const over = { decision: "refuse_hard_limit", tokens: 1240, hardLimitTokens: 1210 } as const;
    expect(statusView(RUNNING, status(over)).text).toBe("$(eye) 1,240/1,210");
    expect(statusView(RUNNING, status({ indexComplete: false })).text).toMatch(/k…$/);
  });

  it("is an error on a secret, by its line and never by its value", () => {
    const secret = refusal({ kind: "SecretRisk", path: "orders/mail.py", lines: [3, 9] });
    expect(statusView(RUNNING, status({ decision: "none", refusal: secret }))).toMatchObject({
      text: "$(shield) secret",
      colour: "error",
      command: "sightline.build",
      label: "Sightline: a secret is in the target, line 3, 9",
    });
  });

  it("is quiet where nothing can be built", () => {
    const outside = refusal({
      kind: "UnsupportedTarget",
      message: "The file is outside the workspace: /etc/hosts",
    });
    for (const view of [
      statusView(RUNNING, status({ decision: "none", refusal: outside })),
      statusView(RUNNING, status({ decision: "none" })),
      statusView(RUNNING, undefined),
    ]) {
      expect(view).toMatchObject({ text: "$(eye) –", colour: undefined });
      expect(view.label).not.toBe("");
    }
  });

  it("says how the server is, and a click helps", () => {
    const message = "Sightline's server is not installed yet.";
    expect(statusView({ kind: "starting" }, undefined)).toMatchObject({
      colour: undefined,
      command: "sightline.showLog",
    });
    expect(statusView({ kind: "stopped" }, undefined)).toMatchObject({
      command: "sightline.restart",
    });
    expect(statusView({ kind: "restarting", message }, undefined)).toMatchObject({
      colour: "warning",
    });
    expect(statusView({ kind: "missing", message }, undefined)).toMatchObject({
      colour: undefined,
      command: "sightline.showProblem",
    });
    for (const kind of ["wrong", "failed"] as const) {
      expect(statusView({ kind, message }, undefined)).toMatchObject({
        text: "$(error) Sightline",
        colour: "error",
        command: "sightline.showProblem",
      });
    }
  });

  it("never shows numbers of a server that is gone", () => {
    expect(statusView({ kind: "restarting", message: "It ended." }, status({})).text).not.toContain(
      "96k",
    );
  });
});

describe("the model", () => {
  const last = result({
    bundle: { model: { model: "generic" } } as unknown as BuildResult["bundle"],
    budget_report: { hard_limit_tokens: 96_000 } as unknown as BuildResult["budget_report"],
  });

  it("is the one that is set, else that of a build with the same limits", () => {
    expect(modelName("mine", status({}), last)).toBe("mine");
    expect(modelName("", status({}), last)).toBe("generic");
    expect(modelName("", status({ hardLimitTokens: 5 }), last)).toBeUndefined();
    expect(modelName("", status({}), undefined)).toBeUndefined();
    expect(modelName("", undefined, undefined)).toBeUndefined();
  });
});

describe("the tooltip", () => {
  const blocks = Array.from({ length: 14 }, (_, index) => ({
    title: `file_${index}.py`,
    priority: "P2" as const,
    tokens: 10,
  }));

  it("lists blocks with their tokens, and the rest as a sum", () => {
    const { tooltip } = statusView(RUNNING, status({ blocks }), "generic");
    expect(tooltip).toContain("| P2 | file\\_0\\.py | 10 |");
    expect(tooltip).toContain("| | and 2 more | 20 |");
    expect(tooltip).not.toContain("file\\_12");
    expect(tooltip).toContain("| | around them | 1,094 |");
    expect(tooltip).toContain("Soft limit 76,800, hard limit 96,000, model generic");
  });

  it("says that the index is not complete", () => {
    expect(statusView(RUNNING, status({ indexComplete: false })).tooltip).toContain(
      "not complete yet",
    );
  });

  it("shows hostile names as they are written", () => {
    const title = "a](command:evil) $(zap) <img src=x> |\n# b\u202e";
    const { tooltip } = statusView(
      RUNNING,
      status({ blocks: [{ title, priority: "P0", tokens: 1 }] }),
    );
    const row = tooltip.split("\n").find((line) => line.startsWith("| P0"));
    expect(row).toBe(
      "| P0 | a\\]\\(command\\:evil\\) \\$\\(zap\\) \\<img src=x\\> \\| \\# b | 1 |",
    );
    expect(escaped("`x`")).toBe("\\`x\\`");
  });
});

describe("needed and optional tokens", () => {
  it("stand apart in the status bar", () => {
    const given = status({ tokens: 42_000, neededTokens: 30_000, optionalTokens: 12_000 });
    expect(statusView({ kind: "running" }, given).text).toContain("30k + 12k/96k");
    expect(statusView({ kind: "running" }, given).tooltip).toContain("30,000 needed");
  });
});
