import { findDoi } from '../../../api/dois.ts';
import type { Service } from '../../../api/service.ts';
import { requireTransfer } from '../../../api/transfer.ts';
import { confirmation } from '../../../cli/confirmation.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError, ClosedPipe, isOutage, usageError } from '../../../errors.ts';
import { openRecordFile } from '../../../formats/open.ts';
import { valueAt } from '../../../text/json-values.ts';
import { visible } from '../../../text/redact.ts';
import { counted } from '../../../text/words.ts';
import { OUTCOME_OF, type WriteCommand } from '../../../writing/ledger/outcome.ts';
import { requestFor } from '../../../writing/request.ts';
import { endsRun } from '../../../writing/run.ts';
import { refuseForMany, refuseForQuery, requestOptions, type WriteFlags } from '../bulk/input.ts';
import { printOutcome, writeOne } from './write-one.ts';

/** The commands that change any number of DOIs in the same way. */
export type StateVerb = Exclude<WriteCommand, 'create' | 'update'>;

/**
 * Changes the state of DOIs, transfers them, or deletes Drafts. It reads each record first, because
 * the service ignores an event that does not fit the state (service.md, W4) and deletes only Drafts
 * (service.md, W13).
 */
export async function changeCommand(
  context: Context,
  command: StateVerb,
  dois: readonly string[],
  options: WriteFlags,
): Promise<void> {
  if (options.where !== undefined) {
    refuseForQuery(dois, options);
    const { changeQuery } = await import('../bulk/query.ts');
    return changeQuery(context, command, options, (which) => QUESTIONS[command](which, ''));
  }
  if (options.file !== undefined) {
    if (dois.length > 0) {
      throw usageError(
        'DOIs on the command line and --file exclude each other',
        'write all into the file',
      );
    }
    const { bulkCommand } = await import('../bulk/bulk.ts');
    if (command === 'transfer')
      await requireTransfer(await context.services.open('writes'), options.to ?? '');
    const opened = await openRecordFile(context, options.file, { dois: true });
    return bulkCommand(context, command, opened, options, questionFor(context, command, options));
  }
  if (dois.length === 0) {
    throw usageError(`name the DOIs to ${command}`, context.again(['10.5072/abc']));
  }
  refuseForMany(command, options, 'results.ndjson');
  const distinct = [...new Map(dois.map((doi) => [doi.toLowerCase(), doi])).values()];
  const { dryRun = false, to } = options;
  const requested = requestOptions(command, options);
  const ask = questionFor(context, command, options);
  const service = await context.services.open('writes');
  if (command === 'transfer') await requireTransfer(service, to ?? '');
  if (command !== 'delete') await ask?.(counted(distinct.length, 'DOI'));
  else if (ask !== undefined) await askAboutDrafts(service, distinct, ask);
  // Several records are printed one per line.
  const isMany =
    distinct.length > 1 && !context.host.terminal.stdout && (command !== 'delete' || dryRun);
  const { format = isMany ? 'ndjson' : undefined } = options;
  const connect = async () => service;
  const mode = dryRun ? 'preview' : 'send';
  await forEachDoi(context, distinct, dryRun ? undefined : OUTCOME_OF[command], async (doi) => {
    const outcome = await writeOne(context, requestFor(doi, requested), connect, mode);
    await printOutcome(context, outcome, format, dryRun);
  });
}

/** Asks about the Drafts among some DOIs. Other DOIs get an error later. */
async function askAboutDrafts(
  service: Service,
  dois: readonly string[],
  ask: NonNullable<ReturnType<typeof questionFor>>,
): Promise<void> {
  const drafts: string[] = [];
  for (const doi of dois) {
    const { id, attributes } = (await findDoi(service, doi)) ?? {};
    const title = valueAt(attributes, ['titles', 0, 'title']);
    if (attributes?.['state'] !== 'draft') continue;
    drafts.push(`  ${visible(`${id}${typeof title === 'string' ? ` '${title}'` : ''}`)}\n`);
  }
  if (drafts.length === 0) return;
  await ask(drafts.length === 1 ? 'this Draft' : `these ${drafts.length} Drafts`, drafts.join(''));
}

/**
 * Changes one DOI after the other. It continues after a failure, unless the next DOI would also
 * fail. The error has the kind of the last failure; kind `usage`, which means that nothing was
 * done, only if every DOI failed.
 * @param done the outcome of a change; undefined for a dry run.
 */
async function forEachDoi(
  context: Context,
  dois: readonly string[],
  done: string | undefined,
  change: (doi: string) => Promise<void>,
): Promise<void> {
  const failures: { readonly doi: string; readonly error: CliError }[] = [];
  for (const [index, doi] of dois.entries()) {
    context.host.signal.throwIfAborted();
    try {
      await change(doi);
    } catch (error) {
      const changed = index + 1 - failures.length;
      // A reader that closed the pipe does not see that the command is incomplete.
      if (error instanceof ClosedPipe && changed < dois.length && done !== undefined) {
        throw new CliError(
          'incomplete',
          `stopped: ${changed} of ${dois.length} DOIs were ${done}`,
          {
            cause: error,
          },
        );
      }
      if (dois.length === 1 || !(error instanceof CliError)) throw error;
      if (endsRun(error) || isOutage(error)) throw error;
      context.messages.problem(error, doi);
      failures.push({ doi, error });
    }
  }
  if (failures.length === 0) return;
  const kind = failures.findLast(({ error }) => error.kind !== 'usage')?.error.kind;
  const usual = failures.length < dois.length ? 'rejected' : 'usage';
  const names = failures.map(({ doi }) => doi).join(', ');
  throw new CliError(
    kind ?? usual,
    `${failures.length} of ${dois.length} DOIs were not ${done ?? 'checked'}: ${names}`,
  );
}

const PERMANENT = 'A registered DOI cannot be deleted.';

const QUESTIONS: Readonly<Record<StateVerb, (which: string, to: string) => string>> = {
  delete: (which) => `Delete ${which} for good?`,
  transfer: (which, to) =>
    `Transfer ${which} to ${to}? Their present repository can no longer change them.`,
  publish: (which) => `Publish ${which}? ${PERMANENT}`,
  register: (which) => `Register ${which}? ${PERMANENT}`,
  hide: (which) => `Hide ${which}?`,
};

/**
 * Prepares the question before a change that cannot be undone. It refuses a command that cannot ask
 * before anything is read.
 * @returns asks about DOIs, after a list of them; undefined where no question is needed.
 */
function questionFor(
  context: Context,
  command: StateVerb,
  { file, yes, dryRun, to = '' }: WriteFlags,
): ((which: string, list?: string) => Promise<void>) | undefined {
  const isAlways = command === 'delete' || command === 'transfer';
  // Hidden DOIs can be published again.
  const isForFile = command !== 'hide' && file !== undefined && context.interactive;
  if (yes || dryRun || !(isAlways || isForFile)) return undefined;
  const reason = `${command === 'transfer' ? 'a transfer' : 'deleting'} asks for confirmation`;
  const confirmed = confirmation(context, { yes, reason, declined: 'nothing was sent' });
  return (which, list = '') => confirmed(list + QUESTIONS[command](which, to));
}
