import { describe, expect, it } from "vitest";
import type { SnapshotChange, SnapshotEntry } from "../src/protocol";
import { changeItem, inOrder, sideUri, snapshotItem } from "../src/snapshots";

function entry(given: Partial<SnapshotEntry> = {}): SnapshotEntry {
  return {
    object_id: "01890a5d-ac96-774b-bcce-b302099a8057",
    created_at: "2026-01-02T03:04:05.678Z",
    created_by: "human:ada",
    selection_strategy: "heuristic",
    items: 1,
    summary: "src/app.py::main: 3 files",
    commit: "0123456789abcdef0123456789abcdef01234567",
    ...given,
  };
}

function change(given: Partial<SnapshotChange> = {}): SnapshotChange {
  return { mark: "~", what: "file", where: "src/app.py", detail: "+1 -0 lines", patch: "", ...given };
}

describe("a snapshot in the list", () => {
  it("says what it is of, when, by whom and at which commit", () => {
    const item = snapshotItem(entry());
    expect([item.label, item.description, item.detail]).toEqual([
      "src/app.py::main: 3 files",
      "2026-01-02 03:04:05 by human:ada",
      "01890a5d-ac96-774b-bcce-b302099a8057, at 0123456789",
    ]);
  });

  it("counts its items where it has no summary", () => {
    expect(snapshotItem(entry({ summary: null })).label).toBe("1 item");
    expect(snapshotItem(entry({ summary: null, items: 2, commit: null })).detail).toBe(
      entry().object_id,
    );
  });
});

describe("a difference in the list", () => {
  it("is marked, and offers both sides of a text that changed", () => {
    const items = [
      change({ patch: "@@" }),
      change({ mark: "-", what: "url", detail: "" }),
      change({ what: "commit", where: "", detail: "a → b" }),
    ].map(changeItem);
    expect(items.map((each) => [each.label, each.hasSides])).toEqual([
      ["$(diff-modified) src/app.py", true],
      ["$(diff-removed) src/app.py", false],
      ["$(diff-modified) commit", false],
    ]);
  });
});

describe("two snapshots that are compared", () => {
  it("stand in the order of their time, whichever was chosen first", () => {
    const [early, late] = [entry(), entry({ object_id: "01990a5d-ac96-774b-bcce-b302099a8057" })];
    expect(inOrder(late, early)).toEqual([early, late]);
    expect(inOrder(early, late)).toEqual([early, late]);
  });

  it("have a document for each side, with the name of the file", () => {
    const uri = sideUri(entry(), "src/app.py");
    expect([uri.scheme, uri.path, uri.query]).toEqual([
      "sightline",
      "/src/app.py",
      entry().object_id,
    ]);
  });
});
