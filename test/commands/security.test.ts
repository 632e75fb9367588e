import { describe, expect, it } from 'vitest';
import { emulate, PASSWORD, REPOSITORY } from '../helpers/emulator.ts';
import { run } from '../helpers/run.ts';
import { answer, serve } from '../helpers/server.ts';

const UNKNOWN_KEY = `DC.${'q'.repeat(32)}`;
const HOSTILE = 'red\u001b[31m\u009b2J\u202eevil\u2066\u0007';

describe('text of the service', () => {
  it.each([
    ['text', []],
    ['json', ['--format', 'json']],
  ])('masks secrets in the words of the service, as %s', async (_, options) => {
    const basic = Buffer.from(`${REPOSITORY}:${PASSWORD}`).toString('base64');
    const title = `no ${PASSWORD} ${encodeURIComponent(PASSWORD)} ${basic} ${UNKNOWN_KEY}`;
    const { url } = await serve(answer(422, { errors: [{ status: '422', title }] }));
    const env = {
      DOI_CLI_BASE_URL: url.href,
      DOI_CLI_REPOSITORY: REPOSITORY,
      DOI_CLI_PASSWORD: PASSWORD,
    };
    const { code, stdout, stderr } = await run(['keys', 'list', '--verbose', ...options], {
      env: { ...env, DOI_CLI_DEBUG: '1' },
    });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('no *** *** *** DC.***');
    for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), basic, UNKNOWN_KEY]) {
      expect(stderr).not.toContain(secret);
    }
  });

  it.each([
    ['a table', ['keys', 'list']],
    ['an audit', ['keys', 'audit', '--grace', '0s']],
    ['a message', ['keys', 'revoke', HOSTILE, '--yes']],
    ['a prompt', ['keys', 'revoke', 'DC.', '--no-color']],
    ['a prompt for rotation', ['keys', 'rotate', 'DC.', '--no-color']],
  ])('makes control characters visible in %s', async (_, argv) => {
    const { run: asAccount, plantKey } = await emulate();
    const { prefix } = await plantKey(HOSTILE);
    const terminal = { stdin: true, stderr: true, stdout: true, columns: 200 };
    const { stdout, stderr } = await asAccount(
      argv.map((word) => (word === 'DC.' ? prefix : word)),
      { terminal, stdin: 'n\n', env: { NO_COLOR: '1' } },
    );
    expect(stdout + stderr).toContain('red\\x1b[31m\\x9b2J\\u202eevil\\u2066\\x07');
    expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n\t]|\p{Bidi_Control}/u);
  });
});
