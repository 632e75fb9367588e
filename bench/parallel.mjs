// A parallel harvest to disk from a slow service with a rate limit, compared with the limit and
// with one cursor.
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startEmulator } from './emulator.mjs';
import { measure } from './measure.mjs';
import { printTable, printTarget } from './report.mjs';

const LATENCY_MS = 300;
const RATE_PER_SECOND = 40;
const PAGE_SIZE = 100;
const JOBS = 16;

/**
 * @param {{ program: string, directory: string, records: number }} options `directory` receives the
 *   copy; the single cursor, a dozen times as slow, gets a twelfth of the records
 * @throws {Error} when a run is not complete
 */
export async function benchParallel({ program, directory, records }) {
  const few = Math.ceil(records / 12);
  console.log(
    `parallel: ${LATENCY_MS} ms latency, ${RATE_PER_SECOND} requests/s allowed, ` +
      `${PAGE_SIZE} records a page; ${records} records, of them ${few} for the single cursor`,
  );
  const copy = join(directory, 'copy');
  const many = await run(program, directory, records, {
    name: `doi-cli dois harvest --jobs ${JOBS}`,
    args: ['harvest', '--dir', copy, '--jobs', `${JOBS}`, '--rate', `${RATE_PER_SECOND}/1s`],
  });
  const parts = (await readdir(join(copy, 'data'))).map((name) => join(copy, 'data', name));
  await checkIds(parts, many.total);

  const list = join(directory, 'list.ndjson');
  const one = await run(program, directory, few, {
    name: 'doi-cli dois list --all --out',
    args: ['list', '--all', '--jobs', '1', '--out', list],
  });
  await checkIds([list], one.total);
  console.log(`checked: ${many.total} and ${one.total} records, all ids distinct`);

  printTable([many.result, one.result]);
  console.log();
  for (const { result, log, total } of [many, one]) {
    const seconds = secondsOf(result);
    const speed = `${(total / seconds).toFixed(0)} records/s`;
    console.log(`${result.name}: ${log.length} requests in ${seconds.toFixed(1)} s, ${speed}`);
  }
  const speed = ({ result, total }) => total / secondsOf(result);
  console.log(`${(speed(many) / speed(one)).toFixed(1)} times the records/s of one cursor`);
  const evenSeconds = many.log.length / RATE_PER_SECOND;
  const throttled = many.log.filter(({ status }) => status === 429).length;
  printTarget({
    what: 'time against the limit',
    value: secondsOf(many.result) / evenSeconds,
    limit: 1.1,
    unit: ' times',
  });
  printTarget({ what: 'answers 429', value: throttled, limit: 0, unit: '' });
}

const secondsOf = (/** @type {import('./measure.mjs').Result} */ { samples: [sample] }) =>
  sample.wallMs / 1000;

/**
 * Runs a command of the program against a new emulator. Once: the limit sets the time, not the
 * machine.
 */
async function run(program, directory, records, { name, args }) {
  const emulator = await startEmulator(program, [
    ...['--records', `${records}`, '--latency', `${LATENCY_MS}ms`],
    ...['--rate-limit', `${RATE_PER_SECOND}/1s`],
  ]);
  try {
    const common = ['--anonymous', '--base-url', emulator.baseUrl, '--page-size', `${PAGE_SIZE}`];
    const command = [process.execPath, program, 'dois', ...args, ...common];
    const [result] = await measure([{ name, command }], {
      runs: 1,
      warmups: 0,
      scratchFile: join(directory, 'time.txt'),
      onRun: (text) => console.error(text),
    });
    const { requests: log } = await emulator.control('log');
    const { total } = (await (await fetch(`${emulator.baseUrl}/dois?page[size]=0`)).json()).meta;
    return { result, log, total };
  } finally {
    await emulator.stop();
  }
}

/** Every line is a record, all are different, and their number is right. */
async function checkIds(/** @type {string[]} */ files, /** @type {number} */ total) {
  const ids = new Set();
  let lines = 0;
  for (const file of files) {
    for await (const line of createInterface({ input: createReadStream(file) })) {
      lines++;
      ids.add(JSON.parse(line).id);
    }
  }
  if (lines !== total || ids.size !== total) {
    throw new Error(`${lines} records with ${ids.size} ids, expected ${total}`);
  }
}
