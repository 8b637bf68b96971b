/** Installing the server into an environment of the extension's own, from the wheel beside it. */

import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { isFile, onPath, run, type Ended } from "./machine";

const OLDEST_MINOR = 11;
const NEWEST_MINOR = 14;
const QUESTION_MILLISECONDS = 15_000;
const INSTALL_MILLISECONDS = 15 * 60 * 1000;

/** Where the extension's own server is. The folder has the version in its name. */
export interface Home {
  readonly storage: string;
  readonly version: string;
  readonly extensionFolder: string;
}

/** The interpreter of the extension's own environment, whether it is there or not. */
export function ownPython(home: Home): string {
  return process.platform === "win32"
    ? join(environment(home), "Scripts", "python.exe")
    : join(environment(home), "bin", "python");
}

/** Make the environment; the problem where that fails, undefined where it is done. */
export async function install(
  home: Home,
  pythonSetting: string,
  log: vscode.LogOutputChannel,
): Promise<string | undefined> {
  return vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: "Installing Sightline's server",
      cancellable: true,
    },
    async (progress, token) => {
      const problem = await make(home, pythonSetting, log, progress, token);
      if (problem !== undefined) {
        await rm(environment(home), { recursive: true, force: true });
        log.error(`Installing failed: ${problem}`);
      }
      return token.isCancellationRequested ? "the installation was cancelled" : problem;
    },
  );
}

/** A command that is Python 3.11 or newer; the problem where there is none. */
export async function findPython(
  setting: string,
  answers: (command: string, args: readonly string[]) => Promise<string | undefined>,
  onPathOf: (name: string) => Promise<string | undefined>,
): Promise<{ command: string; args: readonly string[] } | { problem: string }> {
  if (setting.trim() !== "") {
    const version = await answers(setting, []);
    return version !== undefined && isNewEnough(version)
      ? { command: setting, args: [] }
      : {
          problem:
            `the setting sightline.install.python is wrong: '${setting}' is ` +
            (version === undefined ? "no Python" : `Python ${version}, and 3.11 is needed`),
        };
  }
  const seen: string[] = [];
  for (const [name, args] of pythonNames()) {
    const command = await onPathOf(name);
    const version = command && (await answers(command, args));
    if (command && version && isNewEnough(version)) {
      return { command, args };
    }
    if (version) {
      seen.push(`${name} is ${version}`);
    }
  }
  const listed = seen.length > 0 ? ` (${seen.join(", ")})` : "";
  return { problem: `no Python 3.11 or newer was found${listed}` };
}

function pythonNames(): readonly (readonly [string, readonly string[]])[] {
  const numbered = [];
  for (let minor = NEWEST_MINOR; minor >= OLDEST_MINOR; minor -= 1) {
    numbered.push([`python3.${minor}`, []] as const);
  }
  return [["python3", []], ...numbered, ["python", []], ["py", ["-3"]]];
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 3 || (major === 3 && minor >= OLDEST_MINOR);
}

async function make(
  home: Home,
  pythonSetting: string,
  log: vscode.LogOutputChannel,
  progress: vscode.Progress<{ message: string }>,
  token: vscode.CancellationToken,
): Promise<string | undefined> {
  const wheel = await bundledWheel(home);
  if (wheel === undefined) {
    return "the extension has no server in it";
  }
  await mkdir(home.storage, { recursive: true });
  const python = await findPython(
    pythonSetting,
    (command, args) => pythonVersion(command, args, home.storage),
    onPath,
  );
  if ("problem" in python) {
    return python.problem;
  }
  const folder = environment(home);
  await rm(folder, { recursive: true, force: true });
  const step = (message: string, command: string, args: readonly string[]): Promise<Ended> => {
    progress.report({ message });
    log.info(`${command} ${args.join(" ")}`);
    return run(command, args, {
      folder: home.storage,
      milliseconds: INSTALL_MILLISECONDS,
      token,
      onLine: (line) => log.info(line),
    });
  };
  const made = await step("making an environment", python.command, [
    ...python.args,
    "-m",
    "venv",
    folder,
  ]);
  if (made.code !== 0) {
    return `${python.command} could not make an environment: ${reason(made)}`;
  }
  for (const args of pipSteps(wheel)) {
    const installed = await step("installing", ownPython(home), args);
    if (installed.code !== 0) {
      return `pip could not install the server: ${reason(installed)}`;
    }
  }
  await removeOthers(home);
  return undefined;
}

/**
 * What pip is asked: first what the server needs, then the server from the wheel beside us.
 *
 * Only wheels whose hashes the extension brings along: nothing is built, so no code of a package
 * runs while it is installed, and an index cannot hand out anything else. `-I` keeps the person's
 * environment variables and working directory off Python's path.
 */
export function pipSteps(wheel: string): readonly (readonly string[])[] {
  const pip = ["-I", "-m", "pip", "install", "--no-input", "--disable-pip-version-check"];
  const locked = join(dirname(wheel), "requirements.txt");
  return [
    [...pip, "--only-binary", ":all:", "--require-hashes", "--requirement", locked],
    [...pip, "--only-binary", ":all:", "--no-index", "--no-deps", wheel],
  ];
}

async function pythonVersion(
  command: string,
  args: readonly string[],
  folder: string,
): Promise<string | undefined> {
  const ended = await run(command, [...args, "--version"], {
    folder,
    milliseconds: QUESTION_MILLISECONDS,
  });
  const version = /^Python (?<version>[0-9]+\.[0-9]+\.[0-9]+)/.exec(ended.output)?.groups;
  return ended.code === 0 ? version?.["version"] : undefined;
}

async function bundledWheel(home: Home): Promise<string | undefined> {
  const folder = join(home.extensionFolder, "wheel");
  const names = await readdir(folder).catch(() => []);
  const name = names.find((each) => each.endsWith(".whl"));
  const path = name && join(folder, name);
  return path && (await isFile(path)) ? path : undefined;
}

/** Environments of versions that were before this one. */
async function removeOthers(home: Home): Promise<void> {
  for (const name of await readdir(home.storage).catch(() => [])) {
    const folder = join(home.storage, name);
    if (name.startsWith("server-") && folder !== environment(home)) {
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

function environment(home: Home): string {
  return join(home.storage, `server-${home.version}`);
}

function reason(ended: Ended): string {
  const last = ended.errors.trim().split("\n").at(-1)?.trim();
  return ended.problem ?? (last || `exit code ${ended.code}`);
}
