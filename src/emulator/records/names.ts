import type { Slot } from './pattern.ts';

// Fixed widths: 10 digits for the decimal form, 7 for base 36. Both hold more than the record
// limit.
const DECIMAL_BASE = 1_000_000_000;
const BASE36_WIDTH = 7;

/** The DOI of a generated record. Within one client and prefix, text order is index order. */
export function doiOf(slot: Slot, index: number): string {
  const { suffix, numbering } = slot.client;
  const number =
    numbering === 'decimal'
      ? String(DECIMAL_BASE + index)
      : index.toString(36).padStart(BASE36_WIDTH, '0');
  return `${slot.prefix}/${suffix}${number}`;
}

/** The indices that a DOI could have; the caller compares with `doiOf` to find the right one. */
export function candidateIndices(doi: string): number[] {
  const found: number[] = [];
  const decimal = /\d{10}$/.exec(doi);
  if (decimal !== null) found.push(Number(decimal[0]) - DECIMAL_BASE);
  const base36 = /[0-9a-z]{7}$/.exec(doi);
  if (base36 !== null) found.push(Number.parseInt(base36[0], 36));
  return found.filter((index) => index >= 0);
}
