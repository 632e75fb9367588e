import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stopReason } from '../../../src/errors.ts';
import { emulate, PASSWORD, REPOSITORY } from '../../helpers/emulator.ts';
import { lacks } from '../../helpers/platform.ts';
import { run } from '../../helpers/run.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

const ACCOUNT = { DOI_CLI_REPOSITORY: REPOSITORY, DOI_CLI_PASSWORD: PASSWORD };

/** Runs a script of Node with the credentials; `written` is the text in its file, `out`. */
async function executed(
  script: string,
  { options = [] as string[], env = ACCOUNT as Record<string, string>, ...more } = {},
) {
  const folder = temporaryDirectory();
  const out = join(folder, 'out');
  const code = join(folder, 'script.cjs');
  writeFileSync(code, `const out = ${JSON.stringify(out)}, fs = require('fs');\n${script}`);
  const argv = ['auth', 'exec', ...options, '--', process.execPath, code, '--help', 'a b"c'];
  const result = await run(argv, { env, ...more });
  return { ...result, out, written: existsSync(out) ? readFileSync(out, 'utf8') : '' };
}

const WRITE_ENVIRONMENT = 'fs.writeFileSync(out, JSON.stringify([process.env, process.argv]))';

describe('auth exec', () => {
  it('gives a program the credentials, and no secret of its own', async () => {
    const base = 'http://127.0.0.1:9/root';
    const env = { ...ACCOUNT, DOI_CLI_BASE_URL: `${base}/`, DATACITE_PASSWORD: 'old', OTHER: 'x' };
    const { code, stdout, stderr, written } = await executed(WRITE_ENVIRONMENT, { env });
    expect([code, stdout, stderr]).toEqual([0, '', '']);
    const [variables, [, , ...args]] = JSON.parse(written);
    expect(variables).toMatchObject({
      DATACITE_USERNAME: REPOSITORY,
      DATACITE_PASSWORD: PASSWORD,
      DOI_CLI_BASE_URL: base,
      OTHER: 'x',
    });
    expect(Object.keys(variables)).not.toContain('DOI_CLI_PASSWORD');
    expect(args).toEqual(['--help', 'a b"c']);
    expect(JSON.stringify(args)).not.toContain(PASSWORD);
  });

  it('names the variables as it is told', async () => {
    const options = ['--as', 'DOI_CLI_REPOSITORY, DOI_CLI_PASSWORD'];
    const [variables] = JSON.parse((await executed(WRITE_ENVIRONMENT, { options })).written);
    expect(variables).toMatchObject(ACCOUNT);
    expect(variables).not.toHaveProperty('DATACITE_USERNAME');
    for (const names of [
      'A',
      'A,B,C',
      'A,a',
      'A,',
      '1,B',
      'A=x,B',
      '',
      'PATH,B',
      'A,LD_PRELOAD',
      'A,Node_Options',
      'A,DOI_CLI_BASE_URL',
    ]) {
      const refused = await executed(WRITE_ENVIRONMENT, { options: ['--as', names] });
      expect([names, refused.code, refused.written]).toEqual([names, 2, '']);
    }
  });

  it('gives an API key as the password of its account (service.md, A3)', async () => {
    const emulator = await emulate();
    const { key } = await emulator.newKey('ci');
    const env = { DOI_CLI_BASE_URL: emulator.baseUrl, DOI_CLI_API_KEY: key };
    const [asked] = JSON.parse((await executed(WRITE_ENVIRONMENT, { env })).written);
    expect(asked).toMatchObject({ DATACITE_USERNAME: 'demo.repo', DATACITE_PASSWORD: key });
    expect(Object.keys(asked)).not.toContain('DOI_CLI_API_KEY');
    const named = { ...env, DOI_CLI_BASE_URL: 'http://127.0.0.1:9', DOI_CLI_REPOSITORY: 'A.B' };
    const [known] = JSON.parse((await executed(WRITE_ENVIRONMENT, { env: named })).written);
    expect(known).toMatchObject({ DATACITE_USERNAME: 'A.B', DATACITE_PASSWORD: key });
  });

  it('runs nothing without credentials', async () => {
    const none = await executed(WRITE_ENVIRONMENT, { env: {} });
    expect([none.code, none.written]).toEqual([4, '']);
    const options = ['--anonymous'];
    expect((await executed(WRITE_ENVIRONMENT, { options })).code).toBe(2);
  });

  it('ends with the exit code of the program, and with 2 if it cannot run', async () => {
    expect((await executed('process.exit(7)')).code).toBe(7);
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    for (const [program, reason] of [
      ['/no/such/program', 'there is no such command'],
      ['', 'cannot be empty'],
      ['x'.repeat(70_000), ''],
      ...(lacks('signals') ? [] : [[file, 'it is a folder, or may not be executed']]),
    ] as const) {
      const { code, stderr } = await run(['auth', 'exec', '--', program], { env: ACCOUNT });
      expect(code).toBe(2);
      expect(stderr).toContain(`cannot run ${program}: `);
      expect(stderr).toContain(reason);
    }
  });

  it.skipIf(lacks('signals')).each<[Parameters<typeof stopReason>[0], number]>([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('passes on %s', async (name, code) => {
    const forever = `fs.writeFileSync(out + 'ready', ''); setInterval(() => {}, 1000);`;
    const handled = `process.on('${name}', () => { fs.writeFileSync(out, '${name}'); process.exit(9); });`;
    for (const [script, expected, text] of [
      [forever, code, ''],
      [handled + forever, 9, name],
    ] as const) {
      const once = new AbortController();
      const folder = temporaryDirectory();
      const ready = join(folder, 'ready');
      const running = executed(script.replace("out + 'ready'", JSON.stringify(ready)), {
        signal: once.signal,
      } as object);
      const timer = setInterval(() => existsSync(ready) && once.abort(stopReason(name)), 20);
      const ended = await running.finally(() => clearInterval(timer));
      expect([ended.code, ended.written]).toEqual([expected, text]);
    }
  });
});
