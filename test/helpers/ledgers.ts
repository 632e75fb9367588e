import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FIXTURES = 'test/fixtures/ledgers';

/**
 * Copies a file of records and the ledger next to it from test/fixtures/ledgers into a folder, as
 * if a run against this service had written the ledger.
 */
export function copyLedger(name: string, dir: string, baseUrl: string): void {
  copyFileSync(join(FIXTURES, name), join(dir, name));
  const ledger = readdirSync(FIXTURES).find((file) => file.startsWith(`${name}.`)) ?? '';
  const lines = readFileSync(join(FIXTURES, ledger), 'utf8').trimEnd().split('\n');
  let check = '';
  const texts = lines.map((line) => {
    const json = line
      .replace(/,"check":"[0-9a-f]{16}"}$/, '}')
      .replace(/"baseUrl":"[^"]*"/, `"baseUrl":"${baseUrl}"`);
    check = createHash('sha256')
      .update(check + json)
      .digest('hex')
      .slice(0, 16);
    return `${json.slice(0, -1)},"check":"${check}"}\n`;
  });
  writeFileSync(join(dir, ledger), texts.join(''));
}
