import { listKeys } from '../../api/keys.ts';
import type { ApiKey } from '../../api/types.ts';
import type { Context } from '../../cli/context.ts';
import { printRows } from '../../cli/print-rows.ts';
import { CliError } from '../../errors.ts';
import { askSecret } from '../../ui/prompt.ts';
import { readStdin } from '../../ui/stdin.ts';

export interface IdentifyOptions {
  readonly format: 'table' | 'json';
}

const MOST_INPUT_BYTES = 64 * 1024 * 1024;
/** The shape of a whole key (observed). Keys are found without it; it tells of those that are not found. */
const WHOLE_KEY = /DC\.[A-Za-z0-9]{32}/g;
/**
 * Long enough to hold a prefix. Where it stands in an Authorization header, a key is base64. Written as {16,} it would
 * overflow the stack where a run is megabytes long.
 */
const BASE64 = /[A-Za-z0-9+/_-]{15}[A-Za-z0-9+/_-]+/g;

/**
 * Says which keys of the account a text holds: a bare key, a log line, a file. Nothing of the text is sent or shown.
 * @throws {CliError} kind `not-found` when it holds none.
 */
export async function identifyKeysCommand(context: Context, { format }: IdentifyOptions): Promise<void> {
  const { http } = await context.service('keys');
  const text = context.interactive
    ? await askSecret(context, 'The key, or a line with it:')
    : (await readStdin(context, MOST_INPUT_BYTES)).toString('latin1');
  const { found, unknown } = identifyKeys(text, await listKeys(http, true));
  if (unknown > 0) {
    context.messages.warn(
      `${unknown === 1 ? 'something in the input is' : `${unknown} things in the input are`} shaped like an API key,` +
        ' but not one of this account',
    );
  }
  if (found.length === 0) {
    throw new CliError('not-found', 'the input holds no key of this account', {
      hint: `is it another account's? This one's are: ${context.suggest('keys', 'list', '--include-revoked')}`,
    });
  }
  const identified = found.map(({ id, attributes: { name, keyPrefix, revokedAt } }) => ({
    id,
    name,
    keyPrefix,
    status: revokedAt ? `revoked ${revokedAt}` : 'active',
    revoke: revokedAt ? null : context.suggest('keys', 'revoke', id),
  }));
  await printRows(context, format, identified, {
    columns: ['id', 'name', 'prefix', 'status', 'to revoke it'],
    cells: ({ id, name, keyPrefix, status, revoke }) => [id, name, keyPrefix, status, revoke ?? '-'],
  });
}

/**
 * The keys whose prefixes (specification, section 2.1) stand in a text: as they are, percent-encoded, inside of
 * base64, or in UTF-16. `unknown` is how many whole keys the text holds that are none of them.
 */
function identifyKeys(
  text: string,
  keys: readonly ApiKey[],
): { readonly found: readonly ApiKey[]; readonly unknown: number } {
  const readings = withoutZeros(text).flatMap((plain) => [
    plain.replace(/%2e/gi, '.'),
    ...withoutZeros(
      [...plain.matchAll(BASE64)]
        .map(([piece]) => Buffer.from(piece, 'base64').toString('latin1'))
        .join('\n'),
    ),
  ]);
  const found = keys.filter(
    ({ attributes: { keyPrefix } }) =>
      keyPrefix !== '' && readings.some((reading) => reading.includes(keyPrefix)),
  );
  const whole = new Set(readings.flatMap((reading) => reading.match(WHOLE_KEY) ?? []));
  const unknown = [...whole].filter(
    (key) => !found.some(({ attributes }) => key.startsWith(attributes.keyPrefix)),
  );
  return { found, unknown: unknown.length };
}

/** In UTF-16, which PowerShell writes, every other byte of a key is zero. */
function withoutZeros(text: string): string[] {
  return text.includes('\0') ? [text, text.replaceAll('\0', '')] : [text];
}
