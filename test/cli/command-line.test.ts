import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../src/program.ts';
import { run } from '../helpers/run.ts';

const words = (line: string) => line.split(' ').filter((word) => word !== '');

describe('help', () => {
  it.each([
    ['keys', 'keys'],
    ['dois', 'dois'],
    ['--quiet mds media', 'mds media'],
    ['help keys', 'keys'],
    ['help keys create', 'keys create'],
    ['keys help create', 'keys create'],
    ['keys help', 'keys'],
    ['help dois harvest verify', 'dois harvest verify'],
    ['help mds media post', 'mds media post'],
    ['dois harvest help verify', 'dois harvest verify'],
    ['help help', 'help'],
    ['completion help', 'completion'],
    ['help completion install', 'completion install'],
  ])('%s prints that of %s', async (line, path) => {
    const { code, stdout, stderr } = await run(words(line));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: doi-cli ${path} `);
  });

  it.each(['', 'help', '--quiet', '--help'])('%s prints that of the program', async (line) => {
    const { code, stdout } = await run(words(line));
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: doi-cli [options] <command>\n');
  });

  it('has commands before options, options in groups, and the global options in one line', async () => {
    const titles = async (line: string) =>
      [...(await run(words(line))).stdout.matchAll(/^([A-Z][A-Za-z ]+):/gm)].map(([, title]) => title);
    expect(await titles('--help')).toEqual(['Usage', 'Commands', 'Options', 'Examples', 'Documents']);
    expect(await titles('dois list --help')).toEqual([
      ...['Usage', 'Filters', 'Pages', 'Speed', 'Output', 'Examples', 'Global options', 'Documents'],
    ]);
    expect(await titles('dois harvest --help')).toEqual(
      expect.arrayContaining(['Commands', 'Copy', 'Filters', 'Speed', 'Output']),
    );
    expect(await titles('keys --help')).toEqual([
      ...['Usage', 'Commands', 'Examples', 'Global options', 'Documents'],
    ]);
    expect((await run(words('dois list --help'))).stdout).not.toContain('--retries');
  });

  it('marks required options, and shows short ones', async () => {
    expect((await run(words('keys create --help'))).stdout).toMatch(
      /--name <name>[^)]*\(up[^)]*\)\s+\(required\)/,
    );
    expect((await run(words('dois harvest status --help'))).stdout).toContain(
      'directory of the copy (required)',
    );
    expect((await run(words('dois list --help'))).stdout).toContain('  -o, --out <file> ');
    expect((await run(words('--help'))).stdout).toMatch(/^ {2}-V, --version {2}[\s\S]*^ {2}-q, --quiet /m);
  });

  it.each(['status', 'verify', 'compact'])('of harvest %s lists only its own options', async (name) => {
    const { stdout } = await run(['dois', 'harvest', name, '--help']);
    expect(stdout).toContain('--dir <directory>');
    expect(stdout).not.toMatch(/--provider-id|--gzip|--shard|--mine|--overlap/);
  });
});

describe('a short option', () => {
  it('-V prints the version', async () => {
    expect(await run(['-V'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
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
    visit(
      buildProgram(
        async () => undefined,
        () => undefined,
      ),
    );
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
      "'--query <query>': the value is empty",
    );
    expect((await run(['dois', 'validate', '-f/nonexistent.json'])).stderr).toContain('/nonexistent.json');
    expect((await run(['dois', 'validate', '-qf', '/nonexistent.json'])).stderr).toContain(
      '/nonexistent.json',
    );
  });
});

describe('a wrong command line', () => {
  it.each([
    // Commands.
    ['frob', "unknown command 'frob'", 'doi-cli --help'],
    ['frob --help', "unknown command 'frob'", 'doi-cli --help'],
    ['kyes list', "unknown command 'kyes'; did you mean 'keys'?", 'doi-cli keys list'],
    ['keys frob', "unknown command 'frob'", 'doi-cli keys --help'],
    ['keys frob --help', "unknown command 'frob'", 'doi-cli keys --help'],
    ['keys revok x', "unknown command 'revok'; did you mean 'revoke'?", 'doi-cli keys revoke'],
    ['help nope', "unknown command 'nope'", 'doi-cli --help'],
    ['help keys nope', "unknown command 'nope'", 'doi-cli keys --help'],
    ['keys help creat', "unknown command 'creat'; did you mean 'create'?", 'doi-cli keys create'],
    ['dois harvest verfy', "unknown command 'verfy'; did you mean 'verify'?", 'doi-cli dois harvest verify'],
    ['dois harvest frob --dir x', "unknown command 'frob'", 'doi-cli dois harvest --help'],
    ['mds doi gte 10.5072/x', "unknown command 'gte'; did you mean 'get'?", 'doi-cli mds doi get'],
    ['ls', "unknown command 'ls'", 'doi-cli keys list or doi-cli dois list'],
    ['dois ls', "unknown command 'ls'", 'doi-cli dois list'],
    ['keys rm x', "unknown command 'rm'", 'doi-cli keys revoke'],
    ['login', "unknown command 'login'", 'doi-cli auth login'],
    ['whoami', "unknown command 'whoami'", 'doi-cli auth status'],
    ['version', "unknown command 'version'", 'doi-cli --version'],
    ['harvest --dir x', "unknown command 'harvest'", 'doi-cli dois harvest'],
    [`keys DC.${'a'.repeat(32)}`, 'an API key is not a command', 'doi-cli keys --help'],
    // Options.
    ['dois list --titel x', "unknown option '--titel'", 'doi-cli dois list --help'],
    [
      'keys list --verbos',
      "unknown option '--verbos'; did you mean '--verbose'?",
      'doi-cli keys list --help',
    ],
    ['keys create -- --name', '--name <name> is required', 'doi-cli keys create --help'],
    ['keys list --quiet=1', '--quiet takes no value', 'doi-cli keys list --help'],
    ['dois list --all=3', '--all takes no value', 'doi-cli dois list --help'],
    ['--no-color=x doctor', '--no-color takes no value', 'doi-cli --help'],
    ['keys list --pasword=it', "unknown option '--pasword'", 'doi-cli keys list --help'],
    ['keys list -psecret', "unknown option '-p'", 'doi-cli keys list --help'],
    ['dois list --json', "unknown option '--json'", '--format json'],
    ['keys list --output x', "unknown option '--output'", '--format <format>'],
    ['dois list -f json', "unknown option '-f'", '--format <format>'],
    ['dois get 10.5072/x -f json', "unknown option '-f'", '--format <format>'],
    ['dois list --output x', "unknown option '--output'", '--out <file>'],
    ['keys list --debug', "unknown option '--debug'", '--verbose'],
    ['dois update 10.5072/x --title T', "unknown option '--title'", "--set 'titles[0].title=<title>'"],
    ['dois publish --state x 10.5072/x', "unknown option '--state'", 'doi-cli dois publish --help'],
    ['keys create --nam ci', "unknown option '--nam'; did you mean '--name'?", 'doi-cli keys create --help'],
    [
      'auth login --password x',
      "unknown option '--password'",
      'no option takes a secret: set DOI_CLI_API_KEY or DOI_CLI_PASSWORD, or use doi-cli auth login',
    ],
    [
      'dois harvest status --dir x --provider-id y',
      "unknown option '--provider-id'",
      'doi-cli dois harvest status --help',
    ],
    [
      'keys create --name --save',
      '--name needs a value, and --save is an option',
      'doi-cli keys create --help',
    ],
    ['dois list -o -q', '-o needs a value, and -q is an option', 'doi-cli dois list --help'],
    // Operands where options are meant.
    [
      'dois create record.json',
      "too many arguments for 'doi-cli dois create'",
      'doi-cli dois create --file record.json',
    ],
    ['dois validate x.ndjson', '--file <path> is required', 'doi-cli dois validate --file x.ndjson'],
    [
      'dois update x.ndjson',
      "doi: 'x.ndjson' is not a DOI such as 10.5072/abc or https://doi.org/10.5072/abc",
      'doi-cli dois update --file x.ndjson',
    ],
    [
      'dois update --event x.json 10.5072/x',
      "'--event <event>': 'x.json' is not an event; the events are publish, register, hide, show",
      'doi-cli dois update --help',
    ],
    [
      'dois list --state publishd',
      "'--state <state>': 'publishd' is not a DOI state; the states are findable, registered, draft",
      'doi-cli dois list --help',
    ],
    [
      'dois list --state findible',
      "'--state <state>': 'findible' is not a DOI state; the states are findable, registered, draft; did you mean 'findable'?",
      'doi-cli dois list --help',
    ],
    ['-v', "unknown option '-v'", '--verbose, or -V for the version'],
    ['keys create laptop', '--name <name> is required', 'doi-cli keys create --name laptop'],
    [`keys create DC.${'a'.repeat(32)}`, '--name <name> is required', 'doi-cli keys create --help'],
    ['auth login hunter2', "too many arguments for 'doi-cli auth login'", 'doi-cli auth login --help'],
    // Values.
    ['dois get', '<doi> is missing', 'doi-cli dois get --help'],
    [
      'completion',
      '<shell> is missing',
      'doi-cli completion bash, or doi-cli completion zsh, or doi-cli completion fish',
    ],
    ['keys list --format', '', ''],
    [
      'keys list --format yaml',
      "'--format <format>': 'yaml' is not a format; the formats are table, json, ndjson, csv",
      'doi-cli keys list --help',
    ],
    [
      'dois create --event publsh',
      "'--event <event>': 'publsh' is not an event; the events are publish, register, hide; did you mean 'publish'?",
      'doi-cli dois create --help',
    ],
    [
      'completion tcsh',
      "shell: 'tcsh' is not a shell; the shells are bash, zsh, fish",
      'doi-cli completion --help',
    ],
  ])('%s: %s', async (line, message, hint) => {
    const { code, stdout, stderr } = await run(words(line));
    expect([code, stdout]).toEqual([2, '']);
    if (hint === '') expect(stderr).toContain('--format <format> needs a value');
    else expect(stderr).toBe(`error: ${message}\nhint: ${hint}\n`);
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
        stderr: `error: unknown option '--${option}'\nhint: doi-cli dois harvest ${name} --help\n`,
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
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(new RegExp(`hint: doi-cli emulator ${verb} --help\n$`)),
    ]);
  });
  it('takes no time of the square of a word', async () => {
    const long = 'x'.repeat(100_000);
    for (const argv of [[long], ['keys', 'list', `--${long}`], ['dois', 'list', '--fields', long]]) {
      expect((await run(argv)).code).toBe(2);
    }
  });
  it('harvest takes --dir before the name of a command, too', async () => {
    const { stderr } = await run(['dois', 'harvest', '--dir', '/nonexistent', 'status']);
    expect(stderr).toContain('/nonexistent');
    expect(stderr).not.toContain('unknown option');
  });
});

describe('the answers to what other programs call otherwise', () => {
  const program = buildProgram(
    async () => undefined,
    () => undefined,
  );
  type Tree = (typeof program.commands)[number];
  const all = (command: Tree): Tree[] => [command, ...command.commands.flatMap(all)];
  const source = readFileSync('src/cli/wishes.ts', 'utf8');

  it('name commands that are there', () => {
    const [, table = ''] = /const COMMANDS[^=]*= \[([\s\S]*?)\n\];/.exec(source) ?? [];
    const answers = [...table.matchAll(/\['[^']*', \[(.*)\]\]/g)].flatMap(([, list = '']) =>
      [...list.matchAll(/'([^']*)'/g)].map(([, answer = '']) => answer),
    );
    const names = all(program).map((command) => command.name());
    expect(answers.length).toBeGreaterThan(15);
    const unknown = answers.flatMap((answer) => answer.replace(/^doi-cli | --.*$/g, '').split(' '));
    expect(unknown.filter((name) => name !== '' && !name.startsWith('-') && !names.includes(name))).toEqual(
      [],
    );
  });
  it('name options that some command has', () => {
    const options = new Set(all(program).flatMap((command) => command.options.map(({ long }) => long)));
    const answers = [...source.matchAll(/['"](--[a-z-]+)/g)].map(([, option]) => option);
    expect(answers.length).toBeGreaterThan(30);
    expect(answers.filter((option) => !options.has(option) && !/-(since|until)$/.test(option ?? ''))).toEqual(
      [],
    );
  });
});
