import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LineResult } from '../../src/writing/ledger/entry.ts';
import { emulate, type TestEmulator } from '../helpers/emulator.ts';
import { COMPLETE_RECORD } from '../helpers/records.ts';
import { run, valuesIn } from '../helpers/run.ts';
import { answer } from '../helpers/server.ts';
import { sharedDirectory } from '../helpers/temporary.ts';
import { broken, misled, missing } from './misled.ts';

const folder = sharedDirectory();
let files = 0;
function file(text: string): string {
  files += 1;
  const path = join(folder, `${files}.ndjson`);
  writeFileSync(path, text);
  return path;
}

const results = (stdout: string) => valuesIn<LineResult>(stdout);

const doi = (place: number) => `10.5072/${place}`;

/** An emulator with Drafts or Findable records, and the results of their creation. */
async function stocked(count: number, event?: string) {
  const emulator = await emulate({ records: 0 });
  const lines = Array.from({ length: count }, (_, place) =>
    JSON.stringify({ ...COMPLETE_RECORD, doi: doi(place + 1), ...(event ? { event } : {}) }),
  );
  const path = file(`${lines.join('\n')}\n`);
  const { code, stdout, stderr } = await emulator.run(['dois', 'create', '--file', path]);
  expect(code, stderr).toBe(0);
  return { emulator, path: file(stdout) };
}

async function held({ control, run }: TestEmulator): Promise<Map<string, Record<string, unknown>>> {
  await control('faults', { faults: [] });
  const { stdout } = await run(['dois', 'list', '--all', '--mine']);
  const records = valuesIn<{ id: string; attributes: Record<string, unknown> }>(stdout);
  return new Map(records.map(({ id, attributes }) => [id, attributes]));
}

const COUNT = 20;
const LOSSES = 'lost-answer:0.15 500:0.1 504:0.05 reset:0.05 truncate:0.05 429:0.03'.split(' ');

/** A command, what the records are before, and whether a record is as asked afterwards. */
const COMMANDS: readonly (readonly [
  argv: readonly string[],
  event: string | undefined,
  outcome: string,
  isDone: (attributes: Record<string, unknown> | undefined) => boolean,
])[] = [
  [['publish'], undefined, 'published', (one) => one?.['state'] === 'findable'],
  [['register'], undefined, 'registered', (one) => one?.['state'] === 'registered'],
  [['hide', '--reason', 'Gone'], 'publish', 'hidden', (one) => one?.['reason'] === 'Gone'],
  [['delete', '--yes'], undefined, 'deleted', (one) => one === undefined],
  [['update', '--set', 'version=7'], undefined, 'updated', (one) => one?.['version'] === '7'],
];

describe.each(COMMANDS)('dois %j of many DOIs', (words, event, outcome, isDone) => {
  const [verb = '', ...more] = words;
  const asAsked = async (emulator: TestEmulator) => {
    const now = await held(emulator);
    return Array.from({ length: COUNT }, (_, place) => isDone(now.get(doi(place + 1))));
  };

  it('is right though answers are lost', async () => {
    const { emulator, path } = await stocked(COUNT, event);
    await emulator.control('faults', { faults: LOSSES });
    const argv = ['dois', verb, '--file', path, ...more, '--jobs', '8'];
    const { code, stdout, stderr } = await emulator.run(argv);
    expect(code, stderr).toBe(0);
    expect(results(stdout).map((one) => [one.line, one.doi, one.outcome])).toEqual(
      Array.from({ length: COUNT }, (_, place) => [place + 1, doi(place + 1), outcome]),
    );
    expect(await asAsked(emulator)).toEqual(Array(COUNT).fill(true));
    expect(existsSync(`${path}.${verb}-ledger`)).toBe(false);
  });
});

const DOI = '10.5072/asked-for';
const record = (attributes: object, id = DOI) =>
  answer(200, { data: { id, type: 'dois', attributes: { ...COMPLETE_RECORD, ...attributes } } });
const draft = record({ state: 'draft' });
const LOOKS = { draft, findable: record({ state: 'findable' }), missing, unreadable: broken };
const WRITES = {
  'the old state': draft,
  'no state': record({ state: undefined }),
  'a strange state': record({ state: ['findable'] }),
  'another DOI': record({}, '10.1/x'),
  'no record': answer(200, {}),
  nothing: broken,
  success: answer(204, ''),
};

describe('an answer that is not true', () => {
  type Row = [
    verb: 'publish' | 'delete',
    write: keyof typeof WRITES,
    look: keyof typeof LOOKS,
    outcome: string,
    writes: number | undefined,
    message: RegExp,
  ];
  it.each<Row>([
    ['publish', 'the old state', 'draft', 'failed', 1, /its state is draft, not findable/],
    ['publish', 'no state', 'draft', 'failed', 1, /does not report its state/],
    ['publish', 'a strange state', 'draft', 'failed', 1, /not findable/],
    ['publish', 'another DOI', 'draft', 'failed', 1, /its state is draft, not findable/],
    ['publish', 'another DOI', 'findable', 'published', 1, /^$/],
    ['publish', 'nothing', 'findable', 'published', 1, /^$/],
    ['publish', 'nothing', 'draft', 'failed', undefined, /503|unavailable/],
    ['publish', 'nothing', 'missing', 'failed', undefined, /./],
    ['publish', 'nothing', 'unreadable', 'failed', undefined, /./],
    ['publish', 'no record', 'draft', 'failed', undefined, /./],
    ['delete', 'nothing', 'missing', 'deleted', 1, /^$/],
    ['delete', 'nothing', 'draft', 'failed', undefined, /./],
    ['delete', 'another DOI', 'missing', 'deleted', 1, /^$/],
    ['delete', 'another DOI', 'draft', 'failed', 1, /still exists/],
    ['delete', 'success', 'missing', 'deleted', 1, /^$/],
  ])('to %s is %s, of a record that is %s', async (verb, write, look, outcome, writes, message) => {
    const service = await misled(draft, WRITES[write], [LOOKS[look]]);
    const argv = ['dois', verb, '--file', file(`${DOI}\n`), '--retries', '2', '--yes'];
    const { code, stdout, stderr } = await run(argv, { env: service.env });
    const [first] = results(stdout);
    expect([code, first?.outcome], stderr).toEqual([outcome === 'failed' ? 1 : 0, outcome]);
    expect(first?.errors.map(({ message }) => message).join('') ?? '').toMatch(message);
    if (writes !== undefined) expect(service.written()).toBe(writes);
  });
});

describe('a list of DOIs that is none', () => {
  const good = '10.5072/1\n';
  it.each<[string, string | Buffer]>([
    ['a path', `${good}../../etc/passwd\n`],
    ['a way out of the path of DOIs', `${good}10.5072/../../clients/x\n`],
    ['a query', `${good}?page[size]=1\n`],
    ['a prefix alone', `${good}10.5072\n`],
    ['a list in JSON', `${good}["10.5072/1"]\n`],
    ['a number', `${good}7\n`],
    ['null', `${good}null\n`],
    ['JSON that is cut off', `${good}{"doi":"10.5072/2"\n`],
    ['a DOI that is no text', `${good}{"doi":["10.5072/2"]}\n`],
    ['a DOI as an object', `${good}{"doi":{"toString":"10.5072/2"}}\n`],
    ['a prototype', `${good}{"__proto__":{"doi":"10.5072/2"}}\n`],
    ['a result without a DOI', `${good}{"outcome":"created","doi":null}\n`],
    ['a document without a DOI', `${good}{"data":{"type":"dois","attributes":{}}}\n`],
    ['bytes that are no UTF-8', Buffer.from([...Buffer.from(good), 0xff, 0xfe, 0x0a])],
    ['a NUL', `${good}10.5072/2\0\n`],
    ['two DOIs in a line', `${good}10.5072/2 10.5072/3\n`],
    ['an id and another DOI', `${good}{"id":"10.5072/2","attributes":{"doi":"10.5072/3"}}\n`],
    ['the head of a table', `doi,title\n10.5072/2,x\n`],
  ])('because of %s is refused before any request', async (_, text) => {
    const emulator = await emulate({ records: 0 });
    const path = file('');
    writeFileSync(path, text);
    for (const verb of ['publish', 'delete']) {
      const { code, stdout, stderr } = await emulator.run(['dois', verb, '--file', path, '--yes']);
      expect([code, stdout, stderr]).toEqual([
        2,
        '',
        expect.stringMatching(/^error: .*:[12]\b.*\nhint: .+\n$/),
      ]);
    }
    expect(await emulator.log()).toEqual([]);
  });

  it('keeps the number of its lines on stdin, whatever is between them', async () => {
    const { emulator } = await stocked(3);
    const stdin = `\n${doi(1)}\n\n\n{"id":"${doi(2)}","attributes":{}}\n\n${doi(3)}`;
    const { code, stdout, stderr } = await emulator.run(['dois', 'publish', '--file', '-'], {
      stdin,
    });
    expect(code, stderr).toBe(0);
    expect(results(stdout).map(({ line, doi }) => [line, doi])).toEqual([
      [2, doi(1)],
      [5, doi(2)],
      [7, doi(3)],
    ]);
  });
});

describe('updates that are none', () => {
  const good = '{"doi":"10.5072/1","version":"2"}\n';
  const other = '{"id":"10.5072/2","type":"dois","attributes":{"doi":"10.5072/3","version":"2"}}\n';
  it.each<[string, string, RegExp]>([
    [
      'a result of a run',
      `${good}{"line":1,"doi":"10.5072/2","outcome":"created","errors":[]}\n`,
      /:2: is the result/,
    ],
    ['a DOI', '10.5072/1\n', /:1: is a DOI, not a record: publish, .* and update --set take DOIs/],
    ['DOIs', 'https://doi.org/10.5072/1\n10.5072/2\n', /:1: is a DOI, not a record/],
    [
      'an id and another DOI',
      `${good}${other}`,
      /:2: its id is 10.5072\/2, and its doi 10.5072\/3\nhint: /,
    ],
    ['an id and another DOI alone', other, /its id is 10.5072\/2, and its doi 10.5072\/3\nhint: /],
  ])('because of %s are refused before any request', async (_, text, message) => {
    const emulator = await emulate({ records: 0 });
    for (const command of [['update'], ['update', '--dry-run']]) {
      const path = file(text);
      const { code, stdout, stderr } = await emulator.run(['dois', ...command, '--file', path]);
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(message)]);
    }
    expect(await emulator.log()).toEqual([]);
  });

  it.each([other, `${good}${other}`])(
    'and have two DOIs are refused as new records, too',
    async (text) => {
      const emulator = await emulate({ records: 0 });
      const path = file(text);
      const message = /its id is 10.5072\/2, and its doi 10.5072\/3/;
      for (const argv of [['create'], ['create', '--dry-run'], ['validate']]) {
        const { code, stdout, stderr } = await emulator.run(['dois', ...argv, '--file', path]);
        expect([argv, code, stdout + stderr]).toEqual([argv, 2, expect.stringMatching(message)]);
      }
      expect((await emulator.log()).filter(({ method }) => method !== 'GET')).toEqual([]);
    },
  );
});
