import { describe, expect, it } from "vitest";
import { differencesPage, explanationPage } from "../src/pages";
import type { ExplainResult, IncludedFile } from "../src/protocol";
import { refusal } from "./results";

const EXPLAINED: ExplainResult = {
  status: "ok",
  refusal: null,
  path: "orders/tax.py",
  symbol: "tax",
  kind: "function",
  line: 6,
  relations: [
    {
      kind: "caller",
      confidence: "resolved",
      hops: 1,
      targets: [{ path: "orders/pricing.py", symbol: "total", kind: "function", line: 9 }],
      evidence: { path: "orders/pricing.py", line: 13, name: "tax" },
    },
  ],
  candidate: null,
  revision: 1,
  index_complete: true,
};

const INCLUDED: IncludedFile = {
  path: "orders/tax.py",
  hash: "0",
  encoding: "ascii",
  byte_size: 1,
  reason: "base_type",
  level: "SIGNATURES_ONLY",
  score: 80,
  source: "index",
  relation: {
    kind: "callee",
    confidence: "resolved",
    hops: 1,
    symbol: "tax",
    evidence: { path: "orders/pricing.py", line: 13, name: "tax" },
  },
};

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
    const candidate = { verdict: "in", priority: "P2", ...INCLUDED } as const;
    const page = explanationPage({ ...EXPLAINED, candidate }, "orders/pricing.py::total");
    expect(page).toContain(
      "## In the context for `orders/pricing.py::total`?\n\n**Yes**, as base type.",
    );
    expect(page).toContain("- priority P2, shown as signatures only, score 80");
    expect(page).toContain("- because of `orders/pricing.py:13`: `tax`");
  });

  it("says why something is out, by the rule that decided", () => {
    const candidate = {
      verdict: "out",
      path: "build/x.py",
      reason: "deny_rule",
      rule: "**/build/**",
      rule_source: "default:build_outputs",
    } as const;
    expect(explanationPage({ ...EXPLAINED, candidate }, "t")).toContain(
      "**No**: deny rule.\n\n- rule `**/build/**` in `default:build_outputs`",
    );
  });

  it("says what no context could have", () => {
    const path = { verdict: "not_a_candidate", path: "x.py" } as const;
    expect(explanationPage({ ...EXPLAINED, candidate: path }, "t")).toContain("nothing relates it");
    const refused = {
      verdict: "refused",
      refusal: refusal({ message: "it is too large" }),
    } as const;
    expect(explanationPage({ ...EXPLAINED, candidate: refused }, "t")).toContain(
      "It is too large.",
    );
    const withheld = {
      ...EXPLAINED,
      refusal: refusal({ message: "a rule withholds it" }),
      relations: null,
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
      revision: 1,
      index_complete: true,
    });
    expect(page).toContain("- file `a.py`: hash 1 is 2");
  });

  it("says why it could not be made", () => {
    const answer = {
      status: "refused",
      refusal: refusal({}),
      differences: null,
      revision: 0,
      index_complete: false,
    } as const;
    expect(differencesPage(answer)).toContain("It is so.");
  });
});
