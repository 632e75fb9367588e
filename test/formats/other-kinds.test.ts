import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../helpers/run.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

it.each([
  [
    'notes.txt',
    'Dear all,\nthe lake is deep.\n',
    /neither JSON, XML nor a table\nhint: .*--template/,
  ],
  ['paper.bib', '@article{a,\n doi={10.5072/a}\n}\n', /is BibTeX\nhint: .*--template/],
  ['paper.ris', 'TY  - JOUR\nDO  - 10.5072/a\nER  - \n', /is RIS\n/],
  ['paper.pdf', '%PDF-1.7\n\x80', /is a PDF\n/],
  ['page.html', '<!DOCTYPE html><html></html>', /is a web page\n/],
  ['paper.docx', 'PK\x03\x04\x14\0\x06\0', /a workbook or an archive, not text\n/],
  ['x.parquet', 'PAR1\x15\0', /is Parquet\nhint: convert it: duckdb -c .*x\.parquet/],
  ['x.png', '\x89PNG\r\n\x1a\n\0', /neither JSON, XML nor a table\n/],
  ['record.yaml', 'titles:\n  - title: A\ndoi: 10.5072/a\n', /YAML\nhint: .*yq -o=json/],
  ['plain.txt', 'Title\tYear\nA\t2024\n', /perhaps a table.*\nhint: --map/],
  ['numbers.txt', 'Nr;Titel\n1;A\n', /perhaps a table.*\nhint: --map/],
])('%s is named for what it is', async (name, content, message) => {
  const file = join(temporaryDirectory(), name);
  writeFileSync(file, Buffer.from(content, 'latin1'));
  for (const verb of ['validate', 'create']) {
    const { code, stderr } = await run(['dois', verb, '--file', file]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  }
});

it.each([
  ['a list of DOIs', '10.5072/a\n10.5072/b\n'],
  ['DOIs with words', 'doi: 10.5072/a\n'],
])('%s is still called that', async (_, stdin) => {
  const { stdout, stderr } = await run(['dois', 'validate', '--file', '-'], { stdin });
  expect(stdout + stderr).toMatch(/is a DOI, not a record/);
});
