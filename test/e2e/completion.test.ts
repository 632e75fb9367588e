import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanEnv, program } from './program.ts';

const scripts = Object.fromEntries(
  await Promise.all(
    ['bash', 'zsh', 'fish'].map(
      async (shell) => [shell, (await program(['completion', shell])).stdout] as const,
    ),
  ),
);

/** The completions that bash offers at the last word of a command line. */
function offered(...words: readonly string[]): string[] {
  const env = { ...cleanEnv(), SCRIPT: scripts['bash'] ?? '' };
  const code =
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is bash code.
    'eval "$SCRIPT"; COMP_WORDS=(doi-cli "$@"); COMP_CWORD=$#; _doi_cli 2>/dev/null; printf "%s\\n" "${COMPREPLY[@]}"';
  const { stdout } = spawnSync('bash', ['-c', code, 'bash', ...words], { env, encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line !== '');
}

describe('bash completion', () => {
  it('offers commands and options by where the cursor is', () => {
    expect(offered('')).toEqual(expect.arrayContaining(['keys', 'dois', 'emulator', 'config', '--help']));
    expect(offered('keys', 're')).toEqual(['revoke']);
    expect(offered('--verbose', 'dois', 'list', '--pro')).toEqual([
      '--provider-id',
      '--profile',
      '--probe-credentials',
    ]);
    expect(offered('keys', 'list', '--format', '')).toEqual(expect.arrayContaining(['table', 'csv']));
    expect(offered('emulator', 'exec', '--', 'ke')).toEqual([]);
  });
  it('never runs what stands on the command line', () => {
    const env = cleanEnv();
    const file = join(env['HOME'] ?? '', 'pwned');
    for (const word of [`$(touch ${file})`, `\`touch ${file}\``, `';touch ${file};'`]) {
      offered(word);
      offered('keys', word, '');
      offered('keys', 'list', '--format', word);
    }
    expect(existsSync(file)).toBe(false);
  });
});

describe.each(['zsh', 'fish'])('%s completion', (shell) => {
  const missing = spawnSync(shell, ['--version']).error !== undefined;
  if (missing && process.env['DOI_CLI_REQUIRE_ALL_TESTS'] !== '1') {
    it.skip(`is checked by ${shell} (it is not installed)`, () => undefined);
    return;
  }
  it(`is a script that ${shell} loads without a word`, () => {
    const env = cleanEnv();
    const file = join(env['HOME'] ?? '', 'completion');
    writeFileSync(file, scripts[shell] ?? '');
    const load = shell === 'zsh' ? `autoload -U compinit; compinit -u; source ${file}` : `source ${file}`;
    const { status, stderr } = spawnSync(shell, ['-c', load], { env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    if (shell === 'zsh') return;
    const at = spawnSync(shell, ['-c', `${load}; complete -C 'doi-cli keys re'`], { env, encoding: 'utf8' });
    expect(at.stdout).toMatch(/^revoke\t/);
  });
});

it('refuses another shell', async () => {
  expect(await program(['completion', 'tcsh'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/bash, zsh, fish/),
  });
});
