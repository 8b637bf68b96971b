/** Pages in Markdown about an answer: an explanation, the differences of a verification. */

import type {
  ExplainCandidate,
  ExplainResult,
  RelatedSymbol,
  SymbolRelation,
  VerifyResult,
} from "./protocol";
import { refusalMessage } from "./refusalWords";

/** Why something is in the bundle for a target, or is not, and what it relates to. */
export function explanationPage(result: ExplainResult, target: string | undefined): string {
  const name = result.symbol ?? result.path ?? "this file";
  const lines = [`# ${code(name)}`, ""];
  if (result.path !== null && result.symbol !== null) {
    lines.push(`${result.kind ?? "symbol"} in ${code(`${result.path}:${result.line ?? 1}`)}`, "");
  }
  if (result.refusal !== null) {
    lines.push(`**Withheld.** ${refusalMessage(result.refusal)}`, "");
  }
  if (result.candidate !== null) {
    lines.push(
      `## In the context for ${code(target ?? "the target")}?`,
      "",
      ...candidateLines(result.candidate),
      "",
    );
  }
  lines.push("## Relations", "");
  if (result.relations.length === 0) {
    lines.push(result.status === "ok" ? "None is known." : "None is shown.");
  } else {
    lines.push(...result.relations.flatMap(relationLines));
  }
  if (!result.index_complete) {
    lines.push("", "The index is not complete yet: more may come.");
  }
  return `${lines.join("\n")}\n`;
}

/** What is another thing now than it was when the bundle was built. */
export function differencesPage(result: VerifyResult): string {
  if (result.refusal !== null) {
    return `# Not verified\n\n${refusalMessage(result.refusal)}\n`;
  }
  const listed = result.differences.map(
    (each) => `- ${each.what} ${code(each.where)}: ${plain(each.detail)}`,
  );
  return [
    "# Not the same any more",
    "",
    "What has changed since the context was built:",
    "",
    ...listed,
    "",
  ].join("\n");
}

function candidateLines(candidate: ExplainCandidate): readonly string[] {
  const reason = words(candidate.reason ?? "unknown");
  switch (candidate.status) {
    case "included": {
      const { priority, score } = candidate;
      const level = words(candidate.level ?? "unknown");
      const evidence = candidate.relations[0]?.evidence;
      return [
        `**Yes**, as ${reason}.`,
        "",
        `- priority ${priority}, shown as ${level}, score ${score}`,
        ...(evidence
          ? [`- because of ${code(`${evidence.path}:${evidence.line}`)}: ${code(evidence.name)}`]
          : []),
      ];
    }
    case "excluded":
      return [
        `**No**: ${reason}.`,
        ...(candidate.rule
          ? ["", `- rule ${code(candidate.rule)} in ${code(candidate.rule_source ?? "?")}`]
          : []),
      ];
    case "not_a_candidate":
      return ["**No**: nothing relates it to the target closely enough."];
    case "refused":
      return candidate.refusal === null
        ? ["There is no such context."]
        : [`There is no such context: ${refusalMessage(candidate.refusal)}`];
  }
}

/** A list, which reads well as it is written, too. */
function relationLines(relation: SymbolRelation): readonly string[] {
  const { evidence, hops, confidence } = relation;
  return [
    `- ${relation.kind}: ${relation.targets.map(symbolText).join(", ")}`,
    `  because of ${code(`${evidence.path}:${evidence.line}`)} ${code(evidence.name)}` +
      ` (${confidence}, ${hops} ${hops === 1 ? "step" : "steps"})`,
  ];
}

function symbolText({ path, symbol }: RelatedSymbol): string {
  return code(symbol === null ? path : `${path}::${symbol}`);
}

/** Names of the contract as words: `TARGET_REGION_ONLY`, `base_type`. */
function words(name: string): string {
  return name.toLowerCase().replaceAll("_", " ");
}

/** As code in Markdown, with backticks in it, too. */
function code(text: string): string {
  const written = plain(text);
  const longest = Math.max(0, ...[...written.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${written}${fence}` : `${fence} ${written} ${fence}`;
}

function plain(text: string): string {
  return text.replace(/\p{C}/gu, " ");
}
