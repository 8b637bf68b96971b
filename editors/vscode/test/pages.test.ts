import { describe, expect, it } from "vitest";
import { differencesPage, explanationPage } from "../src/pages";
import type { ExplainCandidate, ExplainResult } from "../src/protocol";
import { refusal } from "./results";

const EXPLAINED: ExplainResult = {
  status: "ok",
  refusal: null,
  path: "orders/tax.py",
  symbol: "tax",
  kind: "function",
  line: 6,
  language: "python",
  fault: null,
  relations: [
    {
      kind: "caller",
      confidence: "resolved",
      hops: 1,
      targets: [{ path: "orders/pricing.py", symbol: "total", kind: "function", line: 9 }],
      evidence: { path: "orders/pricing.py", line: 13, name: "tax" },
      left_out: 0,
    },
  ],
  candidate: null,
  index_complete: true,
};

function candidate(given: Partial<ExplainCandidate>): ExplainCandidate {
  return {
    target: "orders/pricing.py::total",
    status: "not_a_candidate",
    refusal: null,
    reason: null,
    score: null,
    rule: null,
    rule_source: null,
    priority: null,
    level: null,
    blocks: [],
    relations: [],
    line: null,
    ...given,
  };
}

const INCLUDED = candidate({
  status: "included",
  reason: "base_type",
  score: 80,
  priority: "P2",
  level: "SIGNATURES_ONLY",
  blocks: [{ priority: "P2", level: "SIGNATURES_ONLY", symbol: null, tokens: 40 }],
  relations: [
    {
      kind: "callee",
      confidence: "resolved",
      hops: 1,
      symbol: "tax",
      evidence: { path: "orders/pricing.py", line: 13, name: "tax" },
      shared: [],
    },
  ],
});

describe("an explanation", () => {
  it("lists what a symbol relates to, with the evidence", () => {
    expect(explanationPage(EXPLAINED, undefined)).toBe(
      [
        "# `tax`",
        "",
        "function in `orders/tax.py:6`",
        "",
        "## Relations",
        "",
        "- caller: `orders/pricing.py::total`",
        "  because of `orders/pricing.py:13` `tax` (resolved, 1 step)",
        "",
      ].join("\n"),
    );
  });

  it("says why something is in the context for a target", () => {
    const explained = { ...EXPLAINED, candidate: INCLUDED };
    const page = explanationPage(explained, "orders/pricing.py::total");
    expect(page).toContain(
      "## In the context for `orders/pricing.py::total`?\n\n**Yes**, as base type.",
    );
    expect(page).toContain("- priority P2, shown as signatures only, score 80");
    expect(page).toContain("- because of `orders/pricing.py:13`: `tax`");
  });

  it("says why something is out, by the rule that decided", () => {
    const excluded = candidate({
      status: "excluded",
      reason: "deny_rule",
      rule: "**/build/**",
      rule_source: "default:build_outputs",
    });
    expect(explanationPage({ ...EXPLAINED, candidate: excluded }, "t")).toContain(
      "**No**: deny rule.\n\n- rule `**/build/**` in `default:build_outputs`",
    );
  });

  it("says what no context could have", () => {
    const unrelated = { ...EXPLAINED, candidate: candidate({ status: "not_a_candidate" }) };
    expect(explanationPage(unrelated, "t")).toContain("nothing relates it");
    const refused = candidate({
      status: "refused",
      refusal: refusal({ message: "it is too large" }),
    });
    expect(explanationPage({ ...EXPLAINED, candidate: refused }, "t")).toContain(
      "It is too large.",
    );
    const withheld = {
      ...EXPLAINED,
      refusal: refusal({ message: "a rule withholds it" }),
      relations: [],
    };
    expect(explanationPage(withheld, undefined)).toContain("**Withheld.** A rule withholds it.");
  });

  it("shows hostile names as they are written", () => {
    const page = explanationPage({ ...EXPLAINED, symbol: "a`b|c\nd", relations: [] }, undefined);
    expect(page.split("\n")[0]).toBe("# `` a`b|c d ``");
  });
});

describe("a verification", () => {
  it("names what changed", () => {
    const differences = [{ what: "file", where: "a.py", detail: "hash 1 is 2" }];
    const page = differencesPage({
      status: "different",
      refusal: null,
      differences,
      build_refusal: null,
      index_complete: true,
    });
    expect(page).toContain("- file `a.py`: hash 1 is 2");
  });

  it("says why it could not be made", () => {
    const answer = {
      status: "refused",
      refusal: refusal({}),
      differences: [],
      build_refusal: null,
      index_complete: false,
    } as const;
    expect(differencesPage(answer)).toContain("It is so.");
  });
});
