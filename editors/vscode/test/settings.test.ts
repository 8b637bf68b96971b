import { describe, expect, it } from "vitest";
import { sentSettings } from "../src/settings";

describe("what the server is told of the settings", () => {
  it("is what somebody has set", () => {
    const section = {
      model: { name: "" },
      budget: { maxInputTokens: 5000, maxOutputTokens: null, estimator: "" },
      context: { optionalBlocks: false, maxHops: null },
      policy: { deny: ["*.csv"] },
      codeLens: { enabled: false },
    };
    expect(sentSettings(section)).toEqual({
      model: {},
      budget: { maxInputTokens: 5000 },
      context: { optionalBlocks: false },
      policy: { deny: ["*.csv"] },
      codeLens: { enabled: false },
    });
  });

  it("is nothing of the extension's own", () => {
    const section = {
      server: { path: "/x" },
      install: {},
      trace: { server: "off" },
      statusBar: { enabled: true },
    };
    expect(sentSettings(section)).toEqual({});
  });

  it("is passed on where it is no section at all", () => {
    expect([sentSettings(null), sentSettings("x"), sentSettings([1])]).toEqual([null, "x", [1]]);
  });
});
