// Creates many records while answers are lost, the service fails and throttles, and the process is killed again and
// again, and then compares what the service holds with the file, line by line.
// `node scripts/bulk-chaos.mjs --records 20000 --kills 100`; the summary is one line of JSON.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process, { env, execPath, stderr, stdout } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const PROGRAM = fileURLToPath(new URL('../bin/doi-cli.js', import.meta.url));
// All is done, some lines failed, or the service was not there for a while.
const ALLOWED = [0, 1, 5];
const MOST_RUNS = 2000;

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '20000' },
    kills: { type: 'string', default: '100' },
    jobs: { type: 'string', default: '8' },
    share: { type: 'string', default: '0.02' },
    seed: { type: 'string', default: '1' },
    // Each kill comes at a moment between these, in milliseconds after the start of the process.
    soonest: { type: 'string', default: '100' },
    latest: { type: 'string', default: '3000' },
  },
});
const [records, kills, seed, soonest, latest, share] = [
  'records',
  'kills',
  'seed',
  'soonest',
  'latest',
  'share',
].map((name) => Number(values[name]));
const random = generator(seed);
const folder = mkdtempSync(join(tmpdir(), 'doi-cli-bulk-chaos-'));
const file = join(folder, 'records.ndjson');
const started = performance.now();
const children = new Set();

try {
  const emulator = start(
    ['emulator', 'start', '--format', 'json', '--account', 'DEMO.REPO:chaos', '--records', '0'],
    {},
  );
  const [line] = await once(emulator.stdout, 'data');
  const { baseUrl, repository, password } = JSON.parse(String(line));
  const access = { DOI_CLI_BASE_URL: baseUrl, DOI_CLI_REPOSITORY: repository, DOI_CLI_PASSWORD: password };

  const wanted = Array.from({ length: records }, (_, place) => recordOf(place + 1));
  writeFileSync(file, wanted.map((record) => `${JSON.stringify(record)}\n`).join(''));
  await control(baseUrl, 'faults', { faults: faults() });
  const { output, ...runs } = await create(access);
  await control(baseUrl, 'faults', { faults: [] });

  const list = await ended(start(['dois', 'list', '--all', '--mine', '--quiet'], access));
  const held = list.output
    .split('\n')
    .slice(0, -1)
    .map((text) => JSON.parse(text));
  const results = output
    .split('\n')
    .slice(0, -1)
    .map((text) => JSON.parse(text));
  const summary = {
    records,
    jobs: Number(values.jobs),
    ...runs,
    ledgerLines: readFileSync(`${file}.create-ledger`, 'utf8').split('\n').length - 1,
    held: held.length,
    distinctTitles: new Set(held.map(titleOf)).size,
    inOrder: results.length === records && results.every((result, place) => result.line === place + 1),
    differences: differences(wanted, results, held),
    seconds: Math.round((performance.now() - started) / 1000),
  };
  stdout.write(`${JSON.stringify(summary)}\n`);
  const right =
    summary.inOrder &&
    held.length === records &&
    summary.distinctTitles === records &&
    summary.differences === 0;
  // Not exit: what was started is to be stopped.
  if (!right) process.exitCode = 1;
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

/** A record of its own for each line: some with a DOI, some that are published. */
function recordOf(line) {
  return {
    ...(line % 7 === 0 ? { doi: `10.5072/chaos-${line}` } : { prefix: '10.5072' }),
    ...(line % 5 === 0 ? { event: 'publish' } : {}),
    titles: [{ title: `Record of line ${line}` }],
    creators: [{ name: `Family ${line}, Given`, affiliation: [{ name: 'KTH' }] }],
    publisher: 'Publisher',
    publicationYear: 1900 + (line % 120),
    types: { resourceTypeGeneral: 'Dataset' },
    url: `https://example.org/${line}`,
  };
}

/** Lines whose record at the service is not the one of the line, under the DOI that was printed for it. */
function differences(wanted, results, held) {
  const byDoi = new Map(held.map((record) => [record.id, record]));
  return wanted.filter(({ doi, prefix: _, event, ...attributes }, place) => {
    const result = results[place];
    const record = byDoi.get(result?.doi);
    if (record === undefined || (doi !== undefined && doi !== record.id)) return true;
    const state = event === 'publish' ? 'findable' : 'draft';
    if (record.attributes.state !== state || result.state !== state || result.outcome !== 'created')
      return true;
    const { creators, ...others } = attributes;
    return (
      record.attributes.creators[0].name !== creators[0].name ||
      Object.entries(others).some(
        ([name, value]) => JSON.stringify(record.attributes[name]) !== JSON.stringify(value),
      )
    );
  }).length;
}

function titleOf(record) {
  return record.attributes.titles[0].title;
}

/** Runs the command, killed at random moments at first, until it ends with 0. */
async function create(access) {
  const codes = {};
  let killed = 0;
  for (let run = 1; run <= MOST_RUNS; run += 1) {
    const child = start(
      [
        ...['dois', 'create', '--file', file, '--jobs', values.jobs],
        ...['--rate', '16/10ms', '--timeout', '1s', '--retries', '3'],
      ],
      access,
    );
    const end = ended(child);
    if (killed < kills) {
      const moment = sleep(soonest + random() * (latest - soonest), 'kill', { ref: false });
      if ((await Promise.race([end, moment])) === 'kill') child.kill('SIGKILL');
    }
    const { code, signal, errors, output } = await end;
    if (signal === 'SIGKILL') killed += 1;
    else if (!ALLOWED.includes(code)) throw new Error(`run ${run} ended with ${code ?? signal}: ${errors}`);
    codes[signal ?? code] = (codes[signal ?? code] ?? 0) + 1;
    if (env.CHAOS_VERBOSE && code !== null) stderr.write(errors);
    if (code === 0 && killed < kills)
      throw new Error(`complete after ${killed} kills: more records are needed`);
    if (code === 0) return { runs: run, kills: killed, exits: codes, output };
  }
  throw new Error(`not complete after ${MOST_RUNS} runs`);
}

/** Failures for a share of the requests each; throttling makes all wait, so there is less of it. */
function faults() {
  const kinds = ['500', '502', '504', 'reset', 'truncate', 'truncate-gzip', 'lost-answer'];
  return [
    ...kinds.map((kind) => `${kind}:${share}`),
    ...['403', '429', 'stall', 'slow'].map((kind) => `${kind}:${share / 50}`),
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
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const [code, signal] = await once(child, 'close');
  children.delete(child);
  return { code, signal, errors, output };
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
