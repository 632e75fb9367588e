import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Edit } from '../../../helpers/edit-oracle.ts';
import { FILE_FORMATS, type Round, Scenario } from '../../../helpers/edit-scenario.ts';
import { Editing } from '../../../helpers/editing.ts';
import { runs } from '../../../helpers/runs.ts';
import { HABITS } from '../../../helpers/spreadsheet-habits.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

/** EDITING_SEED=… edits the same files again. */
const SEED = process.env['EDITING_SEED'];

const pick = fc.nat({ max: 3 });
const edit = (...kinds: Edit['kind'][]) =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    record: fc.nat({ max: 2 }),
    of: fc.nat({ max: 9 }),
    pick,
  }) as fc.Arbitrary<Edit>;
const KINDS = ['single', 'single', 'given', 'rename', 'remove', 'add'] as const;
const ROUND: fc.Arbitrary<Round> = fc.record({
  isNew: fc.boolean(),
  theirs: fc.array(edit(...KINDS, 'turn'), { maxLength: 3 }),
  mine: fc.array(edit(...KINDS), { maxLength: 4 }),
  kill: fc.option(fc.record({ at: fc.integer({ min: 1, max: 8 }), isCarriedOut: fc.boolean() }), {
    nil: undefined,
  }),
  between: fc.array(edit(...KINDS), { maxLength: 1 }),
  habits: fc.subarray([...HABITS]),
});
const SCENARIO = fc.record({
  format: fc.constantFrom(...FILE_FORMATS),
  people: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }),
  rounds: fc.array(ROUND, { minLength: 1, maxLength: 3 }),
});

let editing: Editing;
beforeAll(async () => {
  editing = await Editing.start(afterAll);
});

it('edits of files and of colleagues, in any order, with kills and new exports, lose nothing', async () => {
  await fc.assert(
    fc.asyncProperty(SCENARIO, ({ format, people, rounds }) =>
      new Scenario(editing, format).run(people, rounds),
    ),
    { numRuns: runs(15), ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
  );
});

interface Version {
  readonly title: string;
  readonly version: string;
  readonly people: readonly string[];
}
const VERSION: fc.Arbitrary<Version> = fc.record({
  title: fc.constantFrom('Lake', 'Sea', 'River'),
  version: fc.constantFrom('1', '2', '3'),
  people: fc.uniqueArray(fc.constantFrom('A', 'B', 'C'), { minLength: 1 }),
});

const attributesOf = ({ title, version, people }: Version) => ({
  titles: [{ title }],
  version,
  creators: people.map((name) => ({ name })),
});

const xmlOf = (doi: string, { title, version, people }: Version) =>
  `<resource xmlns="http://datacite.org/schema/kernel-4">
<identifier identifierType="DOI">${doi}</identifier>
<creators>${people.map((name) => `<creator><creatorName>${name}</creatorName></creator>`).join('')}</creators>
<titles><title>${title}</title></titles><publisher>P</publisher>
<publicationYear>2024</publicationYear><resourceType resourceTypeGeneral="Dataset"/>
<version>${version}</version></resource>`;

it('XML, which cannot say what was read, replaces the values of a colleague with a note', async () => {
  await fc.assert(
    fc.asyncProperty(fc.tuple(VERSION, VERSION, VERSION), async ([base, mine, theirs]) => {
      const common = {
        publisher: { name: 'P' },
        publicationYear: 2024,
        types: { resourceTypeGeneral: 'Dataset' },
      };
      const [doi = ''] = await editing.create({ ...common, ...attributesOf(base) });
      const path = join(temporaryDirectory(), 'edited.xml');
      writeFileSync(path, xmlOf(doi, mine));
      await editing.theirs(doi, { ...attributesOf(theirs), url: 'https://example.org/theirs' });
      const { code, stderr } = await editing.update(path);
      expect(code, stderr).toBe(0);
      expect(stderr).toMatch(/each value that differs from its record replaces it/);
      const url = 'https://example.org/theirs';
      expect(await editing.stored(doi)).toMatchObject({ ...attributesOf(mine), url });
    }),
    { numRuns: runs(10) },
  );
});
