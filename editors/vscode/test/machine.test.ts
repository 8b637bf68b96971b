import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isFile, machineProbes, onPath, run } from "../src/machine";

let folder = "";
const path = process.env["PATH"];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sightline-"));
});

afterEach(() => {
  process.env["PATH"] = path;
  rmSync(folder, { recursive: true });
});

function node(script: string, milliseconds = 60_000) {
  return run(process.execPath, ["-e", script], { folder, milliseconds });
}

/** A command that does what a script of the shell says. */
function command(name: string, script: string, mode = 0o755): string {
  const made = join(folder, name);
  writeFileSync(made, `#!/bin/sh\n${script}\n`);
  chmodSync(made, mode);
  return made;
}

describe("a command that is run", () => {
  it("is heard to its end", async () => {
    const ended = await node("console.log('out'); console.error('err'); process.exitCode = 3");
    expect(ended).toEqual({ code: 3, output: "out\n", errors: "err\n", problem: undefined });
  });

  it("is ended when its time is over", async () => {
    const ended = await node("setInterval(() => {}, 1000)", 50);
    expect(ended).toMatchObject({ code: null, problem: "it did not answer in time" });
  });

  it("may not be there", async () => {
    const ended = await run(join(folder, "none"), [], { folder, milliseconds: 60_000 });
    expect(ended).toMatchObject({ code: null, problem: "there is no such command" });
  });

  it("cannot fill the memory", async () => {
    const ended = await node("process.stdout.write('x'.repeat(1_000_000))");
    expect(ended.output.length).toBeLessThan(100_000);
  });
});

describe.skipIf(process.platform === "win32")("what a machine is asked", () => {
  it.each([
    ["echo sightline 0.1.0", { kind: "version", version: "0.1.0" }],
    [
      "echo sightline 0.1.0; exit 1",
      { kind: "problem", problem: "it does not tell its version (exit code 1)" },
    ],
    [
      "echo something else 1.0",
      { kind: "problem", problem: "it does not tell its version (exit code 0)" },
    ],
    [
      "echo No module named sightline >&2; exit 1",
      { kind: "problem", problem: "it has no sightline" },
    ],
  ])("for a version is answered by %s", async (script, answer) => {
    expect(await machineProbes(folder).version(command("sightline", script), [])).toEqual(answer);
  });

  it("for a command on the PATH, is none that cannot be run or stands in a relative folder", async () => {
    mkdirSync(join(folder, "later"));
    command("tool", "true", 0o644);
    const wanted = command("later/tool", "true");
    process.env["PATH"] = [".", "", folder, join(folder, "later")].join(delimiter);
    expect(await onPath("tool")).toBe(wanted);
    expect(await onPath("later")).toBeUndefined();
  });

  it("for a file, is no folder", async () => {
    expect([await isFile(folder), await isFile(command("tool", "true"))]).toEqual([false, true]);
  });
});
