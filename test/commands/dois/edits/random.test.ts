import fc from 'fast-check';
import { afterAll, beforeAll, it } from 'vitest';
import type { Edit } from '../../../helpers/edit-oracle.ts';
import { FILE_FORMATS, type Round, Scenario } from '../../../helpers/edit-scenario.ts';
import { Editing } from '../../../helpers/editing.ts';
import { runs } from '../../../helpers/runs.ts';
import { HABITS } from '../../../helpers/spreadsheet-habits.ts';

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
