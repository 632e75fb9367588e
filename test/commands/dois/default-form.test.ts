import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  all,
  COMPLETE,
  harvest,
  latest,
  newDirectory,
  PLAIN,
  send,
} from '../../harvest/copy-on-disk.ts';
import { emulate, type TestEmulator } from '../../helpers/emulator.ts';
import { serve } from '../../helpers/server.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

const NAMES = ['--filter', 'affiliation=false', '--filter', 'publisher=false'];
const LATER = { date: '2000-01-01' };
const ROR = 'https://ror.org/04wxnsj81';
const RECORD = {
  ...COMPLETE,
  titles: [{ title: 'Lakes before' }],
  publisher: { name: 'Lake Press', publisherIdentifier: ROR, publisherIdentifierScheme: 'ROR' },
  creators: [
    {
      name: 'Doe, Jane',
      affiliation: [
        { name: 'Lake Institute', affiliationIdentifier: ROR, affiliationIdentifierScheme: 'ROR' },
      ],
    },
  ],
};

async function must({ run }: TestEmulator, ...argv: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(argv);
  expect(code, stderr).toBe(0);
  return stdout;
}

/** Exports a record before the default changes. @returns the path of the file. */
async function exported(
  emulator: TestEmulator,
  ending: string,
  form: readonly string[],
): Promise<string> {
  const file = join(temporaryDirectory(), `export.${ending}`);
  await emulator.control('objects-from', { date: 'never' });
  await must(emulator, 'dois', 'list', '--mine', ...form, '--out', file);
  await emulator.control('objects-from', LATER);
  return file;
}

/**
 * Forwards to the emulator without the parameters of the form, as a service does that does not
 * know them. @param switchAt the number of the request of a page before which the default changes.
 */
async function ignoring(emulator: TestEmulator, switchAt = Number.POSITIVE_INFINITY) {
  let pages = 0;
  const { url: baseUrl } = await serve((response, { method, url, headers, body }) => {
    const target = new URL(url, emulator.baseUrl);
    for (const name of ['affiliation', 'publisher']) target.searchParams.delete(name);
    const isPage = /^[1-9]/.test(target.searchParams.get('page[size]') ?? '');
    if (isPage) pages += 1;
    const forward = () =>
      request(target, { method, headers }, (from) => {
        response.writeHead(from.statusCode ?? 500, from.headers);
        from.pipe(response);
      }).end(body);
    if (isPage && pages === switchAt) void emulator.control('objects-from', LATER).then(forward);
    else forward();
  });
  const env = { DOI_CLI_BASE_URL: baseUrl.href };
  return {
    ...emulator,
    run: (argv: readonly string[]) => emulator.run(argv, { env }),
  };
}

it.each([
  ['objects', []],
  ['names', NAMES],
])('keeps lists, copies and their tables as %s when the default changes', async (_, form) => {
  const emulator = await emulate({ records: 120 });
  await send(emulator, 'PUT', '10.5072/before', RECORD);
  const dir = newDirectory();
  await must(emulator, ...harvest(dir, ...PLAIN, ...form));
  const lists = () =>
    Promise.all(
      ['ndjson', 'csv', 'json'].map((format) =>
        must(emulator, ...'dois list --mine --limit 500 --format'.split(' '), format, ...form),
      ),
    );
  const before = await lists();
  const records = await all(emulator, ...form);
  await emulator.control('objects-from', LATER);
  expect(await lists()).toEqual(before);
  expect(await all(emulator, ...form)).toEqual(records);
  await send(emulator, 'PUT', '10.5072/after', RECORD);
  await must(emulator, ...harvest(dir));
  expect(latest(dir)).toEqual(await all(emulator, ...form));
  for (const verb of ['status', 'verify', 'compact'])
    await must(emulator, 'dois', 'harvest', verb, '--dir', dir);
  await must(emulator, 'dois', 'harvest', 'export', '--dir', dir, '--out', temporaryDirectory());
});

it.each([
  ['objects', [], ['csv', 'tsv', 'ndjson', 'json']],
  ['names', NAMES, ['csv', 'tsv']],
])('sends only what is edited in an export of %s from before', async (_, form, endings) => {
  const emulator = await emulate({ records: 0 });
  await send(emulator, 'PUT', '10.5072/one', RECORD);
  for (const ending of endings) {
    const file = await exported(emulator, ending, form);
    const update = ['dois', 'update', '--file', file];
    const read = readFileSync(file, 'utf8');
    expect(await must(emulator, ...update)).toContain('"unchanged"');
    writeFileSync(file, read.replace(/Lakes \w+/, `Lakes ${ending}`));
    const stored = async () => JSON.parse(await must(emulator, 'dois', 'get', '10.5072/one'));
    const { attributes: before } = await stored();
    await must(emulator, ...update);
    const { attributes: after } = await stored();
    expect(after.titles).toEqual([{ title: `Lakes ${ending}` }]);
    for (const name of ['publisher', 'creators']) expect(after[name]).toEqual(before[name]);
    expect(JSON.stringify(after).match(/ror\.org/g)).toHaveLength(2);
  }
});

it('does not remove identifiers in silence by an export of names as JSON', async () => {
  const emulator = await emulate({ records: 0 });
  await send(emulator, 'PUT', '10.5072/one', RECORD);
  for (const ending of ['ndjson', 'json']) {
    const file = await exported(emulator, ending, NAMES);
    const { code, stderr } = await emulator.run(['dois', 'update', '--file', file]);
    expect([code, stderr.match(/would remove the stored identifier/g)?.length]).toEqual([1, 2]);
    const names = readFileSync(file, 'utf8');
    writeFileSync(file, names.replace('Lake Press', 'Sea Press').replace('Lake Inst', 'Sea Inst'));
    const renamed = await emulator.run(['dois', 'update', '--file', file, '--dry-run']);
    expect([renamed.code, renamed.stderr]).toEqual([
      0,
      /identifier of "Lake Press" is removed.*of "Lake Institute" is/s,
    ]);
  }
});

it('writes the same records before and after', async () => {
  const results = [];
  for (const date of ['never', LATER.date]) {
    const emulator = await emulate({ records: 0 });
    await emulator.control('objects-from', { date });
    const records = ['a', 'b'].map((name) => ({ doi: `10.5072/${name}`, ...RECORD }));
    const lines = (more: object) =>
      records.map((record) => `${JSON.stringify({ ...record, ...more })}\n`).join('');
    const outcomes = [];
    for (const [verb, more] of [
      ['create', {}],
      ['create', {}],
      ['update', { language: 'de', publisher: 'Sea Press' }],
      ['update', { publisher: 'Sea Press' }],
    ] as const) {
      const file = join(temporaryDirectory(), 'records.ndjson');
      writeFileSync(file, lines(more));
      const { code, stdout, stderr } = await emulator.run(['dois', verb, '--file', file]);
      const text = `${stdout}${stderr}`.replaceAll(file, 'the file');
      const shown = text
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|in \d+ s/g, '')
        .split('\n')
        .sort();
      outcomes.push([verb, code, shown]);
    }
    results.push(outcomes);
  }
  expect(results[1]).toEqual(results[0]);
});

it('takes a service that ignores the parameters as it is', async () => {
  for (const isLater of [false, true]) {
    const emulator = await emulate({ records: 120 });
    if (isLater) await emulator.control('objects-from', LATER);
    const service = await ignoring(emulator);
    for (const form of [[], NAMES]) {
      const dir = newDirectory();
      await must(service, ...harvest(dir, ...PLAIN, ...form));
      await must(service, ...harvest(dir));
      await must(service, 'dois', 'list', '--all', ...form);
    }
  }
});

it('ends a list where the service changes the form', async () => {
  for (const more of [['--all'], ['--all', '--jobs', '3'], ['--limit', '100', '--sort', 'name']]) {
    const service = await ignoring(await emulate({ records: 120 }), 3);
    const { code, stderr } = await service.run(['dois', 'list', '--page-size', '16', ...more]);
    expect([code, stderr]).toEqual([3, /the service has changed publishers from names to objects/]);
  }
});

it('says that a copy has received both forms, until it starts over', async () => {
  for (const switchAt of [4, 1e9]) {
    const emulator = await emulate({ records: 120 });
    const service = await ignoring(emulator, switchAt);
    const dir = newDirectory();
    const first = await service.run(harvest(dir, ...PLAIN));
    if (switchAt > 1e6) {
      expect(first.code, first.stderr).toBe(0);
      await emulator.control('objects-from', LATER);
      await send(emulator, 'PUT', '10.5072/after', RECORD);
    }
    for (const argv of [
      harvest(dir),
      ...['status', 'verify'].map((verb) => ['dois', 'harvest', verb, '--dir', dir]),
      harvest(dir),
    ]) {
      const { code, stderr } = await service.run(argv);
      expect([code, stderr]).toEqual([
        3,
        /changed publishers from names to objects.*\n.*hint: .*--fresh/s,
      ]);
    }
    await must(service, ...harvest(dir, '--fresh', '--yes'));
    for (const verb of ['status', 'verify'])
      await must(service, 'dois', 'harvest', verb, '--dir', dir);
  }
});

it('reports a copy whose generations have two forms, and shards of two forms', async () => {
  const emulator = await emulate({ records: 0 });
  const dir = newDirectory();
  const statusOf = (dir: string) => emulator.run(['dois', 'harvest', 'status', '--dir', dir]);
  for (const doi of ['10.5072/one', '10.5072/two']) {
    await send(emulator, 'PUT', doi, { ...COMPLETE, publisher: 'Lake Press' });
    await must(emulator, ...harvest(dir, ...NAMES));
  }
  expect((await statusOf(dir)).code).toBe(0);
  const update = join(dir, 'data', 'g0002-w00000.ndjson');
  const names = readFileSync(update, 'utf8');
  // An object of the same length.
  writeFileSync(update, names.replaceAll('"Lake Press"', '{"name":"a"}'));
  const mixed = [3, /changed publishers from names to objects/];
  const { code, stderr } = await statusOf(dir);
  expect([code, stderr]).toEqual(mixed);

  const many = await emulate({ records: 300 });
  const service = await ignoring(many);
  const shared = newDirectory();
  const shard = (index: number) => harvest(shared, '--page-size', '5', '--shard', `${index}/2`);
  await must(service, ...harvest(shared, '--page-size', '5', '--plan'));
  await must(service, ...shard(1));
  await many.control('objects-from', LATER);
  const second = await service.run(shard(2));
  expect([second.code, second.stderr]).toEqual(mixed);
});
