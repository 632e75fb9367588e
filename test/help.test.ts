import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, type TestContext } from 'vitest';
import type { DeclaredCommand } from '../src/cli/declare.ts';
import { buildProgram } from '../src/program.ts';
import { shell } from './e2e/program.ts';
import { startProxy } from './e2e/tls.ts';
import { emulate, PASSWORD } from './helpers/emulator.ts';
import { MemoryKeychain } from './helpers/memory-keychain.ts';
import { lacks } from './helpers/platform.ts';
import { COMPLETE_RECORD } from './helpers/records.ts';
import { helpText, pagesOf, referenceOf } from './helpers/reference.ts';
import { run } from './helpers/run.ts';
import { startSecretService } from './helpers/secret-service.ts';
import { temporaryDirectory } from './helpers/temporary.ts';

const WITHOUT_KEYCHAIN = lacks('secretService');
const inShell = it.skipIf(lacks('posixShell', 'coreutils'));

interface Help {
  readonly path: string;
  readonly text: string;
  readonly examples: readonly string[];
}

const helpsOf = (program: DeclaredCommand): Help[] =>
  pagesOf(program).map(({ path, command }) => {
    const text = helpText(command);
    const lines = text.replace(/ \\\n {6}/g, ' ').matchAll(/^ {2}\$ (.*)$/gm);
    return { path, text, examples: [...lines].map(([, line = '']) => line) };
  });

async function wholeProgram(options?: { readonly isComplete: boolean }): Promise<DeclaredCommand> {
  const program = buildProgram(options);
  await program.declareAll();
  return program;
}

const helps = helpsOf(await wholeProgram());
/** The helps with the options that few people need. */
const complete = helpsOf(await wholeProgram({ isComplete: true }));

/** The options that a help explains. */
const optionsIn = ({ text }: Help): string[] =>
  [...text.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== '--help');

/** Exit codes other than 0, and why they are right. */
const EXIT_CODES: Readonly<Record<string, number>> = {
  'doi-cli keys revoke ci': 2, // no terminal to ask on
  'doi-cli keys revoke DC.Ab3dE5gH --yes': 1, // no key has this prefix
  'doi-cli dois get 10.5438/0012': 1, // the emulator has no such record
  'doi-cli dois get https://doi.org/10.5438/0012': 1,
  'doi-cli dois get 10.5438/0012 --format citation --style apa': 1,
  'doi-cli dois get 10.5438/0012 --format citeproc': 1,
  'doi-cli dois delete 10.5072/abc': 2, // no terminal to ask on
  'doi-cli dois transfer 10.5072/found --to DEMO.OTHER --dry-run': 2, // needs a member
  'doi-cli dois transfer --file dois.txt --to DEMO.OTHER --yes > results.ndjson': 2,
};

const RECORD = JSON.stringify({ prefix: '10.5072', ...COMPLETE_RECORD });
const recordOf = (doi: string) => JSON.stringify({ doi, ...COMPLETE_RECORD });
const PROFILES = {
  default: { mailto: 'me@example.org', 'base-url': 'https://example.org' },
  test: { mailto: 'me@example.org' },
};
const FILES = {
  'record.json': RECORD,
  'records.ndjson': `${RECORD}\n`.repeat(3),
  'dois.txt': '10.5072/abc\n',
  'results.ndjson':
    '{"line":1,"doi":"10.5072/abc","state":"draft","outcome":"created","errors":[]}\n',
  'updates.ndjson': '{"doi":"10.5072/abc","version":"2"}\n',
  'abc.json': recordOf('10.5072/abc'),
  'found.json': recordOf('10.5072/found'),
  'password.txt': `${PASSWORD}\n`,
  'config.json': JSON.stringify({ profiles: PROFILES }),
};

/** The command lines that prepare the records or the copy for an example; `./` is its folder. */
const NEEDS: readonly (readonly [example: RegExp, commands: readonly string[]])[] = [
  [/[ /]10\.5072\/abc| (updates|results)\.ndjson| dois\.txt/, ['dois create --file ./abc.json']],
  [/ 10\.5072\/found/, ['dois create --file ./found.json --event publish']],
  [
    /harvest (status|verify|compact|export)|stats --dir/,
    ['dois harvest --dir ./caltech --provider-id caltech'],
  ],
];

/** A folder with the files that examples read. */
function makeFolder({ onTestFinished }: TestContext): string {
  const folder = temporaryDirectory(onTestFinished);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  // Stands for GitHub's own program. Its input must not be empty.
  writeFileSync(join(folder, 'gh'), '#!/bin/sh\ngrep -q .\n', { mode: 0o755 });
  return folder;
}

const examples = [...new Set(helps.flatMap((help) => help.examples))];
/**
 * Whether an example is a command line of this program that starts no other and that no shell
 * changes.
 */
const isPlain = (example: string) =>
  /^doi-cli (?!emulator|completion|auth exec)[^|<>&$`]*$/.test(example) &&
  !example.endsWith(' --web');
/** The words of a command line, as a shell makes them. */
const wordsOf = (line: string) =>
  (line.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [])
    .slice(1)
    .map((word) => word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2'));
const needsKeychain = (example: string) => /auth login(?!.*--insecure-file)|--save/.test(example);
let keychain: Readonly<Record<string, string>> = {};
beforeAll(async () => {
  const ends: (() => void | Promise<void>)[] = [];
  if (!WITHOUT_KEYCHAIN) keychain = await startSecretService('unlocked', (end) => ends.push(end));
  return async () => {
    for (const end of ends.reverse()) await end();
  };
});

describe('the help text', () => {
  it.each(helps)(
    'of $path has examples, and fits two screens of 80 columns',
    ({ text, examples }) => {
      expect(examples.length).toBeGreaterThan(0);
      expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
      expect(text.split('\n').length - 1).toBeLessThanOrEqual(48);
    },
  );

  it('is one that a person can hold', () => {
    const options = helps.flatMap(optionsIn);
    expect(helps.length).toBeLessThanOrEqual(42);
    expect(new Set(options).size).toBeLessThanOrEqual(75);
    // A change that hides all of them would pass, too.
    expect(complete.flatMap(optionsIn).length).toBeGreaterThan(options.length);
    expect(options).toEqual(expect.arrayContaining(['--name', '--provider-id', '--dir', '--file']));
  });

  /** Prepares the files, records and environment of an example. */
  async function prepared(example: string, test: TestContext) {
    const emulator = await emulate({}, test.onTestFinished);
    const folder = makeFolder(test);
    // A proxy that reaches nothing: nothing leaves this machine, and every address is broken.
    const proxy = { HTTPS_PROXY: (await startProxy(502)).url };
    const env = { ...emulator.env, ...proxy, HOME: folder, DOI_CLI_CONFIG_DIR: folder };
    for (const command of NEEDS.flatMap(([pattern, commands]) =>
      pattern.test(example) ? commands : [],
    )) {
      const made = await emulator.run(command.replace('./', `${folder}/`).split(' '));
      expect(made.code, `${command}\n${made.stderr}`).toBe(0);
    }
    writeFileSync(join(folder, 'key.txt'), `${(await emulator.newKey('ci')).key}\n`);
    return { env, folder };
  }

  it.for(examples.filter(isPlain))(
    'has an example that works as typed: %s',
    async (example, test) => {
      const { env, folder } = await prepared(example, test);
      const before = process.cwd();
      test.onTestFinished(() => process.chdir(before));
      process.chdir(folder);
      const { code, stderr } = await run(wordsOf(example), { env, keychain: new MemoryKeychain() });
      expect(code, stderr).toBe(EXIT_CODES[example] ?? 0);
    },
  );

  // Each example has its own emulator and its own clock. Vitest runs five at once.
  inShell.concurrent.for(examples.filter((example) => !isPlain(example)))(
    'has an example that works as typed in a shell: %s',
    async (example, test) => {
      test.skip(WITHOUT_KEYCHAIN && needsKeychain(example), 'without a keychain');
      const { env, folder } = await prepared(example, test);
      const line = example.startsWith('doi-cli emulator start')
        ? `timeout -s TERM 1 ${example}; [ $? = 124 ]`
        : example;
      const { code, stderr } = await shell(line, {
        env: { ...keychain, ...env },
        cwd: folder,
        brings: folder,
      });
      expect(code, stderr).toBe(EXIT_CODES[example] ?? 0);
    },
  );

  describe('is the reference (vitest -u brings it up to date)', async () => {
    const reference = referenceOf(await wholeProgram({ isComplete: true }));
    it.each(reference)('in docs/commands/$file', async ({ file, text }) => {
      await expect(text).toMatchFileSnapshot(`../docs/commands/${file}`);
    });

    it('which has no page of another command', () => {
      // With -u, the page of a new command is written after the last test.
      const pages = reference.map(({ file }) => file);
      expect(pages).toEqual(expect.arrayContaining(readdirSync('docs/commands')));
    });

    it.each(complete)('which has an anchor for every option of $path', (help) => {
      const { text = '' } = reference.find(({ path }) => path === help.path) ?? {};
      const anchors = [...text.matchAll(/<a id="([\w-]+)" href="#\1">/g)].map(
        ([, id]) => `--${id}`,
      );
      expect(anchors.filter((anchor) => anchor !== '--help')).toEqual(optionsIn(help));
    });
  });
});
