// Harvests under every fault of the emulator while being killed again and again, and compares the outcome with an
// undisturbed list. `node scripts/chaos.mjs --records 1000000 --kills 100 --gzip`; the summary is one line of JSON.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, execPath, exit, stderr, stdout } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const PROGRAM = fileURLToPath(new URL('../bin/doi-cli.js', import.meta.url));
const ALLOWED = [0, 3, 4, 5];
// Without kills it has to come to its end some time.
const MOST_RUNS = 2000;

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    kills: { type: 'string', default: '100' },
    gzip: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '4' },
    'page-size': { type: 'string', default: '1000' },
    share: { type: 'string', default: '0.05' },
    seed: { type: 'string', default: '1' },
    // Each kill comes at a moment between these, in milliseconds after the start of the process.
    soonest: { type: 'string', default: '100' },
    latest: { type: 'string', default: '3000' },
  },
});
const [records, kills, seed, soonest, latest] = ['records', 'kills', 'seed', 'soonest', 'latest'].map(
  (name) => Number(values[name]),
);
const random = generator(seed);
const folder = mkdtempSync(join(tmpdir(), 'doi-cli-chaos-'));
const dir = join(folder, 'copy');
const started = performance.now();
const children = new Set();

try {
  const account = 'DEMO.REPO:chaos';
  const emulator = start(
    [
      'emulator',
      'start',
      '--format',
      'json',
      '--account',
      account,
      '--records',
      values.records,
      '--seed',
      values.seed,
    ],
    {},
  );
  const [line] = await once(emulator.stdout, 'data');
  const { baseUrl, repository, password } = JSON.parse(String(line));
  const access = { DOI_CLI_BASE_URL: baseUrl, DOI_CLI_REPOSITORY: repository, DOI_CLI_PASSWORD: password };

  const list = join(folder, 'list.ndjson');
  const listed = start(['dois', 'list', '--all', '--quiet', '--out', list], access);
  if ((await ended(listed)).code !== 0) throw new Error('the undisturbed list failed');
  const expected = await digest(`cat '${list}'`);
  rmSync(list);

  await control(baseUrl, 'faults', { faults: faults(Number(values.share)) });
  const runs = await harvest(access);
  await control(baseUrl, 'faults', { faults: [] });
  const found = await digest(values.gzip ? `zcat '${dir}'/data/*.gz` : `cat '${dir}'/data/*.ndjson`);
  const receipt = JSON.parse(readFileSync(join(dir, '_harvest', 'receipt-g0001.json'), 'utf8'));
  const summary = {
    records,
    gzip: values.gzip,
    jobs: Number(values.jobs),
    files: readdirSync(join(dir, 'data')).length,
    ...runs,
    retries: receipt.retries,
    verdict: receipt.verdict,
    seconds: Math.round((performance.now() - started) / 1000),
    lines: found.lines,
    sha256: found.sha256,
    identical: found.lines === expected.lines && found.sha256 === expected.sha256 && found.lines === records,
  };
  stdout.write(`${JSON.stringify(summary)}\n`);
  if (!summary.identical || summary.verdict !== 'complete') exit(1);
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

/** Runs the harvest, killed at random moments at first, until it ends with 0. */
async function harvest(access) {
  const codes = {};
  let killed = 0;
  for (let run = 1; run <= MOST_RUNS; run += 1) {
    const child = start(
      [
        ...['dois', 'harvest', '--dir', dir, '--jobs', values.jobs, '--page-size', values['page-size']],
        ...['--rate', '16/10ms', '--timeout', '1s', '--retries', '3', ...(values.gzip ? ['--gzip'] : [])],
      ],
      access,
    );
    const end = ended(child);
    if (killed < kills) {
      const moment = sleep(soonest + random() * (latest - soonest), 'kill', { ref: false });
      if ((await Promise.race([end, moment])) === 'kill') child.kill('SIGKILL');
    }
    const { code, signal, errors } = await end;
    if (signal === 'SIGKILL') killed += 1;
    else if (!ALLOWED.includes(code)) throw new Error(`run ${run} ended with ${code ?? signal}: ${errors}`);
    codes[signal ?? code] = (codes[signal ?? code] ?? 0) + 1;
    if (code === 0 && killed < kills)
      throw new Error(`complete after ${killed} kills: more records are needed`);
    if (code === 0) return { runs: run, kills: killed, exits: codes };
    if (env.CHAOS_VERBOSE && code !== null) stderr.write(errors);
  }
  throw new Error(`not complete after ${MOST_RUNS} runs`);
}

/** Every kind of fault for a share of the requests each, and a record that only small pages can hold. */
function faults(share) {
  const kinds = [
    ...['500', '502', '504', '403', 'reset', 'truncate', 'truncate-gzip', 'stall', 'anonymous'],
    ...['repeat-cursor', 'restart-cursor', 'foreign-next', 'empty-page', 'duplicate', 'lose', 'wrong-page'],
  ];
  return [
    ...kinds.map((kind) => `${kind}:${share}`),
    `slow:${share}=200ms`,
    // Without a time to wait for, which would be most of the test's.
    `429:${share}=0`,
    `poison-cursor:${Math.floor(records / 3)}:10`,
  ];
}

function start(argv, variables) {
  const child = spawn(execPath, [PROGRAM, ...argv], {
    env: { PATH: env.PATH, HOME: folder, TMPDIR: folder, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  return child;
}

async function ended(child) {
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const [code, signal] = await once(child, 'close');
  children.delete(child);
  return { code, signal, errors };
}

/** What lines a shell command prints, in whatever order. */
async function digest(command) {
  const script = `set -o pipefail; ${command} | LC_ALL=C sort -T '${folder}' | tee >(wc -l >&2) | sha256sum`;
  const child = spawn('bash', ['-c', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let lines = '';
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    lines += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} failed: ${lines}`);
  return { lines: Number(lines), sha256: out.slice(0, 64) };
}

async function control(baseUrl, path, body) {
  const response = await fetch(`${baseUrl}/_emulator/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
function generator(start) {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
