import { type ApiKey, listKeys } from '../../api/keys.ts';
import type { Context } from '../../cli/context.ts';
import { printRows } from '../../cli/print-rows.ts';
import { CliError } from '../../errors.ts';
import { askLine, readStdin } from '../../ui/input.ts';
import { KEY_COLUMNS } from './columns.ts';

const { id, name, prefix, status } = KEY_COLUMNS;

const MAX_INPUT_BYTES = 64 * 1024 * 1024;
/** The form of a whole key (service.md, K3); only the warning about keys of other accounts depends on it. */
const WHOLE_KEY = /DC\.[A-Za-z0-9]{32}/g;
/**
 * Base64 long enough to hold a prefix, such as a key in an Authorization header. Written as {16,} it
 * overflows the stack on runs of megabytes.
 */
const BASE64 = /[A-Za-z0-9+/_-]{15}[A-Za-z0-9+/_-]+/g;

/**
 * Prints which keys of the account a text (a key, a log line, a file) contains. It neither sends nor shows
 * the text.
 * @throws {CliError} kind `not-found` when the text contains no key of the account.
 */
export async function identifyKeysCommand(
  context: Context,
  { format }: { readonly format: 'table' | 'json' },
): Promise<void> {
  const { http } = await context.service('keys');
  const text = context.interactive
    ? await askLine(context, 'The key, or a line with it:', { hidden: true })
    : (await readStdin(context, MAX_INPUT_BYTES)).toString('latin1');
  const { found, unknown } = identifyKeys(text, await listKeys(http, true));
  if (unknown > 0) {
    context.messages.warn(
      unknown === 1
        ? 'something in the input looks like an API key, but is not one of this account'
        : `${unknown} things in the input look like API keys, but are not of this account`,
    );
  }
  if (found.length === 0) {
    throw new CliError('not-found', 'the input holds no key of this account', {
      hint: `it may belong to another account; this account's keys: ${context.suggest('keys', 'list', '--include-revoked')}`,
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
    columns: [id, name, prefix, status, { name: 'to revoke it', rank: 1, least: 30 }],
    cells: ({ id, name, keyPrefix, status, revoke }) => [id, name, keyPrefix, status, revoke ?? '-'],
  });
}

/**
 * The keys whose prefixes (service.md, K2) a text holds, plain or percent-encoded, in base64 or UTF-16.
 * @returns `unknown`: the number of whole keys in the text that are not among `keys`.
 */
function identifyKeys(text: string, keys: readonly ApiKey[]) {
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

/** Also without zero bytes: in UTF-16, which PowerShell writes, every other byte of a key is zero. */
function withoutZeros(text: string): string[] {
  return text.includes('\0') ? [text, text.replaceAll('\0', '')] : [text];
}
