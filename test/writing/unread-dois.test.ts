import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseRecord } from '../../src/formats/json/read.ts';
import { unreadDois } from '../../src/writing/unread-dois.ts';
import { emulate } from '../helpers/emulator.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const RANDOM = /^10\.5072\/\w{4}-\w{4}-\w{4}$/;
const TITLES = { titles: [{ title: 'Depth' }] };
const DOI = '10.5072/h1';
const dataset = (attributes: object, ...more: readonly object[]) =>
  Object.assign({ type: 'dois', attributes: { ...TITLES, ...attributes } }, ...more);
const xmlOf = (identifier: string, ...more: readonly string[]) =>
  `<resource xmlns="http://datacite.org/schema/kernel-4">${identifier}<titles><title>Depth</title></titles>${more.join('')}</resource>`;
const base64 = (text: string) => Buffer.from(text).toString('base64');
const alternate = (type: string) =>
  `<alternateIdentifiers><alternateIdentifier alternateIdentifierType="${type}">${DOI}</alternateIdentifier></alternateIdentifiers>`;

/** Records that name a DOI where it is not read, and the path in the error. */
const UNREAD: readonly (readonly [record: object, path: string])[] = [
  ...['DOI', 'Doi', 'dois', '_doi', 'identifier', 'Identifier', 'ID', 'id'].map(
    (name) => [{ ...TITLES, [name]: DOI }, name] as const,
  ),
  [{ ...TITLES, 'doi ': DOI }, '["doi "]'],
  [{ ...TITLES, '@id': `https://doi.org/${DOI}` }, '["@id"]'],
  [{ ...TITLES, identifier: { identifier: DOI, identifierType: 'DOI' } }, 'identifier'],
  [{ ...TITLES, DOI: { value: 'h1' } }, 'DOI'],
  [{ ...TITLES, persistentIdentifier: `https://doi.org/${DOI}` }, 'persistentIdentifier'],
  [{ ...TITLES, pids: [{ scheme: 'doi', value: 'h1' }] }, 'pids[0]'],
  [{ ...TITLES, metadata: { doi: DOI } }, 'metadata.doi'],
  [{ [DOI]: TITLES }, `["${DOI}"]`],
  [{ ...TITLES, identifiers: [{ identifier: DOI, identifierType: 'DOI' }] }, 'identifiers[0]'],
  [{ ...TITLES, identifiers: [{ identifier: 'h1', identifierType: 'doi' }] }, 'identifiers[0]'],
  [{ ...TITLES, identifiers: { identifier: DOI, identifierType: 'DOI' } }, 'identifiers'],
  [{ ...TITLES, identifiers: [DOI] }, 'identifiers[0]'],
  [{ ...TITLES, identifiers: [{ identifier: `doi:${DOI}` }] }, 'identifiers[0].identifier'],
  [
    {
      ...TITLES,
      alternateIdentifiers: [{ alternateIdentifier: DOI, alternateIdentifierType: 'DOI' }],
    },
    'alternateIdentifiers[0]',
  ],
  [{ ...TITLES, suffix: 7 }, 'suffix'],
  [{ ...TITLES, suffix: DOI }, 'suffix'],
  [{ ...TITLES, prefix: '10.5072', suffix: ['h1'] }, 'suffix'],
  [{ ...TITLES, Suffix: 'h1' }, 'Suffix'],
  [{ ...TITLES, prefix: ['10.5072'] }, 'prefix'],
  [
    { ...TITLES, prefix: '10.5072', suffix: 'a', identifiers: [{ identifier: DOI }] },
    'identifiers[0].identifier',
  ],
  [{ ...TITLES, Prefix: '10.5072', suffix: 'a' }, 'Prefix'],
  [{ ...TITLES, id: 7 }, 'id'],
  [dataset({}, { doi: DOI }), 'doi'],
  [dataset({}, { id: [DOI] }), 'id'],
  [dataset({}, { id: { value: DOI } }), 'id'],
  [dataset({}, { suffix: 'h1' }), 'suffix'],
  [dataset({ id: DOI }), 'id'],
  [dataset({ attributes: { doi: DOI } }), 'attributes.doi'],
  [{ data: dataset({}, { doi: DOI }) }, 'data.doi'],
  [{ data: dataset({}), doi: DOI }, 'doi'],
  [{ data: dataset({}), id: DOI }, 'id'],
  [{ data: dataset({}, { identifiers: [{ identifier: DOI }] }) }, 'data.identifiers[0].identifier'],
  [
    { xml: base64(xmlOf(`<identifier identifierType="DOI">${DOI}</identifier>`)) },
    'resource/identifier',
  ],
];

/** More options of commands. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  create: ['--no-validate', '--prefix', '10.5072'],
  update: ['--no-validate'],
  delete: ['--yes'],
};

describe('a record that names a DOI, or a part of one, where it is not read', () => {
  it.each(UNREAD)('is refused in each form: %j', async (record, path) => {
    const { run, log } = await emulate({ records: 0 });
    const folder = temporaryDirectory();
    const text = JSON.stringify(record);
    const good = JSON.stringify({ ...TITLES, doi: '10.5072/good' });
    const forms = {
      'one.json': JSON.stringify(record, undefined, 2),
      'lines.ndjson': `${good}\n${text}\n`,
      'list.json': `[${good},\n${text}]`,
    };
    const message = expect.stringContaining(
      `: ${path} names a DOI, or a part of one, where it is not read`,
    );
    const prefix = ['--prefix', '10.5072'];
    for (const [name, content] of Object.entries(forms)) {
      const file = join(folder, name);
      writeFileSync(file, content);
      const create = ['dois', 'create', '--file', file];
      const ways = [create, [...create, ...prefix], [...create, ...prefix, '--no-validate']];
      for (const argv of [...ways, [...create, ...prefix, '--dry-run']])
        expect(await run(argv)).toMatchObject({ code: 2, stdout: '', stderr: message });
      expect(await run(['dois', 'update', '--file', file])).toMatchObject({
        code: 2,
        stderr: message,
      });
    }
    expect(await run(['dois', 'create', '--file', '-', ...prefix], { stdin: text })).toMatchObject({
      code: 2,
      stderr: message,
    });
    expect(await log()).toEqual([]);
    expect(await run(['dois', 'validate', '--file', '-'], { stdin: text })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('where it is not read'),
    });
  });

  it.each([
    ['alternateIdentifiers', xmlOf('', alternate('DOI')), /alternateIdentifier\[1\] names a DOI/],
    [
      'a placeholder and alternateIdentifiers',
      xmlOf('<identifier identifierType="DOI">(:tba)</identifier>', alternate('Handle')),
      /alternateIdentifier\[1\] names a DOI.*\nhint: write it as <identifier /,
    ],
    ['no DOI', xmlOf('<identifier>10.5072/h 1</identifier>'), /its identifier is no DOI: '10/],
    ['two DOIs', xmlOf(`<identifier>${DOI} ${DOI}2</identifier>`), /identifier .* several DOIs/],
    ['a dot', xmlOf(`<identifier>${DOI}.</identifier>`), /identifier .* write 10\.5072\/h1/],
    ['a handle', xmlOf('<identifier>20.500.12/h1</identifier>'), /its identifier is no DOI/],
    ['a name', xmlOf(`<Identifier>${DOI}</Identifier>`), /resource\/Identifier names a DOI/],
    ['a short name', xmlOf(`<doi>${DOI}</doi>`), /resource\/doi names a DOI/],
    [
      'a namespace',
      xmlOf(`<x:identifier xmlns:x="y">${DOI}</x:identifier>`),
      /resource\/identifier names a DOI/,
    ],
  ])('is refused as XML: %s', async (_, stdin, stderr) => {
    const { run, log } = await emulate({ records: 0 });
    const folder = temporaryDirectory();
    writeFileSync(join(folder, 'r.xml'), stdin);
    for (const file of ['-', folder])
      for (const more of [[], ['--no-validate']]) {
        const argv = ['dois', 'create', '--file', file, '--prefix', '10.5072', ...more];
        expect(await run(argv, { stdin })).toMatchObject({ code: 2, stdout: '', stderr });
      }
    expect(await log()).toEqual([]);
    const { code } = await run(['dois', 'validate', '--file', '-'], { stdin });
    expect(code).toBeGreaterThan(0);
  });

  it.each([
    ['id', DOI, 'id names'],
    ['id', '7', 'id names'],
    ['identifiers[0].identifier', DOI, 'identifiers[0].identifier names'],
    ['alternateIdentifiers', `[{""alternateIdentifier"":""${DOI}""}]`, 'alternateIdentifiers[0]'],
    ['doi', `{""value"":""${DOI}""}`, 'column doi'],
    ['suffix', DOI, 'suffix names'],
  ])('is refused in a column %s', async (column, cell, message) => {
    const { run, log } = await emulate({ records: 0 });
    for (const delimiter of [',', '\t']) {
      const rows = [
        ['titles[0].title', column],
        ['Depth', `"${cell}"`],
      ];
      const stdin = rows.map((cells) => `${cells.join(delimiter)}\n`).join('');
      for (const more of [[], ['--no-validate']]) {
        const argv = ['dois', 'create', '--file', '-', '--prefix', '10.5072', ...more];
        expect(await run(argv, { stdin })).toMatchObject({
          code: 2,
          stdout: '',
          stderr: expect.stringContaining(message),
        });
      }
    }
    expect(await log()).toEqual([]);
  });

  it.each([[{ value: DOI }], [[DOI]], [[]], [10.5072], [false], [' ']])(
    'is refused by each command where its doi is %j',
    async (doi) => {
      const { run, log } = await emulate({ records: 0 });
      const named = { id: '10.5072/other', type: 'dois', attributes: { ...TITLES, doi } };
      for (const record of [{ ...TITLES, prefix: '10.5072', doi }, named])
        for (const command of [
          'create',
          'update',
          'publish',
          'register',
          'hide',
          'delete',
          'validate',
        ]) {
          const stdin = JSON.stringify(record);
          const more = MORE[command] ?? [];
          const argv = ['dois', command, '--file', '-', ...more];
          const result = await run(argv, { stdin });
          expect([command, result.code]).toEqual([command, 2]);
          expect(`${result.stdout}${result.stderr}`).toContain('its doi is not text');
        }
      expect((await log()).filter(({ method }) => method !== 'GET')).toEqual([]);
    },
  );
});

describe('a record without a DOI gets a suffix', () => {
  const related = { relatedIdentifier: DOI, relatedIdentifierType: 'DOI', relationType: 'Cites' };
  const local = { identifier: 'h1', identifierType: 'Local' };
  it.each([
    TITLES,
    { ...TITLES, doi: null, id: null, suffix: null },
    { ...TITLES, relatedIdentifiers: [related] },
    { ...TITLES, identifiers: [local, { identifier: '', identifierType: 'DOI' }] },
    { ...TITLES, url: 'https://doi.org/10.5072/other', subjects: [{ subject: DOI }] },
    { ...TITLES, container: { identifier: DOI, identifierType: 'DOI' }, dio: { is: 'known' } },
    dataset({}, { id: '', relationships: { references: { data: [{ id: DOI, type: 'dois' }] } } }),
  ])('%j', async (record) => {
    const { run } = await emulate({ records: 0 });
    const stdin = JSON.stringify(record);
    const made = await run(['dois', 'create', '--file', '-', '--prefix', '10.5072'], { stdin });
    expect(made, made.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(made.stdout).id).toMatch(RANDOM);
  });

  it.each([':tba', '(:unav)', '10.5072/', 'N/A'])('XML with the placeholder %s', async (text) => {
    const { run } = await emulate({ records: 0 });
    const stdin = xmlOf(`<identifier identifierType="DOI">${text}</identifier>`);
    const made = await run(['dois', 'create', '--file', '-', '--prefix', '10.5072'], { stdin });
    expect(JSON.parse(made.stdout).id).toMatch(RANDOM);
  });
});

it('records of the service without their DOI name none', () => {
  const { data } = JSON.parse(readFileSync('test/fixtures/dois-2024.json', 'utf8')) as {
    data: { id: string; attributes: Record<string, unknown> }[];
  };
  expect(data.length).toBeGreaterThan(40);
  for (const { id: _, attributes, ...others } of data) {
    const { doi: __, ...rest } = attributes;
    const text = JSON.stringify({ data: { type: 'dois', ...others, attributes: rest } });
    expect(unreadDois(parseRecord(text, 'r.json'))).toEqual([]);
  }
});

describe('a record with a DOI keeps it', () => {
  it.each([
    { identifiers: [{ identifier: '10.5072/other', identifierType: 'DOI' }] },
    { id: 7, DOI: 'x' },
    { suffix: 'other', prefix: '10.9999' },
    { suffix: 7, prefix: 8 },
    { xml: base64(xmlOf('<identifier identifierType="DOI">10.5072/other</identifier>')) },
  ])('next to %j', async (others) => {
    const { run } = await emulate({ records: 0 });
    const stdin = JSON.stringify({ ...TITLES, doi: DOI, ...others });
    const argv = ['dois', 'create', '--file', '-', '--no-validate'];
    const made = await run(argv, { stdin });
    expect(made, made.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(made.stdout)).toMatchObject({ id: DOI });
  });

  it.each(['identifierType="Handle"', ''])('in XML with an identifier %s', async (type) => {
    const { run } = await emulate({ records: 0 });
    const stdin = xmlOf(`<identifier ${type}>${DOI}</identifier>`, alternate('DOI'));
    const argv = ['dois', 'create', '--file', '-', '--prefix', '10.5072'];
    const made = await run(argv, { stdin });
    expect(JSON.parse(made.stdout)).toMatchObject({ id: DOI });
  });
});

it.each(['DOI number', 'record doi', 'DOIs'])(
  'a column %j is never hinted to be left out',
  async (head) => {
    const { run } = await emulate({ records: 0 });
    const file = join(temporaryDirectory(), 'r.csv');
    writeFileSync(file, `${head},titles[0].title,Note\n${DOI},Depth,x\n`);
    const made = await run(['dois', 'create', '--file', file, '--prefix', '10.5072']);
    expect([made.code, made.stdout]).toEqual([2, '']);
    expect(made.stderr).toMatch(/=doi/);
    expect(made.stderr).not.toContain('leaves that column out');
  },
);
