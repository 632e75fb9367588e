// Whole processes, measured in turn: A B C A B C …, so that a slow moment of the machine affects all.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';

const PROCESS_TIMEOUT_MS = 300_000;

/**
 * @typedef {{ name: string, command: string[] }} Candidate
 * @typedef {{ wallMs: number, cpuMs: number, peakKb: number }} Sample `peakKb` is the resident memory of the largest process
 * @typedef {{ name: string, samples: Sample[] }} Result
 */

/**
 * Runs every candidate `warmups + runs` times, interleaved, with stdout on /dev/null.
 *
 * @param {Candidate[]} candidates
 * @param {{ runs: number, warmups: number, scratchFile: string, onRun?: (text: string) => void }} options
 *   `scratchFile` receives the output of GNU time
 * @returns {Promise<Result[]>} the counted samples of each candidate
 * @throws {Error} when a process fails: a failed run is no measurement
 */
export async function measure(candidates, { runs, warmups, scratchFile, onRun }) {
  const results = candidates.map(({ name }) => ({ name, samples: [] }));
  for (let round = -warmups; round < runs; round++) {
    for (const [index, candidate] of candidates.entries()) {
      onRun?.(`${round < 0 ? 'warm-up' : `run ${round + 1}/${runs}`}: ${candidate.name}`);
      const sample = await sampleOf(candidate.command, scratchFile);
      if (round >= 0) results[index].samples.push(sample);
    }
  }
  return results;
}

/**
 * This process measures the wall time, because GNU time counts in hundredths of a second; the start of GNU time is the
 * same for every candidate. Processor time and memory include waited-for children.
 */
async function sampleOf(/** @type {string[]} */ command, /** @type {string} */ scratchFile) {
  const started = performance.now();
  const child = spawn('time', ['-q', '-f', '%U %S %M', '-o', scratchFile, ...command], {
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: PROCESS_TIMEOUT_MS,
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const [code, signal] = await once(child, 'close');
  const wallMs = performance.now() - started;
  if (code !== 0) throw new Error(`${command.join(' ')}: ${signal ?? `exit code ${code}`}\n${errors}`);
  const [user, system, peakKb] = (await readFile(scratchFile, 'utf8')).trim().split(' ').map(Number);
  return { wallMs, cpuMs: (user + system) * 1000, peakKb };
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
