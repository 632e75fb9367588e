import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PartFile } from '../../../src/harvest/store/part-file.ts';
import { lacks } from '../../helpers/platform.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

const bytes = (...texts: string[]) => texts.map((text) => Buffer.from(text));

describe('PartFile', () => {
  it('appends and counts, and goes on behind what was there', async () => {
    const path = join(temporaryDirectory(), 'g0001-w00000.ndjson');
    const first = await PartFile.open(path, { bytes: 0 }, false);
    await first.append(bytes('one\n', 'two\n'));
    expect(first.bytes).toBe(8);
    expect(await first.sync()).toBe(8);
    await first.close();
    const second = await PartFile.open(path, { bytes: 8 }, false);
    await second.append(bytes('three\n'));
    await second.append([]);
    expect(await second.sync()).toBe(14);
    await second.close();
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n');
  });

  it('writes more chunks than one system call takes', async () => {
    const path = join(temporaryDirectory(), 'part');
    const part = await PartFile.open(path, { bytes: 0 }, false);
    await part.append(bytes(...Array.from({ length: 5000 }, (_, index) => `${index}\n`)));
    await part.close();
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(5001);
    expect(part.bytes).toBe(statSync(path).size);
  });

  it('cuts off what is beyond the known-good bytes', async () => {
    const path = join(temporaryDirectory(), 'part');
    writeFileSync(path, 'one\ntwo\nthr');
    const part = await PartFile.open(path, { bytes: 8 }, false);
    await part.append(bytes('four\n'));
    await part.close();
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nfour\n');
  });

  it('makes no file for nothing, and removes one of which nothing is known', async () => {
    const path = join(temporaryDirectory(), 'part.gz');
    writeFileSync(path, 'left over');
    const part = await PartFile.open(path, { bytes: 0 }, true);
    expect(existsSync(path)).toBe(false);
    await part.append([]);
    expect(await part.sync()).toBe(0);
    await part.close();
    expect(existsSync(path)).toBe(false);
  });

  it('refuses a file that is shorter than known good, and leaves it', async () => {
    const path = join(temporaryDirectory(), 'part');
    writeFileSync(path, 'one\n');
    const open = PartFile.open(path, { bytes: 5 }, false);
    await expect(open).rejects.toMatchObject({
      name: 'DamagedPart',
      message: /4 bytes, but 5/,
    });
    expect(readFileSync(path, 'utf8')).toBe('one\n');
  });

  it('refuses a file that is missing, and makes none', async () => {
    const path = join(temporaryDirectory(), 'part');
    const open = PartFile.open(path, { bytes: 5 }, false);
    await expect(open).rejects.toMatchObject({
      name: 'DamagedPart',
      message: /missing/,
    });
    expect(existsSync(path)).toBe(false);
  });

  it('names the file that cannot be opened', async () => {
    const path = join(temporaryDirectory(), 'part');
    mkdirSync(path);
    const open = PartFile.open(path, { bytes: 0 }, false);
    await expect(open).rejects.toMatchObject({
      kind: 'output',
      message: expect.stringContaining(path),
    });
  });

  it.skipIf(lacks('gzip'))(
    'makes each append one gzip member, which gzip reads as one text',
    async () => {
      const path = join(temporaryDirectory(), 'part.ndjson.gz');
      const part = await PartFile.open(path, { bytes: 0 }, true);
      const sizes: number[] = [];
      for (const text of ['one\n', 'two\n', 'three\n']) {
        await part.append(bytes(text.slice(0, 2), text.slice(2)));
        sizes.push(part.bytes);
      }
      await part.append(bytes(''));
      expect(part.bytes).toBe(sizes.at(-1));
      await part.close();
      const file = readFileSync(path);
      expect(gunzipSync(file.subarray(sizes[0], sizes[1])).toString()).toBe('two\n');
      expect(execFileSync('gzip', ['-dc', path], { encoding: 'utf8' })).toBe('one\ntwo\nthree\n');
    },
  );

  it.skipIf(lacks('gzip'))('drops a gzip tail that was cut at any byte', async () => {
    const path = join(temporaryDirectory(), 'part.ndjson.gz');
    const whole = await PartFile.open(path, { bytes: 0 }, true);
    await whole.append(bytes('one\n'));
    const good = await whole.sync();
    await whole.append(bytes('two\n'));
    await whole.close();
    const file = readFileSync(path);
    for (let size = good; size <= file.length; size += 1) {
      writeFileSync(path, file);
      truncateSync(path, size);
      const part = await PartFile.open(path, { bytes: good }, true);
      await part.append(bytes('three\n'));
      await part.close();
      expect(execFileSync('gzip', ['-dc', path], { encoding: 'utf8' })).toBe('one\nthree\n');
    }
  });

  it('stays unusable after an error', async () => {
    const path = join(temporaryDirectory(), 'part');
    const part = await PartFile.open(path, { bytes: 0 }, false);
    await part.close();
    await expect(part.append(bytes('one\n'))).rejects.toMatchObject({ kind: 'output' });
    await expect(part.sync()).rejects.toMatchObject({ kind: 'output' });
    expect(part.bytes).toBe(0);
  });
});
