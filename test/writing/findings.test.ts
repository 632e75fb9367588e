import { expect, it } from 'vitest';
import { type Finding, findingAt } from '../../src/metadata/findings.ts';
import { reportFindings } from '../../src/writing/findings.ts';

/** The lines of the error about findings. */
function linesOf(...findings: Finding[]): readonly string[] {
  try {
    reportFindings('record.json', findings);
  } catch (error) {
    return (error as { lines: readonly string[] }).lines;
  }
  return [];
}

it('every error about one value has a line of its own', () => {
  const errors = ['is too long', 'is no date'].map((message) =>
    findingAt('error', ['dates', 0, 'date'], { message }),
  );
  expect(linesOf(...errors)).toEqual([
    'record.json: error: dates[0].date: is too long',
    'record.json: error: dates[0].date: is no date',
  ]);
});

it('warnings that say the same of items of one list have one line, apart from an error', () => {
  const about = (severity: 'error' | 'warning', index: number) =>
    findingAt(severity, ['creators', index, 'name'], { message: 'is empty' });
  expect(
    linesOf(about('error', 0), about('warning', 1), about('warning', 2), about('warning', 3)),
  ).toEqual([
    'record.json: error: creators[0].name: is empty',
    'record.json: warning: creators[1].name: is empty (and 2 more like it)',
  ]);
});
