import type { Organization } from '../../../api/repositories.ts';
import type { Event, State } from '../../../api/states.ts';
import { recordFindings, stateOf } from '../../../core/record-findings.ts';
import { InvalidRecord, type ParsedRecord } from '../../../formats/input/record.ts';
import { beginningOf, type InputRecord } from '../../../formats/input/source.ts';
import type { RecordFile } from '../../../formats/open.ts';
import { type Finding, findingAt } from '../../../metadata/findings.ts';
import { wasRead } from '../../../metadata/kernel.ts';
import { isNonEmptyString } from '../../../text/json-values.ts';
import { accountFindings } from '../../../writing/account.ts';
import { newRowCheck } from '../../../writing/new-rows.ts';
import { withSuffix } from '../../../writing/request.ts';
import { unreadDois } from '../../../writing/unread-dois.ts';

export interface Checked {
  readonly line: number;
  readonly file?: string | undefined;
  readonly doi: string | null;
  /** The state for which it was checked; null when the text is not a record. */
  readonly state: State | null;
  readonly findings: readonly Finding[];
}

interface CheckOptions {
  readonly event?: Event | undefined;
  readonly state?: State | undefined;
  readonly account: Organization | undefined;
}

/** Makes the check of the records of a file, in their order. */
export function recordCheck(opened: RecordFile, options: CheckOptions) {
  const refuseOtherRow = newRowCheck();
  const lines = new Map<string, number>();
  return (input: InputRecord): Checked => {
    const checked = check(input, opened, options, refuseOtherRow);
    // A list holds each DOI once, and may hold very many.
    return opened.isList ? checked : withRepeat(checked, lines, opened);
  };
}

function check(
  input: InputRecord,
  opened: RecordFile,
  options: CheckOptions,
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
    const finding = { ...findingAt('error', [], { message: error.problem }), ...at };
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
  const repeat = { ...findingAt('error', ['doi'], { message }), ...at };
  return { ...checked, findings: [repeat, ...checked.findings] };
}
