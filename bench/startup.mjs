// How long a person waits for --help and --version, against a Node that does nothing.
import { join } from 'node:path';
import { measure, summary } from './measure.mjs';
import { printTable, printTarget } from './report.mjs';

/** @param {{ program: string, directory: string, runs: number }} options `directory` receives a scratch file */
export async function benchStartup({ program, directory, runs }) {
  console.log(`start-up: ${runs} runs each`);
  const node = process.execPath;
  const results = await measure(
    [
      { name: 'node -e 0', command: [node, '-e', '0'] },
      { name: 'doi-cli --version', command: [node, program, '--version'] },
      { name: 'doi-cli --help', command: [node, program, '--help'] },
    ],
    { runs, warmups: 2, scratchFile: join(directory, 'time-startup.txt') },
  );
  printTable(results);
  const [bare, version, help] = results.map((result) => summary(result, 'wallMs').median);
  console.log();
  printTarget({ what: '--version against node -e 0', value: version / bare, limit: 1.5, unit: ' times' });
  printTarget({ what: '--help against node -e 0', value: help / bare, limit: 1.5, unit: ' times' });
}
