/** What discovery and installing ask of this machine. Every question has a time limit. */

import { spawn } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, join } from "node:path";
import * as vscode from "vscode";
import { isAbsolute, type Answer, type Probes } from "./discovery";

const VERSION_MILLISECONDS = 15_000;
const MOST_OUTPUT = 64 * 1024;

/** How a command ended. */
export interface Ended {
  /** Null where it was ended, or could not be started. */
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
  /** Why it could not be started or was ended. */
  readonly problem: string | undefined;
}

export interface RunOptions {
  readonly folder: string;
  readonly milliseconds: number;
  readonly token?: vscode.CancellationToken;
  readonly onLine?: (line: string) => void;
}

/** Run a command to its end, without a shell. */
export function run(command: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.folder,
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    });
    let output = "";
    let errors = "";
    let problem: string | undefined;
    const end = (reason: string) => {
      problem ??= reason;
      child.kill("SIGKILL");
    };
    const timer = setTimeout(() => end("it did not answer in time"), options.milliseconds);
    const cancellation = options.token?.onCancellationRequested(() => end("it was cancelled"));
    const finish = (code: number | null) => {
      clearTimeout(timer);
      cancellation?.dispose();
      resolve({ code, output, errors, problem });
    };
    const take = (sofar: string, text: string): string => {
      for (const line of text.split(/\r?\n/)) {
        if (line.trim() !== "") {
          options.onLine?.(line);
        }
      }
      return (sofar + text).slice(-MOST_OUTPUT);
    };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output = take(output, text)));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors = take(errors, text)));
    child.on("error", (error: NodeJS.ErrnoException) => {
      problem ??= error.code === "ENOENT" ? "there is no such command" : error.message;
      finish(null);
    });
    child.on("close", finish);
  });
}

export function machineProbes(safeFolder: string): Probes {
  return {
    version: (command, args) => askVersion(command, args, safeFolder),
    isFile,
    activePython,
    onPath,
  };
}

export async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** The first file of this name on the PATH that can be run; relative entries do not count. */
export async function onPath(name: string): Promise<string | undefined> {
  const endings = process.platform === "win32" ? [".exe"] : [""];
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    if (!isAbsolute(folder)) {
      continue;
    }
    for (const ending of endings) {
      const path = join(folder, name + ending);
      if ((await isFile(path)) && (await isExecutable(path))) {
        return path;
      }
    }
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function askVersion(
  command: string,
  args: readonly string[],
  folder: string,
): Promise<Answer> {
  const ended = await run(command, [...args, "--version"], {
    folder,
    milliseconds: VERSION_MILLISECONDS,
  });
  if (ended.problem !== undefined) {
    return { kind: "problem", problem: ended.problem };
  }
  const version = /^sightline (?<version>[0-9][0-9A-Za-z.+-]*)\s*$/.exec(ended.output)?.groups;
  if (ended.code === 0 && version?.["version"] !== undefined) {
    return { kind: "version", version: version["version"] };
  }
  if (/No module named '?sightline/.test(ended.errors)) {
    return { kind: "problem", problem: "it has no sightline" };
  }
  return { kind: "problem", problem: `it does not tell its version (exit code ${ended.code})` };
}

/** The part of the Python extension's API that is used here. */
interface PythonApi {
  readonly environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(
      path: unknown,
    ): Promise<{ readonly executable: { readonly uri: vscode.Uri | undefined } } | undefined>;
  };
}

async function activePython(): Promise<string | undefined> {
  const resource = vscode.workspace.workspaceFolders?.[0]?.uri;
  try {
    const extension = vscode.extensions.getExtension<PythonApi>("ms-python.python");
    const environments = extension && (await extension.activate()).environments;
    if (environments !== undefined) {
      const active = environments.getActiveEnvironmentPath(resource);
      return (await environments.resolveEnvironment(active))?.executable.uri?.fsPath;
    }
  } catch {
    // An extension that fails is as good as none.
  }
  // Without that extension the setting is nobody's but the person's own: a workspace's value could
  // lead to any command.
  const setting = vscode.workspace
    .getConfiguration("python")
    .inspect<string>("defaultInterpreterPath");
  return setting?.globalValue;
}
