import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Distinct } from '../../../src/harvest/store/distinct.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

async function count(texts: Iterable<string>, mostSlots?: number): Promise<number> {
  const dir = temporaryDirectory();
  const distinct = new Distinct(dir, mostSlots);
  try {
    for (const text of texts) distinct.add(Buffer.from(text));
    return await distinct.count();
  } finally {
    distinct.close();
    expect(readdirSync(dir)).toEqual([]);
  }
}

describe('Distinct', () => {
  it('counts as a set does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ maxLength: 3 }), { maxLength: 500 }), async (texts) => {
        expect(await count(texts)).toBe(new Set(texts.map((text) => Buffer.from(text).toString('hex'))).size);
      }),
    );
  });

  it.each([4096, 8192])('counts what is many times more than its memory of %i places', async (slots) => {
    const texts = function* () {
      for (let round = 0; round < 3; round += 1) {
        for (let index = 0; index < 300_000; index += 1 + round) yield `10.5072/${index}`;
      }
    };
    expect(await count(texts(), slots)).toBe(300_000);
  });

  it('tells two million likenesses apart', async () => {
    const texts = function* () {
      for (let index = 0; index < 500_000; index += 1) {
        yield `10.5281/zenodo.${index}`;
        yield `10.5281/zenodo.${index}.`;
        yield `10.${index}/zenodo/5281`;
        yield index.toString(2).padStart(20, '0');
      }
    };
    expect(await count(texts())).toBe(2_000_000);
  });
});
