import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { emulate } from '../helpers/emulator.ts';
import { lacks } from '../helpers/platform.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';
import { program } from './program.ts';
import { onTerminal } from './terminal.ts';
import { toolbox } from './toolbox.ts';

const NO_TERMINAL = lacks('terminal', 'posixShell');

const ESC = '\u001b';
const COLORED = { NO_COLOR: undefined, TERM: 'xterm-256color' };

describe.skipIf(NO_TERMINAL)('on a terminal', () => {
  it('a list is a table with bold heads, cut to the width', async () => {
    const { baseUrl } = await emulate();
    const env = { DOI_CLI_BASE_URL: baseUrl };
    const { code, screen } = await onTerminal(['dois', 'list', '--limit', '5'], { env });
    expect(code).toBe(0);
    expect(screen).toContain(`${ESC}[1mDOI${ESC}[22m`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes have no width.
    for (const line of screen.replace(/\u001b\[\d+m/g, '').split('\r\n'))
      expect(line.length).toBeLessThan(101);
  });
  // The test above shows that the width of the terminal counts; these run in this process, which is
  // faster.
  it.each([40, 120])('no line of a table is wider than %i columns', async (columns) => {
    const { run, newKey } = await emulate();
    const terminal = { stdin: true, stdout: true, stderr: true, columns };
    await newKey(`a long name ${'of a key 東京 '.repeat(12)}`.slice(0, 94));
    for (const argv of [
      ['dois', 'list', '--sort', 'title', '--limit', '20'],
      ['dois', 'list', '--fields', 'titles,url,created,creators', '--limit', '20'],
      ['keys', 'list'],
      ['keys', 'audit', '--grace', '0s'],
      ['auth', 'status'],
    ]) {
      const { code, stdout, stderr } = await run([...argv, '--quiet'], { terminal, env: COLORED });
      expect(code, stderr).toBe(0);
      const lines = stripVTControlCharacters(stdout + stderr).split('\n');
      expect(lines.length).toBeGreaterThan(2);
      for (const line of lines) expect(stringWidth(line), line).toBeLessThanOrEqual(columns);
    }
    const wide = await run(['keys', 'list', '--wide', '--no-color'], { terminal, env: COLORED });
    expect(wide.stdout).toMatch(/^ID +NAME/);
    expect(wide.stdout).not.toContain('…');
  });
  it('an error is red, a warning yellow, and a state has its colour', async () => {
    const { env, newKey } = await emulate();
    await newKey('ci');
    const mine = ['dois', 'list', '--mine', '--limit', '1', '--state', 'findable'];
    const listed = await onTerminal(mine, { env });
    expect(listed.screen).toContain(`${ESC}[32mfindable${ESC}[39m`);
    expect((await onTerminal(['keys', 'list'], { env })).screen).toMatch(
      /just now .*never.*active/,
    );
    const wrong = await onTerminal(['dois', 'list', '--frob'], { env });
    expect(wrong.screen).toContain(`${ESC}[31merror:${ESC}[39m unknown option`);
    expect(wrong.screen).toContain(`${ESC}[36mhint:${ESC}[39m doi-cli dois list --help`);
    const created = await onTerminal(['keys', 'create', '--name', 'two'], { env });
    expect(created.screen).toContain(`${ESC}[33mwarning:${ESC}[39m`);
  });
  it.each([
    ['--no-color', ['--no-color'], {}],
    ['NO_COLOR', [], { NO_COLOR: '1' }],
    ['TERM=dumb', [], { TERM: 'dumb' }],
  ])('%s leaves colours out', async (_, options, env) => {
    const { baseUrl } = await emulate();
    const { screen } = await onTerminal(['dois', 'list', '--limit', '5', ...options], {
      env: { DOI_CLI_BASE_URL: baseUrl, ...env },
    });
    expect(screen).toMatch(/^DOI +STATE/);
    expect(screen).not.toContain(ESC);
  });
  it.each([
    [40, 200, {}],
    [0, 0, {}],
    [120, 60, { NO_COLOR: '1' }],
    [100, 10, { PAGER: 'head -n 3' }],
  ])(
    'of %i columns and %i rows the help is the same without the rest of the program',
    async (columns, rows, env) => {
      const size = `stty cols ${columns} rows ${rows}; "$1" "$0"`;
      const short = columns === 40 ? '-h' : '--help';
      const [atOnce, program] = await Promise.all(
        [short, '--help --wide'].map((words) => onTerminal([], { shell: `${size} ${words}`, env })),
      );
      expect(atOnce?.screen).toContain('Usage:');
      expect(program).toEqual(atOnce);
    },
  );
  it('a harvest into a file shows its progress, and takes it away at the end', async () => {
    const { baseUrl } = await emulate({ records: 3000, latencyMs: 60 });
    const { code, screen } = await onTerminal(
      ['dois', 'list', '--all', '--page-size', '200', '--out', 'x.ndjson'],
      {
        shell:
          'cd "$HOME"; main=$0 node=$1; shift; "$node" "$main" "$@"; code=$?; ' +
          'grep -c . x.ndjson; exit $code',
        env: { DOI_CLI_BASE_URL: baseUrl, LC_ALL: 'C.UTF-8' },
      },
    );
    expect(code).toBe(0);
    expect(screen).toMatch(/[\d,]+ of [\d,]+ DOIs · \d+ s left · [\d,]+\/s/);
    const [, total = ''] = /([\d,]+) DOIs in \d+ s\r\n/.exec(screen) ?? [];
    expect(screen.endsWith(`${total.replace(',', '')}\r\n`)).toBe(true);
    // The cursor is visible again.
    expect(screen.lastIndexOf(`${ESC}[?25h`)).toBeGreaterThan(screen.lastIndexOf(`${ESC}[?25l`));
  });
  it('a moving line fits into 20 columns', async () => {
    const columns = 20;
    const { baseUrl } = await emulate({ records: 3000, latencyMs: 60 });
    const { code, screen } = await onTerminal([], {
      shell: '"$1" "$0" dois list --all --page-size 200 --out "$HOME/x"',
      env: { DOI_CLI_BASE_URL: baseUrl, LC_ALL: 'C.UTF-8' },
      columns,
    });
    expect(code, screen).toBe(0);
    const frames = screen.split(new RegExp(`[\\r\\n]|${ESC}\\[[\\d?;]*[A-Za-z]`));
    expect(frames.filter((frame) => / of /.test(frame)).length).toBeGreaterThan(1);
    for (const frame of frames) expect(frame.trimEnd().length, frame).toBeLessThanOrEqual(columns);
  });
  it('a harvest shows no moving line on a terminal without a width', async () => {
    const { baseUrl } = await emulate({ records: 2000 });
    const { code, screen } = await onTerminal([], {
      shell: 'stty cols 0 rows 0; "$1" "$0" dois list --all --out "$HOME/x"',
      env: { DOI_CLI_BASE_URL: baseUrl },
    });
    expect(code).toBe(0);
    expect(screen).toMatch(/^[\d,]+ DOIs in \d+ s\r\n$/);
  });
});

describe.skipIf(lacks('linux', 'terminal', 'posixShell'))('a browser', () => {
  const ADDRESS = 'https://example.org/a?b=1&c=`touch`$(touch)';
  /** A program named xdg-open that keeps its arguments and its environment. */
  const fakeBrowser = (exitCode: number) => {
    const folder = temporaryDirectory();
    const lines = [
      '#!/bin/sh',
      `printf '<%s>' "$@" > '${folder}/args'`,
      `env > '${folder}/env'`,
      `exit ${exitCode}`,
    ];
    writeFileSync(join(folder, 'xdg-open'), `${lines.join('\n')}\n`, { mode: 0o755 });
    const env = { DISPLAY: ':0', PATH: `${folder}:${toolbox()}` };
    return { env, kept: (name: string) => readFileSync(join(folder, name), 'utf8') };
  };
  const pageOf = async (exitCode: number) => {
    const { env, run } = await emulate();
    const record = { prefix: '10.5072', titles: [{ title: 'T' }], url: ADDRESS };
    const { stdout } = await run(['dois', 'create', '--file', '-'], {
      stdin: JSON.stringify(record),
    });
    const browser = fakeBrowser(exitCode);
    const { id } = JSON.parse(stdout) as { id: string };
    return {
      browser,
      ...(await onTerminal(['dois', 'get', id, '--web'], { env: { ...env, ...browser.env } })),
    };
  };

  it('gets an address as one argument, and no secrets', async () => {
    const { browser, code, screen } = await pageOf(0);
    expect(code, screen).toBe(0);
    expect(screen).toBe(`opened ${new URL(ADDRESS).href}\r\n`);
    expect(browser.kept('args')).toBe(`<${new URL(ADDRESS).href}>`);
    expect(browser.kept('env')).not.toMatch(/DOI_CLI_(PASSWORD|API_KEY)|correct horse/);
  });
  it('that cannot be opened leaves the address on the screen', async () => {
    expect(await pageOf(3)).toMatchObject({ code: 0, screen: `${new URL(ADDRESS).href}\r\n` });
  });
});

describe('in a pipe', () => {
  it('nothing has colours, a spinner or a cut-off cell', async () => {
    const { env } = await emulate();
    for (const argv of [
      ['dois', 'list', '--format', 'table'],
      ['dois', 'list', '--all', '--verbose'],
      ['--help'],
    ]) {
      const { stdout, stderr } = await program(argv, {
        env: { ...env, FORCE_COLOR: '1', TERM: 'xterm-256color' },
      });
      for (const mark of [ESC, '…']) expect(stdout + stderr, argv.join(' ')).not.toContain(mark);
      expect((stdout + stderr).length).toBeGreaterThan(0);
    }
  });
});
