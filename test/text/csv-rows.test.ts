import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvError, csvRows } from '../../src/text/csv-rows.ts';

async function* pieces(text: string, size: number) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

/** The rows of a text that arrives in pieces, or the error after them. */
async function rowsOf(text: string, delimiter: string, size: number): Promise<unknown[]> {
  const rows: unknown[] = [];
  try {
    for await (const row of csvRows(pieces(text, size), delimiter)) rows.push(row);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    rows.push('an error');
  }
  return rows;
}

/** What csv-parse makes of the text. */
function expected(text: string, delimiter: string): unknown[] {
  const rows: unknown[] = [];
  try {
    parse(text, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      on_record: (cells: string[]) => {
        rows.push(cells);
        return cells;
      },
    });
  } catch {
    rows.push('an error');
  }
  return rows;
}

describe('rows of CSV', () => {
  it.each([
    ['', []],
    ['a', [['a']]],
    [
      'a,b\r\nc,\n',
      [
        ['a', 'b'],
        ['c', ''],
      ],
    ],
    ['a,', [['a', '']]],
    [',', [['', '']]],
    ['""', [['']]],
    ['"a,""b""\r\nc",d\r', [['a,"b"\r\nc', 'd']]],
    ['a\n\nb', [['a'], [''], ['b']]],
    ['a\nb"c', [['a'], 'an error']],
    ['a\n"b"c', [['a'], 'an error']],
    ['a\n"b', [['a'], 'an error']],
  ])('of %j are %j', async (text, rows) => {
    for (const size of [1, 2, 100]) expect(await rowsOf(text, ',', size)).toEqual(rows);
  });

  it('are those of csv-parse, wherever the text is cut', () =>
    fc.assert(
      fc.asyncProperty(
        fc.string({
          unit: fc.constantFrom('a', 'é', '"', '""', ',', ';', '\r', '\n', '\r\n', ' '),
          maxLength: 30,
        }),
        fc.constantFrom(',', ';', '\t', 'd', ']', '\\', '^', '-', '.'),
        fc.integer({ min: 1, max: 8 }),
        async (text, delimiter, size) => {
          const own = text.replaceAll(',', delimiter);
          expect(await rowsOf(own, delimiter, size)).toEqual(expected(own, delimiter));
        },
      ),
      { numRuns: 1000 },
    ));

  it('have at most 16 Mi characters', async () => {
    async function* endless() {
      yield 'a\n"';
      for (;;) yield 'x'.repeat(1024 * 1024);
    }
    const rows = csvRows(endless(), ',');
    expect(await rows.next()).toMatchObject({ value: ['a'] });
    await expect(rows.next()).rejects.toThrow('the row is too long: a quote may be open');
  });
});
