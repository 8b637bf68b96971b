import { describe, expect, it } from "vitest";
import { compact, grouped, percent } from "../src/numbers";

describe("numbers of tokens", () => {
  it.each([
    [0, "0"],
    [950, "950"],
    [999, "999"],
    [1000, "1k"],
    [1234, "1.2k"],
    [9949, "9.9k"],
    [9950, "10k"],
    [96_000, "96k"],
    [96_499, "96k"],
    [999_499, "999k"],
    [999_500, "1M"],
    [1_000_000, "1M"],
    [1_540_000, "1.5M"],
  ])("%i is short %s", (tokens, written) => {
    expect(compact(tokens)).toBe(written);
  });

  it.each([
    [0, "0"],
    [999, "999"],
    [1000, "1,000"],
    [1_234_567, "1,234,567"],
  ])("%i is in full %s", (tokens, written) => {
    expect(grouped(tokens)).toBe(written);
  });

  it("calls nothing free that is not", () => {
    expect([percent(0, 100), percent(1, 1000), percent(100, 100), percent(5, 0)]).toEqual([
      0, 1, 100, 0,
    ]);
  });
});
