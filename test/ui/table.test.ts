import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { Look } from '../../src/ui/look.ts';
import { type TextColumn, table } from '../../src/ui/table.ts';
import { cut, widthOf, wrap } from '../../src/ui/width.ts';

const plain = { look: new Look(), width: undefined };
const color = new Look(true);
const KEYS: readonly TextColumn[] = [
  { name: 'id', least: 36, rank: 9 },
  { name: 'name' },
  { name: 'prefix', least: 11 },
  { name: 'created', least: 14, rank: 2 },
];
const ROW = ['035890c2-7d7e-4f48-9cfa-aa999a48d652', 'n'.repeat(94), 'DC.6E2RtjMm', '3 days ago'];

/** Characters of every width, and what should not be in a cell. */
const TEXT = fc.string({
  unit: fc.constantFrom(
    'a',
    ' ',
    '東',
    'é',
    'e\u0301',
    '👩‍🚀',
    '🇩🇪',
    'ก็',
    '\u001b',
    '\n',
    '\u200b',
    'ﾞ',
    '한',
  ),
  maxLength: 60,
});

describe('a table', () => {
  it('never exceeds the width that there is, whatever is in its cells', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(TEXT, TEXT, TEXT, TEXT), { maxLength: 4 }),
        fc.nat(130),
        (rows, width) => {
          const lines = table(KEYS, rows, { look: new Look(), width: width + 1 }).split('\n');
          expect(lines).toHaveLength(rows.length + 2);
          for (const line of lines) expect(stringWidth(line), line).toBeLessThanOrEqual(width + 1);
        },
      ),
    );
  });

  it('aligns its columns whatever the width of their characters', () => {
    const rows = [
      ['東京', 'x'],
      ['e\u0301', 'x'],
      ['👩‍🚀', 'x'],
      ['ก็', 'x'],
      ['हिन्दी', 'x'],
      ['long word', 'x'],
    ];
    const lines = table([{ name: 'a' }, { name: 'b' }], rows, plain)
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => stringWidth(line))).toEqual(Array(7).fill(12));
  });

  it('shows the end of a message in a narrow cell', () => {
    const error = `column ${'a'.repeat(40)}: "47,5" is not a number of degrees: write it as 47.5`;
    const columns = [{ name: 'ROW' }, { name: 'ERROR', wraps: true }];
    const text = table(columns, [['2', error]], { look: new Look(), width: 22 });
    expect(text.replaceAll(/\s+/g, ' ')).toContain('write it as 47.5');
  });

  it.each([
    [200, /^ID +NAME +PREFIX +CREATED$/, 0],
    [120, /^ID +NAME +PREFIX +CREATED$/, 1],
    [80, /^ID +NAME +PREFIX +CREATED$/, 1],
    [72, /^NAME +PREFIX +CREATED$/, 1],
    [40, /^NAME +PREFIX +CREATED$/, 1],
    [30, /^NAME +PREFIX$/, 1],
    [8, /^NA… +PR…$/, 2],
  ])('in %i columns shows what matters most', (width, head, ellipses) => {
    const [first, row = ''] = table(KEYS, [ROW], { look: new Look(), width }).split('\n');
    expect(first).toMatch(head);
    expect(row.split('…')).toHaveLength(ellipses + 1);
  });

  it('is complete without a width', () => {
    expect(table(KEYS, [ROW], plain)).toContain(ROW.join('  '));
  });

  it('cuts the widest columns first', () => {
    const columns = ['a', 'b', 'c'].map((name) => ({ name }));
    const [, row] = table(columns, [['a'.repeat(12), 'b'.repeat(40), 'c'.repeat(40)]], {
      look: new Look(),
      width: 50,
    }).split('\n');
    expect(row).toBe(`${'a'.repeat(12)}  ${'b'.repeat(16)}…  ${'c'.repeat(16)}…`);
  });

  it('lays out thousands of rows at once', () => {
    const rows = Array.from({ length: 4000 }, (_, index) => [`10.5072/${index}`, '東'.repeat(60)]);
    expect(
      table([{ name: 'doi' }, { name: 'title' }], rows, { look: color, width: 80 }).split('\n'),
    ).toHaveLength(4002);
  });

  it('has colours that take no room', () => {
    const columns: TextColumn[] = [
      { name: 'doi' },
      { name: 'state', style: (cell) => (cell === 'findable' ? 'green' : undefined) },
      { name: 'title' },
    ];
    const [head, row] = table(columns, [['10.5072/a', 'findable', 'T'.repeat(80)]], {
      look: color,
      width: 40,
    }).split('\n');
    expect(head).toContain('\u001b[1mDOI\u001b[22m        ');
    expect(row).toContain('\u001b[32mfindable\u001b[39m');
    expect(stringWidth(row ?? '')).toBe(40);
  });
});

describe('the width of text', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['東京', 4],
    ['e\u0301', 1],
    ['👩‍🚀', 2],
    ['🇩🇪', 2],
  ])('of %j is %i', (text, width) => expect(widthOf(text)).toBe(width));

  it('is cut between characters', () => {
    expect(cut('東京都', 5)).toBe('東京…');
    expect(cut('東京都', 4)).toBe('東…');
    expect(cut('👩‍🚀👩‍🚀', 3)).toBe('👩‍🚀…');
    expect(cut('abc', 3)).toBe('abc');
    expect(cut('abc', 1)).toBe('…');
    expect(cut('abc', 0)).toBe('');
  });

  it('is wrapped between words, and within those that are too long', () => {
    expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrap('東京都千代田区', 6)).toEqual(['東京都', '千代田', '区']);
    expect(wrap('a\nb', 10)).toEqual(['a', 'b']);
    fc.assert(
      fc.property(TEXT, fc.integer({ min: 4, max: 20 }), (text, columns) => {
        for (const line of wrap(text, columns)) expect(widthOf(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });
});
