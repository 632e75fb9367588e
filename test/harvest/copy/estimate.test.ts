import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { emulate } from '../../helpers/emulator.ts';
import { run } from '../../helpers/run.ts';
import { answer, serve } from '../../helpers/server.ts';
import { ledgerIn, newDirectory } from '../copy-on-disk.ts';

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
          'Time +at least \\d+ s, at 9\\.9 requests a second\n' +
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
    expect([none.code, none.stdout]).toEqual([
      0,
      expect.stringMatching(/^DOIs +0\n[\s\S]*about 0 bytes/),
    ]);
    const { url } = await serve(answer(200, { data: [], meta: { total: 7 } }));
    const env = { DOI_CLI_BASE_URL: url.href };
    const { code, stdout, stderr } = await run(['dois', 'harvest', '--estimate'], { env });
    expect([code, stdout, stderr]).toEqual([3, '', expect.stringMatching(/sent no records/)]);
  });

  it('takes no single record for a page, and prints a rate below one request in 10 s', async () => {
    const one = await serve(answer(200, { data: { id: '10.5072/a' }, meta: { total: 7 } }));
    const argv = ['dois', 'harvest', '--estimate', '--rate', '1/1m'];
    const wrong = await run(argv, { env: { DOI_CLI_BASE_URL: one.url.href } });
    expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringMatching(/not a list of DOIs/)]);
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
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/^error: --query: .*not balanced.*\nhint: /),
      ]);
      expect(asked).toEqual([]);
    },
  );

  it('still says which directory a harvest lacks', async () => {
    expect(await run(['dois', 'harvest'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--dir/),
    });
  });
});

describe('harvest --format json', () => {
  it('prints the receipts of the run', async () => {
    const emulator = await emulate();
    const dir = newDirectory();
    const { code, stdout } = await emulator.run([
      'dois',
      'harvest',
      '--dir',
      dir,
      '--format',
      'json',
    ]);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { verdict: 'complete', receipts: [{ records: 300 }] },
    ]);
  });
});
