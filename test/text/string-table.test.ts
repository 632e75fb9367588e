import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StringTable } from '../../src/text/string-table.ts';

describe('StringTable', () => {
  it('numbers distinct strings as a Map does', () => {
    // Few characters of each length in UTF-8, so that strings repeat.
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '中', '😀'), maxLength: 4 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 60 }), fc.array(text), (texts, others) => {
        const table = new StringTable();
        const expected = new Map<string, number>();
        for (const each of texts) {
          if (!expected.has(each)) expected.set(each, expected.size);
          expect(table.add(each)).toBe(expected.get(each));
        }
        expect(table.size).toBe(expected.size);
        for (const each of [...texts, ...others])
          expect(table.indexOf(each)).toBe(expected.get(each) ?? -1);
        for (const [each, index] of expected) expect(table.at(index)).toBe(each);
      }),
    );
  });

  it('keeps all strings while it grows', () => {
    const table = new StringTable();
    const texts = Array.from({ length: 20_000 }, (_, n) => `10.5072/${'x'.repeat(n % 300)}${n}`);
    for (const text of texts) table.add(text);
    expect(table.size).toBe(texts.length);
    for (const [index, text] of texts.entries()) {
      expect(table.indexOf(text)).toBe(index);
      expect(table.at(index)).toBe(text);
      expect(table.indexOf(`${text}x`)).toBe(-1);
    }
  });
});
