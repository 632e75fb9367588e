import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../src/program.ts';
import { shell } from './e2e/program.ts';
import { emulate, type TestEmulator } from './helpers/emulator.ts';
import { COMPLETE_RECORD } from './helpers/records.ts';
import { type KeychainEnv, NO_SECRET_SERVICE, startSecretService } from './helpers/secret-service.ts';
import { temporaryDirectory } from './helpers/temporary.ts';

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
  'doi-cli dois get 10.5438/0012 --format citation --style apa': 1,
  'doi-cli dois delete 10.5072/abc': 2, // there is no terminal to ask on
};

const RECORD = { prefix: '10.5072', ...COMPLETE_RECORD };

// What examples are about.
const RECORDS = [
  ['10.5072/abc', undefined],
  ['10.5072/found', 'publish'],
] as const;
const XML = `<resource xmlns="http://datacite.org/schema/kernel-4">
<identifier identifierType="DOI"/><creators><creator><creatorName>B</creatorName></creator></creators>
<titles><title>A</title></titles><publisher>C</publisher><publicationYear>2026</publicationYear>
<resourceType resourceTypeGeneral="Text"/></resource>`;

/** The Findable record, with media, that examples are about. */
async function addExample(env: Readonly<Record<string, string>>): Promise<void> {
  const { prefix: _, ...attributes } = RECORD;
  for (const [method, url, type, body] of [
    [
      'PUT',
      `${env['DOI_CLI_BASE_URL']}/dois/10.5072/example`,
      'application/vnd.api+json',
      JSON.stringify({ data: { type: 'dois', attributes: { ...attributes, event: 'publish' } } }),
    ],
    [
      'POST',
      `${env['DOI_CLI_MDS_URL']}/media/10.5072/example`,
      'text/plain',
      'text/csv=https://example.org/',
    ],
  ] as const) {
    const basic = Buffer.from(`${env['DOI_CLI_REPOSITORY']}:${env['DOI_CLI_PASSWORD']}`).toString('base64');
    const headers = { authorization: `Basic ${basic}`, 'content-type': type };
    const response = await fetch(url, { method, headers, body });
    if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  }
}

// Their own tests say why they are skipped where there is no keychain.
const NEEDS_KEYCHAIN = /auth login(?!.*--insecure-file)|--save/;

const examples = [...new Set(helps.flatMap((help) => help.examples))].filter(
  (example) => NO_SECRET_SERVICE === undefined || !NEEDS_KEYCHAIN.test(example),
);

const ends: (() => void | Promise<void>)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});
let keychain: Promise<KeychainEnv> | undefined;
/** The keychain of all examples; nothing where there can be none. */
async function sharedKeychain(): Promise<KeychainEnv> {
  if (NO_SECRET_SERVICE !== undefined) return {};
  keychain ??= startSecretService('unlocked', (end) => ends.push(end));
  return keychain;
}

/** A home with the files and settings that examples are about, and a stand-in for GitHub's program. */
async function makeHome({ env, newKey, run }: TestEmulator, example: string): Promise<string> {
  const home = temporaryDirectory();
  const write = (name: string, text: string, mode = 0o644) => writeFileSync(join(home, name), text, { mode });
  write('password.txt', `${env['DOI_CLI_PASSWORD']}\n`);
  // What it is given must not be empty.
  write('gh', '#!/bin/sh\ngrep -q .\n', 0o755);
  write('record.json', JSON.stringify(RECORD));
  write('metadata.xml', XML);
  write('records.ndjson', `${JSON.stringify(RECORD)}\n`.repeat(3));
  write('updates.ndjson', '{"doi":"10.5072/abc","version":"2"}\n');
  write('key.txt', `${(await newKey('ci')).key}\n`);
  const profiles = {
    default: { mailto: 'me@example.org', 'base-url': 'https://example.org' },
    test: { mailto: 'me@example.org' },
  };
  mkdirSync(join(home, 'config'));
  write('config/config.json', JSON.stringify({ profiles }));
  if (example.includes('caltech')) {
    const harvest = ['dois', 'harvest', '--dir', join(home, 'caltech'), '--provider-id', 'caltech'];
    expect(await run(harvest)).toMatchObject({ code: 0 });
  }
  return home;
}

describe('an example', () => {
  it.each(examples)('works as typed: %s', async (example) => {
    const emulator = await emulate();
    const { env, run } = emulator;
    const home = await makeHome(emulator, example);
    for (const [doi, event] of RECORDS.filter(
      ([doi]) => / updates\.ndjson/.test(example) || example.includes(` ${doi}`),
    )) {
      const stdin = JSON.stringify({ ...RECORD, prefix: undefined, doi, event });
      expect(await run(['dois', 'create', '--file', '-'], { stdin })).toMatchObject({ code: 0 });
    }
    if (example.includes('doi-cli mds')) await addExample(env);
    const line = example.startsWith('doi-cli emulator start')
      ? `timeout -s TERM 1 ${example}; [ $? = 124 ]`
      : example;
    const { code, stderr } = await shell(`PATH="$HOME:$PATH"; ${line}`, {
      env: { ...(await sharedKeychain()), ...env, HOME: home, DOI_CLI_CONFIG_DIR: join(home, 'config') },
      cwd: home,
    });
    expect(code, stderr).toBe(OTHER_EXITS[example] ?? 0);
  });
});

describe('the help text', () => {
  it.each(helps.map((help) => [help.path, help] as const))('of %s has examples', (_, { examples }) => {
    expect(examples.length).toBeGreaterThan(0);
  });

  it('is the reference in docs/commands.md (vitest -u brings it up to date)', async () => {
    const sections = helps.map(({ path, text }) => `## ${path}\n\n\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`);
    const page = ['# Commands', '', 'What `--help` prints, for every command.', '', ...sections].join('\n');
    await expect(page).toMatchFileSnapshot('../docs/commands.md');
  });
});
