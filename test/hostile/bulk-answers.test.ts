import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emulate } from '../helpers/emulator.ts';
import { run } from '../helpers/run.ts';
import { type Answer, answer, type Exchange, serve } from '../helpers/server.ts';
import { sharedDirectory } from '../helpers/temporary.ts';

const folder = sharedDirectory();
const PASSWORD = 'correct horse battery';
const KEY = `DC.${'k3Y'.repeat(11).slice(0, 32)}`;

let files = 0;
function file(ending: string, ...lines: readonly unknown[]): string {
  files += 1;
  const path = join(folder, `${files}.${ending}`);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
}

const OURS = { 'x-credential-username': 'demo.repo' };
const record = (id: string, attributes: object = {}, status = 200) =>
  answer(
    status,
    { data: { id, type: 'dois', attributes: { state: 'draft', ...attributes } } },
    OURS,
  );
const COUNT = answer(200, { data: [], meta: { total: 0 } }, OURS);
const missing = answer(404, { errors: [{ status: '404', title: 'not there' }] }, OURS);
const broken = answer(503, 'x', OURS);

const DOI = '10.5072/asked-for';
const ATTRIBUTES = { doi: DOI, version: '2' };

/**
 * A service that answers each write about another DOI.
 * @param looks its answers to reads after the first write, the last one again and again; before,
 *   the record exists with version 1.
 */
async function misled(write: Answer, looks: readonly Answer[]) {
  let writes = 0;
  let reads = 0;
  const { url, asked } = await serve((response, exchange: Exchange) => {
    if (exchange.method !== 'GET') {
      writes += 1;
      return write(response, exchange);
    }
    if (exchange.url.startsWith('/dois?')) return COUNT(response, exchange);
    if (writes === 0) return record(DOI, { version: '1' })(response, exchange);
    looks[Math.min(reads++, looks.length - 1)]?.(response, exchange);
  });
  const env = {
    DOI_CLI_BASE_URL: url.origin,
    DOI_CLI_REPOSITORY: 'DEMO.REPO',
    DOI_CLI_PASSWORD: PASSWORD,
  };
  const written = () => asked.filter(({ method }) => method !== 'GET').map(({ method }) => method);
  return { env, asked, written };
}

const OTHER = record('10.9999/not-yours', ATTRIBUTES, 201);
const DONE = record(DOI.toUpperCase(), ATTRIBUTES);
const RETRIES = ['--retries', '3', '--no-validate'];

describe('an answer about another DOI', () => {
  const single = () => ['dois', 'create', '--file', file('json', ATTRIBUTES), ...RETRIES];
  const many = () => ['dois', 'create', '--file', file('ndjson', ATTRIBUTES), ...RETRIES];
  const update = () => ['dois', 'update', DOI, '--file', file('json', ATTRIBUTES), ...RETRIES];
  const updates = () => ['dois', 'update', '--file', file('ndjson', ATTRIBUTES), ...RETRIES];
  const publish = () => ['dois', 'publish', DOI, ...RETRIES];
  const remove = () => ['dois', 'delete', DOI, '--yes', '--retries', '3'];

  it.each<[string, () => string[], Answer, number, RegExp]>([
    [
      'to a create, of a record that is missing',
      single,
      missing,
      5,
      /10.9999\/not-yours, but the record 10.5072\/asked-for was not found.*again: doi-cli dois /s,
    ],
    [
      'to a create, of a record that is another',
      single,
      record(DOI, { version: '9' }),
      5,
      /holds version "9", not "2"/,
    ],
    [
      'to a create, of a record that cannot be read',
      single,
      broken,
      5,
      /whether the request took effect is not known/,
    ],
    ['to a create, of a record that is as asked', single, DONE, 0, /asked-for/i],
    [
      'to many creates, of a record that is missing',
      many,
      missing,
      1,
      /10.9999\/not-yours, but .* was not found/,
    ],
    ['to many creates, of a record that cannot be read', many, broken, 1, /is not known/],
    ['to many creates, of a record that is as asked', many, DONE, 0, /"outcome":"created"/],
    [
      'to an update, of a record that is as before',
      update,
      record(DOI, { version: '1' }),
      5,
      /holds version "1", not "2"/,
    ],
    ['to an update, of a record that is as asked', update, DONE, 0, /asked-for/i],
    [
      'to many updates, of a record that is as before',
      updates,
      record(DOI, { version: '1' }),
      1,
      /holds version \\"1\\", not \\"2\\"/,
    ],
    ['to many updates, of a record that is as asked', updates, DONE, 0, /"outcome":"updated"/],
    [
      'to an event, of a record in the old state',
      publish,
      record(DOI),
      1,
      /its state is draft, not findable/,
    ],
    [
      'to an event, of a record in the new state',
      publish,
      record(DOI, { state: 'findable' }),
      0,
      /asked-for/,
    ],
    ['to a deletion, of a record that still exists', remove, record(DOI), 5, /still exists/],
    ['to a deletion, of a record that is gone', remove, missing, 0, /Deleted/],
  ])('%s: the truth is read, and nothing sent again', async (_, argv, look, code, message) => {
    const { env, written } = await misled(OTHER, [look]);
    const result = await run(argv(), { env });
    expect([result.code, result.stdout + result.stderr]).toEqual([
      code,
      expect.stringMatching(message),
    ]);
    expect(written()).toHaveLength(1);
    expect(result.stdout).not.toContain('10.9999/not-yours"');
  });

  it.each([
    ['another prefix', '10.9999/x'],
    ['a longer prefix', '10.50720/x'],
    ['no prefix', 'x'],
  ])('under %s is no success for a prefix', async (_, id) => {
    const { env, written } = await misled(record(id, {}, 201), [missing]);
    const argv = ['dois', 'create', '--prefix', '10.5072', '--title', 'A', ...RETRIES];
    const { code, stdout, stderr } = await run(argv, { env });
    expect([code, stdout]).toEqual([5, '']);
    expect(stderr).toMatch(
      /another DOI, .*was not found.*\nhint: before you try again: .*dois get 10\.5072\//,
    );
    expect(written()).toHaveLength(1);
  });

  it('is looked for again by the next run, under the DOI that was reserved', async () => {
    const { env, asked, written } = await misled(OTHER, [missing, DONE]);
    const argv = [
      'dois',
      'create',
      '--file',
      file('ndjson', { prefix: '10.5072', version: '2' }),
      ...RETRIES,
    ];
    const first = JSON.parse((await run(argv, { env })).stdout) as { doi: string; outcome: string };
    expect(first).toMatchObject({ outcome: 'failed', doi: expect.stringMatching(/^10\.5072\//) });
    const path = `/dois/${encodeURIComponent(first.doi)}`;
    const before = asked.length;
    await run(argv, { env });
    const [look] = asked.slice(before).filter(({ url }) => !url.startsWith('/dois?'));
    expect(look).toMatchObject({ method: 'GET', url: expect.stringContaining(path) });
    expect(written()).toHaveLength(1);
  });
});

describe('a redirect in answer to a write (service.md, E11)', () => {
  const single = () => ['dois', 'create', '--file', file('json', ATTRIBUTES)];
  const many = () => ['dois', 'create', '--file', file('ndjson', ATTRIBUTES)];
  const update = () => ['dois', 'update', DOI, '--file', file('json', ATTRIBUTES)];
  const remove = () => ['dois', 'delete', DOI, '--yes'];
  const doubt = /redirects \(HTTP 303\); the request may have been carried out/;
  it.each<[string, () => string[], Answer, number, RegExp]>([
    ['one create is carried out', single, DONE, 0, /asked-for/i],
    [
      'one create is in doubt',
      single,
      broken,
      5,
      /unavailable .*\nhint: before you try again: doi-cli dois get 10\.5072\/asked-for/,
    ],
    ['many creates are carried out', many, DONE, 0, /"outcome":"created"/],
    [
      'many creates are in doubt',
      many,
      broken,
      1,
      /1 line may have been carried out: run the same command again, unchanged/,
    ],
    ['an update is carried out', update, DONE, 0, /asked-for/i],
    ['an update is in doubt', update, broken, 5, doubt],
    ['a deletion is carried out', remove, missing, 0, /Deleted/],
  ])('%s', async (_, argv, look, code, message) => {
    const { env, written } = await misled(answer(303, '', { location: '/dois' }), [look]);
    const result = await run([...argv(), '--retries', '1'], { env });
    expect([result.code, result.stdout + result.stderr]).toEqual([
      code,
      expect.stringMatching(message),
    ]);
    expect(written()).toHaveLength(1);
  });

  it.each([300, 301, 302, 304, 307, 308])(
    'is in doubt with %s, so that the record is read',
    async (status) => {
      const { env, written } = await misled(answer(status, ''), [DONE]);
      const { code, stdout } = await run(single(), { env });
      expect([code, written().length, stdout]).toEqual([0, 1, expect.stringMatching(/asked-for/i)]);
    },
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
    for (const write of [answer(422, { errors }, OURS), wrong, record(secret, {}, 201)]) {
      const { env } = await misled(write, [missing]);
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
