import { expect, test } from "vitest";
import { markdown, sentence, tokenWords, visible } from "../../src/views/words";

test("no character of a name hides or turns the others around", () => {
  expect(visible("a\u202eb\u200bc\nd\u2066\ufeff")).toBe(
    "a\\u{202e}b\\u{200b}c\\u{a}d\\u{2066}\\u{feff}",
  );
});

test("names in any script stay as they are", () => {
  expect(visible("größe/名前/приве́т/שלום.py")).toBe("größe/名前/приве́т/שלום.py");
});

test("a name is neither markup, nor a link, nor an icon in a tooltip", () => {
  const shown = markdown("<b>[x](command:y) $(zap) `c` https://e.org & *b*");
  expect(shown).not.toMatch(/<|>|(?<!\\)[[\]()`*$:]/);
  expect(shown).toContain("&lt;b&gt;");
  expect(shown).toContain("&amp;");
});

test("one token is no tokens", () => {
  expect([tokenWords(0), tokenWords(1), tokenWords(12_345)]).toEqual([
    "0 tokens",
    "1 token",
    "12,345 tokens",
  ]);
});

test("the server's words become a sentence", () => {
  expect(sentence("give it more")).toBe("Give it more.");
  expect(sentence("Done.")).toBe("Done.");
});
