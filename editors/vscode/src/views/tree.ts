/** The Context view as data: what a build has in it, what it left out, and what can be done. */

import { grouped } from "../numbers";
import type {
  BlockRelation,
  BuildContextParams,
  BuildResult,
  ContextBlock,
  ExcludedCandidate,
  HiddenFiles,
  Refusal,
} from "../protocol";
import { candidateLabel } from "../requests";
import {
  PRIORITIES,
  decisionWords,
  exclusionWords,
  levelWords,
  markdown,
  priorityWords,
  reasonWords,
  relationWords,
  sentence,
  tokenWords,
  visible,
} from "./words";

/** Lines of a file, 1-based and inclusive as results have them; none means all of it. */
export interface Place {
  readonly path: string;
  readonly lines: readonly (readonly [first: number, last: number])[];
}

/** What can be done with a node; `view/item/context` of package.json goes by it. */
export type NodeKind =
  | "summary"
  | "group"
  | "block"
  | "target"
  | "part"
  | "relation"
  | "leftOut"
  | "dropped"
  | "withheld"
  | "hidden"
  | "refusal"
  | "choice"
  | "previous";

export interface TreeNode {
  /** The same over rebuilds, so that what a person opened or selected stays so. */
  readonly id: string;
  readonly kind: NodeKind;
  readonly label: string;
  readonly description: string;
  /** Markdown. */
  readonly tooltip: string;
  /** What a screen reader says. */
  readonly spoken: string;
  /** A codicon; `file` stands for the icon that the theme has for the path. */
  readonly icon: string;
  /** A theme colour of the icon, for what needs attention. */
  readonly color: string | null;
  /** In the folder of the build, null where the node is no file; of a choice or rule, its words. */
  readonly path: string | null;
  /** What a click opens. */
  readonly place: Place | null;
  readonly isExpanded: boolean;
  readonly children: readonly TreeNode[];
}

export interface TreeModel {
  readonly nodes: readonly TreeNode[];
  /** Above the nodes; only a refusal has one. */
  readonly message: string | null;
  /** Beside the view's title. */
  readonly description: string;
}

/** Longer lists start closed. */
const MOST_OPEN = 8;

/** What stands for a path that holds what looks like a secret. */
const UNNAMED = "[REDACTED:path]";

const DROPPED = "request:dropped_paths";

const ICONS: Readonly<Record<string, string>> = {
  system: "law",
  constraints: "checklist",
  project_meta: "project",
  file: "file",
  symbol: "file",
  error_context: "error",
  diff_hint: "diff",
};

/**
 * `relative` gives the path of a URI in the folder of the build, or null for one outside it;
 * `previous` is the last build that was not refused.
 */
export function treeOf(
  params: BuildContextParams,
  result: BuildResult,
  relative: (uri: string) => string | null,
  previous: BuildResult | null = null,
): TreeModel {
  const dropped = (params.droppedUris ?? []).map(relative).filter((path) => path !== null);
  if (result.refusal !== null || result.bundle === null) {
    return refusedTree(result, dropped, previous);
  }
  const report = result.budget_report;
  const costs = new Map(report?.blocks?.map((each) => [each.block_id, each.tokens]));
  const nodes: TreeNode[] = [summaryNode(result)];
  for (const priority of PRIORITIES) {
    const blocks = result.bundle.blocks.filter((each) => each.priority === priority);
    if (blocks.length > 0) {
      nodes.push(priorityNode(priority, blocks, costs, result));
    }
  }
  const leftOut = leftOutNodes(result.manifest?.selection.excluded_candidates ?? [], dropped);
  if (leftOut.length > 0) {
    nodes.push(groupNode("left-out", "Left out", leftOut, leftOut.length <= MOST_OPEN));
  }
  const hidden = (result.manifest?.hidden ?? []).map(hiddenNode);
  if (hidden.length > 0) {
    nodes.push(groupNode("hidden", "Hidden by rules", hidden, true));
  }
  const budget = report
    ? `${grouped(report.estimated_input_tokens)} / ${grouped(report.hard_limit_tokens)}`
    : "";
  return { nodes: distinct(nodes), message: null, description: budget };
}

function summaryNode(result: BuildResult): TreeNode {
  const report = result.budget_report;
  const name = targetWords(result);
  const tokens = report
    ? `${grouped(report.estimated_input_tokens)} of ${tokenWords(report.hard_limit_tokens)}`
    : "";
  const isPast = report !== null && report.decision !== "ok";
  const lines = [`**${markdown(name)}**`];
  if (report) {
    lines.push(
      `${markdown(tokens)}, ${decisionWords(report.decision)}`,
      `Soft limit ${grouped(report.soft_limit_tokens)}, hard limit ` +
        `${grouped(report.hard_limit_tokens)}, ${grouped(report.reserve_output_tokens)} kept ` +
        "for the answer",
      `Model ${markdown(result.bundle?.model.model ?? "")}, counted by ` +
        markdown(report.estimator),
    );
  }
  if (!result.index_complete) {
    lines.push("The index was not complete yet: rebuild for all relations.");
  }
  return {
    ...BARE,
    id: "summary",
    kind: "summary",
    label: visible(name),
    description: result.index_complete ? tokens : `${tokens}, index not complete`,
    tooltip: lines.join("\n\n"),
    spoken: `Context of ${visible(name)}, ${tokens}, ${decisionWords(report?.decision ?? "ok")}`,
    icon: isPast ? "warning" : "target",
    color: isPast ? "list.warningForeground" : null,
  };
}

/** The target's symbol, or its file's name, and how many more there are. */
export function targetWords(result: BuildResult): string {
  const selection = result.manifest?.selection;
  const named = selection?.target_symbols.length
    ? selection.target_symbols.map((each) => each.split("::").slice(1).join("::") || each)
    : (selection?.target_files ?? []);
  const [first, ...more] = named;
  if (first === undefined) {
    return "Context";
  }
  return more.length > 0 ? `${first} and ${more.length} more` : first;
}

function priorityNode(
  priority: string,
  blocks: readonly ContextBlock[],
  costs: ReadonlyMap<string, number>,
  result: BuildResult,
): TreeNode {
  const tokens = blocks.reduce((sum, each) => sum + (costs.get(each.block_id) ?? 0), 0);
  const nodes = blocks.map((each) => blockNode(each, costs.get(each.block_id) ?? 0, result));
  const words = priorityWords(priority);
  return {
    ...groupNode(priority, `${priority} ${words}`, nodes, blocks.length <= 2 * MOST_OPEN),
    description: grouped(tokens),
    tooltip: `**${priority}** ${words}, ${tokenWords(tokens)}`,
    spoken: `${priority}, ${words}, ${blocks.length} blocks, ${tokenWords(tokens)}`,
  };
}

function blockNode(block: ContextBlock, tokens: number, result: BuildResult): TreeNode {
  const { path, level = null, relation, reason, regions = [] } = block.meta;
  const why = whyWords(block);
  const facts = [grouped(tokens), levelWords(level), why];
  const secrets = (result.redaction_report?.redactions ?? []).filter(
    (each) => each.type === "pattern_redacted" && each.target === path,
  );
  if (secrets.length > 0) {
    facts.push("redacted");
  }
  facts.push(path === null ? "" : folderOf(path));
  const relations = [...(relation ? [relation] : []), ...block.meta.further_relations];
  const lines = [
    `**${markdown(block.title)}**`,
    phrase([block.priority, levelWords(level), tokenWords(tokens), why]),
    ...regions.map(
      (each) => `${markdown(each.symbol)}, lines ${each.start_line}–${each.end_line}`,
    ),
    ...(relation ? [`Because of ${markdown(evidenceWords(relation))}`] : []),
    ...secrets.map((each) => `Replaced: ${markdown(each.details)}`),
  ];
  const isFile = path !== null;
  return {
    ...BARE,
    id: `block:${block.block_type}:${block.priority}:${block.title}`,
    kind: !isFile ? "part" : reason === "target" ? "target" : "block",
    label: visible(path === null ? block.title : block.title.replace(path, () => nameOf(path))),
    description: phrase(facts),
    tooltip: lines.join("\n\n"),
    spoken:
      `${visible(block.title)}, ${block.priority}, ` +
      [levelWords(level), tokenWords(tokens), why].filter((each) => each !== "").join(", "),
    icon: ICONS[block.block_type] ?? "circle-small",
    path,
    place: isFile ? placeOf(block) : null,
    children: relations.map((each, index) => relationNode(block, each, index)),
  };
}

/** What a block shows of its file. */
export function placeOf(block: ContextBlock): Place {
  return {
    path: block.meta.path ?? "",
    lines: block.meta.regions.map((each) => [each.start_line, each.end_line] as const),
  };
}

/** The relation says more exactly than the reason why a block is there. */
export function whyWords(block: ContextBlock): string {
  const { reason, relation } = block.meta;
  if (!reason) {
    return relation ? relationWords(relation.kind) : "";
  }
  const isOwn = reason === "target" || reason === "user_selected" || !relation;
  return isOwn ? reasonWords(reason) : relationWords(relation.kind);
}

function relationNode(block: ContextBlock, relation: BlockRelation, index: number): TreeNode {
  const { evidence } = relation;
  const about = relation.symbol ?? nameOf(block.meta.path ?? block.title);
  const doubt = relation.confidence === "resolved" ? "" : `, ${relation.confidence}`;
  return {
    ...BARE,
    id: `relation:${block.block_type}:${block.priority}:${block.title}:${index}`,
    kind: "relation",
    label: visible(about),
    description: visible(
      evidence
        ? `${relationWords(relation.kind)}${doubt} · ${evidence.path}:${evidence.line}`
        : evidenceWords(relation),
    ),
    tooltip: markdown(evidenceWords(relation)),
    spoken: visible(
      evidence
        ? `${about}, ${relationWords(relation.kind)}${doubt}, ${evidence.path} line ${evidence.line}`
        : `${about}, ${evidenceWords(relation)}`,
    ),
    icon: "references",
    place: evidence
      ? { path: evidence.path, lines: [[evidence.line, evidence.line]] }
      : placeOf(block),
  };
}

function evidenceWords(relation: BlockRelation): string {
  const { evidence } = relation;
  if (!evidence) {
    return `${relationWords(relation.kind)}: shares ${relation.shared.join(", ")}`;
  }
  const hops = relation.hops !== null && relation.hops > 1 ? `, ${relation.hops} hops away` : "";
  const name = evidence.name === "" ? "" : `'${evidence.name}' in `;
  return (
    `${name}${evidence.path}, line ${evidence.line} ` +
    `(${relationWords(relation.kind)}, ${relation.confidence}${hops})`
  );
}

/** Exclusions in the server's order, then what a person dropped and no relation leads to. */
function leftOutNodes(
  excluded: readonly ExcludedCandidate[],
  dropped: readonly string[],
): TreeNode[] {
  const nodes = excluded.map(leftOutNode);
  const told = new Set(excluded.filter((each) => each.rule_source === DROPPED).map(pathOf));
  return [...nodes, ...[...new Set(dropped)].filter((path) => !told.has(path)).map(droppedNode)];
}

function leftOutNode(each: ExcludedCandidate): TreeNode {
  if (each.rule_source === DROPPED) {
    return droppedNode(each.path);
  }
  // Asking for a file changes nothing about a rule, its size or a secret in it.
  const canAdd =
    each.reason === "token_budget" ||
    each.reason === "duplicate" ||
    (each.rule_source ?? "").startsWith("settings:context.");
  const isNamed = each.path !== UNNAMED;
  const words = exclusionWords(each.reason);
  const rule = [each.rule, each.rule_source].filter((part) => part).join(", ");
  return {
    ...BARE,
    id: `left-out:${each.path}:${each.symbol ?? ""}`,
    kind: canAdd && isNamed ? "leftOut" : "withheld",
    label: visible(isNamed ? nameOf(each.path) : each.path),
    description: phrase([each.symbol ?? "", words, rule, isNamed ? folderOf(each.path) : ""]),
    tooltip: [
      `**${markdown(each.symbol ? `${each.path}::${each.symbol}` : each.path)}**`,
      `Left out: ${words}`,
      ...(each.rule ? [`Rule ${markdown(each.rule)}`] : []),
      ...(each.rule_source ? [`From ${markdown(each.rule_source)}`] : []),
    ].join("\n\n"),
    spoken: visible(`${each.path}, left out, ${words}${rule === "" ? "" : `, ${rule}`}`),
    icon: isNamed ? "file" : "circle-slash",
    path: isNamed ? each.path : null,
    place: isNamed ? { path: each.path, lines: [] } : null,
  };
}

/** Source that nobody can see in a context until a person allows the rule. */
function hiddenNode({ rule, files, at_least }: HiddenFiles): TreeNode {
  const least = at_least ? "at least " : "";
  const count = `${least}${grouped(files)} source ${files === 1 ? "file" : "files"}`;
  return {
    ...BARE,
    id: `hidden:${rule}`,
    kind: "hidden",
    label: visible(rule),
    description: `hides ${count}, click to allow`,
    tooltip: `**${markdown(rule)}**\n\nHides ${count}. Click to allow it in this workspace.`,
    spoken: visible(`The rule ${rule} hides ${count}, activate to allow it in this workspace`),
    icon: "eye-closed",
    path: rule,
  };
}

function droppedNode(path: string): TreeNode {
  return {
    ...BARE,
    id: `dropped:${path}`,
    kind: "dropped",
    label: visible(nameOf(path)),
    description: phrase(["dropped by you", folderOf(path)]),
    tooltip: `**${markdown(path)}**\n\nDropped by you`,
    spoken: `${visible(path)}, dropped by you`,
    icon: "file",
    path,
    place: { path, lines: [] },
  };
}

function refusedTree(
  result: BuildResult,
  dropped: readonly string[],
  previous: BuildResult | null,
): TreeModel {
  const refusal = result.refusal;
  if (refusal === null) {
    return { nodes: [], message: null, description: "" };
  }
  const nodes = [refusalNode(refusal), ...refusal.candidates.map(choiceNode)];
  const changes = [...new Set(dropped)].map(droppedNode);
  if (changes.length > 0) {
    nodes.push(groupNode("left-out", "Left out", changes, true));
  }
  if (previous !== null) {
    nodes.push(previousNode(previous));
  }
  const where = refusal.path === null ? "" : `${refusal.path}: `;
  // Elsewhere the message names the detector or the limit itself.
  const rule =
    refusal.kind === "UnsupportedTarget" && refusal.rule !== null
      ? ` Rule ${refusal.rule}${refusal.source === null ? "" : ` from ${refusal.source}`}.`
      : "";
  return {
    nodes: distinct(nodes),
    message: visible(`${where}${sentence(refusal.message)}${rule} ${sentence(refusal.advice)}`),
    description: "refused",
  };
}

function refusalNode(refusal: Refusal): TreeNode {
  const { lines } = refusal;
  const name = refusal.path ?? REFUSAL_WORDS[refusal.kind] ?? refusal.kind;
  const where = lines.length > 0 ? `line ${lines.join(", ")}` : "";
  return {
    ...BARE,
    id: "refusal",
    kind: "refusal",
    label: visible(name),
    description: where || (refusal.path === null ? "" : (REFUSAL_WORDS[refusal.kind] ?? "")),
    tooltip: [sentence(refusal.message), sentence(refusal.advice)].map(markdown).join("\n\n"),
    spoken: visible(`Refused, ${name}, ${refusal.message}, ${refusal.advice}`),
    icon: refusal.kind === "SecretRisk" ? "shield" : "error",
    color: "list.errorForeground",
    place:
      refusal.path === null
        ? null
        : { path: refusal.path, lines: lines.map((line) => [line, line] as const) },
  };
}

const REFUSAL_WORDS: Readonly<Record<string, string>> = {
  ContextTooLarge: "Too large",
  SecretRisk: "Secret",
  AmbiguousTarget: "Several match",
  UnsupportedTarget: "Withheld",
  IndexUnavailable: "No index",
  InvalidRequest: "Cannot be built",
};

/** The way back from a change that was refused. */
function previousNode(previous: BuildResult): TreeNode {
  const name = targetWords(previous);
  return {
    ...BARE,
    id: "previous",
    kind: "previous",
    label: `Back to ${visible(name)}`,
    description: "",
    tooltip: `Build ${markdown(name)} again, as it was before`,
    spoken: `Back to the context of ${visible(name)}`,
    icon: "discard",
  };
}

/** A symbol or a file to build for instead. */
function choiceNode(choice: string): TreeNode {
  const { label, description } = candidateLabel(choice);
  return {
    ...BARE,
    id: `choice:${choice}`,
    kind: "choice",
    label: visible(label),
    description: visible(description),
    tooltip: `Build for ${markdown(choice)}`,
    spoken: visible(`Build for ${label} ${description}`.trimEnd()),
    icon: description === "" ? "go-to-file" : "symbol-method",
    path: choice,
  };
}

/** No identifier twice: the editor would refuse the whole tree. */
function distinct(nodes: readonly TreeNode[], seen = new Map<string, number>()): TreeNode[] {
  return nodes.map((node) => {
    const count = (seen.get(node.id) ?? 0) + 1;
    seen.set(node.id, count);
    const id = count > 1 ? `${node.id}#${count}` : node.id;
    return { ...node, id, children: distinct(node.children, seen) };
  });
}

function groupNode(
  id: string,
  label: string,
  children: readonly TreeNode[],
  isExpanded: boolean,
): TreeNode {
  return {
    ...BARE,
    id: `group:${id}`,
    kind: "group",
    label,
    description: String(children.length),
    tooltip: markdown(label),
    spoken: `${label}, ${children.length}`,
    icon: "",
    isExpanded,
    children,
  };
}

const BARE = {
  color: null,
  path: null,
  place: null,
  isExpanded: false,
  children: [],
} as const;

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Empty at the root. */
function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function phrase(facts: readonly string[]): string {
  return visible(facts.filter((each) => each !== "").join(" · "));
}

const pathOf = (each: ExcludedCandidate): string => each.path;
