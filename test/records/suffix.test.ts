import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generatedDoi, suffixOf } from '../../src/records/create-record.ts';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

describe('a suffix', () => {
  it('is a number in base 32 with its checksum modulo 97', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 50n - 1n }), (number) => {
        const suffix = suffixOf(number);
        expect(suffix).toMatch(/^[0-9a-hjkmnp-tv-z]{4}-[0-9a-hjkmnp-tv-z]{4}-[0-9a-hjkmnp-tv-z]{2}\d\d$/);
        const text = suffix.replaceAll('-', '');
        const value = [...text.slice(0, -2)].reduce((sum, c) => sum * 32n + BigInt(ALPHABET.indexOf(c)), 0n);
        expect(value).toBe(number);
        // ISO 7064: the number with its check digits leaves 1.
        expect((value * 100n + BigInt(text.slice(-2))) % 97n).toBe(1n);
      }),
    );
  });
  it('is another one for each source, and the same for the same', () => {
    const make = (line: number) => generatedDoi('10.5072', 'seed', line, '00000000000000ff', 1);
    const made = Array.from({ length: 1000 }, (_, line) => make(line));
    expect(new Set(made).size).toBe(1000);
    for (const doi of made) expect(doi).toMatch(/^10\.5072\/.{4}-.{4}-.{4}$/);
    expect(made[7]).toBe(make(7));
  });
});
