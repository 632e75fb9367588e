// Files that never end, never answer or are no files, wherever the program reads one that the user
// names. To add a place, add a row to PLACES: the path that the program reads, and the command
// line. To add a kind of file, add a row to KINDS.
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacks } from '../helpers/platform.ts';
import { run } from '../helpers/run.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';

const DOI = '10.5072/a';
const GB = 1024 ** 3;

const KINDS: Readonly<Record<string, (path: string) => void>> = {
  'a FIFO': (path) => execFileSync('mkfifo', [path]),
  'a link to a FIFO': (path) => {
    execFileSync('mkfifo', [`${path}.fifo`]);
    symlinkSync(`${path}.fifo`, path);
  },
  'a device without end': (path) => symlinkSync('/dev/zero', path),
  'a folder': (path) => mkdirSync(path),
  'a file of a gigabyte': (path) => {
    writeFileSync(path, '', { mode: 0o600 });
    truncateSync(path, GB);
  },
};

interface Place {
  readonly name: string;
  readonly argv: readonly string[];
}

const account = { kind: 'api-key', account: 'demo.repo', place: 'insecure-file' };
const SETTINGS = JSON.stringify({
  profiles: { default: { repository: 'demo.repo' } },
  stored: [{ ...account, baseUrl: 'http://127.0.0.1:1' }],
});

const PLACES: readonly Place[] = [
  { name: 'config.json', argv: ['config', 'list'] },
  { name: 'config.json', argv: ['config', 'set', 'repository', 'demo.repo'] },
  { name: 'config.json', argv: ['dois', 'get', DOI, '--anonymous'] },
  { name: 'insecure-credentials.json', argv: ['dois', 'get', DOI] },
  { name: 'record.json', argv: ['dois', 'validate', '--file', 'record.json'] },
  { name: 'record.json', argv: ['dois', 'update', DOI, '--file', 'record.json'] },
  { name: '.zshrc', argv: ['completion', 'install', 'zsh'] },
  { name: '.local/zsh/site-functions/_doi-cli', argv: ['completion', 'uninstall', 'zsh'] },
  { name: '_harvest/lock', argv: ['dois', 'harvest', '--dir', '.', '--anonymous'] },
];

describe.skipIf(lacks('posixShell', 'devices'))('a file that the program reads', () => {
  for (const [kind, make] of Object.entries(KINDS)) {
    // Records may come from a pipe; the tests of bulk runs interrupt one that nobody writes to.
    const places = kind.endsWith('FIFO')
      ? PLACES.filter(({ name }) => name !== 'record.json')
      : PLACES;
    it.each(places)(`is refused at once where ${kind} is $name: $argv`, async ({ name, argv }) => {
      const folder = temporaryDirectory();
      if (name === 'insecure-credentials.json') {
        writeFileSync(join(folder, 'config.json'), SETTINGS, { mode: 0o600 });
      }
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      make(join(folder, name));
      const inFolder = argv.map((word) => ([name, '.'].includes(word) ? join(folder, word) : word));
      const home = { HOME: folder, XDG_DATA_HOME: join(folder, '.local') };
      const env = { ...home, DOI_CLI_CONFIG_DIR: folder, DOI_CLI_BASE_URL: 'http://127.0.0.1:1' };
      const done = await run(inFolder, { env });
      expect(done.stdout).toBe('');
      expect([1, 2, 4]).toContain(done.code);
      expect(done.stderr).toMatch(
        /regular file|larger|a link|longer than|has more than|not a lock file|a folder|nor a pipe|holds more|is not text/,
      );
    });
  }
});
