import { valueAt } from '../../text/json-values.ts';
import type { Page } from '../page/page.ts';
import { parsedRecord } from '../page/parsed-record.ts';
import type { Params } from './query-params.ts';
import { incomplete } from './repeat-guard.ts';

/** A filter that a record shows. */
interface Shown {
  readonly filter: string;
  readonly name: string;
  /**
   * What the service writes before the value; undefined where pages are not compared with the
   * filter.
   */
  readonly before?: string;
  readonly path: readonly string[];
  /** What of the value the filter compares: all of it by default. */
  readonly part?: (value: string) => string;
}

interface Rule extends Shown {
  /** In lower case. */
  readonly wanted: ReadonlySet<string>;
}

const SHOWN: readonly Shown[] = [
  { filter: 'state', name: 'state', before: '"state":"', path: ['attributes', 'state'] },
  {
    filter: 'prefix',
    name: 'prefix',
    before: '{"id":"',
    path: ['id'],
    part: (doi) => doi.split('/', 1)[0] ?? '',
  },
  ...['client', 'provider'].map((name) => ({
    filter: `${name}-id`,
    name,
    before: `"${name}":{"data":{"id":"`,
    path: ['relationships', name, 'data', 'id'],
  })),
  {
    filter: 'resource-type-id',
    name: 'type',
    path: ['attributes', 'types', 'resourceTypeGeneral'],
    part: typeId,
  },
];

/** The filters that {@link copyCheck} knows. */
export const COPY_FILTERS: readonly string[] = SHOWN.map(({ filter }) => filter);

/**
 * As the service makes an id of a type: in lower case, its words joined by hyphens (service.md,
 * F12).
 */
export function typeId(type: string): string {
  return type
    .replace(/(?<=[a-z\d])(?=[A-Z])/g, '-')
    .replaceAll('_', '-')
    .toLowerCase();
}

// These select records without regard to other filters.
const ALONE = ['id', 'ids', 'enriched'];
// A record that matches any of these is listed (service.md, F5); only the first two show in it.
const WIDENING =
  /^(client-id|provider-id|(affiliation|funder|organization|member)-id|has-(affiliation|organization|funder|member))$/;

/**
 * Makes a check of pages against the filters that a record shows without doubt: state, prefix,
 * repository and provider (service.md, F10). It returns its page. @throws {CliError} kind
 * `incomplete` at a record that the filters exclude.
 */
export function filterCheck(params: Params): (page: Page) => Page {
  const isCompared = ({ before }: Shown) => before !== undefined;
  const groups = rulesOf(params, SHOWN.filter(isCompared));
  return (page) => {
    for (let index = 0; groups.length > 0 && index < page.count; index += 1) {
      const record = page.record(index);
      for (const rules of groups) {
        const wrong = rules.some((rule) => looksRight(record, rule))
          ? undefined
          : wrongValues(record, rules);
        if (wrong === undefined) continue;
        throw incomplete(
          `the service sent a record that the filters exclude: ${page.id(index)} has ${wrong}`,
        );
      }
    }
    return page;
  };
}

/**
 * Makes a check of records of a copy against {@link COPY_FILTERS}, as the service applies them
 * (service.md, F5, F10, F12).
 * @param has the names of attributes and relationships that the records of the copy have.
 * @throws {UnknownHere} for a filter that compares others.
 */
export function copyCheck(
  params: Params,
  has: (name: string) => boolean,
): (record: unknown) => boolean {
  const groups = rulesOf(params, SHOWN);
  for (const { filter, path } of groups.flat()) {
    const name = path[0] === 'id' ? undefined : path[1];
    if (name !== undefined && !has(name)) throw new UnknownHere(filter, name);
  }
  return (record) =>
    groups.every((rules) =>
      rules.some((rule) => {
        const shown = shownBy(record, rule);
        return shown !== undefined && rule.wanted.has(shown.toLowerCase());
      }),
    );
}

/** A filter compares what the records of a copy do not have. */
export class UnknownHere extends Error {
  constructor(filter: string, name: string) {
    super(`its records have no ${name}, which --${filter} compares`);
  }
}

/** A record matches one rule of each list. */
function rulesOf(params: Params, shown: readonly Shown[]): readonly (readonly Rule[])[] {
  // The service takes `_` for `-` in names.
  const names = params.map(([name]) => name.replaceAll('_', '-'));
  if (names.some((name, index) => ALONE.includes(name) || names.indexOf(name) !== index)) return [];
  const rules = shown
    .map((rule) => ({
      ...rule,
      wanted: valuesOf(params[names.indexOf(rule.filter)]?.[1] ?? '', rule),
    }))
    .filter(({ wanted }) => wanted.size > 0);
  const owners = rules.filter(({ path }) => path[0] === 'relationships');
  const isWidened = names.filter((name) => WIDENING.test(name)).length > owners.length;
  const others = rules.filter((rule) => !owners.includes(rule)).map((rule) => [rule]);
  return owners.length === 0 || isWidened ? others : [...others, owners];
}

function valuesOf(list: string, { part = String }: Shown): ReadonlySet<string> {
  const values = list.split(',').map((value) => part(value.trim()).toLowerCase());
  return new Set(values.filter((value) => value !== ''));
}

/**
 * A guess without parsing, which a record that matches passes: the value stands at the end of a
 * record.
 */
function looksRight(record: Buffer, { name, before = '', wanted }: Rule): boolean {
  const at = name === 'prefix' ? record.indexOf(before) : record.lastIndexOf(before);
  if (at < 0) return false;
  const from = at + before.length;
  return wanted.has(
    record.toString('latin1', from, record.indexOf(name === 'prefix' ? '/' : '"', from)),
  );
}

/**
 * `the client a.b and the provider c`; undefined where one of the values is right, or the record
 * lacks it.
 */
function wrongValues(record: Buffer, rules: readonly Rule[]): string | undefined {
  const parsed = parsedRecord(record, 'leave out the filters');
  const wrongs = rules.map((rule) => {
    const shown = shownBy(parsed, rule);
    return shown === undefined || rule.wanted.has(shown.toLowerCase())
      ? undefined
      : `the ${rule.name} ${shown}`;
  });
  return wrongs.includes(undefined) ? undefined : wrongs.join(' and ');
}

/** What a record shows of a filter; undefined where it lacks it. */
function shownBy(record: unknown, { path, part = String }: Shown): string | undefined {
  const value = valueAt(record, path);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text === undefined ? undefined : part(text);
}
