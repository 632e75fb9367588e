import { isUtf8 } from 'node:buffer';
import { type JsonObject, textsIn } from '../text/json-values.ts';
import { type Finding, findingAt } from './findings.ts';

// Marks and signs that may follow a capital at the end of a word; they also occur as second halves
// of misread letters.
const END = '\u00a0…–—’”“‘»›«‹™®©°²³¹ªº·•¡?¼½¾';
// The bytes 0x80 to 0x9f in Windows-1252, which some versions of Node decode as Latin-1, as control
// characters.
const MARKS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f' + '\x90‘’“”•–—˜™š›œ\x9džŸ';

const LATIN_1 = Buffer.from(Uint8Array.from({ length: 128 }, (_, at) => at + 128)).toString(
  'latin1',
);
const MAC =
  'ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü' +
  '†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø' +
  '¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ' +
  '‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ';

/**
 * The encodings that spreadsheets guess: the characters of the bytes from 128, and a pattern of
 * misread texts.
 */
const ENCODINGS: readonly (readonly [
  name: string,
  characters: readonly string[],
  evidence: RegExp,
])[] = [
  [
    'Windows-1252',
    [MARKS, LATIN_1],
    // A letter and half a letter. Correct texts are AMANHÃ…, CAFÉ” and 5Å²: a capital and a mark
    // at the end of a word.
    new RegExp(
      `[Â-ÖØ-Þ](?:[^${END}\\0-\\x7f]|[${END}]\\p{L})|\\p{Ll}[Â-ÖØ-Þ][${END}]` +
        `|\\d[ÂÃ][${END}]|(?:×[^\\0-\\x7f]){2}` +
        `|[à-ô](?:[^${END}\\0-\\x7f][^\\0-\\x7f]|[${END}][^${END}\\0-\\x7f])`,
      'u',
    ),
  ],
  // Correct texts are the square roots of π and of infinity.
  ['Mac OS Roman', [MAC], /\p{L}[√¬][^\0-\x7fπ∞Ω∆∑∏∫±≥≤]|‚Ä[^\0-\x7f]/u],
];

/** Finds texts whose UTF-8 was read as another encoding, such as `StraÃŸe`, unless stored. */
export function misreadFindings(attributes: JsonObject, stored?: JsonObject): readonly Finding[] {
  const known = new Set(stored === undefined ? [] : textsIn(stored).map(([text]) => text));
  return textsIn(attributes).flatMap(([value, steps]) => {
    if (/^[\0-\x7f]*$/.test(value) || known.has(value)) return [];
    for (const [name, characters, evidence] of ENCODINGS) {
      const suggestion = reread(value, characters);
      if (suggestion === undefined || !(known.has(suggestion) || evidence.test(value))) continue;
      const message = `is UTF-8 that was opened in another encoding, ${name}: import it as UTF-8`;
      return [findingAt('error', steps, { message, value, suggestion })];
    }
    return [];
  });
}

/** The original of a text whose UTF-8 was read in an encoding; undefined for other texts. */
function reread(text: string, characters: readonly string[]): string | undefined {
  const bytes = Buffer.alloc(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const place = Math.max(...characters.map((all) => all.indexOf(text.charAt(at))));
    if (code >= 128 && place < 0) return undefined;
    bytes[at] = code < 128 ? code : 128 + place;
  }
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
