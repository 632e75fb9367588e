// node scripts/test-totals.mjs <vitest JSON report>…: lists the failed tests, with the first
// line of the reason, and prints the sum as "N passed, N failed[, N skipped]". A test of several
// runs counts once: as failed where one of them failed it, as skipped where all of them skipped it.
// With --skipped first, it lists only the files with a skipped test.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const RANK = { failed: 2, passed: 1 };
const ranks = new Map();
const [, , ...words] = process.argv;
const onlySkipped = words[0] === '--skipped';
for (const path of onlySkipped ? words.slice(1) : words) {
  const seen = new Map();
  const { testResults } = JSON.parse(readFileSync(path, 'utf8'));
  for (const { name, status, message, assertionResults } of testResults) {
    const isSkipped = assertionResults.some((test) => RANK[test.status] === undefined);
    if (onlySkipped && isSkipped) console.log(relative('.', name));
    if (onlySkipped) continue;
    // A file that cannot even be loaded has no tests to count, and must not pass for success.
    const isBroken = status === 'failed' && assertionResults.length === 0;
    const broken = { fullName: '', status, failureMessages: [message ?? ''] };
    for (const test of isBroken ? [broken] : assertionResults) {
      // Two tests of a file may have one name.
      const title = `${relative('.', name)}: ${test.fullName}`;
      seen.set(title, (seen.get(title) ?? 0) + 1);
      const key = `${title} ${seen.get(title)}`;
      ranks.set(key, Math.max(ranks.get(key) ?? 0, RANK[test.status] ?? 0));
      const [reason] = (test.failureMessages?.[0] ?? '').split('\n');
      if (test.status === 'failed') console.log(`failed: ${title}: ${reason}`);
    }
  }
}
if (onlySkipped) process.exit();
const count = (rank) => [...ranks.values()].filter((each) => each === rank).length;
const [skipped, passed, failed] = [count(0), count(1), count(2)];
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
if (failed > 0 || passed === 0) process.exitCode = 1;
