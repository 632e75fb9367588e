import { expect, it } from 'vitest';
import { type Finding, findingAt } from '../../src/metadata/findings.ts';
import { firstFindings, reportFindings } from '../../src/writing/findings.ts';

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

it('of thousands of findings, the first thousand lines and problems are reported', () => {
  const errors = Array.from({ length: 1500 }, (_, index) =>
    findingAt('error', ['dates', index, 'date'], { message: 'is no date' }),
  );
  const alike = Array.from({ length: 1500 }, (_, index) =>
    findingAt('warning', ['titles', index], { message: 'is blank' }),
  );
  expect(linesOf(...errors, ...alike).slice(998)).toEqual([
    'record.json: error: dates[998].date: is no date',
    'record.json: error: dates[999].date: is no date',
    'record.json: and 2,000 more',
  ]);
  expect(linesOf(...alike, ...errors.slice(0, 1))).toEqual([
    'record.json: warning: titles[0]: is blank (and 1,499 more like it)',
    'record.json: error: dates[0].date: is no date',
  ]);
  expect(() => reportFindings('record.json', errors)).toThrow(
    expect.objectContaining({
      message: 'record.json has 1,500 errors; nothing was sent',
      problems: expect.objectContaining({ length: 1001 }),
    }),
  );
  expect(firstFindings(errors)).toHaveLength(1001);
  expect(firstFindings(errors).at(-1)).toMatchObject({
    severity: 'error',
    message: 'and 500 more',
  });
  expect(firstFindings(errors.slice(0, 1000))).toEqual(errors.slice(0, 1000));
});
