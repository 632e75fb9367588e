// The peak memory of a parallel harvest to disk, which must not grow with the number of records.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startEmulator } from './emulator.mjs';
import { measure, summary } from './measure.mjs';
import { printTable, printTarget } from './report.mjs';

const FEW = 100_000;
const JOBS = 16;
const MAX_MB = 200;

/**
 * @param {{ program: string, directory: string, runs: number, records: number }} options `records`
 *   of the large harvest
 * @throws {Error} when a harvest is not complete
 */
export async function benchMemory({ program, directory, runs, records }) {
  console.log(`memory: dois harvest --jobs ${JOBS}, as fast as it goes; ${runs} runs of each`);
  for (const files of ['plain', 'gzip']) {
    const few = await run({ program, directory, runs, files, records: FEW });
    const many = await run({ program, directory, runs, files, records });
    printTable([few, many]);
    for (const result of [few, many]) {
      const value = summary(result, 'peakKb').max / 1024;
      printTarget({ what: `peak memory, ${result.name}`, value, limit: MAX_MB, unit: ' MB' });
    }
    const grown = summary(many, 'peakKb').median / summary(few, 'peakKb').median;
    console.log(
      `${files}: ${records / FEW} times the records take ${grown.toFixed(2)} times the memory\n`,
    );
  }
}

/**
 * Harvests everything, from the beginning each time. An incomplete harvest fails by its exit code.
 */
async function run({ program, directory, runs, files, records }) {
  const emulator = await startEmulator(program, ['--records', `${records}`]);
  const copy = join(directory, 'copy');
  try {
    const options = ['--jobs', `${JOBS}`, '--rate', '1000/1s', '--anonymous', '--quiet'];
    const target = ['--base-url', emulator.baseUrl, '--dir', copy, '--fresh', '--yes'];
    const command = [process.execPath, program, 'dois', 'harvest', ...options, ...target];
    if (files === 'gzip') command.push('--gzip');
    const name = `${records} records, ${files}`;
    const [result] = await measure([{ name, command }], {
      runs,
      warmups: 0,
      scratchFile: join(directory, 'time.txt'),
      onRun: (text) => console.error(text),
    });
    return result;
  } finally {
    await emulator.stop();
    rmSync(copy, { recursive: true, force: true });
  }
}
