import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { Ledger } from '../../../src/harvest/store/ledger.ts';
import { PartFile } from '../../../src/harvest/store/part-file.ts';
import { compiled, start } from '../../disk/lock/children.ts';
import { lacks } from '../../helpers/platform.ts';
import { sharedDirectory, temporaryDirectory } from '../../helpers/temporary.ts';

const withMounts = it.skipIf(lacks('namespaces'));
const inShell = it.skipIf(lacks('posixShell'));

const folder = sharedDirectory();
let appender: string;
beforeAll(async () => {
  appender = await compiled('../../harvest/store/appender', folder);
});

const lines = (count: number) =>
  Array.from({ length: count }, (_, index) => `{"id":"10.5072/${index}"}\n`).join('');

async function knownGood(path: string) {
  const window = (await Ledger.open(path))?.data.generations[0]?.windows[0];
  return { bytes: window?.bytes ?? 0, records: window?.records ?? 0 };
}

const text = (part: string, gzip: boolean) => {
  if (!existsSync(part)) return '';
  const bytes = readFileSync(part);
  return (gzip ? gunzipSync(bytes) : bytes).toString();
};

describe.each([
  ['plain', false],
  ['gzip', true],
])('a %s part file and its ledger', (format, gzip) => {
  it('hold exactly the known-good records after SIGKILL at any moment', async () => {
    const dir = temporaryDirectory();
    const [part, path] = [join(dir, 'part'), join(dir, 'ledger.json')];
    let kills = 0;
    let torn = 0;
    let before = 0;
    while (kills < 5 || torn === 0 || before === 0) {
      const child = start(process.execPath, appender, part, path, format);
      await child.line();
      // A busy machine gets nothing done in so little time: later kills wait longer.
      await sleep(Math.random() * Math.max(60, 5 * kills));
      child.process.kill('SIGKILL');
      expect(await child.ended).toBe('SIGKILL');
      kills += 1;
      const good = await knownGood(path);
      expect(good.records).toBeGreaterThanOrEqual(before);
      before = good.records;
      const size = existsSync(part) ? statSync(part).size : 0;
      expect(size).toBeGreaterThanOrEqual(good.bytes);
      if (size > good.bytes) torn += 1;
      await (await PartFile.open(part, good, gzip)).close();
      // toBe would print megabytes.
      expect(text(part, gzip) === lines(good.records)).toBe(true);
    }
    expect(before).toBeGreaterThan(0);
  });

  withMounts('hold exactly the known-good records when the disk is full', async () => {
    const dir = temporaryDirectory();
    const disk = join(dir, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk], { stdio: 'pipe' });
    try {
      const [part, path] = [join(disk, 'part'), join(disk, 'ledger.json')];
      const child = start(process.execPath, appender, part, path, format);
      expect(await child.line()).toBe('open');
      expect(await child.line()).toMatch(/^output cannot write .*: no space left on device$/);
      expect(await child.ended).toBe(0);
      const good = await knownGood(path);
      expect(good.records).toBeGreaterThan(0);
      await (await PartFile.open(part, good, gzip)).close();
      expect(text(part, gzip) === lines(good.records)).toBe(true);
    } finally {
      execFileSync('umount', [disk]);
    }
  });

  inShell('hold exactly the known-good records when the file may grow no further', async () => {
    const dir = temporaryDirectory();
    const [part, path] = [join(dir, 'part'), join(dir, 'ledger.json')];
    // In blocks of 512 or 1024 bytes, depending on the shell; no multiple of a record's size.
    const limited = `ulimit -f 333; exec "$0" "$@"`;
    const child = start('sh', '-c', limited, process.execPath, appender, part, path, format);
    expect(await child.line()).toBe('open');
    expect(await child.line()).toMatch(/^output cannot write .*part: file too large$/);
    expect(await child.ended).toBe(0);
    const good = await knownGood(path);
    expect(good.records).toBeGreaterThan(0);
    expect(statSync(part).size).toBeGreaterThan(good.bytes);
    await (await PartFile.open(part, good, gzip)).close();
    expect(text(part, gzip) === lines(good.records)).toBe(true);
  });
});

describe('a ledger that lost its part file', () => {
  it('says so', async () => {
    const dir = temporaryDirectory();
    const [part, path] = [join(dir, 'part'), join(dir, 'ledger.json')];
    const child = start(process.execPath, appender, part, path, 'plain');
    await child.line();
    while (!existsSync(part) || (await knownGood(path)).records === 0) await sleep(5);
    child.process.kill('SIGKILL');
    await child.ended;
    truncateSync(part, 1);
    const again = start(process.execPath, appender, part, path, 'plain');
    expect(await again.line()).toMatch(/^incomplete .* has 1 bytes, but \d+ were written to it$/);
  });
});
