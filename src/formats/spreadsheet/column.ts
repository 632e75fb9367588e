import { spelledPath, typesAt } from '../../metadata/schema.ts';
import { closest, didYouMean } from '../../text/closest.ts';
import { type Path, pathText } from '../../text/json-values.ts';

/** A column of a spreadsheet: a value of a record, named by its path below the attributes. */
export interface Column {
  /** The canonical name, such as `titles[0].title`, `creators[0].orcid` or `subjects[5+]`. */
  readonly name: string;
  /** The path; for `subjects[5+]` it ends with 5, for `creators[0].orcid` with `orcid`. */
  readonly path: Path;
  /** Whether it contains the items of a list from the last index of the path on, as JSON. */
  readonly rest: boolean;
  /** The JSON types of its value; empty for a column that is only written, such as `client`. */
  readonly types: readonly string[];
}

export interface Cell {
  readonly column: Column;
  /** As in the file; an empty cell does not change the value. */
  readonly cell: string;
}

/** Columns that are only written: other commands, or only the service, change their values. */
export const OUTPUT_ONLY = 'client created registered updated published'.split(' ');

/** The column with what an export wrote, see `exportedCell`. */
export const EXPORTED = 'exported';

/** The column with what is wrong with a record, for people. */
export const FINDINGS = 'findings';

/** The columns that do not edit a record. */
export const NOT_EDITED: readonly string[] = [...OUTPUT_ONLY, EXPORTED, FINDINGS];

/** The main members of list items, which tell the items of a list apart. */
const MAIN: ReadonlySet<unknown> = new Set(
  `name title subject description date relatedIdentifier rights identifier alternateIdentifier
   funderName geoLocationPlace`.split(/\s+/),
);

/** Whether a member helps the main one to tell items apart: a day may have several dates. */
export const isKind = (member: unknown): boolean =>
  member === 'dateType' || member === 'relationType';

const STEP = /(?:^|\.)([A-Za-z_]\w*)|\[(\d{1,4})(\+?)\]/y;
const PERSON = /^(?:creators|contributors)\[\d+\]$/;
const ORGANIZATION = /^(?:publisher|(?:creators|contributors)\[\d+\]\.affiliation\[\d+\])$/;

/** The column of a name, in letters of any case; undefined when the schema has no such value. */
export function columnNamed(head: string): Column | undefined {
  const name = head.replace(/\s+/g, '');
  const fixedName = NOT_EDITED.find((candidate) => candidate === name.toLowerCase());
  if (fixedName !== undefined)
    return { name: fixedName, path: [fixedName], rest: false, types: [] };
  const path: (string | number)[] = [];
  let rest = false;
  STEP.lastIndex = 0;
  for (let end = 0; end < name.length; end = STEP.lastIndex) {
    const [, member, index, plus] = STEP.exec(name) ?? [];
    if (rest || (member === undefined && index === undefined)) return undefined;
    path.push(member?.replace(/^(?:orcid|ror)$/i, (short) => short.toLowerCase()) ?? Number(index));
    rest = plus === '+';
  }
  const spelled = spelledPath(path);
  const types = path.length === 0 ? [] : typesOf(spelled);
  // A column Id or ID probably belongs to the user's own table.
  if (types.length === 0 || (spelled[0] === 'id' && name !== 'id')) return undefined;
  const text = pathText(spelled);
  return {
    name: rest ? text.replace(/\]$/, '+]') : text,
    path: spelled,
    rest,
    types: rest ? ['array'] : types,
  };
}

/** The JSON types at a path, which may end with a short name: `orcid` or `ror`. */
function typesOf(path: Path): readonly string[] {
  const last = path.at(-1);
  const parent = pathText(path.slice(0, -1));
  if (last === 'orcid') return PERSON.test(parent) ? ['string'] : [];
  if (last === 'ror') return ORGANIZATION.test(parent) ? ['string'] : [];
  return typesAt(path);
}

/** The standard column that was probably meant: it ends with the word, or is spelled alike. */
export function suggestedColumn(word: string): string | undefined {
  const lower = word.toLowerCase().replace(/s$/, '');
  const end = STANDARD.some((name) => lastStep(name) === lower)
    ? lower
    : closest(lower, STANDARD.map(lastStep));
  const ofList = STANDARD.find((name) => name.toLowerCase().startsWith(`${lower}s[0].`));
  return ofList ?? closest(word, STANDARD) ?? STANDARD.find((name) => lastStep(name) === end);
}

const lastStep = (name: string) => (name.split('.').at(-1) ?? name).toLowerCase();
const person = (...others: string[]) => [
  ...['name', 'nameType', 'givenName', 'familyName', 'orcid'],
  ...['affiliation[0].name', 'affiliation[0].ror', 'affiliation[1+]'],
  ...others,
];

/** The lists of a record: the number of items with separate columns, and their members. */
const LISTS: Readonly<Record<string, readonly [items: number, members: readonly string[]]>> = {
  titles: [2, ['title', 'titleType', 'lang']],
  creators: [5, person()],
  subjects: [5, ['subject', 'subjectScheme', 'valueUri']],
  contributors: [2, person('contributorType')],
  dates: [3, ['date', 'dateType', 'dateInformation']],
  relatedIdentifiers: [3, ['relatedIdentifier', 'relatedIdentifierType', 'relationType']],
  identifiers: [1, ['identifier', 'identifierType']],
  sizes: [1, ['']],
  formats: [1, ['']],
  rightsList: [1, ['rights', 'rightsUri', 'rightsIdentifier']],
  descriptions: [2, ['description', 'descriptionType', 'lang']],
  geoLocations: [
    1,
    [
      ...['geoLocationPlace', 'geoLocationPoint.pointLatitude', 'geoLocationPoint.pointLongitude'],
      ...['geoLocationBox', 'geoLocationPolygon'],
    ],
  ],
  fundingReferences: [
    1,
    [
      'funderName',
      'funderIdentifier',
      'funderIdentifierType',
      'awardNumber',
      'awardTitle',
      'awardUri',
    ],
  ],
};

const ORDER = `doi state url titles creators publisher.name publisher.ror publicationYear
   types.resourceTypeGeneral types.resourceType subjects contributors dates language
   relatedIdentifiers identifiers sizes formats version rightsList descriptions
   geoLocations fundingReferences relatedItems client created registered updated`.split(/\s+/);

function namesOf(root: string): readonly string[] {
  const list = LISTS[root];
  if (list === undefined) return [root];
  const [items, members] = list;
  const itemNames = Array.from({ length: items }, (_, index) =>
    members.map((member) => `${root}[${index}]${member === '' ? '' : `.${member}`}`),
  ).flat();
  return [...itemNames, `${root}[${items}+]`];
}

/** The names of the standard columns, always in this order. */
export const STANDARD: readonly string[] = ORDER.flatMap(namesOf);

/** All columns, or the columns of attributes. An attribute without standard columns is JSON. */
export function columnsFor(fields: readonly string[] | undefined): readonly Column[] {
  const names =
    fields === undefined
      ? STANDARD
      : ['doi', ...fields.filter((field) => field !== 'doi').flatMap(columnsOfField)];
  return [...new Set(names)].map(
    (name) => columnNamed(name) ?? { name, path: [name], rest: false, types: [] },
  );
}

function columnsOfField(field: string): readonly string[] {
  const fieldColumns = STANDARD.filter(
    (name) => name === field || (/^[.[]/.test(name.slice(field.length)) && name.startsWith(field)),
  );
  return fieldColumns.length === 0 ? [field] : fieldColumns;
}

export interface Header {
  /** Undefined where cells are ignored. */
  readonly columns: readonly (Column | undefined)[];
  /** Heads by the name of their column, where the two differ; absent if no head differs. */
  readonly heads?: Readonly<Record<string, string>>;
  /** Whether only the DOIs of rows are used: then changes in other cells do not count. */
  readonly onlyNames?: boolean;
}

/** The paths of heads that are not column names; an empty path leaves the column out. */
export type ColumnMap = readonly (readonly [head: string, path: string])[];

/** Reads the first row. @throws for unknown heads, and for two heads for the same values. */
export function headerOf(heads: readonly string[], map: ColumnMap): Header {
  const mapped = new Map(map);
  const unused = map.find(([head]) => !heads.some((candidate) => candidate.trim() === head));
  if (unused !== undefined) {
    throw new Error(`--map: there is no column '${unused[0]}'${didYouMean(unused[0], heads)}`);
  }
  const columns = heads.map((head) => columnOf(head.trim(), mapped));
  const known = columns.filter((column) => column !== undefined);
  for (const [index, column] of known.entries()) {
    const other = known
      .slice(0, index)
      .find((candidate) => covers(candidate, column) || covers(column, candidate));
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
  const meant = suggestedColumn(path ?? head);
  const suggestion = meant === undefined ? '' : `; did you mean ${meant}?`;
  const what =
    path === undefined ? `the column ${JSON.stringify(head)}` : `--map: the value '${path}'`;
  throw new Error(`${what} is not known${suggestion}`);
}

/** Whether a column contains all values of another. */
function covers(a: Column, b: Column): boolean {
  const [outer, inner] = [longPath(a), longPath(b)];
  return outer.every((step, depth) => {
    const other = inner[depth];
    // `subjects[5+]` contains `subjects[7]`.
    const isAmongOthers = a.rest && depth === outer.length - 1 && typeof other === 'number';
    return step === other || (isAmongOthers && other > Number(step));
  });
}

function longPath({ path }: Column): readonly (string | number)[] {
  const long = {
    orcid: 'nameIdentifiers',
    ror: `${path[0] === 'publisher' ? path[0] : 'affiliation'}Identifier`,
  };
  return path.map((step) => long[step as keyof typeof long] ?? step);
}

/** The column of `names` with the value at a path, or with a part of it. */
export function columnAt(path: Path, names: readonly string[]): string | undefined {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const prefix = path.slice(0, depth);
    const match = [prefix, shortPath(prefix)].map(pathText).find((name) => names.includes(name));
    if (match !== undefined) return match;
  }
  // A missing value may have columns for its parts.
  const text = pathText(path);
  return names.find((name) => name.startsWith(`${text}[0]`) || name.startsWith(`${text}.`));
}

function shortPath(path: Path): Path {
  const last = String(path.at(-1));
  if (last === 'nameIdentifiers') return [...path.slice(0, -1), 'orcid'];
  const isRor = /^(?:affiliation|publisher)Identifier(?:Scheme)?$/.test(last);
  return isRor ? [...path.slice(0, -1), 'ror'] : path;
}

/** Whether a cell contains the main member of an item. */
export function isMainCell({ column: { path }, cell }: Cell): boolean {
  return cell !== '' && (path.length === 2 || (path.length === 3 && MAIN.has(path[2])));
}
