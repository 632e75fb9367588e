import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Ledger } from '../../../src/harvest/store/ledger.ts';
import { ledgerProblem } from '../../../src/harvest/store/ledger-check.ts';
import { fingerprintOf, type LedgerData } from '../../../src/harvest/store/ledger-data.ts';
import { runs } from '../../helpers/runs.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';
import { ledgerData, ledgerWindow } from './samples.ts';

const full = (): LedgerData => {
  const data = ledgerData(
    ledgerWindow({
      to: -5,
      count: 3,
      cursor: 'abc',
      restart: 50,
      bytes: 10,
      records: 2,
      done: true,
    }),
    ledgerWindow({
      index: 1,
      from: -5,
      sha256: 'a'.repeat(64),
      unique: 1,
      gaps: [
        {
          after: null,
          cursor: 'x',
          doi: '10.5072/x',
          records: 1,
          reason: 'the service answered 500',
        },
      ],
    }),
  );
  const [generation] = data.generations;
  if (generation)
    Object.assign(generation, {
      finishedAt: generation.startedAt,
      since: generation.startedAt,
      totalAtEnd: 3,
    });
  return { ...data, shard: { index: 1, of: 4 }, query: { ...data.query, account: 'DEMO.REPO' } };
};

describe('Ledger', () => {
  it('is not there before it is created', async () => {
    expect(await Ledger.open(join(temporaryDirectory(), 'ledger.json'))).toBeUndefined();
  });

  it('gives back what was saved, and leaves nothing else', async () => {
    const dir = temporaryDirectory();
    const path = join(dir, 'ledger.json');
    const ledger = await Ledger.create(path, full());
    const window = ledger.data.generations[0]?.windows[0];
    if (window) window.records = 7;
    await ledger.save();
    expect((await Ledger.open(path))?.data).toEqual(ledger.data);
    expect(readdirSync(dir)).toEqual(['ledger.json']);
  });

  it('makes one write of many calls, and never tells of an older state', async () => {
    const path = join(temporaryDirectory(), 'ledger.json');
    const data = ledgerData(ledgerWindow());
    const ledger = await Ledger.create(path, data);
    const [window] = data.generations[0]?.windows ?? [];
    if (!window) throw new Error('no window');
    const promises = new Set<Promise<void>>();
    const saves: Promise<void>[] = [];
    for (let records = 1; records <= 200; records += 1) {
      window.records = records;
      const promise = ledger.save();
      promises.add(promise);
      saves.push(
        promise.then(() => {
          const saved = JSON.parse(readFileSync(path, 'utf8')) as LedgerData;
          expect(saved.generations[0]?.windows[0]?.records).toBeGreaterThanOrEqual(records);
        }),
      );
      if (records % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await Promise.all(saves);
    expect(promises.size).toBeLessThan(100);
  });

  it('reports a failed write to those who asked for it, and works again after', async () => {
    const dir = join(temporaryDirectory(), 'sub');
    const path = join(dir, 'ledger.json');
    await expect(Ledger.create(path, full())).rejects.toMatchObject({
      kind: 'output',
      message: /no such file or directory/,
    });
    mkdirSync(dir);
    const ledger = await Ledger.create(path, full());
    renameSync(dir, `${dir}2`);
    await expect(ledger.save()).rejects.toMatchObject({ kind: 'output' });
    renameSync(`${dir}2`, dir);
    await ledger.save();
    expect((await Ledger.open(path))?.data).toEqual(full());
  });

  it.each([
    ['', /not valid JSON/],
    ['{"version":1', /not valid JSON/],
    ['null', /not an object/],
    ['[]', /not an object/],
    ['{}', /ledger.version is missing/],
    ['{"version":"1"}', /ledger.fingerprint is missing/],
    ['{"version":2}', /another version of this program \(format 2\)/],
  ])('refuses %j', async (text, message) => {
    const path = join(temporaryDirectory(), 'ledger.json');
    writeFileSync(path, text);
    await expect(Ledger.open(path)).rejects.toMatchObject({
      kind: 'usage',
      message: message,
      hint: /--fresh/,
    });
    await expect(Ledger.open(path)).rejects.toThrow(path);
  });
});

describe('the check of a ledger', () => {
  /** The paths of all values in a JSON value. */
  function* places(value: unknown, way: (string | number)[] = []): Generator<(string | number)[]> {
    if (way.length > 0) yield way;
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      yield* places(member, [...way, Array.isArray(value) ? Number(name) : name]);
    }
  }

  it('lets a ledger pass', () => {
    expect(ledgerProblem(full())).toBeUndefined();
    expect(ledgerProblem({ ...full(), later: true })).toBeUndefined();
  });

  it('finds a value of another kind at every place', () => {
    fc.assert(
      fc.property(fc.constantFrom(...places(full())), (way) => {
        const data: unknown = structuredClone(full());
        const last = way.at(-1) ?? '';
        let at = data as Record<string | number, unknown>;
        for (const name of way.slice(0, -1)) at = at[name] as Record<string | number, unknown>;
        at[last] = typeof at[last] === 'object' ? 1.5 : {};
        const text = typeof last === 'number' ? `[${last}]` : last;
        expect(ledgerProblem(data)).toContain(text);
      }),
      { numRuns: runs(200) },
    );
  });

  it('finds numbers that cannot be', () => {
    for (const bytes of [-1, 0.5, Number.NaN, 2 ** 60, '1', null]) {
      const data = ledgerData(ledgerWindow({ bytes: bytes as number }));
      expect(ledgerProblem(data)).toBe('ledger.generations[0].windows[0].bytes is not a count');
    }
  });

  it('finds windows and generations that are there twice', () => {
    expect(ledgerProblem(ledgerData(ledgerWindow(), ledgerWindow()))).toBe(
      'window 0 of generation 1 is there twice',
    );
    const data = ledgerData();
    data.generations.push(...data.generations);
    expect(ledgerProblem(data)).toBe('generation 1 is there twice');
  });
});

describe('the fingerprint of a query', () => {
  const query = {
    baseUrl: 'https://a.org',
    params: [
      ['b', '1'],
      ['a', '2'],
    ] as [string, string][],
    account: null,
  };

  it('does not depend on the order of parameters', () => {
    expect(fingerprintOf({ ...query, params: query.params.toReversed() })).toBe(
      fingerprintOf(query),
    );
  });

  it('depends on everything else', () => {
    const others = [
      { ...query, baseUrl: 'https://b.org' },
      { ...query, account: 'DEMO.REPO' },
      { ...query, params: [] },
      {
        ...query,
        params: [
          ['b', '1'],
          ['a', '3'],
        ] as [string, string][],
      },
      {
        ...query,
        params: [
          ['b', '1","a'],
          ['2', ''],
        ] as [string, string][],
      },
      { ...query, params: [...query.params, ['a', '2']] as [string, string][] },
    ];
    expect(new Set([query, ...others].map(fingerprintOf)).size).toBe(others.length + 1);
  });
});
