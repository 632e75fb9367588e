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
    expect(foreignText(text, 'x.csv')).toEqual({
      problem: 'is not UTF-8: "lac d\\xe9sert\\xa0", in Windows-1252 "lac désert\u00a0"',
      hint: 'save it as UTF-8, or: iconv -f windows-1252 -t utf-8 x.csv',
      line: 2,
    });
  });

  it('does not advise to convert a file with both', async () => {
    const bytes = Buffer.concat([Buffer.from('é '), Buffer.of(0xe9)]);
    expect(foreignText(await textIn(bytes, 2), 'x')?.hint).toMatch(/correct only this text/);
    expect(foreignText('\ufffd é 😀', 'x')).toBeUndefined();
  });
});
