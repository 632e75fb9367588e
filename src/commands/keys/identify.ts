import { type ApiKey, listKeys } from '../../api/keys.ts';
import type { Context } from '../../cli/context.ts';
import type { OptionsOf } from '../../cli/option-types.ts';
import { CliError } from '../../errors.ts';
import { keyPrefixOf } from '../../text/api-key.ts';
import { askLine, readInput } from '../../ui/input.ts';
import type { identify } from './index.ts';
import { ID, NAME, PREFIX, printKeys, STATUS } from './rows.ts';

const MAX_INPUT_BYTES = 64 * 1024 * 1024;
/** The form of a whole key (service.md, K3). */
const WHOLE_KEY = /DC\.[A-Za-z0-9]{32}/g;
/** The prefix of a key of that form (service.md, K2). */
const PREFIX_FORM = /DC\.[A-Za-z0-9]{8}/g;
/** The start of base64 that may contain a prefix, and the first character after its end. */
const BASE64_BEGIN = /[A-Za-z0-9+/_-]{16}/g;
const BASE64_AFTER = /[^A-Za-z0-9+/_-]/g;

/**
 * Prints which keys of the account occur in a text, such as a log. The text is neither sent nor
 * shown.
 */
export async function identifyKeysCommand(
  context: Context,
  { format }: OptionsOf<typeof identify>,
): Promise<void> {
  const { http } = await context.service('keys');
  const text = context.interactive
    ? await askLine(context, 'The key, or a line with it:', { hidden: true })
    : (await readInput(context, context.host.stdin, 'stdin', MAX_INPUT_BYTES)).toString('latin1');
  const { matches, unknown } = identifyKeys(text, await listKeys(http, true));
  if (unknown > 0) {
    context.messages.warn(
      unknown === 1
        ? 'something in the input looks like an API key, but not of this account'
        : `${unknown} things in the input look like API keys, but not of this account`,
    );
  }
  if (matches.length === 0) {
    throw new CliError('not-found', 'the input contains no key of this account', {
      hint: context.suggest('keys', 'list', '--include-revoked'),
    });
  }
  const command = ({ attributes: { revokedAt } }: ApiKey, reference: string) =>
    revokedAt ? null : context.suggest('keys', 'revoke', reference);
  // With the short prefix, the whole command fits into 80 columns.
  const cell = (key: ApiKey) => command(key, key.attributes.keyPrefix) ?? '-';
  const toRevoke = { name: 'to revoke it', rank: 1, least: 35, cell };
  await printKeys(context, format, matches, [ID, NAME, PREFIX, STATUS, toRevoke], {
    json: (key) => ({ revoke: command(key, key.id) }),
  });
}

/**
 * The keys whose prefixes (service.md, K2) a text contains, and the number of unknown whole keys.
 */
function identifyKeys(text: string, keys: readonly ApiKey[]) {
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
