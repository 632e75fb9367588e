import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { serviceWith } from '../service.ts';
import { type Expectation, failureOf } from './expectations.ts';
import { FORMATS } from './formats.ts';
import { KEYS } from './keys.ts';
import { LISTS } from './lists.ts';
import { QUERIES } from './queries.ts';
import { READS } from './reads.ts';
import { DELETIONS, REFUSALS, SPELLINGS } from './refusals.ts';
import { UPDATES } from './updates.ts';
import { WRITES } from './writes.ts';

/**
 * The expectations from the service's source and tests, by area. To add an expectation, add a row
 * to its file.
 */
const AREAS: Readonly<Record<string, readonly Expectation[]>> = {
  keys: KEYS,
  lists: LISTS,
  queries: QUERIES,
  writes: WRITES,
  updates: UPDATES,
  reads: READS,
  refusals: REFUSALS,
  deletions: DELETIONS,
  spellings: SPELLINGS,
  formats: FORMATS,
};

const all = Object.values(AREAS).flat();

describe.each(Object.entries(AREAS))('%s, as the source of the service has it', (area, rows) => {
  // Totals and pages are those of this many records; a search reads every one of them.
  const usual = area === 'lists' ? 1000 : 100;
  it.each(rows.map((row) => [row.name, row] as const))('%s', async (_, row) => {
    const { records = usual } = row;
    const failure = await failureOf(await serviceWith({ records }), row);
    if (row.differs === undefined) expect(failure).toBeUndefined();
    // Once a difference is gone, remove its reason here and in the document.
    else expect(failure).toBeDefined();
  });
});

describe('the expectations', () => {
  it('have unique names', () => {
    const names = Object.entries(AREAS).flatMap(([area, rows]) =>
      rows.map(({ name }) => `${area}: ${name}`),
    );
    expect(new Set(names).size).toBe(names.length);
  });

  it('that do not hold are in docs/dev/emulator-differences.md', () => {
    const text = readFileSync('docs/dev/emulator-differences.md', 'utf8').replaceAll(/\s+/g, ' ');
    for (const { differs } of all) if (differs !== undefined) expect(text).toContain(differs);
  });
});
