// Harvests with all faults of the emulator while being killed again and again, and compares the
// records with an undisturbed list. `node scripts/chaos.mjs --records 1000000 --kills 100 --gzip`;
// the summary is one line of JSON.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CHAOS_OPTIONS, folder, run, seconds, setFaults, untilDone } from './chaos-tools.mjs';
import { underEmulator } from './emulated.mjs';

// Records are missing, the service did not see the credentials, or it was unavailable for a while.
const ALLOWED = [3, 4, 5];
const KINDS = [
  ...'500 502 504 403 reset truncate truncate-gzip stall anonymous'.split(' '),
  ...'repeat-cursor restart-cursor foreign-next empty-page duplicate lose wrong-page'.split(' '),
];

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    gzip: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '4' },
    'page-size': { type: 'string', default: '1000' },
    share: { type: 'string', default: '0.05' },
    ...CHAOS_OPTIONS,
  },
});
const { gzip, jobs, share, 'page-size': pageSize } = values;
const records = Number(values.records);
underEmulator('--records', values.records, '--seed', values.seed);
const dir = join(folder, 'copy');
const sorted = join(folder, 'sorted');
const list = join(folder, 'list.ndjson');
await run(['dois', 'list', '--all', '--quiet', '--out', list]);
const expected = digest(`cat '${list}'`);
rmSync(list);

await setFaults(
  ...KINDS.map((kind) => `${kind}:${share}`),
  `slow:${share}=200ms`,
  // Without a Retry-After, which would take most of the test's time.
  `429:${share}=0`,
  // A record that only small pages can hold.
  `poison-cursor:${Math.floor(records / 3)}:10`,
);
const harvest = ['dois', 'harvest', '--dir', dir, '--jobs', jobs, '--page-size', pageSize];
harvest.push('--rate', '16/10ms', '--timeout', '1s', '--retries', '3', ...(gzip ? ['--gzip'] : []));
const { output: _, ...runs } = await untilDone(harvest, values, ALLOWED);

const found = digest(gzip ? `zcat '${dir}'/data/*.gz` : `cat '${dir}'/data/*.ndjson`);
const { verdict, retries } = JSON.parse(
  readFileSync(join(dir, '_harvest', 'receipt-g0001.json'), 'utf8'),
);
const identical =
  found.sha256 === expected.sha256 && found.lines === records && expected.lines === records;
const files = readdirSync(join(dir, 'data')).length;
const counts = { records, files, ...runs, retries, verdict, seconds: seconds() };
console.log(JSON.stringify({ ...counts, ...found, identical }));
if (!identical || verdict !== 'complete') process.exitCode = 1;

/** The number and the hash of the lines that a shell command prints, in any order. */
function digest(command) {
  const script = `set -o pipefail; ${command} | LC_ALL=C sort -T '${folder}' > '${sorted}' &&
    wc -l < '${sorted}' && sha256sum < '${sorted}'`;
  const [lines, sha256] = execFileSync('bash', ['-c', script], { encoding: 'utf8' })
    .trim()
    .split(/\s+/);
  return { lines: Number(lines), sha256 };
}
