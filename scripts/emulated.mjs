// Shared by the scripts that run the built program against its emulator.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const PROGRAM = fileURLToPath(new URL('../bin/doi-cli.js', import.meta.url));

/** The environment of a user with this home, whose account is that of the emulator. */
export function userEnv(/** @type {string} */ home) {
  const own = Object.entries(process.env).filter(([name]) => /^(PATH$|DOI_CLI_)/.test(name));
  return { ...Object.fromEntries(own), HOME: home };
}

/**
 * Runs this script again as the command of an emulator, and ends with its exit code. There, it
 * returns.
 * @param {string[]} options of `emulator exec`
 */
export function underEmulator(...options) {
  if (process.env.SCRIPT_IS_EMULATED === '1') return;
  const env = { ...process.env, SCRIPT_IS_EMULATED: '1' };
  const argv = [PROGRAM, 'emulator', 'exec', ...options, '--', ...process.argv];
  process.exit(spawnSync(process.execPath, argv, { stdio: 'inherit', env }).status ?? 1);
}
