import { findDoi, getExistingDoi } from '../../../api/dois.ts';
import type { Service } from '../../../api/service.ts';
import { stateAfter } from '../../../api/states.ts';
import { confirmation } from '../../../cli/confirmation.ts';
import type { Context } from '../../../cli/context.ts';
import { untilAnswered } from '../../../cli/uninterruptible.ts';
import { CliError, usageError } from '../../../errors.ts';
import type { ParsedRecord } from '../../../records/document.ts';
import { OUTCOME_OF, type WriteCommand } from '../../../records/entry.ts';
import { reportFindings } from '../../../records/findings.ts';
import { planChange, sendPlan, type Wish } from '../../../records/plan.ts';
import { openRecordFile } from '../../../records/record-file.ts';
import { endsRun } from '../../../records/run.ts';
import { valueAt } from '../../../text/json-values.ts';
import { refuseForMany, type WriteFlags } from '../bulk/input.ts';
import { printPreview, printRecord, printWritten } from '../record/print.ts';

/** The commands that change any number of DOIs alike. */
export type StateVerb = Exclude<WriteCommand, 'create' | 'update'>;

/**
 * Moves DOIs to another state, or deletes Drafts after a confirmation, and prints each of them. It reads each record
 * first, because the service ignores an event that does not fit (service.md, W4) and deletes Drafts only
 * (service.md, W13).
 * @throws {CliError} kind `rejected` when a DOI is not in the state asked for; `usage` before any request for a
 *   deletion that nobody can be asked about, without `--yes`.
 */
export async function changeCommand(
  context: Context,
  command: StateVerb,
  given: readonly string[],
  options: WriteFlags,
): Promise<void> {
  if (options.file !== undefined) {
    if (given.length > 0) {
      throw usageError('DOIs on the command line and --file exclude each other', 'write all into the file');
    }
    const { bulkCommand } = await import('../bulk/bulk.ts');
    const opened = await openRecordFile(context, options.file, { dois: true });
    return bulkCommand(context, command, opened, options);
  }
  if (given.length === 0) {
    throw usageError(`name the DOIs to ${command}`, `doi-cli dois ${command} 10.5072/abc`);
  }
  refuseForMany(command, options, 'results.ndjson');
  const dois = [...new Map(given.map((doi) => [doi.toLowerCase(), doi])).values()];
  const { dryRun = false, validate = true, reason } = options;
  const asks = command === 'delete' && !options.yes && !dryRun;
  const confirmed = confirmation(context, {
    yes: !asks,
    reason: 'deleting asks for confirmation',
    retry: context.suggest('dois', 'delete', ...dois, '--yes'),
    declined: 'nothing was deleted',
  });
  const service = await context.service('writes');
  const drafts = asks ? await draftsIn(service, dois) : [];
  if (drafts.length > 0) {
    const which = drafts.length === 1 ? 'this Draft' : `these ${drafts.length} Drafts`;
    await confirmed(`${drafts.join('')}Delete ${which} for good?`);
  }
  // Several records are easiest to tell apart when each is one line.
  const isMany = dois.length > 1 && !context.host.terminal.stdout && (command !== 'delete' || dryRun);
  const { format = isMany ? 'ndjson' : undefined } = options;
  const done = dryRun ? 'checked' : OUTCOME_OF[command];
  await forEachDoi(context, dois, done, (doi) =>
    changeDoi(context, service, doi, { command, validate, reason }, { dryRun, format }),
  );
}

/**
 * Changes one record, or deletes it, and prints it; with `--dry-run` only what would change.
 * @param given the attributes of an update that are in a file.
 */
export async function changeDoi(
  context: Context,
  service: Service,
  doi: string,
  wish: Wish,
  { dryRun, format }: { readonly dryRun?: boolean; readonly format?: WriteFlags['format'] | undefined },
  given?: ParsedRecord,
): Promise<void> {
  const before = await getExistingDoi(service, doi);
  const plan = planChange(context, before, wish, given);
  if (wish.validate) reportFindings(context, plan.record().source, plan.findings, plan.hint);
  if (dryRun) return printPreview(context, before.id, plan.changes, format);
  if (plan.isUnchanged && wish.command !== 'update') {
    context.messages.note(`${doi} is ${stateAfter(plan.event)} already; nothing was sent`);
    return printRecord(context, before, format);
  }
  const after = await untilAnswered(context, () => sendPlan(service, plan));
  const action = OUTCOME_OF[wish.command];
  if (after !== undefined && action !== 'deleted') {
    return printWritten(context, after, { action, event: plan.event, format });
  }
  await context.out.write(deletedText(before.id, format));
}

function deletedText(doi: string, format: WriteFlags['format'] = 'text'): string {
  if (format === 'text') return `Deleted ${doi}\n`;
  const result = { doi, state: null, outcome: 'deleted', errors: [] };
  return `${JSON.stringify(result, undefined, format === 'json' ? 2 : 0)}\n`;
}

/** The Drafts among some DOIs with their titles, one a line. Why another DOI cannot be deleted is said in its turn. */
async function draftsIn(service: Service, dois: readonly string[]): Promise<string[]> {
  const drafts: string[] = [];
  for (const doi of dois) {
    const { id, attributes } = (await findDoi(service, doi)) ?? {};
    const title = valueAt(attributes, ['titles', 0, 'title']);
    if (attributes?.['state'] !== 'draft') continue;
    drafts.push(`  ${id}${typeof title === 'string' ? ` '${title}'` : ''}\n`);
  }
  return drafts;
}

/**
 * Changes one DOI after the other. After a failure it goes on with the next, unless that would fail too.
 * @param done the participle for the error at the end: `deleted`.
 * @throws {CliError} the failure itself for a single DOI. For several, an error with the kind of the last
 *   failure; the kind is `usage`, which says that nothing was done, only when every DOI failed.
 */
async function forEachDoi(
  context: Context,
  dois: readonly string[],
  done: string,
  change: (doi: string) => Promise<void>,
): Promise<void> {
  const failures: { readonly doi: string; readonly error: CliError }[] = [];
  for (const doi of dois) {
    context.host.signal.throwIfAborted();
    try {
      await change(doi);
    } catch (error) {
      if (dois.length === 1 || !(error instanceof CliError)) throw error;
      if (endsRun(error) || ['unavailable', 'throttled'].includes(error.kind)) throw error;
      context.messages.problem(error, doi);
      failures.push({ doi, error });
    }
  }
  if (failures.length === 0) return;
  const kind = failures.findLast(({ error }) => error.kind !== 'usage')?.error.kind;
  const usual = failures.length < dois.length ? 'rejected' : 'usage';
  const names = failures.map(({ doi }) => doi).join(', ');
  throw new CliError(kind ?? usual, `${failures.length} of ${dois.length} DOIs were not ${done}: ${names}`);
}
