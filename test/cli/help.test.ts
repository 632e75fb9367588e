import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/settings/settings.ts';
import { run } from '../helpers/run.ts';

const words = (line: string) => line.split(' ').filter((word) => word !== '');

describe('help', () => {
  it.each([
    ['keys', 'keys'],
    ['dois', 'dois'],
    ['--quiet config', 'config'],
    ['help keys', 'keys'],
    ['help keys create', 'keys create'],
    ['help -- keys', 'keys'],
    ['help -- keys create', 'keys create'],
    ['keys help create', 'keys create'],
    ['keys help', 'keys'],
    ['help dois harvest verify', 'dois harvest verify'],
    ['dois harvest help verify', 'dois harvest verify'],
    ['dois help list', 'dois list'],
    ['dois help delete', 'dois delete'],
    ['completion help', 'completion'],
    ['help completion install', 'completion'],
  ])('%s prints that of %s', async (line, path) => {
    const { code, stdout, stderr } = await run(words(line));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: doi-cli ${path} `);
  });

  it.each(['', 'help', 'help --', '--quiet', '--help'])(
    '%s prints that of the program',
    async (line) => {
      const { code, stdout } = await run(words(line));
      expect(code).toBe(0);
      expect(stdout).toContain('Usage: doi-cli [options] <command>\n');
    },
  );

  it('has options in groups, those of experts with --all, and the global options in that of the program', async () => {
    const titles = async (line: string) =>
      [...(await run(words(line))).stdout.matchAll(/^([A-Z][A-Za-z ]+):/gm)].map(
        ([, title]) => title,
      );
    const list = ['Usage', 'Filters', 'Pages', 'Output'];
    expect(await titles('--help')).toEqual([
      ...['Usage', 'Global options', 'Commands', 'Examples', 'More options'],
    ]);
    expect(await titles('dois list --help')).toEqual([
      ...list,
      'Examples',
      'More options',
      'Global options',
    ]);
    expect(await titles('dois list --help --all')).toEqual([
      ...list,
      ...['For experts', 'Examples', 'Global options'],
    ]);
    expect(await titles('dois harvest --help')).toContain('Filters');
    expect(await titles('dois harvest --help --all')).toContain('Filters of dois list');
    expect(await titles('keys --help')).toEqual([
      'Usage',
      'Commands',
      'Examples',
      'Global options',
    ]);
    expect((await run(words('dois list --help --all'))).stdout).not.toContain('--retries');
    expect((await run(words('help --all'))).stdout).toContain('--retries');
  });

  it.each(['config set', 'completion install', 'emulator exec'])(
    'of %s is that of its group, with the options of all of its commands',
    async (path) => {
      const [group = ''] = path.split(/ \w+$/);
      const { stdout } = await run([...words(path), '--help']);
      expect(stdout).toBe((await run([...words(group), '--help'])).stdout);
      expect(stdout).toMatch(/^ {2}--(format|dry-run|records) /m);
    },
  );

  it.each(['auth', 'dois list', 'dois create', ''])('of %j wraps between words', async (path) => {
    for (const columns of [40, 60, 80, 200]) {
      const terminal = { stdout: true, columns };
      const { stdout } = await run(words(`${path} --help --no-pager`.trim()), { terminal });
      // Words cannot be broken, and neither can an example.
      const text = stdout.replace(/^Examples:[\s\S]*?\n\n/m, '');
      const lines = text.split('\n').filter((line) => line.trim().includes(' '));
      const most = Math.min(columns, 100);
      expect(lines.filter(({ length }) => length > most)).toEqual([]);
      if (path === 'auth')
        expect(stdout).toMatch(/credentials,\s+whether\s+the\s+service\s+accepts\s+them,\s+and\s/);
    }
  });

  it('of the program names all settings', async () => {
    const { stdout } = await run(['--help']);
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      `settings of a profile: ${Object.keys(SETTINGS).join(', ')};`,
    );
  });

  it('marks required options, and shows short ones', async () => {
    expect((await run(words('keys create --help'))).stdout).toMatch(
      /--name <name>[^)]*\(required\)/,
    );
    expect((await run(words('dois harvest status --help'))).stdout).toContain(
      'directory of the copy (required)',
    );
    expect((await run(words('dois list --help'))).stdout).toContain('  -o, --out <file> ');
    expect((await run(words('--help'))).stdout).toMatch(
      /^ {2}-V, --version [\s\S]*^ {2}-q, --quiet /m,
    );
  });

  it.each(['status', 'verify', 'compact'])(
    'of harvest %s lists only its own options',
    async (name) => {
      const { stdout } = await run(['dois', 'harvest', name, '--help']);
      expect(stdout).toContain('--dir <directory>');
      expect(stdout).not.toMatch(/--provider-id|--gzip|--shard|--mine|--overlap/);
    },
  );
});
