import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { against } from '../helpers/against.ts';
import { bufferSink, run } from '../helpers/run.ts';
import { type Answer, answer, closedPort, reset, silent, truncated } from '../helpers/server.ts';

const OK = answer(200, { data: [], meta: { total: 7 } });
const COUNT = ['dois', 'list', '--count'];

function count(url: URL, ...more: string[]) {
  return run([...COUNT, ...more], { env: { DOI_CLI_BASE_URL: url.href } });
}

describe('a wait for another attempt', () => {
  it.each<[string, Answer, RegExp]>([
    ['an error', answer(503, {}), /^HOST cannot answer now \(HTTP 503\); attempt (\d) of 9 in \d/],
    ['a broken connection', reset, /^HOST gave no complete answer \(.*\); attempt (\d) of 9 in \d/],
    ['half an answer', truncated, /^HOST gave no complete answer \(.*\); attempt (\d) of 9 in \d/],
    ['a rate limit', answer(429, ''), /^HOST limits the rate \(HTTP 429\); trying again in \d/],
    ['a proxy', answer(403, '<html>'), /^HOST limits the rate \(HTTP 403\); trying again in \d/],
  ])('after %s says for what, and which attempt of how many', async (_, bad, expected) => {
    const { code, stdout, stderr, url } = await against(COUNT, [bad, bad, bad, bad, OK]);
    expect([code, stdout]).toEqual([0, '7\n']);
    const lines = stderr.trimEnd().split('\n');
    // The waits are 0.25, 0.5, 1 and 2 seconds: the first two, of less than a second, need no
    // words.
    expect(lines).toHaveLength(2);
    for (const [index, line] of lines.entries()) {
      const [, attempt] = new RegExp(expected.source.replace('HOST', url.host)).exec(line) ?? [];
      expect(line).toMatch(new RegExp(expected.source.replace('HOST', url.host)));
      if (attempt !== undefined) expect(Number(attempt)).toBe(index + 4);
    }
  });

  it('is said of a harvest that the service throttles', async () => {
    const argv = ['dois', 'harvest', '--estimate', '--prefix', '10.1'];
    const { code, stderr } = await against(argv, [answer(429, '', { 'retry-after': '30' }), OK]);
    expect([code, stderr]).toEqual([3, /limits the rate \(HTTP 429\); trying again in 3\d s\n/]);
  });

  it('is said of a first answer that is late', async () => {
    const stderr = bufferSink();
    const argv = [...COUNT, '--timeout', '4s', '--retries', '0'];
    const { code, url } = await against(argv, silent, { stderr });
    expect([code, stderr.text()]).toEqual([
      5,
      expect.stringMatching(
        `^waiting for an answer from ${url.host}\nerror: no answer from ${url.host}: `,
      ),
    ]);
  });

  it('is not said with --quiet', async () => {
    const bad = answer(503, {});
    const quiet = await against([...COUNT, '--quiet'], [bad, bad, bad, bad, bad, OK]);
    expect(quiet).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a host that cannot be reached', () => {
  it('fails at once at the first request', async () => {
    const url = await closedPort();
    const { code, stderr, waits } = await count(url);
    expect([code, waits.length]).toEqual([5, 1]);
    expect(stderr).toBe(
      `error: no answer from ${url.host}: the connection was refused (2 attempts)\nhint: check the network and --base-url\n`,
    );
  });

  it('fails at once where its name is unknown', async () => {
    const { code, stderr, waits } = await count(new URL('https://unknown.invalid'));
    expect([code, waits.length]).toEqual([5, 1]);
    expect(stderr).toMatch(
      /^error: no answer from unknown\.invalid: the host name .* \(2 attempts\)\nhint: /,
    );
  });

  it('is waited for once it has answered', async () => {
    // Two requests: the account, and the count. The server is gone after the first.
    const server = createServer((_, response) => {
      response.writeHead(503, { connection: 'close' }).end('{}');
      server.close();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const { code, stderr, waits } = await count(url, '--retries', '5');
    expect([code, waits.length]).toEqual([5, 5]);
    expect(stderr).toMatch(/cannot be reached \(the connection was refused\); attempt \d of 6 in /);
  });
});
