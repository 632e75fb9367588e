import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repeatedDoi } from '../../../src/harvest/copy/repeats.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

const { signal } = new AbortController();

function partOf(name: string, dois: readonly string[]) {
  const path = join(temporaryDirectory(), name);
  const text = dois.map((id) => `${JSON.stringify({ id })}\n`).join('');
  writeFileSync(path, text);
  return { path, bytes: Buffer.byteLength(text), gzip: false };
}

const dois = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `10.5072/${(from + index).toString(36)}`);

describe('a DOI in two part files', () => {
  // Passes of 100 hashes: about 22 of them.
  it.each([undefined, 100])('is found among many, in passes of %s', async (most) => {
    const parts = [partOf('a', dois(0, 1000)), partOf('b', dois(1000, 2000))];
    expect(await repeatedDoi(parts, 2000, signal, most)).toBeUndefined();
    const more = [...parts, partOf('c', ['10.5072/AB'])];
    expect(await repeatedDoi(more, 2001, signal, most)).toEqual({
      doi: '10.5072/ab',
      parts: new Set([more[0], more[2]]),
    });
  });

  it('is found where every DOI is there many times', async () => {
    const parts = Array.from({ length: 20 }, () => partOf('same', dois(0, 50)));
    const found = await repeatedDoi(parts, 1000, signal, 100);
    expect(found?.doi).toMatch(/^10\.5072\//);
    expect(found?.parts).toEqual(new Set(parts));
  });
});
