import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Doi } from '../../src/api/dois.ts';
import { matchesRequest } from '../../src/api/record-match.ts';
import { CliError } from '../../src/errors.ts';
import {
  type CreatePort,
  createRecord,
  generatedDoi,
  InDoubt,
  suffixOf,
} from '../../src/writing/create-record.ts';
import type { ReservedDoi } from '../../src/writing/ledger/entry.ts';
import { runs } from '../helpers/runs.ts';

const NOW = Date.parse('2026-05-01T00:00:00Z');
const SENT = { titles: [{ title: 'ours' }] };

type Answer = 'done' | 'done, lost' | 'lost' | 'invalid' | 'throttled' | '429' | 'killed';
type Look = 'seen' | 'unseen' | 'lost' | 'killed';

const unavailable = () => new CliError('unavailable', 'no answer');
const refused = (path: string, message: string) =>
  new CliError('rejected', message, { status: 422, problems: [{ path, message }] });

/** A service in memory that gives these answers in turn, and succeeds after the last. */
function world(
  answers: readonly Answer[],
  looks: readonly Look[] = [],
  others: ReadonlyMap<string, object> = new Map(),
) {
  const records = new Map<string, Record<string, unknown>>(
    [...others].map(([doi, attributes]) => [doi, { ...attributes }]),
  );
  const ours = (attributes: object) => ({ ...attributes, created: new Date(NOW).toISOString() });
  const [answer, look] = [[...answers], [...looks]];
  const posts: string[] = [];
  const reserved: ReservedDoi[] = [];
  const record = (doi: string): Doi => ({
    id: doi,
    client: undefined,
    attributes: records.get(doi) ?? {},
    text: '',
  });
  const port: CreatePort = {
    now: () => NOW,
    begun: NOW,
    generate: (attempt) => `10.5072/made-${attempt}`,
    async create(doi) {
      expect(reserved.map((entry) => entry.doi)).toContain(doi);
      posts.push(doi);
      const next = answer.shift() ?? 'done';
      if (next === 'throttled') throw new CliError('throttled', 'too many');
      if (next === '429') throw new CliError('throttled', 'too many', { status: 429 });
      if (next === 'lost') throw unavailable();
      if (next === 'invalid') throw refused('url', 'is wrong');
      if (records.has(doi)) throw refused('doi', 'This DOI has already been taken');
      records.set(doi, ours(SENT));
      if (next === 'killed') throw new Error('killed');
      if (next === 'done, lost') throw unavailable();
      return record(doi);
    },
    async find(doi) {
      const next = look.shift() ?? 'seen';
      if (next === 'killed') throw new Error('killed');
      if (next === 'lost') throw unavailable();
      return next === 'seen' && records.has(doi) ? record(doi) : undefined;
    },
    matches: (stored) => matchesRequest(stored, SENT, { exact: false }),
    reserve: async (entry) => void reserved.push(entry),
    pause: async () => undefined,
  };
  return { port, records, posts, reserved };
}

const task = (change: object = {}) => ({
  doi: '10.5072/given' as string | undefined,
  reserved: undefined,
  doubtful: false,
  retries: 3,
  ...change,
});
const made = task({ doi: undefined });

describe('a record is created once', () => {
  it.each<[string, Answer[], Look[], number]>([
    ['when all is well', [], [], 1],
    ['when the answer is lost behind it', ['done, lost'], [], 1],
    ['when the answer is lost before it', ['lost'], [], 2],
    ['when it is throttled', ['throttled', 'throttled'], [], 3],
    ['when it cannot be seen at first', ['done, lost'], ['unseen', 'seen'], 2],
    [
      'when it cannot be seen for longer',
      ['done, lost'],
      ['unseen', 'unseen', 'unseen', 'seen'],
      2,
    ],
    ['when every other answer is lost', ['lost', 'done, lost'], [], 2],
  ])('%s', async (_, answers, looks, count) => {
    for (const one of [task(), made]) {
      const { port, records, posts } = world(answers, looks);
      const { id } = await createRecord(port, one);
      expect([...records.keys()]).toEqual([id]);
      expect(posts).toEqual(Array.from({ length: count }, () => id));
    }
  });

  it('whatever is lost, and wherever a process is killed', async () => {
    const answers = fc.array(
      fc.constantFrom<Answer>('done', 'done, lost', 'lost', 'throttled', 'killed'),
      {
        maxLength: 8,
      },
    );
    const looks = fc.array(fc.constantFrom<Look>('seen', 'lost', 'killed'), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(answers, looks, fc.boolean(), async (answers, looks, given) => {
        const { port, records, reserved } = world(answers, looks);
        let done: Doi | undefined;
        for (let runs = 0; done === undefined; runs += 1) {
          expect(runs).toBeLessThan(20);
          const last = reserved.at(-1);
          // The next process finds this in the ledger.
          const next = task({
            doi: given ? '10.5072/given' : undefined,
            reserved: last,
            doubtful: !!last,
          });
          done = await createRecord(port, next).catch((error: unknown) => {
            expect((error as Error).message).toMatch(/^(no answer|too many|killed)$/);
            return undefined;
          });
        }
        expect([...records.keys()]).toEqual([done.id]);
        expect(new Set(reserved.map(({ doi }) => doi)).size).toBe(1);
      }),
      { numRuns: runs(150) },
    );
  });
});

describe('a DOI that is taken', () => {
  const theirs = new Map([
    ['10.5072/given', { titles: [{ title: 'theirs' }], created: '2020-01-01' }],
  ]);
  const taken = {
    kind: 'rejected',
    problems: [{ path: 'doi', message: 'This DOI has already been taken' }],
  };

  it.each<[string, Answer[]]>([
    ['at once', []],
    ['when an answer was lost', ['lost']],
  ])('is somebody else’s where it was given: %s', async (_, answers) => {
    const { port, records } = world(answers, [], theirs);
    await expect(createRecord(port, task())).rejects.toMatchObject(taken);
    expect(records.get('10.5072/given')).toMatchObject({ titles: [{ title: 'theirs' }] });
  });
  it('is somebody else’s where an older record looks the same', async () => {
    const older = new Map([['10.5072/given', { ...SENT, created: '2020-01-01' }]]);
    await expect(createRecord(world(['lost'], [], older).port, task())).rejects.toMatchObject(
      taken,
    );
  });
  it('belongs to an account that hides it, when it can never be read', async () => {
    const { port } = world(
      ['lost'],
      Array.from({ length: 9 }, () => 'unseen' as const),
      theirs,
    );
    await expect(createRecord(port, task())).rejects.toMatchObject(taken);
  });
  it('by an equal record is not mistaken for a lost answer', async () => {
    const { port } = world([], [], new Map([['10.5072/given', SENT]]));
    await expect(createRecord(port, task())).rejects.toMatchObject(taken);
  });
  it('is replaced when it was generated', async () => {
    const before = { doi: '10.5072/given', generated: true, at: new Date(NOW).toISOString() };
    for (const doubtful of [true, false]) {
      const { port, records, posts } = world([], [], theirs);
      const { id } = await createRecord(port, task({ doi: undefined, reserved: before, doubtful }));
      expect(id).not.toBe('10.5072/given');
      expect(posts.at(-1)).toBe(id);
      expect(records.size).toBe(2);
    }
  });
  it('and was generated is ours although the service changed the values', async () => {
    const before = { doi: '10.5072/given', generated: true, at: new Date(NOW).toISOString() };
    const changed = { titles: [{ title: 'OURS?' }], created: '2026-05-01T00:00:03Z' };
    const { port, posts } = world([], [], new Map([['10.5072/given', changed]]));
    const { id } = await createRecord(
      port,
      task({ doi: undefined, reserved: before, doubtful: true }),
    );
    expect([id, posts]).toEqual(['10.5072/given', []]);
  });
});

describe('a record that an earlier run may have created', () => {
  const CHOSEN = { doi: '10.5072/given', generated: false, at: new Date(NOW).toISOString() };
  const GENERATED = { ...CHOSEN, generated: true };
  const minutes = (count: number) => new Date(NOW + count * 60_000).toISOString();
  const other = { titles: [{ title: 'other' }] };
  // A DOI that a user chose may have been created by others at the same time.
  it.each([
    ['has the sent values', CHOSEN, SENT, 0, true],
    ['has the sent values, by a slow clock', CHOSEN, SENT, -9, true],
    ['has the sent values, but was there before', CHOSEN, SENT, -11, false],
    ['has other values, under a DOI that was chosen', CHOSEN, other, 1, false],
    ['lacks a value, under a DOI that was chosen', CHOSEN, {}, 1, false],
    ['has other values, under a DOI that was generated', GENERATED, other, 1, true],
    ['has other values, by a slow clock', GENERATED, other, -9, true],
    ['has other values, and was there before', GENERATED, other, -11, false],
  ])('%s', async (_, reserved, attributes, age, isOurs) => {
    const stored = new Map([['10.5072/given', { ...attributes, created: minutes(age) }]]);
    const { port, posts, records } = world([], [], stored);
    const { generated } = reserved;
    const again = task({ ...(generated ? { doi: undefined } : {}), reserved, doubtful: true });
    const result = createRecord(port, again).then(
      ({ id }) => id,
      ({ status }: CliError) => status,
    );
    const others = generated ? '10.5072/made-2' : 422;
    expect(await result).toBe(isOurs ? '10.5072/given' : others);
    expect(posts).toEqual(isOurs || !generated ? [] : ['10.5072/made-2']);
    expect(records.get('10.5072/given')).toMatchObject(attributes);
  });
});

describe('a record that appears after the run gave it up', () => {
  it('is found again under the DOI that was generated for it', async () => {
    const before = { doi: '10.5072/given', generated: true, at: new Date(NOW).toISOString() };
    const ours = { ...SENT, created: '2026-05-01T00:00:20Z' };
    const { port, records } = world([], [], new Map([['10.5072/given', ours]]));
    const { id } = await createRecord(port, task({ doi: undefined, reserved: before }));
    expect([id, records.size]).toEqual(['10.5072/given', 1]);
  });
});

describe('a record that is refused', () => {
  it('fails with the message of the service, and is not sent again', async () => {
    for (const one of [task(), made]) {
      const { port, posts } = world(['invalid']);
      await expect(createRecord(port, one)).rejects.toMatchObject({
        status: 422,
        message: 'is wrong',
      });
      expect(posts).toHaveLength(1);
    }
  });
  it('also fails after a lost answer', async () => {
    const { port, posts } = world(['lost', 'invalid']);
    await expect(createRecord(port, made)).rejects.toMatchObject({
      status: 422,
      message: 'is wrong',
    });
    expect(posts).toHaveLength(2);
  });
  it('is in doubt when the service no longer answers', async () => {
    const never = world(Array.from({ length: 9 }, () => 'lost' as const));
    await expect(createRecord(never.port, task())).rejects.toBeInstanceOf(InDoubt);
    expect(never.posts).toHaveLength(4);
    const unread = world(['lost'], ['lost']);
    await expect(createRecord(unread.port, task())).rejects.toBeInstanceOf(InDoubt);
    const throttled = world(Array.from({ length: 9 }, () => 'throttled' as const));
    await expect(createRecord(throttled.port, task())).rejects.toMatchObject({ kind: 'throttled' });
  });
  it.each<[string, Answer[]]>([
    ['a 429', ['done, lost', '429']],
    ['throttled attempts', ['done, lost', 'throttled', 'throttled', 'throttled']],
  ])('stays in doubt when %s follow a lost answer', async (_, answers) => {
    const { port, records, reserved } = world(answers, Array(4).fill('unseen'));
    await expect(createRecord(port, made)).rejects.toBeInstanceOf(InDoubt);
    // The next run looks for the record first, and creates no second one.
    const [last] = reserved;
    const { id } = await createRecord(port, { ...made, reserved: last, doubtful: true });
    expect([...records.keys()]).toEqual([id]);
  });
});

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

describe('a suffix', () => {
  it('is a number in base 32 with its checksum modulo 97', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 50n - 1n }), (number) => {
        const suffix = suffixOf(number);
        expect(suffix).toMatch(
          /^[0-9a-hjkmnp-tv-z]{4}-[0-9a-hjkmnp-tv-z]{4}-[0-9a-hjkmnp-tv-z]{2}\d\d$/,
        );
        const text = suffix.replaceAll('-', '');
        const value = [...text.slice(0, -2)].reduce(
          (sum, c) => sum * 32n + BigInt(ALPHABET.indexOf(c)),
          0n,
        );
        expect(value).toBe(number);
        // ISO 7064: the number with its check digits leaves 1.
        expect((value * 100n + BigInt(text.slice(-2))) % 97n).toBe(1n);
      }),
    );
  });
  it('is another one for each source, and the same for the same', () => {
    const make = (line: number) => generatedDoi('10.5072', 'seed', line, '00000000000000ff', 1);
    const made = Array.from({ length: 1000 }, (_, line) => make(line));
    expect(new Set(made).size).toBe(1000);
    for (const doi of made) expect(doi).toMatch(/^10\.5072\/.{4}-.{4}-.{4}$/);
    expect(made[7]).toBe(make(7));
  });
});
