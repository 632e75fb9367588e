import { didYouMean } from '../../text/closest.ts';
import { type Path, pathText } from '../../text/json-values.ts';
import { type Column, columnNamed, suggestedColumn } from './column.ts';
import { STANDARD } from './standard.ts';

/** The columns of a file, in its order. */
export interface Header {
  /** Undefined where cells are ignored. */
  readonly columns: readonly (Column | undefined)[];
  /** The heads that differ from the names of their columns, by name; absent if none does. */
  readonly heads?: Readonly<Record<string, string>>;
}

/** The columns that other heads stand for; an empty path leaves the column out. */
export type ColumnMap = readonly (readonly [head: string, path: string])[];

/**
 * Reads the first row of a file.
 * @throws {Error} when a head is no column, or two are about the same values. The message names the column.
 */
export function headerOf(heads: readonly string[], map: ColumnMap): Header {
  const mapped = new Map(map);
  const unused = map.find(([head]) => !heads.some((one) => one.trim() === head));
  if (unused !== undefined) {
    throw new Error(`--map: there is no column '${unused[0]}'${didYouMean(unused[0], heads)}`);
  }
  const columns = heads.map((head) => columnOf(head.trim(), mapped));
  const known = columns.filter((column) => column !== undefined);
  for (const [index, column] of known.entries()) {
    const other = known.slice(0, index).find((one) => overlap(one, column));
    if (other !== undefined)
      throw new Error(`the columns ${other.name} and ${column.name} hold the same values`);
  }
  const others = columns.flatMap((column, index) => {
    const head = heads[index]?.trim() ?? '';
    return column === undefined || column.name === head ? [] : [[column.name, head] as const];
  });
  return others.length === 0 ? { columns } : { columns, heads: Object.fromEntries(others) };
}

function columnOf(head: string, mapped: ReadonlyMap<string, string>): Column | undefined {
  const path = mapped.get(head);
  if (path === '' || (path === undefined && head === '')) return undefined;
  const column = columnNamed(path ?? head);
  if (column !== undefined) return column;
  const meant = suggestedColumn(path ?? head, STANDARD);
  const suggestion = meant === undefined ? '' : `; did you mean ${meant}?`;
  const what = path === undefined ? `the column ${JSON.stringify(head)}` : `--map: the value '${path}'`;
  throw new Error(`${what} is not known${suggestion}`);
}

/** Whether two columns hold the same values: one is part of the other. */
function overlap(a: Column, b: Column): boolean {
  return holds(a, b) || holds(b, a);
}

function holds(a: Column, b: Column): boolean {
  const [outer, inner] = [longPath(a), longPath(b)];
  return outer.every((step, depth) => {
    const other = inner[depth];
    // `subjects[5+]` holds subjects[7], too.
    const isAmongOthers = a.rest && depth === outer.length - 1 && typeof other === 'number';
    return step === other || (isAmongOthers && other > Number(step));
  });
}

/** A path without the short names. */
function longPath({ path }: Column): readonly (string | number)[] {
  const long = {
    orcid: 'nameIdentifiers',
    ror: `${path[0] === 'publisher' ? path[0] : 'affiliation'}Identifier`,
  };
  return path.map((step) => long[step as keyof typeof long] ?? step);
}

/**
 * The name of the column that holds the value at a path, or part of it; undefined when none does.
 * @param names of the columns.
 */
export function columnAt(path: Path, names: readonly string[]): string | undefined {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const own = path.slice(0, depth);
    const found = [own, shortPath(own)].map(pathText).find((name) => names.includes(name));
    if (found !== undefined) return found;
  }
  // What is missing as a whole may have columns for its parts.
  const text = pathText(path);
  return names.find((name) => name.startsWith(`${text}[0]`) || name.startsWith(`${text}.`));
}

/** The short name for the identifier at a path. */
function shortPath(path: Path): Path {
  const last = String(path.at(-1));
  if (last === 'nameIdentifiers') return [...path.slice(0, -1), 'orcid'];
  const isRor = /^(?:affiliation|publisher)Identifier(?:Scheme)?$/.test(last);
  return isRor ? [...path.slice(0, -1), 'ror'] : path;
}
