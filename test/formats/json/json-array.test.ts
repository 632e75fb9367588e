import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrayItems } from '../../../src/formats/json/json-array.ts';

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

const read = async (chunks: AsyncIterable<string>, most = 1_000_000) => {
  const items: { value: unknown; line: number }[] = [];
  for await (const { text, line } of arrayItems(chunks, 'x.json', most)) {
    items.push({ value: JSON.parse(text), line });
  }
  return items;
};

describe('arrayItems', () => {
  it('finds the items of any array, however it is written and arrives', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue(), { maxLength: 6 }),
        fc.constantFrom(undefined, 2, '\t'),
        fc.integer({ min: 1, max: 9 }),
        async (values, indent, size) => {
          const text = JSON.stringify(values, undefined, indent);
          const items = await read(pieces(` ${text}\n`, size));
          expect(items.map(({ value }) => value)).toEqual(JSON.parse(text));
        },
      ),
    );
  });

  it('names the lines on which items begin', async () => {
    const items = await read(pieces('[\n{"a":1},\r\n{\n"b":2\n}\n,3, 4]', 3));
    expect(items.map(({ line }) => line)).toEqual([2, 3, 6, 6]);
  });

  it('gives an item before the next one arrives', async () => {
    let sent = 0;
    async function* endless() {
      yield '[';
      for (;;) {
        sent += 1;
        yield `{"n":${sent}},`;
      }
    }
    for await (const { line } of arrayItems(endless(), 'x.json', 1000)) {
      expect(line).toBe(1);
      if (sent >= 1000) break;
    }
    expect(sent).toBe(1000);
  });

  it('refuses an item without end', async () => {
    async function* endless() {
      yield '["';
      for (;;) yield 'a'.repeat(100);
    }
    await expect(read(endless(), 1000)).rejects.toThrow(
      'x.json:1: an item has more than 1,000 characters',
    );
  });
});
