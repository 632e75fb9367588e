import type { WindowState } from '../store/ledger-data.ts';
import { inspectPart } from '../store/read-part.ts';
import { contains, createdOf } from '../walk/creation-time.ts';
import type { Params } from '../walk/query-params.ts';

export interface WindowPart {
  readonly path: string;
  readonly gzip: boolean;
  readonly params: Params;
  readonly signal: AbortSignal;
}

/**
 * Reads a window's part file back, and looks for records that were not created in the window:
 * windows do not overlap, so that these would be there twice. @throws {DamagedPart}.
 */
export async function inspectWindow(
  { path, gzip, params, signal }: WindowPart,
  window: WindowState,
) {
  const isDated = (window.from !== null || window.to !== null) && asksForCreated(params);
  let strays = 0;
  let stray: string | undefined;
  const check = (id: string, line: Buffer) => {
    if (!isDated || contains(window, createdOf(line))) return;
    strays += 1;
    stray ??= id;
  };
  const found = await inspectPart(path, gzip, check, signal);
  /** What is wrong with the records, whatever their number. */
  let doubt: string | undefined;
  const where = `window ${window.index}`;
  if (found.unique !== found.records)
    doubt = `${where} holds ${found.records - found.unique} records twice`;
  else if (strays > 0)
    doubt = `${where} holds ${strays} records that were not created in it, such as ${stray}`;
  return { ...found, doubt };
}

/**
 * Whether the query asks for creation times: without a sparse fieldset every record has one
 * (service.md, P17).
 */
export function asksForCreated(params: Params): boolean {
  return params
    .filter(([name]) => name === 'fields[dois]')
    .every(([, fields]) => fields.split(',').some((field) => field.trim() === 'created'));
}
