import { readFileSync, existsSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface Setting {
  readonly type: string | readonly string[];
  readonly default: unknown;
  readonly scope?: string;
  readonly markdownDescription?: string;
  readonly enum?: readonly unknown[];
  readonly enumItemLabels?: readonly string[];
  readonly markdownEnumDescriptions?: readonly string[];
}

interface Entry {
  readonly command: string;
  readonly when?: string;
}

const folder = new URL("../", import.meta.url);
const text = (name: string) => readFileSync(new URL(name, folder), "utf8");
const manifest = JSON.parse(text("package.json"));
const settings: Record<string, Setting> = Object.assign(
  {},
  ...manifest.contributes.configuration.map((each: { properties: object }) => each.properties),
);
const commands: readonly string[] = manifest.contributes.commands.map(
  (each: Entry) => each.command,
);
const sources = readdirSync(new URL("src/", folder), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => text(`src/${name}`))
  .join("\n");

/** Settings that a workspace may bring along: the server takes them, and none loosens a guard. */
const OF_WORKSPACES =
  /^sightline\.(model\.name|budget\.\w+|render\.\w+|slicing\.signatureDocs|context\.\w+|policy\.deny|codeLens\.enabled|statusBar\.enabled)$/;

describe("settings", () => {
  it("that lead to a command that is run cannot be set by a workspace", () => {
    for (const [name, setting] of Object.entries(settings)) {
      if (!OF_WORKSPACES.test(name)) {
        expect([name, setting.scope]).toEqual([name, "machine"]);
      }
    }
    expect(settings["sightline.server.path"]?.scope).toBe("machine");
    expect(settings["sightline.install.python"]?.scope).toBe("machine");
  });

  it("are not able to loosen a guard", () => {
    const loosening = Object.keys(settings).filter((name) =>
      /allow|secrets|harmless|limits/i.test(name),
    );
    expect(loosening).toEqual([]);
  });

  it("leave what they do not set to Sightline's own settings", () => {
    // An editor sends defaults as if a person had chosen them.
    for (const [name, setting] of Object.entries(settings)) {
      if (/^sightline\.(model|budget|render|slicing|context)\./.test(name)) {
        expect([name, setting.default]).toEqual([name, setting.type === "string" ? "" : null]);
      }
    }
    expect(settings["sightline.policy.deny"]?.default).toEqual([]);
  });

  it("are described, each word of a choice too", () => {
    for (const setting of Object.values(settings)) {
      expect(setting.markdownDescription).toMatch(/\.$/);
      for (const described of [setting.enumItemLabels, setting.markdownEnumDescriptions]) {
        if (described !== undefined) {
          expect(described.length).toBe(setting.enum?.length);
        }
      }
    }
  });

  it("do not count in a workspace that is not trusted, but for what denies and what shows", () => {
    const trust = manifest.capabilities.untrustedWorkspaces;
    expect(trust.supported).toBe("limited");
    const counting = Object.keys(settings).filter(
      (name) => !trust.restrictedConfigurations.includes(name),
    );
    expect(counting.sort()).toEqual([
      "sightline.codeLens.enabled",
      "sightline.policy.deny",
      "sightline.statusBar.enabled",
    ]);
  });
});

describe("commands", () => {
  it("that are declared are registered", () => {
    for (const command of commands) {
      expect(sources).toContain(`"${command}"`);
    }
  });

  it("of menus, keys, welcome texts and walkthroughs are declared", () => {
    const { menus, keybindings, walkthroughs, viewsWelcome } = manifest.contributes;
    const used = [...(Object.values(menus) as Entry[][]).flat(), ...keybindings].map(
      (each: Entry) => each.command,
    );
    const links = JSON.stringify([walkthroughs, viewsWelcome]).matchAll(
      /\(command:(sightline\.[A-Za-z]+)\)/g,
    );
    for (const command of [...used, ...[...links].map((link) => link[1])]) {
      expect(commands).toContain(command);
    }
  });

  it("stand in menus only where they can work", () => {
    for (const entry of (Object.values(manifest.contributes.menus) as Entry[][]).flat()) {
      expect(entry.when).toBeTruthy();
    }
  });
});

describe("the package", () => {
  it("has every file that it names", () => {
    const steps: { media: Record<string, string> }[] = manifest.contributes.walkthroughs[0].steps;
    const media = steps
      .flatMap((step) => [step.media["markdown"], step.media["svg"]])
      .filter((each) => each !== undefined);
    const view = manifest.contributes.viewsContainers.activitybar[0].icon;
    for (const name of [manifest.icon, view, ...media]) {
      expect([name, existsSync(new URL(name, folder))]).toEqual([name, true]);
    }
  });

  it("locks its dependencies without naming a registry", () => {
    expect(text("package-lock.json")).not.toContain('"resolved"');
  });
});
