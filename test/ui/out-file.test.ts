import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WRITTEN_ENDINGS } from '../../src/formats/registry.ts';
import { outTarget, writeOutFile } from '../../src/ui/out-file.ts';
import { lacks } from '../helpers/platform.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const options = { warn: () => undefined };

describe('the file of --out', () => {
  it('appears when it is complete, and not before', async () => {
    const dir = temporaryDirectory();
    const path = join(dir, 'dois.ndjson');
    await writeOutFile(path, options, async (out) => {
      await out.write('one\n', Buffer.from('two\n'));
      expect(existsSync(path)).toBe(false);
    });
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
    expect(readdirSync(dir)).toEqual(['dois.ndjson']);
  });
  it('leaves an older file and nothing else after an error', async () => {
    const dir = temporaryDirectory();
    const path = join(dir, 'dois.ndjson');
    writeFileSync(path, 'old');
    const failed = writeOutFile(path, options, async (out) => {
      await out.write('new');
      throw new Error('no more');
    });
    await expect(failed).rejects.toThrow('no more');
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(dir)).toEqual(['dois.ndjson']);
  });
  it.skipIf(lacks('links'))('replaces the file behind a link, not the link', async () => {
    const dir = temporaryDirectory();
    writeFileSync(join(dir, 'real'), 'old');
    symlinkSync('real', join(dir, 'link'));
    await writeOutFile(join(dir, 'link'), options, (out) => out.write('new'));
    expect(readFileSync(join(dir, 'real'), 'utf8')).toBe('new');
  });
  it.skipIf(lacks('devices'))('refuses a place that cannot hold a file', async () => {
    const dir = temporaryDirectory();
    mkdirSync(join(dir, 'sub'));
    const written = (path: string) => writeOutFile(path, options, (out) => out.write('new'));
    await expect(written(join(dir, 'sub'))).rejects.toMatchObject({ kind: 'usage' });
    await expect(written('/dev/null')).rejects.toMatchObject({
      kind: 'usage',
      message: /regular file/,
    });
    await expect(written(join(dir, 'missing', 'x'))).rejects.toMatchObject({
      kind: 'usage',
      message: /no such file or directory/,
    });
  });
});

describe('the name of --out', () => {
  it.each([
    ['a.csv', 'csv', undefined],
    ['a.tsv', 'tsv', undefined],
    ['a.json', 'json', undefined],
    ['a.ndjson', 'ndjson', undefined],
    ['a.jsonl', 'ndjson', undefined],
    ['a.parquet', 'parquet', undefined],
    ['a', undefined, undefined],
    ['a.2024', undefined, undefined],
    ['A.CSV.GZ', 'csv', 'gzip'],
    ['a.gz', undefined, 'gzip'],
  ])('%s decides the format %s and the packing %s', (name, format, packing) => {
    expect(outTarget(name, WRITTEN_ENDINGS, undefined)).toEqual({ format, packing });
  });
  it('may be any with --format, and decides the packing all the same', () => {
    const target = { format: 'json', packing: 'gzip' };
    expect(outTarget('a.txt.gz', WRITTEN_ENDINGS, 'json')).toEqual(target);
  });
  it.each([
    ['a.xlsx', 'no format has the ending .xlsx'],
    ['a.txt', 'no format has the ending .txt'],
    ['a.zip', '.zip cannot be written'],
    ['a.csv.bz2', '.bz2 cannot be written'],
    ['a.xlsx.gz', 'no format has the ending .xlsx'],
  ])('%s is refused: %s', (name, reason) => {
    expect(() => outTarget(name, WRITTEN_ENDINGS, undefined)).toThrow(`--out ${name}: ${reason}`);
  });
});
