import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newWindow } from '../../../src/harvest/copy/generation.ts';
import { hashOf, repeatedDoi } from '../../../src/harvest/copy/repeats.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

const { signal } = new AbortController();

/** Windows that hold these DOIs, with their part files. */
function partsOf(...windows: readonly (readonly string[])[]) {
  return new Map(
    windows.map((dois, index) => {
      const path = join(temporaryDirectory(), 'part.ndjson');
      const text = dois.map((id) => `${JSON.stringify({ id })}\n`).join('');
      writeFileSync(path, text);
      const window = newWindow(index, { from: null, to: null, count: dois.length });
      window.records = dois.length;
      return [window, { path, bytes: Buffer.byteLength(text), gzip: false }];
    }),
  );
}

const dois = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `10.5072/${(from + index).toString(36)}`);

describe('a DOI in two part files', () => {
  it.each(['read', 'known'])('is found among many, whose hashes are %s', async (how) => {
    const find = (...windows: readonly (readonly string[])[]) => {
      const parts = partsOf(...windows);
      const hashes = new Map(
        how === 'read'
          ? []
          : [...parts.keys()].map((window, index) => [
              window,
              Float64Array.from(windows[index] ?? [], hashOf),
            ]),
      );
      return repeatedDoi(parts, hashes, signal);
    };
    expect(await find(dois(0, 1000), dois(1000, 2000))).toBeUndefined();
    const found = await find(dois(0, 1000), dois(1000, 2000), ['10.5072/ab']);
    expect(found?.doi).toBe('10.5072/ab');
    expect(Array.from(found?.windows ?? [], ({ index }) => index)).toEqual([0, 2]);
  });

  it('is found where every DOI is there many times', async () => {
    const parts = partsOf(...Array.from({ length: 20 }, () => dois(0, 50)));
    const found = await repeatedDoi(parts, new Map(), signal);
    expect(found?.doi).toMatch(/^10\.5072\//);
    expect(found?.windows.size).toBe(20);
  });
});
