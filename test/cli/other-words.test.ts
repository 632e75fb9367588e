import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { optionOf, pathOf } from '../../src/cli/options.ts';
import { ANY_WORD, EVERYWHERE, OTHER_WORDS } from '../../src/cli/other-words.ts';
import { buildProgram } from '../../src/program.ts';
import { run } from '../helpers/run.ts';

const program = buildProgram();
await program.declareAll();
const below = (command: Command): Command[] => [command, ...command.commands.flatMap(below)];
const commands = new Map(
  below(program).map((command) => [pathOf(command).replace(/^doi-cli /, ''), command]),
);

const split = (line: string) => line.split(' ').filter((word) => word !== '');

/** The command line of a listed word at a command, with one operand more than the command takes. */
function lineOf(path: string, listed: string): string[] {
  const word = listed === ANY_WORD ? 'ci' : listed.replace('*', 'x');
  const typed = word.startsWith('-') ? word.split('=') : [word];
  const operands = commands.get(path)?.registeredArguments.length ?? 0;
  const isSurplus = path === 'api' && !word.startsWith('-');
  return [
    ...(path === 'doi-cli' ? [] : split(path)),
    ...typed,
    ...(isSurplus ? Array.from({ length: operands }, () => '/dois') : []),
  ];
}

/** Whether a command has an option with this value, or a command of this name. */
function has(path: string, listed: string): boolean {
  const command = commands.get(path);
  const [name = '', value] = listed.split('=');
  const option = command && optionOf(command, name);
  if (option !== undefined)
    return value === undefined || (option.argChoices?.includes(value) ?? true);
  return command?.commands.some((child) => child.name() === listed) ?? false;
}

async function hintOf(argv: readonly string[]): Promise<string | undefined> {
  const { code, stdout, stderr } = await run(argv, {
    env: { DOI_CLI_BASE_URL: 'http://127.0.0.1:1' },
  });
  expect([code, stdout], `${argv.join(' ')}: ${stderr}`).toEqual([2, '']);
  return /^hint: (.*)\n$/m.exec(stderr)?.[1];
}

const rows = Object.entries(OTHER_WORDS).flatMap(([where, meanings]) =>
  Object.entries(meanings).map(([meaning, words]) => [where, meaning, words] as const),
);

describe('a row of the table', () => {
  it.each(rows)('%s: %s', async (where, meaning, words) => {
    const [, name, value] = /^(--[\w-]+)(?: ([a-z-]+))?/.exec(meaning) ?? [];
    const option = value === undefined ? name : `${name}=${value}`;
    const places = where === EVERYWHERE ? [...commands.keys()] : where.split(', ');
    const fitting = places.filter((path) => option === undefined || has(path, option));
    expect(fitting).not.toEqual([]);
    for (const word of split(words)) {
      const hints: (string | undefined)[] = [];
      const wanted = meaning.replace('*', word);
      // A word that is the name of an option or a command is not looked up.
      const open = fitting.filter((path) => commands.has(path) && !has(path, word));
      for (const path of open)
        if (!hints.includes(wanted)) hints.push(await hintOf(lineOf(path, word)));
      if (open.length > 0) expect(hints, word).toContain(wanted);
    }
  });

  it.each(rows)('%s: %s names commands and options that exist', (_, meaning) => {
    const options = [...commands.values()].flatMap((command) =>
      command.options.map(({ long }) => long),
    );
    const known = [...options, '--help', '--version'];
    expect(
      (meaning.match(/--[a-z][a-z-]*/g) ?? []).filter((each) => !known.includes(each)),
    ).toEqual([]);
    for (const [, noun = '', verb] of meaning.matchAll(/doi-cli ([a-z-]+)(?: (?!or )([a-z-]+))?/g))
      if (!noun.startsWith('-'))
        expect(commands.has(verb === undefined ? noun : `${noun} ${verb}`), meaning).toBe(true);
  });
});

describe('a word of another program', () => {
  it.each([
    ['login', 'doi-cli auth login'],
    ['harvest --dir x', 'doi-cli dois harvest'],
    ['key list', 'doi-cli keys'],
    ['prefixes list', 'doi-cli auth status'],
    ['10.5072/x', 'doi-cli dois get <doi>'],
    ['install', 'doi-cli --help'],
    ['auth login --with-token', '--api-key-stdin'],
    ['auth login --password geheim', '--password-stdin, or leave it out: it is asked for'],
    ['auth login --token=geheim', '--api-key-stdin'],
    ['auth login geheim', 'doi-cli auth login --repository <id>'],
    ['dois list --api-key geheim', 'doi-cli auth login'],
    ['keys list ci', 'leave it out: all active keys are listed'],
    ['keys create ci', '--name <name>'],
    ['keys create --label ci', '--name <name>'],
    ['keys disable x', 'doi-cli keys revoke <key>'],
    ['keys unrevoke x', 'a revoked key stays revoked: doi-cli keys create --name <name>'],
    ['keys audit --older-than 90d', '--max-age <duration>'],
    ['keys prune --older-than 90d', 'doi-cli keys audit --max-age <duration>'],
    ['auth logout --all --yes', 'leave it out: nothing is asked'],
    ['config set test true', 'every command has --test'],
    ['config mailto x', 'doi-cli config set mailto <address>'],
    ['config set email a@b.de', 'the setting is mailto'],
    ['config set password geheim', 'doi-cli auth login'],
    ['api GET /dois', 'doi-cli api <path>'],
    ['api DELETE /dois/10.5072/x', '--method DELETE'],
    ['api -F a=b /dois', '--field <name>=<value>'],
    ['dois list --drafts', '--state draft'],
    ['dois list --reverse', '--sort -created (the newest first)'],
    ['dois list --sort created desc', '--sort -created (the newest first)'],
    ['dois list --column doi', '--columns <names>'],
    ['dois harvest --dir x --columns doi', '--fields <names>'],
    [
      'dois list --where state=draft',
      'leave --where out: each filter is an option, such as --state draft',
    ],
    ['dois list --mine true', 'an option such as --mine takes no value'],
    ['dois list --format jsonl', '--format ndjson'],
    ['dois list --format=xml', 'doi-cli dois get has this format'],
    ['dois list mine.csv', '--out <file>'],
    ['dois stats by year', '--by <facets>'],
    ['dois list lake', "--query '<words>'; quote a value with spaces"],
    ['dois list --query deep lake', "--query '<words>'; quote a value with spaces"],
    ['dois harvest caltech', '--dir <directory>, or see doi-cli dois harvest --help'],
    ['dois diff', 'doi-cli dois --help'],
    ['dois datafile', 'doi-cli datafile'],
    ['dois check-links 10.5072/x', '--file <path>, or - for stdin'],
    ['dois restore --file mine.csv', 'doi-cli dois update --file <export> --restore'],
    ['dois update --file mine.csv --revert', '--restore'],
    ['dois update 10.5072/x --url https://example.org/', "--set 'url=<url>'"],
    ['dois update 10.5072/x url=https://example.org/', "--set 'url=<url>'"],
    ['dois validate --all', '--mine'],
    ['dois get --format xml 10.5072/x', '--format datacite-xml'],
    ['dois get my.json', '--file <path>'],
    ['dois create record.json', '--file <path>'],
    ['dois create --json r.json', '--file <path> (or --format json, for the output)'],
    ['dois create --suffix x', '--doi <prefix>/<suffix>'],
    ['dois create --license cc-by-4.0', '--file <path>, for what has no option'],
    ['dois create --state findable', '--event publish'],
    ['dois create --state=draft', 'leave it out: a new record is a Draft'],
    ['dois update --unset x 10.5072/x', '--set <path>=null'],
    ['dois update 10.5072/x title=B', "--set 'titles[0].title=<title>'"],
    ['dois update 10.5072/x --event unpublish', '--event hide'],
    ['dois update x.ndjson', '--file <path>'],
    ['dois transfer 10.5072/x DEMO.OTHER', '--to <repository>'],
    [
      'dois delete --where state=draft',
      'doi-cli dois list --all --mine <filters>, piped into this command with --file - --dry-run',
    ],
    ['dois publish --all', '--where <filter>, such as --where state=draft'],
    ['dois unhide 10.5072/x', 'doi-cli dois publish <doi>'],
    ['dois validate x.ndjson', '--file <path>'],
    ['dois harvest export h t', '--dir <directory> --out <directory>'],
    ['emulator exec doi-cli dois list --count', 'put -- before the command'],
    ['-v', '--verbose (or --version)'],
  ])('%s: the hint is %s', async (line, hint) => {
    expect(await hintOf(split(line))).toBe(hint);
    expect((await run(split(line))).stderr).not.toContain('geheim');
  });
});
