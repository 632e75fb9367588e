import { describe, expect, it } from 'vitest';
import { emulate, PASSWORD } from '../helpers/emulator.ts';
import { program } from './program.ts';

/** Node options that crash the program during a request, with an error that holds the password. */
const crashing = (how: string) => {
  const code = `setTimeout(()=>{${how}(new(Error)(process.env.DOI_CLI_PASSWORD+atob(process.env.MORE)))},400)`;
  return `--import data:text/javascript,${encodeURIComponent(`const fail=(e)=>{throw(e)};const reject=(e)=>{Promise.reject(e)};${code}`)}`;
};

describe('a crash', () => {
  it.each(['fail', 'reject'])('ends the program with 1 and shows no secret: %s', async (how) => {
    const { env } = await emulate({ latencyMs: 3000 });
    for (const debug of [{}, { DOI_CLI_DEBUG: '1' }]) {
      const more = Buffer.from(` DC.${'x'.repeat(32)}`).toString('base64');
      const result = await program(['keys', 'list'], {
        env: { ...env, ...debug, MORE: more, NODE_OPTIONS: crashing(how) },
      });
      expect(result).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/^error: \*\*\* DC\.\*\*\*$/m),
      });
      expect(result.stderr).not.toContain(PASSWORD);
    }
  });
});
