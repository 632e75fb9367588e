import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../helpers/run.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const KIND = /neither JSON, XML nor a table\nhint: .*--template/;

it.each([
  ['notes.txt', 'Dear all,\nthe lake is deep.\n', KIND],
  ['paper.bib', '@article{a,\n doi={10.5072/a}\n}\n', KIND],
  ['paper.pdf', '%PDF-1.7\n1 0 obj\n[', KIND],
  ['x.parquet', 'PAR1\x15\0', KIND],
  ['record.yaml', 'titles:\n  - title: A\ndoi: 10.5072/a\n', KIND],
  [
    'page.html',
    '<!DOCTYPE html><html></html>',
    /its root is <html>, not <resource xmlns="http:\/\/datacite.org\/schema\/kernel-4">/,
  ],
  ['paper.docx', 'PK\x03\x04\x14\0\x06\0', /is a workbook or an archive, not text\n/],
  [
    'lake.csv',
    'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n',
    /is a pointer of Git LFS.*\nhint: git lfs pull/,
  ],
  ['plain.txt', 'Title\tYear\nA\t2024\n', /perhaps a table.*\nhint: --map/],
  ['numbers.txt', 'Nr;Titel\n1;A\n', /perhaps a table.*\nhint: --map/],
])('%s is refused', async (name, content, message) => {
  const file = join(temporaryDirectory(), name);
  writeFileSync(file, Buffer.from(content, 'latin1'));
  for (const verb of ['validate', 'create']) {
    const { code, stdout, stderr } = await run(['dois', verb, '--file', file]);
    expect([code, stdout + stderr]).toEqual([2, message]);
  }
});

it.each([
  ['a list of DOIs', '10.5072/a\n10.5072/b\n'],
  ['DOIs with words', 'doi: 10.5072/a\n'],
])('%s is still called that', async (_, stdin) => {
  const { stdout, stderr } = await run(['dois', 'validate', '--file', '-'], { stdin });
  expect(stdout + stderr).toMatch(/is a DOI, not a record/);
});
