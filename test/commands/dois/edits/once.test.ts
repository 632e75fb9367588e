import { Session } from 'node:inspector/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Editing, edit, LAKE } from '../../../helpers/editing.ts';

let editing: Editing;
beforeAll(async () => {
  editing = await Editing.start(afterAll);
});

const COUNTED = ['rowChanges', 'planFor', 'recordOfRow', 'parseRecord'] as const;

/** The numbers of calls of functions during some work. */
async function callsDuring(work: () => Promise<unknown>): Promise<readonly number[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true });
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  const functions = result
    .filter(({ url }) => /src\/(writing|formats)\//.test(url))
    .flatMap((script) => script.functions);
  return COUNTED.map((name) =>
    functions
      .filter(({ functionName }) => functionName === name)
      .reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0),
  );
}

// The survey and the run read each row; where nothing was edited, a third reading compares.
it.each([
  ['csv', 'unedited', [4, 0, 3 * 4, 0]],
  ['csv', 'edited', [4, 4, 2 * 4, 0]],
  ['ndjson', 'unedited', [0, 4, 0, 2 * 4]],
  ['ndjson', 'edited', [0, 4, 0, 2 * 4]],
] as const)(
  'four records of %s, %s, are compared and planned once',
  async (format, what, calls) => {
    const dois = await editing.create(LAKE, LAKE, LAKE, LAKE);
    const path = await editing.exported(dois, format);
    for (const doi of what === 'edited' ? dois : []) edit(path, doi, { 'titles[0].title': 'Mine' });
    expect(await callsDuring(() => editing.update(path))).toEqual(calls);
  },
);
