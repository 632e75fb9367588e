import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { READ_ONLY } from '../../../../src/api/record-match.ts';
import { emulate } from '../../../helpers/emulator.ts';

interface Recorded {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const recorded = ['dois-2024.json', 'dois-page-1-2020.json'].flatMap(
  (file) =>
    (JSON.parse(readFileSync(`test/fixtures/${file}`, 'utf8')) as { data: Recorded[] }).data,
);

/** The name of an organization, which is a name alone or an object (service.md, F9). */
const nameOf = (value: unknown) =>
  typeof value === 'object' && value !== null && 'name' in value ? value.name : value;

/** The attributes of a recorded record that a client can write, except its DOI. */
const ownNames = ({ attributes }: Recorded) =>
  Object.keys(attributes).filter((name) => name !== 'doi' && !READ_ONLY.has(name));
/**
 * The attributes as the service spells them today. Some recorded ones are older: degrees are
 * numbers now, rights are completed from SPDX, people have both of their lists, a source is never
 * null, and neither a DOI nor the address is among the identifiers. Organizations are compared by
 * their names, as lists were recorded.
 */
const only = ({ attributes }: Recorded, names: readonly string[]) => {
  const today = (name: string) => {
    const value = attributes[name];
    if (name === 'geoLocations') {
      const degree = (key: string, one: unknown) =>
        /L(?:at|ong)itude$/.test(key) ? Number(one) : one;
      return JSON.parse(JSON.stringify(value), degree) as unknown;
    }
    if (/^(creators|contributors)$/.test(name)) {
      return (value as { affiliation?: unknown[] }[]).map(({ affiliation = [], ...person }) => ({
        nameIdentifiers: [],
        ...person,
        affiliation: affiliation.map(nameOf),
      }));
    }
    if (name === 'publisher') return nameOf(value);
    if (name === 'rightsList') return (value as { rights?: string }[]).map(({ rights }) => rights);
    if (name === 'contentUrl') return value ?? [];
    if (name === 'source') return value ?? 'api';
    if (name !== 'identifiers') return value;
    return (value as { identifier: string; identifierType: string }[]).filter(
      ({ identifier, identifierType }) =>
        identifierType !== 'DOI' && identifier !== attributes['url'],
    );
  };
  return Object.fromEntries(names.map((name) => [name, today(name)]));
};

/**
 * Recorded lists hold affiliations as names, which the service drops when they are sent
 * (service.md, S1).
 */
function withObjects(record: Recorded): Recorded {
  const people = (value: unknown) =>
    Array.isArray(value)
      ? value.map((person: { affiliation?: unknown[] }) => ({
          ...person,
          affiliation: person.affiliation?.map((name) =>
            typeof name === 'string' ? { name } : name,
          ),
        }))
      : value;
  const { creators, contributors } = record.attributes;
  const attributes = {
    ...record.attributes,
    creators: people(creators),
    contributors: people(contributors),
  };
  return { ...record, attributes };
}

describe('a recorded record', () => {
  it('loses nothing but what an edit takes away, and takes that away (service.md, W16)', async () => {
    const { run } = await emulate({ records: 0 });
    const edited = {
      contributors: null,
      subjects: null,
      descriptions: null,
      titles: [{ title: 'Edited' }],
    };
    for (const [index, record] of recorded.slice(0, 8).entries()) {
      const doi = `10.5072/edit-${index}`;
      const stdin = JSON.stringify({
        ...record,
        id: doi,
        attributes: { ...record.attributes, doi },
      });
      await run(['dois', 'create', '--file', '-', '--event', 'publish'], { stdin });
      const read = async () =>
        (JSON.parse((await run(['dois', 'get', doi])).stdout) as Recorded).attributes;
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
      for (const name of ['contributors', 'subjects', 'descriptions'])
        expect(after[name] ?? []).toEqual([]);
    }
  });
  it('goes through create, get and update unchanged', async () => {
    const { run } = await emulate({ records: 0 });
    expect(recorded.length).toBeGreaterThan(50);
    for (const [index, record] of recorded.entries()) {
      const doi = `10.5072/copy-${index}`;
      const copy = { ...record, id: doi, attributes: { ...record.attributes, doi } };
      const create = ['dois', 'create', '--file', '-', '--event', 'publish'];
      const made = await run(create, { stdin: JSON.stringify(withObjects(copy)) });
      expect(made, `${record.id}: ${made.stderr}`).toMatchObject({ code: 0 });
      const got = await run(['dois', 'get', doi, '--format', 'ndjson']);
      const first = JSON.parse(got.stdout) as Recorded;
      const names = ownNames(record);
      expect(only(first, names), record.id).toEqual(only(record, names));
      expect(first).toMatchObject({ id: doi, attributes: { state: 'findable' } });

      // The output of get can be sent back. As it is it would not be sent.
      const { attributes, ...back } = withObjects(first);
      const stdin = JSON.stringify({ ...back, attributes: { ...attributes, version: 'edited' } });
      const update = await run(['dois', 'update', '--file', '-'], { stdin });
      expect(update, record.id).toMatchObject({ code: 0 });
      // An update sets the version of the schema where there was none.
      const same = names.filter((name) => name !== 'schemaVersion' && name !== 'version');
      expect(only(JSON.parse(update.stdout), same), record.id).toEqual(only(record, same));
    }
  });
});
