import { expect, it } from 'vitest';
import type { Context } from '../../../../src/cli/context.ts';
import { kindTable } from '../../../../src/commands/dois/write/finding-kinds.ts';
import { findingAt } from '../../../../src/metadata/findings.ts';
import type { Path } from '../../../../src/text/json-values.ts';
import { Look } from '../../../../src/ui/look.ts';

/** The rows of the table about records, each with its findings. */
async function tableOf(records: readonly (readonly [path: Path, message: string])[][]) {
  let text = '';
  const context = {
    host: { now: () => 0, terminal: { stdout: false } },
    options: {},
    page: async (make: (look: Look) => string) => {
      text = make(new Look());
    },
  } as unknown as Context;
  const table = kindTable(context);
  for (const found of records) {
    const findings = found.map(([path, message]) => findingAt('error', path, { message }));
    await table.write([{ findings }]);
  }
  await table.end();
  const [, ...rows] = text.trimEnd().split('\n');
  return rows.map((row) => row.trim().split(/ {2,}/));
}

it.each([
  ['dates[].date', ["holds '2026-13', which is no month", "holds '2026-14', which is no month"]],
  ['creators[].name', ['holds "&amp;" for "&": HTML', 'holds "&lt;" for "<": HTML']],
  [
    'publicationYear',
    ['would be stored as 20, which is no year', 'would be stored as 19, which is no year'],
  ],
  ['creators[].ror', ['it would end in 03', 'it would end in 97']],
])(
  'counts findings in %s that differ in a value as one kind',
  async (path, [one = '', two = '']) => {
    const at = (index: number) =>
      path.split('[]').flatMap((step, place) => (place === 0 ? [step] : [index, step.slice(1)]));
    const rows = await tableOf([
      [[at(0), one]],
      [
        [at(0), one],
        [at(7), two],
      ],
    ]);
    expect(rows).toEqual([['2', 'error', path, expect.stringContaining('…')]]);
  },
);

it('counts the records with kinds beyond the first thousand together', async () => {
  const record = (first: number, count: number) =>
    Array.from({ length: count }, (_, at) => [[`x${first + at}`], 'is wrong'] as const);
  const rows = await tableOf([record(0, 500), record(500, 500), record(999, 3), record(2000, 1)]);
  expect(rows).toHaveLength(1001);
  expect(rows.slice(0, 3)).toEqual([
    ['2', 'error', 'x999', 'is wrong'],
    ['2', 'other findings'],
    ['1', 'error', 'x0', 'is wrong'],
  ]);
});

it('prints nothing without findings', async () => {
  expect(await tableOf([[], []])).toEqual([]);
});
