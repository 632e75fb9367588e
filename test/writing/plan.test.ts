import { describe, expect, it } from 'vitest';
import type { Doi } from '../../src/api/dois.ts';
import type { CliError } from '../../src/errors.ts';
import { parseRecord } from '../../src/formats/json/read.ts';
import { exportedCell } from '../../src/formats/spreadsheet/exported.ts';
import { readTable } from '../../src/formats/spreadsheet/read.ts';
import { KERNEL_4 } from '../../src/metadata/kernel.ts';
import { planFor } from '../../src/writing/plan.ts';
import { COMPLETE_RECORD } from '../helpers/records.ts';

const DOI = '10.5072/abc';
const READ = '2026-05-01T00:00:00.000Z';
const CHANGED = '2026-05-02T00:00:00.000Z';

/** A record as it is stored now. */
function storedRecord(attributes: object, updated: string): Doi {
  const all = { doi: DOI, state: 'draft', ...COMPLETE_RECORD, ...attributes, updated };
  const text = JSON.stringify({ id: DOI, type: 'dois', attributes: all });
  return { id: DOI, client: undefined, attributes: all, text };
}

/** The plan of an update with attributes that were edited in the record of `READ`. */
function plan(edited: object, stored: Doi, overwrite: boolean) {
  const attributes = { doi: DOI, ...edited, updated: READ };
  const text = JSON.stringify({ id: DOI, type: 'dois', attributes });
  const record = parseRecord(text, 'r.json');
  const request = { command: 'update', doi: DOI, record, validate: true, overwrite } as const;
  return planFor(request, stored, { suggest: () => '' });
}

const errorOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return error as CliError;
  }
  throw new Error('there is no error');
};

describe('an update of a record that others have changed since it was read', () => {
  const ATTRIBUTES: readonly (readonly [name: string, theirs: unknown, mine: unknown])[] = [
    ['version', '2', '3'],
    ['url', 'https://example.org/theirs', 'https://example.org/mine'],
    ['publicationYear', 2025, 2024],
    ['publisher', { name: 'Theirs' }, { name: 'Mine' }],
    ['titles', [{ title: 'Theirs' }], [{ title: 'Mine' }]],
    ['titles', [{ title: 'Theirs' }], [{ title: 'Mine' }, { title: 'Another' }]],
    ['sizes', ['1 MB'], []],
  ];
  it.each(ATTRIBUTES)('conflicts over %s: %j and %j', (name, theirs, mine) => {
    const stored = storedRecord({ [name]: theirs }, CHANGED);
    const { kind, message, problems } = errorOf(() => plan({ [name]: mine }, stored, false));
    expect([kind, message]).toEqual(['rejected', expect.stringContaining('nothing was sent')]);
    expect(problems).not.toEqual([]);
    for (const { path, conflict } of problems) {
      expect(path?.startsWith(name)).toBe(true);
      expect(conflict).toMatchObject({ present: expect.anything(), edited: expect.anything() });
    }
  });
  it.each(ATTRIBUTES)(
    'replaces %s with --overwrite, and shows it: %j by %j',
    (name, theirs, mine) => {
      const stored = storedRecord({ [name]: theirs }, CHANGED);
      const { body = '', changes = [], isUnchanged } = plan({ [name]: mine }, stored, true);
      expect(isUnchanged).toBe(false);
      const { data } = JSON.parse(body) as { data: { attributes: object } };
      expect(data.attributes).toEqual({ doi: DOI, [name]: mine });
      // Each value of the others that goes away is shown as it is stored, not as it was read.
      expect(changes.length).toBeGreaterThan(0);
      const leaves = (value: unknown): unknown[] =>
        typeof value === 'object' && value !== null
          ? Object.values(value).flatMap(leaves)
          : [value];
      expect(changes.flatMap(({ before }) => leaves(before ?? []))).toEqual(leaves(theirs));
      expect(changes.every(({ path }) => path.startsWith(name))).toBe(true);
    },
  );
  it('sends nothing, with or without --overwrite, if they made the same change', () => {
    const stored = storedRecord({ version: '3' }, CHANGED);
    for (const overwrite of [false, true]) {
      const { isUnchanged, changes } = plan({ version: '3' }, stored, overwrite);
      expect([isUnchanged, changes]).toEqual([true, []]);
    }
  });
  it.each([
    [{ version: '3' }, ['version']],
    [{ url: 'https://example.org/mine', version: '3' }, ['url', 'version']],
    [{}, ['schemaVersion']],
  ])('names the schema version only if it alone differs from %j', (edited, paths) => {
    const theirs = { version: '2', url: 'https://example.org/theirs', schemaVersion: KERNEL_4 };
    const mine = { ...edited, schemaVersion: `${KERNEL_4}.3` };
    const { problems } = errorOf(() => plan(mine, storedRecord(theirs, CHANGED), false));
    expect(problems.map(({ path }) => path)).toEqual(paths);
  });
  it('keeps the attributes that the file lacks', () => {
    const stored = storedRecord({ version: '2', language: 'de' }, CHANGED);
    const { body = '' } = plan({ version: '3' }, stored, true);
    expect(JSON.parse(body)).toMatchObject({ data: { attributes: { version: '3' } } });
    expect(body).not.toContain('language');
  });
  it('has no conflict if nobody has changed it', () => {
    const stored = storedRecord({ version: '2' }, READ);
    for (const overwrite of [false, true])
      expect(plan({ version: '3' }, stored, overwrite).changes).toEqual([
        { path: 'version', before: '2', after: '3' },
      ]);
  });
});

describe('a row of an export, of which others have changed the record since', () => {
  const EXPORTED = { version: '1', titles: [{ title: 'First' }], publisher: { name: 'First' } };
  /** The row of an export of that record with one edited cell. */
  const rowOf = async (column: string, cell: string) => {
    const attributes = { ...COMPLETE_RECORD, ...EXPORTED, updated: READ };
    const text = `doi,${column},exported\n${DOI},${cell},${exportedCell(DOI, attributes, undefined)}\n`;
    const chunks = (async function* () {
      yield Buffer.from(text);
    })();
    for await (const row of readTable(chunks, 'r.csv', {})) return row.parse('r.csv', row.line);
    throw new Error('there is no row');
  };
  const planOfRow = async (column: string, cell: string, theirs: object, overwrite: boolean) => {
    const record = await rowOf(column, cell);
    const request = { command: 'update', doi: DOI, record, validate: true, overwrite } as const;
    return planFor(request, storedRecord({ ...EXPORTED, ...theirs }, CHANGED), {
      suggest: () => '',
    });
  };

  it.each([
    ['version', { version: '2' }, { version: 'Mine' }, 'version', '2'],
    [
      'titles[0].title',
      { titles: [{ title: 'Theirs' }] },
      { titles: [{ title: 'Mine' }] },
      'titles[0].title',
      'Theirs',
    ],
    [
      'publisher.name',
      { publisher: { name: 'Theirs' } },
      { publisher: { name: 'Mine' } },
      'publisher.name',
      'Theirs',
    ],
  ])(
    'replaces %s only with --overwrite, and shows what goes away',
    async (column, theirs, mine, path, before) => {
      const error = await planOfRow(column, 'Mine', theirs, false).catch(
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ kind: 'rejected', problems: [{ path: column, column }] });
      const { body = '', changes } = await planOfRow(column, 'Mine', theirs, true);
      expect(JSON.parse(body)).toMatchObject({ data: { attributes: mine } });
      expect(changes).toEqual([{ path, before, after: 'Mine' }]);
    },
  );
  it('sends no attribute that only they changed, with or without --overwrite', async () => {
    const theirs = { titles: [{ title: 'Theirs' }], language: 'de' };
    for (const overwrite of [false, true]) {
      const { body = '', changes } = await planOfRow('version', '2', theirs, overwrite);
      const { data } = JSON.parse(body) as { data: { attributes: object } };
      expect(data.attributes).toEqual({ doi: DOI, version: '2' });
      expect(changes).toEqual([{ path: 'version', before: '1', after: '2' }]);
      const other = await planOfRow('version', '1', { version: '2' }, overwrite);
      expect([other.isUnchanged, other.changes]).toEqual([true, []]);
    }
  });
});
