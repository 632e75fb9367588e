import { usageError } from '../../../errors.ts';
import { filterParams } from '../query/query.ts';
import type { HarvestFlags } from './harvest.ts';

/**
 * Refuses options that select records, where the directory already does: they would be ignored.
 * @throws {CliError} kind `usage`.
 */
export function refuseQuery(options: HarvestFlags): void {
  const [filter] =
    filterParams({ ...options, mine: false }).find(([name]) => name !== 'disable-facets') ?? [];
  const others = (['mine', 'gzip', 'plan', 'shard', 'fresh'] as const).filter(
    (name) => options[name] !== undefined,
  );
  const given = filter === undefined ? others[0] && `--${others[0]}` : `a filter (${filter})`;
  if (given === undefined) return;
  throw usageError(`${given} has no meaning here: the directory knows what it holds`, 'leave it out');
}
