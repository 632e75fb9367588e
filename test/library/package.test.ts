import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { built } from '../helpers/built.ts';
import { ciRequire } from '../helpers/ci-packages.ts';
import { emulate } from '../helpers/emulator.ts';
import { lacks } from '../helpers/platform.ts';
import { blocks } from '../helpers/recipes.ts';
import { sharedDirectory } from '../helpers/temporary.ts';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const examples = blocks(readFileSync('docs/library.md', 'utf8'), 'js').map(
  (code) => [/import \{ (.*) \} from 'doi-cli'/.exec(code)?.[1] ?? '', code] as const,
);

/** What an example of docs/library.md prints, by the names that it imports. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  'Client, countDois, getAccount': /^demo\.repo\n[1-9]\d*\n$/,
  'Client, listDois': /^(|(10\.\d+\/\S+ https?:\S+\n)+)$/,
  'Client, harvest': /\d+ of \d+\nfull [1-9]\d* complete\n$/,
  'Client, harvest, readCopy': /^\d+ Findable DOIs\n$/,
  'Client, exportTables, harvest, verify':
    /^0 missing, 0 surplus\n[1-9]\d* DOIs in 1 file per table\n$/,
  validate: /^error creators is missing.*\n(.+\n)*error types.resourceTypeGeneral .*\n$/,
  'Client, DoiCliError, getDoi, listDois': /^.+\nstopped\n$/,
};

// The package is copied: not every Windows makes a link.
const folder = sharedDirectory();
beforeAll(() => {
  const home = join(folder, 'node_modules', 'doi-cli');
  cpSync(built('dist'), join(home, 'dist'), { recursive: true });
  cpSync('package.json', join(home, 'package.json'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
});

/** The folder of a project in which the package is installed. */
const installed = () => mkdtempSync(join(folder, 'project-'));

describe('an example of docs/library.md', () => {
  it('is one of those that are expected', () => {
    expect([...new Set(examples.map(([names]) => names))].sort()).toEqual(
      Object.keys(PRINTED).sort(),
    );
  });

  it.each(examples)('works as it stands: %s', async (names, code) => {
    const { env } = await emulate({ records: 2500 });
    const cwd = installed();
    writeFileSync(join(cwd, 'example.mjs'), code);
    const { stdout, stderr } = await run(process.execPath, ['example.mjs'], {
      cwd,
      // Of the variables that libraries read, none matters.
      env: {
        PATH: process.env['PATH'],
        HTTP_PROXY: 'http://127.0.0.1:1',
        ...env,
      },
    });
    expect(stderr).toBe('');
    expect(stdout).toMatch(PRINTED[names] ?? /^never$/);
    if (!code.includes('records.ndjson')) return;
    const lines = readFileSync(join(cwd, 'records.ndjson'), 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty('id');
  });
});

describe('the declarations', () => {
  const projects = {
    'for Node': {
      module: 'NodeNext',
      moduleResolution: 'NodeNext',
      lib: ['ES2022'],
      types: ['node'],
    },
    'for a bundler and browsers, without types of Node': {
      module: 'ESNext',
      moduleResolution: 'Bundler',
      lib: ['ES2022', 'DOM'],
      types: [],
    },
  };
  const check = async (manifest: string, project: keyof typeof projects) => {
    const cwd = installed();
    const forNode = project === 'for Node';
    for (const [index, [, code]] of examples.entries()) {
      if (forNode) writeFileSync(join(cwd, `example-${index}.mts`), code);
    }
    writeFileSync(join(cwd, 'use.ts'), USE);
    writeFileSync(join(cwd, 'recorded.ts'), RECORDED);
    writeFileSync(
      join(cwd, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          ...projects[project],
          target: 'ES2022',
          strict: true,
          exactOptionalPropertyTypes: true,
          skipLibCheck: false,
          noEmit: true,
          typeRoots: [resolve('node_modules/@types')],
        },
        include: ['*.ts', '*.mts'],
      }),
    );
    const tsc = join(dirname(manifest), 'bin', 'tsc');
    const { stdout } = await run(process.execPath, [tsc, '--project', cwd]).catch((error) => error);
    expect(stdout).toBe('');
  };

  it.each(['for Node', 'for a bundler and browsers, without types of Node'] as const)(
    'suit the present TypeScript, %s',
    (project) => check(require.resolve('typescript/package.json'), project),
  );

  // The projects differ in the same way for both compilers, and the older one is slow.
  it.skipIf(lacks('ciPackages'))('suit an older TypeScript, for Node', () =>
    check(ciRequire.resolve('typescript-5/package.json'), 'for Node'),
  );

  const recorded = ['dois-2024', 'dois-page-1-2020'].flatMap(
    (name) => JSON.parse(readFileSync(`test/fixtures/${name}.json`, 'utf8')).data,
  );
  /** Real records are of the type of records. */
  const RECORDED = `import type { DoiRecord } from 'doi-cli';
export const recorded: readonly DoiRecord[] = ${JSON.stringify(recorded)};
`;
  const USE = `
import { Client, type ClientOptions, type CopyCallOptions, type CopyDifferences, type ExportedTables, type ExportTablesOptions, exportTables, verify, type DoiQuery, type DoiRecord, DoiCliError, getDoi, type Metadata, type ErrorKind, type HarvestOptions, harvest, type ListOptions, listDois, listPages, type Receipt, validate } from 'doi-cli';
const options: ClientOptions = { baseUrl: 'https://api.test.datacite.org', credentials: { apiKey: 'x' } };
const client = new Client(options);
export const everyOption: ClientOptions = { baseUrl: 'x', credentials: { repository: 'x', password: 'x' }, mailto: 'x', userAgent: 'x', proxy: 'x', timeoutMs: 1, retries: 1, rate: { requests: 1, windowMs: 1 }, probeCredentials: true, onRequest: ({ method, url, status, problem, ms, attempt }) => void [method, url, status, problem, ms, attempt] };
export const everyFilter: DoiQuery = { providerId: 'x', clientId: 'x', prefix: 'x', state: 'x', query: 'x', created: 'x', registered: 'x', updated: 'x', resourceTypeId: 'x', filter: { x: 'x' }, fields: ['x'], detail: true };
export const everyList: ListOptions = { signal: undefined, parse: true, limit: 1, pageSize: 1, jobs: 1 };
export const everyHarvest: HarvestOptions = { signal: undefined, directory: 'x', query: {}, gzip: true, pageSize: 1, jobs: 1, overlapMs: 1, fresh: true, check: true, onProgress: (records, total) => void (records + total), onNote: (text) => void text };
export const everyVerify: CopyCallOptions = { signal: undefined, directory: 'x', jobs: 1, onProgress: () => {}, onNote: () => {} };
export const everyExport: ExportTablesOptions = { ...everyVerify, out: 'x', records: true };
export async function differences(): Promise<readonly [CopyDifferences, ExportedTables]> {
  return [await verify(client, everyVerify), await exportTables(everyExport)];
}
export async function copyTitles(from: string): Promise<string> {
  await using short = new Client(options);
  const { attributes, relationships } = await getDoi(short, from);
  const titles: readonly Metadata.Title[] = attributes.titles ?? [];
  const state: 'draft' | 'registered' | 'findable' | undefined = attributes.state;
  const added: unknown = attributes['enrichedBy'];
  // @ts-expect-error no resource type
  const wrong: Metadata.Attributes = { types: { resourceTypeGeneral: 'Datset' } };
  return [state, added, titles, wrong, relationships?.client?.data?.id].join();
}
export async function all(signal: AbortSignal): Promise<readonly Receipt[]> {
  for await (const record of listDois(client, {}, { signal })) { const bytes: Uint8Array = record; void bytes; }
  for await (const record of listDois(client, {}, { parse: true })) { const one: DoiRecord = record; void one; }
  for await (const page of listPages(client, {}, { parse: true })) { const first: DoiRecord | undefined = page[0]; void first; }
  for await (const page of listPages(client)) { const first: Uint8Array | undefined = page[0]; void first; }
  void validate({}).then((all) => all.map(({ severity, path, message }) => [severity, path, message]));
  // @ts-expect-error there is no such filter
  listDois(client, { client: 'x' });
  // @ts-expect-error half of a credential
  new Client({ credentials: { repository: 'x' } });
  // @ts-expect-error what only the program uses
  void new DoiCliError('usage', 'x').exitCode;
  const kind: ErrorKind = new DoiCliError('usage', 'x', { hint: 'y' }).kind;
  void kind;
  return (await harvest(client, { directory: 'x', signal })).worked;
}
// @ts-expect-error not public
import { serviceOf } from 'doi-cli';
void serviceOf;
`;
});
