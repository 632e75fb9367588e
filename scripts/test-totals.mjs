// node scripts/test-totals.mjs <vitest JSON report>…: prints the sum as "N passed, N failed[, N skipped]". A test of
// several runs counts once: as failed where one of them failed it, as skipped where all of them skipped it.
import { readFileSync } from 'node:fs';

const RANK = { failed: 2, passed: 1 };
const ranks = new Map();
for (const path of process.argv.slice(2)) {
  const seen = new Map();
  for (const { name, status, assertionResults } of JSON.parse(readFileSync(path, 'utf8')).testResults) {
    // A file that cannot even be loaded has no tests to count, and must not pass for success.
    const isBroken = status === 'failed' && assertionResults.length === 0;
    for (const test of isBroken ? [{ fullName: '', status }] : assertionResults) {
      // Two tests of a file may have one name.
      const title = `${name} ${test.fullName}`;
      seen.set(title, (seen.get(title) ?? 0) + 1);
      const key = `${title} ${seen.get(title)}`;
      ranks.set(key, Math.max(ranks.get(key) ?? 0, RANK[test.status] ?? 0));
    }
  }
}
const count = (rank) => [...ranks.values()].filter((each) => each === rank).length;
const [skipped, passed, failed] = [count(0), count(1), count(2)];
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
if (failed > 0 || passed === 0) process.exitCode = 1;
