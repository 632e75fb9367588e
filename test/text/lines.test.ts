import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLines, textOf } from '../../src/text/lines.ts';

async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function linesOf(text: string | Buffer, sizes = [7], most?: number) {
  const found = [];
  for await (const line of readLines(cut(Buffer.from(text), sizes), 'a.ndjson', most))
    found.push(line);
  return found;
}

describe('the lines of a stream', () => {
  it('are numbered and placed, whatever their breaks', async () => {
    const found = await linesOf('one\r\n\ntwo\nthree');
    expect(
      found.map((line) => [line.number, line.offset, line.bytes.toString(), line.ended]),
    ).toEqual([
      [1, 0, 'one', true],
      [2, 5, '', true],
      [3, 6, 'two', true],
      [4, 10, 'three', false],
    ]);
  });
  it('are those of the text, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '\r', '"', ' ') }), { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
        async (lines, sizes) => {
          const text = lines.join('\n');
          const expected = text.split('\n').map((line) => line.replace(/\r$/, ''));
          if (text.split('\n').at(-1) === '') expected.pop();
          const found = await linesOf(text, sizes);
          expect(found.map(({ bytes }) => bytes.toString())).toEqual(expected);
          for (const { offset, bytes } of found) {
            expect(Buffer.from(text).subarray(offset, offset + bytes.length)).toEqual(
              Buffer.from(bytes),
            );
          }
        },
      ),
    );
  });
  it('have a limit, also for one that has no end', async () => {
    const refused = { kind: 'usage', message: 'a.ndjson:2 is longer than 10 bytes' };
    await expect(linesOf('0123456789\n01234567890\n', [7], 10)).rejects.toMatchObject(refused);
    await expect(linesOf('0123456789\n01234567890', [3], 10)).rejects.toMatchObject(refused);
    expect(await linesOf('0123456789\n', [100], 10)).toHaveLength(1);
  });
  it('are UTF-8', async () => {
    const [line] = await linesOf('\ufeff{}');
    expect(line && textOf(line, 'a')).toBe('{}');
    const [bad] = await linesOf(Buffer.from([0x7b, 0xe9, 0x7d]));
    expect(() => bad && textOf(bad, 'a.ndjson')).toThrow('a.ndjson:1 is not UTF-8: "{\ufffd}"');
  });
});
