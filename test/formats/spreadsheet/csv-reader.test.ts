import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { delimitedLine } from '../../../src/formats/output/csv.ts';
import { fromCell } from '../../../src/formats/spreadsheet/cell.ts';
import { readCsv } from '../../../src/formats/spreadsheet/csv-reader.ts';

describe('CSV', () => {
  it('is read as it was written, however it arrives', async () => {
    const cell = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string(),
      fc.constantFrom('a\nb', 'a\r\nb', '"', '""', ',', ';', '\t', "'=1", 'é', '😀'),
    );
    const rows = fc.array(
      fc.array(
        cell.filter((text) => !text.includes('\0')),
        { minLength: 2, maxLength: 4 },
      ),
      { minLength: 1, maxLength: 5 },
    );
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.constantFrom<',' | '\t'>(',', '\t'),
        fc.integer({ min: 1, max: 7 }),
        async (cells, delimiter, size) => {
          // A first row as in every file decides what the delimiter is.
          const head = ['doi', 'url', 'version'];
          const bytes = Buffer.from(
            [head, ...cells].map((one) => delimitedLine(one, delimiter)).join(''),
          );
          const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
            bytes.subarray(at * size, (at + 1) * size),
          );
          const read: (readonly string[])[] = [];
          for await (const { cells } of readCsv(
            Readable.from(pieces) as AsyncIterable<Buffer>,
            'x.csv',
          ))
            read.push(cells);
          const texts = (rows: typeof read) => rows.map((row) => row.map(fromCell));
          expect(texts(read)).toEqual(texts([head, ...cells]));
        },
      ),
    );
  });
});
