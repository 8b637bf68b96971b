/** The part of the `vscode` module that logic needs: values, and nothing that shows anything. */

export class Uri {
  private constructor(
    readonly scheme: string,
    readonly path: string,
    readonly query = "",
  ) {}

  static file(path: string): Uri {
    return new Uri("file", path);
  }

  static from(parts: { scheme: string; path: string; query?: string }): Uri {
    return new Uri(parts.scheme, parts.path, parts.query);
  }

  static parse(text: string): Uri {
    const url = new URL(text);
    return new Uri(
      url.protocol.slice(0, -1),
      decodeURIComponent(url.pathname),
      url.search.slice(1),
    );
  }

  static joinPath(base: Uri, ...parts: string[]): Uri {
    const path = parts.reduce(
      (one, other) => {
        return other === ".." ? one.slice(0, one.lastIndexOf("/")) : `${one}/${other}`;
      },
      base.path.replace(/\/$/, ""),
    );
    return new Uri(base.scheme, path, base.query);
  }

  get fsPath(): string {
    return this.path;
  }

  toString(): string {
    const path = this.path.split("/").map(encodeURIComponent).join("/");
    const query = this.query === "" ? "" : `?${encodeURIComponent(this.query)}`;
    return `${this.scheme}:${this.scheme === "file" ? "//" : ""}${path}${query}`;
  }
}

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}

export class EventEmitter<T> {
  private readonly listeners = new Set<(value: T) => unknown>();

  readonly event = (listener: (value: T) => unknown): { dispose(): void } => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };

  fire(value: T): void {
    for (const listener of this.listeners) {
      listener(value);
    }
  }

  dispose(): void {
    this.listeners.clear();
  }
}

export class TabInputText {
  constructor(readonly uri: Uri) {}
}

export class TabInputWebview {
  constructor(readonly viewType: string) {}
}

/** What tests put on the screen. */
export const screen: { editors: unknown[]; tab: unknown; folders: { uri: Uri; name: string }[] } = {
  editors: [],
  tab: undefined,
  folders: [],
};

export const window = {
  get visibleTextEditors() {
    return screen.editors;
  },
  get tabGroups() {
    return { activeTabGroup: { activeTab: screen.tab && { input: screen.tab } }, all: [] };
  },
};

export const workspace = {
  get workspaceFolders() {
    return screen.folders;
  },
  getWorkspaceFolder(uri: Uri) {
    const around = screen.folders.filter((each) => uri.path.startsWith(`${each.uri.path}/`));
    return around.sort((one, other) => other.uri.path.length - one.uri.path.length)[0];
  },
};

export enum StatusBarAlignment {
  Left = 1,
  Right = 2,
}

export enum ViewColumn {
  Beside = -2,
}

export enum ProgressLocation {
  Notification = 15,
}
