import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { stopReason } from '../../../src/errors.ts';
import { ledgerIn, newDirectory } from '../../harvest/copy-on-disk.ts';
import { emulate, type TestEmulator } from '../../helpers/emulator.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

const SIGNALS = [
  ['SIGINT', 130, 'interrupted'],
  ['SIGTERM', 143, 'terminated'],
  ['SIGHUP', 129, 'the terminal has gone'],
] as const;

/** Runs a command line, and stops it after a number of requests. */
async function stopped(
  emulator: TestEmulator,
  argv: readonly string[],
  requests: number,
  name: (typeof SIGNALS)[number][0] = 'SIGINT',
) {
  const stop = new AbortController();
  let over = false;
  const watch = async () => {
    while (!over && !stop.signal.aborted) {
      if ((await emulator.log()).length >= requests) stop.abort(stopReason(name));
      await setTimeout(10);
    }
  };
  const watching = watch();
  const result = await emulator.run(argv, { signal: stop.signal });
  over = true;
  await watching;
  expect(stop.signal.aborted).toBe(true);
  return result;
}

describe('an interrupt', () => {
  it.each(SIGNALS)('of a list says how much was written (%s)', async (name, code, word) => {
    const emulator = await emulate({ records: 5000, latencyMs: 20 });
    const argv = ['dois', 'list', '--all', '--page-size', '20'];
    const result = await stopped(emulator, argv, 12, name);
    const written = (result.stdout.split('\n').length - 1).toLocaleString('en-US');
    expect(result.code).toBe(code);
    expect(result.stderr).toMatch(
      new RegExp(
        `^error: ${word} after ${written} of 5,000 DOIs\nhint: doi-cli dois harvest .*continued$`,
        'm',
      ),
    );
  });

  it.each([[['--all', '--page-size', '20']], [['--limit', '4000', '--page-size', '20']]])(
    'of a list with --out says that nothing was written %j',
    async (paging) => {
      const emulator = await emulate({ records: 5000, latencyMs: 20 });
      const out = join(temporaryDirectory(), 'x.ndjson');
      const result = await stopped(emulator, ['dois', 'list', ...paging, '--out', out], 12);
      expect([result.code, existsSync(out)]).toEqual([130, false]);
      expect(result.stderr).toMatch(
        /^error: interrupted after \d.* of 5,000 DOIs; nothing was written to \S+x\.ndjson\nhint: doi-cli dois harvest/m,
      );
    },
  );

  it.each(SIGNALS)(
    'of a harvest says what is on disk, and how to go on (%s)',
    async (name, code, word) => {
      const emulator = await emulate({ records: 5000, latencyMs: 20 });
      const dir = newDirectory();
      const argv = ['dois', 'harvest', '--dir', dir, '--page-size', '20', '--jobs', '2'];
      const result = await stopped(emulator, argv, 40, name);
      const records = (ledgerIn(dir).generations[0]?.windows ?? []).reduce(
        (sum, window) => sum + window.records,
        0,
      );
      const words = `^error: ${word}; ${records.toLocaleString('en-US')} of 5,000 DOIs are on disk\n`;
      expect([result.code, result.stderr]).toEqual([code, new RegExp(words, 'm')]);
      expect(result.stderr).toContain(
        `hint: the same command again continues: doi-cli dois harvest --dir ${dir}\n`,
      );
    },
  );

  it('of a harvest that has only begun says so', async () => {
    const emulator = await emulate({ records: 5000, latencyMs: 500 });
    const result = await stopped(emulator, ['dois', 'harvest', '--dir', newDirectory()], 1);
    expect(result).toMatchObject({
      code: 130,
      // The plan may just have been written.
      stderr: /^error: interrupted; (nothing is on disk yet$|0 of 5,000 DOIs are on disk$)/m,
    });
  });

  it('is one object with --format json', async () => {
    const emulator = await emulate({ records: 5000, latencyMs: 20 });
    const argv = ['dois', 'harvest', '--dir', newDirectory(), '--page-size', '20', '--jobs', '2'];
    const { code, stderr } = await stopped(emulator, [...argv, '--format', 'json'], 40);
    expect(code).toBe(130);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { kind: 'interrupted', message: / of 5,000 DOIs are on disk$/ },
    });
  });
});

it('a harvest that the service leaves says what is on disk', async () => {
  const emulator = await emulate({ records: 2000, faults: ['502@60+'] });
  const dir = newDirectory();
  const argv = [...'dois harvest --page-size 20 --jobs 1 --retries 1 --dir'.split(' '), dir];
  expect(await emulator.run(argv)).toMatchObject({
    code: 5,
    stderr: /HTTP 502\); \d.* of 2,000 DOIs are on disk\nhint: .*the same command again continues/,
  });
});
