/** What the views need of an editor beyond `test/vscode.ts`: it records, and shows nothing. */

import { vi } from "vitest";
import type { TreeItem } from "vscode";
import type { TreeNode } from "../../src/views/tree";
import { Uri } from "../vscode";

type Command = (...given: unknown[]) => unknown;

export interface Panel {
  visible: boolean;
  sent: unknown[];
  receive(message: unknown): void;
  html: string;
  dispose(): void;
}

/** The tree as the editor asks for it. */
export interface Provider {
  getChildren(node?: TreeNode): TreeNode[];
  getTreeItem(node: TreeNode): TreeItem;
}

export const screen = {
  provider: undefined as Provider | undefined,
  commands: new Map<string, Command>(),
  ran: [] as string[],
  warnings: [] as string[],
  shown: [] as { path: string; selections: unknown[] }[],
  panels: [] as Panel[],
  view: { message: "", description: "" },
  files: [] as Uri[],
  offered: [] as string[],
  lines: 30,
};

export async function run(name: string, ...given: unknown[]): Promise<void> {
  await screen.commands.get(name)?.(...given);
}

/** For `vi.mock("vscode", …)`. */
export async function editorModule(original: () => Promise<object>): Promise<object> {
  const warn = async (message: string): Promise<void> => void screen.warnings.push(message);
  return {
    ...(await original()),
    TreeItem: class {
      constructor(
        readonly label: string,
        readonly collapsibleState: number,
      ) {}
    },
    TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
    TextEditorRevealType: { InCenterIfOutsideViewport: 2 },
    ViewColumn: { Beside: -2, One: 1 },
    MarkdownString: class {
      constructor(readonly value: string) {}
    },
    ThemeIcon: class {
      static readonly File = "file";
      constructor(readonly id: string) {}
    },
    ThemeColor: class {
      constructor(readonly id: string) {}
    },
    Selection: class {
      constructor(...places: number[]) {
        Object.assign(this, places);
      }
    },
    RelativePattern: class {},
    Disposable: class {
      static from(...each: { dispose(): void }[]): { dispose(): void } {
        return { dispose: () => each.forEach((one) => one.dispose()) };
      }
      constructor(readonly dispose: () => void) {}
    },
    commands: {
      registerCommand: (name: string, command: Command) => {
        screen.commands.set(name, command);
        return { dispose: () => screen.commands.delete(name) };
      },
      executeCommand: async (name: string) => void screen.ran.push(name),
    },
    workspace: {
      workspaceFolders: [{ uri: Uri.file("/w") }],
      findFiles: async () => screen.files,
      asRelativePath: (uri: Uri) => uri.path.slice("/w/".length),
      openTextDocument: async (uri: Uri) => {
        if (uri.path.endsWith("gone.py")) {
          throw new Error("no such file");
        }
        return { uri, lineCount: screen.lines, lineAt: () => ({ text: "text" }) };
      },
    },
    window: {
      visibleTextEditors: [],
      tabGroups: { all: [] },
      createTreeView: (_: string, { treeDataProvider }: { treeDataProvider: Provider }) => {
        screen.provider = treeDataProvider;
        return Object.assign(screen.view, { dispose: vi.fn() });
      },
      showInformationMessage: warn,
      showWarningMessage: warn,
      showQuickPick: async (items: Promise<readonly { label: string }[]>) => {
        screen.offered = (await items).map((each) => each.label);
        return (await items)[0];
      },
      showTextDocument: async (document: { uri: Uri }) => {
        const shown = { path: document.uri.path, selections: [] as unknown[] };
        screen.shown.push(shown);
        return Object.assign(shown, { revealRange: vi.fn() });
      },
      createWebviewPanel: createPanel,
    },
  };
}

function createPanel(): object {
  let receive: (message: unknown) => void = () => undefined;
  let closed: () => void = () => undefined;
  const panel: Panel = {
    visible: true,
    sent: [],
    html: "",
    receive: (message) => receive(message),
    dispose: () => closed(),
  };
  screen.panels.push(panel);
  return {
    get visible() {
      return panel.visible;
    },
    reveal: vi.fn(),
    dispose: panel.dispose,
    onDidDispose: (listener: () => void) => void (closed = listener),
    onDidChangeViewState: vi.fn(),
    webview: {
      cspSource: "https://panel",
      asWebviewUri: (uri: Uri) => `https://panel${uri.path}`,
      postMessage: async (message: unknown) => void panel.sent.push(message),
      onDidReceiveMessage: (listener: (message: unknown) => void) => void (receive = listener),
      set html(page: string) {
        panel.html = page;
      },
    },
  };
}
