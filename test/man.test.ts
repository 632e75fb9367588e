import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../src/program.ts';
import { built } from './helpers/built.ts';

const folder = built('dist/man');
const files = readdirSync(folder).sort();
/** The pages without the marks of roff. */
const pages = new Map(
  files.map((file) => [
    file,
    readFileSync(join(folder, file), 'utf8')
      .replace(/\\f[BIR]/g, '')
      .replaceAll('\\-', '-')
      .replaceAll('\\(aq', "'"),
  ]),
);

const program = buildProgram(
  async () => undefined,
  () => undefined,
);
const below = (command: Command, path: string): [path: string, command: Command][] =>
  command.commands.flatMap((child) => [
    [`${path} ${child.name()}`, child],
    ...below(child, `${path} ${child.name()}`),
  ]);
const leaves = below(program, 'doi-cli').filter(([, { commands }]) => commands.length === 0);

describe('the manual pages', () => {
  it('are those that the package names', () => {
    const { man } = JSON.parse(readFileSync('package.json', 'utf8')) as { man: string[] };
    expect([...man].sort()).toEqual(files.map((file) => `dist/man/${file}`));
  });

  it.each(leaves)('have %s with its options and examples', (path, command) => {
    const [, noun = ''] = path.split(' ');
    const page = pages.get(noun === 'help' ? 'doi-cli.1' : `doi-cli-${noun}.1`) ?? '';
    if (noun === 'help') return expect(page).toContain('\nhelp\n');
    expect(page).toContain(`.SH ${path}\n`);
    for (const { flags } of command.options) expect(page).toContain(`\n${flags}\n`);
  });

  it('have the options of the program once', () => {
    const holders = files.filter((file) => pages.get(file)?.includes('\n--retries <n>\n'));
    expect(holders).toEqual(['doi-cli.1']);
  });

  it.each([
    ['man', ['--warnings', '-E', 'UTF-8', '-l', '-Tutf8', '-Z']],
    ['mandoc', ['-T', 'lint', '-W', 'warning']],
  ])('are read by %s without a complaint', (tool, options) => {
    for (const file of files) {
      const { error, stdout, stderr } = spawnSync(tool, [...options, join(folder, file)], {
        encoding: 'utf8',
      });
      // Not every machine has both.
      if (error !== undefined) return;
      const complaints = `${tool === 'man' ? '' : stdout}${stderr}`.split('\n');
      // The version dates a page.
      expect(complaints.filter((line) => line !== '' && !line.includes('missing date'))).toEqual([]);
    }
  });
});
