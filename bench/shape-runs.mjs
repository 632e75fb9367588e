// Lists and copies of records whose creation times have a shape, at the rate limit of a service
// that takes its time.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Listed } from './listed.mjs';
import { timed } from './measure.mjs';
import { printTarget } from './report.mjs';
import { evenRateOf, SHAPES } from './shapes.mjs';

const SERVICE = fileURLToPath(new URL('bursts.mjs', import.meta.url));
const START_TIMEOUT_MS = 20_000;
const MOST_MB = 200;
/** The requests beyond one for each page, of which a failure or a cut may need some. */
const MOST_REQUESTS = (/** @type {number} */ pages) => 1.15 * pages + 16;
const LOGIN = { DOI_CLI_REPOSITORY: 'demo.repo', DOI_CLI_PASSWORD: 'secret' };
const DOI = /^\{"id":"([^"]+)"/;
const HEADINGS = ['seconds', 'even', 'times', 'requests', '429', 'most open', 'mean open', 'MB'];
const NAME_WIDTH = 34;

const CANDIDATES = {
  list: () => ['dois', 'list', '--all', '--quiet'],
  harvest: (/** @type {string} */ copy) => ['dois', 'harvest', '--dir', copy, '--quiet'],
};

/**
 * Runs each candidate once for each shape and program: the service sets the time, not the machine.
 * @param {{ programs: Record<string, string>, directory: string, names: string[] }} options the
 *   programs by the name that the rows have, and the names of the shapes
 * @throws {Error} at the end, when a candidate has failed or has not delivered every record once
 *   and in order
 */
export async function benchShapes({ programs, directory, names }) {
  console.log('service, shapes of creation times:');
  console.log(row('', HEADINGS));
  const targets = [];
  const failures = [];
  for (const name of names) {
    const list = new Listed(SHAPES[name].times(SHAPES[name].records));
    const hash = hashOf(list);
    for (const [label, program] of Object.entries(programs)) {
      for (const candidate of Object.keys(CANDIDATES)) {
        const title = [name, candidate, label].filter((part) => part !== '').join(' ');
        console.error(`running: ${title}`);
        try {
          const run = await runCandidate({
            candidate,
            name,
            program,
            work: join(directory, 'shape'),
          });
          if (candidate === 'harvest') await checkCopy(run.copy, list);
          else if (run.hash !== hash)
            throw new Error(`${run.lines} records, not the list of the service`);
          targets.push(...report(title, candidate, SHAPES[name], run));
        } catch (error) {
          // The other shapes still tell something.
          failures.push(title);
          console.log(`FAILED  ${title}: ${error.message}`);
        }
      }
    }
  }
  const missed = targets.filter(({ value, limit }) => value > limit);
  console.log(`${targets.length - missed.length} of ${targets.length} targets met`);
  if (failures.length > 0) throw new Error(`not complete: ${failures.join(', ')}`);
}

/** The hash of the whole list. */
function hashOf(/** @type {Listed} */ list) {
  const hash = createHash('sha256');
  for (let index = 0; index < list.times.length; index++)
    hash.update(list.line(index)).update('\n');
  return hash.digest('hex');
}

/** Runs a candidate against a new service. */
async function runCandidate({ candidate, name, program, work }) {
  await rm(work, { recursive: true, force: true });
  await mkdir(work);
  const copy = join(work, 'copy');
  const service = await startService(name);
  try {
    const command = [process.execPath, program, ...CANDIDATES[candidate](copy)];
    command.push(...(SHAPES[name].options ?? []));
    const env = { ...process.env, ...LOGIN, DOI_CLI_BASE_URL: service.baseUrl };
    const run = await timed(command, env, join(work, 'time.txt'));
    return { ...run, ...(await service.stop()), copy };
  } finally {
    await service.stop();
  }
}

/**
 * The service in a process of its own, which ends with this one at the latest. `stop` gives its
 * report.
 * @throws {Error} when it does not start
 */
async function startService(/** @type {string} */ name) {
  const child = spawn(process.execPath, [SERVICE, '--shape', name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = () => child.kill();
  process.once('exit', kill);
  const lines = createInterface({ input: child.stdout });
  let stopped;
  const stop = () => {
    stopped ??= (async () => {
      process.removeListener('exit', kill);
      if (child.exitCode !== null)
        throw new Error(`the service has ended with exit code ${child.exitCode}`);
      const line = once(lines, 'line', { signal: AbortSignal.timeout(START_TIMEOUT_MS) });
      child.kill();
      return JSON.parse((await line)[0]);
    })();
    return stopped;
  };
  try {
    const [line] = await once(lines, 'line', { signal: AbortSignal.timeout(START_TIMEOUT_MS) });
    return { baseUrl: JSON.parse(line).baseUrl, stop };
  } catch (error) {
    child.kill();
    throw new Error(`the service does not start: ${error.message}`);
  }
}

/** The files of a copy have each record once, unchanged, and each file has them in order. */
async function checkCopy(/** @type {string} */ copy, /** @type {Listed} */ list) {
  const positions = new Map(list.dois.map((doi, index) => [doi, index]));
  let records = 0;
  for (const name of await readdir(join(copy, 'data'))) {
    let last = -1;
    for await (const line of createInterface({
      input: createReadStream(join(copy, 'data', name)),
    })) {
      const [, doi] = DOI.exec(line) ?? [];
      const index = positions.get(doi);
      if (index === undefined) throw new Error(`${doi} in ${name} is unknown, or comes twice`);
      if (index < last) throw new Error(`${doi} in ${name} comes too late`);
      if (line !== list.line(index).toString()) throw new Error(`${doi} in ${name} is altered`);
      positions.delete(doi);
      last = index;
      records++;
    }
  }
  if (positions.size > 0) throw new Error(`${records} records of ${list.times.length}`);
}

/** Prints a run and the targets that it misses. */
function report(title, candidate, shape, run) {
  const even = evenRateOf(shape);
  const times = run.seconds / even;
  const cells = [
    run.seconds.toFixed(1),
    even.toFixed(1),
    times.toFixed(2),
    run.requests,
    run.throttled,
  ];
  console.log(
    row(title, [...cells, run.mostOpen, run.openInSecondHalf.toFixed(1), run.peakMb.toFixed(0)]),
  );
  const { targets, records, pageSize } = shape;
  const seconds = candidate === 'harvest' ? targets.harvestSeconds : undefined;
  const limits = [
    ['time against an even rate', times, targets[candidate], ' times'],
    ['time', run.seconds, seconds, ' s'],
    ['requests', run.requests, Math.floor(MOST_REQUESTS(records / pageSize)), ''],
    ['answers 429', run.throttled, 0, ''],
    ['peak memory', run.peakMb, MOST_MB, ' MB'],
    // So that the machine does not set the time.
    ['time of the service for a page', run.pageMs, 20, ' ms'],
  ];
  const wanted = limits.filter(([, , limit]) => limit !== undefined);
  const checked = wanted.map(([what, value, limit, unit]) => ({
    what: `${title}, ${what}`,
    value,
    limit,
    unit,
  }));
  for (const target of checked) if (target.value > target.limit) printTarget(target);
  return checked;
}

const row = (/** @type {string} */ name, /** @type {unknown[]} */ cells) =>
  name.padEnd(NAME_WIDTH) +
  cells.map((cell, at) => `${cell}`.padStart(HEADINGS[at].length + 2)).join('');
