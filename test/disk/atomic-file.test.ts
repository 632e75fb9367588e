import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isBusyFile, renameFile, writeAtomically } from '../../src/disk/atomic-file.ts';
import { writeError } from '../../src/disk/file-sink.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

describe('writeAtomically', () => {
  it('replaces a file, and is never seen in the middle of it', async () => {
    const dir = temporaryDirectory();
    const path = join(dir, 'ledger.json');
    const texts = ['a', 'b'].map((letter) => letter.repeat(3_000_000));
    writeFileSync(path, texts[0] ?? '');
    let writing = true;
    const writes = (async () => {
      for (let round = 0; round < 10; round += 1)
        await writeAtomically(path, texts[round % 2] ?? '');
      writing = false;
    })();
    let reads = 0;
    while (writing) {
      expect(texts.includes(readFileSync(path, 'utf8'))).toBe(true);
      reads += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await writes;
    expect(reads).toBeGreaterThan(5);
    expect(readdirSync(dir)).toEqual(['ledger.json']);
  });

  it('leaves everything as it was when it fails', async () => {
    const dir = temporaryDirectory();
    mkdirSync(join(dir, 'taken'));
    const write = writeAtomically(join(dir, 'taken'), 'text');
    await expect(write).rejects.toMatchObject({ kind: 'output', message: /taken/ });
    expect(readdirSync(dir)).toEqual(['taken']);
  });

  it('names a full disk as such', () => {
    const error = writeError('/x', Object.assign(new Error('ENOSPC: write'), { code: 'ENOSPC' }));
    expect(error).toMatchObject({
      kind: 'output',
      message: 'cannot write /x: no space left on device',
      hint: 'make room on the disk',
    });
  });
});

function failing(code: string, times: number) {
  let attempts = 0;
  const rename = async () => {
    attempts += 1;
    if (attempts <= times) throw Object.assign(new Error(code), { code });
  };
  return { rename, attempts: () => attempts };
}

describe('renaming a file', () => {
  it.each(['EPERM', 'EACCES', 'EBUSY'])(
    'waits on Windows while another program has it open: %s',
    async (code) => {
      const { rename, attempts } = failing(code, 3);
      await renameFile('a', 'b', rename, 'win32');
      expect(attempts()).toBe(4);
    },
  );

  it.each([
    ['win32', 'ENOENT'],
    ['win32', 'ENOSPC'],
    ['linux', 'EPERM'],
    ['darwin', 'EBUSY'],
  ])('fails at once where waiting does not help: %s %s', async (system, code) => {
    const { rename, attempts } = failing(code, 1);
    await expect(renameFile('a', 'b', rename, system)).rejects.toMatchObject({ code });
    expect(attempts()).toBe(1);
    expect(isBusyFile(Object.assign(new Error(code), { code }), system)).toBe(false);
  });
});
