import { READ_ONLY } from '../../../api/record-match.ts';
import type { Context } from '../../../cli/context.ts';
import { usageError } from '../../../errors.ts';
import type { Assignment } from '../../../records/assignment.ts';
import type { ParsedRecord } from '../../../records/document.ts';
import { originOf, refuseSortedApart } from '../../../records/edits.ts';
import { refuseUnknown } from '../../../records/findings.ts';
import { readRecord } from '../../../records/record-file.ts';
import { exactJsonIn } from '../../../text/json.ts';
import { isObject } from '../../../text/json-values.ts';
import { parseFrom } from '../../../text/parsers.ts';
import { askAboutOrigins } from '../bulk/confirm.ts';
import { openRecords, refuseForMany, type WriteFlags } from '../bulk/input.ts';
import { changeDoi } from './change.ts';

/** Updates one DOI, or each record of a file. @param doi without one the file names it. */
export async function updateDoiCommand(
  context: Context,
  doi: string | undefined,
  options: WriteFlags,
): Promise<void> {
  const { file, set = [], event, validate = true, overwrite } = options;
  if (file === undefined && set.length === 0 && event === undefined) {
    throw usageError('there is nothing to update', 'use --file, --set or --event');
  }
  for (const { text } of set) parseFrom('--set', text, exactJsonIn);
  if (validate) refuseWithoutEffect(set);
  if (doi !== undefined || file === undefined) refuseForMany('update', options);
  const opened = file === undefined ? undefined : await openRecords(context, file, options);
  if (doi === undefined && opened?.kind === 'many') {
    const { bulkCommand } = await import('../bulk/bulk.ts');
    return bulkCommand(context, 'update', opened, options);
  }
  const given = opened && (await readRecord(opened, 'update'));
  if (given?.row !== undefined && set.length > 0) {
    throw usageError('--set goes with no spreadsheet', 'write the value into a column of it');
  }
  if (given?.row !== undefined) {
    refuseSortedApart(given);
    const origins = { exported: 0, dated: 0, untold: 0, all: 0, [originOf(given)]: 1 };
    await askAboutOrigins(context, { name: given.source }, origins, options);
  }
  const name = nameOf(context, doi, given);
  const connect = () => context.service('writes');
  const change = { doi: name, given, command: 'update', event, set, validate, overwrite } as const;
  await changeDoi(context, change, { ...options, connect });
}

/** The DOI of the command line or of the file, which must not name different ones. */
function nameOf(context: Context, doi: string | undefined, given: ParsedRecord | undefined): string {
  const name = doi ?? given?.doi;
  if (name === undefined) {
    throw usageError('which DOI should be updated?', context.suggest('dois', 'update', '10.5072/abc'));
  }
  if (given?.doi === undefined || given.doi.toLowerCase() === name.toLowerCase()) return name;
  throw usageError(
    `${given.source} is the record of ${given.doi}, not of ${name}`,
    'remove it from the file',
  );
}

/** Refuses attributes that are read-only (service.md, W15) or unknown (service.md, S1): to set most of them would have no effect. */
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
    if (isObject(shape)) refuseUnknown('--set', shape, path);
    if (!READ_ONLY.has(name)) continue;
    const isState = name === 'state' || name === 'isActive';
    throw usageError(
      `--set: only the service writes ${name}`,
      isState ? '--event changes the state' : '--no-validate sends it anyway',
    );
  }
}
