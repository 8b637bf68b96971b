import { describe, expect, it } from "vitest";
import { bundleUri, formatOf, lensesOf, manifestUri, targetName } from "../src/documents";
import { built } from "./results";

describe("the title of a document", () => {
  it.each([
    [["orders/pricing.py::total"], ["orders/pricing.py"], "total"],
    [[], ["orders/pricing.py"], "pricing.py"],
    [["a.py::Store.save", "a.py::Store.load", "b.py::f"], ["a.py", "b.py"], "Store.save +2"],
    [["a.rs::ns/evil\\name\u202e"], ["a.rs"], "ns-evil-name-"],
    [[], [], "context"],
  ])("names the target: %j %j", (symbols, files, name) => {
    expect(targetName(built(symbols, files))).toBe(name);
  });

  it("is not longer than a tab", () => {
    expect(targetName(built([`a.py::${"x".repeat(500)}`], ["a.py"])).length).toBeLessThan(70);
  });

  it("ends as its language does", () => {
    const path = (format: string) =>
      bundleUri(built(["a.py::f"], ["a.py"], { settings: { render: { format } } })).path;
    expect(["markdown", "xml", "json", "other"].map(path)).toEqual([
      "/AI Context: f.md",
      "/AI Context: f.xml",
      "/AI Context: f.json",
      "/AI Context: f.md",
    ]);
    expect(manifestUri(built(["a.py::f"], ["a.py"])).path).toBe("/Manifest: f.json");
  });

  it("goes by the format that the request itself brought", () => {
    expect(formatOf(built([], [], { overrides: { "render.format": "xml" } }))).toBe("xml");
  });
});

describe("the document of a build", () => {
  it("is the same for the same target, and another one for a namesake", () => {
    const one = bundleUri(built(["a.py::save"], ["a.py"])).toString();
    expect(bundleUri(built(["a.py::save"], ["a.py"], { rendered: "other" })).toString()).toBe(one);
    expect(bundleUri(built(["b.py::save"], ["b.py"])).toString()).not.toBe(one);
    expect(bundleUri(built(["a.py::save"], ["a.py"], {}, {}, "/else")).toString()).not.toBe(one);
  });

  it("has its cost and what can be done with it on top", () => {
    const report = {
      bundle_id: "1",
      estimated_input_tokens: 1234,
      max_input_tokens: 100_000,
      soft_limit_tokens: 76_800,
      hard_limit_tokens: 96_000,
      reserve_output_tokens: 4000,
      decision: "ok" as const,
      notes: [],
      estimator: "lexical-1:max",
      blocks: [],
      framing_tokens: 0,
    };
    const lenses = lensesOf(built(["a.py::f"], ["a.py"], { budget_report: report }));
    expect(lenses.map((lens) => [lens.title, lens.command])).toEqual([
      ["1,234 of 96,000 tokens", "sightline.showBudget"],
      ["Copy", "sightline.copy"],
      ["Manifest", "sightline.showManifest"],
      ["Verify", "sightline.verify"],
    ]);
  });
});
