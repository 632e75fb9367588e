import { describe, expect, it } from 'vitest';
import { pathOf } from '../../src/cli/options.ts';
import { COMMANDS, OPTIONS, VALUES } from '../../src/cli/other-words.ts';
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
    expect(await run(['-V'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
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

const emulatorExec = 'put -- before the command: doi-cli emulator exec [options] -- <command>';

describe('a wrong command line', () => {
  it.each([
    // Commands.
    ['frob', "unknown command 'frob'", 'doi-cli --help'],
    ['kyes list', "unknown command 'kyes'", 'doi-cli keys'],
    ['keys frob', "unknown command 'frob'", 'doi-cli keys --help'],
    ['dois history', "unknown command 'history'", 'doi-cli api /dois/<doi>/activities'],
    ['frob --help', "unknown command 'frob'", 'doi-cli --help'],
    ['completion instal zsh', "unknown command 'instal'", 'doi-cli completion install zsh'],
    ['help nope', "unknown command 'nope'", 'doi-cli --help'],
    ['keys revok x', "unknown command 'revok'", 'doi-cli keys revoke x'],
    ['dois harvest verfy', "unknown command 'verfy'", 'doi-cli dois harvest verify'],
    ['dois harvest all', "unknown command 'all'", 'doi-cli dois harvest --dir all'],
    ['dois harvest frob --dir x', "unknown command 'frob'", 'doi-cli dois harvest --help'],
    ['ls', "unknown command 'ls'", 'doi-cli dois list or doi-cli keys list'],
    ['dois ls', "unknown command 'ls'", 'doi-cli dois list'],
    ['keys rm x', "unknown command 'rm'", 'doi-cli keys revoke x'],
    ['login', "unknown command 'login'", 'doi-cli auth login'],
    ['whoami', "unknown command 'whoami'", 'doi-cli auth status'],
    ['harvest --dir x', "unknown command 'harvest'", 'doi-cli dois harvest'],
    [`keys DC.${'a'.repeat(32)}`, "unknown command 'DC.***'", 'doi-cli keys --help'],
    // Options.
    ['dois list --frobnicate x', "unknown option '--frobnicate'", 'doi-cli dois list --help'],
    ['dois create --titel x', "unknown option '--titel'", 'did you mean --title?'],
    ['dois list --titel x', "unknown option '--titel'", 'doi-cli dois list --help'],
    ['keys list --verbos', "unknown option '--verbos'", 'did you mean --verbose?'],
    ['dois list --page-siz 3', "unknown option '--page-siz'", 'did you mean --page-size?'],
    ['dois list --client x', "unknown option '--client'", '--client-id'],
    ['keys create --nam ci', "unknown option '--nam'", 'did you mean --name?'],
    ['keys create --nam=ci', "unknown option '--nam'", 'did you mean --name?'],
    [
      'keys create -- --name',
      "required option '--name <name>' not specified",
      'doi-cli keys create --help',
    ],
    ['keys list --quiet=1', '--quiet takes no value', 'doi-cli keys list --help'],
    ['dois list --all=3', '--all takes no value', 'doi-cli dois list --help'],
    ['--no-color=x doctor', '--no-color takes no value', 'doi-cli --help'],
    ['keys list --pasword=it', "unknown option '--pasword'", 'doi-cli keys list --help'],
    ['keys list -psecret', "unknown option '-p'", 'doi-cli keys list --help'],
    ['dois list --json', "unknown option '--json'", '--format json'],
    ['dois list -f json', "unknown option '-f'", '--format json'],
    ['dois list --output x', "unknown option '--output'", '--out'],
    ['keys list --debug', "unknown option '--debug'", '--verbose'],
    ['dois list --since 7d', "unknown option '--since'", '--updated'],
    [
      'dois update 10.5072/x --title T',
      "unknown option '--title'",
      "--set 'titles[0].title=<title>'",
    ],
    ['dois delete --state x 10.5072/x', "unknown option '--state'", 'doi-cli dois delete --help'],
    [
      'auth login --password x',
      "unknown option '--password'",
      '--password-stdin, or leave it out: the command asks for it',
    ],
    ['auth login --token x', "unknown option '--token'", '--api-key-stdin'],
    ['dois list —all', 'an option begins with a typographic dash', 'write --all'],
    ['keys list –-format=json', 'an option begins with a typographic dash', 'write --format'],
    [
      'config set mailto=a@b.org',
      "missing required argument 'value'",
      'doi-cli config set mailto a@b.org',
    ],
    [
      'api GET /dois',
      "too many arguments for 'api'. Expected 1 argument but got 2.",
      'doi-cli api /dois --method GET',
    ],
    [
      'dois update title=X 10.5072/x',
      "too many arguments for 'update'. Expected 1 argument but got 2.",
      "doi-cli dois update <doi> --set 'path=value'",
    ],
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
    ['-v', "unknown option '-v'", '--verbose (or --version)'],
    // Operands where options are meant.
    [
      'dois create record.json',
      "too many arguments for 'create'. Expected 0 arguments but got 1.",
      'doi-cli dois create --file record.json',
    ],
    [
      'dois validate x.ndjson',
      "required option '-f, --file <path>' not specified",
      'doi-cli dois validate --file x.ndjson',
    ],
    [
      'completion zsh extra',
      "too many arguments for 'completion'. Expected 1 argument but got 2.",
      'doi-cli completion --help',
    ],
    [
      'keys create ci',
      "required option '--name <name>' not specified",
      'doi-cli keys create --name ci',
    ],
    [
      'keys create a b',
      "required option '--name <name>' not specified",
      'doi-cli keys create --help',
    ],
    [
      `keys create DC.${'a'.repeat(32)}`,
      "required option '--name <name>' not specified",
      'doi-cli keys create --help',
    ],
    [
      'dois harvest verify copy',
      "too many arguments for 'verify'. Expected 0 arguments but got 1.",
      'doi-cli dois harvest verify --dir copy',
    ],
    ['dois create --file x.csv --yes', "unknown option '--yes'", 'leave it out: nothing is asked'],
    ['api -X DELETE /dois/10.5072/x', "unknown option '-X'", '--method'],
    ['dois update 10.5072/x --state findable', "unknown option '--state'", '--event publish'],
    // Values. The message names the option and what it takes.
    [
      'dois update x.ndjson',
      "doi: 'x.ndjson' is not a DOI such as 10.5072/abc or https://doi.org/10.5072/abc",
      'doi-cli dois update --file x.ndjson',
    ],
    [
      'dois get my.json',
      "doi: 'my.json' is not a DOI such as 10.5072/abc or https://doi.org/10.5072/abc",
      'doi-cli dois get --file my.json',
    ],
    [
      'dois list --format xml',
      "option '--format <format>' argument 'xml' is invalid. Allowed choices are table, json, ndjson, csv, tsv, parquet.",
      'doi-cli dois get has --format datacite-xml',
    ],
    [
      'dois transfer 10.5072/x',
      "required option '--to <repository>' not specified",
      'doi-cli dois transfer 10.5072/x --to <repository>',
    ],
    ['keys revoke', "missing required argument 'key'", 'for example: doi-cli keys revoke ci'],
    ['api', "missing required argument 'path'", 'for example: doi-cli api /heartbeat'],
    [
      'dois publish --all',
      "unknown option '--all'",
      '--where state=draft (all DOIs of the account that match)',
    ],
    [
      'dois harvest --all',
      "unknown option '--all'",
      'leave it out: a --dir without filters has all DOIs',
    ],
    ['keys list --all', "unknown option '--all'", '--include-revoked'],
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
      'dois update 10.5072/x title=B',
      "too many arguments for 'update'. Expected 1 argument but got 2.",
      "doi-cli dois update <doi> --set 'path=value'",
    ],
    [
      'dois list mine.csv',
      "too many arguments for 'list'. Expected 0 arguments but got 1.",
      'doi-cli dois list --out mine.csv',
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
    [
      'dois get 10.5072',
      "doi: '10.5072' is a DOI prefix, not a DOI such as 10.5072/abc or https://doi.org/10.5072/abc",
      '',
    ],
    [
      'dois publish --where state=draft created=2026-11',
      "doi: 'created=2026-11' is not a DOI such as 10.5072/abc or https://doi.org/10.5072/abc",
      '--where created=2026-11',
    ],
    ['dois publish --where draft', "--where: 'draft' is not a filter such as state=draft", ''],
    [
      'dois list --state publishd',
      "--state <state>: 'publishd' is not a DOI state; the states are findable, registered, draft",
      '',
    ],
    [
      'dois list --state findible',
      "--state <state>: 'findible' is not a DOI state; the states are findable, registered, draft; did you mean 'findable'?",
      '',
    ],
    [
      'dois list --created 2017,2019',
      "--created <dates>: '2017,2019' is a list: for the whole range write 2017..2019",
      '',
    ],
    ['dois get', 'name a DOI', 'doi-cli dois get 10.5438/0012'],
    [
      'completion',
      "missing required argument 'shell'",
      'for example: doi-cli completion install zsh',
    ],
    [
      'keys list --format',
      "option '--format <format>' argument missing",
      'doi-cli keys list --help',
    ],
    [
      'keys list --format yaml',
      "option '--format <format>' argument 'yaml' is invalid. Allowed choices are table, json, ndjson, csv.",
      '',
    ],
    [
      'keys list --format JSON',
      "option '--format <format>' argument 'JSON' is invalid. Allowed choices are table, json, ndjson, csv.",
      'did you mean json?',
    ],
    [
      'dois create --event publsh',
      "option '--event <event>' argument 'publsh' is invalid. Allowed choices are publish, register, hide.",
      'did you mean publish?',
    ],
    [
      'config set base_url x',
      "unknown setting 'base_url'; allowed are base-url, repository, mailto, prefix.",
      'did you mean base-url?',
    ],
  ])('%s: %s', async (line, message, hint) => {
    const { code, stdout, stderr } = await run(words(line));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(`error: ${message}\n${hint === '' ? '' : `hint: ${hint}\n`}`);
  });

  it.each([
    // Names of other programs.
    ['install', 'doi-cli --help'],
    ['dois list --where state=draft', '--state draft'],
    ['dois list --where title:lake', '--query'],
    ['dois unpublish x', 'doi-cli dois hide x'],
    ['dois import x.csv', 'doi-cli dois create --file x.csv'],
    ['dois view 10.5072/x', 'doi-cli dois get 10.5072/x'],
    ['config set password x', 'doi-cli auth login'],
    ['dois cite x', 'doi-cli dois get --format citation'],
    ['dois mint', 'doi-cli dois create'],
    ['dois download', 'doi-cli dois harvest --dir <directory>'],
    ['dois count', 'doi-cli dois list --count'],
    ['dois harvest update', 'doi-cli dois harvest --dir <directory>'],
    ['dois search x', 'doi-cli dois list'],
    ['keys get x', 'doi-cli keys list'],
    ['datafile download', 'doi-cli datafile credentials'],
    ['config rm mailto', 'doi-cli config unset mailto'],
    ['emulator run', 'doi-cli emulator start or doi-cli emulator exec -- <command>'],
    ['version', 'doi-cli --version'],
    ['dois list --fields titles url', '--fields titles,url'],
    ['dois list all', 'doi-cli dois list --all'],
    ['dois get --doi 10.5072/a', 'doi-cli dois get <doi>'],
    ['dois list --all --page 2', 'leave one of them out'],
    ['dois validate', 'doi-cli dois validate --file <path>'],
    ['key list', 'doi-cli keys list'],
    ['record get 10.5072/x', 'doi-cli dois get 10.5072/x'],
    ['token create', 'doi-cli keys create or doi-cli auth status'],
    ['lsit', 'doi-cli keys list or doi-cli dois list'],
    // Nothing permanent, unless the word clearly means it.
    ['dois publsih x', 'doi-cli dois publish x'],
    ['dois republish x', 'doi-cli dois --help'],
    ['dois deregister x', 'doi-cli dois --help'],
    ['keys rename a b', 'doi-cli keys create --name <new name>'],
    ['keys disable x', 'doi-cli keys --help'],
    ['keys publish x', 'doi-cli keys --help'],
    ['auth frob true', 'doi-cli auth --help'],
    ['dois update --event unpublish 10.5072/x', 'did you mean hide?'],
    ['dois update --event republish 10.5072/x', undefined],
    ['keys list --exclude-revoked', 'doi-cli keys list --help'],
    ['dois create --validate', 'doi-cli dois create --help'],
    // Options and values of other programs.
    ['dois create --state findable', '--event publish'],
    ['dois create --state=draft', 'leave it out: without --event, a new record is a Draft'],
    ['dois create --date 2024', '--year'],
    ['dois list --year 2024', '--filter published=<year>'],
    ['dois list -n 5', '--limit'],
    ['keys list -o json', '--format json'],
    ['keys list --output=yaml', '--format'],
    ['dois list --format jsonl', 'did you mean ndjson?'],
    ['config set email a@b.de', 'did you mean mailto?'],
    ['emulator exec doi-cli dois list --count', emulatorExec],
    // Addresses.
    ['10.5072/x', 'doi-cli dois get 10.5072/x'],
    ['dois https://doi.org/10.5072/x', 'doi-cli dois get 10.5072/x'],
    ['https://api.datacite.org/dois/10.5072%2Fx', 'doi-cli dois get 10.5072/x'],
    [
      'https://api.datacite.org/dois?query=lake&client-id=a.b',
      'doi-cli dois list --query lake --filter client-id=a.b',
    ],
    ['https://a:geheim@api.datacite.org/dois/10.5072/x', 'doi-cli --help'],
    // Surplus words.
    ['dois list climate change', "doi-cli dois list --query 'climate change'"],
    ['dois list 10.5072/x', 'doi-cli dois get 10.5072/x'],
    ['dois list 10.5072', 'doi-cli dois list --prefix 10.5072'],
    ['dois list demo.repo', 'doi-cli dois list --client-id demo.repo'],
    ['dois list --mine true', '--mine takes no value'],
    ['dois create A title', "doi-cli dois create --title 'A title'"],
    ['dois create 10.5072/x', 'doi-cli dois create --doi 10.5072/x'],
    ['keys create --name a ci', "quote the value: --name 'a ci'"],
    [
      'dois update 10.5072/x --set titles[0].title=A better title',
      "quote the value: --set 'titles[0].title=A better title'",
    ],
    ['keys identify key.txt', 'doi-cli keys identify < key.txt'],
    // The word may be a password.
    ['auth login hunter2', 'doi-cli auth login --repository <id>'],
  ])('%s: the hint is %s', async (line, hint) => {
    const { code, stdout, stderr } = await run(words(line));
    expect([code, stdout]).toEqual([2, '']);
    expect(/^hint: (.*)\n$/m.exec(stderr)?.[1]).toBe(hint);
    expect(stderr).not.toMatch(/geheim|hunter2/);
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
        stderr: expect.stringMatching(new RegExp(`^error: unknown option '--${option}'\\nhint: `)),
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

describe('the answers to what other programs call otherwise', () => {
  type Tree = (typeof program.commands)[number];
  const all = (command: Tree): Tree[] => [command, ...command.commands.flatMap(all)];

  it('name commands that are there', () => {
    const paths = all(program).map((command) => pathOf(command).replace('doi-cli ', ''));
    const answers = Object.keys(COMMANDS).map((path) => path.replace(/ ?(--|\/).*/, ''));
    expect(answers.filter((path) => path !== '' && !paths.includes(path))).toEqual([]);
  });
  it('name options that some command has', () => {
    const options = all(program).flatMap((command) => command.options.map(({ long }) => long));
    const answers = Object.keys(OPTIONS).flatMap((answer) => answer.match(/--[a-z-]+/) ?? []);
    expect(answers.filter((option) => !options.includes(option))).toEqual([]);
  });
  it('name values that some option or operand takes', () => {
    const choices = all(program).flatMap(({ options, registeredArguments }) =>
      [...options, ...registeredArguments].flatMap(({ argChoices }) => argChoices ?? []),
    );
    expect(Object.keys(VALUES).filter((value) => !choices.includes(value))).toEqual([]);
  });
});
