/**
 * Where the server is looked for, in this order:
 *
 * 1. the setting `sightline.server.path`: an executable, or a Python interpreter;
 * 2. the extension's own environment, made earlier from the wheel that comes with it;
 * 3. in a trusted workspace: the active Python environment, then `sightline` on the PATH;
 * 4. nowhere: installing into the extension's own environment is offered.
 *
 * Invariants: a setting that is wrong is an error and never passed over; what a workspace brings
 * along is run in a trusted workspace only; no command is run from a relative path.
 */

export interface Found {
  readonly kind: "found";
  readonly command: string;
  readonly args: readonly string[];
  /** Where it was found, for people. */
  readonly origin: string;
}

export interface NotFound {
  /** Nothing is there yet, or a setting leads nowhere. */
  readonly kind: "missing" | "wrong";
  readonly message: string;
}

/** What a command says when it is asked for its version; a problem where it does not answer. */
export type Answer =
  | { readonly kind: "version"; readonly version: string }
  | { readonly kind: "problem"; readonly problem: string };

/** What discovery asks of the machine. Every one of them ends within a time limit. */
export interface Probes {
  /** Run a command with arguments and read `sightline N.N.N` from it. */
  version(command: string, args: readonly string[]): Promise<Answer>;
  /** Whether there is a file at an absolute path. */
  isFile(path: string): Promise<boolean>;
  /** The interpreter of the Python environment that is active in the editor. */
  activePython(): Promise<string | undefined>;
  /** The absolute path of a command that is on the PATH. */
  onPath(name: string): Promise<string | undefined>;
}

export interface Wish {
  /** `sightline.server.path` as it is set. */
  readonly setting: string;
  /** The interpreter of the extension's own environment, whether it is there or not. */
  readonly ownPython: string;
  /** The version of this extension. */
  readonly version: string;
  readonly isTrusted: boolean;
  readonly home: string;
}

/** Without `-P` the working directory and what it holds could be imported. */
const MODULE = ["-P", "-m", "sightline"];
const INTERPRETER = /^(python|pypy)[0-9.]*w?(\.exe)?$/i;

export async function findServer(
  wish: Wish,
  probes: Probes,
  log: (line: string) => void,
): Promise<Found | NotFound> {
  if (wish.setting.trim() !== "") {
    return fromSetting(wish, probes, log);
  }
  const candidates: readonly (() => Promise<Found | undefined>)[] = [
    () => fromOwnEnvironment(wish, probes, log),
    () => fromActivePython(wish, probes, log),
    () => fromPath(wish, probes, log),
  ];
  for (const candidate of candidates) {
    const found = await candidate();
    if (found !== undefined) {
      return found;
    }
  }
  return {
    kind: "missing",
    message:
      "Sightline's server is not installed yet. It runs on this machine and needs Python 3.11 or newer.",
  };
}

/** The command line of a server by its path: that of an interpreter runs the module. */
export function serverCommand(path: string): { command: string; args: readonly string[] } {
  const name = path.split(/[\\/]/).at(-1) ?? "";
  return { command: path, args: INTERPRETER.test(name) ? MODULE : [] };
}

/** Versions that speak the same protocol. */
export function isCompatible(version: string, own: string): boolean {
  const [major, minor] = own.split(".");
  return version.split(".")[0] === major && version.split(".")[1] === minor;
}

export function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path) || path.startsWith("\\\\");
}

async function fromSetting(
  wish: Wish,
  probes: Probes,
  log: (line: string) => void,
): Promise<Found | NotFound> {
  const written = wish.setting.trim();
  const path = /^~[\\/]/.test(written) ? wish.home + written.slice(1) : written;
  const wrong = (problem: string): NotFound => {
    log(`The setting sightline.server.path is wrong: ${written}: ${problem}`);
    return {
      kind: "wrong",
      message: `The setting sightline.server.path is wrong: '${written}' ${problem}.`,
    };
  };
  if (!isAbsolute(path)) {
    return wrong("is not an absolute path");
  }
  if (!(await probes.isFile(path))) {
    return wrong("is no file");
  }
  const { command, args } = serverCommand(path);
  const answer = await probes.version(command, args);
  if (answer.kind === "problem") {
    return wrong(`is no Sightline: ${answer.problem}`);
  }
  if (!isCompatible(answer.version, wish.version)) {
    log(`The server has the version ${answer.version}, this extension ${wish.version}`);
  }
  return { kind: "found", command, args, origin: "the setting sightline.server.path" };
}

async function fromOwnEnvironment(
  wish: Wish,
  probes: Probes,
  log: (line: string) => void,
): Promise<Found | undefined> {
  const origin = "the extension's own environment";
  if (!(await probes.isFile(wish.ownPython))) {
    log(`Passed over ${origin}: it was not made yet`);
    return undefined;
  }
  return checked(wish.ownPython, origin, wish, probes, log);
}

async function fromActivePython(
  wish: Wish,
  probes: Probes,
  log: (line: string) => void,
): Promise<Found | undefined> {
  const origin = "the active Python environment";
  if (!wish.isTrusted) {
    log(`Passed over ${origin}: the workspace is not trusted`);
    return undefined;
  }
  const python = await probes.activePython();
  if (python === undefined || !isAbsolute(python)) {
    log(`Passed over ${origin}: there is none`);
    return undefined;
  }
  // Environments name their interpreter in ways of their own: it is one, whatever its name.
  return checked(python, origin, wish, probes, log, MODULE);
}

async function fromPath(
  wish: Wish,
  probes: Probes,
  log: (line: string) => void,
): Promise<Found | undefined> {
  const origin = "the PATH";
  if (!wish.isTrusted) {
    log(`Passed over ${origin}: the workspace is not trusted`);
    return undefined;
  }
  const path = await probes.onPath("sightline");
  if (path === undefined || !isAbsolute(path)) {
    log(`Passed over ${origin}: there is no sightline on it`);
    return undefined;
  }
  return checked(path, origin, wish, probes, log);
}

async function checked(
  path: string,
  origin: string,
  wish: Wish,
  probes: Probes,
  log: (line: string) => void,
  args: readonly string[] = serverCommand(path).args,
): Promise<Found | undefined> {
  const answer = await probes.version(path, args);
  if (answer.kind === "problem") {
    log(`Passed over ${origin} (${path}): ${answer.problem}`);
    return undefined;
  }
  if (!isCompatible(answer.version, wish.version)) {
    log(`Passed over ${origin} (${path}): version ${answer.version}, not ${wish.version}`);
    return undefined;
  }
  return { kind: "found", command: path, args, origin };
}
