// Whole lists from a service that takes its time and limits the rate, as the real one does: the
// program, the single cursor, a loop of curl and jq, and the time at an even rate. A list that
// needs less than half of the limit can take less than that.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { barChart } from './chart.mjs';
import { startEmulator } from './emulator.mjs';
import { timed } from './measure.mjs';
import { printTarget } from './report.mjs';

const PAGE_SIZE = 1000;
const LIMIT_SECONDS = 300;
const MILLION = 1_000_000;
/** Times an even rate: with so many records, the beginning and the end weigh less. */
const MOST_OF_MILLION = 1.05;
const PICTURE = fileURLToPath(new URL('service.svg', import.meta.url));

/** The documented limits, in requests within five minutes. */
const ACCOUNT = { who: 'with credentials', requests: 3000 };
const NOBODY = { who: 'anonymous', requests: 500 };

/**
 * By name. The slow candidates run once, because each takes minutes; a request at a time tells the
 * same everywhere.
 */
const SCENARIOS = {
  usual: { ...ACCOUNT, latency: 1, records: 100_000, slow: true },
  fast: { ...ACCOUNT, latency: 0.3, records: 100_000, slow: false },
  slow: { ...ACCOUNT, latency: 3, records: 100_000, slow: false },
  larger: { ...ACCOUNT, latency: 1, records: 300_000, slow: false },
  large: { ...ACCOUNT, latency: 1, records: 1_000_000, slow: false },
  anonymous: { ...NOBODY, latency: 1, records: 100_000, slow: false },
  'anonymous-fast': { ...NOBODY, latency: 0.3, records: 100_000, slow: false },
};

/**
 * The default scenarios; `anonymous-fast` takes as long as `anonymous`: the limit sets the time.
 */
export const USUAL_SCENARIOS = ['usual', 'fast', 'slow', 'larger', 'large', 'anonymous'];

/**
 * Runs every candidate once in each scenario: the limit and the latency set the time, not the
 * machine.
 * @param {{ program: string, directory: string, names: string[] }} options the names of the
 *   scenarios
 * @throws {Error} when there is no such scenario, a candidate does not deliver every record, or two
 *   lists differ
 */
export async function benchService({ program, directory, names }) {
  const unknown = names.find((name) => SCENARIOS[name] === undefined);
  if (unknown)
    throw new Error(`there is no scenario ${unknown}: ${Object.keys(SCENARIOS).join(', ')}`);
  const groups = [];
  for (const name of names) groups.push(await runScenario(SCENARIOS[name], { program, directory }));
  if (names.join() !== USUAL_SCENARIOS.join()) return;
  await writeFile(
    PICTURE,
    barChart('Seconds for a whole list, at the rate limit of the service', groups),
  );
  console.log(`drawn: ${PICTURE}`);
}

async function runScenario(scenario, { program, directory }) {
  const { who, latency, records, requests, slow } = scenario;
  const title = `${records.toLocaleString('en')} records, ${who}, ${latency} s a page`;
  console.log(`\nservice: ${title}`);
  const bars = [];
  let even = 0;
  let lines;
  for (const [name, candidate] of Object.entries(CANDIDATES)) {
    if (candidate.slow && !slow) continue;
    console.error(`running: ${name}`);
    const run = await runCandidate(candidate, scenario, { program, directory });
    even = (Math.ceil(run.total / PAGE_SIZE) * LIMIT_SECONDS) / requests + latency;
    if (run.lines !== run.total) throw new Error(`${name}: ${run.lines} records of ${run.total}`);
    if (candidate.list && lines !== undefined && lines !== run.hash)
      throw new Error(`${name}: another list`);
    if (candidate.list) lines = run.hash;
    const first =
      run.first === undefined ? '' : `, the first record after ${run.first.toFixed(1)} s`;
    const times = (run.seconds / even).toFixed(2).padStart(5);
    console.log(
      `${name.padEnd(32)} ${run.seconds.toFixed(1).padStart(6)} s  ${times} times an even rate  ` +
        `${run.requests} requests, ${run.throttled} answers 429, ` +
        `${run.peakMb.toFixed(0)} MB${first}`,
    );
    bars.push({ name, seconds: run.seconds, throttled: run.throttled, most: candidate.most });
  }
  console.log(`${'even rate'.padEnd(32)} ${even.toFixed(1).padStart(6)} s`);
  for (const { name, seconds, throttled, most } of bars) {
    if (most === undefined) continue;
    const limit = records >= MILLION ? MOST_OF_MILLION : most;
    // The limits are for a second a page.
    if (latency === 1) {
      printTarget({
        what: `${name}, against an even rate`,
        value: seconds / even,
        limit,
        unit: ' times',
      });
    }
    printTarget({ what: `${name}, answers 429`, value: throttled, limit: 0, unit: '' });
  }
  return { title, bars: [...bars, { name: 'even rate', seconds: even }] };
}

const LOOP = `url="$0/dois?disable-facets=true&page[size]=${PAGE_SIZE}&page[cursor]=1"
while [ "$url" != null ]; do
  curl -q -gsf --compressed -K "$1" "$url" > "$2"
  jq -c '.data[]' "$2"
  url=$(jq -r .links.next "$2")
done`;

/**
 * `list` where the output is the list itself, `most` times an even rate at most, `slow` with one
 * request at a time.
 */
const CANDIDATES = {
  'doi-cli dois list --all': {
    list: true,
    most: 1.25,
    command: ({ program }) => [process.execPath, program, 'dois', 'list', '--all', '--quiet'],
  },
  'doi-cli dois harvest': {
    most: 1.2,
    copy: true,
    command: ({ program, copy }) => [
      process.execPath,
      program,
      'dois',
      'harvest',
      '--dir',
      copy,
      '--quiet',
    ],
  },
  'doi-cli dois list --all --jobs 1': {
    list: true,
    slow: true,
    command: ({ program }) => [
      process.execPath,
      program,
      'dois',
      'list',
      '--all',
      '--jobs',
      '1',
      '--quiet',
    ],
  },
  'loop of curl and jq': {
    slow: true,
    command: ({ baseUrl, login, page }) => [
      'bash',
      '-o',
      'pipefail',
      '-ec',
      LOOP,
      baseUrl,
      login,
      page,
    ],
  },
};

/** Runs a candidate against a new emulator. */
async function runCandidate(
  candidate,
  { who, latency, records, requests },
  { program, directory },
) {
  const work = join(directory, 'service');
  await rm(work, { recursive: true, force: true });
  await mkdir(work);
  const emulator = await startEmulator(program, [
    ...['--records', `${records}`, '--latency', `${latency * 1000}ms`],
    ...['--rate-limit', `${requests}/${LIMIT_SECONDS}s`],
  ]);
  try {
    const { baseUrl, repository, password } = emulator;
    const account = who === ACCOUNT.who;
    const login = join(work, 'curl.conf');
    await writeFile(login, account ? `user = "${repository}:${password}"\n` : '');
    const env = {
      ...process.env,
      DOI_CLI_BASE_URL: baseUrl,
      ...(account ? { DOI_CLI_REPOSITORY: repository, DOI_CLI_PASSWORD: password } : {}),
    };
    const places = {
      program,
      baseUrl,
      login,
      copy: join(work, 'copy'),
      page: join(work, 'page.json'),
    };
    const run = await timed(candidate.command(places), env, join(work, 'time.txt'));
    const { requests: log } = await emulator.control('log');
    const { total } = (
      await (await fetch(countUrl(baseUrl), countHeaders(account && emulator))).json()
    ).meta;
    const copied = candidate.copy ? await receiptRecords(places.copy) : run.lines;
    const throttled = log.filter(({ status }) => status === 429).length;
    return { ...run, lines: copied, total, requests: log.length, throttled };
  } finally {
    await emulator.stop();
  }
}

const countUrl = (/** @type {string} */ baseUrl) =>
  `${baseUrl}/dois?page[size]=0&disable-facets=true`;

function countHeaders(/** @type {false | { repository: string, password: string }} */ account) {
  if (!account) return {};
  const basic = Buffer.from(`${account.repository}:${account.password}`).toString('base64');
  return { headers: { authorization: `Basic ${basic}` } };
}

/** The records of a copy by its receipt. */
async function receiptRecords(/** @type {string} */ copy) {
  const receipt = await readFile(join(copy, '_harvest', 'receipt-g0001.json'), 'utf8');
  return JSON.parse(receipt).records;
}

/**
 * How the time of 100,000 records and the memory develop from 100,000 to `most` records, without
 * the service's limit.
 * @param {{ program: string, directory: string, most: number }} options
 */
export async function benchGrowth({ program, directory, most }) {
  console.log('growth: dois list --all --jobs 16, 0.1 s a page, 200 requests/s allowed');
  for (const records of [100_000, 300_000, 1_000_000, 3_000_000].filter((each) => each <= most)) {
    const emulator = await startEmulator(program, [
      '--records',
      `${records}`,
      '--latency',
      '100ms',
    ]);
    try {
      const command = [
        process.execPath,
        program,
        'dois',
        'list',
        '--all',
        '--anonymous',
        '--quiet',
      ];
      command.push('--jobs', '16', '--rate', '200/1s', '--base-url', emulator.baseUrl);
      const { seconds, lines, peakMb } = await timed(
        command,
        process.env,
        join(directory, 'time.txt'),
      );
      const each = (seconds / lines) * 100_000;
      console.log(
        `${lines.toLocaleString('en').padStart(9)} records: ` +
          `${each.toFixed(2)} s for each 100,000, ${peakMb.toFixed(0)} MB`,
      );
      printTarget({ what: 'peak memory', value: peakMb, limit: 200, unit: ' MB' });
    } finally {
      await emulator.stop();
    }
  }
}
