import { describe, expect, test } from "vitest";
import type { BudgetStatusParams } from "../../src/protocol";
import {
  movedOnWords,
  pictureOfBuild,
  pictureOfStatus,
  shares,
} from "../../src/views/picture/model";
import { CALLER, REST, RULES, TARGET, built, part, refused } from "./results";

const sum = (amounts: readonly number[]): number => amounts.reduce((all, each) => all + each, 0);

describe("shares", () => {
  test("are whole and add up to 100, whatever the amounts", () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const amounts = Array.from({ length: 1 + (seed % 23) }, (_, at) => (seed * (at + 7)) % 997);
      const found = shares(amounts);
      expect(found.every(Number.isInteger)).toBe(true);
      expect(sum(found)).toBe(sum(amounts) > 0 ? 100 : 0);
      found.forEach((share, at) => {
        const exact = ((amounts[at] ?? 0) * 100) / sum(amounts);
        expect(Math.abs(share - exact)).toBeLessThan(1);
      });
    }
  });

  test("give the rest to the largest remainders, the first of equals first", () => {
    expect(shares([1, 1, 1])).toEqual([34, 33, 33]);
    expect(shares([2, 1])).toEqual([67, 33]);
  });

  test("of nothing are nothing", () => {
    expect(shares([0, 0])).toEqual([0, 0]);
    expect(shares([])).toEqual([]);
  });
});

describe("the picture of a build", () => {
  const picture = pictureOfBuild(built([RULES, TARGET, REST, CALLER]), "src/shop.py", null);

  test("has a row for each block, in the order of the bundle", () => {
    expect(picture.rows.map((row) => [row.title, row.priority, row.level, row.why])).toEqual([
      ["Rules", "P0", "", ""],
      ["src/shop.py", "P0", "region", "target"],
      ["src/shop.py (the rest of it)", "P1", "signatures", "target"],
      ["src/till.py", "P2", "full file", "calls it"],
    ]);
  });

  test("has sums that add up", () => {
    expect(sum(picture.rows.map((row) => row.tokens)) + picture.framing.tokens).toBe(418);
    expect(picture.tokens).toBe(418);
    expect(sum(picture.sums.map((each) => each.tokens)) + picture.framing.tokens).toBe(418);
    expect(sum(picture.rows.map((row) => row.share)) + picture.framing.share).toBe(100);
    expect(sum(picture.sums.map((each) => each.share)) + picture.framing.share).toBe(100);
  });

  test("names only the priorities that are there", () => {
    expect(picture.sums.map((each) => each.priority)).toEqual(["P0", "P1", "P2"]);
  });

  test("opens the blocks that are files", () => {
    expect(picture.rows.map((row) => row.opens)).toEqual([false, true, true, true]);
  });

  test("knows the window", () => {
    expect([picture.soft, picture.hard, picture.reserve]).toEqual([7_200, 9_000, 1_000]);
  });

  test("shows names that hide nothing", () => {
    const { rows } = pictureOfBuild(built([part("a\u202eb.py", "P1", 1)]), "", null);
    expect(rows[0]?.title).toBe("a\\u{202e}b.py");
  });
});

test("a refusal shows what was asked for and why it was not given", () => {
  const result = refused({ message: "too much", advice: "narrow it" });
  const picture = pictureOfBuild(result, "src/shop.py", null);
  expect([picture.state, picture.name, picture.message, picture.hard]).toEqual([
    "refused",
    "src/shop.py",
    "Too much. Narrow it.",
    0,
  ]);
});

const STATUS: BudgetStatusParams = {
  uri: "file:///w/src/shop.py",
  version: 1,
  decision: "ok",
  tokens: 308,
  neededTokens: 308,
  optionalTokens: 0,
  softLimitTokens: 7_200,
  hardLimitTokens: 9_000,
  symbol: "total",
  level: "FULL_FILE",
  refusal: null,
  blocks: [
    { title: "Rules", priority: "P0", tokens: 100 },
    { title: "src/shop.py", priority: "P0", tokens: 200 },
  ],
  indexComplete: true,
  revision: 1,
};

test("a live status adds up as well: what no block accounts for is the frame", () => {
  const picture = pictureOfStatus(STATUS, "src/shop.py");
  expect(picture.state).toBe("live");
  expect(picture.framing.tokens).toBe(8);
  expect(sum(picture.rows.map((row) => row.share)) + picture.framing.share).toBe(100);
});

test("where nothing can be built the reason is shown", () => {
  const { refusal } = refused({ message: "denied", advice: "allow it" });
  const status = { ...STATUS, decision: "none" as const, tokens: 0, blocks: [], refusal };
  const picture = pictureOfStatus(status, "src/shop.py");
  expect([picture.message, picture.rows.length, picture.framing.tokens]).toEqual([
    "Denied. Allow it.",
    0,
    0,
  ]);
});

describe("moved on", () => {
  const result = built([RULES, TARGET]);
  const plain = { textDocument: { uri: STATUS.uri }, position: { line: 9, character: 0 } };
  const file = "src/shop.py";

  test("not while the cursor is in what was built and it costs the same", () => {
    expect(movedOnWords(plain, result, STATUS, file)).toBeNull();
    expect(movedOnWords(plain, result, undefined, null)).toBeNull();
  });

  test("once the cursor is in another symbol or file", () => {
    const words = "The cursor is elsewhere now, in tax: 308 tokens";
    expect(movedOnWords(plain, result, { ...STATUS, symbol: "tax" }, file)).toBe(words);
    expect(movedOnWords(plain, result, STATUS, "src/till.py")).toMatch(/elsewhere/);
    expect(movedOnWords(plain, result, STATUS, null)).toMatch(/elsewhere/);
  });

  test("once the same symbol costs something else", () => {
    const status = { ...STATUS, tokens: 312 };
    expect(movedOnWords(plain, result, status, file)).toBe(
      "The code has changed since. total: 312 tokens now",
    );
  });

  test("not by the cost where the build asked for more than the status does", () => {
    const status = { ...STATUS, tokens: 312 };
    const dropped = { ...plain, droppedUris: ["file:///w/src/till.py"] };
    expect(movedOnWords(dropped, result, status, file)).toBeNull();
    expect(movedOnWords({ ...plain, format: "xml" }, result, status, file)).toBeNull();
  });
});
