import type { Context } from '../../../cli/context.ts';
import { usageError } from '../../../errors.ts';
import { OPTIONS, type ParsedRecord, recordOf } from '../../../formats/input/record.ts';
import { readRecord } from '../../../formats/open.ts';
import type { Finding } from '../../../metadata/check.ts';
import { storedAttributes } from '../../../metadata/corrections.ts';
import { indentJson } from '../../../text/json.ts';
import type { JsonObject } from '../../../text/json-values.ts';
import { createBody } from '../../../writing/body.ts';
import { createRequest, withUrl } from '../../../writing/request.ts';
import { openRecords, refuseForMany, requestOptions, type WriteFlags } from '../bulk/input.ts';
import { serviceForCheck } from '../bulk/service.ts';
import { type AttributeOptions, attributesOf } from './attributes.ts';
import { printOutcome, writeOne } from './write-one.ts';

interface CreateOptions extends AttributeOptions, Omit<WriteFlags, 'prefix' | 'url'> {
  readonly template?: 'csv' | 'tsv';
}

/** Creates a DOI from a file or from options, or all records of a file. */
export async function createDoiCommand(context: Context, options: CreateOptions): Promise<void> {
  const { template, file } = options;
  if (template !== undefined) {
    const { tableTemplate } = await import('./template.ts');
    return context.out.write(tableTemplate(template === 'csv' ? ',' : '\t'));
  }
  if (file === undefined) {
    refuseForMany('create', options);
    const attributes = attributesOf(options);
    if (attributes === undefined)
      throw usageError('there is nothing to create', 'doi-cli dois create --file record.json');
    return createOne(context, recordOf(attributes, OPTIONS), options);
  }
  const opened = await openRecords(context, file, options);
  if (options.url !== undefined && opened.files === undefined && opened.ending !== '.xml') {
    const message = '--url and --file exclude each other, unless the file is XML';
    throw usageError(message, 'write the url into the file');
  }
  if (opened.kind === 'many') {
    const { bulkCommand } = await import('../bulk/bulk.ts');
    return bulkCommand(context, 'create', opened, options);
  }
  const record = withUrl(
    await readRecord(opened, 'create takes one record at a time'),
    options.url,
  );
  return createOne(context, record, options);
}

/** Creates a record and prints it; with `--dry-run` it prints what would be sent. */
async function createOne(
  context: Context,
  record: ParsedRecord,
  options: CreateOptions,
): Promise<void> {
  const { dryRun, format } = options;
  const prefix = options.prefix ?? (await context.services.prefix());
  const request = createRequest(record, requestOptions('create', options, prefix), record.source);
  const checked = dryRun ? await serviceForCheck(context) : undefined;
  const connect = async () => checked ?? (await context.services.open('writes'));
  const dryMode = checked === undefined ? 'offline' : 'preview';
  const outcome = await writeOne(context, request, connect, dryRun ? dryMode : 'send');
  if (!dryRun) return printOutcome(context, outcome, format);
  const body = storedBody(
    createBody(request.record, request.event, { prefix: request.prefix }),
    outcome.findings,
  );
  await context.out.write(`${context.host.terminal.stdout ? indentJson(body) : body}\n`);
  context.messages.note('nothing was sent (--dry-run)');
}

/** The body of a request, without values that the service would drop. */
function storedBody(body: string, findings: readonly Finding[]): string {
  const { data } = JSON.parse(body) as { data: { attributes: JsonObject } };
  // XML is not changed.
  if (data.attributes['xml'] !== undefined) return body.trim();
  const stored = storedAttributes(data.attributes, findings);
  const isSame = JSON.stringify(stored) === JSON.stringify(data.attributes);
  return isSame ? body.trim() : JSON.stringify({ data: { ...data, attributes: stored } });
}
