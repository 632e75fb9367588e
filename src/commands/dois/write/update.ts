import { updateDoi } from '../../../api/dois.ts';
import { READ_ONLY } from '../../../api/record-match.ts';
import type { Context } from '../../../cli/context.ts';
import { untilAnswered } from '../../../cli/uninterruptible.ts';
import { usageError } from '../../../errors.ts';
import type { Finding } from '../../../metadata/check.ts';
import type { Assignment } from '../../../records/assignment.ts';
import { refuseTwoDois } from '../../../records/document.ts';
import { asNotFound, getExistingDoi, refuseIneffective } from '../../../records/existing-doi.ts';
import { findingsIn, isError, refuseErrors, withLocations } from '../../../records/findings.ts';
import { readRecord } from '../../../records/record-file.ts';
import { recordSource } from '../../../records/record-source.ts';
import { planUpdate } from '../../../records/update-plan.ts';
import { type BulkFlags, openRecords } from '../bulk/input.ts';
import { printPreview } from '../change/preview.ts';
import { checkState, printRecord } from '../record/written-record.ts';

interface UpdateOptions extends BulkFlags {
  readonly file?: string;
  readonly set?: readonly Assignment[];
}

/**
 * Updates one DOI, or each record of a file: the attributes given replace those of the record. The record is
 * read first: an update of a mistyped DOI would create it, and the checks need the record's state and
 * attributes.
 * @param doi from the command line; without one the file names it.
 * @throws {CliError} kind `usage` when the attributes have errors; `not-found` when there is no such record.
 */
export async function updateDoiCommand(
  context: Context,
  doi: string | undefined,
  options: UpdateOptions,
): Promise<void> {
  const { file, set = [], event } = options;
  if (file === undefined && set.length === 0 && event === undefined) {
    throw usageError('there is nothing to update', 'use --file, --set or --event');
  }
  if (options.validate) refuseWithoutEffect(set);
  const opened = await openRecords(context, 'update', doi === undefined ? file : undefined, options);
  if (opened?.kind === 'many') {
    const { bulkCommand } = await import('../bulk/bulk.ts');
    return bulkCommand(context, 'update', opened, options);
  }
  const source = opened ?? (file === undefined ? undefined : recordSource(context, file));
  const given = source && (await readRecord(context, source, 'update'));
  if (given && options.validate) refuseErrors(context, given.source, findingsIn(given, 'update'));
  if (given?.row !== undefined && set.length > 0) {
    throw usageError('--set goes with no spreadsheet', 'write the value into a column of it');
  }
  if (given !== undefined) refuseTwoDois(given.source, given.id, given.attributes['doi']);
  const name = doi ?? given?.doi;
  if (name === undefined) {
    throw usageError(
      'which DOI should be updated?',
      context.suggest('dois', 'update', '10.5072/abc', '--file', file ?? '-'),
    );
  }
  if (given?.doi !== undefined && given.doi.toLowerCase() !== name.toLowerCase()) {
    throw usageError(
      `${given.source} is the record of ${given.doi}, not of ${name}`,
      'remove the DOI from the file',
    );
  }
  const service = await context.service('writes');
  const before = await getExistingDoi(service, name, { expanded: true });
  const { record, request, findings, against, changes } = planUpdate(before, given, set, event);
  if (options.validate) {
    refuseIneffective(context, request.event, before);
    // The warnings about the file alone have already been printed.
    const isNew = ({ path, message }: Finding) =>
      record !== given || against.some((one) => one.path === path && one.message === message);
    refuseErrors(
      context,
      record.source,
      findings.filter((one) => isError(one) || isNew(one)),
    );
  }
  if (options.dryRun) return printPreview(context, before.id, changes, options.format);
  const after = await untilAnswered(context, () => updateDoi(service, before.id, request.body)).catch(
    (error: unknown) => {
      const hint = context.suggest('dois', 'get', before.id);
      throw withLocations(asNotFound(error, before.id, service, hint), record);
    },
  );
  await printRecord(context, after, options.format, 'updated');
  checkState(after, 'updated', request.event, context.suggest('dois', 'get', name));
}

/** Refuses read-only attributes: to set most of them would have no effect (service.md, W15). */
function refuseWithoutEffect(set: readonly Assignment[]): void {
  for (const { path } of set) {
    const name = String(path[0]);
    if (['doi', 'prefix', 'suffix'].includes(name)) {
      throw usageError(
        '--set: a DOI cannot be changed',
        'create another DOI, and delete this one if it is a Draft',
      );
    }
    if (!READ_ONLY.has(name)) continue;
    const hint = ['state', 'isActive'].includes(name)
      ? 'to change the state: --event publish, register, hide or show'
      : '--no-validate sends it anyway';
    throw usageError(`--set: only the service writes ${name}`, hint);
  }
}
