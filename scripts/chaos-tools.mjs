// What the chaos scripts share: an emulator, and a command that is killed at random moments and run again.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, execPath } from 'node:process';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../bin/doi-cli.js', import.meta.url));
// A command that is not killed must end some time.
const MAX_RUNS = 2000;

/** The options of every chaos script, for parseArgs. */
export const CHAOS_OPTIONS = {
  kills: { type: 'string', default: '100' },
  // Each process is killed at a random time between these, in milliseconds after its start.
  soonest: { type: 'string', default: '100' },
  latest: { type: 'string', default: '3000' },
};

/** One test. `stop` ends all processes that it started, and removes its folder. */
export class Chaos {
  folder = mkdtempSync(join(tmpdir(), 'doi-cli-chaos-'));
  #access = {};
  #children = new Set();
  #started = performance.now();

  /** Starts the emulator; later commands use it. */
  async emulate(...options) {
    const fixed = ['--format', 'json', '--account', 'DEMO.REPO:chaos'];
    const emulator = this.#start(['emulator', 'start', ...fixed, ...options]);
    const [line] = await once(emulator.stdout, 'data');
    const { baseUrl, repository, password } = JSON.parse(String(line));
    this.#access = { DOI_CLI_BASE_URL: baseUrl, DOI_CLI_REPOSITORY: repository, DOI_CLI_PASSWORD: password };
  }

  /** Sets the emulator's faults. */
  async faults(...faults) {
    const url = `${this.#access.DOI_CLI_BASE_URL}/_emulator/faults`;
    const response = await fetch(url, { method: 'POST', body: JSON.stringify({ faults }) });
    if (!response.ok) throw new Error(await response.text());
  }

  /** Runs a command without kills. */
  async run(argv) {
    const { code, errors, output } = await ended(this.#start(argv));
    if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${errors}`);
    return output;
  }

  /**
   * Runs a command again and again until it exits with 0, and kills it `kills` times at random moments.
   * @param allowed the other exit codes that it may have.
   */
  async untilDone(argv, { kills, soonest, latest }, allowed) {
    const [most, from, to] = [kills, soonest, latest].map(Number);
    const exits = {};
    let killed = 0;
    for (let runs = 1; runs <= MAX_RUNS; runs += 1) {
      const child = this.#start(argv);
      const end = ended(child);
      if (killed < most) {
        const moment = sleep(from + Math.random() * (to - from), 'kill', { ref: false });
        if ((await Promise.race([end, moment])) === 'kill') child.kill('SIGKILL');
      }
      const { code, signal, errors, output } = await end;
      this.#children.delete(child);
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

  /** Since the start of the test. */
  get seconds() {
    return Math.round((performance.now() - this.#started) / 1000);
  }

  stop() {
    for (const child of this.#children) child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  #start(argv) {
    const child = spawn(execPath, [PROGRAM, ...argv], {
      env: { PATH: env.PATH, HOME: this.folder, TMPDIR: this.folder, ...this.#access },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#children.add(child);
    return child;
  }
}

async function ended(child) {
  const streams = [text(child.stdout), text(child.stderr)];
  const [code, signal] = await once(child, 'close');
  const [output, errors] = await Promise.all(streams);
  return { code, signal, output, errors };
}
