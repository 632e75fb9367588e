import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ledgerIn, newDirectory } from '../harvest/copy-on-disk.ts';
import { emulate } from '../helpers/emulator.ts';
import { type RunOptions, run } from '../helpers/run.ts';
import { answer, serve } from '../helpers/server.ts';

describe('harvest --estimate', () => {
  it.each([[[]], [['--gzip']]])('tells what a harvest then takes %j', async (flags) => {
    const emulator = await emulate({ records: 3000 });
    const dir = newDirectory();
    const argv = ['dois', 'harvest', '--dir', dir, '--page-size', '100', '--jobs', '2', ...flags];
    const { code, stdout } = await emulator.run([...argv, '--estimate', '--format', 'json']);
    expect(code).toBe(0);
    expect(existsSync(dir)).toBe(false);
    const before = await emulator.log();
    expect(before.length).toBeLessThanOrEqual(3);
    const estimate = JSON.parse(stdout);
    expect(estimate).toMatchObject({ records: 3000, gzip: flags.length > 0, sampled: 100 });
    // 3,000 requests in five minutes.
    expect(estimate.requestsPerSecond).toBeCloseTo(9.9, 0);
    expect(estimate.seconds).toBe(Math.ceil(estimate.requests / estimate.requestsPerSecond));
    expect(estimate.freeBytes).toBeGreaterThan(0);

    expect(await emulator.run(argv)).toMatchObject({ code: 0 });
    const requests = (await emulator.log()).length - before.length;
    expect(estimate.requests / requests).toBeGreaterThan(0.85);
    expect(estimate.requests / requests).toBeLessThan(1.15);
    const bytes = (ledgerIn(dir).generations[0]?.windows ?? []).reduce(
      (sum, window) => sum + window.bytes,
      0,
    );
    expect(estimate.bytes / bytes).toBeGreaterThan(0.6);
    expect(estimate.bytes / bytes).toBeLessThan(1.6);
  });

  it.each([['--plan'], ['--shard=1/2'], ['--check'], ['--fresh']])('is not of %s', async (flag) => {
    const { run: runEmulated, log } = await emulate({ records: 0 });
    const { code, stderr } = await runEmulated([
      'dois',
      'harvest',
      '--dir',
      newDirectory(),
      '--estimate',
      flag,
    ]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(`'--estimate' cannot be used with option '${flag.split('=')[0]}`),
    ]);
    expect(await log()).toEqual([]);
  });

  it('needs no directory, and knows the query of one', async () => {
    const emulator = await emulate();
    const { code, stdout } = await emulator.run(['dois', 'harvest', '--estimate', '--mine']);
    const mine = Number((await emulator.run(['dois', 'list', '--count', '--mine'])).stdout);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(
        `^DOIs +${mine}\nRequests +about \\d+\n` +
          'Time +about \\d+ s, at 9\\.9 requests a second\n' +
          'Size +about \\d.* [kM]B, \\d.* kB a record\n$',
      ),
    );
    const dir = newDirectory();
    await emulator.run(['dois', 'harvest', '--dir', dir, '--mine']);
    const again = await emulator.run(['dois', 'harvest', '--dir', dir, '--estimate']);
    expect(again.stdout).toMatch(new RegExp(`^DOIs +${mine}\n[\\s\\S]*\nFree `));
  });

  it('has an answer where nothing matches, and where the service sends no sample', async () => {
    const emulator = await emulate();
    const none = await emulator.run(['dois', 'harvest', '--estimate', '--prefix', '10.99999']);
    expect([none.code, none.stdout]).toEqual([0, /^DOIs +0\n[\s\S]*about 0 bytes/]);
    const { url } = await serve(answer(200, { data: [], meta: { total: 7 } }));
    const env = { DOI_CLI_BASE_URL: url.href };
    const { code, stdout, stderr } = await run(['dois', 'harvest', '--estimate'], { env });
    expect([code, stdout, stderr]).toEqual([3, '', /sent no records/]);
  });

  it('takes no single record for a page, and prints a rate below one request in 10 s', async () => {
    const one = await serve(answer(200, { data: { id: '10.5072/a' }, meta: { total: 7 } }));
    const argv = ['dois', 'harvest', '--estimate', '--rate', '1/1m'];
    const wrong = await run(argv, { env: { DOI_CLI_BASE_URL: one.url.href } });
    expect([wrong.code, wrong.stderr]).toEqual([3, /not a list of DOIs/]);
    const { stdout } = await (await emulate()).run(argv);
    expect(stdout).toMatch(/at 0\.017 requests a second/);
  });

  it.each([[[]], [['--estimate']]])(
    'refuses a query that is not balanced before any request %j',
    async (flags) => {
      const { url, asked } = await serve(answer(200, { data: [], meta: { total: 0 } }));
      const argv = [
        'dois',
        'harvest',
        '--dir',
        newDirectory(),
        '--anonymous',
        '--query',
        'a)',
        ...flags,
      ];
      const { code, stderr } = await run(argv, { env: { DOI_CLI_BASE_URL: url.href } });
      expect([code, stderr]).toEqual([2, /^error: --query: .*not balanced.*\nhint: /]);
      expect(asked).toEqual([]);
    },
  );

  it('still says which directory a harvest lacks', async () => {
    expect(await run(['dois', 'harvest'])).toMatchObject({ code: 2, stderr: /--dir/ });
  });
});

describe('a new copy without filters', () => {
  const LARGE = 120_000_000;
  const terminal = { stdin: true, stderr: true, columns: 0 };
  const page = answer(200, { data: [{ id: '10.5072/a' }], meta: { total: LARGE } });
  const count = answer(200, { data: [], meta: { total: LARGE } });

  async function harvest(options: RunOptions, flags: readonly string[] = [], sample = page) {
    const { url, asked } = await serve(count, sample, answer(401, {}));
    const dir = join(newDirectory(), 'all');
    const argv = ['dois', 'harvest', '--dir', dir, '--anonymous', '--retries', '0', ...flags];
    const env = { DOI_CLI_BASE_URL: url.href };
    return { ...(await run(argv, { env, ...options })), asked, dir };
  }
  const size =
    'there are no filters: this copies 120,000,000 DOIs, takes about .* h, and needs about';

  it.each([[[]], [['--quiet']]])('is asked about on a terminal %j', async (flags) => {
    const { code, stderr, asked, dir } = await harvest({ terminal, stdin: 'n\n' }, flags);
    expect([code, stderr]).toEqual([
      1,
      /Copy all 120,000,000 DOIs\?[\s\S]*nothing was copied; filters such as/,
    ]);
    // A quiet run gets only the question.
    const told = flags.length === 0;
    expect(new RegExp(size).test(stderr.replace(/\s+/g, ' '))).toBe(told);
    expect(asked).toHaveLength(2);
    expect(existsSync(dir)).toBe(false);
  });

  it.each<[string, RunOptions, readonly string[]]>([
    ['with --yes', { terminal }, ['--yes']],
    ['with --no-input', { terminal }, ['--no-input']],
  ])('begins %s, with a note of its size', async (_, options, flags) => {
    const { stderr, asked } = await harvest(options, flags);
    expect(stderr).toMatch(new RegExp(`^${size}`));
    expect(asked.length).toBeGreaterThan(2);
  });

  it('begins without a sample', async () => {
    const { stderr, asked } = await harvest({ terminal }, ['--yes'], answer(500, {}));
    expect(stderr).toMatch(/^there are no filters: this copies 120,000,000 DOIs\n/);
    expect(asked.length).toBeGreaterThan(2);
  });

  it('is named to a person if it is small, unless it exists or has filters', async () => {
    const emulator = await emulate({ records: 12 });
    const dir = newDirectory();
    const argv = ['dois', 'harvest', '--dir', dir];
    const small = /^there are no filters: this copies 1\d DOIs, takes about \d s, and needs/;
    expect((await emulator.anonymous(argv, { terminal })).stderr).toMatch(small);
    expect((await emulator.anonymous(argv, { terminal })).stderr).not.toMatch(small);
    const filtered = ['dois', 'harvest', '--dir', newDirectory(), '--state', 'findable'];
    expect((await emulator.anonymous(filtered, { terminal })).stderr).not.toMatch(small);
    const piped = await emulator.anonymous(['dois', 'harvest', '--dir', newDirectory()]);
    expect(piped.stderr).not.toMatch(small);
  });
});

describe('harvest --format json', () => {
  it('prints the receipts of the run', async () => {
    const emulator = await emulate();
    const dir = newDirectory();
    const { code, stdout } = await emulator.run([
      ...'dois harvest --format json --dir'.split(' '),
      dir,
    ]);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { verdict: 'complete', receipts: [{ records: 300 }] },
    ]);
  });
});
