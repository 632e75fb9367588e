import { READ_ONLY } from '../../../api/record-match.ts';
import type { Context } from '../../../cli/context.ts';
import { usageError } from '../../../errors.ts';
import { type ParsedRecord, recordOf } from '../../../formats/input/record.ts';
import { readRecord } from '../../../formats/open.ts';
import { typesAt } from '../../../metadata/schema.ts';
import { exactJsonIn } from '../../../text/json.ts';
import { isObject } from '../../../text/json-values.ts';
import { parseFrom } from '../../../text/parsers.ts';
import { baselineOf } from '../../../writing/edits.ts';
import { findingsIn, refuseUnknown, reportFindings } from '../../../writing/findings.ts';
import type { Assignment } from '../../../writing/set.ts';
import { refuseUnreadDois } from '../../../writing/unread-dois.ts';
import { openRecords, refuseForMany, refuseForQuery, type WriteFlags } from '../bulk/input.ts';
import { printOutcome, writeOne } from './write-one.ts';

/** Updates a DOI, or each record of a file. @param doi by default, the DOI in the file. */
export async function updateDoiCommand(
  context: Context,
  doi: string | undefined,
  options: WriteFlags,
): Promise<void> {
  const { file, where, set = [], event, validate = true, overwrite, dryRun, format } = options;
  if (options.restore && file === undefined)
    throw usageError('--restore needs the export', 'add --file <export>');
  if (where !== undefined) {
    refuseForQuery(doi === undefined ? [] : [doi], options);
    const hint = "add --set 'path=value'; publish, register and hide change the state";
    if (set.length === 0) throw usageError('an update with --where needs --set', hint);
  }
  if (file === undefined && set.length === 0 && event === undefined) {
    throw usageError('there is nothing to update', 'use --file, --set or --event');
  }
  for (const { text } of set) parseFrom('--set', text, exactJsonIn);
  if (validate) refuseWithoutEffect(set);
  if (where !== undefined) {
    const { changeQuery } = await import('../bulk/query.ts');
    return changeQuery(context, 'update', options, (which) => `Update ${which}?`);
  }
  if (doi !== undefined || file === undefined) refuseForMany('update', options);
  const opened = file === undefined ? undefined : await openRecords(context, file, options);
  if (doi === undefined && opened?.kind === 'many') {
    const { bulkCommand } = await import('../bulk/bulk.ts');
    return bulkCommand(context, 'update', opened, options);
  }
  const record = opened && (await readRecord(opened, 'leave out the DOI to update them all'));
  if (record?.row !== undefined && set.length > 0) {
    throw usageError('--set goes with no spreadsheet', 'write the value into a column of it');
  }
  // The ledger of a run over the whole file keeps the edits that were sent before.
  if (record?.origin?.exported !== undefined) {
    const hint = context.suggest('dois', 'update', '--file', String(file));
    throw usageError(`the rows of ${record.source} name their DOIs`, `leave out ${doi}: ${hint}`);
  }
  const id = doiOf(context, doi, record);
  if (record !== undefined) {
    const baseline = baselineOf(record);
    if (baseline === 'missing' || baseline === 'stored') {
      const { askAboutBaselines } = await import('../bulk/survey-file.ts');
      await askAboutBaselines(context, record.source, baseline === 'missing' ? 1 : 0, options);
    }
  }
  const request = { command: 'update', doi: id, record, event, set } as const;
  const connect = () => context.services.open('writes');
  const mode = dryRun ? 'preview' : 'send';
  const outcome = await writeOne(context, { ...request, validate, overwrite }, connect, mode);
  await printOutcome(context, outcome, format, dryRun);
}

function doiOf(
  context: Context,
  doi: string | undefined,
  record: ParsedRecord | undefined,
): string {
  const id = doi ?? record?.doi;
  if (id === undefined) {
    if (record !== undefined) refuseUnreadDois(record, record.source);
    throw usageError(
      'which DOI should be updated?',
      context.suggest('dois', 'update', '10.5072/abc'),
    );
  }
  if (record?.doi === undefined || record.doi.toLowerCase() === id.toLowerCase()) return id;
  throw usageError(
    `${record.source} is the record of ${record.doi}, not of ${id}`,
    `leave out ${id}, or remove the doi from ${record.source}`,
  );
}

const PATHS = 'write a path such as titles[0].title or publicationYear; --no-validate sends any';

/** Refuses to set read-only (service.md, W15) or unknown (service.md, S1) attributes. */
function refuseWithoutEffect(set: readonly Assignment[]): void {
  for (const { path, value } of set) {
    const name = String(path[0]);
    if (['doi', 'prefix', 'suffix'].includes(name)) {
      throw usageError('--set: a DOI cannot be changed', 'create another DOI');
    }
    const shape = path.reduceRight(
      (inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }),
      value,
    );
    const isItem = typeof path[1] === 'number' || typeof value === 'object';
    if (typesAt([name]).includes('array') && !isItem) {
      throw usageError(`--set: ${name} is a list`, `--set '${name}[]=…' adds an item`);
    }
    if (isObject(shape)) refuseUnknown('--set', shape, path, PATHS);
    // A value that is wrong in each record is refused before any is read.
    if (path.length === 1)
      reportFindings('--set', findingsIn(recordOf({ [name]: value }, '--set'), 'draft update'));
    if (!READ_ONLY.has(name)) continue;
    const isState = name === 'state' || name === 'isActive';
    throw usageError(
      `--set: only the service writes ${name}`,
      isState ? '--event changes the state' : '--no-validate sends it anyway',
    );
  }
}
