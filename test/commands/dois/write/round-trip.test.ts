import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { READ_ONLY } from '../../../../src/api/record-match.ts';
import { emulate } from '../../../helpers/emulator.ts';

interface Recorded {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const recorded = ['dois-2024.json', 'dois-page-1-2020.json'].flatMap(
  (file) => (JSON.parse(readFileSync(`test/fixtures/${file}`, 'utf8')) as { data: Recorded[] }).data,
);

/** The attributes of a recorded record that a client can write, except its DOI. */
const ownNames = ({ attributes }: Recorded) =>
  Object.keys(attributes).filter((name) => name !== 'doi' && !READ_ONLY.has(name));
const only = ({ attributes }: Recorded, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, attributes[name]]));

describe('a recorded record', () => {
  it('loses nothing but what an edit takes away, and takes that away (service.md, W16)', async () => {
    const { run } = await emulate({ records: 0 });
    const edited = { contributors: null, subjects: null, descriptions: null, titles: [{ title: 'Edited' }] };
    for (const [index, record] of recorded.slice(0, 8).entries()) {
      const doi = `10.5072/edit-${index}`;
      const stdin = JSON.stringify({ ...record, id: doi, attributes: { ...record.attributes, doi } });
      await run(['dois', 'create', '--file', '-', '--event', 'publish'], { stdin });
      const read = async () =>
        (JSON.parse((await run(['dois', 'get', doi, '--affiliation'])).stdout) as Recorded).attributes;
      const before = await read();
      const back = { id: doi, type: 'dois', attributes: { ...before, ...edited } };
      const update = await run(['dois', 'update', '--file', '-'], { stdin: JSON.stringify(back) });
      expect(update, record.id).toMatchObject({ code: 0 });
      const after = await read();
      const others = ownNames(record).filter((name) => !(name in edited) && name !== 'xml');
      expect(only({ ...record, attributes: after }, others)).toEqual(
        only({ ...record, attributes: before }, others),
      );
      expect(after['titles']).toEqual(edited.titles);
      for (const name of ['contributors', 'subjects', 'descriptions']) expect(after[name] ?? []).toEqual([]);
    }
  });
  it('goes through create, get and update unchanged', { timeout: 60_000 }, async () => {
    const { run } = await emulate({ records: 0 });
    expect(recorded.length).toBeGreaterThan(50);
    for (const [index, record] of recorded.entries()) {
      const doi = `10.5072/copy-${index}`;
      const copy = { ...record, id: doi, attributes: { ...record.attributes, doi } };
      const create = ['dois', 'create', '--file', '-', '--event', 'publish'];
      const made = await run(create, { stdin: JSON.stringify(copy) });
      expect(made, record.id).toMatchObject({ code: 0 });
      const got = await run(['dois', 'get', doi, '--format', 'ndjson']);
      const first = JSON.parse(got.stdout) as Recorded;
      const names = ownNames(record);
      expect(only(first, names), record.id).toEqual(only(record, names));
      expect(first).toMatchObject({ id: doi, attributes: { state: 'findable' } });

      // The output of get can be sent back unchanged.
      const update = await run(['dois', 'update', '--file', '-'], { stdin: got.stdout });
      expect(update, record.id).toMatchObject({ code: 0 });
      expect(only(JSON.parse(update.stdout), names), record.id).toEqual(only(record, names));
    }
  });
});
