import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emulate, PASSWORD } from '../helpers/emulator.ts';
import { run } from '../helpers/run.ts';
import { type Answer, answer } from '../helpers/server.ts';
import { sharedDirectory } from '../helpers/temporary.ts';
import { broken, misled, missing } from './misled.ts';

const folder = sharedDirectory();
const KEY = `DC.${'k3Y'.repeat(11).slice(0, 32)}`;

let files = 0;
function file(ending: string, ...lines: readonly unknown[]): string {
  files += 1;
  const path = join(folder, `${files}.${ending}`);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
}

const record = (id: string, attributes: object = {}, status = 200) =>
  answer(status, { data: { id, type: 'dois', attributes: { state: 'draft', ...attributes } } });
const DOI = '10.5072/asked-for';
const ATTRIBUTES = { doi: DOI, version: '2' };
const OLD = record(DOI, { version: '1' });
const OTHER = record('10.9999/not-yours', ATTRIBUTES, 201);
const DONE = record(DOI.toUpperCase(), ATTRIBUTES);
const RETRIES = ['--retries', '3', '--no-validate'];

const COMMANDS = {
  create: () => ['create', '--file', file('json', ATTRIBUTES), ...RETRIES],
  creates: () => ['create', '--file', file('ndjson', ATTRIBUTES), ...RETRIES],
  update: () => ['update', DOI, '--file', file('json', ATTRIBUTES), ...RETRIES],
  updates: () => ['update', '--file', file('ndjson', ATTRIBUTES), ...RETRIES],
  publish: () => ['publish', DOI, ...RETRIES],
  delete: () => ['delete', DOI, '--yes', '--retries', '3'],
};
/** What a read shows after the write. */
const LOOKS = {
  missing,
  unreadable: broken,
  another: record(DOI, { version: '9' }),
  done: DONE,
  old: OLD,
  draft: record(DOI),
  findable: record(DOI, { state: 'findable' }),
};
type Row = [command: keyof typeof COMMANDS, look: keyof typeof LOOKS, code: number, words: RegExp];

/** The truth is read, and nothing sent again. */
async function expectTruth(write: Answer, [command, look, code, words]: Row): Promise<void> {
  const { env, written } = await misled(OLD, write, [LOOKS[look]]);
  const result = await run(['dois', ...COMMANDS[command]()], { env });
  const said = result.stdout + result.stderr;
  expect([result.code, said]).toEqual([code, expect.stringMatching(words)]);
  expect(written()).toBe(1);
  expect(result.stdout).not.toContain('10.9999/not-yours"');
}

describe('an answer about another DOI', () => {
  it.each<Row>([
    ['create', 'missing', 5, /not-yours, but the record \S+ was not found.*: doi-cli dois /s],
    ['create', 'another', 5, /holds version "9", not "2"/],
    ['create', 'unreadable', 5, /whether the request took effect is not known/],
    ['create', 'done', 0, /asked-for/i],
    ['creates', 'missing', 1, /10.9999\/not-yours, but .* was not found/],
    ['creates', 'unreadable', 1, /is not known/],
    ['creates', 'done', 0, /"outcome":"created"/],
    ['update', 'old', 5, /holds version "1", not "2"/],
    ['update', 'done', 0, /asked-for/i],
    ['updates', 'old', 1, /holds version \\"1\\", not \\"2\\"/],
    ['updates', 'done', 0, /"outcome":"updated"/],
    ['publish', 'draft', 1, /its state is draft, not findable/],
    ['publish', 'findable', 0, /asked-for/],
    ['delete', 'draft', 5, /still exists/],
    ['delete', 'missing', 0, /Deleted/],
  ])('to %s of a record that is then %s', (...row) => expectTruth(OTHER, row));

  it.each([
    ['another prefix', '10.9999/x'],
    ['a longer prefix', '10.50720/x'],
    ['no prefix', 'x'],
  ])('under %s is no success for a prefix', async (_, id) => {
    const { env, written } = await misled(OLD, record(id, {}, 201), [missing]);
    const argv = ['dois', 'create', '--prefix', '10.5072', '--title', 'A', ...RETRIES];
    const { code, stdout, stderr } = await run(argv, { env });
    expect([code, stdout]).toEqual([5, '']);
    expect(stderr).toMatch(
      /another DOI, .*was not found.*\nhint: before you try again: .*dois get 10\.5072\//,
    );
    expect(written()).toBe(1);
  });

  it('is looked for again by the next run, under the DOI that was reserved', async () => {
    const { env, asked, written } = await misled(OLD, OTHER, [missing, DONE]);
    const path = file('ndjson', { prefix: '10.5072', version: '2' });
    const argv = ['dois', 'create', '--file', path, ...RETRIES];
    const first = JSON.parse((await run(argv, { env })).stdout) as { doi: string; outcome: string };
    expect(first).toMatchObject({ outcome: 'failed', doi: expect.stringMatching(/^10\.5072\//) });
    const before = asked.length;
    await run(argv, { env });
    const [look] = asked.slice(before).filter(({ url }) => !url.startsWith('/dois?'));
    expect(look).toMatchObject({
      method: 'GET',
      url: expect.stringContaining(encodeURIComponent(first.doi)),
    });
    expect(written()).toBe(1);
  });
});

describe('a redirect in answer to a write (service.md, E11)', () => {
  const doubt = /redirects \(HTTP 303\); the request may have been carried out/;
  it.each<Row>([
    ['create', 'done', 0, /asked-for/i],
    ['create', 'unreadable', 5, /unavailable .*\nhint: before you try again: doi-cli dois get 10/],
    ['creates', 'done', 0, /"outcome":"created"/],
    ['creates', 'unreadable', 1, /1 line may have been carried out: run the same command again, /],
    ['update', 'done', 0, /asked-for/i],
    ['update', 'unreadable', 5, doubt],
    ['delete', 'missing', 0, /Deleted/],
  ])('to %s of a record that is then %s', (...row) =>
    expectTruth(answer(303, '', { location: '/dois' }), row),
  );

  it.each([300, 301, 302, 304, 307, 308])(
    'is in doubt with %s, so that the record is read',
    (status) => expectTruth(answer(status, ''), ['create', 'done', 0, /asked-for/i]),
  );
});

describe('a text that is no DOI', () => {
  const BAD = [
    '\ud800',
    '10.5072/\udfff',
    '..',
    '.',
    '10.5072/..',
    '10.5072/a/../b',
    '10.5072/./b',
    '../dois',
    'random',
    '10.5072/..\\b',
  ];

  it('fails its line of an update, and leads nowhere', async () => {
    const emulator = await emulate({ records: 0 });
    await emulator.run(['dois', 'create', '--file', file('json', { doi: DOI })]);
    const before = (await emulator.log()).length;
    const isList = ({ path }: { path: string }) => path.startsWith('/dois?');
    const path = file('ndjson', ...BAD.map((doi) => ({ doi, version: '2' })), ATTRIBUTES);
    for (const more of [[], ['--no-validate']]) {
      const { code, stdout } = await emulator.run(['dois', 'update', '--file', path, ...more]);
      const results = stdout.split('\n').slice(0, -1);
      expect([code, results.length]).toEqual([1, BAD.length + 1]);
      for (const line of results.slice(0, -1)) {
        expect(JSON.parse(line)).toMatchObject({
          outcome: 'failed',
          errors: [{ message: expect.any(String) }],
        });
      }
      expect(JSON.parse(results.at(-1) ?? '')).toMatchObject({ doi: DOI, outcome: 'updated' });
    }
    const isAccount = ({ path }: { path: string }) => path.startsWith('/repositories/');
    const asked = (await emulator.log())
      .slice(before)
      .filter((one) => !isList(one) && !isAccount(one));
    expect(new Set(asked.map(({ path }) => path.split('?')[0]))).toEqual(
      new Set([`/dois/${encodeURIComponent(DOI)}`]),
    );
  });

  it.each(BAD)('is refused by itself, and makes no record: %j', async (doi) => {
    const emulator = await emulate({ records: 0 });
    for (const [verb, ending] of [
      ['update', 'json'],
      ['create', 'json'],
      ['create', 'ndjson'],
    ] as const) {
      const path = file(ending, { doi, prefix: '10.5072', version: '2' });
      const { code } = await emulator.run(['dois', verb, '--file', path, '--no-validate']);
      expect(code).toBe(ending === 'json' ? 2 : 1);
    }
    if (!/\p{Cs}/u.test(doi))
      expect((await emulator.run(['dois', 'delete', doi, '--yes'])).code).toBe(2);
    expect((await emulator.log()).filter(({ path }) => !path.startsWith('/dois?'))).toEqual([]);
  });

  it('empty next to an id gives way to the id', async () => {
    const emulator = await emulate({ records: 0 });
    const given = { id: '10.5072/by-its-id', type: 'dois', attributes: { doi: '', version: '1' } };
    const argv = ['dois', 'create', '--no-validate', '--file'];
    expect((await emulator.run([...argv, file('json', { data: given })])).code).toBe(0);
    expect(
      (await emulator.run([...argv, file('ndjson', { ...given, id: '10.5072/second' })])).code,
    ).toBe(0);
    const { stdout } = await emulator.run(['dois', 'list', '--mine', '--fields', 'doi']);
    expect(stdout).toMatch(
      /10\.5072\/second[\s\S]*10\.5072\/by-its-id|10\.5072\/by-its-id[\s\S]*10\.5072\/second/,
    );
    expect(await emulator.run(['dois', 'list', '--mine', '--count'])).toMatchObject({
      stdout: '2\n',
    });
  });
});

describe('what the service says', () => {
  const basic = Buffer.from(`DEMO.REPO:${PASSWORD}`).toString('base64');

  it.each([
    ['the password', PASSWORD],
    ['an API key', KEY],
    ['the header', basic],
  ])('holds %s: it is in no result, no ledger and no message', async (_, secret) => {
    const errors = [
      { source: secret, title: `no ${secret}` },
      { source: `titles ${secret}`, title: secret },
    ];
    const wrong = record(DOI, { state: secret, reason: `because ${secret}` }, 201);
    for (const write of [answer(422, { errors }), wrong, record(secret, {}, 201)]) {
      const { env } = await misled(OLD, write, [missing]);
      const path = file('ndjson', ATTRIBUTES);
      const { stdout, stderr } = await run(['dois', 'create', '--file', path, ...RETRIES], { env });
      const ledger = `${path}.create-ledger`;
      expect(existsSync(ledger)).toBe(true);
      for (const text of [stdout, stderr, readFileSync(ledger, 'utf8')]) {
        expect(text).not.toBe('');
        expect(text).not.toContain(secret.replace(/^DC\./, ''));
      }
    }
  });
});
