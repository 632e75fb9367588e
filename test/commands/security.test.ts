import { describe, expect, it } from 'vitest';
import { emulate } from '../helpers/emulator.ts';

const HOSTILE = 'red\u001b[31m\u009b2J\u202eevil\u2066\u0007';

describe('text of the service', () => {
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
