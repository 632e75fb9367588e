import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readJsonLines } from '../../src/formats/json/read.ts';
import { hashOf, hashText } from '../../src/writing/ledger/checksums.ts';
import type { LineResult } from '../../src/writing/ledger/entry.ts';
import { LineIndex } from '../../src/writing/ledger/line-index.ts';
import { survey } from '../../src/writing/survey.ts';

describe('a line of an earlier run', () => {
  const FIRST = '{"doi":"10.5072/first"}';
  const OTHER = '{"doi":"10.5072/other"}';
  const of = hashText(hashOf(Buffer.from(FIRST)));
  const entry = (outcome: LineResult['outcome'], more: Partial<LineResult> = {}) => ({
    line: 1,
    of,
    result: { line: 1, doi: '10.5072/a', state: null, outcome, errors: [], ...more },
  });
  const wrong = [{ path: 'state', message: 'is draft' }];
  const STATUSES = {
    reserved: { line: 1, of, doi: '10.5072/a', generated: true, at: '2026-05-01T00:00:00.000Z' },
    'in doubt': { ...entry('failed', { errors: wrong }), doubt: true as const },
    failed: entry('failed', { errors: wrong }),
    created: entry('created'),
    'created in another state': entry('created', { errors: wrong }),
  };
  const surveyOf = (status: keyof typeof STATUSES, text: string, mayChange = false) => {
    const index = new LineIndex();
    index.add(STATUSES[status], 1);
    const records = () => readJsonLines(Readable.from([Buffer.from(text)]), 'in.ndjson', {});
    const { signal } = new AbortController();
    const input = { name: 'in.ndjson', rows: false, records };
    const options = { command: mayChange ? 'publish' : 'create', validate: false } as const;
    return survey({ input, options, index, signal });
  };

  it.each([
    ['reserved', 'may have been carried out'],
    ['in doubt', 'may have been carried out'],
    ['created', 'has been carried out'],
    ['created in another state', 'has been carried out'],
  ] as const)('that was %s must not change', async (status, what) => {
    await expect(surveyOf(status, `${FIRST}\n`)).resolves.toMatchObject({ records: 1 });
    for (const text of [`${OTHER}\n`, `${FIRST} \n`, `\n${FIRST}\n`])
      await expect(surveyOf(status, text)).rejects.toMatchObject({
        kind: 'usage',
        message: `in.ndjson:1 has changed since it was sent, and ${what}`,
        hint: 'put the line back as it was',
      });
  });
  it('that is missing must not be missing, unless it failed', async () => {
    await expect(surveyOf('in doubt', '')).rejects.toMatchObject({ kind: 'usage' });
    await expect(surveyOf('failed', `\n${OTHER}\n`)).resolves.toMatchObject({ records: 1 });
  });
  it('may change if it failed, or if the command allows it', async () => {
    await expect(surveyOf('failed', `${OTHER}\n`)).resolves.toMatchObject({ records: 1, done: 0 });
    for (const status of ['in doubt', 'created'] as const)
      await expect(surveyOf(status, `${OTHER}\n`, true)).resolves.toMatchObject({ done: 0 });
  });
});

describe('a DOI that is there twice', () => {
  const surveyOf = (dois: readonly (string | undefined)[], skipsRepeats: boolean) => {
    const text = dois.map((doi) => `${JSON.stringify({ doi })}\n`).join('');
    const records = () => readJsonLines(Readable.from([Buffer.from(text)]), 'in.ndjson', {});
    return survey({
      ...{ input: { name: 'in.ndjson', rows: false, records }, index: new LineIndex() },
      signal: new AbortController().signal,
      options: {
        command: skipsRepeats ? 'publish' : 'create',
        prefix: '10.5072',
        validate: false,
      },
    });
  };
  it('is an error in any letter case, except in a list of DOIs', async () => {
    const dois = ['10.5072/a', '10.5072/Ä', '10.5072/b', '10.5072/A', '10.5072/ä'];
    await expect(surveyOf(dois, false)).rejects.toMatchObject({
      message: 'in.ndjson:4 has the DOI of line 1, 10.5072/A; and 1 more line cannot be used',
    });
    expect(await surveyOf(dois, true)).toMatchObject({ records: 3, repeats: new Set([4, 5]) });
  });
  it('is none where lines have no DOI', async () => {
    const dois = [undefined, undefined, '10.5072/a'];
    expect(await surveyOf(dois, false)).toMatchObject({ records: 3, repeats: new Set() });
  });
});
