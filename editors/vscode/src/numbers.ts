/** Numbers of tokens as people read them. */

/** Short, for a status bar: `950`, `1.2k`, `96k`, `1.5M`. */
export function compact(tokens: number): string {
  if (tokens < 1000) {
    return String(tokens);
  }
  const inThousands = scaled(tokens, 1000);
  return inThousands < 1000 ? `${inThousands}k` : `${scaled(tokens, 1_000_000)}M`;
}

/** In full, its thousands apart: `96,000`. */
export function grouped(tokens: number): string {
  return String(tokens).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Of two numbers, in whole percent; rounded up, so that nothing is called free that is not. */
export function percent(part: number, whole: number): number {
  return whole > 0 ? Math.ceil((part * 100) / whole) : 0;
}

/** One decimal below ten, none above. */
function scaled(tokens: number, unit: number): number {
  const tenths = Math.round((tokens * 10) / unit);
  return tenths < 100 ? tenths / 10 : Math.round(tokens / unit);
}
