import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { latest, ledgerIn, linesIn, newDirectory, partsIn } from '../harvest/copy-on-disk.ts';
import { lacks } from '../helpers/platform.ts';
import { run } from '../helpers/run.ts';
import { temporaryDirectory } from '../helpers/temporary.ts';
import { type HostileRecord, hostileService, type Lie } from './service.ts';

// Pages of 20.
const FLAGS = ['--page-size', '20', '--jobs', '1', '--rate', '100000/s', '--retries', '1'];

/** A harvest of windows of 100 records: planned, because one job alone would make one window. */
async function harvest(env: Record<string, string>, dir: string, ...more: string[]) {
  const argv = ['dois', 'harvest', '--dir', dir, ...FLAGS, ...more];
  if (!existsSync(join(dir, '_harvest'))) await run([...argv, '--plan'], { env });
  return run(argv, { env });
}

/** Changes the records of each page of a window that begins after the first records. */
function lateWindows(change: (data: HostileRecord[]) => void): Lie {
  return ({ body }, { params, page }) => {
    if (page === 0 || !/created:\[2020/.test(params.get('query') ?? '')) return undefined;
    change(body.data);
    return undefined;
  };
}

/** The record `back` records earlier: DOI and time of creation. */
function earlier(record: HostileRecord, back: number): void {
  const index = Number(record.id.slice(-4)) - 1 - back;
  const created = new Date(Date.UTC(2020, 0, 1, 0, index)).toISOString().replace('.000Z', 'Z');
  record.id = `10.5072/r${String(index + 1).padStart(4, '0')}`;
  record.attributes['created'] = created;
}

const WINDOW = 100;
const BETWEEN = /window \d+ holds \d+ records that were not created in it, such as 10\.5072\/\S+/i;
const WITHOUT_CREATED = ['--fields', 'doi,state'];

interface Row {
  readonly what: string;
  readonly lie: Lie;
  readonly reason: RegExp;
}

/** Records of early windows, as many as counted. */
const EARLY = lateWindows((data) => {
  for (const record of data) earlier(record, WINDOW);
});

const LIES: readonly Row[] = [
  {
    what: 'records of early windows, as many as counted',
    lie: EARLY,
    reason: BETWEEN,
  },
  {
    what: 'one foreign record in each window',
    lie: lateWindows((data) => {
      const [record] = data;
      if (record !== undefined) record.attributes['created'] = '2019-05-01T00:00:00Z';
    }),
    reason: BETWEEN,
  },
  {
    what: 'a record twice, in two spellings',
    lie: ({ body: { data } }, { page }) => {
      if (page > 0 && data[1] !== undefined) data[1].id = String(data[0]?.id).toUpperCase();
      return undefined;
    },
    // The walk leaves the repeat out.
    reason: /window \d+ holds \d+ records, and the service counts \d+/,
  },
  {
    what: 'a record twice, once as a URL',
    lie: ({ body: { data } }, { page }) => {
      if (page > 0 && data[1] !== undefined) data[1].id = `https://doi.org/${data[0]?.id}`;
      return undefined;
    },
    reason: /window \d+ holds \d+ records twice/,
  },
];

describe('a copy is not complete', () => {
  it.each(LIES)(
    'with $what; it is with the next run of an honest service',
    async ({ lie, reason }) => {
      let honest = false;
      const untilHonest: Lie = (reply, asked) => (honest ? undefined : lie(reply, asked));
      const { env } = await hostileService(untilHonest, { total: 500 });
      const dir = newDirectory();
      const struck = await harvest(env, dir);
      expect(struck.stderr).toMatch(reason);
      expect(struck.stderr).toMatch(/^error: .*incomplete/m);
      expect(struck.code).toBe(3);
      expect(ledgerIn(dir).generations[0]?.windows.length).toBeGreaterThan(3);
      const status = await run(['dois', 'harvest', 'status', '--dir', dir]);
      expect([status.code, status.stdout]).toEqual([3, expect.stringMatching(reason)]);
      honest = true;
      expect(await harvest(env, dir)).toMatchObject({ code: 0 });
    },
  );

  it('though a page of another window comes in once: it is asked for again at once', async () => {
    const once: Lie = (reply, asked) => (asked.page < 9 ? EARLY(reply, asked) : undefined);
    const { env } = await hostileService(once, { total: 500 });
    const dir = newDirectory();
    const { code, stderr } = await harvest(env, dir);
    expect(stderr).toMatch(/records that were not created in it, .*; fetching that window again/);
    expect([code, new Set(linesIn(dir)).size]).toEqual([0, 500]);
  });

  it.each([
    ['one has changed', 1, 0],
    ['none has changed', 0, 3],
    ['the service does not understand times of update', 101, 3],
  ])(
    'where the service counts one more behind the cursor, unless it changed meanwhile (%s)',
    async (_, changed, exit) => {
      let isMore = false;
      const more: Lie = ({ body }, { params, page }) => {
        isMore ||= page >= 3;
        const asksForChanges = /updated:\[/.test(params.get('query') ?? '');
        if (isMore) body.meta['total'] = asksForChanges ? changed : 101;
        return undefined;
      };
      const { env } = await hostileService(more, { total: 100 });
      const argv = ['dois', 'harvest', '--dir', newDirectory(), ...FLAGS];
      const { code, stderr } = await run(argv, { env });
      expect(code, stderr).toBe(exit);
      expect(stderr.includes('window 0 holds 100 records, and the service counts 101')).toBe(
        exit === 3,
      );
    },
  );

  it('and takes records without times of creation where the fields leave them out', async () => {
    const strip: Lie = ({ body }) => {
      for (const { attributes } of body.data) delete attributes['created'];
      return undefined;
    };
    const { env } = await hostileService(strip, { total: 500 });
    expect(await harvest(env, newDirectory(), ...WITHOUT_CREATED)).toMatchObject({ code: 0 });
  });
});

describe('what a copy is made of', () => {
  it('is not compacted while records are missing, though every window is done', async () => {
    const { env } = await hostileService(() => undefined, { total: 500 });
    const dir = newDirectory();
    for (const _ of ['full', 'update']) expect(await harvest(env, dir)).toMatchObject({ code: 0 });
    const data = ledgerIn(dir);
    data.generations[0]?.windows.splice(1, 1);
    writeFileSync(join(dir, '_harvest', 'ledger.json'), JSON.stringify(data));
    for (const command of ['status', 'compact']) {
      expect(await run(['dois', 'harvest', command, '--dir', dir])).toMatchObject({
        code: 3,
        stderr: /is not complete/,
      });
    }
  });

  it('may be a record of more values than are read at once, which an error names', async () => {
    const subjects = Array.from({ length: 150_000 }, () => ({ subject: 'x', lang: 'en' }));
    const lie: Lie = ({ body }) => {
      for (const { id, attributes } of body.data)
        if (id.endsWith('0001')) Object.assign(attributes, { subjects });
      return undefined;
    };
    const { env } = await hostileService(lie, { total: 30 });
    const [dir, out] = [newDirectory(), join(temporaryDirectory(), 'tables')];
    expect(await harvest(env, dir)).toMatchObject({ code: 0 });
    expect(linesIn(dir)).toHaveLength(30);
    for (const argv of [
      ['dois', 'stats', '--dir', dir],
      ['dois', 'harvest', 'export', '--dir', dir, '--out', out],
      ['dois', 'list', '--all', '--format', 'csv'],
    ]) {
      expect(await run(argv, { env })).toMatchObject({
        code: 1,
        stderr: /10\.5072\/r0001 has more than 1,000,000 values\nhint: /,
      });
    }
  });

  it('is compared and compacted without regard to the spelling of a DOI', async () => {
    let spell = (id: string) => id;
    const lie: Lie = ({ body }) => {
      for (const record of body.data) record.id = spell(record.id);
      return undefined;
    };
    const { env } = await hostileService(lie, { total: 100 });
    const dir = newDirectory();
    expect(await harvest(env, dir)).toMatchObject({ code: 0 });
    const codeOf = async (verb: string) =>
      (await run(['dois', 'harvest', verb, '--dir', dir], { env })).code;
    for (const next of [
      (id: string) => id.toUpperCase(),
      (id: string) => `https://doi.org/${id}`,
    ]) {
      spell = next;
      expect([(await harvest(env, dir)).code, await codeOf('verify')]).toEqual([0, 0]);
    }
    expect(await codeOf('compact')).toBe(0);
    expect(linesIn(dir)).toHaveLength(100);
    expect(await codeOf('verify')).toBe(0);
  });
});

/** Changes bytes in the middle of a file. */
function overwrite(path: string, change: (bytes: Buffer, middle: number) => void): void {
  const bytes = readFileSync(path);
  change(bytes, Math.floor(bytes.length / 2));
  writeFileSync(path, bytes);
}

// What a size tells, and what only reading tells.
const DAMAGES: readonly (readonly [
  what: string,
  damage: (path: string) => void,
  seen: 'size' | 'content',
])[] = [
  ['is deleted', (path) => rmSync(path), 'size'],
  ['is cut in half', (path) => truncateSync(path, readFileSync(path).length >> 1), 'size'],
  ['has grown', (path) => writeFileSync(path, '{}\n', { flag: 'a' }), 'size'],
  [
    'has another byte',
    (path) =>
      overwrite(path, (bytes, middle) => {
        bytes[middle] = (bytes[middle] ?? 0) ^ 1;
      }),
    'content',
  ],
  [
    'has 4 KB of zeros, or zeros to its end',
    (path) =>
      overwrite(path, (bytes, middle) =>
        bytes.fill(0, middle, Math.min(middle + 4096, bytes.length)),
      ),
    'content',
  ],
];

// A size does not depend on the format.
describe.each([
  ['plain', [], DAMAGES],
  ['gzip', ['--gzip'], DAMAGES.filter(([, , seen]) => seen === 'content')],
] as const)('a file of a complete copy (%s)', (_, gzip, damages) => {
  it.each(damages)('that %s is named, and fetched again alone', async (_, damage, seen) => {
    const { env, asked } = await hostileService(() => undefined, { total: 500 });
    const dir = newDirectory();
    expect(await harvest(env, dir, ...gzip)).toMatchObject({ code: 0 });
    const before = linesIn(dir);
    // Two generations: damage is not only looked for in the latest one.
    expect(await harvest(env, dir)).toMatchObject({ code: 0 });
    const [, name = ''] = partsIn(dir);
    damage(join(dir, 'data', name));

    const check = seen === 'content' ? ['--check'] : [];
    const named = { code: 3, stderr: new RegExp(`1 damaged file: ${name}`) };
    const status = (...more: string[]) => run(['dois', 'harvest', 'status', '--dir', dir, ...more]);
    const json = await status('--format', 'json', ...check);
    expect(json).toMatchObject({ code: 3, stderr: expect.stringContaining(name) });
    expect(JSON.parse(json.stdout)).toMatchObject({
      verdict: 'incomplete',
      receipts: [{ verdict: 'incomplete' }, { verdict: 'complete' }],
    });
    expect(await status(...check)).toMatchObject(named);
    // What reads all records finds it anyway, before the ledger knows a file made of them.
    const found = {
      code: 3,
      stderr: expect.stringMatching(`${name}.*\nhint: run the same harvest again`),
    };
    expect(await run(['dois', 'harvest', 'verify', '--dir', dir], { env })).toMatchObject(found);
    expect(await run(['dois', 'harvest', 'compact', '--dir', dir])).toMatchObject(found);

    const asksBefore = asked.length;
    const again = await harvest(env, dir, ...check);
    expect(again).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(`1 damaged file: ${name}`),
    });
    const pages = asked.slice(asksBefore).filter(({ url }) => !url.includes('page%5Bsize%5D=0'));
    expect(pages.length).toBeLessThanOrEqual(6);
    expect(latest(dir)).toEqual(before);
    expect(await status('--check')).toMatchObject({ code: 0 });
  });
});

const REPLACEMENTS: readonly (readonly [what: string, put: (path: string) => unknown])[] = [
  ['a FIFO', (path) => execFileSync('mkfifo', [path])],
  ['a link to /dev/zero', (path) => symlinkSync('/dev/zero', path)],
  ['a folder', (path) => mkdirSync(path)],
];
const PLACES = ['ledger.json', 'lock', 'plan.json'] as const;
const VERBS = [[], ['status'], ['verify'], ['compact']];

const WRONG_PLACES: readonly (readonly [what: string, place: (file: string) => string])[] = [
  ['a file', (at) => at],
  ['a place below a file', (at) => join(at, 'x', 'y')],
  ['a device', () => '/dev/null'],
  ['a place below a device', () => '/dev/null/x'],
  ['a place below /proc', () => '/proc/self/x'],
  ['a deep place below /proc', () => '/proc/self/x/y'],
  ['a link that leads nowhere', (at) => `${at}-link`],
  ['a name that is too long', (at) => `${at}-${'x'.repeat(300)}`],
];

describe.skipIf(lacks('posixShell', 'devices'))('something else than a file', () => {
  it.each(
    REPLACEMENTS.flatMap(([what, put]) => PLACES.map((place) => [what, place, put] as const)),
  )('(%s) as %s is refused, and blocks nothing', async (_, place, put) => {
    const { env } = await hostileService(() => undefined, { total: 100 });
    const dir = newDirectory();
    if (place !== 'plan.json') expect(await harvest(env, dir)).toMatchObject({ code: 0 });
    const path = join(dir, '_harvest', place);
    mkdirSync(join(dir, '_harvest'), { recursive: true });
    rmSync(path, { force: true });
    put(path);
    // Only what changes the directory takes its lock; without a ledger, only a harvest and status
    // read a plan.
    const verbs = VERBS.filter(
      ([verb = 'harvest']) => place !== 'lock' || ['harvest', 'compact'].includes(verb),
    );
    for (const verb of verbs) {
      const flags = verb.length === 0 ? FLAGS : [];
      const argv = ['dois', 'harvest', ...verb, '--dir', dir, ...flags];
      const { code, stderr } = await run(argv, { env });
      expect(stderr).toMatch(/^error: .*(not a regular file|not a lock file|there is no harvest)/);
      expect(code).toBe(2);
    }
  });

  it.each(REPLACEMENTS.slice(0, 2))('(%s) as a part file is replaced', async (_, put) => {
    const { env } = await hostileService(() => undefined, { total: 500 });
    const dir = newDirectory();
    expect(await harvest(env, dir)).toMatchObject({ code: 0 });
    const before = linesIn(dir);
    const path = join(dir, 'data', partsIn(dir)[1] ?? '');
    rmSync(path);
    put(path);
    for (const verb of ['status', 'verify', 'compact']) {
      const { code, stderr } = await run(['dois', 'harvest', verb, '--dir', dir], { env });
      expect([code, stderr]).toEqual([3, expect.stringContaining('w00001.ndjson is not a file')]);
    }
    expect(await harvest(env, dir)).toMatchObject({ code: 0 });
    expect(linesIn(dir)).toEqual(before);
  });

  it.each(
    WRONG_PLACES.filter(([, place]) => existsSync('/proc') || !place('').startsWith('/proc')),
  )('(%s) as --dir is refused, before any request', async (_, place) => {
    const { env, asked } = await hostileService(() => undefined);
    const at = join(temporaryDirectory(), 'file');
    writeFileSync(at, '');
    symlinkSync(join(at, '..', 'nowhere'), `${at}-link`);
    const { code, stderr } = await harvest(env, place(at));
    expect(stderr).toMatch(
      /^error: .*(is not a directory|no directory can be made at)[^\n]*\nhint: /,
    );
    expect([code, asked]).toEqual([2, []]);
    expect(existsSync(join(at, '..', 'nowhere'))).toBe(false);
    for (const verb of ['status', 'verify', 'compact']) {
      const other = await run(['dois', 'harvest', verb, '--dir', place(at)], { env });
      expect(other.code).toBe(2);
      expect(other.stderr).not.toMatch(/ENO|EEX/);
    }
  });

  it.each(['data', '_harvest'])('(a file) as the folder %s is refused', async (name) => {
    const { env } = await hostileService(() => undefined);
    const dir = temporaryDirectory();
    writeFileSync(join(dir, name), '');
    const { code, stderr } = await harvest(env, dir);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${name} is not a directory`)]);
  });
});

describe("a clock that differs from the service's", () => {
  const DAYS_MS = 2 * 86_400_000;

  it.each([
    ['ahead', DAYS_MS, undefined, 0],
    ['behind', -DAYS_MS, undefined, -DAYS_MS],
    ['ahead of a service that tells no time', DAYS_MS, 'never', DAYS_MS],
  ])(
    '(%s) loses no updates where the service tells its time',
    async (what, offset, date, expected) => {
      const { env, asked } = await hostileService(
        ({ headers }) => {
          if (date !== undefined) headers['date'] = date;
          return undefined;
        },
        { total: 100 },
      );
      const dir = newDirectory();
      const argv = ['dois', 'harvest', '--dir', dir, ...FLAGS, '--overlap', '0s'];
      const now = () => Date.now() + offset;
      const before = Date.now();
      const first = await run(argv, { env, now });
      expect(first.code).toBe(0);
      expect(first.stderr.includes("is 48.0 h ahead of the service's")).toBe(what === 'ahead');
      const started = Date.parse(ledgerIn(dir).generations[0]?.startedAt ?? '') - expected;
      // The service's time has whole seconds.
      expect(started).toBeGreaterThanOrEqual(before - 1000);
      expect(started).toBeLessThanOrEqual(Date.now());
      expect(await run(argv, { env, now })).toMatchObject({ code: 0 });
      const [, since = ''] =
        asked
          .map(({ url }) => /updated:\[(\S+) TO/.exec(new URLSearchParams(url).get('query') ?? ''))
          .findLast((found) => found !== null) ?? [];
      expect(Date.parse(since) - expected).toBeLessThanOrEqual(Date.now());
    },
  );
});

describe('a copy that a clock ahead has made', () => {
  it('is said to lack changes perhaps', async () => {
    const { env } = await hostileService(() => undefined, { total: 100 });
    const dir = newDirectory();
    expect(await harvest(env, dir)).toMatchObject({ code: 0 });
    const path = join(dir, '_harvest', 'ledger.json');
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(/"startedAt":"\d{4}/, '"startedAt":"2999'),
    );
    const { stderr } = await harvest(env, dir);
    expect(stderr).toMatch(
      /^warning: the clock was ahead when this copy was made: it may lack changes before 2999-/m,
    );
  });
});
