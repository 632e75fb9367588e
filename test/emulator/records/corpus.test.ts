import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../../../src/emulator/records/byte-writer.ts';
import { Corpus } from '../../../src/emulator/records/corpus.ts';
import type { View } from '../../../src/emulator/records/source.ts';

const PLAIN: View = { detail: false, affiliation: false, publisher: false };
const corpus = new Corpus(1, 20_000, 'demo.repo');

interface Resource {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

function text(of: Corpus, index: number, view: View = PLAIN): string {
  const out = new ByteWriter(16);
  of.write(out, index, view);
  return out.finish().toString();
}

function record(index: number, view: View = PLAIN): Resource {
  return JSON.parse(text(corpus, index, view)) as Resource;
}

describe('generated records', () => {
  it('are a function of seed, size and index', () => {
    const again = new Corpus(1, 20_000, 'demo.repo');
    const other = new Corpus(2, 20_000, 'demo.repo');
    for (const index of [0, 1, 999, 1000, 19_999]) {
      expect(text(again, index)).toBe(text(corpus, index));
      expect(text(other, index)).not.toBe(text(corpus, index));
    }
  });

  it('have the members of a recorded record, in its order', () => {
    const recorded = JSON.parse(readFileSync('test/fixtures/dois-2024.json', 'utf8')) as {
      data: Resource[];
    };
    expect(Object.keys(record(5))).toEqual(['id', 'type', 'attributes', 'relationships']);
    expect(Object.keys(record(5).attributes)).toEqual(
      Object.keys(recorded.data[0]?.attributes ?? {}),
    );
  });

  it('are sized like recorded ones, with a long tail', () => {
    const sizes = Array.from({ length: 5000 }, (_, n) => Buffer.byteLength(text(corpus, n)));
    const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
    expect(mean).toBeGreaterThan(3000);
    expect(mean).toBeLessThan(4500);
    expect(Math.min(...sizes)).toBeGreaterThan(1500);
    expect(Math.max(...sizes)).toBeGreaterThan(13_000);
    expect(Math.max(...sizes)).toBeLessThan(24_000);
  });

  it('are in order of creation and DOI, with many ties', () => {
    let ties = 0;
    for (let index = 1; index < corpus.size; index++) {
      const [before, after] = [corpus.timeline.created(index - 1), corpus.timeline.created(index)];
      expect(after).toBeGreaterThanOrEqual(before);
      if (after !== before) continue;
      ties++;
      expect(corpus.doi(index) > corpus.doi(index - 1)).toBe(true);
    }
    expect(ties).toBeGreaterThan(corpus.size / 4);
    expect(record(0).attributes['created']).toMatch(/^2011-01-01T/);
    expect(record(corpus.size - 1).attributes['created']).toMatch(/^2026-06-/);
  });

  it('keep that order when there are a hundred million', () => {
    const large = new Corpus(1, 100_000_000, 'demo.repo');
    for (let index = 70_000_000; index < 70_003_000; index++) {
      const [before, after] = [large.timeline.created(index - 1), large.timeline.created(index)];
      expect(after > before || (after === before && large.doi(index) > large.doi(index - 1))).toBe(
        true,
      );
    }
  });

  it('are found by their DOI, and nothing else is', () => {
    for (const index of [0, 7, 1234, 19_999]) expect(corpus.find(corpus.doi(index))).toBe(index);
    expect(corpus.find('10.5281/zenodo.9')).toBeUndefined();
    expect(corpus.find(new Corpus(1, 20_001, 'demo.repo').doi(20_000))).toBeUndefined();
  });

  it('resume after any position', () => {
    for (const index of [0, 1, 500, 501, 502, 19_998]) {
      expect(corpus.after(corpus.timeline.created(index), corpus.doi(index))).toBe(index + 1);
    }
    expect(corpus.after(0, '10.5072/x')).toBe(0);
  });

  it('hold other scripts, surrogate pairs, and spellings that a parser would change', () => {
    const all = Array.from({ length: 3000 }, (_, n) => text(corpus, n)).join('\n');
    expect(all).toMatch(/[\u4e00-\u9fff]/);
    expect(all).toMatch(/[\u0400-\u04ff]/);
    expect(all).toMatch(/[\u0600-\u06ff]/);
    expect(all).toContain('🌊');
    expect(all).toContain('\\u003c');
    expect(all).toContain('\\"');
    expect(all).toContain('\\n');
    expect(all).toMatch(/"pointLatitude":-?\d+\.\d\d0/);
    expect(all).toContain('1.0e-05');
    expect(all).not.toContain('\\u0000');
  });

  it('agree with the timeline and the pattern they are filtered by', () => {
    for (let index = 0; index < 2000; index += 7) {
      const { attributes } = record(index);
      expect(Date.parse(String(attributes['created'])) / 1000).toBe(corpus.timeline.created(index));
      expect(Date.parse(String(attributes['updated'])) / 1000).toBe(corpus.timeline.updated(index));
      expect(attributes['state']).toBe(corpus.kind(index).state);
      expect(attributes['registered'] === null).toBe(corpus.kind(index).state === 'draft');
      expect(attributes['publicationYear']).toBe(corpus.timeline.publicationYear(index));
    }
  });

  it('show the owner’s records in all three states among the first few', () => {
    const own = [0, 1, 2].map((index) => corpus.kind(index));
    expect(own.map(({ clientId }) => clientId)).toEqual(['demo.repo', 'demo.repo', 'demo.repo']);
    expect(own.map(({ state }) => state)).toEqual(['findable', 'registered', 'draft']);
  });

  it('are trimmed to the fields asked for', () => {
    const fields = new Set(['doi', 'created', 'client']);
    expect(JSON.parse(text(corpus, 3, { ...PLAIN, fields }))).toEqual({
      id: corpus.doi(3),
      type: 'dois',
      attributes: { doi: corpus.doi(3), created: record(3).attributes['created'] },
      relationships: { client: { data: { id: corpus.kind(3).clientId, type: 'clients' } } },
    });
    const none = JSON.parse(
      text(corpus, 3, { ...PLAIN, fields: new Set(['nothing']) }),
    ) as Resource;
    expect(none).toMatchObject({ id: corpus.doi(3), attributes: {}, relationships: {} });
  });
});
