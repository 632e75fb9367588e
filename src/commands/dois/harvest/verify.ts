import type { Context } from '../../../cli/context.ts';
import { jobsFor } from '../../../cli/service.ts';
import { accountOrNull } from '../../../core/copy.ts';
import { CliError, usageError } from '../../../errors.ts';
import { mixedForms } from '../../../harvest/copy/copy-form.ts';
import { refuseDamage } from '../../../harvest/copy/damage.ts';
import { type Comparison, sameQuery, verifyHarvest } from '../../../harvest/copy/verify.ts';
import type { LedgerData } from '../../../harvest/store/ledger-data.ts';
import { ONLY_FRESH } from '../../../harvest/store/receipt.ts';
import { saveRemoved } from '../../../harvest/store/removed.ts';
import { counted, number } from '../../../text/words.ts';
import { directoryOf, ledgersOf, withProgress } from './directory.ts';
import type { HarvestFlags } from './harvest.ts';

type VerifyFlags = Pick<HarvestFlags, 'dir' | 'jobs' | 'rate'> & {
  readonly format: 'text' | 'json' | 'ndjson';
};

/** Compares the DOIs of a directory with the service's. */
export async function verifyCommand(context: Context, options: VerifyFlags): Promise<void> {
  const dir = await directoryOf(options);
  const ledgers = await ledgersOf(dir);
  const query = sameQuery(ledgers);
  await refuseDamage(ledgers, dir, context.host.signal);
  // A file must not decide where credentials are sent.
  const baseUrl = await context.baseUrl();
  if (baseUrl.href !== query.baseUrl) {
    throw usageError(
      `${dir} holds a harvest of ${query.baseUrl}, not of ${baseUrl.href}`,
      `add --base-url ${query.baseUrl}`,
    );
  }
  const service = await context.service('reads', options.rate ?? 'service');
  const account = await accountOrNull(service);
  if (account !== query.account) {
    const [before, now] = [query.account, account].map((reader) => reader ?? 'an anonymous reader');
    throw usageError(
      `${dir} holds what ${before} sees, not what ${now} sees`,
      query.account === null ? 'add --anonymous' : `use the credentials of ${query.account}`,
    );
  }
  const jobs = options.jobs ?? jobsFor(service);
  const comparison = await withProgress(context, (host) =>
    verifyHarvest({ service, ...host }, dir, ledgers, jobs),
  );
  await rememberSurplus(context, dir, ledgers, comparison.surplus);
  await context.out.write(...comparisonLines(comparison, options.format));
  reportComparison(context, comparison, await mixedForms(dir, ledgers));
}

/** Saves the surplus DOIs for the table `removed`; a copy on a read-only disk has no such list. */
async function rememberSurplus(
  { host, messages }: Context,
  dir: string,
  ledgers: readonly LedgerData[],
  surplus: readonly string[],
): Promise<void> {
  const now = new Date(host.now()).toISOString();
  try {
    await saveRemoved(dir, ledgers, surplus, now, host.signal);
  } catch (error) {
    if (!(error instanceof CliError && error.kind === 'output')) throw error;
    messages.warn(`the surplus DOIs are not saved for dois harvest export: ${error.message}`);
  }
}

function reportComparison(
  context: Context,
  { missing, surplus, here, atService }: Comparison,
  mixed: string | undefined,
): void {
  const counts = `${counted(here, 'DOI')} here, ${number(atService)} at the service`;
  const differences = `${number(missing.length)} missing, ${number(surplus.length)} surplus`;
  if (mixed !== undefined)
    throw new CliError('incomplete', `${counts}: ${differences}; ${mixed}`, { hint: ONLY_FRESH });
  if (missing.length === 0 && surplus.length === 0) {
    context.messages.note(`${counts}; none missing, none surplus`);
    return;
  }
  throw new CliError('incomplete', `${counts}: ${differences}`, {
    hint:
      missing.length > 0
        ? 'the same harvest again fetches DOIs created since'
        : 'surplus DOIs are no longer part of the query: hidden, deleted or changed since',
  });
}

function comparisonLines(
  { missing, surplus, here, atService }: Comparison,
  format: VerifyFlags['format'],
): string[] {
  if (format === 'json') {
    const same = missing.length === 0 && surplus.length === 0;
    return [`${JSON.stringify({ same, here, atService, missing, surplus }, null, 2)}\n`];
  }
  const line = (doi: string, what: string) =>
    format === 'ndjson' ? `${JSON.stringify({ doi, what })}\n` : `${what} ${doi}\n`;
  return [
    ...missing.map((doi) => line(doi, 'missing')),
    ...surplus.map((doi) => line(doi, 'surplus')),
  ];
}
