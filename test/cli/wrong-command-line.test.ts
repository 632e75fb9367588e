import { describe, expect, it } from 'vitest';
import { run } from '../helpers/run.ts';

const words = (line: string) => line.split(' ').filter((word) => word !== '');

/** What is said where an option follows --name. */
const needsValue = (next: string) => `--name needs a value, and ${next} is an option`;
const quoteOr = (path: string) => `quote a value with spaces, or see doi-cli ${path} --help`;

describe('a wrong command line', () => {
  it.each([
    // Commands.
    ['frob', "unknown command 'frob'", 'doi-cli --help'],
    ['kyes list', "unknown command 'kyes'", 'Did you mean keys?'],
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
      'name either a file, or stored records by --mine or --where',
      'doi-cli dois validate --mine, or --file record.json',
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
