import { createDoi } from '../../../api/dois.ts';
import { stateAfter } from '../../../api/states.ts';
import type { Context } from '../../../cli/context.ts';
import { whileUninterruptible } from '../../../cli/uninterruptible.ts';
import { CliError, usageError } from '../../../errors.ts';
import type { Finding } from '../../../metadata/check.ts';
import { heldAttributes } from '../../../metadata/corrections.ts';
import { OPTIONS, type ParsedRecord, parseRecord, recordOf } from '../../../records/document.ts';
import { findingsIn, reportFindings, withLocations } from '../../../records/findings.ts';
import { openRecordFile, readRecord } from '../../../records/record-file.ts';
import { type DoiDocument, doiDocument } from '../../../records/sent-record.ts';
import { indentJson } from '../../../text/json.ts';
import type { JsonObject } from '../../../text/json-values.ts';
import { openRecords, refuseForMany, type WriteFlags } from '../bulk/input.ts';
import { printWritten } from '../record/print.ts';
import { type AttributeOptions, attributesOf, refuseBoth, withOwnPrefix } from './attributes.ts';

interface CreateOptions extends AttributeOptions, WriteFlags {
  readonly prefix?: string;
  readonly edit?: boolean;
  readonly template?: 'csv' | 'tsv';
}

/**
 * Creates one DOI from a file, from options or in an editor, and prints the record of the answer; or creates
 * all records of a file, and prints the result of each.
 * @throws {CliError} kind `usage` when the record has errors; `rejected` also when the service leaves it in
 *   another state than the one asked for.
 */
export async function createDoiCommand(context: Context, typed: CreateOptions): Promise<void> {
  if (typed.template !== undefined) {
    const { tableTemplate } = await import('./template.ts');
    return context.out.write(tableTemplate(typed.template === 'csv' ? ',' : '\t'));
  }
  refuseBoth(typed);
  const options = withOwnPrefix(typed);
  const given = attributesOf(options);
  const describes = Object.keys(given ?? {}).some((name) => name !== 'prefix');
  if (options.edit || options.file === undefined) refuseForMany('create', options);
  const file =
    options.edit || options.file === undefined
      ? undefined
      : await openRecords(context, options.file, options);
  if (file?.kind === 'many') {
    if (describes) {
      throw usageError(
        'of the options that describe a record, only --prefix goes with many records',
        'leave the option out',
      );
    }
    const { bulkCommand } = await import('../bulk/bulk.ts');
    return bulkCommand(context, 'create', file, options);
  }
  if (options.file !== undefined && describes) {
    throw usageError(
      '--file and the options that describe a record exclude each other',
      'write them into the file',
    );
  }
  if (options.edit) return createInEditor(context, given, options);
  if (file === undefined && given === undefined) {
    throw usageError('there is nothing to create', 'doi-cli dois create --edit');
  }
  const record = file === undefined ? recordOf(given ?? {}, OPTIONS) : await readRecord(file, 'create');
  const report = await send(context, record, options);
  await report();
}

async function createInEditor(
  context: Context,
  given: JsonObject | undefined,
  options: CreateOptions,
): Promise<void> {
  const [{ editText }, { recordTemplate, withoutPlaceholders }] = await Promise.all([
    import('./edit.ts'),
    import('./template.ts'),
  ]);
  const from =
    options.file === undefined
      ? (given ?? {})
      : (await readRecord(await openRecordFile(context, options.file), 'create')).attributes;
  const year = new Date(context.host.now()).getUTCFullYear();
  // The text is kept until the record is created, and no longer: sent again, it would create another one.
  const report = await editText(context, recordTemplate(from, year), (text, file) =>
    send(context, withoutPlaceholders(parseRecord(text, file)), options),
  );
  await report();
}

/** @returns prints the record; it does nothing with `--dry-run`, which sends nothing. */
async function send(
  context: Context,
  record: ParsedRecord,
  { event: wanted, prefix, validate = true, dryRun, format }: CreateOptions,
): Promise<() => Promise<void>> {
  const document = doiDocument(record, wanted, prefix ?? (await context.prefix()));
  const { event } = document;
  const findings = findingsIn(record, stateAfter(event));
  if (validate) reportFindings(context, record.source, findings);
  if (dryRun) {
    const body = heldBody(document.body, findings);
    await context.out.write(`${context.host.terminal.stdout ? indentJson(body) : body}\n`);
    context.messages.note('nothing was sent (--dry-run)');
    return async () => undefined;
  }
  const service = await context.service('writes');
  const made = await whileUninterruptible(
    context.host.signal,
    () => context.messages.status('waiting for the answer, so that it is known whether the DOI exists'),
    () => createDoi(service, document.body),
  ).catch((error: unknown) => {
    throw withNextCommand(context, withLocations(error, record), document);
  });
  return () => printWritten(context, made, { action: 'created', event, format });
}

/**
 * An error with the command to type next: where the DOI is taken, and where the record may exist because the answer
 * was lost or unusable.
 */
function withNextCommand(context: Context, error: unknown, { doi }: DoiDocument): unknown {
  if (!(error instanceof CliError)) return error;
  if (['unavailable', 'unexpected'].includes(error.kind)) {
    const look =
      doi === undefined
        ? context.suggest('dois', 'list', '--mine', '--sort', '-created', '--limit', '5')
        : context.suggest('dois', 'get', doi);
    return error.with({ hint: `before you try again: ${look}` });
  }
  const isTaken =
    error.status === 422 &&
    error.problems.some(({ path, message }) => path === 'doi' && /taken/i.test(message));
  if (!isTaken || doi === undefined) return error;
  const update = context.suggest('dois', 'update', doi, '--file', 'record.json');
  return error.with({
    hint: `${context.suggest('dois', 'get', doi)} prints that record; if it is yours: ${update}`,
  });
}

/** The request as it is sent, or without what the service would drop, if it drops anything. */
function heldBody(body: string, findings: readonly Finding[]): string {
  const { data } = JSON.parse(body) as { data: { attributes: JsonObject } };
  const held = heldAttributes(data.attributes, findings);
  const isSame = JSON.stringify(held) === JSON.stringify(data.attributes);
  return isSame ? body.trim() : JSON.stringify({ data: { ...data, attributes: held } });
}
