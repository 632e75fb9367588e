import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { type RunOptions, run } from '../helpers/run.ts';
import { type HostileRecord, hostileService } from './service.ts';

/** Texts that would harm a terminal that showed them as they are. */
const TEXTS: readonly (readonly [what: string, text: string])[] = [
  ['a title of the window', '\u001b]0;pwned\u0007'],
  ['a link of its own', '\u001b]8;;https://evil.example/\u001b\\click\u001b]8;;\u001b\\'],
  ['the end of a link', '\u001b\\\u001b]8;;\u001b\\\u009c'],
  ['colours', '\u001b[31mred\u009b32mgreen'],
  ['a cleared screen', '\u001b[2J\u001bc\u009b2J'],
  ['a row of its own', 'a\n10.5072/fake  findable  2026\r\n\u2028\u0085b'],
  ['another direction', '\u202eevil\u2066\u200f'],
  ['lone halves', '\ud800x\udc00'],
  ['marks without end', `a${'\u0301'.repeat(5000)}`],
  ['joiners without end', '👩\u200d'.repeat(500)],
  ['wide characters', '東'.repeat(500)],
  ['characters of no width', '\u200b\u2060\u115f'.repeat(300)],
  ['tabs', '\t'.repeat(50)],
];
const LOOKS = { NO_COLOR: '', TERM: 'xterm-256color' };
/** The codes that the program writes itself: colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are codes of a terminal.
const OWN = /\u001b\[\d+m/g;

async function shown(
  argv: readonly string[],
  text: string,
  columns: number,
  more: RunOptions = {},
) {
  const { env } = await hostileService(
    (reply) => {
      for (const record of reply.body.data) spoil(record, text);
      return undefined;
    },
    { total: 5 },
  );
  const terminal = { stdout: true, stderr: true, columns };
  return run(argv, { ...more, env: { ...env, ...LOOKS }, terminal });
}

function spoil({ attributes }: HostileRecord, text: string): void {
  for (const name of ['url', 'publicationYear', 'version', 'language']) attributes[name] = text;
  attributes['titles'] = [{ title: text, titleType: text }];
  attributes['publisher'] = { name: text };
  attributes['types'] = { resourceTypeGeneral: text };
}

describe.each([20, 40, 80, 120])('in %i columns', (columns) => {
  it.each(TEXTS)('a table holds %s', async (_, text) => {
    for (const fields of [[], ['--fields', 'url,titles,version,publisher']]) {
      const { code, stdout } = await shown(['dois', 'list', ...fields], text, columns);
      expect(code).toBe(0);
      const plain = stdout.replace(OWN, '');
      expect(plain).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}|\p{Zl}|\p{Cs}/u);
      const lines = plain.split('\n');
      // In narrow columns, a DOI takes several lines.
      if (columns >= 80) expect(lines).toHaveLength(7);
      for (const line of lines) expect(stringWidth(line), line).toBeLessThanOrEqual(columns);
    }
  });
});
