import { describe, expect, it } from 'vitest';
import { readCsv } from '../../src/text/csv-reader.ts';
import { tsvForm } from '../../src/text/tsv.ts';

async function* chunks(text: string) {
  for (const byte of Buffer.from(text)) yield Buffer.of(byte);
}

async function readTsv(lines: readonly string[]) {
  const text = `doi\ttitle\n${lines.map((line) => `10.5072/a\t${line}\n`).join('')}`;
  const form = await tsvForm(chunks(text), 'x.tsv');
  const titles: (string | undefined)[] = [];
  for await (const { cells } of readCsv(chunks(text), 'x.tsv', form)) titles.push(cells[1]);
  return { titles: titles.slice(1), note: form.note };
}

describe('a file of TSV', () => {
  it.each([
    ['plain text', ['Lakes', 'Caf\u00e9'], ['Lakes', 'Café'], undefined],
    [
      'a quote in a cell',
      ['"Deep" lakes', '2" pipe'],
      ['"Deep" lakes', '2" pipe'],
      /quotes as text/,
    ],
    ['quotes around one cell', ['"Deep lakes"', 'b'], ['Deep lakes', 'b'], /quotes as in CSV/],
    ['doubled quotes', ['"say ""hi"""', 'b\\nc'], ['say "hi"', 'b\\nc'], undefined],
    ['a tab in quotes', ['"a\tb"', 'c'], ['a\tb', 'c'], undefined],
    ['a line break in quotes', ['"a\nb"', 'c'], ['a\nb', 'c'], undefined],
    [
      'escapes of jq',
      ['a\\nb\\tc', 'C:\\\\new', '"Deep lakes"'],
      ['a\nb\tc', 'C:\\new', '"Deep lakes"'],
      /a line break, a tab and a backslash \(row 2\), and quotes as text \(row 4\)/,
    ],
    ['paths', ['C:\\new', 'C:\\data'], ['C:\\new', 'C:\\data'], /backslashes as text/],
    ['TeX', ['$\\nu$ and $\\tau$', 'b'], ['$\\nu$ and $\\tau$', 'b'], /backslashes as text/],
    ['TeX as jq writes it', ['$\\\\nu$', 'a\\nu'], ['$\\nu$', 'a\nu'], /as a line break/],
  ])('with %s is read as a whole', async (_, lines, titles, note) => {
    const read = await readTsv(lines);
    expect(read.titles).toEqual(titles);
    if (note === undefined) expect(read.note).toBeUndefined();
    else expect(read.note).toMatch(note);
  });

  it.each([
    ['an export', 'doi\ttitle\texported\n10.5072/a\ta\\nb\tx\n'],
    ['all cells in quotes, as R writes them', '"doi"\t"title"\n"10.5072/a"\t"b"\n'],
  ])('is read as CSV if it is %s', async (_, text) => {
    expect(await tsvForm(chunks(text), 'x.tsv')).toEqual({});
  });
});

it('any character that a first line names stands between cells', async () => {
  const rows: (readonly string[])[] = [];
  const text = '\ufeffsep=§\ndoi§title\n10.5072/a§Café\n';
  for await (const { cells } of readCsv(chunks(text), 'x.csv')) rows.push(cells);
  expect(rows).toEqual([
    ['doi', 'title'],
    ['10.5072/a', 'Café'],
  ]);
});
