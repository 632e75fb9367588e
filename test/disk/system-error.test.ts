import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { writeError } from '../../src/disk/file-sink.ts';
import { systemReason } from '../../src/disk/system-error.ts';
import { emulate } from '../helpers/emulator.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const failure = (code: string) =>
  Object.assign(new Error(`${code}: something, open '/x'`), { code, syscall: 'open' });

describe('the reason of a failure on disk', () => {
  it.each([
    ['EROFS', 'read-only file system'],
    ['ENOENT', 'no such file or directory'],
    ['EACCES', 'permission denied'],
    ['EISDIR', 'illegal operation on a directory'],
    ['ENOSPC', 'no space left on device'],
  ])('is words, not %s', (code, words) => {
    expect(systemReason(failure(code))).toBe(words);
    expect(writeError('/x', failure(code)).message).toBe(`cannot write /x: ${words}`);
  });

  it('is the message of an error that has no code, or another one', () => {
    expect(systemReason(new Error('it has been closed'))).toBe('it has been closed');
    expect(systemReason(failure('EWEIRD'))).toBe("EWEIRD: something, open '/x'");
    expect(
      systemReason(Object.assign(new Error('it is not a regular file'), { code: 'EINVAL' })),
    ).toBe('it is not a regular file');
  });
});

describe('a file that cannot be used', () => {
  it.each<[string, string[], RegExp]>([
    [
      'the folder of --out',
      ['dois', 'list', '--out', 'DIR/missing/x.ndjson'],
      /--out \S+: cannot write in \S+missing: no such file or directory\nhint: mkdir -p \S+missing\n/,
    ],
    [
      'a file in the place of the folder of --out',
      ['dois', 'list', '--out', 'DIR/file/x.ndjson'],
      // Windows does not say why there is no such folder.
      /--out \S+: cannot write in \S+: (not a directory|no such file or directory)\n/,
    ],
    [
      'a record',
      ['dois', 'create', '--file', 'DIR/missing'],
      /cannot read \S+missing: no such file or directory\nhint: name a regular file/,
    ],
    [
      'a folder',
      ['dois', 'create', '--file', 'DIR/folder'],
      /cannot read \S+folder: it is a folder( without XML files)?\nhint: /,
    ],
    [
      'the ledger of many records',
      ['dois', 'create', '--file', 'DIR/dois.ndjson', '--ledger', 'DIR/missing/l'],
      /cannot lock \S+l\.lock: no such file or directory\nhint: --ledger <path> puts/,
    ],
    [
      'the directory of a harvest',
      ['dois', 'harvest', '--dir', 'DIR/file/x'],
      /\S+file is not a directory\nhint: name another directory\n/,
    ],
  ])('is told in words: %s', async (_, argv, message) => {
    const emulator = await emulate();
    const dir = temporaryDirectory();
    mkdirSync(join(dir, 'folder'));
    writeFileSync(join(dir, 'file'), 'x');
    writeFileSync(join(dir, 'dois.ndjson'), '{"prefix":"10.5072"}\n{"prefix":"10.5072"}\n');
    const { code, stderr } = await emulator.run(argv.map((word) => word.replace('DIR', dir)));
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\bE[A-Z]{3,}\b/);
    expect([1, 2]).toContain(code);
  });

  it('is told in words: the folder for temporary files', async () => {
    const emulator = await emulate();
    const missing = join(temporaryDirectory(), 'missing');
    for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, missing);
    const stdin = '{"prefix":"10.5072"}\n{"prefix":"10.5072"}\n';
    const { code, stderr } = await emulator.run(['dois', 'create', '--file', '-'], { stdin });
    expect(stderr).toMatch(
      /cannot make a temporary folder in \S+missing: no such file or directory\nhint: /,
    );
    expect(code).toBe(1);
  });
});
