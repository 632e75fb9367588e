import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redactor, visible } from '../../src/text/redact.ts';
import { runs } from '../helpers/runs.ts';

const redactor = (...secrets: string[]): Redactor => {
  const made = new Redactor();
  for (const secret of secrets) made.addSecret(secret);
  return made;
};

const KEY = `DC.${'a1B2c3D4'.repeat(4)}`;
const LOG =
  'GET https://api.test.datacite.org/dois?page%5Bsize%5D=1000&query=a+b 200 in 312 ms\n' +
  'authorization: Basic YWxhZGRpbjpvcGVuc2VzYW1l {"errors":[{"status":"404","title":"a \\"b\\" \\u00e9"}]}';

const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);
const lowerHex = (text: string): string => text.replace(/%../g, (code) => code.toLowerCase());
const allEscaped = (text: string): string =>
  Array.from(
    { length: text.length },
    (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');
const jsonEscaped = (text: string): string => JSON.stringify(text).slice(1, -1);
/** JSON in the spelling of Rails. */
const htmlSafe = (text: string): string =>
  jsonEscaped(text)
    .replace(/[<>&]/g, (char) => allEscaped(char))
    .replaceAll('/', '\\/');

/** Forms of a secret that must be masked. */
const forms = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  lowerHex(encodeURIComponent(secret)),
  formEncoded(secret),
  lowerHex(formEncoded(secret)),
  jsonEscaped(secret),
  htmlSafe(secret),
  allEscaped(secret),
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('base64').replaceAll('=', ''),
  Buffer.from(secret).toString('base64url'),
];

const secretText = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }),
    fc.string({
      unit: fc.constantFrom(...'.*+?^$()[]{}|\\/%&"\'<> \n+é😀'),
      minLength: 1,
      maxLength: 12,
    }),
    fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 4 }),
  )
  .filter((secret) => !/^\*+$/.test(secret) && !/\p{Cs}/u.test(secret));

/** Texts with forms of the secrets at random places. */
const leaky = fc.array(secretText, { minLength: 1, maxLength: 4 }).chain((secrets) =>
  fc.record({
    secrets: fc.constant(secrets),
    text: fc
      .array(fc.oneof(fc.constantFrom(...secrets.flatMap(forms)), fc.string({ maxLength: 8 })), {
        maxLength: 12,
      })
      .map((parts) => parts.join('')),
  }),
);

describe('mask', () => {
  it('leaves no form of any secret, wherever they stand and however they overlap', () => {
    fc.assert(
      fc.property(leaky, ({ secrets, text }) => {
        const masked = redactor(...secrets).mask(text);
        for (const form of secrets.flatMap(forms)) expect(masked).not.toContain(form);
      }),
      { numRuns: runs(250) },
    );
  });

  it('is idempotent, and comes to an end', () => {
    const starry = fc.string({ unit: fc.constantFrom('*', 'a', '.', 'D', 'C'), maxLength: 8 });
    fc.assert(
      fc.property(
        fc.oneof(leaky, fc.record({ secrets: fc.array(starry), text: starry })),
        ({ secrets, text }) => {
          const made = redactor(...secrets);
          const masked = made.mask(text);
          expect(made.mask(masked)).toBe(masked);
        },
      ),
      { numRuns: runs(250) },
    );
  });

  it('leaves text without secrets as it is', () => {
    const unrelated = fc.string({
      unit: fc.constantFrom(...'абвгд éü\n\t{}":,.*%\\+/='),
      maxLength: 200,
    });
    const secret = fc.string({
      unit: fc.constantFrom(...'abcXYZ0189-_'),
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(fc.array(secret), unrelated, (secrets, text) => {
        expect(redactor(...secrets).mask(text)).toBe(text);
      }),
    );
    expect(redactor('correct horse', KEY).mask(LOG)).toBe(LOG);
  });

  it('finds a secret inside longer base64, at every alignment', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 8 }),
        fc.string({ unit: 'grapheme', minLength: 10, maxLength: 40 }),
        fc.uint8Array({ maxLength: 8 }),
        fc.constantFrom('base64' as const, 'base64url' as const),
        (before, secret, after, encoding) => {
          const bytes = Buffer.from(secret);
          const text = Buffer.concat([before, bytes, after]).toString(encoding);
          const masked = redactor(secret).mask(`<${text}>`);
          // Only the text before and after stays, up to the characters that hold a bit of the
          // secret.
          const head = text.slice(0, Math.floor((before.length * 8) / 6));
          const tail = text
            .slice(Math.ceil(((before.length + bytes.length) * 8) / 6))
            .replaceAll('=', '');
          expect(masked.replaceAll('=', '')).toBe(`<${head}***${tail}>`);
        },
      ),
    );
  });

  it('masks the whole Authorization value of a credential, even of a short password', () => {
    for (const password of ['pw', 'open sesame', 'p:ä/ö?', 'x'.repeat(1000)]) {
      const made = new Redactor();
      made.addSecret(password);
      made.addBasic('DEMO.REPO', password);
      const token = Buffer.from(`DEMO.REPO:${password}`);
      for (const form of [token.toString('base64'), token.toString('base64url')]) {
        expect(made.mask(`Basic ${form}, Basic ${encodeURIComponent(form)}.`)).toBe(
          'Basic ***, Basic ***.',
        );
      }
      expect(made.mask(`DEMO.REPO:${password}`)).toBe('DEMO.REPO:***');
    }
  });

  it('masks the header of an API key, which has an empty password', () => {
    const made = new Redactor();
    made.addBasic(KEY, '');
    expect(made.mask(`Basic ${btoa(`${KEY}:`)}`)).toBe('Basic ***');
  });

  it.each([
    ['one secret within another', ['abc', 'xabcx'], 'xabcx abc', '*** ***'],
    ['overlapping secrets', ['abcd', 'cdef'], '-abcdef-', '-***-'],
    ['secrets side by side', ['abc', 'def'], '-abcdef-', '-***-'],
    ['a secret overlapping itself', ['aba'], '-ababa-', '-***-'],
    ['one character', ['q'], 'quick q', '***uick ***'],
    ['the empty string', [''], 'text', 'text'],
    ['characters of regular expressions', ['a.*(b'], 'a.*(b axx(b', '*** axx(b'],
    ['a newline', ['line\nbreak'], 'line\nbreak line\\nbreak line%0Abreak', '*** *** ***'],
    ['unlike percent-encodings', ['a b/c'], 'a%20b/c a+b%2fc a b%2Fc', '*** *** ***'],
    ['a secret in JSON in another spelling', ['é"<'], '\\u00E9\\"\\u003c é\\u0022<', '*** ***'],
    ['asterisks next to a mask', ['Y', '*a'], 'Ya', '*****'],
    ['a secret that a mask completes', ['Y', '***b'], 'xYbx', 'x***x'],
    ['a secret that two masks complete', ['Y', '***b', '***c'], 'Ybc Yb', '*** ***'],
  ])('%s', (_, secrets, text, masked) => {
    expect(redactor(...secrets).mask(text)).toBe(masked);
  });

  it.each([
    [`key ${KEY}.`, 'key DC.***.'],
    [`${KEY}Zz9`, 'DC.***'],
    [`xx${KEY.toLowerCase()}`, 'xxdc.***'],
    [`/${KEY}/${KEY}`, '/DC.***/DC.***'],
    ['DC.a1B2c3D4', 'DC.a1B2c3D4'],
    [KEY.slice(0, -1), KEY.slice(0, -1)],
  ])('knows an API key by its shape: %s', (text, masked) => {
    expect(new Redactor().mask(text)).toBe(masked);
  });

  it('masks a known key whole', () => {
    expect(redactor(KEY).mask(`key ${KEY}.`)).toBe('key ***.');
  });

  it('is not led astray by secrets that repeat themselves', () => {
    for (const unit of ['\\', '%', '%25', 'a', '"', '\\u005c']) {
      const secret = unit.repeat(1000);
      expect(redactor(secret).mask(unit.repeat(999))).toBe(unit.repeat(999));
      expect(redactor(`${secret}!`).mask(unit.repeat(1500))).toBe(unit.repeat(1500));
      expect(redactor(secret).mask(`<${jsonEscaped(secret)}>`)).toBe('<***>');
    }
  });
});

describe('mask with long secrets and long texts', () => {
  /** Masks what is spelled plainly, one occurrence after another. */
  const oracle = (secrets: readonly string[], text: string): string => {
    const covered = Array.from({ length: text.length }, () => false);
    for (const secret of secrets) {
      for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1)) {
        covered.fill(true, at, at + secret.length);
      }
    }
    return covered
      .map((hidden, at) => {
        if (!hidden) return text[at];
        return covered[at - 1] ? '' : '***';
      })
      .join('');
  };

  it('masks as a search one by one does', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(
        fc.array(letters, { maxLength: 4 }),
        fc.array(letters, { maxLength: 12 }),
        (some, parts) => {
          const text = [...parts, ...some].join('');
          expect(redactor(...some).mask(text)).toBe(oracle(some, text));
        },
      ),
      { numRuns: runs(150) },
    );
  });

  it.each([
    [8000, ['x', 'aB3$', 'é "\\%/', '\\', '%25', '😀']],
    [40_000, ['x', 'aB3$']],
  ])('masks a secret of %i characters in every form', (length, units) => {
    for (const unit of units) {
      const secret = unit.repeat(Math.ceil(length / unit.length));
      const made = redactor(secret);
      for (const form of forms(secret)) expect(made.mask(`<${form}>`)).toMatch(/^<\*\*\*={0,2}>$/);
      expect(made.mask(`<${secret.slice(1)}>`)).toBe(`<${secret.slice(1)}>`);
    }
  });

  it('takes time in proportion to the text', () => {
    const secret = 'a'.repeat(20_000);
    const text = 'a'.repeat(500_000);
    expect(redactor(secret).mask(text)).toBe('***');
    expect(redactor(`${secret}!`, `!${secret}`).mask(text)).toBe(text);
    expect(redactor('\\'.repeat(20_000)).mask('\\'.repeat(500_000))).toBe('***');
  });

  it.each([
    ['two  blanks\tand\u00a0more', 'two blanks and more'],
    [' at the edges\n', 'at the edges'],
    ['soft\u00adhyphen\u0007', 'soft\\xadhyphen\\x07'],
  ])('masks %j as others print it', (secret, printed) => {
    expect(redactor(secret).mask(`<${printed}>`)).toBe('<***>');
    expect(redactor(secret).mask(`<${secret}>`)).toBe('<***>');
  });

  it('masks a URL that leaves percent signs as they are', () => {
    const url = new URL('https://localhost');
    url.password = 'ä%41 b';
    expect(redactor('ä%41 b').mask(url.href)).toBe('https://:***@localhost/');
  });
});

describe('visible', () => {
  const hostile =
    '\0\x07\b\x1b\r\x7f\x80\x9b\x9f\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202e\u2060\u2066\u2069\ufeff';

  it('shows what drives a terminal, turns text around or is not seen', () => {
    expect(visible('\x1b[31mred\u202e\n')).toBe('\\x1b[31mred\\u202e\\x0a');
    expect(visible('a\tb\r\nc', { keepNewlines: true })).toBe('a\tb\\x0d\nc');
    expect(visible('a\ud800b\udc00')).toBe('a\\ud800b\\udc00');
    for (const character of hostile) {
      expect(visible(character, { keepNewlines: true })).toMatch(/^\\(x[0-9a-f]{2}|u[0-9a-f]{4})$/);
    }
  });

  it.each([
    ['a soft hyphen', 'c\u00adi', 'c\\xadi'],
    ['a joiner after nothing or plain ASCII', '\u200dc\u200di\u200c', '\\u200dc\\u200di\\u200c'],
    ['a variation selector after a letter', 'ci\ufe0f\ufe01', 'ci\\ufe0f\\ufe01'],
    ['a variation selector of the supplement', 'ci\u{e0100}', 'ci\\udb40\\udd00'],
    ['tags that say something', 'ci\u{e0065}\u{e0076}', 'ci\\udb40\\udc65\\udb40\\udc76'],
    [
      'a flag without its end',
      '\u{1f3f4}\u{e0067}\u{e0062}',
      '\u{1f3f4}\\udb40\\udc67\\udb40\\udc62',
    ],
    [
      'letters without a shape',
      'c\u115f\u3164\uffa0\u034f\u17b4\u180ei',
      'c\\u115f\\u3164\\uffa0\\u034f\\u17b4\\u180ei',
    ],
  ])('shows %s', (_, text, shown) => {
    expect(visible(text)).toBe(shown);
    expect(JSON.parse(`"${visible(text, { json: true })}"`)).toBe(text);
  });

  it('leaves none of them in any text, and all else where it was', () => {
    const text = fc.string({
      unit: fc.oneof(fc.constantFrom(...hostile, '\ud83d', '\n'), fc.string()),
    });
    fc.assert(
      fc.property(text, (each) => {
        const shown = visible(each);
        for (const character of [...hostile, '\n', '\t']) expect(shown).not.toContain(character);
        expect(shown).not.toMatch(/\p{Cs}/u);
        expect(visible(shown)).toBe(shown);
        const back = shown.replace(/\\(?:x(..)|u(....))/g, (_, short: string, long: string) =>
          String.fromCharCode(Number.parseInt(short ?? long, 16)),
        );
        if (!/\\[xu]/.test(each)) expect(back).toBe(each);
      }),
      { numRuns: runs(150) },
    );
  });

  it.each([
    'plain text, "quoted" \\ and ~',
    'Gómez, Ångström, e\u0301, ﬁ',
    'Данные 数据 データ 데이터 ข้อมูล',
    'بيانات نتیجه\u200cگیری',
    'क्\u200dष',
    '1\ufe0f\u20e3 ☎\ufe0e 葛\u{e0100} ∩\ufe00',
    '👩\u200d🔬 👍🏽 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ❤️',
    '\u00a0\u3000\ufffd',
  ])('leaves ordinary text in any script as it is: %s', (text) => {
    expect(visible(text)).toBe(text);
  });
});
