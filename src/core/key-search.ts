import type { ApiKey } from '../api/keys.ts';
import { keyPrefixOf } from '../text/api-key.ts';

/** The form of a whole key (service.md, K3). */
const WHOLE_KEY = /DC\.[A-Za-z0-9]{32}/g;
/** The prefix of a key of that form (service.md, K2). */
const PREFIX_FORM = /DC\.[A-Za-z0-9]{8}/g;
/** The start of base64 that may contain a prefix, and the first character after its end. */
const BASE64_BEGIN = /[A-Za-z0-9+/_-]{16}/g;
const BASE64_AFTER = /[^A-Za-z0-9+/_-]/g;

/**
 * The keys whose prefixes (service.md, K2) a text contains, and the number of unknown whole keys.
 */
export function identifyKeys(text: string, keys: readonly ApiKey[]) {
  const readings = withoutZeros(text).flatMap((plain) => {
    // Many programs break base64 into lines.
    const whole = plain.replace(/(?<=[\w+/-])\r?\n[ \t]*(?=[\w+/-])/g, '');
    const pieces = [plain, whole].flatMap(base64In);
    // Text in front may also look like base64, as in `Basic%20…` and `/path/…`, so try all four
    // starts.
    const decoded = [0, 1, 2, 3].map((start) =>
      pieces
        .map((piece) => Buffer.from(piece.slice(start), 'base64').toString('latin1'))
        .join('\n'),
    );
    return [plain.replace(/%2e/gi, '.'), ...decoded.flatMap(withoutZeros)];
  });
  const textsLike = (form: RegExp) =>
    new Set(readings.flatMap((reading) => Array.from(reading.matchAll(form), ([match]) => match)));
  // One pass for all prefixes of the usual form: a search for each of 50,000 keys would take
  // minutes.
  const prefixes = textsLike(PREFIX_FORM);
  const matches = keys.filter(({ attributes: { keyPrefix } }) =>
    keyPrefix.replace(PREFIX_FORM, '') === ''
      ? prefixes.has(keyPrefix)
      : readings.some((reading) => reading.includes(keyPrefix)),
  );
  const known = new Set(matches.map(({ attributes }) => attributes.keyPrefix));
  return {
    matches,
    unknown: [...textsLike(WHOLE_KEY)].filter((key) => !known.has(keyPrefixOf(key))).length,
  };
}

/** The pieces of base64 in a text. A single pattern would overflow the stack on megabytes. */
function base64In(text: string): string[] {
  const pieces: string[] = [];
  BASE64_BEGIN.lastIndex = 0;
  for (let begin = BASE64_BEGIN.exec(text); begin !== null; begin = BASE64_BEGIN.exec(text)) {
    BASE64_AFTER.lastIndex = BASE64_BEGIN.lastIndex;
    const end = BASE64_AFTER.exec(text)?.index ?? text.length;
    pieces.push(text.slice(begin.index, end));
    BASE64_BEGIN.lastIndex = end;
  }
  return pieces;
}

/**
 * The text, and the text without zero bytes: in UTF-16, as PowerShell writes, every other byte is
 * zero.
 */
function withoutZeros(text: string): string[] {
  return text.includes('\0') ? [text, text.replaceAll('\0', '')] : [text];
}
