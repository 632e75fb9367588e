import { usageError } from '../../errors.ts';
import { didYouMean } from '../../text/closest.ts';
import { isNonEmptyString, isObject } from '../../text/json-values.ts';
import { TABLES } from './tables.ts';
import type { Row } from './values.ts';

const { columns: COLUMNS } = TABLES.dois;

/**
 * Reads columns of the table `dois` as text for people.
 * @throws {CliError} kind `usage` for an unknown name.
 */
export function plainColumns(names: readonly string[]): (record: Row) => readonly string[] {
  const columns = names.map((name) => {
    const column = COLUMNS[name];
    if (column !== undefined) return column;
    const known = Object.keys(COLUMNS);
    throw usageError(
      `--columns: '${name}' is not a column${didYouMean(name, known)}`,
      `the columns are ${known.join(', ')}`,
    );
  });
  return (record) => columns.map((column) => plainText(column.read(record)));
}

/** The members that name an object best, in this order. */
const NAMING =
  'title name subject description date rights identifier relatedIdentifier funderName'.split(' ');

/** A value for people. The objects of a list are shown by their names. */
export function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(plainText).join('; ');
  if (!isObject(value)) return value === null || value === undefined ? '' : JSON.stringify(value);
  const name = NAMING.map((member) => value[member]).find(isNonEmptyString);
  return name ?? JSON.stringify(value);
}
