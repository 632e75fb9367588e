import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { CliError } from '../../errors.ts';
import { counted, firstNames } from '../../text/words.ts';
import { harvestPaths } from '../store/directory.ts';
import type { Generation, LedgerData, LedgerWindow } from '../store/ledger-data.ts';
import { DamagedPart } from '../store/part-file.ts';
import { inspectPart } from '../store/read-part.ts';
import { contains, createdOf } from '../walk/creation-time.ts';
import { asksForCreated, type Params } from '../walk/query-params.ts';

export interface Damage {
  readonly generation: Generation;
  readonly window: LedgerWindow;
  /** The name of the file and the problem. */
  readonly text: string;
}

/**
 * Checks that the part files of a ledger exist and have the right sizes.
 * @param read also reads the files of complete windows, and checks their hashes and records.
 */
export async function findDamage(
  data: LedgerData,
  dir: string,
  read: boolean,
  signal: AbortSignal,
): Promise<Damage[]> {
  const paths = harvestPaths(dir, data.shard);
  const { gzip, query } = data;
  const damages: Damage[] = [];
  for (const generation of data.generations) {
    for (const window of generation.windows) {
      signal.throwIfAborted();
      const path = paths.part(generation.number, window.index, gzip);
      const part = { path, gzip, params: query.params, signal };
      const problem =
        (await sizeProblem(path, window)) ?? (read && (await contentProblem(part, window)));
      if (problem) damages.push({ generation, window, text: `${basename(path)} ${problem}` });
    }
  }
  return damages;
}

/** `2 damaged files: g0001-w00003.ndjson is missing, …` */
export function damageSummary(damages: readonly Damage[]): string {
  const files = counted(damages.length, 'damaged file');
  return `${files}: ${firstNames(damages.map(({ text }) => text))}`;
}

/**
 * @throws {CliError} kind `incomplete` when part files of a directory are missing or have another
 * size.
 */
export async function refuseDamage(
  ledgers: readonly LedgerData[],
  dir: string,
  signal: AbortSignal,
): Promise<void> {
  const damages: Damage[] = [];
  for (const data of ledgers) damages.push(...(await findDamage(data, dir, false, signal)));
  if (damages.length === 0) return;
  throw new CliError('incomplete', `${dir} has ${damageSummary(damages)}`, {
    hint: repairHint(false),
  });
}

/** The command that repairs damage: with --check where only reading the files finds it. */
export function repairHint(read: boolean): string {
  return `run the same harvest again${read ? ' with --check' : ''}: it fetches damaged files again`;
}

async function sizeProblem(
  path: string,
  { bytes, done }: LedgerWindow,
): Promise<string | undefined> {
  // The next run cuts off what an unfinished window has not counted yet.
  if (bytes === 0 && !done) return undefined;
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) return bytes === 0 ? undefined : 'is missing';
  if (!stats.isFile()) return 'is not a file';
  const isRight = done ? stats.size === bytes : stats.size >= bytes;
  return isRight ? undefined : `has ${stats.size} bytes instead of ${bytes}`;
}

async function contentProblem(part: WindowPart, window: LedgerWindow): Promise<string | undefined> {
  if (window.bytes === 0 || !window.done) return undefined;
  try {
    const { records, sha256, doubt } = await inspectWindow(part, window);
    const same = records === window.records && (window.sha256 ?? sha256) === sha256;
    return same ? doubt && `is wrong: ${doubt}` : 'has other contents than were written to it';
  } catch (error) {
    if (!(error instanceof DamagedPart)) throw error;
    return 'has contents that cannot be read';
  }
}

interface WindowPart {
  readonly path: string;
  readonly gzip: boolean;
  readonly params: Params;
  readonly signal: AbortSignal;
}

/**
 * Reads a window's part file back, and looks for records that were not created in the window: they
 * also belong to another window, and would be in the copy twice. @throws {DamagedPart}.
 */
export async function inspectWindow(
  { path, gzip, params, signal }: WindowPart,
  window: LedgerWindow,
) {
  const isDated = (window.from !== null || window.to !== null) && asksForCreated(params);
  let strays = 0;
  let stray: string | undefined;
  const check = (id: string, line: Buffer) => {
    if (!isDated || contains(window, createdOf(line))) return;
    strays += 1;
    stray ??= id;
  };
  const part = await inspectPart(path, gzip, check, signal);
  let doubt: string | undefined;
  const where = `window ${window.index}`;
  if (part.unique !== part.records)
    doubt = `${where} holds ${part.records - part.unique} records twice`;
  else if (strays > 0)
    doubt = `${where} holds ${strays} records that were not created in it, such as ${stray}`;
  return { ...part, doubt };
}
