/** The Context view in the side bar, and the commands that change what it shows. */

import * as vscode from "vscode";
import type { Built, Builds } from "../builds";
import type { TargetParams } from "../protocol";
import { candidateTarget, narrowed, withChoice } from "../requests";
import { openPlace } from "./source";
import { type TreeModel, type TreeNode, treeOf } from "./tree";
import { visible } from "./words";

const VIEW = "sightline.context";

/** Files that the picker lists at most. */
const MOST_FILES = 20_000;

export function registerContextView(
  _context: vscode.ExtensionContext,
  builds: Builds,
  isRuleAllowed: (built: Built, rule: string) => Promise<boolean>,
): vscode.Disposable {
  const provider = new ContextTree(builds);
  const view = vscode.window.createTreeView(VIEW, {
    treeDataProvider: provider,
    showCollapseAll: true,
  });
  const show = (): void => {
    provider.refresh();
    const { message, description } = provider.model;
    view.message = message ?? "";
    view.description = description;
  };
  show();
  return vscode.Disposable.from(
    view,
    provider,
    builds.onDidBuild(show),
    vscode.commands.registerCommand("sightline.openBlock", (node) => openNode(builds, node)),
    vscode.commands.registerCommand("sightline.dropFile", (node) => dropFile(builds, node)),
    vscode.commands.registerCommand("sightline.restoreFile", (node) => restoreFile(builds, node)),
    vscode.commands.registerCommand("sightline.addFile", (subject, all) =>
      addFile(builds, subject, all),
    ),
    vscode.commands.registerCommand("sightline.rebuild", () => builds.rebuild({})),
    vscode.commands.registerCommand(CHOOSE, (node) => buildChoice(builds, node)),
    vscode.commands.registerCommand(ALLOW_RULE, (node) => allowRule(builds, isRuleAllowed, node)),
    vscode.commands.registerCommand(GO_BACK, () => provider.goBack()),
  );
}

/** Builds for one of the symbols that a refusal offers; not in the palette. */
const CHOOSE = "sightline.buildChoice";

/** Builds again what was there before a refusal; not in the palette. */
const GO_BACK = "sightline.buildPrevious";

/** Has the server ask whether a rule that hides source may go; not in the palette. */
const ALLOW_RULE = "sightline.allowRule";

const NOTHING: TreeModel = { nodes: [], message: null, description: "" };

class ContextTree implements vscode.TreeDataProvider<TreeNode> {
  /** Of the last build. */
  model: TreeModel = NOTHING;
  private folder: vscode.Uri | undefined;
  /** The last build that was not refused. */
  private accepted: Built | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly builds: Builds) {}

  refresh(): void {
    const built = this.builds.current;
    this.folder = built?.folder;
    this.accepted = built?.result.bundle ? built : this.accepted;
    this.model = built
      ? treeOf(
          built.params,
          built.result,
          (uri) => relativePath(built.folder, uri),
          this.accepted?.result ?? null,
        )
      : NOTHING;
    this.changed.fire();
  }

  async goBack(): Promise<void> {
    if (this.accepted) {
      await this.builds.build(this.accepted.params);
    }
  }

  getChildren(node?: TreeNode): TreeNode[] {
    return [...(node ? node.children : this.model.nodes)];
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    const item = new vscode.TreeItem(node.label, stateOf(node));
    item.id = node.id;
    item.contextValue = node.kind;
    item.description = node.description;
    item.tooltip = new vscode.MarkdownString(node.tooltip);
    item.accessibilityInformation = { label: node.spoken };
    const command = commandOf(node);
    if (command) {
      item.command = command;
    }
    if (node.icon === "file" && node.path !== null && this.folder) {
      // The theme's icon for this kind of file goes by the resource.
      item.resourceUri = vscode.Uri.joinPath(this.folder, node.path);
      item.iconPath = vscode.ThemeIcon.File;
    } else if (node.icon !== "") {
      const color = node.color === null ? undefined : new vscode.ThemeColor(node.color);
      item.iconPath = new vscode.ThemeIcon(node.icon, color);
    }
    return item;
  }

  dispose(): void {
    this.changed.dispose();
  }
}

function stateOf(node: TreeNode): vscode.TreeItemCollapsibleState {
  if (node.children.length === 0) {
    return vscode.TreeItemCollapsibleState.None;
  }
  return node.isExpanded
    ? vscode.TreeItemCollapsibleState.Expanded
    : vscode.TreeItemCollapsibleState.Collapsed;
}

function commandOf(node: TreeNode): vscode.Command | undefined {
  if (node.kind === "summary") {
    return { command: "sightline.showBudget", title: "Show Budget" };
  }
  if (node.kind === "choice") {
    return { command: CHOOSE, title: "Build for This", arguments: [node] };
  }
  if (node.kind === "hidden") {
    return { command: ALLOW_RULE, title: "Allow in This Workspace…", arguments: [node] };
  }
  if (node.kind === "previous") {
    return { command: GO_BACK, title: "Go Back" };
  }
  if (node.place !== null) {
    return { command: "sightline.openBlock", title: "Open Source", arguments: [node] };
  }
  return undefined;
}

async function openNode(builds: Builds, subject: unknown): Promise<void> {
  const built = builds.current;
  if (built && isNode(subject) && subject.place !== null) {
    await openPlace(built.folder, subject.place);
  }
}

async function dropFile(builds: Builds, subject: unknown): Promise<void> {
  const built = builds.current;
  if (!built || !isNode(subject) || subject.path === null) {
    return;
  }
  const targets = built.result.manifest?.selection.target_files ?? [];
  if (subject.kind !== "block" || targets.includes(subject.path)) {
    void vscode.window.showInformationMessage(
      `Sightline: ${visible(subject.path)} is the target, it cannot be dropped.`,
    );
    return;
  }
  await builds.rebuild({ drop: [uriOf(built, subject.path)] });
}

async function restoreFile(builds: Builds, subject: unknown): Promise<void> {
  const built = builds.current;
  if (built && isNode(subject) && subject.kind === "dropped" && subject.path !== null) {
    await builds.rebuild({ restore: [uriOf(built, subject.path)] });
  }
}

/** A node of what was left out, what the explorer has selected, or what a person picks. */
async function addFile(builds: Builds, subject: unknown, all: unknown): Promise<void> {
  const built = builds.current;
  const uris = await filesToAdd(built, subject, all);
  if (uris.length === 0) {
    return;
  }
  if (!built) {
    const targets: TargetParams[] = uris.map((each) => ({ uri: each.toString() }));
    await builds.build({ targets });
    return;
  }
  const inside = uris.filter((each) => relativePath(built.folder, each.toString()) !== null);
  if (inside.length < uris.length) {
    const outside = uris.find((each) => !inside.includes(each));
    void vscode.window.showWarningMessage(
      `Sightline: ${visible(outside?.path ?? "")} is not in the folder of this context, ` +
        "so it cannot be added.",
    );
  }
  if (inside.length > 0) {
    await builds.rebuild({ add: inside.map((each) => each.toString()) });
  }
}

async function filesToAdd(
  built: Built | undefined,
  subject: unknown,
  all: unknown,
): Promise<vscode.Uri[]> {
  if (isNode(subject)) {
    return built && subject.path !== null
      ? [vscode.Uri.joinPath(built.folder, subject.path)]
      : [];
  }
  if (Array.isArray(all) && all.length > 0) {
    return all.filter((each) => each instanceof vscode.Uri);
  }
  if (subject instanceof vscode.Uri) {
    return [subject];
  }
  return pickFile(built);
}

/** A file of the folder that is not in the context yet. */
async function pickFile(built: Built | undefined): Promise<vscode.Uri[]> {
  const folder = built?.folder ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  if (!folder) {
    return [];
  }
  const shown = new Set((built?.result.bundle?.blocks ?? []).map((each) => each.meta.path));
  const files = vscode.workspace
    .findFiles(new vscode.RelativePattern(folder, "**/*"), undefined, MOST_FILES)
    .then((uris) =>
      uris
        .map((uri) => ({ uri, path: relativePath(folder, uri.toString()) ?? uri.path }))
        .filter((each) => !shown.has(each.path))
        .sort((a, b) => (a.path < b.path ? -1 : 1))
        .map((each) => ({ label: visible(each.path), uri: each.uri })),
    );
  const chosen = await vscode.window.showQuickPick(files, {
    title: "Add File to Context",
    placeHolder: "A file that the context shall hold besides",
  });
  return chosen ? [chosen.uri] : [];
}

async function buildChoice(builds: Builds, subject: unknown): Promise<void> {
  const built = builds.current;
  if (!built || !isNode(subject) || subject.kind !== "choice" || subject.path === null) {
    return;
  }
  const target = candidateTarget(built.folder, subject.path);
  const isAmbiguous = built.result.refusal?.kind === "AmbiguousTarget";
  await builds.build((isAmbiguous ? withChoice : narrowed)(built.params, target));
}

async function allowRule(
  builds: Builds,
  isRuleAllowed: (built: Built, rule: string) => Promise<boolean>,
  subject: unknown,
): Promise<void> {
  const built = builds.current;
  if (!built || !isNode(subject) || subject.kind !== "hidden" || subject.path === null) {
    return;
  }
  if (await isRuleAllowed(built, subject.path)) {
    await builds.rebuild({});
  }
}

function uriOf(built: Built, path: string): string {
  return vscode.Uri.joinPath(built.folder, path).toString();
}

/** The path of a document in a folder, or null where it is not in it. */
export function relativePath(folder: vscode.Uri, uri: string): string | null {
  const parsed = vscode.Uri.parse(uri);
  // Written out and read again, a drive letter is the same in both.
  const around = vscode.Uri.parse(folder.toString()).path;
  const root = around.endsWith("/") ? around : `${around}/`;
  const isIn =
    parsed.scheme === folder.scheme &&
    parsed.authority === folder.authority &&
    parsed.path.startsWith(root);
  return isIn ? parsed.path.slice(root.length) : null;
}

function isNode(subject: unknown): subject is TreeNode {
  return (
    typeof subject === "object" && subject !== null && "kind" in subject && "children" in subject
  );
}
