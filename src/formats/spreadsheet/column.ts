import { spelledPath, typesAt } from '../../metadata/schema.ts';
import { closest, didYouMean } from '../../text/closest.ts';
import { type Path, pathText } from '../../text/json-values.ts';

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

export interface Cell {
  readonly column: Column;
  /** As it stands in the file; empty leaves the value as it is. */
  readonly cell: string;
}

/**
 * Columns of a list that no record takes back: other commands, or only the service, change them.
 */
export const OUTPUT_ONLY: readonly string[] = [
  'client',
  'created',
  'registered',
  'updated',
  'published',
];

/** The column of an export that says what it wrote, see `exportedCell`. */
export const EXPORTED = 'exported';

/** The members that tell the items of a list apart. */
const MAIN: ReadonlySet<unknown> = new Set([
  ...[
    'name',
    'title',
    'subject',
    'description',
    'date',
    'relatedIdentifier',
    'rights',
    'identifier',
  ],
  ...['alternateIdentifier', 'funderName', 'geoLocationPlace'],
]);
/**
 * Members that do so together with those: several dates of a day, and relations to one work, are
 * common.
 */
const KINDS: ReadonlySet<unknown> = new Set(['dateType', 'relationType']);

/** Whether a member tells the items of a list apart: by itself, or as the kind of what does. */
const isMain = (member: unknown): boolean => MAIN.has(member);
export const isKind = (member: unknown): boolean => KINDS.has(member);

const STEP = /(?:^|\.)([A-Za-z_]\w*)|\[(\d{1,4})(\+?)\]/y;
const PERSON = /^(?:creators|contributors)\[\d+\]$/;
const ORGANIZATION = /^(?:publisher|(?:creators|contributors)\[\d+\]\.affiliation\[\d+\])$/;

/** The column of a name, in letters of any case; undefined when the schema has no such value. */
export function columnNamed(head: string): Column | undefined {
  const name = head.replace(/\s+/g, '');
  const fixedName = [...OUTPUT_ONLY, EXPORTED].find(
    (candidate) => candidate === name.toLowerCase(),
  );
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
  // A column Id or ID is more likely one of somebody's own.
  if (types.length === 0 || (spelled[0] === 'id' && name !== 'id')) return undefined;
  const text = pathText(spelled);
  return {
    name: rest ? text.replace(/\]$/, '+]') : text,
    path: spelled,
    rest,
    types: rest ? ['array'] : types,
  };
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
 * The standard column that was probably meant: one that ends with the word, or is spelled alike.
 */
function suggestedColumn(word: string): string | undefined {
  const lower = word.toLowerCase().replace(/s$/, '');
  const last = (name: string) => (name.split('.').at(-1) ?? name).toLowerCase();
  const end = STANDARD.some((name) => last(name) === lower)
    ? lower
    : closest(lower, STANDARD.map(last));
  return closest(word, STANDARD) ?? STANDARD.find((name) => last(name) === end);
}

const person = (...others: string[]) => [
  ...['name', 'nameType', 'givenName', 'familyName', 'orcid'],
  ...['affiliation[0].name', 'affiliation[0].ror', 'affiliation[1+]'],
  ...others,
];

/** The lists of a record: how many items have columns of their own, and which members of each. */
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

const ORDER = [
  ...[
    'doi',
    'state',
    'url',
    'titles',
    'creators',
    'publisher.name',
    'publisher.ror',
    'publicationYear',
  ],
  ...[
    'types.resourceTypeGeneral',
    'types.resourceType',
    'subjects',
    'contributors',
    'dates',
    'language',
  ],
  ...[
    'relatedIdentifiers',
    'identifiers',
    'sizes',
    'formats',
    'version',
    'rightsList',
    'descriptions',
  ],
  ...[
    'geoLocations',
    'fundingReferences',
    'relatedItems',
    'client',
    'created',
    'registered',
    'updated',
  ],
];

function namesOf(root: string): readonly string[] {
  const list = LISTS[root];
  if (list === undefined) return [root];
  const [items, members] = list;
  const itemNames = Array.from({ length: items }, (_, index) =>
    members.map((member) => `${root}[${index}]${member === '' ? '' : `.${member}`}`),
  ).flat();
  return [...itemNames, `${root}[${items}+]`];
}

/** The names of the standard columns, always the same and in this order. */
export const STANDARD: readonly string[] = ORDER.flatMap(namesOf);

/**
 * The columns of a list, or of some attributes. Without standard columns an attribute has one, as
 * JSON.
 */
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
  /** The heads that differ from the names of their columns, by name; absent if none does. */
  readonly heads?: Readonly<Record<string, string>>;
  /**
   * Whether the rows only name their DOIs: then another cell may change without making it another
   * row.
   */
  readonly onlyNames?: boolean;
}

/** The columns that other heads stand for; an empty path leaves the column out. */
export type ColumnMap = readonly (readonly [head: string, path: string])[];

/**
 * Reads the first row. A head that is no column is an error, and so are two about the same values.
 */
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

/** Whether a column holds all values of another one. */
function covers(a: Column, b: Column): boolean {
  const [outer, inner] = [longPath(a), longPath(b)];
  return outer.every((step, depth) => {
    const other = inner[depth];
    // `subjects[5+]` holds subjects[7], too.
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

/**
 * The name of the column that holds the value at a path, or part of it; undefined for none of
 * `names`.
 */
export function columnAt(path: Path, names: readonly string[]): string | undefined {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const prefix = path.slice(0, depth);
    const match = [prefix, shortPath(prefix)].map(pathText).find((name) => names.includes(name));
    if (match !== undefined) return match;
  }
  // What is missing as a whole may have columns for its parts.
  const text = pathText(path);
  return names.find((name) => name.startsWith(`${text}[0]`) || name.startsWith(`${text}.`));
}

function shortPath(path: Path): Path {
  const last = String(path.at(-1));
  if (last === 'nameIdentifiers') return [...path.slice(0, -1), 'orcid'];
  const isRor = /^(?:affiliation|publisher)Identifier(?:Scheme)?$/.test(last);
  return isRor ? [...path.slice(0, -1), 'ror'] : path;
}

/** Whether a cell holds the main member of an item. */
export function isMainCell({ column: { path }, cell }: Cell): boolean {
  return cell !== '' && (path.length === 2 || (path.length === 3 && isMain(path[2])));
}
