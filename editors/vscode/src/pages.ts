/** Pages in Markdown about an answer: an explanation, the differences of a verification. */

import type { ExplainResult, Place, Relation, Verdict, VerifyResult } from "./protocol";
import { refusalMessage } from "./refusals";

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
      ...verdictLines(result.candidate),
      "",
    );
  }
  const relations = result.relations ?? [];
  lines.push("## Relations", "");
  if (relations.length === 0) {
    lines.push(result.status === "ok" ? "None is known." : "None is shown.");
  } else {
    lines.push(...relations.flatMap(relationLines));
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
  const listed = (result.differences ?? []).map(
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

function verdictLines(verdict: Verdict): readonly string[] {
  switch (verdict.verdict) {
    case "in": {
      const evidence = verdict.relation?.evidence;
      return [
        `**Yes**, as ${words(verdict.reason)}.`,
        "",
        `- priority ${verdict.priority}, shown as ${words(verdict.level)}, score ${verdict.score}`,
        ...(evidence
          ? [`- because of ${code(`${evidence.path}:${evidence.line}`)}: ${code(evidence.name)}`]
          : []),
      ];
    }
    case "out":
      return [
        `**No**: ${words(verdict.reason)}.`,
        ...(verdict.rule
          ? ["", `- rule ${code(verdict.rule)} in ${code(verdict.rule_source ?? "?")}`]
          : []),
      ];
    case "not_a_candidate":
      return ["**No**: nothing relates it to the target closely enough."];
    case "refused":
      return [`There is no such context: ${refusalMessage(verdict.refusal)}`];
  }
}

/** A list, which reads well as it is written, too. */
function relationLines(relation: Relation): readonly string[] {
  const { evidence, hops, confidence } = relation;
  return [
    `- ${relation.kind}: ${relation.targets.map(placeText).join(", ")}`,
    `  because of ${code(`${evidence.path}:${evidence.line}`)} ${code(evidence.name)}` +
      ` (${confidence}, ${hops} ${hops === 1 ? "step" : "steps"})`,
  ];
}

function placeText(place: Place): string {
  return code(place.symbol === null ? place.path : `${place.path}::${place.symbol}`);
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
