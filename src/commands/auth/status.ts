import type { Context } from '../../cli/context.ts';
import { printRows, type RowColumn } from '../../cli/print-rows.ts';
import { withoutCredentials } from '../../text/parsers.ts';
import { allCredentials, type CredentialStatus, verifyCredential } from './credential-status.ts';

const COLUMNS: readonly RowColumn[] = [
  { name: 'base URL', least: 14, rank: 1 },
  { name: 'account', least: 12 },
  { name: 'kind', rank: 3 },
  { name: 'source', least: 11, rank: 2 },
  { name: 'accepted', least: 17, style: (cell) => (cell.startsWith('yes') ? 'green' : 'red') },
];

/** The exit code for credentials that are missing or refused. */
const NOT_ACCEPTED = 4;

/**
 * Prints every credential of the environment and of the stores, and whether the service accepts it. With a
 * base URL chosen for this run, only those for it.
 * @returns the exit code: 4 when one is refused or there are none, 5 when the service did not answer.
 */
export async function statusCommand(
  context: Context,
  { format }: { readonly format: 'text' | 'json' },
): Promise<number> {
  const { baseUrl: url, test, profile } = context.options;
  const { DOI_CLI_BASE_URL, DOI_CLI_PROFILE } = context.host.env;
  const isChosen = url || test || profile || DOI_CLI_BASE_URL || DOI_CLI_PROFILE;
  const statuses: CredentialStatus[] = [];
  const exitCodes: number[] = [];
  for (const credential of await allCredentials(context, !isChosen)) {
    const { status, exitCode } = await verifyCredential(context, credential);
    statuses.push({ ...status, baseUrl: withoutCredentials(status.baseUrl) });
    exitCodes.push(exitCode);
  }
  if (statuses.length === 0) context.messages.note(`not logged in; ${context.suggest('auth', 'login')}`);
  await printRows(context, format === 'text' ? 'table' : format, statuses, {
    columns: COLUMNS,
    cells: ({ baseUrl, account, kind, source, keyPrefix, accepted, message }) => {
      const word = accepted === null ? 'unknown' : accepted ? 'yes' : 'no';
      const what = keyPrefix === null ? kind : `${kind} ${keyPrefix}`;
      return [baseUrl, account ?? '?', what, source, message === null ? word : `${word}: ${message}`];
    },
  });
  if (statuses.length === 0) return NOT_ACCEPTED;
  return exitCodes.includes(NOT_ACCEPTED) ? NOT_ACCEPTED : (exitCodes.find((code) => code !== 0) ?? 0);
}
