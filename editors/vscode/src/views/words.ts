/** How the views say things. Names of files come from outside: nothing here trusts them. */

import { grouped } from "../numbers";

export const PRIORITIES = ["P0", "P1", "P2", "P3"] as const;

const PRIORITY_WORDS: Readonly<Record<string, string>> = {
  P0: "Target and rules",
  P1: "What it needs",
  P2: "What surrounds it",
  P3: "If there is room",
};

const LEVEL_WORDS: Readonly<Record<string, string>> = {
  FULL_FILE: "full file",
  TARGET_REGION_ONLY: "region",
  SIGNATURES_ONLY: "signatures",
  SUMMARY_ONLY: "summary",
};

const RELATION_WORDS: Readonly<Record<string, string>> = {
  dependency: "used",
  dependent: "uses it",
  base: "base type",
  implementer: "implements it",
  caller: "calls it",
  callee: "called",
  config: "configuration",
  near: "nearby",
};

const REASON_WORDS: Readonly<Record<string, string>> = {
  target: "target",
  dependency: "used",
  interface: "interface",
  caller: "calls it",
  base_type: "base type",
  config: "configuration",
  user_selected: "added by you",
};

const EXCLUSION_WORDS: Readonly<Record<string, string>> = {
  deny_rule: "denied",
  binary: "binary",
  too_large: "too large",
  token_budget: "no room",
  outside_sandbox: "outside the folder",
  secret_risk: "may hold a secret",
  duplicate: "duplicate",
};

const DECISION_WORDS: Readonly<Record<string, string>> = {
  ok: "within the soft limit",
  warn_soft_limit: "past the soft limit",
  refuse_hard_limit: "past the hard limit",
};

export const priorityWords = (priority: string): string => PRIORITY_WORDS[priority] ?? priority;
export const levelWords = (level: string | null): string =>
  level === null ? "" : (LEVEL_WORDS[level] ?? level);
export const relationWords = (kind: string): string => RELATION_WORDS[kind] ?? plain(kind);
export const reasonWords = (reason: string): string => REASON_WORDS[reason] ?? plain(reason);
export const exclusionWords = (reason: string): string => EXCLUSION_WORDS[reason] ?? plain(reason);
export const decisionWords = (decision: string): string =>
  DECISION_WORDS[decision] ?? plain(decision);

export function tokenWords(count: number): string {
  return `${grouped(count)} ${count === 1 ? "token" : "tokens"}`;
}

/**
 * Text in which no character hides or turns the others around: controls, bidirectional marks and
 * zero-width characters are written as their code points.
 */
export function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** Text for a Markdown tooltip, where it may neither format, nor link, nor draw an icon. */
export function markdown(text: string): string {
  return visible(text)
    .replace(/[\\`*_{}[\]()#+\-.!|~$^:@/]/g, "\\$&")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;");
}

/** The server's words as a sentence of their own. */
export function sentence(words: string): string {
  const text = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function plain(word: string): string {
  return word.replace(/_/g, " ");
}
