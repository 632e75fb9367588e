import { availableParallelism } from 'node:os';
import { CliError } from '../errors.ts';
import type { LocalHost } from '../harvest/copy/options.ts';
import type { Exported } from '../harvest/export/export.ts';
import type { Params } from '../harvest/walk/query-params.ts';
import { unreadWarnings } from '../metadata/tables/values.ts';

// Each job takes 100 MB: with the program, two jobs stay below 300 MB.
const MOST_JOBS = 2;

interface TablesOptions {
  readonly out: string;
  readonly jobs?: number | undefined;
  readonly records?: boolean | undefined;
  /** The program of a thread; undefined to write one batch after the other in this thread. */
  readonly threads: URL | undefined;
}

/**
 * Writes the current records of a copy as tables in Parquet, and warns of empty columns.
 * @throws {CliError} kind `usage` without a copy.
 */
export async function writeTables(
  host: LocalHost & { warn(text: string): void },
  dir: string,
  { out, jobs = Math.min(availableParallelism(), MOST_JOBS), ...how }: TablesOptions,
): Promise<Exported> {
  // Loaded here, because only tables need the library for Parquet.
  const { exportCopy } = await import('../harvest/export/export.ts');
  const tables = await exportCopy(host, dir, out, { jobs, ...how });
  for (const text of [...emptyColumns(tables.params), ...unreadWarnings(tables.unread)])
    host.warn(text);
  return tables;
}

/** @throws {CliError} kind `incomplete` for tables of a copy that is not complete. */
export function requireWhole({ missing }: Exported): void {
  if (missing.length === 0) return;
  throw new CliError('incomplete', `the tables lack what the copy lacks: ${missing.join('; ')}`, {
    hint: 'run the same harvest again, and then the same export',
  });
}

/** The columns of ROR ids, which only objects have (service.md, F9). */
const ROR_COLUMNS = [
  ['affiliation', 'creators.ror'],
  ['publisher', 'publisher_ror'],
] as const;

function emptyColumns(params: Params): readonly string[] {
  const has = (name: string) =>
    params.some(([param, value]) => param === name && value !== 'false');
  return [
    ...(has('fields[dois]')
      ? ['this copy holds only some attributes: the columns of others are empty']
      : []),
    ...ROR_COLUMNS.filter(([name]) => !has(name)).map(
      ([name, column]) =>
        `this copy holds ${name}s as names: ${column} is empty; a new copy has it`,
    ),
  ];
}
