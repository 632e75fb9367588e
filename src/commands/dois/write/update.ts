import { type Attributes, type Doi, getDoi, updateDoi } from '../../../api/dois.ts';
import { READ_ONLY } from '../../../api/record-match.ts';
import type { Service } from '../../../api/service.ts';
import { type Event, stateAfter } from '../../../api/states.ts';
import type { Context } from '../../../cli/context.ts';
import { usageError } from '../../../errors.ts';
import type { Finding } from '../../../metadata/check.ts';
import { counted } from '../../../text/words.ts';
import type { BulkFlags } from '../bulk/flags.ts';
import { unlessMany } from '../bulk/input.ts';
import { type ParsedRecord, parseRecord, requestOf } from '../record/document.ts';
import { findingsIn, refusal, refuseErrors, sameDoi } from '../record/findings.ts';
import { absent, checkState, printRecord, type ReportFormat } from '../record/print-record.ts';
import { refuseUnfit } from '../record/refuse-event.ts';
import { beside } from '../record/update-findings.ts';
import { assign } from './assign.ts';
import type { Assignment } from './assignment.ts';
import { type Change, changesOf, changeText } from './changes.ts';
import { readRecord } from './input.ts';

export interface UpdateOptions extends BulkFlags {
  readonly file?: string;
  readonly set?: readonly Assignment[];
  readonly event?: Event;
  readonly dryRun?: boolean;
  /** False with `--no-validate`. */
  readonly validate: boolean;
  readonly format?: ReportFormat;
}

/**
 * Updates one DOI, or those of a file of many records: the attributes given replace those of the record. The record is read first, so that a slip in its
 * name does not create another one, and so that it is known what it will be.
 * @param doi from the command line; without one the file names it.
 * @throws {CliError} kind `usage` when the attributes have errors; `not-found` where there is no such record.
 */
export async function updateDoiCommand(
  context: Context,
  doi: string | undefined,
  options: UpdateOptions,
): Promise<void> {
  const { file, set, event } = options;
  if (file === undefined && set === undefined && event === undefined) {
    throw usageError('there is nothing to update', 'use --file, --set or --event');
  }
  if (options.validate) refuseWithoutEffect(set ?? []);
  const bytes = await unlessMany(context, 'update', doi === undefined ? file : undefined, options, () =>
    set === undefined ? undefined : '--set goes with one record',
  );
  if (bytes === 'done') return;
  const given = file === undefined ? undefined : await readRecord(context, file, 'update', bytes);
  if (given !== undefined && options.validate) {
    refuseErrors(context, given.source, findingsIn(given, 'update'));
  }
  const name = doi ?? given?.doi;
  if (name === undefined) {
    throw usageError(
      'which DOI is to be updated?',
      context.suggest('dois', 'update', '10.5072/abc', '--file', file ?? '-'),
    );
  }
  if (given !== undefined) sameDoi(given, name);
  const service = await context.service('writes');
  const before = await getDoi(service, name, { expanded: true }).catch((error: unknown) => {
    throw absent(error, name, 'these credentials');
  });
  const record = given !== undefined && set === undefined ? given : composed(before, given, set ?? []);
  const request = requestOf(record, event);
  if (options.validate) {
    refuseUnfit(context, request.event, before);
    const findings = findingsIn(record, 'update', beside(before, record, request.event));
    // Warnings about the file have been said.
    refuseErrors(context, record.source, record === given ? findings.filter(isError) : findings);
  }
  if (options.dryRun) return preview(context, before, record.attributes, request.event, options.format);
  const after = await send(context, service, before.id, record, request.body);
  await printRecord(context, after, options.format, 'updated');
  checkState(after, 'updated', request.event, context.suggest('dois', 'get', name));
}

/** What the service alone writes may stay in a record that was read; to set it would be a success without effect. */
function refuseWithoutEffect(set: readonly Assignment[]): void {
  for (const { path } of set) {
    const name = String(path[0]);
    if (['doi', 'prefix', 'suffix'].includes(name)) {
      throw usageError(
        '--set: a DOI stays what it is',
        'create another one, and delete this one if it is a Draft',
      );
    }
    if (!READ_ONLY.has(name)) continue;
    const hint = ['state', 'isActive'].includes(name)
      ? 'to change the state: --event publish, register or hide'
      : '--no-validate sends it all the same';
    throw usageError(`--set: only the service writes ${name}`, hint);
  }
}

/** A record of the file's attributes and those that were set. */
function composed(before: Doi, given: ParsedRecord | undefined, set: readonly Assignment[]): ParsedRecord {
  const own = given?.attributes ?? {};
  const attributes = { ...own, ...assign({ ...before.attributes, ...own }, set) };
  return parseRecord(JSON.stringify(attributes), set.length === 0 ? 'the update' : '--set');
}

function isError({ severity }: Finding): boolean {
  return severity === 'error';
}

async function send(
  context: Context,
  service: Service,
  doi: string,
  record: ParsedRecord,
  body: string,
): Promise<Doi> {
  try {
    return await updateDoi(service, doi, body);
  } catch (error) {
    throw refusal(absent(error, doi, 'these credentials', context.suggest('dois', 'get', doi)), record);
  }
}

async function preview(
  context: Context,
  before: Doi,
  attributes: Attributes,
  event: Event | undefined,
  format: ReportFormat | undefined,
): Promise<void> {
  const { event: _, doi: __, prefix: ___, ...others } = attributes;
  // Of an old copy these differ, and have no effect.
  const own = Object.fromEntries(Object.entries(others).filter(([name]) => !READ_ONLY.has(name)));
  const state: Change[] =
    event === undefined || before.attributes['state'] === stateAfter(event)
      ? []
      : [{ path: 'state', before: before.attributes['state'], after: stateAfter(event) }];
  const changes = [...changesOf(before.attributes, own), ...state];
  if (format === 'json' || format === 'ndjson') {
    const told = {
      doi: before.id,
      changes: changes.map(({ path, ...values }) => ({ path, ...nulls(values) })),
    };
    await context.out.write(`${JSON.stringify(told, undefined, format === 'json' ? 2 : 0)}\n`);
  } else {
    await context.out.write(changes.map(changeText).join(''));
  }
  context.messages.note(
    `${changes.length === 0 ? `${before.id} would stay as it is` : `${counted(changes.length, 'change')} in ${before.id}`}; nothing was sent (--dry-run)`,
  );
}

function nulls({ before, after }: Omit<Change, 'path'>): Omit<Change, 'path'> {
  return { before: before ?? null, after: after ?? null };
}
