import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const START_TIMEOUT_MS = 20_000;

/**
 * The emulator in a separate process, which ends with this one at the latest.
 * @param {string} program
 * @param {string[]} options of `emulator start`
 * @throws {Error} when it does not start
 */
export async function startEmulator(program, options) {
  const child = spawn(
    process.execPath,
    [program, 'emulator', 'start', ...options, '--format', 'json'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const kill = () => child.kill();
  process.once('exit', kill);
  const stop = async () => {
    process.removeListener('exit', kill);
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    await once(child, 'exit');
  };
  try {
    const lines = createInterface({ input: child.stdout });
    const [line] = await once(lines, 'line', { signal: AbortSignal.timeout(START_TIMEOUT_MS) });
    const { baseUrl, repository, password } = JSON.parse(line);
    const control = async (path) => (await fetch(`${baseUrl}/_emulator/${path}`)).json();
    return { baseUrl, repository, password, control, stop };
  } catch (error) {
    await stop();
    throw new Error(`the emulator does not start: ${error.message}`);
  }
}
