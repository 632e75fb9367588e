import { describe, expect, it } from 'vitest';
import type { Doi } from '../../src/api/dois.ts';
import type { ParsedRecord } from '../../src/formats/input/record.ts';
import { conflictError } from '../../src/writing/conflicts.ts';

const RECORD = { source: 'records.ndjson:1', origin: undefined } as unknown as ParsedRecord;
const STORED = { id: '10.5072/a', attributes: { updated: '2026-11-01' } } as unknown as Doi;
const NO_BASE = { base: undefined, mine: {}, instructions: {}, findings: [] };

function problemOf(theirs: string, mine: string) {
  const conflict = { name: 'version', base: undefined, theirs, mine };
  const [problem] = conflictError(RECORD, STORED, NO_BASE, [conflict]).problems;
  return problem;
}

describe('a conflict', () => {
  it.each([
    ['1.0', '2.0', '"1.0" now, and "2.0" in the file'],
    [`${'a'.repeat(90)} old`, `${'a'.repeat(90)} new`, '"…aaaaaaa old" now, and "…aaaaaaa new" in'],
    ['1', 'b'.repeat(90), `"1" now, and "${'b'.repeat(48)}…" in the file`],
  ])('of long values names both where they differ', (theirs, mine, text) => {
    const { message, conflict } = problemOf(theirs, mine) ?? {};
    expect(message).toContain(text);
    expect(message?.length).toBeLessThan(200);
    // Scripts get the values.
    const values = { present: JSON.stringify(theirs), edited: JSON.stringify(mine) };
    expect(conflict).toEqual(values);
  });
});
