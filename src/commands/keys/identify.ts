import { type ApiKey, listKeys } from '../../api/keys.ts';
import type { Context } from '../../cli/context.ts';
import type { OptionsOf } from '../../cli/option-types.ts';
import { identifyKeys } from '../../core/key-search.ts';
import { CliError } from '../../errors.ts';
import { askLine, readInput } from '../../ui/input.ts';
import type { identify } from './index.ts';
import { ID, NAME, PREFIX, printKeys, STATUS } from './rows.ts';

const MAX_INPUT_BYTES = 64 * 1024 * 1024;
/**
 * Prints which keys of the account occur in a text, such as a log. The text is neither sent nor
 * shown.
 */
export async function identifyKeysCommand(
  context: Context,
  { format }: OptionsOf<typeof identify>,
): Promise<void> {
  const { http } = await context.services.open('keys');
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
