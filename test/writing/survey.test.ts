import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJsonLines } from '../../src/formats/json/read.ts';
import { hashOf, hashText, LineIndex, type LineResult } from '../../src/writing/ledger/entry.ts';
import { SeenDois, survey } from '../../src/writing/survey.ts';

describe('a line of an earlier run', () => {
  const of = hashText(hashOf(Buffer.from('"first"')));
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
    return survey({ input, index, signal, doiOf: () => undefined, mayChange });
  };

  it.each([
    ['reserved', 'may have been carried out'],
    ['in doubt', 'may have been carried out'],
    ['created', 'has been carried out'],
    ['created in another state', 'has been carried out'],
  ] as const)('that was %s must not change', async (status, what) => {
    await expect(surveyOf(status, '"first"\n')).resolves.toMatchObject({ records: 1 });
    for (const text of ['"other"\n', '"first" \n', '\n"first"\n'])
      await expect(surveyOf(status, text)).rejects.toMatchObject({
        kind: 'usage',
        message: `in.ndjson:1 has changed since it was sent, and ${what}`,
        hint: 'put the line back as it was',
      });
  });
  it('that is missing must not be missing, unless it failed', async () => {
    await expect(surveyOf('in doubt', '')).rejects.toMatchObject({ kind: 'usage' });
    await expect(surveyOf('failed', '\n"second"\n')).resolves.toMatchObject({ records: 1 });
  });
  it('may change if it failed, or if the command allows it', async () => {
    await expect(surveyOf('failed', '"other"\n')).resolves.toMatchObject({ records: 1, done: 0 });
    for (const status of ['in doubt', 'created'] as const)
      await expect(surveyOf(status, '"other"\n', true)).resolves.toMatchObject({ done: 0 });
  });
});

it('knows the line of each DOI, as a map of lower-case DOIs does', () => {
  const doi = fc
    .constantFrom('10.5072/a', '10.5072/A', '10.5072/b', '10.1/ä', '10.1/Ä', '')
    .map(String);
  fc.assert(
    fc.property(fc.array(doi, { maxLength: 30 }), (dois) => {
      const [seen, map] = [new SeenDois(), new Map<string, number>()];
      for (const [index, text] of dois.entries()) {
        const before = map.get(text.toLowerCase());
        expect(seen.add(text, index + 1)).toBe(before);
        if (before === undefined) map.set(text.toLowerCase(), index + 1);
      }
    }),
  );
});

it('grows with the number of DOIs', () => {
  const seen = new SeenDois();
  for (let line = 1; line <= 20_000; line += 1)
    expect(seen.add(`10.5072/${line}`, line)).toBeUndefined();
  for (const line of [1, 512, 513, 9_999, 20_000])
    expect(seen.add(`10.5072/${line}`, 1)).toBe(line);
});
