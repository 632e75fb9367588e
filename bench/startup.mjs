// How long a person waits for --help and --version, in a pipe and on a terminal, and for a record
// to be checked, against a Node that does nothing; and for commands that have settings to read,
// against the same commands without settings.
import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { measure, summary } from './measure.mjs';
import { printTable, printTarget } from './report.mjs';

const RECORD = {
  ...{ doi: '10.5072/abc', url: 'https://example.org/', publisher: 'P', publicationYear: 2026 },
  ...{
    creators: [{ name: 'A' }],
    titles: [{ title: 'T' }],
    types: { resourceTypeGeneral: 'Dataset' },
  },
};
/**
 * Nothing listens there, so that a command ends with exit code 5 where it would wait for an answer.
 */
const NOBODY = ['--anonymous', '--retries', '0', '--base-url', 'http://127.0.0.1:1'];

/**
 * @param {{ program: string, node: string, directory: string, runs: number }} options `node` is the
 *   binary that runs the program; `directory` receives scratch files
 */
export async function benchStartup({ program, node, directory, runs }) {
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  console.log(`start-up with Node ${version}: ${runs} runs each`);
  const record = join(directory, 'record.json');
  await writeFile(record, JSON.stringify(RECORD));
  const settings = await writeSettings(directory);
  const bare = [node, '-e', '0'];
  const cli = (...argv) => [node, program, ...argv];
  // They read the settings if there are any.
  const pairs = [
    {
      name: 'dois create --dry-run',
      command: cli('dois', 'create', '--dry-run', '--file', record),
    },
    { name: 'dois list --count', command: cli('dois', 'list', '--count', ...NOBODY), code: 5 },
    { name: 'dois get', command: cli('dois', 'get', '10.5072/abc', ...NOBODY), code: 5 },
  ];
  const candidates = [
    { name: 'node -e 0', command: bare },
    { name: '--version', command: cli('--version') },
    { name: '--help', command: cli('--help') },
    { name: 'dois validate', command: cli('dois', 'validate', '--file', record) },
    ...pairs,
    ...pairs.map((pair) => ({
      ...pair,
      name: `${pair.name}, settings`,
      command: ['env', `DOI_CLI_CONFIG_DIR=${settings}`, ...pair.command],
    })),
    { name: 'terminal: node -e 0', command: bare, terminal: true },
    { name: 'terminal: --version', command: cli('--version'), terminal: true },
    { name: 'terminal: --help', command: cli('--help'), terminal: true },
  ];
  const scratchFile = join(directory, 'time-startup.txt');
  const results = await measure(candidates, { runs, warmups: 2, scratchFile });
  printTable(results);
  console.log();
  const target = (name, against, limit) => {
    const [own, other] = [name, against].map((each) =>
      summary(/** @type {any} */ (results.find((result) => result.name === each)), 'wallMs'),
    );
    printTarget({
      what: `${name} against ${against}`,
      value: own.median / other.median,
      limit,
      unit: ' times',
    });
  };
  for (const where of ['', 'terminal: ']) {
    target(`${where}--version`, `${where}node -e 0`, 1.3);
    target(`${where}--help`, `${where}node -e 0`, 2.2);
  }
  target('dois validate', 'node -e 0', 2.5);
}

/** A folder with the settings of a user who has logged in. */
async function writeSettings(/** @type {string} */ directory) {
  const settings = join(directory, 'settings');
  await mkdir(settings, { recursive: true });
  const profile = { repository: 'DEMO.REPO', mailto: 'me@example.org' };
  const service = { baseUrl: 'https://api.datacite.org', kind: 'repository' };
  const stored = { ...service, account: 'DEMO.REPO', place: 'keychain' };
  const file = JSON.stringify({ profiles: { default: profile }, stored: [stored] });
  await writeFile(join(settings, 'config.json'), file, { mode: 0o600 });
  return settings;
}
