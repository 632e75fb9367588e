import { describe, expect, it } from 'vitest';
import { type DateOptions, withDates } from '../../../../src/commands/dois/query/dates.ts';
import { CliError } from '../../../../src/errors.ts';
import { parseMoment } from '../../../../src/text/parsers.ts';

const NOW = Date.parse('2026-11-22T06:30:15.250Z');

type Given = Readonly<Partial<Record<keyof DateOptions | 'query', string>>>;

function dated({ query, ...dates }: Given, fixed?: [string, string, string][]) {
  const warnings: string[] = [];
  const moments = Object.fromEntries(Object.entries(dates).map(([name, text]) => [name, parseMoment(text)]));
  const made = withDates(
    { ...moments, ...(query === undefined ? {} : { query }) },
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
  it.each<[Given, string]>([
    [{ createdSince: '7d' }, 'created:[2026-11-15T06:30:15.000Z TO *]'],
    [{ createdSince: '12h' }, 'created:[2026-11-21T18:30:15.000Z TO *]'],
    [{ updatedSince: '2024-05-01' }, 'updated:[2024-05-01T00:00:00.000Z TO *]'],
    // The whole day, in UTC.
    [{ updatedUntil: '2024-05-01' }, 'updated:[* TO 2024-05-02T00:00:00.000Z}'],
    [
      { createdSince: '2024-05-01', createdUntil: '2024-05-01' },
      'created:[2024-05-01T00:00:00.000Z TO 2024-05-02T00:00:00.000Z}',
    ],
    [{ createdUntil: '2024-05-01T12:00:00Z' }, 'created:[* TO 2024-05-01T12:00:00.000Z]'],
    // Without an offset a time is in UTC, wherever this machine is.
    [{ createdSince: '2024-05-01T12:00' }, 'created:[2024-05-01T12:00:00.000Z TO *]'],
    [{ createdSince: '2024-05-01T12:00:30.5+02:00' }, 'created:[2024-05-01T10:00:30.500Z TO *]'],
    [
      { createdSince: '2024-01-01', updatedUntil: '1d' },
      'created:[2024-01-01T00:00:00.000Z TO *] AND updated:[* TO 2026-11-21T06:30:15.000Z]',
    ],
    [{ query: 'a OR b', createdSince: '2024-01-01' }, '(a OR b) AND created:[2024-01-01T00:00:00.000Z TO *]'],
    [{ query: 'a OR b' }, 'a OR b'],
    [{ createdUntil: '2026-11-22' }, 'created:[* TO 2026-11-23T00:00:00.000Z}'],
  ])('%j', (given, query) => {
    expect(dated(given)).toMatchObject({ query, warnings: [] });
  });

  it.each<[Given, RegExp]>([
    [{ createdSince: '2024-02-30' }, /'2024-02-30' is not a date: write .*7d.*2024-05-01/],
    [{ createdSince: '2024-13-01' }, /is not a date/],
    [{ createdSince: '2024' }, /is not a date/],
    [{ createdSince: 'yesterday' }, /is not a date/],
    [{ createdSince: '2024-05-01T25:00' }, /is not a date/],
    [{ createdSince: '2024-05-01 TO *] OR (a' }, /is not a date/],
    [{ createdSince: '7 days' }, /is not a date/],
    [{ createdSince: '7y' }, /is not a duration/],
    [{ createdSince: '1w2d' }, /is not a date/],
    [{ createdSince: '9999999w' }, /^usage: --created-since 9999999w is too far away/],
    [
      { createdSince: '2026-11-23' },
      /^usage: --created-since 2026-11-23 is in the future: it is 2026-11-22T/,
    ],
    [{ updatedSince: '2024-05-02', updatedUntil: '2024-05-01' }, /^usage: --updated-since .* is later than/],
    [
      { updatedSince: '1d', updatedUntil: '2d' },
      /^usage: --updated-since 1d is later than --updated-until 2d/,
    ],
    [{ query: 'a)', createdSince: '1d' }, /^usage: --query: the query is not balanced/],
  ])('refuses %j', (given, message) => {
    expect(refusal(given)).toMatch(message);
  });

  it('warns of an end in the future', () => {
    expect(dated({ createdUntil: '2027-01-01' }).warnings).toEqual([
      '--created-until 2027-01-01 is in the future',
    ]);
  });

  it('keeps the meaning of relative dates of an earlier run, and only theirs', () => {
    const { fixed } = dated({ updatedSince: '7d', createdSince: '2024-01-01' });
    expect(fixed).toEqual([['updated-since', '7d', '2026-11-15T06:30:15.000Z']]);
    const earlier: [string, string, string][] = [['updated-since', '7d', '2020-01-01T00:00:00.000Z']];
    expect(dated({ updatedSince: '7d' }, earlier).query).toBe('updated:[2020-01-01T00:00:00.000Z TO *]');
    expect(dated({ updatedSince: '8d' }, earlier).query).toContain('2026-11-14');
    expect(dated({ createdSince: '7d' }, earlier).query).toContain('2026-11-15');
  });
});
