import { createDoi } from '../../../api/dois.ts';
import { stateAfter } from '../../../api/states.ts';
import type { Context } from '../../../cli/context.ts';
import { untilAnswered } from '../../../cli/uninterruptible.ts';
import { CliError, usageError } from '../../../errors.ts';
import type { Finding } from '../../../metadata/check.ts';
import { heldAttributes } from '../../../metadata/corrections.ts';
import { OPTIONS, type ParsedRecord, recordOf } from '../../../records/document.ts';
import { refuseForAccount } from '../../../records/own-account.ts';
import { readRecord } from '../../../records/record-file.ts';
import { createBody, newRecord, withUrl } from '../../../records/sent-record.ts';
import { writeNew } from '../../../records/write.ts';
import { indentJson } from '../../../text/json.ts';
import type { JsonObject } from '../../../text/json-values.ts';
import { openRecords, refuseForMany, type WriteFlags } from '../bulk/input.ts';
import { printWritten } from '../record/print.ts';
import { type AttributeOptions, attributesOf } from './attributes.ts';

interface CreateOptions extends AttributeOptions, WriteFlags {
  readonly prefix?: string;
  readonly template?: 'csv' | 'tsv';
}

/** Creates one DOI from a file or from options, or all records of a file. */
export async function createDoiCommand(context: Context, options: CreateOptions): Promise<void> {
  const { template, file } = options;
  if (template !== undefined) {
    const { tableTemplate } = await import('./template.ts');
    return context.out.write(tableTemplate(template === 'csv' ? ',' : '\t'));
  }
  if (file === undefined) {
    refuseForMany('create', options);
    const given = attributesOf(options);
    if (given === undefined) throw usageError('there is nothing to create', 'doi-cli dois create --help');
    return send(context, recordOf(given, OPTIONS), options);
  }
  const opened = await openRecords(context, file, options);
  if (opened.kind === 'many') {
    const { bulkCommand } = await import('../bulk/bulk.ts');
    return bulkCommand(context, 'create', opened, options);
  }
  const record = withUrl(await readRecord(opened, 'create'), options.url);
  return send(context, record, options);
}

/** Creates a record and prints it; with `--dry-run` it prints what would be sent. */
async function send(
  context: Context,
  record: ParsedRecord,
  { event, prefix, validate = true, dryRun, format }: CreateOptions,
): Promise<void> {
  const { doi, source } = record;
  const wanted = newRecord(record, source, event, prefix ?? (await context.prefix()));
  const body = createBody(wanted, doi === undefined ? { prefix: wanted.prefix } : { doi });
  const create = async (findings: readonly Finding[]) => {
    const service = await context.service('writes');
    if (validate) await refuseForAccount(service, record, stateAfter(wanted.event), wanted.prefix ?? '');
    const held = heldAttributes(record.attributes, findings);
    return untilAnswered(context, () => createDoi(service, body, held)).catch((error: unknown) => {
      throw withNextCommand(context, error, doi);
    });
  };
  const warn = (text: string) => context.messages.note(text);
  const written = await writeNew(wanted, { validate, warn, create: dryRun ? undefined : create });
  if (!dryRun) return printWritten(context, written, format);
  const held = heldBody(body, written.findings);
  await context.out.write(`${context.host.terminal.stdout ? indentJson(held) : held}\n`);
  context.messages.note('nothing was sent (--dry-run)');
}

/** An error with the command to type next: the DOI is taken, or the record may exist without an answer. */
function withNextCommand(context: Context, error: unknown, doi: string | undefined): unknown {
  if (!(error instanceof CliError)) return error;
  const newest = ['dois', 'list', '--mine', '--sort', '-created', '--limit', '5'];
  const look = context.suggest(...(doi === undefined ? newest : ['dois', 'get', doi]));
  if (['unavailable', 'unexpected'].includes(error.kind)) {
    return error.with({ hint: `before you try again: ${look}` });
  }
  const isTaken =
    error.status === 422 &&
    error.problems.some(({ path, message }) => path === 'doi' && /taken/i.test(message));
  if (!isTaken || doi === undefined) return error;
  return error.with({ hint: `to see that record: ${look}` });
}

/** The request as it is sent, or without what the service would drop, if it drops anything. */
function heldBody(body: string, findings: readonly Finding[]): string {
  const { data } = JSON.parse(body) as { data: { attributes: JsonObject } };
  // XML is kept as it is.
  if (data.attributes['xml'] !== undefined) return body.trim();
  const held = heldAttributes(data.attributes, findings);
  const isSame = JSON.stringify(held) === JSON.stringify(data.attributes);
  return isSame ? body.trim() : JSON.stringify({ data: { ...data, attributes: held } });
}
