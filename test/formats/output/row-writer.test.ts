import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  jsonArray,
  jsonLines,
  type RowFormat,
  type RowWriter,
  rowWriter,
  tableAtEnd,
} from '../../../src/formats/output/row-writer.ts';
import type { Sink } from '../../../src/ui/sink.ts';

function recorder(): Sink & { text: string } {
  return {
    text: '',
    async write(...chunks) {
      this.text += chunks.map((chunk) => Buffer.from(chunk).toString()).join('');
    },
  };
}

type Row = readonly [string, string];

/** The output of a format for rows that come in several writes. */
async function written(format: RowFormat, ...pages: readonly (readonly Row[])[]): Promise<string> {
  const sink = recorder();
  const writer = rowWriter<Row>(format, sink, {
    heads: ['a', 'b'],
    cells: (row) => row,
    json: JSON.stringify,
    table: (rows) => sink.write(`table ${rows.map((row) => row.join('|')).join('/')}\n`),
  });
  for (const page of pages) await writer.write(page);
  await writer.end();
  return sink.text;
}

describe('rowWriter', () => {
  const rows: readonly Row[] = [
    ['1', 'x,y'],
    ['2', 'a\tb'],
    ['3', 'line\nbreak'],
  ];

  it.each<[RowFormat, string]>([
    ['json', '[\n["1","x,y"],\n["2","a\\tb"],\n["3","line\\nbreak"]\n]\n'],
    ['ndjson', '["1","x,y"]\n["2","a\\tb"]\n["3","line\\nbreak"]\n'],
    ['table', 'table 1|x,y/2|a\tb/3|line\nbreak\n'],
  ])('writes %s, however the rows are divided', async (format, text) => {
    expect(await written(format, rows)).toBe(text);
    expect(await written(format, [], rows.slice(0, 1), [], rows.slice(1))).toBe(text);
  });

  it.each(['csv', 'tsv'] as const)('writes %s with one line a row', async (format) => {
    const text = await written(format, rows.slice(0, 1), rows.slice(1));
    expect(text).toBe(await written(format, rows));
    expect(text.trimEnd().split(/\r?\n/)).toHaveLength(4);
  });

  it.each<[RowFormat, string, string]>([
    ['json', '[]\n', '[\n\n]\n'],
    ['ndjson', '', ''],
    ['table', '', ''],
  ])('writes %s without rows, and begun without rows', async (format, none, begun) => {
    expect(await written(format)).toBe(none);
    expect(await written(format, [])).toBe(begun);
  });

  it('writes the heads of CSV and TSV once, even without rows', async () => {
    for (const format of ['csv', 'tsv'] as const)
      expect(await written(format, [], [])).toBe(await written(format));
    expect(await written('csv')).toMatch(/^a,b\r?\n$/);
  });

  it('writes JSON that has the same values', async () => {
    const value = fc.jsonValue();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(value, { minLength: 1 })), async (pages) => {
        const [array, lines] = [recorder(), recorder()];
        const writers: RowWriter<unknown>[] = [
          jsonArray(array, JSON.stringify),
          jsonLines(lines, JSON.stringify),
        ];
        for (const writer of writers) {
          for (const page of pages) await writer.write(page);
          await writer.end();
        }
        const values = JSON.parse(JSON.stringify(pages.flat()));
        expect(JSON.parse(array.text)).toEqual(values);
        const texts = lines.text.split('\n').slice(0, -1);
        expect(texts.map((text) => JSON.parse(text))).toEqual(values);
      }),
    );
  });
});

it('jsonLines takes the lines of rows that have them', async () => {
  const sink = recorder();
  const page = Object.assign([1, 2], {
    lines: () => [Buffer.from('{"a": 1}\n'), Buffer.from('2\n')],
  });
  await jsonLines(sink, () => 'other').write(page);
  expect(sink.text).toBe('{"a": 1}\n2\n');
});

it('tableAtEnd refuses more than fits into memory', async () => {
  const writer = tableAtEnd(
    (row: string) => [row],
    async () => {},
  );
  await writer.write(['x'.repeat(8 * 1024 * 1024)]);
  await expect(writer.write(['x'])).rejects.toMatchObject({
    message: 'the records are too large for a table',
    hint: 'use --format ndjson',
  });
});
