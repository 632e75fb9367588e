import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Sink } from '../../src/ui/sink.ts';
import { emulate } from '../helpers/emulator.ts';
import { bufferSink, run } from '../helpers/run.ts';
import { accountAt, answer, serve } from '../helpers/server.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const record = (suffix: string) => ({ doi: `10.5072/${suffix}`, titles: [{ title: suffix }] });
const lines = (count: number) =>
  Array.from({ length: count }, (_, index) => `${JSON.stringify(record(`x${index}`))}\n`).join('');

describe('refused credentials', () => {
  it.each([
    'dois list --all',
    'dois harvest --dir DIR',
    'dois get 10.5072/draft',
    'dois create --doi 10.5072/x --title T',
    'dois delete 10.5072/draft --yes',
    'dois create --file DIR/many.ndjson --ledger DIR/ledger',
    'auth status',
  ])('end `%s` with 4: a wrong password, a revoked key, a deleted account', async (line) => {
    const emulator = await emulate({ records: 20 });
    const draft = ['dois', 'create', '--doi', '10.5072/draft', '--title', 'T'];
    expect((await emulator.run(draft)).code).toBe(0);
    const { id, key } = await emulator.newKey('ci');
    expect((await emulator.run(['keys', 'revoke', id, '--yes'])).code).toBe(0);
    for (const env of [
      { ...emulator.env, DOI_CLI_PASSWORD: 'wrong' },
      { DOI_CLI_BASE_URL: emulator.baseUrl, DOI_CLI_API_KEY: key },
      { ...emulator.env, DOI_CLI_REPOSITORY: 'NO.SUCH' },
    ]) {
      const dir = temporaryDirectory();
      writeFileSync(join(dir, 'many.ndjson'), lines(5));
      const { code, stdout, stderr } = await run(line.replaceAll('DIR', dir).split(' '), { env });
      expect(code, stderr).toBe(4);
      expect(line === 'auth status' || stdout === '', stdout).toBe(true);
      expect(`${stdout}${stderr}`).toMatch(/did not accept|Bad credentials/);
      const ledger = join(dir, 'ledger');
      if (existsSync(ledger)) expect(readFileSync(ledger, 'utf8')).not.toContain('failed');
    }
  });

  it('leave a 404 to accepted credentials as it is', async () => {
    const emulator = await emulate({ records: 20 });
    const { key } = await emulator.newKey('ci');
    for (const env of [{}, { DOI_CLI_API_KEY: key }]) {
      expect((await emulator.run(['dois', 'get', '10.5072/none'], { env })).code).toBe(1);
    }
  });

  it('are no reason of a 404 to a member, which may not write (service.md, A9)', async () => {
    const emulator = await emulate({ records: 20 });
    await emulator.control('accounts', { id: 'DEMO', password: 'three' });
    const env = { DOI_CLI_REPOSITORY: 'DEMO', DOI_CLI_PASSWORD: 'three' };
    const file = join(temporaryDirectory(), 'many.ndjson');
    writeFileSync(file, lines(5));
    for (const source of [
      ['--doi', '10.5072/x', '--title', 'T'],
      ['--file', file],
    ]) {
      const member = await emulator.run(['dois', 'create', ...source], { env });
      expect([member.code, member.stdout]).toEqual([4, '']);
      expect(member.stderr).toMatch(
        /^error: the credentials of DEMO \(.*\) belong to a member, and only/m,
      );
    }
    expect((await emulator.run(['dois', 'get', '10.5072/x'], { env })).code).toBe(1);
  });

  it.each(['create', 'update'])(
    'in the middle of a bulk %s end it, and fail no record',
    async (command) => {
      const emulator = await emulate({ records: 20 });
      const file = join(temporaryDirectory(), 'many.ndjson');
      writeFileSync(file, lines(150));
      const created = ['dois', 'create', '--file', file];
      if (command === 'update') expect((await emulator.run(created)).code).toBe(0);
      const argv = ['dois', command, '--file', file, '--jobs', '2'];
      const { id, key } = await emulator.newKey('ci');
      const written = bufferSink();
      let revoking: Promise<unknown> | undefined;
      const stdout: Sink = {
        async write(...parts) {
          revoking ??= emulator.run(['keys', 'revoke', id, '--yes']);
          await revoking;
          await written.write(...parts);
        },
      };
      const keyed = { env: { ...emulator.env, DOI_CLI_API_KEY: key } };
      const stopped = await emulator.run(argv, { ...keyed, stdout });
      expect([stopped.code, stopped.stderr]).toEqual([
        4,
        expect.stringMatching(/did not accept|Bad credentials/),
      ]);
      const ledger = readFileSync(`${file}.${command}-ledger`, 'utf8');
      expect(`${written.text()}${ledger}`).not.toContain('failed');
      const again = await emulator.run(argv);
      expect(again.code, again.stderr).toBe(0);
      expect(again.stdout.trimEnd().split('\n')).toHaveLength(150);
      expect(again.stdout).not.toContain('failed');
    },
  );
});

describe('a write carried out as another account', () => {
  const titles = [{ title: 'T' }];
  const data = {
    id: '10.5072/x0',
    type: 'dois',
    attributes: { doi: '10.5072/x0', state: 'draft', titles },
  };
  const OTHER = { 'x-credential-username': 'other.repo' };
  const WRONG = {
    'another name': OTHER,
    anonymous: { 'x-anonymous-consumer': 'true' },
    blank: { 'x-credential-username': '' },
  };

  it.each(Object.entries(WRONG))('is kept and said: %s', async (_, headers) => {
    const made = await serve(answer(201, { data }, headers));
    const create = ['dois', 'create', '--doi', '10.5072/x0', '--title', 'T', '--quiet'];
    const created = await run(create, { env: accountAt(made.url) });
    expect([created.code, JSON.parse(created.stdout)]).toEqual([4, data]);
    expect(created.stderr).toMatch(/warning: the service .* carried out a POST/);
    const key = {
      data: {
        id: 'k',
        type: 'apiKeys',
        attributes: { name: 'ci', keyPrefix: 'DC.1', created: '2020', key: 'DC.1234567890' },
      },
    };
    const keys = await serve(answer(200, { data: [] }), answer(201, key, headers));
    const argv = ['keys', 'create', '--name', 'ci', '--key-only'];
    const { code, stdout } = await run(argv, { env: accountAt(keys.url) });
    expect([code, stdout]).toEqual([4, 'DC.1234567890\n']);
  });

  it('ends a bulk run, with the record in its results', async () => {
    const file = join(temporaryDirectory(), 'many.ndjson');
    const line = `${JSON.stringify({ doi: '10.5072/x0', titles: [{ title: 'T' }] })}\n`;
    writeFileSync(file, `${line}${line.replace('x0', 'x1')}${line.replace('x0', 'x2')}`);
    const count = answer(200, { data: [], meta: { total: 1 } });
    const { url, asked } = await serve(count, answer(201, { data }, OTHER));
    const argv = ['dois', 'create', '--file', file, '--jobs', '1'];
    const { code, stdout, stderr } = await run(argv, { env: accountAt(url) });
    expect([code, asked.map(({ method }) => method)], stderr).toEqual([4, ['GET', 'GET', 'POST']]);
    expect(stdout).toMatch(/^[^\n]*"created"[^\n]*\n$/);
  });
});

describe('behind a proxy that removes the headers', () => {
  it.each([
    'dois list --mine --count',
    'dois harvest --dir DIR',
    'dois create --file DIR/many.ndjson',
    'keys rotate ci --yes',
    'datafile credentials',
    'auth status',
  ])('`%s` needs --probe-credentials, which a wrong password does not pass', async (line) => {
    const emulator = await emulate({ records: 20 });
    await emulator.newKey('ci');
    expect(
      (await emulator.run(['dois', 'create', '--doi', '10.5072/draft', '--title', 'T'])).code,
    ).toBe(0);
    const { url } = await serve(async (response, { method, url, headers, body }) => {
      const { authorization = '', accept = '', 'content-type': type = '' } = headers;
      const reply = await fetch(`${emulator.baseUrl}${url}`, {
        method,
        headers: { authorization, accept, ...(body === '' ? {} : { 'content-type': type }) },
        ...(body === '' ? {} : { body }),
      });
      response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? '' });
      response.end(Buffer.from(await reply.arrayBuffer()));
    });
    const through = (extra: readonly string[], password = emulator.env['DOI_CLI_PASSWORD']) => {
      const dir = temporaryDirectory();
      writeFileSync(join(dir, 'many.ndjson'), lines(3));
      const env = { ...emulator.env, DOI_CLI_BASE_URL: url.origin, DOI_CLI_PASSWORD: password };
      return run([...line.replaceAll('DIR', dir).split(' '), ...extra], { env });
    };
    const without = await through([]);
    expect([without.code, without.stderr + without.stdout]).toEqual([
      4,
      expect.stringMatching(/does not identify/),
    ]);
    expect((await through(['--probe-credentials'], 'wrong')).code).toBe(4);
    const proven = await through(['--probe-credentials']);
    expect(proven.code, proven.stderr).toBe(0);
  });
});
