// Whole processes, measured in turn: A B C A B C …, so that a slow moment of the machine affects
// all.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';

const PROCESS_TIMEOUT_MS = 300_000;
/** Of a whole list at the limit of the service. */
const LIST_TIMEOUT_MS = 1_200_000;

/**
 * @typedef {{ name: string, command: string[], terminal?: boolean, code?: number, timeoutMs?:
 *   number }} Candidate `terminal` runs it on a terminal instead of /dev/null; `code` is the exit
 *   code, usually 0
 * @typedef {{ wallMs: number, cpuMs: number, peakKb: number }} Sample `peakKb` is the resident
 *   memory of the largest process
 * @typedef {{ name: string, samples: Sample[] }} Result
 */

/**
 * Runs every candidate `warmups + runs` times, interleaved.
 *
 * @param {Candidate[]} candidates
 * @param {{ runs: number, warmups: number, scratchFile: string, onRun?: (text: string) => void }}
 *   options `scratchFile` receives the output of GNU time
 * @returns {Promise<Result[]>} the counted samples of each candidate
 * @throws {Error} when a process fails: a failed run is no measurement
 */
export async function measure(candidates, { runs, warmups, scratchFile, onRun }) {
  const results = candidates.map(({ name }) => ({ name, samples: [] }));
  for (let round = -warmups; round < runs; round++) {
    for (const [index, candidate] of candidates.entries()) {
      onRun?.(`${round < 0 ? 'warm-up' : `run ${round + 1}/${runs}`}: ${candidate.name}`);
      const sample = await sampleOf(candidate, scratchFile);
      if (round >= 0) results[index].samples.push(sample);
    }
  }
  return results;
}

/**
 * This process measures the wall time, because GNU time counts in hundredths of a second; the start
 * of GNU time is the same for every candidate. Processor time and memory include waited-for
 * children.
 */
async function sampleOf(
  /** @type {Candidate} */ {
    command,
    terminal = false,
    code: expected = 0,
    timeoutMs = PROCESS_TIMEOUT_MS,
  },
  /** @type {string} */ scratchFile,
) {
  const args = ['-q', '-f', '%U %S %M', '-o', scratchFile, ...command];
  const started = performance.now();
  const { code, errors } = await (terminal ? ranOnTerminal(args) : ran(args, timeoutMs));
  const wallMs = performance.now() - started;
  if (code !== expected) throw new Error(`${command.join(' ')}: exit code ${code}\n${errors}`);
  const [user, system, peakKb] = (await readFile(scratchFile, 'utf8'))
    .trim()
    .split('\n')
    .at(-1)
    .split(' ')
    .map(Number);
  return { wallMs, cpuMs: (user + system) * 1000, peakKb };
}

async function ran(/** @type {string[]} */ args, /** @type {number} */ timeout) {
  const child = spawn('time', args, { stdio: ['ignore', 'ignore', 'pipe'], timeout });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const [code, signal] = await once(child, 'close');
  return { code: code ?? signal, errors };
}

/** On a terminal that the longest help fits on. */
async function ranOnTerminal(/** @type {string[]} */ args) {
  const { spawn: spawnOnTerminal } = await import('@lydell/node-pty');
  const env = { ...process.env, TERM: 'xterm-256color' };
  const child = spawnOnTerminal('time', args, { cols: 100, rows: 200, env });
  let errors = '';
  child.onData((text) => {
    errors += text;
  });
  const { exitCode: code } = await new Promise((resolve) => child.onExit(resolve));
  return { code, errors };
}

/**
 * @param {Result} result
 * @param {keyof Sample} of
 * @returns {{ median: number, min: number, max: number }}
 */
export function summary({ samples }, of) {
  const sorted = samples.map((sample) => sample[of]).sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const median = (sorted[Math.floor(middle - 0.5)] + sorted[Math.floor(middle)]) / 2;
  return { median, min: sorted[0], max: sorted[sorted.length - 1] };
}

/**
 * Runs a command once and reads its output: the seconds to the first byte and to the end, lines,
 * hash and memory.
 *
 * @param {string[]} command
 * @param {NodeJS.ProcessEnv} env
 * @param {string} scratchFile receives the output of GNU time
 * @throws {Error} when it fails: a failed run is no measurement
 */
export async function timed([file, ...args], env, scratchFile) {
  const started = performance.now();
  const child = spawn('time', ['-q', '-f', '%M', '-o', scratchFile, file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LIST_TIMEOUT_MS,
    env,
  });
  const hash = createHash('sha256');
  let lines = 0;
  let first;
  child.stdout.on('data', (chunk) => {
    first ??= (performance.now() - started) / 1000;
    hash.update(chunk);
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${args.join(' ')}: exit code ${code}`);
  const seconds = (performance.now() - started) / 1000;
  const peakMb = Number((await readFile(scratchFile, 'utf8')).trim()) / 1024;
  return { seconds, first, lines, hash: hash.digest('hex'), peakMb };
}
