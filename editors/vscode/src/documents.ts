/** Read-only documents of the scheme `sightline`: bundles, manifests, explanations. */

import { createHash } from "node:crypto";
import * as vscode from "vscode";
import type { Built } from "./builds";
import { grouped } from "./numbers";
import type { Format } from "./protocol";
import { isRecipe } from "./recipeRequests";

export const SCHEME = "sightline";

const EXTENSIONS: Record<Format, string> = { markdown: "md", xml: "xml", json: "json" };
const LANGUAGES: Record<string, string> = { md: "markdown", xml: "xml", json: "json" };
const MOST_IN_A_TITLE = 60;
const COPY = { title: "Copy", command: "sightline.copy", tooltip: "Copy the context as it is" };

export class Documents
  implements vscode.TextDocumentContentProvider, vscode.CodeLensProvider, vscode.Disposable
{
  private readonly texts = new Map<string, string>();
  private readonly builds = new Map<string, Built>();
  private readonly opening = new Set<string>();
  private readonly emitter = new vscode.EventEmitter<vscode.Uri>();
  private readonly lensEmitter = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[];

  readonly onDidChange = this.emitter.event;
  readonly onDidChangeCodeLenses = this.lensEmitter.event;

  constructor() {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.languages.registerCodeLensProvider({ scheme: SCHEME }, this),
      vscode.workspace.onDidCloseTextDocument((document) => this.forget(document.uri)),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "This is not kept between sessions: build it again.\n";
  }

  /** What can be done with a bundle stands above it: buttons of a title hide without the focus. */
  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const built = this.builds.get(document.uri.toString());
    const isBundle = built && document.uri.toString() === bundleUri(built).toString();
    const lenses = isBundle ? lensesOf(built) : isRecipe(document.uri) ? [COPY] : [];
    const top = new vscode.Range(0, 0, 0, 0);
    return lenses.map(
      ({ title, command, tooltip }) =>
        new vscode.CodeLens(top, { title, command, tooltip, arguments: [document.uri] }),
    );
  }

  /** The build that a document shows or belongs to. */
  builtOf(uri: vscode.Uri | undefined): Built | undefined {
    return uri && this.builds.get(uri.toString());
  }

  /** What the document of a recipe holds; undefined for others. */
  recipeText(uri: vscode.Uri | undefined): string | undefined {
    return uri && isRecipe(uri) ? this.texts.get(uri.toString()) : undefined;
  }

  /** Open a document beside the code, or refresh it where it is open; the code keeps the focus. */
  async show(uri: vscode.Uri, text: string, built?: Built): Promise<void> {
    const key = uri.toString();
    this.texts.set(key, text);
    if (built) {
      this.builds.set(key, built);
    }
    if (isOpen(key)) {
      this.emitter.fire(uri);
      this.lensEmitter.fire();
    }
    this.opening.add(key);
    try {
      await open(uri);
    } finally {
      this.opening.delete(key);
    }
  }

  /** Keep a text for a document that another view opens, such as one side of a comparison. */
  keep(uri: vscode.Uri, text: string): vscode.Uri {
    this.texts.set(uri.toString(), text);
    return uri;
  }

  dispose(): void {
    this.emitter.dispose();
    this.lensEmitter.dispose();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** A document is closed late, or for a moment when its language changes: another may be there. */
  private forget(uri: vscode.Uri): void {
    const key = uri.toString();
    if (!this.opening.has(key) && !isOpen(key)) {
      this.texts.delete(key);
      this.builds.delete(key);
    }
  }
}

/** The document of a build: the same for every build of the same target in the same format. */
export function bundleUri(built: Built): vscode.Uri {
  return documentUri(`AI Context: ${targetName(built)}.${EXTENSIONS[formatOf(built)]}`, built);
}

export function manifestUri(built: Built): vscode.Uri {
  return documentUri(`Manifest: ${targetName(built)}.json`, built);
}

export function explanationUri(name: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: `/Explanation: ${inTitle(name)}.md` });
}

export function verificationUri(built: Built): vscode.Uri {
  return documentUri(`Verification: ${targetName(built)}.md`, built);
}

/** What stands above a bundle: its cost, and what can be done with it. */
export function lensesOf(
  built: Built,
): readonly { title: string; command: string; tooltip: string }[] {
  const report = built.result.budget_report;
  const cost = report
    ? `${grouped(report.estimated_input_tokens)} of ${grouped(report.hard_limit_tokens)} tokens`
    : "Budget";
  return [
    { title: cost, command: "sightline.showBudget", tooltip: "Show how the budget is spent" },
    COPY,
    { title: "Manifest", command: "sightline.showManifest", tooltip: "Show what is in it and why" },
    { title: "Verify", command: "sightline.verify", tooltip: "Derive it again and compare" },
  ];
}

/** What a build is about, for a title: its first symbol, else its first file, and how many more. */
export function targetName(built: Built): string {
  const selection = built.result.manifest?.selection;
  const symbols = selection?.target_symbols ?? [];
  const names =
    symbols.length > 0 ? symbols.map(symbolOf) : (selection?.target_files ?? []).map(fileOf);
  const more = names.length > 1 ? ` +${names.length - 1}` : "";
  return inTitle(names[0] ?? "context") + more;
}

export function formatOf(built: Built): Format {
  const render = built.result.settings["render"] as { format?: unknown } | undefined;
  for (const format of [built.result.overrides["render.format"], render?.format]) {
    if (typeof format === "string" && format in EXTENSIONS) {
      return format as Format;
    }
  }
  return "markdown";
}

function symbolOf(target: string): string {
  return target.slice(target.indexOf("::") + 2) || fileOf(target);
}

function fileOf(path: string): string {
  return path.split("/").at(-1) ?? path;
}

/** A name as the last part of a path: no separators, no control characters, not too long. */
function inTitle(name: string): string {
  const plain = name.replace(/[/\\\p{C}]/gu, "-");
  return plain.length > MOST_IN_A_TITLE ? `${plain.slice(0, MOST_IN_A_TITLE)}…` : plain;
}

/** The query tells namesakes apart: it is not part of the title. */
function documentUri(title: string, built: Built): vscode.Uri {
  const selection = built.result.manifest?.selection;
  const targets = [...(selection?.target_files ?? []), ...(selection?.target_symbols ?? [])];
  const identity = createHash("sha256").update([built.folder.toString(), ...targets].join("\n"));
  return vscode.Uri.from({
    scheme: SCHEME,
    path: `/${title}`,
    query: identity.digest("hex").slice(0, 16),
  });
}

async function open(uri: vscode.Uri): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  const language = LANGUAGES[uri.path.split(".").at(-1) ?? ""];
  if (language !== undefined && document.languageId !== language) {
    await vscode.languages.setTextDocumentLanguage(document, language);
  }
  await vscode.window.showTextDocument(document, {
    viewColumn: columnFor(uri),
    preserveFocus: true,
    preview: true,
  });
}

function isOpen(key: string): boolean {
  return vscode.workspace.textDocuments.some((each) => each.uri.toString() === key);
}

/** Where the document is already, else where another of ours is; but never over the code. */
function columnFor(uri: vscode.Uri): vscode.ViewColumn {
  const key = uri.toString();
  const active = vscode.window.tabGroups.activeTabGroup;
  const isOverCode = active.activeTab !== undefined && !isOurs(active.activeTab);
  const tabs = vscode.window.tabGroups.all
    .filter((group) => !(isOverCode && group === active))
    .flatMap((group) => group.tabs);
  const own = tabs.find((tab) => uriOf(tab)?.toString() === key) ?? tabs.find(isOurs);
  return own?.group.viewColumn ?? vscode.ViewColumn.Beside;
}

function isOurs(tab: vscode.Tab): boolean {
  // The editor puts a prefix of its own in front of the type of a webview.
  return tab.input instanceof vscode.TabInputWebview
    ? tab.input.viewType.endsWith("sightline.budget")
    : uriOf(tab)?.scheme === SCHEME;
}

function uriOf(tab: vscode.Tab): vscode.Uri | undefined {
  return tab.input instanceof vscode.TabInputText ? tab.input.uri : undefined;
}
