// Harvests with all faults of the emulator while being killed again and again, and compares the records with
// an undisturbed list. `node scripts/chaos.mjs --records 1000000 --kills 100 --gzip`; the summary is one line
// of JSON.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process, { stdout } from 'node:process';
import { parseArgs } from 'node:util';
import { CHAOS_OPTIONS, Chaos } from './chaos-tools.mjs';

// Records are missing, the service did not see the credentials, or it was unavailable for a while.
const ALLOWED = [3, 4, 5];

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000' },
    gzip: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '4' },
    'page-size': { type: 'string', default: '1000' },
    share: { type: 'string', default: '0.05' },
    ...CHAOS_OPTIONS,
  },
});
const records = Number(values.records);
const chaos = new Chaos();
const dir = join(chaos.folder, 'copy');

try {
  await chaos.emulate('--records', values.records, '--seed', values.seed);
  const list = join(chaos.folder, 'list.ndjson');
  await chaos.run(['dois', 'list', '--all', '--quiet', '--out', list]);
  const expected = await digest(`cat '${list}'`);
  rmSync(list);

  await chaos.faults(...faults(Number(values.share)));
  const harvest = [
    'dois',
    'harvest',
    '--dir',
    dir,
    '--jobs',
    values.jobs,
    '--page-size',
    values['page-size'],
  ];
  harvest.push('--rate', '16/10ms', '--timeout', '1s', '--retries', '3', ...(values.gzip ? ['--gzip'] : []));
  const { output: _, ...runs } = await chaos.untilDone(harvest, values, ALLOWED);
  await chaos.faults();

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
    seconds: chaos.seconds,
    lines: found.lines,
    sha256: found.sha256,
    identical: found.lines === expected.lines && found.sha256 === expected.sha256 && found.lines === records,
  };
  stdout.write(`${JSON.stringify(summary)}\n`);
  // Not exit(): `finally` must stop the emulator.
  if (!summary.identical || summary.verdict !== 'complete') process.exitCode = 1;
} finally {
  chaos.stop();
}

/** Every kind of fault, each for a share of the requests, and a record that only small pages can hold. */
function faults(share) {
  const kinds = [
    ...['500', '502', '504', '403', 'reset', 'truncate', 'truncate-gzip', 'stall', 'anonymous'],
    ...['repeat-cursor', 'restart-cursor', 'foreign-next', 'empty-page', 'duplicate', 'lose', 'wrong-page'],
  ];
  return [
    ...kinds.map((kind) => `${kind}:${share}`),
    `slow:${share}=200ms`,
    // Without a Retry-After, which would take most of the test's time.
    `429:${share}=0`,
    `poison-cursor:${Math.floor(records / 3)}:10`,
  ];
}

/** The number and the hash of the lines that a shell command prints, in any order. */
async function digest(command) {
  const script = `set -o pipefail; ${command} | LC_ALL=C sort -T '${chaos.folder}' | tee >(wc -l >&2) | sha256sum`;
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
