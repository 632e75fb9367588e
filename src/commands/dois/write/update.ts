import { type Attributes, type Doi, updateDoi } from '../../../api/dois.ts';
import { READ_ONLY } from '../../../api/record-match.ts';
import { type Event, stateAfter } from '../../../api/states.ts';
import type { Context } from '../../../cli/context.ts';
import { untilAnswered } from '../../../cli/uninterruptible.ts';
import { usageError } from '../../../errors.ts';
import type { Finding } from '../../../metadata/check.ts';
import { heldAttributes } from '../../../metadata/held.ts';
import { asAlternate, asIdentifiers } from '../../../metadata/identifiers.ts';
import { counted } from '../../../text/words.ts';
import { type BulkFlags, openRecords } from '../bulk/input.ts';
import { type ParsedRecord, parseRecord, requestOf } from '../record/document.ts';
import { asNotFound, getExistingDoi, refuseIneffective } from '../record/existing-doi.ts';
import { findingsIn, isError, refuseErrors, withLocations } from '../record/findings.ts';
import { readRecord, recordSource } from '../record/record-file.ts';
import { effective } from '../record/sent-record.ts';
import { findingsAgainst } from '../record/update-findings.ts';
import { checkState, printRecord, type ReportFormat } from '../record/written-record.ts';
import { assign } from './assign.ts';
import type { Assignment } from './assignment.ts';
import { changesOf, changeText } from './changes.ts';

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
    const misplaced = set.length === 0 ? undefined : '--set goes with one record';
    return bulkCommand(context, 'update', opened, options, misplaced);
  }
  const source = opened ?? (file === undefined ? undefined : recordSource(context, file));
  const given = source && (await readRecord(context, source, 'update'));
  if (given && options.validate) refuseErrors(context, given.source, findingsIn(given, 'update'));
  if (given?.row !== undefined && set.length > 0) {
    throw usageError('--set goes with no spreadsheet', 'write the value into a column of it');
  }
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
  const record = given && set.length === 0 ? given : mergedRecord(before, given, set);
  const sent = effective(record, before.attributes);
  const request = requestOf(sent, event);
  const against = findingsAgainst(before, record, request.event);
  const findings = findingsIn(record, 'update', against);
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
  if (options.dryRun) {
    const held = heldAttributes(sent.attributes, findings);
    return printChanges(context, before, held, request.event, options.format);
  }
  const after = await untilAnswered(context, () => updateDoi(service, before.id, request.body)).catch(
    (error: unknown) => {
      const hint = context.suggest('dois', 'get', before.id);
      throw withLocations(asNotFound(error, before.id, 'these credentials', hint), record);
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

/** A record with the attributes of the file and those of `--set`. */
function mergedRecord(
  before: Doi,
  given: ParsedRecord | undefined,
  set: readonly Assignment[],
): ParsedRecord {
  const own = given?.attributes ?? {};
  const attributes = { ...own, ...assign({ ...before.attributes, ...own }, set) };
  return parseRecord(JSON.stringify(attributes), set.length === 0 ? 'the update' : '--set');
}

/** The other list of identifiers: the service changes both (service.md, S8). */
function mirroredIdentifiers(stored: Attributes, sent: Attributes): Attributes {
  if ('identifiers' in sent && 'alternateIdentifiers' in stored) {
    return { alternateIdentifiers: asAlternate(sent['identifiers']) };
  }
  const isAlone = 'alternateIdentifiers' in sent && !('identifiers' in sent) && 'identifiers' in stored;
  return isAlone ? { identifiers: asIdentifiers(sent['alternateIdentifiers']) } : {};
}

/** Prints what the update would change. */
async function printChanges(
  context: Context,
  before: Doi,
  attributes: Attributes,
  event: Event | undefined,
  format: ReportFormat | undefined,
): Promise<void> {
  // Read-only attributes differ in an older copy of the record. The service ignores most (service.md, W15).
  const own = Object.entries({ ...attributes, ...mirroredIdentifiers(before.attributes, attributes) }).filter(
    ([name]) => !READ_ONLY.has(name) && !['event', 'doi', 'prefix', 'suffix', 'mode'].includes(name),
  );
  if (event !== undefined) own.push(['state', stateAfter(event)]);
  const changes = changesOf(before.attributes, Object.fromEntries(own));
  if (format === 'json' || format === 'ndjson') {
    const preview = {
      doi: before.id,
      changes: changes.map(({ path, before = null, after = null }) => ({ path, before, after })),
    };
    await context.out.write(`${JSON.stringify(preview, undefined, format === 'json' ? 2 : 0)}\n`);
  } else {
    await context.out.write(changes.map(changeText).join(''));
  }
  context.messages.note(
    `${changes.length === 0 ? `${before.id} would stay as it is` : `${counted(changes.length, 'change')} in ${before.id}`}; nothing was sent (--dry-run)`,
  );
}
