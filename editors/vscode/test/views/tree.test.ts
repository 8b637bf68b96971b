import { describe, expect, test } from "vitest";
import type { BuildResult, ExcludedCandidate } from "../../src/protocol";
import { type TreeNode, treeOf } from "../../src/views/tree";
import { CALLER, REST, RULES, TARGET, built, part, refused, relation } from "./results";

const relative = (uri: string): string | null =>
  uri.startsWith("file:///w/") ? uri.slice("file:///w/".length) : null;

const all = (nodes: readonly TreeNode[]): TreeNode[] =>
  nodes.flatMap((node) => [node, ...all(node.children)]);

const outline = (nodes: readonly TreeNode[], depth = 0): string[] =>
  nodes.flatMap((node) => [
    `${"  ".repeat(depth)}${node.label} | ${node.description} | ${node.kind}`,
    ...outline(node.children, depth + 1),
  ]);

const PARTS = [RULES, TARGET, REST, CALLER];

function excluded(
  path: string,
  reason: ExcludedCandidate["reason"],
  rule: string,
  source: string,
): ExcludedCandidate {
  return { path, reason, rule, rule_source: source, score: null, symbol: null };
}

test("a build is its total, then its blocks by priority, then what was left out", () => {
  const { nodes, message, description } = treeOf(
    {},
    built(PARTS, [excluded("src/old.py", "token_budget", "step 1", "budget")]),
    relative,
  );
  expect(outline(nodes)).toEqual([
    "total | 418 of 9,000 tokens | summary",
    "P0 Target and rules | 300 | group",
    "  Rules | 100 | part",
    "  shop.py | 200 · region · target · src | target",
    "P1 What it needs | 50 | group",
    "  shop.py (the rest of it) | 50 · signatures · target · src | target",
    "P2 What surrounds it | 60 | group",
    "  till.py | 60 · full file · calls it · src | block",
    "    till.py | calls it · src/till.py:4 | relation",
    "Left out | 1 | group",
    "  old.py | no room · step 1, budget · src | leftOut",
  ]);
  expect([message, description]).toEqual([null, "418 / 9,000"]);
});

test("a rule that hides source files is shown with their number, and a click allows it", () => {
  const result = built(PARTS);
  const command = "sightline allow 'packages/**'";
  const hidden = [
    { rule: "packages/**", files: 1899, command, at_least: false },
    { rule: "**/bin/**", files: 7, command, at_least: true },
  ];
  const manifest = result.manifest && { ...result.manifest, hidden };
  const { nodes } = treeOf({}, { ...result, manifest }, relative);
  expect(outline(nodes).slice(-3)).toEqual([
    "Hidden by rules | 2 | group",
    "  packages/** | hides 1,899 source files, click to allow | hidden",
    "  **/bin/** | hides at least 7 source files, click to allow | hidden",
  ]);
  expect(all(nodes).find((node) => node.kind === "hidden")?.path).toBe("packages/**");
  expect(outline(treeOf({}, result, relative).nodes).join()).not.toContain("Hidden");
});

test("a block opens all of its regions, its relation the line that speaks for it", () => {
  const nodes = all(treeOf({}, built(PARTS), relative).nodes);
  const place = (label: string) => nodes.find((node) => node.label === label)?.place;
  expect(place("shop.py")).toEqual({
    path: "src/shop.py",
    lines: [
      [9, 13],
      [20, 22],
    ],
  });
  expect(place("till.py")).toEqual({ path: "src/till.py", lines: [] });
  expect(nodes.find((node) => node.kind === "relation")?.place?.lines).toEqual([[4, 4]]);
  expect(place("Rules")).toBeNull();
});

describe("what is left out", () => {
  const kind = (each: ExcludedCandidate) =>
    all(treeOf({}, built(PARTS, [each]), relative).nodes).find((node) => node.label === each.path)
      ?.kind;

  test("can be added where only room, a copy or a setting kept it out", () => {
    expect(kind(excluded("a", "token_budget", "step 1", "budget"))).toBe("leftOut");
    expect(kind(excluded("a", "duplicate", "same content as b", "selection"))).toBe("leftOut");
    expect(kind(excluded("a", "deny_rule", "no", "settings:context.optional_blocks"))).toBe(
      "leftOut",
    );
  });

  test("cannot be added where a guard keeps it out", () => {
    expect(kind(excluded("a", "deny_rule", "**/build/**", "default:build_outputs"))).toBe(
      "withheld",
    );
    expect(kind(excluded("a", "secret_risk", "token", "egress"))).toBe("withheld");
    expect(kind(excluded("[REDACTED:path]", "token_budget", "step 1", "budget"))).toBe("withheld");
  });

  test("can be restored where a person dropped it, whether it is a candidate or not", () => {
    const { nodes } = treeOf(
      { droppedUris: ["file:///w/src/till.py", "file:///w/far.py", "file:///elsewhere.py"] },
      built([TARGET], [excluded("src/till.py", "deny_rule", "src/till.py", "request:dropped_paths")]),
      relative,
    );
    expect(outline(nodes.at(-1)?.children ?? [])).toEqual([
      "till.py | dropped by you · src | dropped",
      "far.py | dropped by you | dropped",
    ]);
  });
});

test("a secret that was replaced is told beside its block", () => {
  const result: BuildResult = {
    ...built([TARGET, CALLER]),
    redaction_report: {
      bundle_id: "",
      weak: [],
      redactions: [
        {
          type: "pattern_redacted",
          target: "src/till.py",
          reason: "secret",
          details: "assigned-password on line 3",
        },
      ],
    },
  };
  const node = all(treeOf({}, result, relative).nodes).find((each) => each.path === "src/till.py");
  expect(node?.description).toBe("60 · full file · calls it · redacted · src");
  expect(node?.tooltip).toContain("line 3");
});

describe("a refusal", () => {
  test("names the rule that withholds a file, and where it stands", () => {
    const rule = { rule: "**/build/**", source: "default:build_outputs" };
    const withheld = { kind: "UnsupportedTarget" as const, message: "denied", path: "build/a.py" };
    expect(treeOf({}, refused({ ...withheld, ...rule }), relative).message).toBe(
      "build/a.py: Denied. Rule **/build/** from default:build_outputs. Move it.",
    );
  });

  test("says its message and its advice, and leads to the lines", () => {
    const tree = treeOf(
      { droppedUris: ["file:///w/src/till.py"] },
      refused({ path: "src/mail.py", lines: [3, 7], rule: "assigned-password", source: "egress" }),
      relative,
    );
    expect(tree.message).toBe(
      "src/mail.py: The target holds a secret. Move it.",
    );
    expect(outline(tree.nodes)).toEqual([
      "src/mail.py | line 3, 7 | refusal",
      "Left out | 1 | group",
      "  till.py | dropped by you · src | dropped",
    ]);
    expect(tree.nodes[0]?.place).toEqual({
      path: "src/mail.py",
      lines: [
        [3, 3],
        [7, 7],
      ],
    });
  });

  test("offers its choices", () => {
    const candidates = ["src/a.py::A.save:5", "src/b.py::B.save:9"];
    const { nodes } = treeOf({}, refused({ kind: "AmbiguousTarget", candidates }), relative);
    expect(outline(nodes)).toEqual([
      "Several match |  | refusal",
      "A.save | src/a.py:5 | choice",
      "B.save | src/b.py:9 | choice",
    ]);
  });
});

test("no two nodes share an identifier, and the same block keeps its own", () => {
  const twice = part("Note", "P0", 5, { path: null }, "error_context");
  const result = built(
    [RULES, twice, { ...twice, tokens: 6 }, TARGET, REST, CALLER],
    [
      excluded("[REDACTED:path]", "secret_risk", "token", "egress"),
      excluded("[REDACTED:path]", "secret_risk", "token", "egress"),
    ],
  );
  const identifiers = all(treeOf({}, result, relative).nodes).map((node) => node.id);
  expect(new Set(identifiers).size).toBe(identifiers.length);
  const after = all(treeOf({}, built([RULES, TARGET, REST]), relative).nodes);
  expect(after.every((node) => identifiers.includes(node.id))).toBe(true);
});

test("names from outside are shown for what they are", () => {
  const name = "src/\u202e<b>[x](command:evil).py";
  const evil = part(name, "P2", 1, {
    relation: relation("caller", name, 1, "`\u200bname`"),
  });
  for (const node of all(treeOf({}, built([evil]), relative).nodes)) {
    expect(`${node.label}${node.description}${node.tooltip}${node.spoken}`).not.toMatch(
      /[\u202e\u200b]/,
    );
    expect(node.tooltip).not.toMatch(/<b>|(?<!\\)\[x/);
  }
});

test("everything has words for a screen reader", () => {
  const { nodes } = treeOf({}, built(PARTS), relative);
  expect(all(nodes).map((node) => node.spoken)).toContain(
    "src/till.py, P2, full file, 60 tokens, calls it",
  );
  expect(all(nodes).every((node) => node.spoken !== "")).toBe(true);
});
