import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Cell,
  type Column,
  columnNamed,
  columnsFor,
} from '../../../src/formats/spreadsheet/column.ts';
import { rowChanges } from '../../../src/formats/spreadsheet/row.ts';
import { cellIn } from '../../../src/formats/spreadsheet/value.ts';
import { runs } from '../../helpers/runs.ts';

const examples = readFileSync('test/fixtures/examples/kernel-4.ndjson', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { examples: string[]; attributes: Record<string, unknown> })
  .map(({ examples: [name = ''], attributes }) => [name, attributes] as const);

const cellsOf = (attributes: object, columns: readonly Column[] = columnsFor(undefined)): Cell[] =>
  columns.map((column) => ({ column, cell: cellIn(attributes, column) }));

/** The cells of a row as typed: names and texts. */
const row = (cells: Record<string, string>): Cell[] =>
  Object.entries(cells).map(([name, cell]) => {
    const column = columnNamed(name);
    if (column === undefined) throw new Error(name);
    return { column, cell };
  });

const changes = (cells: Record<string, string>, stored?: Record<string, unknown>) => {
  const { attributes, findings } = rowChanges(row(cells), stored);
  return {
    ...attributes,
    ...(findings.length === 0 ? {} : { findings: findings.map((f) => `${f.path}: ${f.message}`) }),
  };
};

describe('the standard columns', () => {
  it.each(examples)('of %s change nothing when they are sent back', (_, attributes) => {
    expect(rowChanges(cellsOf(attributes), attributes)).toEqual({ attributes: {}, findings: [] });
  });

  it.each(examples)('of %s make a record with the same columns', (_, attributes) => {
    const cells = cellsOf(attributes);
    const { attributes: made, findings } = rowChanges(cells, undefined);
    expect(findings).toEqual([]);
    const again = cellsOf({
      ...attributes,
      ...Object.fromEntries(Object.keys(attributes).map((name) => [name, made[name]])),
    });
    const compared = (all: Cell[]) =>
      all
        .filter(({ column: { name, types } }) => types.length > 0 && name !== 'doi')
        // An ORCID gets its resolver, and a new text has no blanks around it.
        .map(({ column, cell }) => [column.name, cell.replace('https://orcid.org/', '').trim()]);
    expect(compared(again)).toEqual(compared(cells));
  });
});

const orcid = (id: string) => ({
  nameIdentifier: `https://orcid.org/${id}`,
  nameIdentifierScheme: 'ORCID',
});
const MIT = {
  affiliationIdentifier: 'https://ror.org/042nb2s44',
  affiliationIdentifierScheme: 'ROR',
  schemeUri: 'https://ror.org',
};
const isni = { nameIdentifier: '0000000134596520', nameIdentifierScheme: 'ISNI' };
const jane = {
  name: 'Doe, Jane',
  nameType: 'Personal',
  nameIdentifiers: [isni, orcid('0000-0002-1825-0097')],
  affiliation: [{ ...MIT, name: 'CERN' }],
};
const richard = { name: 'Roe, Richard', affiliation: [{ name: 'MIT' }, { name: 'ETH' }] };
const edgar = { name: 'Poe, Edgar', lang: 'en' };
const people = (...creators: object[]) => ({ creators });
const persons = people(jane, richard, edgar);
const titles = (...titles: object[]) => ({ titles });
const one = { title: 'One', lang: 'en' };
const sub = { title: 'Two', titleType: 'Subtitle' };
const two = titles(one, sub);

const RECORD = { state: 'draft', created: '2023-01-01T00:00:00.000Z' };

const FUNDED = { fundingReferences: [{ funderName: 'F', awardNumber: '287465' }] };

const wei = { name: 'Wang, Wei', nameIdentifiers: [orcid('1')] };
const other = { name: 'Wang, Wei', affiliation: [{ name: 'B' }] };
const last = { name: 'X' };
const namesakes = people(wei, other, last);
const POINT = { geoLocationPoint: { pointLatitude: 1, pointLongitude: 2 } };

describe('a row', () => {
  type Row = [
    cells: Record<string, string>,
    stored: Record<string, unknown> | undefined,
    expected: object,
  ];
  const orcidCell = (cell: string) => ({ 'creators[0].orcid': cell });
  const year = (publicationYear: number) => ({ publicationYear });
  const rows: Record<string, Row> = {
    'leaves alone what is empty': [{ url: '', 'titles[0].title': '' }, two, {}],
    'changes one value': [{ 'titles[1].title': 'B' }, two, titles(one, { ...sub, title: 'B' })],
    'leaves no hole': [{ 'titles[4].title': 'C' }, two, titles(one, sub, { title: 'C' })],
    'takes away a value': [{ 'titles[0].lang': 'null' }, two, titles({ ...one, lang: null }, sub)],
    'takes away an item': [{ 'titles[0].title': 'null' }, two, titles(sub)],
    'takes away an attribute': [{ version: 'null' }, { version: '1' }, { version: null }],
    'has nothing to take away of a new record': [{ version: 'null' }, undefined, {}],
    'sees no blanks around a text': [{ 'titles[0].title': '\u00a0One ' }, two, {}],
    'sees no blanks around a version': [{ version: ' 1' }, { version: '1' }, {}],
    'sees no blanks of the record': [{ version: '1 ' }, { version: '1 ' }, {}],
    'takes away blanks of the record': [{ version: '1' }, { version: ' 1' }, { version: '1' }],
    'trims an address': [{ url: ' https://e.org/\u00a0' }, two, { url: 'https://e.org/' }],
    'trims a number': [{ publicationYear: ' 2026 ' }, two, { publicationYear: 2026 }],
    'trims a text behind an apostrophe': [{ version: " '1.0 " }, two, { version: '1.0' }],
    'trims a new item': [{ 'titles[2].title': '\tC\n' }, two, titles(one, sub, { title: 'C' })],
    'knows a person with a blank': [
      { 'creators[0].name': 'Doe, Jane ', 'creators[0].orcid': '' },
      persons,
      {},
    ],
    'keeps what has no column': [
      orcidCell('0000-0001-5109-3700'),
      persons,
      people({ ...jane, nameIdentifiers: [isni, orcid('0000-0001-5109-3700')] }, richard, edgar),
    ],
    'knows an ORCID in every spelling': [orcidCell('orcid.org/0000-0002-1825-0097'), persons, {}],
    'gives a person an ORCID': [
      { 'creators[2].orcid': '0000-0001-5109-3700' },
      persons,
      people(jane, richard, {
        ...edgar,
        nameIdentifiers: [{ ...orcid('0000-0001-5109-3700'), schemeUri: 'https://orcid.org' }],
      }),
    ],
    'takes an ORCID away': [
      orcidCell('null'),
      persons,
      people({ ...jane, nameIdentifiers: [isni] }, richard, edgar),
    ],
    'gives an affiliation a ROR id': [
      { 'creators[1].affiliation[0].ror': '042nb2s44' },
      persons,
      people(jane, { ...richard, affiliation: [{ ...MIT, name: 'MIT' }, { name: 'ETH' }] }, edgar),
    ],
    'makes an object of a name': [
      { 'publisher.ror': '042nb2s44' },
      { publisher: 'MIT' },
      {
        publisher: {
          name: 'MIT',
          publisherIdentifier: 'https://ror.org/042nb2s44',
          publisherIdentifierScheme: 'ROR',
          schemeUri: 'https://ror.org',
        },
      },
    ],
    'replaces the further items': [
      { 'creators[0].affiliation[1+]': '[{"name":"B"}]', 'creators[0].name': 'Doe, Jane' },
      persons,
      people({ ...jane, affiliation: [...jane.affiliation, { name: 'B' }] }, richard, edgar),
    ],
    'replaces the further items of a list': [
      { 'titles[1+]': '[{"title":"B"},{"title":"C"}]' },
      two,
      titles(one, { title: 'B' }, { title: 'C' }),
    ],
    'takes the further items away': [{ 'titles[1+]': 'null' }, two, titles(one)],
    'writes numbers as numbers': [{ publicationYear: '2026' }, year(2025), year(2026)],
    'takes the text of a number for it': [{ publicationYear: '2026' }, year(2026), {}],
    'keeps a number in a text': [{ version: '2' }, { version: '1' }, { version: '2' }],
    'knows line breaks of spreadsheets': [
      { 'titles[0].title': 'a\nb' },
      titles({ title: 'a\r\nb' }),
      {},
    ],
    'reads plain lists': [
      { 'sizes[0]': '3 MB', 'sizes[1+]': '["4 MB"]' },
      { sizes: ['2 MB'] },
      { sizes: ['3 MB', '4 MB'] },
    ],
    'ignores what only the service writes': [
      { created: '2020', updated: 'x', client: 'y', registered: '1', viewCount: '9' },
      { viewCount: 1 },
      {},
    ],
    'keeps the state of a new record': [{ state: 'findable' }, undefined, { state: 'findable' }],
    'tells two of one name apart: one is renamed': [
      { 'creators[0].name': 'Wang, Wei', 'creators[1].name': 'Wang, W.' },
      namesakes,
      people(wei, { ...other, name: 'Wang, W.' }, last),
    ],
    'tells items of one name apart: the named one is removed': [
      { 'geoLocations[0].geoLocationPlace': 'null' },
      { geoLocations: [{ geoLocationPlace: 'A' }, POINT] },
      { geoLocations: [POINT] },
    ],
  };
  it.each(Object.entries(rows))('%s', (_, [cells, stored, expected]) => {
    expect(changes(cells, stored)).toEqual(expected);
  });

  const places = (...names: string[]) =>
    Object.fromEntries(names.map((name, at) => [`creators[${at}].name`, name]));
  it.each([
    ['to the front', places('Poe, Edgar', 'Doe, Jane', 'Roe, Richard'), persons],
    ['up, when one was taken out', places('Roe, Richard', 'Poe, Edgar', ''), persons],
    ['down, when one was put in', places('New, Ann', 'Doe, Jane', 'Roe, Richard'), persons],
    ['away from one of its name', places('Wang, Wei', 'X', ''), namesakes],
    [
      'away from one of its name, without an ORCID',
      { ...places('Wang, Wei', 'X', ''), 'creators[0].orcid': '' },
      namesakes,
    ],
    [
      'away from one of its name, which loses its ORCID',
      { ...places('Wang, Wei', 'X', ''), 'creators[0].orcid': 'null' },
      namesakes,
    ],
  ])('does not guess that a person has moved %s', (_, cells, stored) => {
    const { findings } = changes(cells, stored) as unknown as { findings: string[] };
    expect(findings).toContainEqual(
      expect.stringMatching(/^creators\[\d\]\.name: belongs to another item/),
    );
  });

  it('takes out and moves whole items, however alike they are', () => {
    const one = fc.constantFrom('a', 'b', undefined);
    const item = fc
      .record({ subject: fc.constantFrom('A', 'B'), subjectScheme: one, valueUri: one })
      .map((given) =>
        Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
      );
    const lists = fc.uniqueArray(item, {
      minLength: 2,
      maxLength: 7,
      selector: (one) => JSON.stringify(one),
    });
    fc.assert(
      fc.property(lists, fc.nat(), fc.nat(), (subjects, from, to) => {
        const columns = columnsFor(['subjects']);
        // Emptying the last place removes nothing.
        const place = from % (subjects.length - 1);
        const taken = subjects[place] ?? {};
        const rest = subjects.filter((one) => one !== taken);
        const moved = rest.toSpliced(to % subjects.length, 0, taken);
        for (const wanted of [rest, moved]) {
          const { attributes, findings } = rowChanges(cellsOf({ subjects: wanted }, columns), {
            subjects,
          });
          if (findings.length === 0)
            expect({ subjects, ...attributes }).toEqual({ subjects: wanted });
        }
      }),
      { numRuns: runs(400) },
    );
  });

  it.each([
    ['titles[0].title', 'a\\nb\\tc\\\\d', { titles: [{ title: 'a\nb\tc\\d' }] }],
    ['fundingReferences[0].awardNumber', '287465.0', FUNDED],
    ['fundingReferences[0].awardNumber', '287465,0', FUNDED],
  ])('keeps what a program has respelled, and says so: %s, %s', (column, cell, stored) => {
    const { attributes, findings } = rowChanges(row({ [column]: cell }), stored, {
      isExport: true,
    });
    expect(attributes).toEqual({});
    expect(findings).toMatchObject([{ severity: 'warning', message: /the value stays/ }]);
    expect(rowChanges(row({ [column]: cell }), stored).attributes).not.toEqual({});
  });

  it('takes 2.0 as another version than 2', () => {
    const changes = rowChanges(row({ version: '2.0' }), { version: '2' }, { isExport: true });
    expect(changes).toEqual({ attributes: { version: '2.0' }, findings: [] });
  });

  it.each<[Record<string, string>, readonly string[]]>([
    [
      { 'creators[0].name': 'Roe, Rick' },
      ['creators[0].givenName', 'creators[0].familyName', 'creators[0].orcid'],
    ],
    [{ 'creators[0].name': 'Roe, Jane' }, ['creators[0].familyName']],
    [{ 'creators[0].name': 'Roe, Jane', 'creators[0].familyName': 'Roe' }, []],
    [{ 'creators[0].name': 'Doe, J.' }, []],
    [{ 'creators[0].name': 'Dr. Jane Doe' }, []],
    [{ 'publisher.name': 'Lake Laboratory' }, []],
    [{ 'publisher.name': 'Laboratory' }, ['publisher.ror']],
  ])('warns of what stays with a new name: %j', (cells, stays) => {
    const stored = {
      publisher: {
        name: 'Lake Institute',
        publisherIdentifier: 'https://ror.org/05gq02987',
        publisherIdentifierScheme: 'ROR',
      },
      creators: [
        {
          name: 'Doe, Jane',
          givenName: 'Jane',
          familyName: 'Doe',
          nameIdentifiers: [orcid('0000-0002-1825-0097')],
        },
      ],
    };
    const exported = {
      'creators[0].name': 'Doe, Jane',
      'creators[0].givenName': 'Jane',
      'creators[0].familyName': 'Doe',
      'creators[0].orcid': '0000-0002-1825-0097',
      'publisher.name': 'Lake Institute',
      'publisher.ror': '05gq02987',
    };
    const { findings } = rowChanges(row({ ...exported, ...cells }), stored, { isExport: true });
    const text = `is new, and ${new Intl.ListFormat('en').format(stays)} ${stays.length === 1 ? 'stays' : 'stay'} as before`;
    expect(findings.map(({ severity, message }) => [severity, message])).toEqual(
      stays.length === 0 ? [] : [['warning', expect.stringContaining(text)]],
    );
  });

  it('never gives one person the identifiers of another', () => {
    for (const orcid of ['', '0000-0001-5109-3700']) {
      const other = { 'creators[0].name': 'New, Ann', 'creators[0].orcid': orcid };
      const message = /^creators\[0\]\.name: is new, but other cells of its item are not/;
      expect(changes(other, persons)).toMatchObject({ findings: [expect.stringMatching(message)] });
    }
    expect(changes({ 'creators[0].name': 'Doe, J.' }, persons)).toMatchObject({
      creators: [{ ...jane, name: 'Doe, J.' }, richard, edgar],
    });
  });

  it.each([
    ...[
      ...['01.05.2024', '31.12.99', '3/4/2024', ' 03-04-2024', '12/25/2024', '5/5/24', '1-May-24'],
      ...['2024-05-01 00:00:00', '01.05.2024 0:00', '45413', '45413,5', '20240501', '2024.0'],
      ...['May 2024', '1. Mai 2024', '31/02/2024', '1-Mai-24', 'May 1 0:00'],
    ].map((cell): [Record<string, string | undefined>, RegExp] => [
      { 'dates[0].date': cell },
      /^dates\[0\]\.date: is a date as a spreadsheet spells it: write it as in 2024-05-01/,
    ]),
    [
      { 'subjects[5+]': '{"a":1}' },
      /^subjects\[5\+\]: has to be a JSON list: write \[…\] around it$/,
    ],
    [{ relatedItems: '{}' }, /has to be a JSON list/],
    [{ 'creators[0].affiliation[1+]': '{"name":"A"}' }, /has to be a JSON list/],
    [
      { 'geoLocations[0].geoLocationBox': '[1]' },
      /has to be a JSON object such as \{…\}, not a list$/,
    ],
    [{ container: '["a"]' }, /has to be a JSON object/],
    [
      { 'creators[5+]': '"x"' },
      /has to be JSON, such as \[\{…\}\]; texts .* such as creators\[5\]$/,
    ],
    [{ 'geoLocations[0].geoLocationPoint.pointLatitude': '1E-05' }, /shortens/],
    [{ 'identifiers[0].identifier': '9,78316E+12' }, /shortens a long number/],
    [{ 'titles[0].title': '1E+05' }, /shortens a long number/],
    [{ 'titles[0].title': '#NAME?' }, /error of the spreadsheet/],
    [{ 'descriptions[0].description': 'x'.repeat(32_767) }, /cut a cell/],
    [{ 'subjects[5+]': '[{"subject":"a"' }, /begins like JSON/],
    [{ 'subjects[5+]': '[{"subject":"a","subject":"b"}]' }, /the member "subject" appears twice/],
    [{ subjects: 'a; b' }, /has to be JSON.*subjects\[0\]/],
    [{ state: 'findable' }, /^state: is not the state of the record, draft/],
  ])('refuses %j', (cells, expected) => {
    const { findings = [] } = changes(cells as unknown as Record<string, string>, RECORD) as {
      findings?: string[];
    };
    expect(findings).toEqual([expected]);
  });

  it('takes a cell of a record that is as odd', () => {
    for (const created of ['2023-01-01T00:00:00Z', '', '01.05.2024', '2024-05-01 10:00']) {
      expect(changes({ created }, RECORD)).toEqual({});
    }
    for (const date of ['01.05.2024', '20240501', 'May 2024']) {
      expect(changes({ 'dates[0].date': date }, { dates: [{ date }] })).toEqual({});
    }
    for (const [cell, date] of [
      ['2024.0', '2024'],
      ['20240501', '2024-05-01'],
    ] as const) {
      const changed = row({ 'dates[0].date': cell });
      const { attributes } = rowChanges(changed, { dates: [{ date }] }, { isExport: true });
      expect(attributes).toEqual({});
    }
    expect(
      rowChanges(row({ state: 'draft' }), { state: 'findable' }, { event: 'publish' }).findings,
    ).toEqual([]);
  });
});
