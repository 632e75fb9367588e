import { execFileSync } from 'node:child_process';
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it, vi } from 'vitest';
import { openInput } from '../../src/disk/input-file.ts';
import { emulate } from '../helpers/emulator.ts';
import { lacks } from '../helpers/platform.ts';
import { COMPLETE_RECORD } from '../helpers/records.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

/** The files below a folder that this process has open. */
const openBelow = (folder: string) =>
  readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${name}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      // The descriptor that lists the others is closed by now.
      return [];
    }
  });

// Windows deletes no folder with a file that is open.
it.skipIf(lacks('procfs'))('a file of records is closed, however much of it was read', async () => {
  const emulator = await emulate();
  const folder = temporaryDirectory();
  const record = JSON.stringify({ ...COMPLETE_RECORD, doi: undefined, prefix: '10.5072' });
  const files = {
    'one.json': record,
    'long.json': `${record.slice(0, -1)}${' '.repeat(200_000)}}`,
    'many.ndjson': `${record}\n`.repeat(100),
    'many.ndjson.gz': gzipSync(`${record}\n`.repeat(2000)),
    'wrong.ndjson': `${record}\n[]\n`.repeat(100),
    'book.csv': 'PK\u0003\u0004',
    'wide.csv': Buffer.from(`doi,url\n${'a,b\n'.repeat(100)}`, 'utf16le'),
  };
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    writeFileSync(file, content);
    for (const argv of [['validate'], ['create', '--dry-run']]) {
      const { stderr } = await emulator.run(['dois', ...argv, '--file', file]);
      await vi.waitFor(() => expect(openBelow(folder), `${name}: ${stderr}`).toEqual([]), 120_000);
    }
  }
});

it.skipIf(lacks('posixShell'))('a pipe is opened only where it may be one', () => {
  const path = join(temporaryDirectory(), 'records.ndjson');
  execFileSync('mkfifo', [path]);
  expect(() => openInput(path, false)).toThrow('it is not a regular file');
  openInput(path).destroy();
});
