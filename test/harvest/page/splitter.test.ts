import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_DEPTH, PIECE_BYTES } from '../../../src/harvest/page/scan.ts';
import { MalformedPage, splitPage } from '../../../src/harvest/page/splitter.ts';
import { runs } from '../../helpers/runs.ts';
import { document, sizes, split, textOf } from './documents.ts';

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../fixtures/${name}`, import.meta.url));
const RECORDED = fixture('dois-page-1-2020.json');
const PRETTY = fixture('dois-2024.json');

interface Parsed {
  data?: unknown;
  [name: string]: unknown;
}
/** The oracle: the document as JSON.parse reads it. */
function parse(text: string): {
  records: unknown[];
  kind: string;
  envelope: Record<string, unknown>;
} {
  const { data, ...envelope } = JSON.parse(text.replace(/^\ufeff/, '')) as Parsed;
  if (Array.isArray(data)) return { records: data, kind: 'list', envelope };
  return data === null || data === undefined
    ? { records: [], kind: 'none', envelope }
    : { records: [data], kind: 'single', envelope };
}
const idOf = (record: unknown): string | undefined => {
  const id = (record as { id?: unknown }).id;
  return typeof id === 'string' ? id : undefined;
};
const createdIn = (record: unknown): number => {
  const { attributes } = record as { attributes?: { created?: unknown } | null };
  const created = Object(attributes).created;
  return typeof created === 'string' ? Date.parse(created) : Number.NaN;
};

const strict = new TextDecoder('utf-8', { fatal: true });

/** How the splitter and JSON.parse disagree about these bytes; empty if they agree. */
function disagreement(bytes: Buffer, pieceBytes?: number): string {
  let lines: string[] = [];
  let refusal: unknown;
  try {
    lines = textOf(split(bytes, pieceBytes)).split('\n').slice(0, -1);
  } catch (error) {
    if (!(error instanceof MalformedPage)) throw error;
    refusal = error;
  }
  let records: unknown[];
  try {
    records = parse(strict.decode(bytes)).records;
  } catch {
    return refusal ? '' : `only the splitter accepts ${bytes}`;
  }
  // JSON:API's rules for the document and its records, which JSON.parse does not check.
  if (refusal)
    return /JSON object|repeated|as data|a record/.test(String(refusal))
      ? ''
      : `${refusal}: ${bytes}`;
  const same = isDeepStrictEqual(
    lines.map((line) => JSON.parse(line) as unknown),
    records,
  );
  return same ? '' : `other records in ${bytes}`;
}

function refused(bytes: Buffer, pieceBytes?: number): boolean {
  try {
    split(bytes, pieceBytes);
    return false;
  } catch (error) {
    if (error instanceof MalformedPage) return true;
    throw error;
  }
}

describe('any JSON:API document', () => {
  it('gives each record as its own tokens, in any pieces', () => {
    fc.assert(
      fc.property(document, sizes, ({ text, lines }, size) => {
        const page = split(text, size);
        const oracle = parse(text);
        expect(page.kind).toBe(oracle.kind);
        expect(page.count).toBe(oracle.records.length);
        for (const [index, line] of lines.entries()) {
          expect(page.record(index).toString()).toBe(line);
          expect(JSON.parse(line)).toEqual(oracle.records[index]);
          expect(page.id(index)).toBe(idOf(oracle.records[index]));
          expect(page.created(index)).toBe(createdIn(oracle.records[index]));
        }
        expect(textOf(page)).toBe(lines.map((line) => `${line}\n`).join(''));
        expect(page.envelope).toEqual(oracle.envelope);
      }),
      { numRuns: runs(200) },
    );
  });

  it('gives the kept records only, asking once for each, and the same again', () => {
    fc.assert(
      fc.property(
        document,
        sizes,
        fc.array(fc.boolean(), { minLength: 6 }),
        ({ text, lines }, size, kept) => {
          const page = split(text, size);
          const asked: number[] = [];
          const keep = (index: number): boolean => {
            asked.push(index);
            return kept[index] ?? false;
          };
          const wanted = lines.filter((_, index) => kept[index]).map((line) => `${line}\n`);
          expect(textOf(page, keep)).toBe(wanted.join(''));
          expect(asked).toEqual([...lines.keys()]);
          expect(textOf(page)).toBe(lines.map((line) => `${line}\n`).join(''));
          expect(textOf(page, keep)).toBe(wanted.join(''));
        },
      ),
    );
  });

  it('accepts a damaged byte only where JSON.parse accepts it too', () => {
    fc.assert(
      fc.property(document, sizes, fc.nat(), fc.nat(255), ({ text }, size, at, stray) => {
        const bytes = Buffer.from(text);
        bytes[at % bytes.length] = stray;
        expect(disagreement(bytes, size)).toBe('');
      }),
      { numRuns: runs(200) },
    );
  });

  it('agrees with JSON.parse about every byte put in the place of, or before, every other', () => {
    const text =
      '{"a":[],"data":[{"id":"é\\u00e9\\n","b":[-1.5e+20,{},[true,0]],"c" : {"d":null}},{}]}\n';
    const bytes = Buffer.from(text);
    const wrong = new Set<string>();
    for (let at = 0; at <= bytes.length; at++) {
      for (let stray = 0; stray < 256; stray++) {
        const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
        wrong.add(disagreement(Buffer.concat([before, Buffer.of(stray), after])));
        wrong.add(disagreement(Buffer.concat([before, Buffer.of(stray), after.subarray(1)])));
      }
    }
    expect([...wrong]).toEqual(['']);
  });

  it('refuses every truncation', () => {
    fc.assert(
      fc.property(document, sizes, ({ text }, size) => {
        const bytes = Buffer.from(text.trimEnd());
        const accepted = Array.from(bytes.keys()).filter((length) => {
          const start = bytes.subarray(0, length);
          // In small pieces a document costs ten times as much: only every eighth truncation is
          // scanned like that.
          return !refused(start) || (length % 8 === 0 && !refused(start, size));
        });
        expect(accepted).toEqual([]);
      }),
      { numRuns: runs(15) },
    );
  });
});

describe('recorded pages', () => {
  it('gives the recorded page of the list, compact as it is sent', () => {
    const { records, envelope } = parse(RECORDED.toString());
    for (const size of [1, 7, 4096, PIECE_BYTES]) {
      const page = split(RECORDED, size);
      expect(textOf(page)).toBe(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
      expect(records.map((_, index) => page.id(index))).toEqual(records.map(idOf));
      expect(records.map((_, index) => page.created(index))).toEqual(records.map(createdIn));
      expect(page.envelope).toEqual(envelope);
    }
  });

  it('compacts the pretty-printed page', () => {
    const { records } = parse(PRETTY.toString());
    const page = split(PRETTY, 65_536);
    expect(page.count).toBe(50);
    expect(page.lines()).toHaveLength(1);
    expect(textOf(page)).toBe(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  });

  it('refuses the recorded page cut short', () => {
    for (let size = 0; size < RECORDED.length; size += 13) {
      expect(() => split(RECORDED.subarray(0, size))).toThrow(MalformedPage);
    }
  });
});

describe('memory', () => {
  it('returns views of the document, separators overwritten, when it is compact', () => {
    const bytes = Buffer.from('{"data":[{"id":"a"},{"id":"b"},{"id":"c"}]}');
    const page = splitPage(bytes);
    expect(page.lines((index) => index !== 1).map(String)).toEqual([
      '{"id":"a"}\n',
      '{"id":"c"}\n',
    ]);
    const lines = page.lines();
    expect(lines.map(String)).toEqual(['{"id":"a"}\n{"id":"b"}\n{"id":"c"}\n']);
    expect(lines[0]?.buffer).toBe(bytes.buffer);
    expect(String(bytes)).toBe('{"data":[{"id":"a"}\n{"id":"b"}\n{"id":"c"}\n}');
  });

  it('needs no copy for white space outside records either', () => {
    const bytes = Buffer.from(
      '{"data": [\n{"id":"a"} ,\n{"id":"b"}\n], "meta": { "total" : 2 }}\n',
    );
    const lines = splitPage(bytes).lines();
    expect(lines.map(String)).toEqual(['{"id":"a"}\n', '{"id":"b"}\n']);
    expect(lines[0]?.buffer).toBe(bytes.buffer);
  });

  it('holds no record once it is dropped, and tells the numbers of it still', () => {
    const page = split(JSON.stringify({ data: [{ id: 'x' }], meta: { total: 7 } }));
    page.drop();
    expect(() => page.id(0)).toThrow(RangeError);
    expect(() => page.record(0)).toThrow(RangeError);
    expect(() => page.lines()).toThrow(RangeError);
    expect(page).toMatchObject({
      count: 1,
      total: 7,
      kind: 'list',
      envelope: { meta: { total: 7 } },
    });
  });

  it('takes a record of many megabytes in small pieces', () => {
    const text = JSON.stringify({
      data: [{ id: 'x', text: 'ä"\\ {[,]}'.repeat(1_000_000) }, { id: 'y' }],
    });
    const page = split(text, 65_537);
    expect(page.id(1)).toBe('y');
    expect(page.record(0).equals(Buffer.from(text.slice(9, text.lastIndexOf(',{"id"'))))).toBe(
      true,
    );
  });
});

describe('members', () => {
  it('keeps a member called __proto__ a member', () => {
    const { envelope } = split('{"__proto__":{"polluted":1},"data":[]}');
    expect(Object.keys(envelope)).toEqual(['__proto__']);
    expect((envelope as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('has no records in a document of errors', () => {
    const page = split('{"errors":{"title":"no"}}');
    expect([page.kind, page.count, page.lines()]).toEqual(['none', 0, []]);
    expect(page.envelope).toEqual({ errors: { title: 'no' } });
  });
});

describe('ids', () => {
  it.each([
    ['{"id":"10.5072/abc"}', '10.5072/abc'],
    ['{"type":"dois","id":"last"}', 'last'],
    ['{"\\u0069d":"escaped name"}', 'escaped name'],
    ['{"i\\u0064" : "spaced"}', 'spaced'],
    ['{"id":"a\\"b\\\\"}', 'a"b\\'],
    ['{"id":"\\u00e9\\ud83d\\ude00ü"}', 'é😀ü'],
    ['{"id":"first","id":"second"}', 'second'],
    ['{"id":"first","id":2}', undefined],
    ['{"id":{"id":"nested"}}', undefined],
    ['{"attributes":{"id":"nested"}}', undefined],
    ['{"id2":"x","di":"y","i":"z"}', undefined],
    ['{"id":""}', ''],
    [
      '{"i":1,"":2,"\\\\id":3,"i\\"d":4,"\\u0068d":5,"id":"after all of these","\\u0069e":6}',
      'after all of these',
    ],
    ['{}', undefined],
  ])('%s', (record, id) => {
    for (const size of [1, 2, 3, PIECE_BYTES])
      expect(split(`{"data":[${record}]}`, size).id(0)).toBe(id);
  });

  it('has no id and no line for a record that is not there', () => {
    const page = split('{"data":[{"id":"a"}]}');
    expect(page.id(1)).toBeUndefined();
    expect(() => page.record(1)).toThrow(RangeError);
  });
});

describe('creation times', () => {
  const TIME = '2024-03-01T10:20:51Z';
  const OTHER = '{"created":"1999-01-01T00:00:00Z"}';
  it.each([
    [`{"attributes":{"created":"${TIME}"}}`, TIME],
    [`{ "attributes" : { "c" : 1, "created" : "${TIME}" } }`, TIME],
    [`{"attributes":{"creators":[${OTHER}],"created":"${TIME}","c":${OTHER}}}`, TIME],
    [`{"created":"1999","relationships":{"created":"1998"},"attributes":${OTHER}}`, '1999-01-01'],
    [`{"a\\u0074tributes":{"\\u0063re\\u0061ted":"${TIME.replace('T', '\\u0054')}"}}`, TIME],
    [`{"attributes":{"created":"1999","created":"${TIME}"}}`, TIME],
    [`{"attributes":${OTHER},"attributes":{"created":"${TIME}"}}`, TIME],
    [`{"attributes":${OTHER},"attributes":{}}`, undefined],
    [`{"attributes":${OTHER},"attributes":null}`, undefined],
    [`{"attributes":{"created":"${TIME}","created":7}}`, undefined],
    [`{"attributes":[${OTHER}]}`, undefined],
    [`{"attributes":{"attributes":${OTHER}}}`, undefined],
    [`{"attributes":{"createdAt":"1999","create":"1999","c":"1999"}}`, undefined],
    ['{"attributes":{}}', undefined],
    ['{}', undefined],
  ])('%s', (record, time = '') => {
    for (const size of [1, 2, 3, 11, PIECE_BYTES]) {
      const page = split(`{"data":[${record},{"attributes":${OTHER}}]}`, size);
      expect(page.created(0)).toBe(Date.parse(time));
      expect(page.created(1)).toBe(Date.UTC(1999, 0));
      expect(page.created(0)).toBe(createdIn(JSON.parse(record)));
    }
  });
});

describe('malformed pages', () => {
  it.each([
    ['', 'it ends before a JSON object', 0],
    ['[]', 'expected a JSON object', 0],
    ['<html>', 'expected a JSON object', 0],
    ['{"data":[]}x', 'expected nothing after the document', 11],
    ['{"data":[]}{"data":[]}', 'expected nothing after the document', 11],
    ['{"data":[{}{}]}', 'expected a comma or ]', 11],
    ['{"data":[{},]}', 'expected a record (an object)', 12],
    ['{"data":[1]}', 'expected a record (an object) or ]', 9],
    ['{"data":[{},null]}', 'expected a record (an object)', 12],
    ['{"data":[[]]}', 'expected a record (an object) or ]', 9],
    ['{"data":"x"}', 'expected an array, an object or null as data', 8],
    ['{"data":[],"data":[]}', 'a repeated top-level member', 11],
    ['{"data":null,"d\\u0061ta":[{}]}', 'a repeated top-level member', 13],
    ['{"meta":1,"meta":2}', 'a repeated top-level member', 10],
    ['{"data":[{"a":[1}]}', 'expected a comma or ]', 16],
    ['{"data":[{"a":{]}]}', 'expected a member name or }', 15],
    ['{"data":[{"a":tru}]}', 'expected true', 17],
    ['{"data":[{"a":01}]}', 'expected the end of a number', 15],
    ['{"data":[{"a":"\n"}]}', 'expected the rest of a string, without control characters', 15],
    ['{"data":[{"a":"\\x"}]}', 'expected a character that can be escaped', 16],
    ['{"data":[{"a":"\\u12g4"}]}', 'expected four hexadecimal digits', 19],
    ['{"data":[{"a" 1}]}', 'expected a colon', 14],
    [
      '{"data":[{"secret":"abc',
      'it ends before the rest of a string, without control characters',
      23,
    ],
    ['\ufeff\ufeff{}', 'expected a JSON object', 3],
  ])('%j', (text, problem, offset) => {
    for (const size of [1, PIECE_BYTES]) {
      expect(() => split(text, size)).toThrow(new MalformedPage(problem, offset));
    }
  });

  it.each([
    ['a stray continuation', [0x80]],
    ['a character cut short', [0xe2, 0x82]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a byte too many', [0xc3, 0xa9, 0xa9]],
  ])('refuses text that is not UTF-8: %s', (_, wrong) => {
    const bytes = Buffer.concat([
      Buffer.from('{"data":[{"a":"é'),
      Buffer.from(wrong),
      Buffer.from('é😀"}]}'),
    ]);
    for (const size of [1, 2, 3, 5, PIECE_BYTES])
      expect(() => split(bytes, size)).toThrow(/not UTF-8/);
  });

  it.each([
    ['record', '{"data":[{"id":"é"},{"id":"\xff"}]}', 21],
    ['member', '{"data":[{"id":"é"}],"meta":{"a":"\xff"}}', 0],
  ])('names the place of a %s that is not UTF-8', (_, text, offset) => {
    const [before = '', after = ''] = text.split('\xff');
    const bytes = Buffer.concat([Buffer.from(before), Buffer.of(0xff), Buffer.from(after)]);
    expect(() => split(bytes)).toThrow(new MalformedPage('not UTF-8 in the part', offset));
  });

  it('limits the depth, without recursion', () => {
    const nested = (levels: number): string =>
      `{"meta":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect(split(nested(MAX_DEPTH)).kind).toBe('none');
    expect(() => split(nested(MAX_DEPTH + 1))).toThrow(`nested deeper than ${MAX_DEPTH} levels`);
    expect(() => split('{"data":[{"a":'.padEnd(1_000_000, '['))).toThrow(MalformedPage);
  });
});
