import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/emulator/state/query.ts';
import { createdClause, createdOf } from '../../../src/harvest/walk/creation-time.ts';
import { combinedQuery } from '../../../src/harvest/walk/query-params.ts';

const OTHERS = fc.array(
  fc.constantFrom('"x":"created"', '"createdBy":"a"', '"dd":[1]', '"é":"\\"created"'),
  {
    maxLength: 6,
  },
);
const TIMES = fc.oneof(
  fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString())
    .chain((time) => fc.constantFrom(time, time.replace(/\.\d+Z$/, 'Z'), time.slice(0, 10))),
  fc.constantFrom(
    '2024-02-30T00:00:00Z',
    '2024-05-01T24:00:00Z',
    '2024-05-01 10:00',
    '2024-13-01T00:00:00Z',
    '',
  ),
);

describe('createdOf', () => {
  it('is the creation time of a record as JSON.parse reads it', () => {
    fc.assert(
      fc.property(OTHERS, TIMES, OTHERS, (before, time, after) => {
        const members = [...before, `"created":"${time}"`, ...after];
        const record = Buffer.from(`{"id":"a","attributes":{${members.join(',')}}}`);
        const { attributes } = JSON.parse(record.toString()) as { attributes: { created: string } };
        expect(createdOf(record)).toBe(Date.parse(attributes.created));
      }),
    );
  });

  it('is not a number for a record without one', () => {
    expect(createdOf(Buffer.from('{"a":1}'))).toBeNaN();
    expect(createdOf(Buffer.from('{"a":'))).toBeNaN();
  });

  it('is not that of another object', () => {
    const record =
      '{"attributes":{"created":"2024-01-01T00:00:00Z","media":{"created":"2020-01-01T00:00:00Z"}}}';
    expect(createdOf(Buffer.from(record))).toBe(Date.UTC(2024, 0));
  });
});

describe('createdClause', () => {
  const [from, to] = [Date.UTC(2024, 0), Date.UTC(2024, 1)];
  it.each([
    [{ from, to }, 'created:[2024-01-01T00:00:00.000Z TO 2024-02-01T00:00:00.000Z}'],
    [{ from: null, to }, 'created:[* TO 2024-02-01T00:00:00.000Z}'],
    [{ from, to: null }, 'created:[2024-01-01T00:00:00.000Z TO *]'],
    [{ from: null, to: null }, undefined],
  ])('%o', (span, clause) => {
    expect(createdClause(span)).toBe(clause);
  });
  it('is understood by the emulator together with a query', () => {
    const query = combinedQuery(
      'state:findable',
      createdClause({ from, to }),
      createdClause({ from, to: null }),
    );
    expect(parseQuery(query ?? '')).toEqual({
      ranges: { created: { from: from / 1000, to: to / 1000 } },
      terms: [{ field: 'state', value: 'findable' }],
      rest: [],
    });
  });
});
