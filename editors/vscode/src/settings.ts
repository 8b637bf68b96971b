/** What the server is told of the editor's settings. */

/** Sections that are the extension's own business. */
const OWN = new Set(["server", "install", "trace", "statusBar"]);

/**
 * The part of our section that a person or a workspace has set.
 *
 * An editor sends defaults as if somebody had chosen them; here, empty and null stand for "what
 * Sightline's own settings say" and are left out.
 */
export function sentSettings(section: unknown): unknown {
  if (typeof section !== "object" || section === null || Array.isArray(section)) {
    return section;
  }
  return withoutEmpty(Object.entries(section).filter(([name]) => !OWN.has(name)));
}

function withoutEmpty(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of entries) {
    const inner =
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? withoutEmpty(Object.entries(value))
        : value;
    if (inner !== null && inner !== "") {
      kept[name] = inner;
    }
  }
  return kept;
}
