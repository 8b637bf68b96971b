/** Picking targets by name, several at once, from the symbols of the workspace. */

import * as vscode from "vscode";
import type { Server } from "./context";
import type { TargetParams } from "./protocol";
import { targetOfSymbol, type WorkspaceSymbol } from "./requests";

interface Item extends vscode.QuickPickItem {
  readonly target: TargetParams;
}

/** What a person picked; a name that was typed and not picked is a target as it is. */
export async function pickTargets(server: Server): Promise<readonly TargetParams[]> {
  const picker = vscode.window.createQuickPick<Item>();
  picker.title = "Build AI Context for…";
  picker.placeholder = "Type a name; check one or several symbols; Enter builds";
  picker.canSelectMany = true;
  picker.matchOnDescription = true;
  let asked = 0;
  const look = async (query: string) => {
    asked += 1;
    const turn = asked;
    picker.busy = true;
    try {
      const found = query.trim() === "" ? [] : await symbols(server, query.trim());
      if (turn === asked) {
        const chosen = [...picker.selectedItems];
        picker.items = merged(chosen, found.map(itemOf));
        picker.selectedItems = chosen;
      }
    } finally {
      if (turn === asked) {
        picker.busy = false;
      }
    }
  };
  return new Promise((resolve) => {
    let picked: readonly TargetParams[] = [];
    picker.onDidChangeValue((value) => void look(value).catch(() => undefined));
    picker.onDidAccept(() => {
      const typed = picker.value.trim();
      const chosen = picker.selectedItems.map((item) => item.target);
      picked = chosen.length > 0 || typed === "" ? chosen : [{ symbol: typed }];
      picker.hide();
    });
    picker.onDidHide(() => {
      picker.dispose();
      resolve(picked);
    });
    picker.show();
  });
}

async function symbols(server: Server, query: string): Promise<readonly WorkspaceSymbol[]> {
  const found = await server.request<readonly WorkspaceSymbol[] | null>("workspace/symbol", {
    query,
  });
  return found ?? [];
}

function itemOf(symbol: WorkspaceSymbol): Item {
  const uri = vscode.Uri.parse(symbol.location.uri);
  return {
    label: symbol.containerName ? `${symbol.containerName}.${symbol.name}` : symbol.name,
    description: `${vscode.workspace.asRelativePath(uri)}:${symbol.location.range.start.line + 1}`,
    target: targetOfSymbol(symbol),
    // The server has chosen them already, and what is checked must stay in sight.
    alwaysShow: true,
  };
}

function merged(chosen: readonly Item[], found: readonly Item[]): readonly Item[] {
  const key = (item: Item) => `${item.target.uri} ${item.target.symbol}`;
  const known = new Set(chosen.map(key));
  return [...chosen, ...found.filter((item) => !known.has(key(item)))];
}
