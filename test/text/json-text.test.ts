import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactJson, indentJson } from '../../src/text/json-text.ts';

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
