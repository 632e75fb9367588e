import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../src/program.ts';
import { SETTINGS } from '../../src/settings/settings.ts';
import { run } from '../helpers/run.ts';

const program = buildProgram();
await program.declareAll();

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

describe('a short option', () => {
  it('-V prints the version', async () => {
    expect(await run(['-V'])).toMatchObject({ code: 0, stdout: /^\d+\.\d+\.\d+\n$/ });
  });
  it('is the same everywhere', () => {
    const short = new Map<string, string>();
    const visit = (command: ReturnType<typeof buildProgram>['commands'][number]): void => {
      for (const { short: form, long } of command.options) {
        if (form === undefined) continue;
        expect(short.get(form) ?? long).toBe(long);
        short.set(form, long ?? '');
      }
      command.commands.forEach(visit);
    };
    visit(program);
    expect(Object.fromEntries(short)).toEqual({
      ...{ '-V': '--version', '-q': '--quiet', '-o': '--out', '-f': '--file', '-y': '--yes' },
    });
  });
});

describe('the value of an option', () => {
  it.each([
    ['-Vx', ['--title', '-Vx']],
    ['-quiet', ['--title', '-quiet']],
    ['-o', ['--title=-o']],
    ['--quiet', ['--title=--quiet']],
    ['help', ['--title', 'help']],
    ['=', ['--title', '=']],
  ])('may look like an option: %j', async (title, argv) => {
    const { code, stdout } = await run([
      ...['dois', 'create', '--prefix', '10.5072', '--dry-run', '--format', 'json', ...argv],
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain(`"title":${JSON.stringify(title)}`);
  });
  it('may be empty, and follow a short option at once', async () => {
    expect((await run(['dois', 'list', '--query', ''])).stderr).toContain(
      '--query <query>: the value is empty',
    );
    expect((await run(['dois', 'validate', '-f/nonexistent.json'])).stderr).toContain(
      '/nonexistent.json',
    );
    expect((await run(['dois', 'validate', '-qf', '/nonexistent.json'])).stderr).toContain(
      '/nonexistent.json',
    );
  });
});

/** What is said where an option follows --name. */
const needsValue = (next: string) => `--name needs a value, and ${next} is an option`;
const quoteOr = (path: string) => `quote a value with spaces, or see doi-cli ${path} --help`;

describe('a wrong command line', () => {
  it.each([
    // Commands.
    ['frob', "unknown command 'frob'", 'doi-cli --help'],
    ['kyes list', "unknown command 'kyes'", 'Did you mean keys?'],
    ['keys frob', "unknown command 'frob'", 'doi-cli keys --help'],
    ['keys frob --help', "unknown command 'frob'", 'doi-cli keys --help'],
    ['frob --help', "unknown command 'frob'", 'doi-cli --help'],
    ['help nope', "unknown command 'nope'", 'doi-cli --help'],
    ['keys revok x', "unknown command 'revok'", 'Did you mean revoke?'],
    [
      'dois harvest frob --dir x',
      "unknown command 'frob'",
      '--dir <directory>, or see doi-cli dois harvest --help',
    ],
    ['completion instal zsh', "unknown command 'instal'", 'doi-cli completion --help'],
    [`keys DC.${'a'.repeat(32)}`, "unknown command 'DC.***'", 'doi-cli keys --help'],
    ['https://a:geheim@example.org/x', "unknown command '***@example.org/x'", 'doi-cli --help'],
    // Options.
    ['dois list --frobnicate x', "unknown option '--frobnicate'", 'doi-cli dois list --help'],
    ['dois create --titel x', "unknown option '--titel'", 'Did you mean --title?'],
    ['keys list --verbos', "unknown option '--verbos'", 'Did you mean --verbose?'],
    [
      'keys create --nam ci',
      "unknown option '--nam'",
      'for example: doi-cli keys create --name ci',
    ],
    [
      'keys create -- --name',
      "required option '--name <name>' not specified",
      'for example: doi-cli keys create --name ci',
    ],
    ['keys list --quiet=1', '--quiet takes no value', 'doi-cli keys list --help'],
    ['--no-color=x doctor', '--no-color takes no value', 'doi-cli --help'],
    ['keys list --pasword=it', "unknown option '--pasword'", 'doi-cli keys list --help'],
    ['keys list -xsecret', "unknown option '-x'", 'doi-cli keys list --help'],
    ['keys list -qxsecret', "unknown option '-x'", 'doi-cli keys list --help'],
    ['dois list -5 --frob=it', "unknown option '-5'", 'doi-cli dois list --help'],
    ['dois list —all', 'an option begins with a typographic dash', 'write --all'],
    ['keys list –-format=json', 'an option begins with a typographic dash', 'write --format'],
    [
      'dois harvest status --dir x --provider-id y',
      "unknown option '--provider-id'",
      'doi-cli dois harvest status --help',
    ],
    ['keys create --name --save', needsValue('--save'), 'doi-cli keys create --help'],
    ['keys create --name --help', needsValue('--help'), 'doi-cli keys create --help'],
    [
      'keys create --name --base-url=http://demo:geheim@127.0.0.1',
      needsValue('--base-url'),
      'doi-cli keys create --help',
    ],
    ['dois list -o -q', '-o needs a value, and -q is an option', 'doi-cli dois list --help'],
    [
      'keys list --format',
      "option '--format <format>' argument missing",
      'doi-cli keys list --help',
    ],
    [
      'dois list --all --page 2',
      "option '--all' cannot be used with option '--page <n>'",
      'leave one of them out',
    ],
    [
      'auth logout --all --api-key',
      "option '--all' cannot be used with option '--api-key'",
      'leave one of them out',
    ],
    // Surplus words, which are quoted only where they cannot be secrets.
    [
      'dois list --sort created frob',
      "unexpected word 'frob'",
      "--query '<words>'; quote a value with spaces",
    ],
    [
      'dois list climate change',
      "unexpected word 'climate'",
      "--query '<words>'; quote a value with spaces",
    ],
    [
      'dois update 10.5072/x --set titles[0].title=A better title',
      "unexpected word 'better'",
      quoteOr('dois update'),
    ],
    [
      'dois update 10.5072/x note=geheim',
      "too many arguments for 'update'. Expected 1 argument but got 2.",
      quoteOr('dois update'),
    ],
    [
      `dois list DC.${'a'.repeat(32)}`,
      "too many arguments for 'list'. Expected 0 arguments but got 1.",
      "--query '<words>'; quote a value with spaces",
    ],
    [
      'auth login hunter2',
      "too many arguments for 'login'. Expected 0 arguments but got 1.",
      'doi-cli auth login --repository <id>',
    ],
    [
      'config set repository demo.repo hunter2',
      "too many arguments for 'set'. Expected 2 arguments but got 3.",
      quoteOr('config set'),
    ],
    ['completion zsh extra', "unexpected word 'extra'", quoteOr('completion')],
    // Missing words.
    ['keys revoke', "missing required argument 'key'", 'for example: doi-cli keys revoke ci'],
    ['api', "missing required argument 'path'", 'for example: doi-cli api /heartbeat'],
    ['dois get', 'name a DOI', 'doi-cli dois get 10.5438/0012'],
    [
      'completion',
      "missing required argument 'shell'",
      'for example: doi-cli completion install zsh',
    ],
    [
      'dois validate',
      "required option '-f, --file <path>' not specified",
      'for example: doi-cli dois validate --file record.json --event publish',
    ],
    // Values. The message names the option and what it takes.
    [
      'dois get 10.5072',
      "doi: '10.5072' is a DOI prefix, not a DOI such as 10.5072/abc or https://doi.org/10.5072/abc",
      '',
    ],
    [
      'dois update 10.5072/x --set titles[0].title B',
      "--set <path=value>: 'titles[0].title' has no value: write it as one word, such as titles[0].title=Text or publicationYear=2026",
      '',
    ],
    [
      'dois list --filter subject lake',
      "--filter <name=value>: 'subject' has no value: write it as one word, such as subject=lake",
      '',
    ],
    [
      'dois create --file x.csv --map Title',
      "--map <column=path>: 'Title' has no path: write it as one word, such as Title=titles[0].title",
      '',
    ],
    [
      'dois update --event x.json 10.5072/x',
      "option '--event <event>' argument 'x.json' is invalid. Allowed choices are publish, register, hide, show.",
      '',
    ],
    [
      'dois list --state published',
      "--state <state>: 'published' is not a DOI state; the states are findable, registered, draft; did you mean 'findable'?",
      '',
    ],
    ['dois publish --where draft', "--where: 'draft' is not a filter such as state=draft", ''],
    [
      'dois list --state publishd',
      "--state <state>: 'publishd' is not a DOI state; the states are findable, registered, draft",
      '',
    ],
    [
      'dois list --created 2017,2019',
      "--created <dates>: '2017,2019' is not a date: write a year such as 2019, a month such as 2024-05, a day such as 2024-05-01, a time such as 2024-05-01T12:00:00Z, an age such as 7d, or a range such as 2017..2019, 7d.. or ..2024-05-01",
      '',
    ],
    [
      'keys list --format JSON',
      "option '--format <format>' argument 'JSON' is invalid. Allowed choices are table, json, ndjson, csv.",
      '',
    ],
    [
      'config set frob x',
      "unknown setting 'frob'; allowed are base-url, repository, mailto, prefix.",
      '',
    ],
  ])('%s: %s', async (line, message, hint) => {
    const { code, stdout, stderr } = await run(words(line));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(`error: ${message}\n${hint === '' ? '' : `hint: ${hint}\n`}`);
  });

  it('is one JSON object with --format json', async () => {
    const { stderr } = await run(['dois', 'list', '--format', 'json', '--colums=doi']);
    const message = "unknown option '--colums'";
    expect(JSON.parse(stderr)).toMatchObject({ error: { kind: 'usage', message } });
  });
  it('takes a format for no file', async () => {
    expect((await run(words('dois list -o json'))).stderr).toBe(
      "error: --out <file>: 'json' is a format: write --format json, or --out ./json for a file\n",
    );
  });

  it.each([
    ['status', 'provider-id', 'x'],
    ['verify', 'client-id', 'x.y'],
    ['compact', 'mine', undefined],
    ['status', 'gzip', undefined],
    ['compact', 'jobs', '2'],
  ])('harvest %s refuses --%s before and after its name', async (name, option, value) => {
    const given = [`--${option}`, ...(value === undefined ? [] : [value])];
    for (const argv of [
      [name, '--dir', 'x', ...given],
      [...given, name, '--dir', 'x'],
    ]) {
      expect(await run(['dois', 'harvest', ...argv])).toMatchObject({
        code: 2,
        stderr: new RegExp(`^error: unknown option '--${option}'\\nhint: `),
      });
    }
  });
  it.each(['start', 'exec'])('of emulator %s names its own help', async (verb) => {
    const { code, stderr } = await run([
      'emulator',
      verb,
      '--fault',
      'bad',
      ...(verb === 'exec' ? ['--', 'true'] : []),
    ]);
    expect([code, stderr]).toEqual([2, new RegExp(`hint: doi-cli emulator ${verb} --help\n$`)]);
  });
  it('takes no time of the square of a word', async () => {
    const long = 'x'.repeat(100_000);
    for (const argv of [
      [long],
      ['keys', 'list', `--${long}`],
      ['dois', 'list', '--fields', long],
    ]) {
      expect((await run(argv)).code).toBe(2);
    }
  });
  it('harvest takes --dir before the name of a command, too', async () => {
    const { stderr } = await run(['dois', 'harvest', '--dir', '/nonexistent', 'status']);
    expect(stderr).toContain('/nonexistent');
    expect(stderr).not.toContain('unknown option');
  });
});
