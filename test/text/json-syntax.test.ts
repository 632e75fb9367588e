import { describe, expect, it } from 'vitest';
import { syntaxProblem } from '../../src/text/json-syntax.ts';

describe('what is wrong with a text that is not JSON', () => {
  it.each<[string, string]>([
    ['{\n  "a": 1,\n}', '3:1 a comma too many before }'],
    ['[1, 2,]', '1:7 a comma too many before ]'],
    ['[1,,2]', '1:4 a comma too many before ,'],
    ['[,1]', '1:2 a value is missing before ,'],
    ['{,}', '1:2 a value is missing before ,'],
    ['{"a" 1}', '1:6 a colon is missing before 1'],
    ['{"a"}', '1:5 a value is missing before }'],
    ['{"b":1,"a":}', '1:12 a value is missing before }'],
    ['{"a":1 "b":2}', '1:8 a comma is missing: "b"'],
    ['[1 2]', '1:4 a comma is missing: 2'],
    ['{a: 1}', '1:2 a name must be in double quotes: a'],
    ["{'a': 1}", "1:2 a name must be in double quotes: 'a'"],
    ['{"a": \'x\'}', "1:7 a text must be in double quotes: 'x'"],
    ['{"a": “x”}', '1:7 a text must be in double quotes: “x”'],
    ['{"a": True}', '1:7 True is not a value in JSON; a text must be in double quotes'],
    ['{"a": 01}', '1:7 01 is not a number in JSON'],
    ['{"a": .5}', '1:7 .5 is not a number in JSON'],
    ['// no\n{}', '1:1 a comment, which JSON does not have'],
    ['{"é😀": "x\ny"}', '1:8 a text has no closing quote'],
    ['{"é😀", 1}', '1:6 a value is missing before ,'],
    ['{"a": "x', '1:7 a text has no closing quote'],
    ['"', '1:1 a text has no closing quote'],
    ['{"a": "x\\"', '1:7 a text has no closing quote'],
    ['{"a": "C:\\data"}', '1:10 \\d in a text: JSON writes a backslash as \\\\'],
    ['{"a": "x\\u00g0"}', '1:9 \\u in a text: JSON writes a backslash as \\\\'],
    ['{"a": "x\ty"}', '1:9 a control character in a text'],
    ['{"a": [1, 2}', '1:12 a } in place of ]'],
    ['{"a": 1}}', '1:9 a } too many'],
    ['{"a": 1},', '1:9 a comma after the end'],
    ['{"a": 1} x', '1:10 there is more after the end: x'],
    ['{"a": {"b": 1}', '1:15 the closing } is missing'],
    ['[', '1:2 the closing ] is missing'],
    ['', '1:1 there is no value'],
    [' \n ', '2:2 there is no value'],
    ['{"a":1:2}', '1:7 a colon that does not belong here'],
    ['doi,title', '1:1 doi is not a value in JSON; a text must be in double quotes'],
    ['{\u00a0"a": 1}', '1:2 a name must be in double quotes: \u00a0'],
    ['['.repeat(100_000), '1:100001 the closing ] is missing'],
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
          expect(
            [line, character].every((one) => one >= 1),
            text,
          ).toBe(true);
        }
      }
    }
  });
});
