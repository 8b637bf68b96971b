import { describe, expect, it } from "vitest";
import { findServer, serverCommand, type Answer, type Probes, type Wish } from "../src/discovery";

const OWN = "/storage/server-0.1.0/bin/python";
const ACTIVE = "/project/.venv/bin/python";
const ON_PATH = "/usr/bin/sightline";

const WISH: Wish = {
  setting: "",
  ownPython: OWN,
  version: "0.1.0",
  isTrusted: true,
  home: "/home/me",
};

/** A machine where these commands answer, and what was asked of it. */
function machine(answers: Record<string, string>, active: string | undefined = ACTIVE) {
  const asked: string[] = [];
  const lines: string[] = [];
  const probes: Probes = {
    version: async (command, args): Promise<Answer> => {
      asked.push([command, ...args].join(" "));
      const version = answers[command];
      return version === undefined
        ? { kind: "problem", problem: "it has no sightline" }
        : { kind: "version", version };
    },
    isFile: async (path) => path in answers,
    activePython: async () => active,
    onPath: async (name) => (answers[ON_PATH] && name === "sightline" ? ON_PATH : undefined),
  };
  const found = (wish: Partial<Wish>) =>
    findServer({ ...WISH, ...wish }, probes, (line) => lines.push(line));
  return { asked, lines, found };
}

const EVERYWHERE = {
  "/mine/sightline": "0.1.0",
  [OWN]: "0.1.0",
  [ACTIVE]: "0.1.0",
  [ON_PATH]: "0.1.0",
};

describe("the order in which the server is looked for", () => {
  it("is the setting first, and nothing else is asked then", async () => {
    const { asked, found } = machine(EVERYWHERE);
    expect(await found({ setting: "/mine/sightline" })).toMatchObject({
      kind: "found",
      command: "/mine/sightline",
      args: [],
    });
    expect(asked).toEqual(["/mine/sightline"]);
  });

  it("is the extension's own environment next", async () => {
    expect(await machine(EVERYWHERE).found({})).toMatchObject({
      command: OWN,
      args: ["-P", "-m", "sightline"],
    });
  });

  it("is the active Python environment next", async () => {
    const { [OWN]: _, ...rest } = EVERYWHERE;
    expect(await machine(rest).found({})).toMatchObject({
      command: ACTIVE,
      args: ["-P", "-m", "sightline"],
    });
  });

  it("is the PATH last", async () => {
    const { lines, found } = machine({ [ON_PATH]: "0.1.0" });
    expect(await found({})).toMatchObject({ command: ON_PATH, args: [] });
    expect(lines).toEqual([
      "Passed over the extension's own environment: it was not made yet",
      `Passed over the active Python environment (${ACTIVE}): it has no sightline`,
    ]);
  });

  it("ends with an offer, never with a guess", async () => {
    expect(await machine({}).found({})).toMatchObject({ kind: "missing" });
  });
});

describe("a setting", () => {
  it.each([
    ["sightline", "is not an absolute path"],
    ["./sightline", "is not an absolute path"],
    ["${workspaceFolder}/sightline", "is not an absolute path"],
    ["/not/there", "is no file"],
  ])(
    "that is wrong (%s) is an error that names it, though others would do",
    async (setting, problem) => {
      const { asked, found } = machine(EVERYWHERE);
      expect(await found({ setting })).toEqual({
        kind: "wrong",
        message: `The setting sightline.server.path is wrong: '${setting}' ${problem}.`,
      });
      expect(asked).toEqual([]);
    },
  );

  it("that leads to something else is an error that names it", async () => {
    const { found } = machine({ ...EVERYWHERE, "/bin/true": "" });
    const answer = await machine({ [OWN]: "0.1.0" }).found({ setting: "/bin/true" });
    expect(answer).toMatchObject({ kind: "wrong" });
    expect(await found({ setting: " /mine/sightline " })).toMatchObject({ kind: "found" });
  });

  it("may start at home", async () => {
    const { found } = machine({ "/home/me/bin/sightline": "0.1.0" });
    expect(await found({ setting: "~/bin/sightline" })).toMatchObject({
      command: "/home/me/bin/sightline",
    });
  });
});

describe("a workspace that is not trusted", () => {
  it("never has its Python environment or the PATH looked at", async () => {
    const { asked, found } = machine({ [ACTIVE]: "0.1.0", [ON_PATH]: "0.1.0" });
    expect(await found({ isTrusted: false })).toMatchObject({ kind: "missing" });
    expect(asked).toEqual([]);
  });

  it("has the server that the person chose or installed", async () => {
    expect(await machine(EVERYWHERE).found({ isTrusted: false })).toMatchObject({ command: OWN });
    const chosen = await machine(EVERYWHERE).found({
      isTrusted: false,
      setting: "/mine/sightline",
    });
    expect(chosen).toMatchObject({ command: "/mine/sightline" });
  });
});

describe("a server that is found", () => {
  it("is passed over if it speaks another protocol", async () => {
    const { lines, found } = machine({ [OWN]: "0.2.0", [ON_PATH]: "0.1.7" });
    expect(await found({})).toMatchObject({ command: ON_PATH });
    expect(lines[0]).toContain("version 0.2.0, not 0.1.0");
  });

  it("is never run from a relative path", async () => {
    const { asked, found } = machine({}, ".venv/bin/python");
    expect(await found({})).toMatchObject({ kind: "missing" });
    expect(asked).toEqual([]);
  });

  it.each([
    ["/usr/bin/python3", true],
    ["/usr/bin/python3.13", true],
    ["C:\\Python\\python.exe", true],
    ["C:\\Python\\pythonw.exe", true],
    ["/opt/pypy3", true],
    ["/usr/bin/sightline", false],
    ["/usr/bin/python-sightline", false],
  ])("is a module of an interpreter: %s %s", (path, isInterpreter) => {
    expect(serverCommand(path).args.length > 0).toBe(isInterpreter);
  });
});
