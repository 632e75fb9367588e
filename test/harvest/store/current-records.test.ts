import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CurrentRecords, partsOf } from '../../../src/harvest/store/current-records.ts';
import { harvestPaths, makeFolders } from '../../../src/harvest/store/directory.ts';
import type { LedgerData } from '../../../src/harvest/store/ledger-data.ts';
import { runs } from '../../helpers/runs.ts';
import { sharedDirectory } from '../../helpers/temporary.ts';
import { latest } from '../copy-on-disk.ts';
import { ledgerData, ledgerWindow } from './samples.ts';

const { signal } = new AbortController();
const DAY = '2024-05-06T07:08:0';
const folder = sharedDirectory();
let copies = 0;

/** A copy on disk: for each generation and window, the DOIs of a part file. */
async function copyOf(generations: readonly (readonly (readonly number[])[])[]) {
  copies += 1;
  const dir = join(folder, `copy-${copies}`);
  const paths = harvestPaths(dir, null);
  await makeFolders(paths);
  const data: LedgerData = { ...ledgerData(), generations: [] };
  for (const [at, windows] of generations.entries()) {
    const [sample] = ledgerData().generations;
    if (sample === undefined) throw new Error('no sample');
    const number = at + 1;
    const written = windows.map((dois, index) => {
      const lines = dois.map((doi) =>
        JSON.stringify({
          id: `10.5072/${doi}`,
          attributes: { created: `${DAY}${doi % 10}.000Z`, version: `${number}.${index}` },
        }),
      );
      const text = lines.map((line) => `${line}\n`).join('');
      if (text !== '') writeFileSync(paths.part(number, index, false), text);
      return ledgerWindow({ index, bytes: text.length, records: dois.length });
    });
    data.generations.push({ ...sample, number, windows: written });
  }
  return { dir, parts: partsOf(dir, [data]) };
}

async function linesOf(
  parts: Awaited<ReturnType<typeof copyOf>>['parts'],
  current: CurrentRecords,
) {
  const lines: string[] = [];
  for await (const { line } of current.records(parts, signal)) lines.push(line.toString());
  return lines.sort();
}

it('reads for each DOI the line in the file with the greatest name, in any thread', async () => {
  const dois = fc.uniqueArray(fc.nat(30), { maxLength: 12 });
  const generations = fc.array(fc.array(dois, { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(dois, generations, async (base, updates) => {
      const { dir, parts } = await copyOf([[base], ...updates]);
      const current = await CurrentRecords.read(parts, signal, true);
      expect(await linesOf(parts, current)).toEqual(latest(dir));
      expect(await linesOf(parts, new CurrentRecords(current.words))).toEqual(latest(dir));
      const updated = new Set(updates.flat(2));
      const times = [...updated].map((doi) => Date.parse(`${DAY}${doi % 10}.000Z`));
      expect(current.count).toBe(updated.size);
      expect([...current.times()].sort()).toEqual(times.sort());
      for (const doi of base)
        expect(current.timeOf(`10.5072/${doi}`)).toBe(
          updated.has(doi) ? Date.parse(`${DAY}${doi % 10}.000Z`) : undefined,
        );
    }),
    { numRuns: runs(60) },
  );
});

it('refuses a part with more records than its ledger counts: there is no room', async () => {
  const { parts } = await copyOf([[[1]], [[2, 3, 4, 5]]]);
  const short = parts.map((part) => ({ ...part, records: 1 }));
  await expect(CurrentRecords.read(short, signal)).rejects.toThrow(
    'g0002-w00000.ndjson has more records than were written',
  );
});
