import { usageError } from '../../errors.ts';
import { comparedValue, RECORD_FILTERS, rulesOf } from '../../harvest/walk/filter-check.ts';
import type { Params } from '../../harvest/walk/query-params.ts';
import { type DatedOptions, inSpan, withDates } from '../dates.ts';
import { type Filters, paramsOf, withoutUsual } from '../filters.ts';

/** Selects the records of a copy to count. */
export interface CopyFilter {
  /** The filters as parameters of the service, for the source of the counts. */
  readonly params: Params;
  matches(record: unknown): boolean;
}

/**
 * The filters of a command line, for the records of a copy.
 * @param harvested the query of the copy.
 * @throws {CliError} kind `usage` for a filter that only the service can apply.
 */
export function copyFilter(
  given: DatedOptions<Filters> & { readonly mine?: boolean },
  harvested: Params,
  clock: Parameters<typeof withDates>[1],
): CopyFilter {
  const refuse = (what: string, hint: string) =>
    usageError(`${what} cannot be applied to a copy: only the service can`, hint);
  if (given.mine) throw refuse('--mine', 'name the repository with --client-id');
  if (given.query !== undefined)
    throw refuse('--query', 'leave it out, or count at the service without --dir');
  const { options, spans } = withDates(given, clock);
  const { created: _, registered: __, query: ___, ...others } = options;
  const filters = withoutUsual(paramsOf(others));
  const wrong = filters.find(([name]) => !RECORD_FILTERS.some(({ filter }) => filter === name));
  if (wrong !== undefined) {
    throw refuse(`the filter ${wrong[0]}`, 'leave it out, or count at the service without --dir');
  }
  // As the service applies them (service.md, F5, F10, F12).
  const groups = rulesOf(filters, RECORD_FILTERS);
  const compared = [
    ...spans.map(({ field }) => [field, field] as const),
    ...groups
      .flat()
      .flatMap(({ filter, path: [at, name] }) => (at === 'id' ? [] : [[filter, name]])),
  ];
  const has = attributeCheck(harvested);
  const [absent] = compared.filter(([, name = '']) => !has(name));
  if (absent !== undefined) {
    const problem = `its records have no ${absent[1]}, which --${absent[0]} compares`;
    throw usageError(`this copy cannot be filtered: ${problem}`, 'leave the filter out');
  }
  return {
    params: withoutUsual(paramsOf(options)),
    matches: (record) =>
      spans.every((span) => inSpan(record, span)) &&
      groups.every((rules) =>
        rules.some((rule) => {
          const value = comparedValue(record, rule);
          return value !== undefined && rule.wanted.has(value.toLowerCase());
        }),
      ),
  };
}

/** Whether the records of a copy have an attribute or a relationship (service.md, F7, F10). */
function attributeCheck(harvested: Params): (name: string) => boolean {
  const valueIn = (wanted: string) => harvested.find(([name]) => name === wanted)?.[1];
  const fields = valueIn('fields[dois]')?.split(',');
  return (name) =>
    (fields === undefined || fields.includes(name)) &&
    (name !== 'provider' || valueIn('detail') !== undefined);
}
