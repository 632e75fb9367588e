// How long a person waits for --help and --version, and for a record to be checked, against a Node that does nothing;
// and for a command that has settings to read, against the same command without settings.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { measure, summary } from './measure.mjs';
import { printTable, printTarget } from './report.mjs';

const RECORD = {
  ...{ doi: '10.5072/abc', url: 'https://example.org/', publisher: 'P', publicationYear: 2026 },
  ...{ creators: [{ name: 'A' }], titles: [{ title: 'T' }], types: { resourceTypeGeneral: 'Dataset' } },
};

/** @param {{ program: string, directory: string, runs: number }} options `directory` receives scratch files */
export async function benchStartup({ program, directory, runs }) {
  console.log(`start-up: ${runs} runs each`);
  const node = process.execPath;
  const record = join(directory, 'record.json');
  await writeFile(record, JSON.stringify(RECORD));
  const settings = join(directory, 'settings');
  await mkdir(settings);
  const profile = { repository: 'DEMO.REPO', mailto: 'me@example.org' };
  const stored = {
    baseUrl: 'https://api.datacite.org',
    kind: 'repository',
    account: 'DEMO.REPO',
    place: 'keychain',
  };
  const file = JSON.stringify({ profiles: { default: profile }, stored: [stored] });
  await writeFile(join(settings, 'config.json'), file, { mode: 0o600 });
  // It reads the settings if there are any, and sends nothing.
  const create = ['dois', 'create', '--dry-run', '--file', record];
  const results = await measure(
    [
      { name: 'node -e 0', command: [node, '-e', '0'] },
      { name: 'doi-cli --version', command: [node, program, '--version'] },
      { name: 'doi-cli --help', command: [node, program, '--help'] },
      { name: 'doi-cli dois validate', command: [node, program, 'dois', 'validate', '--file', record] },
      { name: 'without settings', command: [node, program, ...create] },
      { name: 'with settings', command: ['env', `DOI_CLI_CONFIG_DIR=${settings}`, node, program, ...create] },
    ],
    { runs, warmups: 2, scratchFile: join(directory, 'time-startup.txt') },
  );
  printTable(results);
  const [bare, version, help, validate, without, with_] = results.map(
    (each) => summary(each, 'wallMs').median,
  );
  console.log();
  printTarget({ what: '--version against node -e 0', value: version / bare, limit: 1.3, unit: ' times' });
  printTarget({ what: '--help against node -e 0', value: help / bare, limit: 1.3, unit: ' times' });
  printTarget({
    what: 'dois validate against node -e 0',
    value: validate / bare,
    limit: 2.5,
    unit: ' times',
  });
  printTarget({ what: 'with settings against without', value: with_ / without, limit: 1.1, unit: ' times' });
}
