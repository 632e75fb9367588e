import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emulate } from '../helpers/emulator.ts';
import { lacks } from '../helpers/platform.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';
import { program } from './program.ts';
import { onTerminal } from './terminal.ts';

const CTRL_C = '\u0003';
const LONG = ['dois', 'list', '--limit', '100'];

/** Reads to the end, and then stays until a line is typed. */
const READER = `
import { openSync } from 'node:fs';
import { ReadStream } from 'node:tty';
let caught = 0;
process.on('SIGINT', () => console.log(\`caught \${++caught}\`));
for await (const _ of process.stdin);
new ReadStream(openSync('/dev/tty', 'r')).once('data', () => process.exit());
console.log('reading');
`;

/** A pager that keeps what it reads and its environment, before it runs `then`. */
function fakePager(then = '') {
  const folder = temporaryDirectory();
  const path = join(folder, 'pager');
  const lines = [
    '#!/bin/sh',
    `env > '${folder}/env'`,
    `echo "$@" > '${folder}/args'`,
    then || `cat > '${folder}/text'`,
  ];
  writeFileSync(path, `${lines.join('\n')}\necho "the pager ends"\n`, { mode: 0o755 });
  return {
    path,
    kept: (name: string) => readFileSync(join(folder, name), 'utf8'),
    ran: () => existsSync(join(folder, 'env')),
  };
}

describe.skipIf(lacks('terminal', 'posixShell'))('a pager', () => {
  it('gets what is longer than the screen, with colours and without secrets', async () => {
    const { env, baseUrl, newKey } = await emulate();
    const { key } = await newKey('pager');
    const pager = fakePager();
    const { code, screen } = await onTerminal(LONG, {
      env: { ...env, DOI_CLI_API_KEY: key, PAGER: `${pager.path} -a 'b c'` },
    });
    expect(code, screen).toBe(0);
    expect(pager.kept('text').split('\n')).toHaveLength(102);
    expect(pager.kept('text')).toContain('\u001b[1mDOI\u001b[22m');
    expect(pager.kept('args')).toBe('-a b c\n');
    expect(pager.kept('env')).toMatch(/^LESS=FRX$/m);
    expect(pager.kept('env')).toContain(baseUrl);
    expect(pager.kept('env')).not.toMatch(/DOI_CLI_(PASSWORD|API_KEY)|correct horse/);
    // What is about the list comes after it.
    expect(screen).toMatch(/the pager ends\r\n[\s\S]*100 of 300 DOIs/);
  });

  it.each<[string, readonly string[], Record<string, string>]>([
    ['fits', ['dois', 'list', '--limit', '5'], {}],
    ['is not wanted', [...LONG, '--no-pager'], {}],
    ['is not wanted by DOI_CLI_PAGER', LONG, { DOI_CLI_PAGER: '' }],
    ['is not wanted by DOI_CLI_PAGER=cat', LONG, { DOI_CLI_PAGER: 'cat' }],
    ['is shown by a dumb terminal', LONG, { TERM: 'dumb' }],
  ])('is not started for what %s', async (_, argv, more) => {
    const { env } = await emulate();
    const pager = fakePager();
    const { code, screen } = await onTerminal(argv, {
      env: { ...env, PAGER: pager.path, ...more },
    });
    expect([code, pager.ran()], screen).toEqual([0, false]);
    expect(screen).toContain('findable');
  });

  it('is not started in a pipe', async () => {
    const { env } = await emulate();
    const pager = fakePager();
    const { stdout } = await program(LONG, { env: { ...env, PAGER: pager.path } });
    expect(stdout.split('\n')).toHaveLength(101);
    expect(pager.ran()).toBe(false);
  });

  it('that is missing is done without', async () => {
    const { env } = await emulate();
    const { code, screen } = await onTerminal(LONG, {
      env: { ...env, PAGER: '/nonexistent/pager' },
    });
    expect(code).toBe(0);
    expect(screen.split('\n').length).toBeGreaterThan(100);
  });

  it('that is left early ends the program quietly', async () => {
    const { env } = await emulate({ records: 3000 });
    const pager = fakePager('head -n 1');
    const { code, screen } = await onTerminal(['dois', 'list', '--all', '--page-size', '500'], {
      env: { ...env, PAGER: pager.path },
    });
    expect([code, pager.ran()], screen).toEqual([0, true]);
    expect(screen).not.toMatch(/error/);
  });

  it('has Ctrl-C for itself, and the terminal until its reader leaves it', async () => {
    const { env } = await emulate();
    // In Node, because a shell can miss a signal that comes just before it waits for a line.
    const script = join(temporaryDirectory(), 'reader.mjs');
    writeFileSync(script, READER);
    const pager = fakePager(`trap : INT; '${process.execPath}' '${script}'`);
    const { screen } = await onTerminal(LONG, {
      env: { ...env, PAGER: pager.path },
      type: [
        ['reading', CTRL_C],
        ['caught 1', CTRL_C],
        ['caught 2', 'q\r'],
      ],
    });
    expect(screen).toMatch(/the pager ends\r\n[\s\S]*100 of 300 DOIs/);
  });

  it('shows help', async () => {
    const pager = fakePager();
    await onTerminal(['dois', 'list', '--help'], { rows: 10, env: { PAGER: pager.path } });
    expect(pager.kept('text')).toContain('\u001b[1mUsage:\u001b[22m doi-cli dois list');
  });
});
