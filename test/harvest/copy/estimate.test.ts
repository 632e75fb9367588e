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

  it('needs no directory, and knows the query of one', async () => {
    const emulator = await emulate();
    const { code, stdout } = await emulator.run(['dois', 'harvest', '--estimate', '--mine']);
    const mine = Number((await emulator.run(['dois', 'list', '--count', '--mine'])).stdout);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(
        `^DOIs +${mine}\nRequests +about \\d+\nTime +at least \\d+ s, at 9\\.9 requests a second\nSize +about \\d.* [kM]B, \\d.* kB a record\n$`,
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
    expect([none.code, none.stdout]).toEqual([0, expect.stringMatching(/^DOIs +0\n[\s\S]*about 0 bytes/)]);
    const { url } = await serve(answer(200, { data: [], meta: { total: 7 } }));
    const env = { DOI_CLI_BASE_URL: url.href };
    const { code, stdout, stderr } = await run(['dois', 'harvest', '--estimate'], { env });
    expect([code, stdout, stderr]).toEqual([3, '', expect.stringMatching(/sent no records/)]);
  });

  it('still says which directory a harvest lacks', async () => {
    expect(await run(['dois', 'harvest'])).toMatchObject({ code: 2, stderr: expect.stringMatching(/--dir/) });
  });
});

describe('harvest --format json', () => {
  it('prints the receipts of the run', async () => {
    const emulator = await emulate();
    const dir = newDirectory();
    const { code, stdout } = await emulator.run(['dois', 'harvest', '--dir', dir, '--format', 'json']);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { verdict: 'complete', receipts: [{ records: 300 }] },
    ]);
  });
});
