import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../src/program.ts';
import { built } from './helpers/built.ts';

const file = join(built('dist/man'), 'doi-cli.1');
/** The page without the marks of roff. */
const page = readFileSync(file, 'utf8')
  .replace(/\\f[BIR]/g, '')
  .replaceAll('\\-', '-')
  .replaceAll('\\(aq', "'");

const below = (command: Command, path: string): [path: string, command: Command][] =>
  command.commands.flatMap((child) => [
    [`${path} ${child.name()}`, child],
    ...below(child, `${path} ${child.name()}`),
  ]);
const program = buildProgram();
await program.declareAll();
const leaves = below(program, 'doi-cli').filter(([, { commands }]) => commands.length === 0);

describe('the manual page', () => {
  it('is the one that the package names', () => {
    const { man } = JSON.parse(readFileSync('package.json', 'utf8')) as { man: string[] };
    expect(man).toEqual(['dist/man/doi-cli.1']);
  });

  it.each(leaves)('has %s with its options', (path, command) => {
    const [, own = ''] = page.split(`.SS ${path}\n`);
    const section = own.split('\n.SS ')[0];
    const options = command.options.filter(
      (option) => !option.hidden && !program.options.includes(option),
    );
    for (const { flags } of options.filter(({ long }) => long !== '--url')) {
      expect(section).toContain(`\n${flags}\n`);
    }
  });

  it('has the options of the program once', () => {
    expect(page.split('\n--retries <n>\n')).toHaveLength(2);
  });

  it.each([
    ['man', ['--warnings', '-E', 'UTF-8', '-l', '-Tutf8', '-Z']],
    ['mandoc', ['-T', 'lint', '-W', 'warning']],
  ])('is read by %s without a complaint', (tool, options) => {
    {
      const { error, stdout, stderr } = spawnSync(tool, [...options, file], { encoding: 'utf8' });
      // Not every machine has both.
      if (error !== undefined) return;
      const complaints = `${tool === 'man' ? '' : stdout}${stderr}`.split('\n');
      // The version dates a page.
      expect(complaints.filter((line) => line !== '' && !line.includes('missing date'))).toEqual(
        [],
      );
    }
  });
});
