/**
 * Mixes two 32-bit integers into one, so that neighbouring inputs give unrelated outputs. With a
 * hash, unlike a random generator, record 90,000,000 can be made without the records before it.
 */
export function mix(a: number, b: number): number {
  let h = Math.imul(a ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(b, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return (h ^ (h >>> 15)) >>> 0;
}

/** A number in [0, 1) from two 32-bit integers. */
export function fraction(a: number, b: number): number {
  return mix(a, b) / 0x1_0000_0000;
}

/** A stream of numbers in [0, 1) for building tables once, at start. */
export function stream(seed: number): () => number {
  let step = 0;
  return () => fraction(seed, step++);
}

/** One member of a non-empty list, chosen by `draw` in [0, 1). */
export function pick<T>(list: readonly T[], draw: number): T {
  const chosen = list[Math.floor(draw * list.length)];
  if (chosen === undefined) throw new RangeError('cannot pick from an empty list');
  return chosen;
}
