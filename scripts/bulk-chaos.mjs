// Creates many records while answers are lost, the service fails and throttles, and the process is killed again and
// again, and then compares what the service holds with the file, line by line. Then it publishes all of them in the
// same way.
// `node scripts/bulk-chaos.mjs --records 20000 --kills 100`; the summary is one line of JSON.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process, { stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { CHAOS_OPTIONS, Chaos } from './chaos-tools.mjs';

// Some lines failed, or the service was unavailable for a while.
const ALLOWED = [1, 5];

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '20000' },
    jobs: { type: 'string', default: '8' },
    share: { type: 'string', default: '0.02' },
    ...CHAOS_OPTIONS,
  },
});
const [records, share] = [Number(values.records), Number(values.share)];
const chaos = new Chaos();
const file = join(chaos.folder, 'records.ndjson');
const pace = ['--rate', '16/10ms', '--timeout', '1s', '--retries', '3'];

try {
  await chaos.emulate('--records', '0');
  const wanted = Array.from({ length: records }, (_, place) => recordOf(place + 1));
  writeFileSync(file, wanted.map((record) => `${JSON.stringify(record)}\n`).join(''));

  await chaos.faults(...faults());
  const create = ['dois', 'create', '--file', file, '--jobs', values.jobs, ...pace];
  const { output, ...runs } = await chaos.untilDone(create, values, ALLOWED);
  await chaos.faults();

  const held = parsed(await chaos.run(['dois', 'list', '--all', '--mine', '--quiet']));
  const results = parsed(output);
  const published = await publish(output);
  const summary = {
    records,
    jobs: Number(values.jobs),
    ...runs,
    ledgerLines: readFileSync(`${file}.create-ledger`, 'utf8').split('\n').length - 1,
    held: held.length,
    distinctTitles: new Set(held.map(titleOf)).size,
    inOrder: results.length === records && results.every((result, place) => result.line === place + 1),
    differences: differences(wanted, results, held),
    published,
    seconds: chaos.seconds,
  };
  stdout.write(`${JSON.stringify(summary)}\n`);
  const right =
    summary.inOrder &&
    held.length === records &&
    summary.distinctTitles === records &&
    summary.differences === 0 &&
    published.findable === records &&
    published.inOrder;
  // Not `exit`: `finally` still has to stop the emulator.
  if (!right) process.exitCode = 1;
} finally {
  chaos.stop();
}

/** Publishes what was created; the summary of it. */
async function publish(results) {
  const created = join(chaos.folder, 'results.ndjson');
  writeFileSync(created, results);
  await chaos.faults(...faults());
  const argv = ['dois', 'publish', '--file', created, '--jobs', values.jobs, ...pace];
  const { output, kills } = await chaos.untilDone(argv, values, ALLOWED);
  await chaos.faults();
  const held = parsed(await chaos.run(['dois', 'list', '--all', '--mine', '--quiet']));
  const lines = parsed(output);
  return {
    kills,
    findable: held.filter(({ attributes }) => attributes.state === 'findable').length,
    inOrder: lines.length === records && lines.every(isPublished),
  };
}

/** A line that was published right before a kill is unchanged in the next run. */
function isPublished({ line, state, outcome }, place) {
  return line === place + 1 && state === 'findable' && ['published', 'unchanged'].includes(outcome);
}

function parsed(ndjson) {
  return ndjson
    .split('\n')
    .slice(0, -1)
    .map((text) => JSON.parse(text));
}

/** A different record for each line: some with a DOI, some that are published. */
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

/** The lines that differ from the record that the service has under the printed DOI. */
function differences(wanted, results, held) {
  const byDoi = new Map(held.map((record) => [record.id, record]));
  return wanted.filter(({ doi, prefix: _, event, ...attributes }, place) => {
    const result = results[place];
    const record = byDoi.get(result?.doi);
    if (record === undefined || (doi !== undefined && doi !== record.id)) return true;
    const state = event === 'publish' ? 'findable' : 'draft';
    if (record.attributes.state !== state || result.state !== state || result.outcome !== 'created')
      return true;
    // The service completes types and people.
    const { creators, types, ...others } = attributes;
    return (
      record.attributes.creators[0].name !== creators[0].name ||
      record.attributes.types.resourceTypeGeneral !== types.resourceTypeGeneral ||
      Object.entries(others).some(
        ([name, value]) => JSON.stringify(record.attributes[name]) !== JSON.stringify(value),
      )
    );
  }).length;
}

function titleOf(record) {
  return record.attributes.titles[0].title;
}

/** Failures, each for a share of the requests; fewer of those that make all requests wait. */
function faults() {
  const kinds = ['500', '502', '504', 'reset', 'truncate', 'truncate-gzip', 'lost-answer'];
  return [
    ...kinds.map((kind) => `${kind}:${share}`),
    ...['403', '429', 'stall', 'slow'].map((kind) => `${kind}:${share / 50}`),
  ];
}
