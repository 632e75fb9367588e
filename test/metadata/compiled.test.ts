// The program checks records with code that ajv made of the schema (scripts/validators.mjs). Here ajv itself checks the
// same records by the same schema, and must find the same.
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it, vi } from 'vitest';
import { checkRecord as checkCompiled } from '../../src/metadata/check.ts';
import { COMPLETE_RECORD } from '../helpers/records.ts';

const lines = (file: string) =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { attributes: object }).attributes);
const pages = ['test/fixtures/dois-2024.json', 'test/fixtures/dois-page-1-2020.json'].flatMap((file) =>
  (JSON.parse(readFileSync(file, 'utf8')) as { data: { attributes: object }[] }).data.map(
    ({ attributes }) => attributes,
  ),
);
const RECORDS = [
  COMPLETE_RECORD,
  ...pages,
  ...lines('test/fixtures/examples/kernel-4.ndjson'),
  ...lines('bench/records.ndjson'),
];

/** Those that are damaged in each place. */
const SOME = RECORDS.filter((_, index) => index % 50 === 0);

const KERNELS = ['http://datacite.org/schema/kernel-4', 'http://datacite.org/schema/kernel-4.6'];

const NEW_IN_4_7 = {
  types: { resourceTypeGeneral: 'Poster' },
  relatedIdentifiers: [
    { relatedIdentifier: '1', relatedIdentifierType: 'RAiD', relationType: 'Other' },
    {
      relatedIdentifier: '1',
      relatedIdentifierType: 'DOI',
      relationType: 'Cites',
      relationTypeInformation: 'a',
    },
    {
      relatedIdentifier: '1',
      relatedIdentifierType: 'DOI',
      relationType: 'Cites',
      relationTypeInformation: 7,
    },
  ],
  relatedItems: [
    { relatedItemType: 'Presentation', relationType: 'Other', titles: [], relationTypeInformation: 'a' },
  ],
};

type Formats = Readonly<Record<string, (text: string) => boolean>>;

async function interpreting(): Promise<typeof checkCompiled> {
  const validator = ($defs: object, formats: Formats) => {
    const ajv = new Ajv2020({ allErrors: true, verbose: true, strict: false, messages: false, formats });
    ajv.addSchema({ $defs }, 'datacite');
    return ajv.compile({ $ref: 'datacite#/$defs/attributes' });
  };
  vi.resetModules();
  vi.doMock('../../src/metadata/schema/attributes.js', () => ({ validator }));
  return (await import('../../src/metadata/check.ts')).checkRecord;
}

/** Copies of a value, each with another kind of value at one place in it, or without what is there. */
function* damaged(value: unknown): Generator<unknown> {
  yield* [undefined, null, 7, -1e9, '', 'x'.repeat(300), true, {}, [], { x: 1 }, [null]];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    for (const other of damaged(part)) {
      yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
    }
  }
}

it('finds what ajv finds in every recorded record and example, and in damaged ones', async () => {
  const checkInterpreted = await interpreting();
  expect(checkInterpreted).not.toBe(checkCompiled);
  let found = 0;
  const compare = (attributes: unknown) => {
    const findings = checkCompiled(attributes, 'findable');
    found += findings.length;
    const expected = checkInterpreted(attributes, 'findable');
    // Twenty times as fast as the matcher, which is for the message.
    if (!isDeepStrictEqual(findings, expected))
      expect(findings, JSON.stringify(attributes)).toEqual(expected);
  };
  for (const schemaVersion of KERNELS) {
    for (const record of RECORDS) compare({ ...record, schemaVersion });
    for (const record of [NEW_IN_4_7, { ...COMPLETE_RECORD, ...NEW_IN_4_7 }, ...SOME]) {
      for (const attributes of damaged({ ...record, schemaVersion })) compare(attributes);
    }
  }
  expect(found).toBeGreaterThan(10_000);
});
