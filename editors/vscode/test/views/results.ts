/** Small results of builds for the tests of the views. */

import type {
  BlockMeta,
  BlockRelation,
  BuildResult,
  ContextBlock,
  ExcludedCandidate,
  Refusal,
} from "../../src/protocol";

export interface Part {
  readonly block: ContextBlock;
  readonly tokens: number;
}

export function part(
  title: string,
  priority: ContextBlock["priority"],
  tokens: number,
  meta: Partial<BlockMeta> = {},
  block_type: ContextBlock["block_type"] = "file",
): Part {
  const path = meta.path === undefined ? title : meta.path;
  return {
    tokens,
    block: {
      block_id: `${block_type}/${priority}/${title}`,
      block_type,
      priority,
      title,
      content: "",
      meta: {
        path,
        symbol: null,
        hash: null,
        encoding: "utf-8",
        byte_size: 0,
        line_count: 0,
        source: "filesystem",
        level: path === null ? null : "FULL_FILE",
        language: null,
        regions: [],
        document_version: null,
        reason: path === null ? null : "dependency",
        score: null,
        relation: null,
        further_relations: [],
        check: null,
        likeness: null,
        ...meta,
      },
    },
  };
}

export const RULES = part("Rules", "P0", 100, { path: null }, "system");

export const TARGET = part("src/shop.py", "P0", 200, {
  level: "TARGET_REGION_ONLY",
  reason: "target",
  symbol: "total",
  regions: [
    { symbol: "total", start_line: 9, end_line: 13, sha256: "" },
    { symbol: "tax", start_line: 20, end_line: 22, sha256: "" },
  ],
});

export const REST = part(
  "src/shop.py (the rest of it)",
  "P1",
  50,
  { path: "src/shop.py", level: "SIGNATURES_ONLY", reason: "target" },
);

export const CALLER = part("src/till.py", "P2", 60, {
  reason: "caller",
  relation: relation("caller", "src/till.py", 4, "total"),
});

export function relation(kind: string, path: string, line: number, name: string): BlockRelation {
  const evidence = { path, line, name };
  return { kind, confidence: "resolved", hops: 1, symbol: null, evidence, shared: [] };
}

export function built(
  parts: readonly Part[],
  excluded: readonly ExcludedCandidate[] = [],
  framing = 8,
): BuildResult {
  const tokens = parts.reduce((sum, each) => sum + each.tokens, framing);
  return {
    ...BARE,
    status: "ok",
    bundle: {
      bundle_id: "",
      bundle_version: 1,
      created_at: "",
      purpose: "diff",
      correlation_id: "",
      model: {
        provider: "generic",
        model: "generic",
        max_input_tokens: 10_000,
        max_output_tokens: 1_000,
        response_token_reserve: 1_000,
        soft_limit_threshold_pct: 80,
      },
      blocks: parts.map((each) => each.block),
    },
    manifest: {
      bundle_id: "",
      correlation_id: "",
      purpose: "diff",
      selection: {
        target_files: ["src/shop.py"],
        target_symbols: ["src/shop.py::total"],
        included_files: [],
        excluded_candidates: excluded,
        optional_files: [],
      },
      fingerprints: {
        project_index_fingerprint: "",
        config_fingerprint: "",
        bundle_fingerprint: "",
      },
      weak_redactions: 0,
      hidden: [],
      quarantined: [],
    },
    redaction_report: { bundle_id: "", redactions: [], weak: [] },
    budget_report: {
      bundle_id: "",
      estimated_input_tokens: tokens,
      max_input_tokens: 10_000,
      soft_limit_tokens: 7_200,
      hard_limit_tokens: 9_000,
      reserve_output_tokens: 1_000,
      decision: "ok",
      notes: ["estimator lexical"],
      estimator: "lexical",
      blocks: parts.map(({ block, tokens: own }) => ({
        block_id: block.block_id,
        title: block.title,
        priority: block.priority,
        tokens: own,
      })),
      framing_tokens: framing,
    },
    rendered: "text",
  };
}

export function refused(refusal: Partial<Refusal>): BuildResult {
  return {
    ...BARE,
    status: "refused",
    refusal: {
      kind: "SecretRisk",
      reason: "",
      path: null,
      message: "the target holds a secret",
      advice: "move it",
      rule: null,
      source: null,
      candidates: [],
      lines: [],
      smallest_budget: null,
      actions: [],
      ...refusal,
    },
  };
}

const BARE: BuildResult = {
  status: "ok",
  bundle: null,
  manifest: null,
  redaction_report: null,
  budget_report: null,
  refusal: null,
  request: {},
  settings: {},
  overrides: {},
  index_complete: true,
  rendered: null,
};
