import { describe, expect, it } from "vitest";
import { Restarts } from "../src/restarts";

describe("a server that crashes", () => {
  it("is started again at longer and longer intervals, and then left alone", () => {
    const restarts = new Restarts();
    const delays = [0, 1, 2, 3, 4].map((second) => restarts.next(second * 1000));
    expect(delays.at(-1)).toBeUndefined();
    const numbers = delays.slice(0, -1) as number[];
    expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
    expect(numbers.every((delay) => delay > 0)).toBe(true);
  });

  it("is forgiven what is long ago", () => {
    const restarts = new Restarts();
    const first = restarts.next(0);
    for (let minute = 4; minute < 60; minute += 4) {
      expect(restarts.next(minute * 60_000)).toBe(first);
    }
  });

  it("is forgiven everything when a person starts it", () => {
    const restarts = new Restarts();
    const first = restarts.next(0);
    restarts.next(1);
    restarts.forget();
    expect(restarts.next(2)).toBe(first);
  });
});
