/** Answers of the server, as small as the types allow. */

import * as vscode from "vscode";
import type { Built } from "../src/builds";
import type { BudgetStatusParams, BuildContextParams, BuildResult, Refusal } from "../src/protocol";

export function refusal(given: Partial<Refusal>): Refusal {
  return {
    kind: "InvalidRequest",
    reason: "some_reason",
    path: null,
    message: "it is so",
    advice: "do something else",
    rule: null,
    source: null,
    candidates: [],
    lines: [],
    smallest_budget: null,
    actions: [],
    ...given,
  };
}

export function status(given: Partial<BudgetStatusParams>): BudgetStatusParams {
  return {
    uri: "file:///home/ada/orders/pricing.py",
    version: 1,
    decision: "ok",
    tokens: 1234,
    neededTokens: 1234,
    optionalTokens: 0,
    softLimitTokens: 76_800,
    hardLimitTokens: 96_000,
    symbol: "total",
    level: "FULL_FILE",
    refusal: null,
    blocks: [],
    indexComplete: true,
    revision: 1,
    ...given,
  };
}

export function result(given: Partial<BuildResult>): BuildResult {
  return {
    status: "ok",
    bundle: null,
    manifest: null,
    redaction_report: null,
    budget_report: null,
    refusal: null,
    request: {},
    settings: { render: { format: "markdown" } },
    overrides: {},
    index_complete: true,
    rendered: "# Context\n",
    ...given,
  };
}

/** A build for symbols and files, in the folder `/home/ada`. */
export function built(
  symbols: readonly string[],
  files: readonly string[],
  given: Partial<BuildResult> = {},
  params: BuildContextParams = {},
  folder = "/home/ada",
): Built {
  return {
    params,
    folder: vscode.Uri.file(folder),
    result: result({
      manifest: {
        bundle_id: "1",
        correlation_id: "2",
        purpose: "diff",
        selection: {
          target_files: files,
          target_symbols: symbols,
          included_files: [],
          excluded_candidates: [],
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
      ...given,
    }),
  };
}
