import { type Column, columnsFor, EXPORTED } from './column.ts';
import { exportedCell } from './exported.ts';
import { cellIn } from './value.ts';

/** How the records of a list become rows. */
interface Rows {
  readonly heads: readonly string[];
  /** The cells of a record, from its attributes with the DOI and the repository account. */
  cellsOf(attributes: object): readonly string[];
}

/** The rows of a list. @param isEditable whether the last column says what was exported. */
export function rowsOf(fields: readonly string[] | undefined, isEditable: boolean): Rows {
  const columns = columnsFor(fields);
  const heads = columns.map(({ name }) => name);
  const cells = (attributes: object) => columns.map((column) => cellIn(attributes, column));
  const hasInput = columns.some((column) => isInput(column) && column.name !== 'state');
  if (!isEditable || !hasInput) return { heads, cellsOf: cells };
  return {
    heads: [...heads, EXPORTED],
    cellsOf: (attributes) => {
      const own = cells(attributes);
      const exported = columns.flatMap((column, index): [string, string][] =>
        isInput(column) ? [[column.name, own[index] ?? '']] : [],
      );
      const doi = own[heads.indexOf('doi')] ?? '';
      return [...own, exportedCell(doi, exported, fields)];
    },
  };
}

function isInput({ name, types }: Column): boolean {
  return types.length > 0 && name !== 'doi';
}
