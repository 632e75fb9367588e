import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Editing, edit, editRows, LAKE } from '../../../helpers/editing.ts';

let editing: Editing;
beforeAll(async () => {
  editing = await Editing.start(afterAll);
});

const person = (name: string) => ({ name, nameType: 'Personal', affiliation: [{ name: 'CERN' }] });
const RECORD = { ...LAKE, creators: [person('Doe, Jane'), person('Roe, Rick')], language: 'en' };

/** An export of three records, of which an update has changed two. */
async function changed(format: 'csv' | 'tsv' = 'csv', fields?: string) {
  const dois = await editing.create(RECORD, RECORD, RECORD);
  const path = await editing.exported(dois, format, { fields });
  const before = await Promise.all(dois.map((doi) => editing.stored(doi)));
  await editing.theirs(dois[0] ?? '', { url: 'https://example.org/new', version: '9' });
  await editing.theirs(dois[1] ?? '', { creators: [{ name: 'New, Ned' }], language: null });
  return { dois, path, before };
}

describe('an export that is sent back', () => {
  it('without edits says how many records differ, and what puts its values back', async () => {
    const { path } = await changed();
    const { code, puts, outcomes, stderr } = await editing.update(path);
    expect([code, puts, outcomes]).toEqual([0, [], Array(3).fill('unchanged')]);
    expect(stderr).toMatch(/2 records differ from this export; .*dois update --file \S+ --restore/);
  });

  it('says so again, in a dry run too, and not where rows have edits', async () => {
    const { path, dois } = await changed();
    for (const options of [[], [], ['--dry-run']])
      expect((await editing.update(path, ...options)).stderr).toContain('2 records differ');
    edit(path, dois[2] ?? '', { version: '7' });
    for (const _ of [1, 2])
      expect((await editing.update(path)).stderr).not.toContain('differ from this export');
  });

  it('warns that --restore leaves another state', async () => {
    const [doi = ''] = await editing.create(RECORD);
    const path = await editing.exported([doi], 'csv');
    await editing.theirs(doi, { event: 'register' });
    const { code, puts, stderr } = await editing.update(path, '--restore', '--yes');
    expect([code, puts]).toEqual([0, []]);
    expect(stderr).toMatch(/column state: was draft in the export, and stays registered/);
  });

  it('says nothing where no record differs', async () => {
    const dois = await editing.create(RECORD);
    const { stderr } = await editing.update(await editing.exported(dois, 'csv'));
    expect(stderr).not.toContain('differ');
  });

  it.each(['csv', 'tsv'] as const)(
    'as %s with --restore puts all its values back',
    async (format) => {
      const { dois, path, before } = await changed(format);
      const { code, puts, outcomes, stderr } = await editing.update(path, '--restore', '--yes');
      expect([code, outcomes], stderr).toEqual([0, ['updated', 'updated', 'unchanged']]);
      expect(puts.map((put) => Object.keys(put).sort())).toEqual(
        expect.arrayContaining([
          ['doi', 'url', 'version'],
          ['creators', 'doi', 'language'],
        ]),
      );
      for (const [place, doi] of dois.entries()) {
        const { updated: _, metadataVersion: __, xml: ___, ...was } = before[place] ?? {};
        expect(await editing.stored(doi)).toMatchObject(was);
      }
      const again = await editing.update(path, '--restore', '--yes');
      expect([again.code, again.puts]).toEqual([0, []]);
    },
  );

  it('takes back its own edits, after which the file can be sent again', async () => {
    const [doi = ''] = await editing.create(RECORD);
    const path = await editing.exported([doi], 'csv');
    edit(path, doi, { url: 'https://example.org/mine', 'creators[1].name': 'null' });
    const url = async () => (await editing.stored(doi))['url'];
    expect((await editing.update(path)).outcomes).toEqual(['updated']);
    expect((await editing.update(path, '--restore', '--yes')).outcomes).toEqual(['updated']);
    expect(await editing.stored(doi)).toMatchObject({ url: RECORD.url, creators: RECORD.creators });
    expect(existsSync(`${path}.update-ledger`)).toBe(false);
    expect((await editing.update(path)).outcomes).toEqual(['updated']);
    expect(await url()).toBe('https://example.org/mine');
  });

  it('removes values that an attribute did not have, and leaves attributes without a column', async () => {
    const { version: _, ...bare } = RECORD;
    const dois = await editing.create(bare, bare);
    const path = await editing.exported(dois, 'csv');
    editRows(path, ({ language: __, ...row }) => row);
    for (const doi of dois) await editing.theirs(doi, { version: '2', language: 'de' });
    const { puts } = await editing.update(path, '--restore', '--yes');
    expect(puts).toHaveLength(2);
    expect(puts).toEqual(expect.arrayContaining(dois.map((doi) => ({ doi, version: null }))));
    expect(await editing.stored(dois[0] ?? '')).toMatchObject({ language: 'de' });
  });

  it('of some attributes restores only those', async () => {
    const { dois, path } = await changed('csv', 'url,titles');
    const { puts } = await editing.update(path, '--restore', '--yes');
    expect(puts).toEqual([{ doi: dois[0], url: RECORD.url }]);
  });

  it('shows what would return in a dry run', async () => {
    const { path, dois } = await changed();
    const { puts, results, stderr } = await editing.update(path, '--restore', '--dry-run');
    expect(puts).toEqual([]);
    expect(results[0]).toMatchObject({
      doi: dois[0],
      outcome: 'valid',
      changes: [
        { path: 'url', before: 'https://example.org/new', after: RECORD.url },
        { path: 'version', before: '9', after: '1' },
      ],
    });
    expect(stderr).toContain('2 would change');
  });

  it('continues after it was killed', async () => {
    const { path, dois, before } = await changed();
    await editing.killed(path, { at: 1, isCarriedOut: true, method: 'PUT' }, '--restore', '--yes');
    const { code } = await editing.update(path, '--restore', '--yes');
    expect(code).toBe(0);
    for (const [place, doi] of dois.entries())
      expect(await editing.stored(doi)).toMatchObject({
        url: before[place]?.['url'],
        creators: before[place]?.['creators'],
      });
  });
});

describe('--restore is refused, and nothing is sent,', () => {
  it('without --yes where nobody can be asked', async () => {
    const { path } = await changed();
    const { code, requests, stderr } = await editing.update(path, '--restore');
    expect([code, requests, stderr]).toEqual([2, 0, expect.stringContaining('--yes')]);
  });

  it.each([
    [
      'rows without columns of attributes',
      ({ doi = '', exported = '' }: Record<string, string>) => ({ doi, exported }),
    ],
    ['rows without exported values', ({ exported: _, ...row }: Record<string, string>) => row],
    [
      'one row without them',
      (row: Record<string, string>, at = 0) => (at ? row : { ...row, exported: '' }),
    ],
  ])('for %s', async (_, change) => {
    const { path } = await changed();
    editRows(path, change);
    const { code, requests, stderr } = await editing.update(path, '--restore', '--yes');
    expect([code, requests, stderr]).toEqual([2, 0, expect.stringContaining('--format csv')]);
  });

  it('for an export as NDJSON', async () => {
    const dois = await editing.create(RECORD, RECORD);
    const path = await editing.exported(dois, 'ndjson');
    const text = readFileSync(path, 'utf8');
    const { code, requests } = await editing.update(path, '--restore', '--yes');
    expect([code, requests, readFileSync(path, 'utf8')]).toEqual([2, 0, text]);
  });

  it.each([['--set', 'language=de'], ['--overwrite'], ['--event', 'publish']])(
    'beside %s',
    async (...options) => {
      const { path } = await changed();
      const { code, requests } = await editing.update(path, '--restore', '--yes', ...options);
      expect([code, requests]).toEqual([2, 0]);
    },
  );

  it('without a file', async () => {
    const { code, stderr } = await editing.emulator.run(['dois', 'update', '--restore']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--file <export>')]);
  });
});
