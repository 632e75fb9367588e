import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decoded, foreignText } from '../../src/text/utf8.ts';

async function textIn(bytes: Buffer, size: number): Promise<string> {
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  let text = '';
  for await (const piece of decoded(chunks())) text += piece;
  return text;
}

describe('UTF-8', () => {
  it('is decoded in pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 1, max: 5 }),
        async (text, size) => {
          expect(await textIn(Buffer.from(text), size)).toBe(text.replace(/^\ufeff/, ''));
        },
      ),
    );
  });

  it.each([1, 2, 3, 100])('keeps bytes of another encoding apart in pieces of %i', async (size) => {
    const text = await textIn(Buffer.from('a\nlac d\xe9sert\u00a0', 'latin1'), size);
    expect(foreignText(text)).toEqual({ problem: 'is not UTF-8: "lac d\\xe9sert\\xa0"', line: 2 });
  });

  it('finds no foreign bytes in other characters', () => {
    expect(foreignText('\ufffd é 😀')).toBeUndefined();
  });
});
