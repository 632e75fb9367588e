import { spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { beforeAll, describe, expect, it } from 'vitest';
import { WRITTEN_FORMATS } from '../../src/formats/registry.ts';
import { lacks } from '../helpers/platform.ts';
import { run } from '../helpers/run.ts';
import { sharedDirectory, temporaryDirectory } from '../helpers/temporary.ts';
import { cleanEnv, program } from './program.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

const folder = sharedDirectory();
beforeAll(async () => {
  for (const name of ['records.ndjson', 'two words.json']) writeFileSync(join(folder, name), '');
  mkdirSync(join(folder, 'copies'));
  for (const shell of SHELLS) {
    writeFileSync(join(folder, `script.${shell}`), (await program(['completion', shell])).stdout);
  }
});

/** Ends the words of a command line, and what a shell offers for it. */
const END = '@end@';

/** Code that prints the words that are offered for each of the command lines in its arguments. */
const OFFER: Readonly<Record<Shell, string>> = {
  bash: `source script.bash; line=()
    for word in "$@"; do
      if [ "$word" = ${END} ]; then
        COMP_WORDS=("\${line[@]}"); COMP_CWORD=$((\${#line[@]} - 1)); COMPREPLY=()
        _doi_cli; printf '%s\\n' "\${COMPREPLY[@]}" ${END}; line=()
      else line+=("$word"); fi
    done`,
  // What zsh's own functions would do with the words; a real zsh loads and shows them below.
  zsh: `compdef() {}; compadd() { shift; print -rl -- "$@" }
    _describe() { print -rl -- "\${lines[@]%%:*}" }
    _files() { [ "$1" = -/ ] && print -rl -- *(/) || print -rl -- * }
    compset() { PREFIX=\${PREFIX##\${~2}} }
    source script.zsh; line=()
    for word in "$@"; do
      if [ "$word" = ${END} ]; then
        words=("\${line[@]}"); CURRENT=\${#line}; PREFIX="\${words[CURRENT]}"
        _doi-cli; print -rl -- "PREFIX $PREFIX" ${END}; line=()
      else line+=("$word"); fi
    done`,
  fish: `source script.fish; for line in $argv; complete -C "$line"; echo ${END}; end`,
};

/** The words that a shell offers at the end of each of these command lines. */
function offeredAt(shell: Shell, lines: readonly string[], setup = ''): string[][] {
  const wordsOf = {
    // bash makes three words of --option=value.
    bash: (line: string) => [...line.split(/(?<==)|(?==)| /), END],
    zsh: (line: string) => [...line.split(' '), END],
    fish: (line: string) => [line],
  }[shell];
  const code = shell === 'fish' ? ['-c', OFFER.fish] : ['-c', `${setup}${OFFER[shell]}`, shell];
  const { stdout, stderr } = spawnSync(shell, [...code, ...lines.flatMap(wordsOf)], {
    env: cleanEnv(),
    cwd: folder,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  const offers = stdout.split(`${END}\n`);
  expect(offers.pop()).toBe('');
  expect(offers).toHaveLength(lines.length);
  return offers.map((offer) => wordsIn(shell, offer));
}

/** The words that a shell has printed for one command line. */
function wordsIn(shell: Shell, text: string): string[] {
  const rows = text.split('\n').filter((row) => row !== '');
  if (shell === 'zsh') {
    const prefix = rows.pop()?.replace('PREFIX ', '') ?? '';
    return rows.filter((row) => row.startsWith(prefix));
  }
  return rows.map((row) =>
    row
      .replace(/\t.*/, '')
      .replace(/^--[a-z-]+=/, '')
      .replace(/\/$/, ''),
  );
}

/** The words that a shell offers at the end of a command line. */
const offered = (shell: Shell, line: string, setup = ''): readonly string[] =>
  offeredAt(shell, [line], setup)[0] ?? [];

const FORMATS = ['table', ...WRITTEN_FORMATS];

/** What each shell offers, in any order. */
const CASES: readonly (readonly [line: string, words: readonly string[]])[] = [
  ['doi-cli ke', ['keys']],
  ['doi-cli keys r', ['revoke', 'rotate']],
  ['doi-cli dois harvest ', ['status', 'verify', 'compact', 'export']],
  // The values of the option of this command, and of no other.
  ['doi-cli dois list --format ', FORMATS],
  ['doi-cli dois list --format=c', ['csv']],
  ['doi-cli dois validate --format ', ['text', 'json', 'ndjson']],
  ['doi-cli dois list --state=fi', ['findable']],
  ['doi-cli dois list --sort view', ['view-count']],
  ['doi-cli dois create --type Data', ['DataPaper', 'Dataset']],
  ['doi-cli dois list --fields publication', ['publicationYear']],
  // Free values.
  ['doi-cli dois list --query ', []],
  ['doi-cli keys revoke ', []],
  ['doi-cli --profile ', []],
  // An option's value is no command.
  ['doi-cli --profile keys ke', ['keys']],
  ['doi-cli --profile=keys ke', ['keys']],
  ['doi-cli keys create --name list --key', ['--key-only']],
  ['doi-cli --verbose dois list --pro', ['--provider-id', '--profile', '--probe-credentials']],
  ['doi-cli dois harvest --dir status --gz', ['--gzip']],
  ['doi-cli dois harvest status --gz', []],
  // Operands.
  ['doi-cli completion ', ['bash', 'zsh', 'fish', 'install', 'uninstall']],
  ['doi-cli config set ', ['base-url', 'repository', 'mailto', 'prefix']],
  ['doi-cli config set mailto ', []],
  ['doi-cli help keys re', ['revoke']],
  ['doi-cli emulator exec -- ke', []],
  // Paths.
  ['doi-cli dois validate --file rec', ['records.ndjson']],
  ['doi-cli dois validate --file=rec', ['records.ndjson']],
  ['doi-cli dois validate -f rec', ['records.ndjson']],
  ['doi-cli dois list -o rec', ['records.ndjson']],
  ['doi-cli dois harvest --dir co', ['copies']],
];

describe.each(SHELLS)('%s completion', (shell) => {
  const inThis = it.skipIf(lacks(shell));
  inThis('offers at a command line what it may continue with', () => {
    const offers = offeredAt(
      shell,
      CASES.map(([line]) => line),
    );
    for (const [index, [line, words]] of CASES.entries()) {
      expect(offers[index]?.sort(), line).toEqual([...words].sort());
    }
  });
  inThis('offers an option of the command and of the program', () => {
    const options = offered(shell, 'doi-cli dois list --');
    expect(options).toEqual(
      expect.arrayContaining(['--provider-id', '--out', '--quiet', '--help']),
    );
    expect(options).not.toContain('--gzip');
  });
  inThis('offers each word of a list once', () => {
    const lists = {
      '--state findable': ['findable'],
      '--state findable,': ['draft', 'registered'],
      '--state=draft,findable,': ['registered'],
      '--fields=titles,u': ['updated', 'url'],
    };
    const lines = Object.keys(lists).map((words) => `doi-cli dois list ${words}`);
    const rests = offeredAt(shell, lines).map((offers) =>
      offers.map((offer) => offer.replace(/.*,/, '')).sort(),
    );
    expect(rests).toEqual(Object.values(lists));
  });
  inThis('never runs what stands on the command line', () => {
    const file = join(folder, `pwned-${shell}`);
    const evil = [
      `$(touch ${file})`,
      `\`touch ${file}\``,
      `';touch ${file};'`,
      `x[$(touch ${file})]`,
      '*',
    ];
    const lines = evil.flatMap((word) => [
      word,
      `keys ${word} `,
      `keys list --format ${word}`,
      `--format=${word}`,
      `${word} -- `,
    ]);
    offeredAt(
      shell,
      lines.map((line) => `doi-cli ${line}`),
    );
    expect(existsSync(file)).toBe(false);
  });
});

describe('bash', () => {
  it.skipIf(lacks('bash'))('completes several values, and names with blanks', () => {
    expect(offered('bash', 'doi-cli dois list --fields doi,tit')).toEqual(['doi,titles']);
    expect(offered('bash', 'doi-cli dois validate --file two')).toEqual(['two words.json']);
  });
  it.skipIf(lacks('bash'))('of macOS, 3.2, has no compopt', () => {
    const old = 'enable -n compopt; ';
    expect(offered('bash', 'doi-cli dois validate --file two', old)).toEqual(['two\\ words.json']);
    expect(offered('bash', 'doi-cli dois harvest --dir co', old)).toEqual(['copies']);
    expect(readFileSync(join(folder, 'script.bash'), 'utf8')).not.toMatch(
      /mapfile|readarray|declare -[An]|local -n|\$\{\w+(,|\^)|;;&|&>>/,
    );
  });
});

describe('fish', () => {
  it.skipIf(lacks('fish'))('does not describe each value as the option', () => {
    const lines = ['doi-cli dois list --format ', 'doi-cli dois list --state '];
    const { stdout } = spawnSync('fish', ['-c', OFFER.fish, ...lines], {
      cwd: folder,
      encoding: 'utf8',
    });
    const rows = stdout.split('\n').map((row) => row.trimEnd());
    expect(rows).toEqual(expect.arrayContaining(['ndjson', 'findable']));
  });
});

/** What a real shell shows after a tab, on a pseudo-terminal. */
function shown(shell: 'bash' | 'zsh', line: string): Promise<string> {
  const [args, setup] = {
    bash: [
      ['--norc', '--noprofile', '-i'],
      "bind 'set show-all-if-ambiguous on'; source script.bash",
    ],
    zsh: [['-f', '-i'], 'autoload -U compinit; compinit -u -D; source script.zsh'],
  }[shell] as [string[], string];
  const terminal = spawn(shell, args, {
    cols: 80,
    rows: 40,
    cwd: folder,
    env: cleanEnv({ TERM: 'dumb' }),
  });
  return new Promise((resolve) => {
    let screen = '';
    const steps = [
      ['READY', `${line}\t`],
      // The last of the words is there, so that the list is complete.
      ['rotate', '\u0015exit\r'],
    ];
    terminal.onData((data) => {
      screen += data;
      const [[when = '', keys = ''] = []] = steps;
      if (when === '' || !screen.includes(when)) return;
      steps.shift();
      screen = '';
      if (when === 'rotate') resolve(data);
      terminal.write(keys);
    });
    terminal.onExit(() => resolve(screen));
    terminal.write(`${setup}; echo REA''DY\r`);
  });
}

describe.each(['bash', 'zsh'] as const)('a real %s', (shell) => {
  it.skipIf(lacks(shell))('shows the commands of a group', async () => {
    expect(await shown(shell, 'doi-cli keys ')).toMatch(/rotate/);
  });
});

it.each(['tcsh', 'powershell'])('refuses %s', async (shell) => {
  expect(await run(['completion', shell])).toMatchObject({ code: 2, stderr: /bash, zsh, fish/ });
});

describe.skipIf(lacks('links', 'posixShell')).each(SHELLS)('completion install %s', (shell) => {
  /** A user whose files of the shell are links, and not in UTF-8. */
  function makeUser() {
    const home = temporaryDirectory();
    const startup = join(
      home,
      {
        bash: process.platform === 'darwin' ? '.bash_profile' : '.bashrc',
        zsh: '.zshrc',
        fish: '.fishrc',
      }[shell],
    );
    const own = Buffer.from('# caf\u00e9\nalias x=y', 'latin1');
    writeFileSync(join(home, 'dotfile'), own, { mode: 0o640 });
    symlinkSync(join(home, 'dotfile'), startup);
    // fish asks for the completions of programs alone that are there.
    writeFileSync(join(home, 'doi-cli'), '#!/bin/sh\n', { mode: 0o755 });
    const env = { HOME: home, SHELL: `/usr/bin/${shell}`, PATH: `${process.env['PATH']}:${home}` };
    const complete = (...argv: string[]) => run(['completion', ...argv], { env });
    return { home, startup, own, env: { ...cleanEnv(), ...env }, complete };
  }
  const LOADED = {
    bash: ['-ic', 'complete -p doi-cli'],
    zsh: ['-ic', 'print $_comps[doi-cli]'],
    fish: ['-c', "complete -C 'doi-cli keys rot'"],
  } as const;

  it.skipIf(lacks(shell))('puts the script where a new shell finds it, once', async () => {
    const { home, env, complete } = makeUser();
    const first = await complete('install');
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining(`Wrote ${home}/`)]);
    expect(first.stderr).toMatch(/^new shells have completion; to use it in this shell: source \//);
    const files = readdirSync(home, { recursive: true });
    expect(await complete('install')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: /^it is up to date/,
    });
    expect(readdirSync(home, { recursive: true })).toEqual(files);
    const { stdout, stderr } = spawnSync(shell, [...LOADED[shell]], { env, encoding: 'utf8' });
    expect(stdout, stderr).toMatch(/-F _doi_cli doi-cli|^_doi-cli$|^rotate\t/m);
  });
  it('changes no byte of what it finds, and uninstall removes all of it', async () => {
    const { home, startup, own, complete } = makeUser();
    await complete('install', shell);
    if (shell !== 'fish') expect(readFileSync(startup).subarray(0, own.length)).toEqual(own);
    const removed = await complete('uninstall', shell, '--format', 'json');
    expect(JSON.parse(removed.stdout)).toMatchObject({
      shell,
      changes: expect.arrayContaining([]),
    });
    expect(lstatSync(startup).isSymbolicLink()).toBe(true);
    expect(readFileSync(startup, 'latin1').trimEnd()).toBe(own.toString('latin1'));
    const scripts = (name: string) => /[/]_?doi-cli/.test(name);
    expect(readdirSync(home, { recursive: true, encoding: 'utf8' }).filter(scripts)).toEqual([]);
    expect((await complete('uninstall', shell)).stderr).toBe('there is nothing to remove\n');
  });
  it('changes nothing with --dry-run', async () => {
    const { home, own, complete } = makeUser();
    const before = readdirSync(home, { recursive: true });
    expect((await complete('install', '--dry-run')).stdout).toMatch(/^Would write \//);
    expect(readdirSync(home, { recursive: true })).toEqual(before);
    expect(readFileSync(join(home, 'dotfile'))).toEqual(own);
  });
});

it('asks for the shell where SHELL does not name one', async () => {
  for (const SHELL of ['', '/bin/tcsh', '/usr/bin/pwsh']) {
    expect(await run(['completion', 'install'], { env: { SHELL } })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('hint: doi-cli completion install bash | zsh | fish\n'),
    });
  }
});

it('says in words why a file cannot be read', async () => {
  const home = temporaryDirectory();
  mkdirSync(join(home, 'fish', 'completions', 'doi-cli.fish'), { recursive: true });
  const { stderr } = await program(['completion', 'install', 'fish'], {
    env: { XDG_CONFIG_HOME: home },
  });
  expect(stderr).toMatch(/^error: .*doi-cli\.fish cannot be read: it is not a regular file\n/);
});
