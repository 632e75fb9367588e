import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PartFile } from '../../../src/harvest/store/part-file.ts';
import { inspectPart, readPart } from '../../../src/harvest/store/read-part.ts';
import { runs } from '../../helpers/runs.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

const place = (gzip: boolean) =>
  join(temporaryDirectory(), gzip ? 'part.ndjson.gz' : 'part.ndjson');

describe.each([
  ['plain', false],
  ['gzip', true],
])('inspecting a %s part file', (_, gzip) => {
  function written(text: string | Buffer): string {
    const path = place(gzip);
    writeFileSync(path, gzip ? gzipSync(text) : text);
    return path;
  }

  it('counts, hashes and gives out the records, however they were appended', async () => {
    const record = fc.record({
      id: fc.string({ unit: 'binary', maxLength: 6 }),
      type: fc.string(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(record, { minLength: 1, maxLength: 20 }), { minLength: 1, maxLength: 5 }),
        async (appends) => {
          const path = place(gzip);
          const part = await PartFile.open(path, { bytes: 0 }, gzip);
          for (const records of appends) {
            await part.append(records.map((one) => Buffer.from(`${JSON.stringify(one)}\n`)));
          }
          await part.close();
          const records = appends.flat();
          const seen: [string, string][] = [];
          const inspection = await inspectPart(path, gzip, (id, line) => {
            seen.push([id, line.toString()]);
          });
          expect(seen).toEqual(
            records.map((one) => [Buffer.from(one.id).toString(), JSON.stringify(one)]),
          );
          expect(inspection).toEqual({
            bytes: part.bytes,
            records: records.length,
            unique: new Set(records.map(({ id }) => Buffer.from(id).toString())).size,
            sha256: createHash('sha256').update(readFileSync(path)).digest('hex'),
          });
        },
      ),
      { numRuns: runs(30) },
    );
  });

  it('finds the id wherever it stands and however it is spelled', async () => {
    const lines = [
      '{"id":"10.5072/a"}',
      '{"type":"dois","id":"10.5072/a"}',
      '{ "id" : "10.5072/a" }',
      '{"id":"10.5072\\/a","attributes":{"id":"x"}}',
      '{"id":"10.5072/\\u0061"}',
      '{"id":""}',
    ];
    const ids: string[] = [];
    const { unique } = await inspectPart(written(`${lines.join('\n')}\n`), gzip, (id) => {
      ids.push(id);
    });
    expect(ids).toEqual([...Array(5).fill('10.5072/a'), '']);
    expect(unique).toBe(2);
  });

  it.each([
    '',
    '{}',
    '[]',
    'null',
    '"id"',
    '{"id":1}',
    '{"id":"a"',
    '{"id":"a}',
    '{"id":"a"}}{"id":"b"',
    '{"id":"a","b":"\0\0"}',
    'xxx',
  ])('refuses the line %j', async (line) => {
    const path = written(`{"id":"1"}\n${line}\n{"id":"3"}\n`);
    await expect(inspectPart(path, gzip)).rejects.toMatchObject({
      name: 'DamagedPart',
      message: `${path}: line 2 is not a record with an id`,
    });
  });

  it('refuses a last line without an end', async () => {
    await expect(inspectPart(written('{"id":"1"}\n{"id":"2"}'), gzip)).rejects.toMatchObject({
      name: 'DamagedPart',
      message: /the last line has no end/,
    });
  });

  it('refuses a file that is missing', async () => {
    await expect(inspectPart(place(gzip), gzip)).rejects.toMatchObject({
      name: 'DamagedPart',
      message: /is missing/,
    });
  });

  it('reads lines longer than a chunk', async () => {
    const long = `{"id":"1","text":"${'x'.repeat(2_000_000)}"}`;
    const lengths: number[] = [];
    await inspectPart(written(`${long}\n{"id":"2"}\n${long}\n`), gzip, (__, line) => {
      lengths.push(line.length);
    });
    expect(lengths).toEqual([long.length, 10, long.length]);
  });

  it('passes the errors of the consumer of the records on', async () => {
    const path = written('{"id":"1"}\n{"id":"2"}\n'.repeat(100_000));
    const read = async () => {
      for await (const { doi } of readPart({ path, gzip }, undefined))
        throw new Error(`no room for ${doi}`);
    };
    await expect(read()).rejects.toThrow('no room for 1');
  });

  it('stops when it is told to', async () => {
    const abort = new AbortController();
    const reason = new Error('interrupted');
    const path = written('{"id":"1"}\n'.repeat(1_000_000));
    let records = 0;
    const inspection = inspectPart(
      path,
      gzip,
      () => {
        records += 1;
        if (records === 10) abort.abort(reason);
      },
      abort.signal,
    );
    await expect(inspection).rejects.toBe(reason);
    expect(records).toBeLessThan(1_000_000);
  });

  it('takes memory of constant size', async () => {
    const line = Buffer.from(`{"id":"1","text":"${'x'.repeat(1000)}"}\n`);
    const path = place(gzip);
    const part = await PartFile.open(path, { bytes: 0 }, gzip);
    for (let member = 0; member < 60; member += 1) await part.append(Array(2000).fill(line));
    await part.close();
    const before = process.memoryUsage().rss;
    let most = 0;
    let records = 0;
    await inspectPart(path, gzip, () => {
      records += 1;
      if (records % 10_000 === 0) most = Math.max(most, process.memoryUsage().rss - before);
    });
    expect(records).toBe(120_000);
    expect(most).toBeLessThan(100e6);
  });
});

describe('inspecting gzip', () => {
  const member = (text: string) => gzipSync(text);
  const [first, second] = [member('{"id":"1"}\n'), member('{"id":"2"}\n')];

  it('refuses a file that ends anywhere within a member', async () => {
    const path = place(true);
    const whole = Buffer.concat([first, second]);
    for (let size = 0; size < whole.length; size += 1) {
      writeFileSync(path, whole.subarray(0, size));
      const inspection = inspectPart(path, true);
      if (size === first.length) expect(await inspection).toMatchObject({ records: 1 });
      else await expect(inspection, `${size}`).rejects.toMatchObject({ name: 'DamagedPart' });
    }
  });

  it.each([
    ['zeros', Buffer.alloc(20)],
    ['many zeros', Buffer.alloc(1_000_000)],
    ['zeros and a member', Buffer.concat([Buffer.alloc(4096), second])],
    ['text', Buffer.from('{"id":"2"}\n')],
    ['many bytes', Buffer.alloc(1_000_000, 7)],
  ])('refuses %s behind a member', async (_, rest) => {
    const path = place(true);
    writeFileSync(path, Buffer.concat([first, rest]));
    await expect(inspectPart(path, true)).rejects.toMatchObject({ name: 'DamagedPart' });
  });

  it('refuses zeros behind a member at the end of a chunk', async () => {
    // Members that exactly fill the chunk in which files are read.
    const path = place(true);
    const chunk = Buffer.alloc(256 * 1024);
    for (let fill = 0; ; fill += 1) {
      const noise = createHash('sha512').update(`${fill}`).digest('hex');
      const body = member(`{"id":"1","noise":"${noise.repeat(3).slice(0, fill % 300)}"}\n`);
      const members = Math.floor(chunk.length / body.length);
      if (members * body.length !== chunk.length) {
        if (fill < 3000) continue;
        throw new Error('no member divides the chunk');
      }
      writeFileSync(
        path,
        Buffer.concat([...Array<Buffer>(members).fill(body), Buffer.alloc(4096)]),
      );
      break;
    }
    await expect(inspectPart(path, true)).rejects.toMatchObject({ name: 'DamagedPart' });
  });

  it('finds a byte that has changed', async () => {
    const path = place(true);
    const text = Array.from({ length: 50 }, (_, index) => `{"id":"${index}"}\n`).join('');
    const whole = Buffer.concat([first, member(text)]);
    for (let at = first.length + 10; at < whole.length; at += 1) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 0x55;
      writeFileSync(path, changed);
      await expect(inspectPart(path, true), `${at}`).rejects.toMatchObject({ name: 'DamagedPart' });
    }
  });
});
