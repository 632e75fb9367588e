// Shared by the chaos scripts: a command that is killed at random moments and run again, under the
// emulator.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { PROGRAM, userEnv } from './emulated.mjs';

// A command that is not killed must end some time.
const MAX_RUNS = 2000;

/** The options of every chaos script, for parseArgs. */
export const CHAOS_OPTIONS = {
  kills: { type: 'string', default: '100' },
  // Each process is killed at a random time between these, in milliseconds after its start.
  soonest: { type: 'string', default: '100' },
  latest: { type: 'string', default: '3000' },
};

export const folder = mkdtempSync(join(tmpdir(), 'doi-cli-chaos-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Since the start of the test. */
export const seconds = () => Math.round(process.uptime());

/** Sets the emulator's faults. */
export async function setFaults(...faults) {
  const url = `${process.env.DOI_CLI_BASE_URL}/_emulator/faults`;
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ faults }) });
  if (!response.ok) throw new Error(await response.text());
}

/** Runs a command without kills. */
export async function run(argv) {
  const { code, errors, output } = await start(argv).end;
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${errors}`);
  return output;
}

/**
 * Runs a command again and again until it exits with 0, and kills it `kills` times at random
 * moments.
 * @param allowed the other exit codes that it may have.
 */
export async function untilDone(argv, { kills, soonest, latest }, allowed) {
  const [most, from, to] = [kills, soonest, latest].map(Number);
  const exits = {};
  let killed = 0;
  for (let runs = 1; runs <= MAX_RUNS; runs += 1) {
    const { child, end } = start(argv);
    if (killed < most) {
      const moment = sleep(from + Math.random() * (to - from), 'kill', { ref: false });
      if ((await Promise.race([end, moment])) === 'kill') child.kill('SIGKILL');
    }
    const { code, signal, errors, output } = await end;
    if (signal === 'SIGKILL') killed += 1;
    else if (code !== 0 && !allowed.includes(code))
      throw new Error(`run ${runs} ended with ${code ?? signal}: ${errors}`);
    exits[signal ?? code] = (exits[signal ?? code] ?? 0) + 1;
    if (code !== 0) continue;
    if (killed < most) throw new Error(`complete after ${killed} kills: more records are needed`);
    return { output, runs, kills: killed, exits };
  }
  throw new Error(`not complete after ${MAX_RUNS} runs`);
}

function start(argv) {
  const child = spawn(process.execPath, [PROGRAM, ...argv], {
    env: { ...userEnv(folder), TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { child, end: ended(child) };
}

async function ended(child) {
  const streams = [text(child.stdout), text(child.stderr)];
  const [code, signal] = await once(child, 'close');
  const [output, errors] = await Promise.all(streams);
  return { code, signal, output, errors };
}
