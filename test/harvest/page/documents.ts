import fc from 'fast-check';
import type { Page } from '../../../src/harvest/page/page.ts';
import { splitPage } from '../../../src/harvest/page/splitter.ts';

/**
 * Random JSON:API documents as lists of tokens, so that the expected line of a record is known
 * without any scanning: it is its tokens, joined.
 */
type Tokens = readonly string[];

export interface Document {
  readonly text: string;
  /** The records without white space between their tokens. */
  readonly lines: readonly string[];
}

const NUMBERS = [
  '0',
  '-0',
  '7',
  '1.0',
  '1E+2',
  '-1.50e-3',
  '0.10',
  '12345678901234567890',
  '1e400',
  '3e0',
];
const LITERALS = ['true', 'false', 'null'];

/** One character of a string, in one of the spellings that JSON allows. */
const spelled = (unit: string, style: number): string => {
  const code = unit.charCodeAt(0);
  if (style === 0) return `\\u${code.toString(16).padStart(4, '0')}`;
  if (style === 1) return `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`;
  if (unit === '/' && style === 2) return '\\/';
  return JSON.stringify(unit).slice(1, -1);
};

/** A string token for `content`; if `odd`, half of its characters have an unusual spelling. */
const stringToken = (content: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(content, fc.boolean(), fc.array(fc.nat(6), { minLength: 1, maxLength: 8 })).map(
    ([text, odd, styles]) =>
      // By code unit, so that surrogate pairs become two escapes.
      `"${(odd ? text.split('') : [...text])
        .map((unit, index) =>
          odd ? spelled(unit, styles[index % styles.length] ?? 9) : spelled(unit, 9),
        )
        .join('')}"`,
  );

const strangeText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom(
      '"',
      '\\',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '\n',
      '\r',
      ' ',
      '\u2028',
      'é',
      '😀',
    ),
  }),
);
const nameText = fc.oneof(
  fc.constantFrom('data', 'id', 'type', 'attributes', 'created', 'c', '', '__proto__'),
  strangeText,
);

const wrap = (open: string, items: readonly Tokens[], close: string): Tokens => [
  open,
  ...items.flatMap((item, index) => (index === 0 ? item : [',', ...item])),
  close,
];
const memberOf = (value: fc.Arbitrary<Tokens>): fc.Arbitrary<Tokens> =>
  fc.tuple(stringToken(nameText), value).map(([name, tokens]) => [name, ':', ...tokens]);

const { value } = fc.letrec<{ value: Tokens }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'json', withCrossShrink: true },
    stringToken(strangeText).map((token) => [token]),
    fc.constantFrom(...NUMBERS, ...LITERALS).map((token) => [token]),
    fc
      .array(tie('value'), { maxLength: 4, depthIdentifier: 'json' })
      .map((items) => wrap('[', items, ']')),
    fc
      .array(memberOf(tie('value')), { maxLength: 4, depthIdentifier: 'json' })
      .map((items) => wrap('{', items, '}')),
  ),
}));

/** A member of this name, a string or anything else. */
const named = (name: string, text: fc.Arbitrary<string>, other = value) =>
  fc
    .tuple(
      stringToken(fc.constant(name)),
      fc.oneof(
        stringToken(text).map((token) => [token]),
        other,
      ),
    )
    .map(([token, tokens]): Tokens => [token, ':', ...tokens]);
const idMember = named('id', strangeText);
const createdMember = named('created', fc.constantFrom('2024-03-01T10:20:51Z', '2011', ''));
const attributes = fc
  .array(fc.oneof(createdMember, memberOf(value)), { maxLength: 3 })
  .map((members) => wrap('{', members, '}'));
const attributesMember = named('attributes', strangeText, attributes);
const record = fc
  .array(fc.oneof(idMember, attributesMember, memberOf(value)), { maxLength: 5 })
  .map((members) => wrap('{', members, '}'));

const data: fc.Arbitrary<{ tokens: Tokens; records: readonly Tokens[] }> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(record, { maxLength: 6 })
      .map((records) => ({ tokens: wrap('[', records, ']'), records })),
  },
  { weight: 1, arbitrary: record.map((tokens) => ({ tokens, records: [tokens] })) },
  { weight: 1, arbitrary: fc.constant({ tokens: ['null'], records: [] }) },
);

const SPACES = ['', '', ' ', '\n', '\r\n', '\t', '\n        '];

/** A document, compact or with white space anywhere, its top-level members in any order. */
export const document: fc.Arbitrary<Document> = fc
  .record({
    data: fc.tuple(stringToken(fc.constant('data')), data),
    others: fc.uniqueArray(
      fc.tuple(fc.constantFrom('links', 'meta', 'included', 'errors', '__proto__', 'dat'), value),
      {
        selector: ([name]) => name,
        maxLength: 4,
      },
    ),
    at: fc.nat(4),
    spaces: fc.oneof(
      fc.constant(['']),
      fc.array(fc.constantFrom(...SPACES), { minLength: 1, maxLength: 20 }),
    ),
    bom: fc.boolean(),
  })
  .map(({ data: [name, { tokens, records }], others, at, spaces, bom }) => {
    const members = others.map(([other, value]): Tokens => [JSON.stringify(other), ':', ...value]);
    members.splice(at, 0, [name, ':', ...tokens]);
    const all = ['', ...wrap('{', members, '}'), ''];
    const text = all.map((token, index) => token + (spaces[index % spaces.length] ?? '')).join('');
    return { text: (bom ? '\ufeff' : '') + text, lines: records.map((each) => each.join('')) };
  });

/** Sizes of the pieces that are scanned: often tiny, so that every byte can be at an end. */
export const sizes = fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 40 }));

/** Splits a copy of `document`, scanned in pieces of a size. */
export function split(document: string | Uint8Array, pieceBytes?: number): Page {
  return splitPage(Buffer.from(document as Uint8Array), pieceBytes);
}

/** The lines as one text. */
export function textOf(page: Page, keep?: (index: number) => boolean): string {
  return Buffer.concat(keep ? page.lines(keep) : page.lines()).toString();
}
