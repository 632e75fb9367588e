import { createDoi, type Doi } from '../../../api/dois.ts';
import type { Service } from '../../../api/service.ts';
import { type Event, stateAfter } from '../../../api/states.ts';
import type { Context } from '../../../cli/context.ts';
import { whileUninterruptible } from '../../../cli/uninterruptible.ts';
import { CliError, usageError } from '../../../errors.ts';
import type { BulkFlags } from '../bulk/flags.ts';
import { unlessMany } from '../bulk/input.ts';
import { type DoiDocument, doiDocument, type ParsedRecord, parseRecord } from '../record/document.ts';
import { findingsIn, refusal, refuseErrors } from '../record/findings.ts';
import { checkState, printRecord, type ReportFormat } from '../record/print-record.ts';
import { type AttributeOptions, attributesOf, refuseBoth } from './attributes.ts';
import { readRecord } from './input.ts';

export interface CreateOptions extends AttributeOptions, BulkFlags {
  readonly file?: string;
  readonly edit?: boolean;
  readonly event?: Event;
  readonly prefix?: string;
  readonly dryRun?: boolean;
  /** False with `--no-validate`. */
  readonly validate: boolean;
  readonly format?: ReportFormat;
}

/**
 * Creates one DOI from a file, from options or in an editor, and prints the record that came back; or all of a file of
 * many records, and prints what became of each.
 * @throws {CliError} kind `usage` when the record has errors; `rejected` also when it is in another state than the one
 *   asked for.
 */
export async function createDoiCommand(context: Context, options: CreateOptions): Promise<void> {
  refuseBoth(options);
  const { prefix: _, ...others } = options;
  const file = await unlessMany(context, 'create', options.edit ? undefined : options.file, options, () =>
    attributesOf(others) === undefined
      ? undefined
      : 'of the options that say what a record holds, only --prefix goes with many records',
  );
  if (file === 'done') return;
  const given = attributesOf(options);
  if (options.file !== undefined && Object.keys(given ?? {}).some((name) => name !== 'prefix')) {
    throw usageError(
      '--file and the options that say what a record holds exclude each other',
      'write them into the file, or leave --file out; --prefix may go with it',
    );
  }
  if (options.edit) return edited(context, given, options);
  if (options.file !== undefined) {
    return create(context, await readRecord(context, options.file, 'create', file), options);
  }
  if (given === undefined) {
    throw usageError(
      'there is nothing to create',
      'doi-cli dois create --file record.json, or --prefix 10.5072 --title … --creator …, or --edit',
    );
  }
  return create(context, parseRecord(JSON.stringify(given), 'the record'), options);
}

async function edited(
  context: Context,
  given: Readonly<Record<string, unknown>> | undefined,
  options: CreateOptions,
): Promise<void> {
  const [{ editText }, { recordTemplate }] = await Promise.all([
    import('./edit.ts'),
    import('./template.ts'),
  ]);
  const from =
    options.file === undefined
      ? (given ?? {})
      : (await readRecord(context, options.file, 'create')).attributes;
  const year = new Date(context.host.now()).getUTCFullYear();
  // What was written is kept until the record is there, and no longer: sent again it would be another one.
  const created = await editText(context, recordTemplate(from, year), (text, file) =>
    send(context, parseRecord(text, file), options),
  );
  await tell(context, created, options);
}

async function create(context: Context, record: ParsedRecord, options: CreateOptions): Promise<void> {
  await tell(context, await send(context, record, options), options);
}

/** A record that was created, and the event that was to lead to its state. */
interface Created {
  readonly made: Doi;
  readonly event: Event | undefined;
}

/** @returns undefined where nothing is sent. */
async function send(
  context: Context,
  record: ParsedRecord,
  options: CreateOptions,
): Promise<Created | undefined> {
  const document = doiDocument(record, options.event, options.prefix ?? (await context.prefix()));
  if (options.validate) {
    refuseErrors(context, record.source, findingsIn(record, stateAfter(document.event)));
  }
  if (options.dryRun) {
    await context.out.write(`${document.body.trim()}\n`);
    context.messages.note('nothing was sent (--dry-run)');
    return undefined;
  }
  const service = await context.service('writes');
  const made = await post(context, service, document).catch((error: unknown) => {
    throw refusal(error, record);
  });
  return { made, event: document.event };
}

async function tell(
  context: Context,
  created: Created | undefined,
  { format }: CreateOptions,
): Promise<void> {
  if (created === undefined) return;
  const { made, event } = created;
  await printRecord(context, made, format, 'created');
  checkState(made, 'created', event, context.suggest('dois', 'get', made.id));
}

async function post(context: Context, service: Service, document: DoiDocument): Promise<Doi> {
  return whileUninterruptible(
    context.host.signal,
    () => context.messages.status('waiting for the answer, so that it is known whether the DOI exists'),
    () =>
      createDoi(service, document.body).catch((error: unknown) => {
        throw inDoubt(context, error, document);
      }),
  );
}

/** Where the answer was lost the record may exist: say how to find out instead of sending it again. */
function inDoubt(context: Context, error: unknown, { doi }: DoiDocument): unknown {
  if (!(error instanceof CliError) || error.kind !== 'unavailable') return error;
  const look =
    doi === undefined
      ? context.suggest('dois', 'list', '--mine', '--sort', '-created', '--limit', '5')
      : context.suggest('dois', 'get', doi);
  return new CliError(error.kind, error.message, {
    hint: `before you try again: ${look}`,
    ...(error.status === undefined ? {} : { status: error.status }),
    cause: error,
  });
}
