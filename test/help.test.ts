import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildProgram } from '../src/program.ts';
import { shell } from './e2e/program.ts';
import { emulate } from './helpers/emulator.ts';

interface Help {
  readonly path: string;
  readonly text: string;
  readonly examples: readonly string[];
}

/** The help texts of a command and all below it. */
function helpsOf(command: Command, path = command.name()): Help[] {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => 100,
  });
  command.outputHelp();
  const examples = [...text.matchAll(/^ {2}\$ (.*)$/gm)].map(([, line = '']) => line);
  return [
    { path, text, examples },
    ...command.commands.flatMap((child) => helpsOf(child, `${path} ${child.name()}`)),
  ];
}

const program = buildProgram(
  () => async () => undefined,
  () => undefined,
);
const helps = helpsOf(program);

// What is right for the example, and why.
const OTHER_EXITS: Readonly<Record<string, number>> = {
  'doi-cli keys revoke ci': 2, // there is no terminal to ask on
  'doi-cli keys revoke DC.Ab3dE5gH --yes': 1, // a prefix that no key has
  'doi-cli dois get 10.5438/0012': 1, // not among the records of the emulator
  'doi-cli dois get https://doi.org/10.5438/0012': 1,
};

describe('the help text', () => {
  it.each(helps.map((help) => [help.path, help] as const))('of %s has examples', (_, { examples }) => {
    expect(examples.length).toBeGreaterThan(0);
  });

  it('has examples that work as typed', { timeout: 120_000 }, async () => {
    const { env, newKey } = await emulate();
    await newKey('ci');
    const examples = [...new Set(helps.flatMap((help) => help.examples))];
    const setUp =
      'cd "$HOME"; echo \'{"prefix":"10.5072","titles":[{"title":"A"}],"creators":[{"name":"B"}],"publisher":"C",' +
      '"publicationYear":2026,"types":{"resourceTypeGeneral":"Text"},"url":"https://example.org"}\' > record.json;' +
      'doi-cli config set mailto me@example.org; doi-cli config set base-url https://example.org;' +
      'doi-cli config set mailto me@example.org --profile test;';
    // Made once: what looks into a directory needs one, and settings are there to be read.
    const home = mkdtempSync(join(tmpdir(), 'doi-cli-help-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const copy = 'doi-cli dois harvest --dir caltech --provider-id caltech';
    const made = await shell(setUp + copy, { env: { ...env, HOME: home } });
    expect(made.code, made.stderr).toBe(0);
    for (const example of examples) {
      const line = example.startsWith('doi-cli emulator start')
        ? `timeout -s TERM 1 ${example}; [ $? = 124 ]`
        : example;
      const { code, stderr } = await shell(`cp -R '${home}/.' "$HOME" && cd "$HOME"; ${line}`, { env });
      expect(code, `${example}\n${stderr}`).toBe(OTHER_EXITS[example] ?? 0);
    }
  });

  it('is the reference in docs/commands.md (vitest -u brings it up to date)', async () => {
    const sections = helps.map(({ path, text }) => `## ${path}\n\n\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`);
    const page = ['# Commands', '', 'What `--help` prints, for every command.', '', ...sections].join('\n');
    await expect(page).toMatchFileSnapshot('../docs/commands.md');
  });
});
