import { describe, expect, it } from "vitest";
import { findPython, pipSteps } from "../src/installing";

/** A PATH with these commands on it, by the version that each tells. */
function pathWith(versions: Record<string, string>) {
  return (setting: string) =>
    findPython(
      setting,
      async (command) => versions[command.split("/").at(-1) ?? ""],
      async (name) => (name in versions ? `/usr/bin/${name}` : undefined),
    );
}

describe("the Python that the server is installed with", () => {
  it("is the usual one if it is new enough", async () => {
    const found = await pathWith({ python3: "3.12.1", "python3.14": "3.14.0" })("");
    expect(found).toEqual({ command: "/usr/bin/python3", args: [] });
  });

  it("is the newest one where the usual one is too old", async () => {
    const found = await pathWith({
      python3: "3.9.2",
      "python3.11": "3.11.4",
      "python3.13": "3.13.0",
    })("");
    expect(found).toEqual({ command: "/usr/bin/python3.13", args: [] });
  });

  it("is that of the launcher where there is no other", async () => {
    expect(await pathWith({ py: "3.12.0" })("")).toEqual({ command: "/usr/bin/py", args: ["-3"] });
  });

  it("is missing: what was seen is said", async () => {
    expect(await pathWith({ python3: "3.9.2" })("")).toEqual({
      problem: "no Python 3.11 or newer was found (python3 is 3.9.2)",
    });
    expect(await pathWith({})("")).toEqual({ problem: "no Python 3.11 or newer was found" });
  });

  it("is the setting's, and no other where the setting is wrong", async () => {
    const versions = { python3: "3.12.1", old: "3.8.0", "python3.13": "3.13.0" };
    expect(await pathWith(versions)("/opt/python3.13")).toEqual({
      command: "/opt/python3.13",
      args: [],
    });
    expect(await pathWith(versions)("/opt/old")).toEqual({
      problem:
        "the setting sightline.install.python is wrong: '/opt/old' is Python 3.8.0, and 3.11 is needed",
    });
    expect(await pathWith(versions)("/opt/none")).toEqual({
      problem: "the setting sightline.install.python is wrong: '/opt/none' is no Python",
    });
  });
});

describe("what pip is asked", () => {
  const steps = pipSteps("/extension/wheel/sightline.whl");

  it("is wheels alone, with the hashes that the extension brings along", () => {
    expect(steps[0]).toEqual(
      expect.arrayContaining(["--only-binary", ":all:", "--require-hashes", "--requirement"]),
    );
    expect(steps[0]?.at(-1)).toBe("/extension/wheel/requirements.txt");
  });

  it("is then the server itself, from no index and with nothing else", () => {
    expect(steps[1]).toEqual(expect.arrayContaining(["--no-index", "--no-deps"]));
    expect(steps[1]?.at(-1)).toBe("/extension/wheel/sightline.whl");
    expect(steps).toHaveLength(2);
  });
});
