import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../src/program.ts';
import { run } from '../helpers/run.ts';

const program = buildProgram();
await program.declareAll();

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
