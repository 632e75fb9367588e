import { describe, expect, it } from 'vitest';
import { withDates } from '../../src/core/dates.ts';
import { CliError } from '../../src/errors.ts';
import { parseDateRange } from '../../src/text/moment.ts';

const NOW = Date.parse('2026-11-22T06:30:15.250Z');

type Given = Readonly<Partial<Record<'created' | 'registered' | 'updated' | 'query', string>>>;

function dated({ query, ...dates }: Given, fixed?: [string, string, string][]) {
  const warnings: string[] = [];
  const parsed = Object.entries(dates).map(([name, text]) => [name, parseDateRange(text)]);
  const made = withDates(
    { ...Object.fromEntries(parsed), ...(query === undefined ? {} : { query }) },
    { now: NOW, warn: (text) => warnings.push(text), fixed },
  );
  return { ...made, query: (made.options as { query?: string }).query, warnings };
}

function refusal(given: Given): string {
  try {
    dated(given);
  } catch (error) {
    if (error instanceof CliError) return `${error.kind}: ${error.message}`;
    return (error as Error).message;
  }
  throw new Error('not refused');
}

describe('dates', () => {
  // The times of midnight are left out.
  it.each<[Given, string]>([
    [{ created: '7d..' }, 'created:[2026-11-15T06:30:15.000Z TO *]'],
    [{ created: '12h..' }, 'created:[2026-11-21T18:30:15.000Z TO *]'],
    [{ updated: '2024-05-01..' }, 'updated:[2024-05-01 TO *]'],
    // The whole day, in UTC.
    [{ updated: '..2024-05-01' }, 'updated:[* TO 2024-05-02}'],
    [{ created: '2024-05-01..2024-05-01' }, 'created:[2024-05-01 TO 2024-05-02}'],
    [{ created: '..2024-05-01T12:00:00Z' }, 'created:[* TO 2024-05-01T12:00:00.000Z]'],
    // Without an offset a time is in UTC, wherever this machine is.
    [{ created: '2024-05-01T12:00..' }, 'created:[2024-05-01T12:00:00.000Z TO *]'],
    [{ created: '2024-05-01T12:00:30.5+02:00..' }, 'created:[2024-05-01T10:00:30.500Z TO *]'],
    [
      { created: '2024-01-01..', updated: '..1d' },
      'created:[2024-01-01 TO *] AND updated:[* TO 2026-11-21T06:30:15.000Z]',
    ],
    [{ query: 'a OR b', created: '2024-01-01..' }, '(a OR b) AND created:[2024-01-01 TO *]'],
    [{ query: 'a OR b' }, 'a OR b'],
    [{ created: '..2026-11-22' }, 'created:[* TO 2026-11-23}'],
    // Ranges, and what counts as one.
    [{ created: '7d' }, 'created:[2026-11-15T06:30:15.000Z TO *]'],
    [{ updated: '..7d' }, 'updated:[* TO 2026-11-15T06:30:15.000Z]'],
    [{ updated: '7d..2d' }, 'updated:[2026-11-15T06:30:15.000Z TO 2026-11-20T06:30:15.000Z]'],
    [{ created: '2024-05-01' }, 'created:[2024-05-01 TO 2024-05-02}'],
    [{ created: '2024-02' }, 'created:[2024-02-01 TO 2024-03-01}'],
    [{ created: '2023-12..2024-01' }, 'created:[2023-12-01 TO 2024-02-01}'],
    [{ registered: '2017..2019-06-30' }, 'registered:[2017-01-01 TO 2019-07-01}'],
    // A range includes its last day, month or year.
    [{ created: '2024-05-01..2024' }, 'created:[2024-05-01 TO 2025-01-01}'],
    [
      { updated: '2024-05-01T12:00..2024-05-01' },
      'updated:[2024-05-01T12:00:00.000Z TO 2024-05-02}',
    ],
    [{ registered: '2017..' }, 'registered:[2017-01-01 TO *]'],
    [{ updated: '2017..2019' }, 'updated:[2017-01-01 TO 2020-01-01}'],
    [{ updated: '2026' }, 'updated:[2026-01-01 TO 2027-01-01}'],
    [
      { created: '2024-05-01T12:00Z..2024-05-02T12:00Z' },
      'created:[2024-05-01T12:00:00.000Z TO 2024-05-02T12:00:00.000Z]',
    ],
  ])('%j', (given, expected) => {
    const { query, warnings } = dated(given);
    expect([query?.replaceAll('T00:00:00.000Z', ''), warnings]).toEqual([expected, []]);
  });

  it.each<[Given, RegExp]>([
    [{ created: '2024-13' }, /'2024-13' is not a date/],
    [{ created: '2024-02-30' }, /'2024-02-30' is not a date: write .*2024-05-01.*7d/],
    [{ created: '2024-13-01' }, /is not a date/],
    [{ created: '2024-05-01T25:00' }, /is not a date/],
    [{ created: '2024-05-01 TO *] OR (a' }, /is not a date/],
    [{ created: '7 days' }, /is not a date: write a year .* an age such as 7d/],
    [{ created: '7y' }, /is not a date/],
    [{ created: '1w2d' }, /is not a date/],
    [{ created: '9999999w..' }, /^usage: --created 9999999w\.\. is too far away/],
    [
      { created: '2026-11-23..' },
      /^usage: --created 2026-11-23\.\. is in the future: it is 2026-11-22T/,
    ],
    [{ created: '2017,2019' }, /^'2017,2019' is not a date: .* a range such as 2017\.\.2019/],
    [{ created: '2019..2017' }, /ends before it begins: write 2017\.\.2019$/],
    [
      { created: '2024-05-02..2024-05-01' },
      /ends before it begins: write 2024-05-01\.\.2024-05-02$/,
    ],
    [{ created: '2025..2024-12' }, /ends before it begins/],
    [{ created: '2024-05-01T12:01..2024-05-01T12:00' }, /ends before it begins/],
    [{ updated: '2d..7d' }, /^usage: --updated 2d\.\.7d ends before it begins/],
    [{ created: '2017..2018..2019' }, /is not a range of dates such as 2017\.\.2019/],
    [{ created: '..' }, /is not a range/],
    [{ created: '' }, /is not a range/],
    [{ created: 'once' }, /is not a date: .*2019.*7d\.\./],
    [{ created: '01.05.2024' }, /is not a date: .*a day such as 2024-05-01/],
    [{ created: '2024-05-01 12:00' }, /is not a date: .*2024-05-01T12:00:00Z/],
    [{ updated: '-7d' }, /is not a date: .*7d/],
    [{ updated: '>2024' }, /is not a date/],
    [{ created: '2027..2028-01-01' }, /^usage: --created 2027\.\.2028-01-01 is in the future/],
    [{ created: '2099' }, /^usage: --created 2099 is in the future/],
    [{ registered: '2099..2100' }, /^usage: --registered 2099\.\.2100 is in the future/],
    [{ updated: '2099' }, /^usage: --updated 2099 is in the future/],
    [{ updated: '9999' }, /^usage: --updated 9999 is too far away/],
    [{ query: 'a)', created: '1d..' }, /^usage: --query: the query is not balanced/],
  ])('refuses %j', (given, message) => {
    expect(refusal(given)).toMatch(message);
  });

  it.each([
    ['2019', '2019'],
    ['2017..2019', '2017,2019'],
  ])('takes the years %s as a parameter of the service', (created, value) => {
    const { options } = dated({ created, registered: created, updated: '7d..' });
    expect(options).toEqual({
      created: value,
      registered: value,
      query: 'updated:[2026-11-15T06:30:15.000Z TO *]',
    });
  });

  it('warns of an end in the future', () => {
    expect(dated({ created: '..2027-01-01' }).warnings).toEqual([
      '--created ..2027-01-01 is in the future',
    ]);
  });

  it('keeps the meaning of relative dates of an earlier run, and only theirs', () => {
    const { fixed } = dated({ updated: '7d..', created: '2024-01-01..' });
    expect(fixed).toEqual([['updated-since', '7d', '2026-11-15T06:30:15.000Z']]);
    const earlier: [string, string, string][] = [
      ['updated-since', '7d', '2020-01-01T00:00:00.000Z'],
    ];
    expect(dated({ updated: '7d..' }, earlier).query).toBe(
      'updated:[2020-01-01T00:00:00.000Z TO *]',
    );
    expect(dated({ updated: '8d..' }, earlier).query).toContain('2026-11-14');
    expect(dated({ created: '7d..' }, earlier).query).toContain('2026-11-15');
  });
});
