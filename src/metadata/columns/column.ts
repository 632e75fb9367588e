import { closest } from '../../text/closest.ts';
import { type Path, pathText } from '../../text/json-values.ts';
import { typesAt } from '../schema.ts';

/** A column of a spreadsheet: one value of a record, named by its path below the attributes. */
export interface Column {
  /** The canonical name, such as `titles[0].title`, `creators[0].orcid` or `subjects[5+]`. */
  readonly name: string;
  /** The path; that of `subjects[5+]` ends with 5, that of `creators[0].orcid` with `orcid`. */
  readonly path: Path;
  /** Whether it holds the items of a list from the last index of the path, as JSON. */
  readonly rest: boolean;
  /** The JSON types of its value; empty for a column that is only written, such as `client`. */
  readonly types: readonly string[];
}

/** A cell of a row. */
export interface Cell {
  readonly column: Column;
  /** As it stands in the file; empty leaves the value as it is. */
  readonly cell: string;
}

/** Columns of a list that no record takes back: other commands, or only the service, change them. */
export const OUTPUT_ONLY: readonly string[] = ['client', 'created', 'registered', 'updated', 'published'];

const STEP = /(?:^|\.)([A-Za-z_]\w*)|\[(\d{1,4})(\+?)\]/y;
const PERSON = /^(?:creators|contributors)\[\d+\]$/;
const ORGANIZATION = /^(?:publisher|(?:creators|contributors)\[\d+\]\.affiliation\[\d+\])$/;

/** The column of a name; undefined when the schema has no such value. */
export function columnNamed(given: string): Column | undefined {
  const name = given.trim();
  if (OUTPUT_ONLY.includes(name)) return { name, path: [name], rest: false, types: [] };
  const path: (string | number)[] = [];
  let rest = false;
  STEP.lastIndex = 0;
  for (let end = 0; end < name.length; end = STEP.lastIndex) {
    const [, member, index, plus] = STEP.exec(name) ?? [];
    if (rest || (member === undefined && index === undefined)) return undefined;
    path.push(member ?? Number(index));
    rest = plus === '+';
  }
  const types = path.length === 0 ? [] : typesOf(path);
  return types.length === 0 ? undefined : { name, path, rest, types: rest ? ['array'] : types };
}

/** The JSON types at a path, which may end with one of the two short names for identifiers. */
function typesOf(path: Path): readonly string[] {
  const last = path.at(-1);
  const parent = pathText(path.slice(0, -1));
  if (last === 'orcid') return PERSON.test(parent) ? ['string'] : [];
  if (last === 'ror') return ORGANIZATION.test(parent) ? ['string'] : [];
  return typesAt(path);
}

/**
 * The name of a column that was probably meant.
 * @param names of the columns that there usually are.
 */
export function suggestedColumn(word: string, names: readonly string[]): string | undefined {
  const lower = word.trim().toLowerCase();
  const words = [lower, lower.replace(/s$/, ''), COMMON[lower] ?? lower];
  const last = (name: string) => (name.split('.').at(-1) ?? name).toLowerCase();
  const named = (end: string | undefined) => names.find((name) => last(name) === end);
  return (
    names.find((name) => words.includes(name.toLowerCase())) ??
    names.find((name) => words.includes(last(name))) ??
    closest(word, names) ??
    named(closest(lower, names.map(last)))
  );
}

/** Words of people for columns whose names do not contain them. */
const COMMON: Readonly<Record<string, string>> = {
  author: 'creators[0].name',
  creator: 'creators[0].name',
  authors: 'creators[0].name',
  creators: 'creators[0].name',
  name: 'creators[0].name',
  year: 'publicationyear',
  publisher: 'publisher.name',
  type: 'resourcetypegeneral',
  abstract: 'descriptions[0].description',
  keyword: 'subjects[0].subject',
  keywords: 'subjects[0].subject',
  license: 'rightslist[0].rights',
  licence: 'rightslist[0].rights',
  link: 'url',
  affiliation: 'creators[0].affiliation[0].name',
};
