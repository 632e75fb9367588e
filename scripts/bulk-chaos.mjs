// Creates many records while answers are lost, the service fails and throttles, and the process is
// killed again and again, and compares the records of the service with the file, line by line. Then
// it publishes all of them in the same way. `node scripts/bulk-chaos.mjs --records 20000 --kills
// 100`; the summary is one line of JSON.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { CHAOS_OPTIONS, folder, run, seconds, setFaults, untilDone } from './chaos-tools.mjs';
import { underEmulator } from './emulated.mjs';

// Some lines failed, or the service was unavailable for a while.
const ALLOWED = [1, 5];
/** Failures, each for a share of the requests; fewer of those that make all requests wait. */
const FREQUENT = ['500', '502', '504', 'reset', 'truncate', 'truncate-gzip', 'lost-answer'];
const RARE = ['403', '429', 'stall', 'slow'];

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '20000' },
    jobs: { type: 'string', default: '8' },
    share: { type: 'string', default: '0.02' },
    ...CHAOS_OPTIONS,
  },
});
const [records, share] = [Number(values.records), Number(values.share)];
underEmulator('--records', '0');
const wanted = Array.from({ length: records }, (_, place) => recordOf(place + 1));
const file = join(folder, 'records.ndjson');
writeFileSync(file, wanted.map((record) => `${JSON.stringify(record)}\n`).join(''));
const { runs, kills, exits, output, held } = await underFaults('create', file);
const results = parsed(output);
const byDoi = new Map(held.map((record) => [record.id, record]));
const created = join(folder, 'results.ndjson');
writeFileSync(created, output);

const published = await underFaults('publish', created);
const changes = parsed(published.output);
const summary = {
  ...{ records, runs, kills, exits, held: held.length },
  distinctTitles: new Set(held.map(({ attributes }) => attributes.titles[0].title)).size,
  inOrder: isInOrder(results),
  differences: wanted.filter((record, place) => differs(record, results[place], byDoi)).length,
  published: {
    kills: published.kills,
    findable: published.held.filter(({ attributes }) => attributes.state === 'findable').length,
    inOrder: isInOrder(changes) && changes.every(isPublished),
  },
  seconds: seconds(),
};
console.log(JSON.stringify(summary));
const counts = [summary.held, summary.distinctTitles, summary.published.findable];
const isRight = summary.differences === 0 && summary.inOrder && summary.published.inOrder;
if (!isRight || counts.some((count) => count !== records)) process.exitCode = 1;

/** Runs a command with a file under faults and kills, then lists the service's records. */
async function underFaults(verb, file) {
  const rates = [
    ...FREQUENT.map((kind) => [kind, share]),
    ...RARE.map((kind) => [kind, share / 50]),
  ];
  await setFaults(...rates.map((rate) => rate.join(':')));
  const pace = ['--jobs', values.jobs, '--rate', '16/10ms', '--timeout', '1s', '--retries', '3'];
  const done = await untilDone(['dois', verb, '--file', file, ...pace], values, ALLOWED);
  await setFaults();
  return { ...done, held: parsed(await run(['dois', 'list', '--all', '--mine', '--quiet'])) };
}

function parsed(ndjson) {
  return ndjson
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function isInOrder(results) {
  return results.length === records && results.every(({ line }, place) => line === place + 1);
}

/** A line that was published right before a kill is unchanged in the next run. */
function isPublished({ state, outcome }) {
  return state === 'findable' && ['published', 'unchanged'].includes(outcome);
}

/** A different record for each line: some with a DOI, some that are published. */
function recordOf(line) {
  return {
    ...(line % 7 === 0 ? { doi: `10.5072/chaos-${line}` } : { prefix: '10.5072' }),
    ...(line % 5 === 0 ? { event: 'publish' } : {}),
    titles: [{ title: `Record of line ${line}` }],
    creators: [{ name: `Family ${line}, Given`, affiliation: [{ name: 'KTH' }] }],
    publisher: { name: 'Publisher' },
    publicationYear: 1900 + (line % 120),
    types: { resourceTypeGeneral: 'Dataset' },
    url: `https://example.org/${line}`,
  };
}

/** Whether a line's record is another one than the service has under the DOI of its result. */
function differs({ doi, prefix: _, event, creators, types, ...others }, result, byDoi) {
  const held = byDoi.get(result?.doi);
  if (held === undefined || (doi !== undefined && doi !== held.id) || result.outcome !== 'created')
    return true;
  const { attributes } = held;
  const state = event === 'publish' ? 'findable' : 'draft';
  if (attributes.state !== state || result.state !== state) return true;
  // The service completes types and people.
  return (
    attributes.creators[0].name !== creators[0].name ||
    attributes.types.resourceTypeGeneral !== types.resourceTypeGeneral ||
    Object.entries(others).some(([name, value]) => !isDeepStrictEqual(attributes[name], value))
  );
}
