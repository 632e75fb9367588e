// A whole registry from the first list to the check of its copy: time, memory and disk of each
// step, and what they would be for all DOIs if they grow with the number of records.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startEmulator } from './emulator.mjs';
import { measure, summary } from './measure.mjs';
import { printTarget } from './report.mjs';

/** About how many DOIs the service has. */
export const ALL = 125_000_000;
const MOST_MB = 300;
const TIMEOUT_MS = 3_600_000;
const HEADINGS = ['wall', 'processor', 'peak memory', 'on disk', 'all DOIs, wall', 'all, on disk'];

/**
 * Runs each step once. The emulator answers as fast as it can, so that the program sets the time.
 * @param {{ program: string, directory: string, records: number }} options
 * @throws {Error} when a step fails
 */
export async function benchRegistry({ program, directory, records }) {
  console.log(`registry: ${records.toLocaleString('en')} records, as fast as they come`);
  const emulator = await startEmulator(program, ['--records', `${records}`]);
  const [copy, tables] = [join(directory, 'registry'), join(directory, 'registry-tables')];
  const service = ['--base-url', emulator.baseUrl, '--anonymous', '--rate', '1000/1s'];
  const harvest = ['harvest', ...service, '--dir', copy];
  /** @type {[name: string, argv: string[], result: string][]} */
  const steps = [
    ['list', ['list', '--all', ...service], ''],
    ['copy, with --gzip', [...harvest, '--gzip'], copy],
    ['update of the copy', harvest, copy],
    ['export', ['harvest', 'export', '--dir', copy, '--out', tables], tables],
    ['verify', ['harvest', 'verify', ...service, '--dir', copy], ''],
  ];
  console.log(`| | ${HEADINGS.join(' | ')} |\n|---|${'---|'.repeat(HEADINGS.length)}`);
  let peak = 0;
  try {
    for (const [name, argv, result] of steps) {
      const command = [process.execPath, program, 'dois', ...argv, '--quiet'];
      const [measured] = await measure([{ name, command, timeoutMs: TIMEOUT_MS }], {
        runs: 1,
        warmups: 0,
        scratchFile: join(directory, 'time.txt'),
        onRun: console.error,
      });
      const of = (what) => summary(measured, what).max;
      const mb = of('peakKb') / 1024;
      peak = Math.max(peak, mb);
      const bytes = result === '' ? undefined : bytesBelow(result);
      const cells = [
        `${Math.round(of('wallMs') / 1000)} s`,
        `${Math.round(of('cpuMs') / 1000)} s`,
        `${Math.round(mb)} MB`,
        bytes === undefined ? '–' : gigabytes(bytes),
        `${((of('wallMs') / 3_600_000 / records) * ALL).toFixed(1)} h`,
        bytes === undefined ? '–' : gigabytes((bytes / records) * ALL),
      ];
      console.log(`| ${name} | ${cells.join(' | ')} |`);
    }
  } finally {
    await emulator.stop();
  }
  printTarget({ what: 'peak memory', value: peak, limit: MOST_MB, unit: ' MB' });
}

export const gigabytes = (/** @type {number} */ bytes) => `${(bytes / 1e9).toPrecision(3)} GB`;

/** The bytes of all files in a folder and in its folders. */
export function bytesBelow(/** @type {string} */ folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(folder, name)))
    .filter((stats) => stats.isFile())
    .reduce((sum, { size }) => sum + size, 0);
}
