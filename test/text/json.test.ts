import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compactJson,
  indentJson,
  inexactNumber,
  memberText,
  nodeAt,
  parsePlaced,
  spelled,
  syntaxProblem,
} from '../../src/text/json.ts';
import type { Path } from '../../src/text/json-values.ts';
import { lineFinder } from '../../src/text/lines.ts';

const placed = (text: string) => ({ ...parsePlaced(text), text });

/** Every path in a value. */
function paths(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  const inner = Array.isArray(value)
    ? value.flatMap((item, index) => paths(item, [...at, index]))
    : Object.entries(value).flatMap(([name, item]) => paths(item, [...at, name]));
  return [at, ...inner];
}

const valueAt = (value: unknown, path: Path) =>
  path.reduce<unknown>((inner, step) => (inner as Record<string, unknown>)[step], value);

describe('positions in JSON', () => {
  it('are those of each value, however the text is laid out', () => {
    fc.assert(
      fc.property(fc.json(), fc.integer({ min: 0, max: 3 }), (given, indent) => {
        const value = JSON.parse(given);
        const text = JSON.stringify(value, undefined, indent);
        const json = placed(text);
        for (const path of paths(value)) {
          const node = nodeAt(json, path);
          expect(node && JSON.parse(spelled(json, node))).toEqual(valueAt(value, path));
        }
      }),
    );
  });
  it('are unknown where nothing is', () => {
    const json = placed('{"a":[1]}');
    expect(nodeAt(json, ['a', 1])).toBeUndefined();
    expect(nodeAt(json, ['b', 'c'])).toBeUndefined();
    expect(nodeAt(json, ['a', 'length'])).toBeUndefined();
  });
  it('have lines', () => {
    const json = placed('{\n "a": [\n1,\r\n  2]}');
    const lineAt = lineFinder(json.text);
    const nodes = [json.root, nodeAt(json, ['a', 0]), nodeAt(json, ['a', 1])];
    expect(nodes.map((node) => lineAt(node?.offset ?? -1))).toEqual([1, 3, 4]);
  });
  it('are refused where a member is there twice, and where it is', () => {
    const twice = '{"a":{\n"b":1,"c":{"b":2},\n"\\u0062":3}}';
    const problem = { message: 'the member "b" appears twice', line: 3, character: undefined };
    expect(() => parsePlaced(twice)).toThrow(expect.objectContaining(problem));
  });
  it('are refused where there are too many levels', () => {
    expect(() => parsePlaced('['.repeat(100_000))).toThrow('more than 1000 levels');
    expect(parsePlaced(`${'['.repeat(1000)}${']'.repeat(1000)}`).root?.length).toBe(2000);
  });
});

describe('tokens', () => {
  it('are found in texts of any length', () => {
    const long = JSON.stringify({ a: 'x'.repeat(9e6), b: '\\"\n'.repeat(1e6), c: '\\\\' });
    expect(nodeAt(placed(long), ['c'])).toMatchObject({ offset: long.length - 7, length: 6 });
    expect(compactJson(long) === long).toBe(true);
  });
});

describe('what is wrong with a text that is not JSON', () => {
  it.each<[string, string]>([
    ['{\n  "a": 1,\n}', '3:1 an extra comma before }'],
    ['[1, 2,]', '1:7 an extra comma before ]'],
    ['[1,,2]', '1:4 an extra comma before ,'],
    ['[,1]', '1:2 a value is missing before ,'],
    ['{,}', '1:2 a value is missing before ,'],
    ['{"a" 1}', '1:6 a colon is missing before 1'],
    ['{"a"}', '1:5 a colon is missing before }'],
    ['{"a"', '1:5 a colon is missing before the end of the text'],
    ['{"a":', '1:6 a value is missing before the end of the text'],
    ['{"a":1,', '1:8 a name in double quotes is missing before the end of the text'],
    ['{"b":1,"a":}', '1:12 a value is missing before }'],
    ['{"a":1 "b":2}', '1:8 a comma is missing: "b"'],
    ['[1 2]', '1:4 a comma is missing: 2'],
    ['{a: 1}', '1:2 a is not a value in JSON; names and texts must be in double quotes'],
    ["{'a': 1}", "1:2 'a' is not a value in JSON; names and texts must be in double quotes"],
    ['{"a": \'x\'}', "1:7 'x' is not a value in JSON; names and texts must be in double quotes"],
    ['{"a": “x”}', '1:7 “x” is not a value in JSON; names and texts must be in double quotes'],
    ['{"a": True}', '1:7 True is not a value in JSON; names and texts must be in double quotes'],
    ['{"a": 01}', '1:8 a comma is missing: 1'],
    ['{"a": 1.}', '1:7 1. is not a number in JSON'],
    ['{"a": .5}', '1:7 .5 is not a value in JSON; names and texts must be in double quotes'],
    ['// no\n{}', '1:1 a comment, which JSON does not have'],
    ['{"é😀": "x\ny"}', '1:8 a text has no closing quote'],
    ['{"é😀", 1}', '1:6 a colon is missing before ,'],
    ['{"a": "x', '1:7 a text has no closing quote'],
    ['"', '1:1 a text has no closing quote'],
    ['{"a": "x\\"', '1:7 a text has no closing quote'],
    [
      '{"a": "C:\\data"}',
      '1:7 a \\ that does not begin an escape: JSON writes a backslash as \\\\',
    ],
    [
      '{"a": "x\\u00g0"}',
      '1:7 a \\ that does not begin an escape: JSON writes a backslash as \\\\',
    ],
    ['{"a": "x\ty"}', '1:7 a control character in a text'],
    ['{"a": [1, 2}', '1:12 a } that does not belong here'],
    ['{"a": 1}}', '1:9 there is more after the end: }'],
    ['{"a": 1},', '1:9 there is more after the end: ,'],
    ['{"a": 1} x', '1:10 x is not a value in JSON; names and texts must be in double quotes'],
    ['{"a": {"b": 1}', '1:15 the closing } is missing'],
    ['[', '1:2 the closing ] is missing'],
    ['', '1:1 there is no value'],
    [' \n ', '2:2 there is no value'],
    ['{"a":1:2}', '1:7 a : that does not belong here'],
    ['doi,title', '1:1 doi is not a value in JSON; names and texts must be in double quotes'],
    [
      '{\u00a0"a": 1}',
      '1:2 \u00a0 is not a value in JSON; names and texts must be in double quotes',
    ],
  ])('%j', (text, expected) => {
    expect(() => JSON.parse(text) as unknown).toThrow();
    const { line, character, message } = syntaxProblem(text);
    expect(`${line}:${character} ${message}`).toBe(expected);
  });

  it('is found in every text that a parser refuses, and in one line', () => {
    const valid = '{"a":[1,-2.5e3,"x\\u00e9\\n",true,null,{}],"b":{"c":[]}}';
    const marks = [',', ':', '"', '{', ']', '}', 'x', '\\', '\n', '', '1'];
    for (let at = 0; at <= valid.length; at += 1) {
      for (const mark of marks) {
        for (const cut of [0, 1, 3]) {
          const text = valid.slice(0, at) + mark + valid.slice(at + cut);
          let isValid = true;
          try {
            JSON.parse(text);
          } catch {
            isValid = false;
          }
          if (isValid) continue;
          const { line, character, message } = syntaxProblem(text);
          expect(message, text).not.toMatch(/\n|there is no value/);
          expect(line >= 1 && Number(character) >= 1, text).toBe(true);
        }
      }
    }
  });
});

describe('indentJson', () => {
  it('lays out any JSON as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });
  it('leaves numbers and escapes spelled as they are', () => {
    expect(indentJson('{"a":1.0,"b":[-0E+2,"\\u007d\\"{"],"c":12345678901234567890}')).toBe(
      '{\n  "a": 1.0,\n  "b": [\n    -0E+2,\n    "\\u007d\\"{"\n  ],\n  "c": 12345678901234567890\n}',
    );
  });
});

describe('compactJson', () => {
  it('leaves out white space between tokens, and nothing else', () => {
    expect(compactJson('{ "a b" : [ 1.0 ,\n"c\\" d" ] }')).toBe('{"a b":[1.0,"c\\" d"]}');
  });
});

describe('memberText', () => {
  it('is the text of an object, as it is spelled', () => {
    const json =
      '{"meta":[[], {"data":{}}], "data": {"id":[{}], "data":{"n":1.0}}, "meta":[{"data":{}}]}';
    expect(memberText(json, 'data')).toBe('{"id":[{}], "data":{"n":1.0}}');
    expect(memberText('{"meta":{"data":{}}}', 'data')).toBeUndefined();
    expect(memberText('{"data":[{}]}', 'data')).toBeUndefined();
    expect(memberText('{"data":{},"\\u0064ata":{}}', 'data')).toBeUndefined();
  });
});

describe('a number', () => {
  it.each([
    ['12345678901234567890', true],
    ['0.12345678901234567891', true],
    ['1e999', true],
    ['9007199254740993', true],
    ['9007199254740991', false],
    ['1.0', false],
    ['1000000000000000000000', false],
    ['0.1', false],
    ['"12345678901234567890"', false],
  ])('%s is told from others by JavaScript', (number, isLost) => {
    expect(inexactNumber(`[{"a":[${number}]}]`)).toBe(isLost ? number : undefined);
  });
});
