import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DuplicateMember,
  jsonPositions,
  linesAt,
  type Path,
  positionAt,
} from '../../src/text/json-positions.ts';
import { compactJson } from '../../src/text/json-text.ts';

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
      fc.property(fc.json(), fc.integer({ min: 0, max: 3 }), (json, indent) => {
        const value = JSON.parse(json);
        const text = JSON.stringify(value, undefined, indent);
        const root = jsonPositions(text);
        for (const path of paths(value)) {
          const position = positionAt(root, path);
          expect(JSON.parse(text.slice(position?.start, position?.end))).toEqual(valueAt(value, path));
        }
      }),
    );
  });
  it('are unknown where nothing is', () => {
    const root = jsonPositions('{"a":[1]}');
    expect(positionAt(root, ['a', 1])).toBeUndefined();
    expect(positionAt(root, ['b', 'c'])).toBeUndefined();
    expect(positionAt(root, ['a', 'length'])).toBeUndefined();
  });
  it('have lines', () => {
    const text = '{\n "a": [\n1,\n  2]}';
    const start = positionAt(jsonPositions(text), ['a', 1])?.start ?? 0;
    expect(linesAt(text, [start, 0, start])).toEqual([4, 1, 4]);
  });
  it('are refused where a member is there twice, and where it is', () => {
    const twice = '{"a":{\n"b":1,"c":{"b":2},\n"\\u0062":3}}';
    expect(() => jsonPositions(twice)).toThrow(new DuplicateMember('b', 3));
    expect(() => jsonPositions(twice)).toThrow(expect.objectContaining({ line: 3 }));
  });
});

describe('tokens', () => {
  it('are found in texts of any length', () => {
    const long = JSON.stringify({ a: 'x'.repeat(9e6), b: '\\"\n'.repeat(1e6), c: '\\\\' });
    expect(positionAt(jsonPositions(long), ['c'])).toEqual({ start: long.length - 7, end: long.length - 1 });
    expect(compactJson(long) === long).toBe(true);
  });
});
