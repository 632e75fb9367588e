// node scripts/skipped-tests.mjs <vitest JSON report> [vitest options]: runs the tests that were
// skipped in a run, and no others.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const [path, ...options] = process.argv.slice(2);
const skipped = JSON.parse(readFileSync(path, 'utf8')).testResults.flatMap(
  ({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'skipped' || status === 'pending')
      .map(({ fullName }) => ({ file: name, title: fullName })),
);
if (skipped.length === 0) {
  console.log('no test was skipped');
  process.exit();
}
const files = [...new Set(skipped.map(({ file }) => file))];
const titles = [
  ...new Set(skipped.map(({ title }) => title.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))),
];
console.log(`${skipped.length} tests of ${files.length} files were skipped`);
const vitest = [
  'node_modules/vitest/vitest.mjs',
  'run',
  ...files,
  '-t',
  `^(${titles.join('|')})$`,
  ...options,
];
process.exitCode = spawnSync(process.execPath, vitest, { stdio: 'inherit' }).status ?? 1;
