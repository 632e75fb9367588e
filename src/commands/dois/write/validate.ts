import { setImmediate } from 'node:timers/promises';
import { type Organization, ownRepository } from '../../../api/repositories.ts';
import type { Event, State } from '../../../api/states.ts';
import type { Context } from '../../../cli/context.ts';
import { recordFindings, stateOf } from '../../../core/record-findings.ts';
import { CliError } from '../../../errors.ts';
import { InvalidRecord, type ParsedRecord } from '../../../formats/input/record.ts';
import { beginningOf, type InputFile, type InputRecord } from '../../../formats/input/source.ts';
import { openRecordFile, type RecordFile } from '../../../formats/open.ts';
import type { ColumnMap } from '../../../formats/spreadsheet/column.ts';
import type { Finding } from '../../../metadata/check.ts';
import { wasRead } from '../../../metadata/kernel.ts';
import { isNonEmptyString } from '../../../text/json-values.ts';
import { visible } from '../../../text/redact.ts';
import { counted } from '../../../text/words.ts';
import { accountFindings } from '../../../writing/account.ts';
import { firstFindings, isError, placedText } from '../../../writing/findings.ts';
import { newRowCheck } from '../../../writing/new-rows.ts';
import { withSuffix } from '../../../writing/request.ts';
import { unreadDois } from '../../../writing/unread-dois.ts';
import type { ReportFormat } from '../bulk/input.ts';
import { WarningCounts } from '../results/results.ts';

interface ValidateOptions {
  readonly file: InputFile;
  readonly event?: Event;
  readonly state?: State;
  readonly strict?: boolean;
  readonly format?: ReportFormat;
  readonly map?: ColumnMap;
}

interface Checked {
  readonly line: number;
  readonly file?: string | undefined;
  readonly doi: string | null;
  /** The state for which it was checked; null when the text is not a record. */
  readonly state: State | null;
  readonly findings: readonly Finding[];
}

/** Checks the records of a file. @returns 1 for errors, 2 when a line is not a record. */
export async function validateCommand(context: Context, options: ValidateOptions): Promise<number> {
  const opened = await openRecordFile(context, options.file, { map: options.map });
  const { name, path, rows, records: inputs } = opened;
  const { format = 'text' } = options;
  const account = await knownAccount(context);
  const { host, look } = context;
  const total = { records: 0, wrong: 0, errors: 0, warnings: 0, unreadable: 0 };
  const warned = new WarningCounts();
  const lines = new Map<string, number>();
  const refuseOtherRow = newRowCheck();
  for await (const input of inputs()) {
    const found = check(input, opened, { ...options, account }, refuseOtherRow);
    const checked = withRepeat(found, lines, opened);
    const { doi, findings, state } = checked;
    // The line of a stream cannot be looked up, and rows may have been sorted.
    const which = (rows || path === undefined) && doi !== null ? ` (${visible(doi)})` : '';
    const texts = firstFindings(findings).map((finding) =>
      look.lead(visible(`${placedText(checked.file ?? name, finding)}${which}`)),
    );
    const separator = total.records === 0 ? '[\n' : ',\n';
    if (format === 'text') await host.stdout.write(texts.map((line) => `${line}\n`).join(''));
    else
      await context.out.write(
        format === 'ndjson' ? `${jsonOf(checked)}\n` : separator + jsonOf(checked),
      );
    const errors = findings.filter(isError).length;
    const warnings = findings.length - errors;
    warned.add({ warnings: findings.filter((finding) => !isError(finding)) });
    total.records += 1;
    total.errors += errors;
    total.warnings += warnings;
    if (errors > 0 || (options.strict && warnings > 0)) total.wrong += 1;
    if (state === null) total.unreadable += 1;
    // Node delivers a signal between turns of its loop, and a large record takes one.
    await setImmediate();
    host.signal.throwIfAborted();
  }
  if (total.records === 0) throw new CliError('usage', `${name} is empty`);
  if (format === 'json') await context.out.write('\n]\n');
  for (const line of warned.lines()) context.messages.note(line);
  context.messages.note(`${name}: ${summary(total)}`);
  if (total.unreadable > 0) return 2;
  return total.wrong > 0 ? 1 : 0;
}

function summary({
  records,
  errors,
  warnings,
}: Record<'records' | 'errors' | 'warnings', number>): string {
  if (errors + warnings === 0)
    return records === 1 ? 'the record is valid' : `all ${records} records are valid`;
  const more = warnings > 0 ? `, ${counted(warnings, 'warning')}` : '';
  return `${counted(errors, 'error')}${more} in ${counted(records, 'record')}`;
}

function jsonOf({ findings, ...checked }: Checked): string {
  const plain = firstFindings(findings).map(({ steps: _, ...finding }) => finding);
  return JSON.stringify({ ...checked, valid: !findings.some(isError), findings: plain });
}

/** The account of the credentials; without an answer, only the schema is checked. */
async function knownAccount(context: Context): Promise<Organization | undefined> {
  try {
    const credentials = await context.services.credentials('reads');
    // Without credentials there is no account, and the HTTP client need not be loaded.
    return credentials && (await ownRepository(await context.services.connect(credentials)));
  } catch (error) {
    if (context.host.signal.aborted) throw error;
    return undefined;
  }
}

function check(
  input: InputRecord,
  opened: RecordFile,
  options: ValidateOptions & { readonly account: Organization | undefined },
  refuseOtherRow: (record: ParsedRecord) => void,
): Checked {
  const { line } = input;
  const file = opened.files?.[line - 1];
  let record: ParsedRecord;
  let unread: readonly Finding[];
  try {
    const [source, place] = beginningOf(opened, line);
    const parsed = input.parse(source, place);
    unread = unreadDois(parsed);
    const { prefix } = parsed.attributes;
    record = withSuffix(parsed, isNonEmptyString(prefix) ? prefix : undefined, source);
    refuseOtherRow(record);
  } catch (error) {
    if (!(error instanceof InvalidRecord)) throw error;
    const place = opened.rows ? { row: line } : { line };
    const at = { ...(file === undefined && place), ...error.at };
    const finding: Finding = {
      severity: 'error',
      path: '',
      steps: [],
      message: error.problem,
      ...at,
    };
    return { line, file, doi: null, state: null, findings: [finding] };
  }
  const state = options.state ?? stateOf(record, options.event);
  const isXml = record.json === undefined && record.row === undefined;
  const { attributes } = record;
  const isNew = !wasRead(attributes);
  const ofAccount = accountFindings(attributes, state, options.account, isNew ? '' : undefined);
  const found = recordFindings(record, state, [...unread, ...ofAccount]);
  const findings = isXml ? found.flatMap((finding) => withoutUrl(finding, state)) : found;
  return { line, file, doi: record.doi ?? null, state, findings };
}

/** XML contains no URL: its creation takes the URL from `--url`, which only Drafts do not need. */
function withoutUrl(finding: Finding, state: State): readonly Finding[] {
  if (finding.path !== 'url') return [finding];
  const message = "is missing, and XML has none: create it with --url 'https://…/{doi}'";
  return state === 'draft' ? [] : [{ ...finding, severity: 'warning', message }];
}

/** Adds an error to a repeated DOI: a file can create or update each DOI only once. */
function withRepeat(
  checked: Checked,
  lines: Map<string, number>,
  { rows, files }: RecordFile,
): Checked {
  const { doi, line } = checked;
  const before = doi === null ? undefined : lines.get(doi.toLowerCase());
  if (doi !== null && before === undefined) lines.set(doi.toLowerCase(), line);
  if (before === undefined) return checked;
  const other = files?.[before - 1] ?? `${rows ? 'row' : 'line'} ${before}`;
  const message = `${other} has the same DOI`;
  const at = rows ? { row: line, column: 'doi' } : { line: files === undefined ? line : 1 };
  const repeat: Finding = { severity: 'error', path: 'doi', steps: ['doi'], message, ...at };
  return { ...checked, findings: [repeat, ...checked.findings] };
}
