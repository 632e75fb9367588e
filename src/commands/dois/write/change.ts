import { type Doi, getExistingDoi } from '../../../api/dois.ts';
import type { Service } from '../../../api/service.ts';
import { stateAfter } from '../../../api/states.ts';
import { confirmation } from '../../../cli/confirmation.ts';
import type { Context } from '../../../cli/context.ts';
import { untilAnswered } from '../../../cli/uninterruptible.ts';
import { CliError, type ErrorKind, type Problem, usageError } from '../../../errors.ts';
import { OUTCOME_OF, type WriteCommand } from '../../../records/entry.ts';
import { planChange, sendPlan, type Wish } from '../../../records/plan.ts';
import { openRecordFile } from '../../../records/record-file.ts';
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
  dois: readonly string[],
  options: WriteFlags,
): Promise<void> {
  if (options.file !== undefined) return changeMany(context, command, dois, options.file, options);
  if (dois.length === 0) {
    throw usageError(`name the DOIs to ${command}`, `doi-cli dois ${command} 10.5072/abc`);
  }
  refuseForMany(command, options, 'results.ndjson');
  const { dryRun = false, validate = true, yes = false, reason } = options;
  const asks = command === 'delete' && !yes && !dryRun;
  const wish: Wish = { command, validate, reason };
  // Several records are easiest to tell apart when each is one line.
  const { format = dois.length > 1 && !context.host.terminal.stdout ? 'ndjson' : undefined } = options;
  const confirmed = confirmation(context, {
    yes: !asks,
    reason: 'deleting asks for confirmation',
    retry: context.suggest('dois', 'delete', ...dois, '--yes'),
    declined: 'nothing was deleted',
  });
  const service = await context.service('writes');
  if (asks) await confirmed(await deletionQuestion(context, service, dois));
  const outcome = OUTCOME_OF[command];
  await forEachDoi(context, dois, dryRun ? 'checked' : outcome, async (doi) => {
    // A Draft is checked again: the answer to the question may have taken a while.
    const before = await getExistingDoi(service, doi);
    const plan = planChange(context, before, wish);
    if (dryRun) return printPreview(context, before.id, plan.changes, format);
    if (plan.isUnchanged) {
      context.messages.note(`${doi} is ${stateAfter(plan.event)} already; nothing was sent`);
      return printRecord(context, before, format);
    }
    const after = await untilAnswered(context, () => sendPlan(service, plan));
    if (after !== undefined && outcome !== 'deleted') {
      return printWritten(context, after, { action: outcome, event: plan.event, format });
    }
    await context.out.write(deletedText(before.id, options.format));
  });
}

async function changeMany(
  context: Context,
  command: StateVerb,
  dois: readonly string[],
  file: string,
  flags: WriteFlags,
): Promise<void> {
  if (dois.length > 0) {
    throw usageError(
      'DOIs on the command line and --file exclude each other',
      'write all of them into the file',
    );
  }
  const [{ bulkCommand }, opened] = await Promise.all([
    import('../bulk/bulk.ts'),
    openRecordFile(context, file, { dois: true }),
  ]);
  return bulkCommand(context, command, opened, flags);
}

function deletedText(doi: string, format: WriteFlags['format'] = 'text'): string {
  if (format === 'text') return `Deleted ${doi}\n`;
  const result = { doi, state: null, outcome: 'deleted', errors: [] };
  return `${JSON.stringify(result, undefined, format === 'json' ? 2 : 0)}\n`;
}

/**
 * The question, with the DOIs that are Drafts.
 * @throws {CliError} when none is.
 */
async function deletionQuestion(
  context: Context,
  service: Service,
  dois: readonly string[],
): Promise<string> {
  const drafts: string[] = [];
  let refused: unknown;
  for (const doi of dois) {
    try {
      const draft = await getExistingDoi(service, doi);
      planChange(context, draft, { command: 'delete', validate: true });
      drafts.push(draftText(draft));
    } catch (error) {
      if (!(error instanceof CliError) || !['rejected', 'not-found'].includes(error.kind)) throw error;
      refused = error;
    }
  }
  // The reason for each DOI is reported in the loop of `forEachDoi`.
  if (drafts.length === 0)
    throw dois.length === 1 ? refused : new CliError('rejected', 'none of these DOIs is a Draft of yours');
  const question =
    drafts.length === 1 ? 'Delete this Draft for good?' : `Delete these ${drafts.length} Drafts for good?`;
  return `${drafts.join('')}${question}`;
}

/** A Draft with its title, as one line of the question. */
function draftText({ id, attributes }: Doi): string {
  const title = valueAt(attributes, ['titles', 0, 'title']);
  return `  ${id}${typeof title === 'string' ? ` '${title}'` : ''}\n`;
}

/** Failures after which the other DOIs would fail too. */
const FATAL: readonly ErrorKind[] = [
  'credentials',
  'unavailable',
  'throttled',
  'output',
  'interrupted',
  'terminated',
  'hung-up',
];

/**
 * Calls `act` for each of several DOIs. After a failure it goes on with the next DOI, unless that would fail
 * too.
 * @param action the participle for the error at the end: `deleted`.
 * @throws {CliError} the failure itself for a single DOI. For several, an error with the kind of the last
 *   failure; the kind is `usage` only when every DOI failed.
 */
async function forEachDoi(
  context: Context,
  dois: readonly string[],
  action: string,
  act: (doi: string) => Promise<void>,
): Promise<void> {
  const distinct = [...new Map(dois.map((doi) => [doi.toLowerCase(), doi])).values()];
  const failed: string[] = [];
  // Failures that JSON messages cannot show at once are listed in the error at the end.
  const unreported: Problem[] = [];
  let kind: ErrorKind = 'usage';
  for (const doi of distinct) {
    context.host.signal.throwIfAborted();
    try {
      await act(doi);
    } catch (error) {
      if (distinct.length === 1 || !(error instanceof CliError)) throw error;
      if (FATAL.includes(error.kind)) throw listing(error, unreported);
      if (!context.messages.reportAsText(error)) unreported.push(...problemsOf(doi, error));
      failed.push(doi);
      if (error.kind !== 'usage') kind = error.kind;
    }
  }
  if (failed.length > 0) {
    // Exit code 2 says that nothing was done.
    const final = kind === 'usage' && failed.length < distinct.length ? 'rejected' : kind;
    const message = `${failed.length} of ${distinct.length} DOIs were not ${action}: ${failed.join(', ')}`;
    throw listing(new CliError(final, message), unreported);
  }
}

function problemsOf(doi: string, { message, problems, lines }: CliError): Problem[] {
  const own = lines.length === 0 ? [] : problems;
  return [{ path: doi, message }, ...own.map((one) => ({ ...one, path: `${doi}: ${one.path}` }))];
}

/** The error with these problems, if there are any. */
function listing(error: CliError, problems: readonly Problem[]): CliError {
  if (problems.length === 0) return error;
  return error.with({ problems, lines: problems.map(({ path, message }) => `${path}: ${message}`) });
}
