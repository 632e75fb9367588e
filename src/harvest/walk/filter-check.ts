import { valueAt } from '../../text/json-values.ts';
import type { Page } from '../page/page.ts';
import { parsedRecord } from '../page/parsed-record.ts';
import type { Params } from './query-params.ts';
import { incomplete } from './repeat-guard.ts';

interface RecordFilter {
  readonly filter: string;
  readonly name: string;
  /** The bytes before the value; undefined for a filter that pages are not compared with. */
  readonly before?: string;
  readonly path: readonly string[];
  /** The part of the value that the filter compares; by default all of it. */
  readonly part?: (value: string) => string;
}

interface Rule extends RecordFilter {
  /** In lower case. */
  readonly wanted: ReadonlySet<string>;
}

/** The filters whose values a record shows. */
export const RECORD_FILTERS: readonly RecordFilter[] = [
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

/** The service's id of a type: in lower case, its words joined by hyphens (service.md, F12). */
export function typeId(type: string): string {
  return type
    .replace(/(?<=[a-z\d])(?=[A-Z])/g, '-')
    .replaceAll('_', '-')
    .toLowerCase();
}

// With these, the service ignores other filters.
const ALONE = ['id', 'ids'];
const KINDS = ['affiliation', 'organization', 'funder', 'member'];
/**
 * A record that matches any of these is listed (service.md, F5). The first two are in the record.
 */
export const WIDENING: readonly string[] = [
  'client-id',
  'provider-id',
  ...KINDS.flatMap((kind) => [`${kind}-id`, `has-${kind}`]),
];

/**
 * Makes a check of pages against the filters whose values are certain in a record: state, prefix,
 * repository and provider (service.md, F10). The check returns its page.
 * @throws {CliError} kind `incomplete` at a record that the filters exclude.
 */
export function filterCheck(params: Params): (page: Page) => Page {
  const isCompared = ({ before }: RecordFilter) => before !== undefined;
  const groups = rulesOf(params, RECORD_FILTERS.filter(isCompared));
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

/** The rules for the filters of a query. A record must match one rule of each list. */
export function rulesOf(
  params: Params,
  filters: readonly RecordFilter[],
): readonly (readonly Rule[])[] {
  // The service accepts `_` for `-` in names.
  const names = params.map(([name]) => name.replaceAll('_', '-'));
  if (names.some((name, index) => ALONE.includes(name) || names.indexOf(name) !== index)) return [];
  const rules = filters
    .map((rule) => ({
      ...rule,
      wanted: valuesOf(params[names.indexOf(rule.filter)]?.[1] ?? '', rule),
    }))
    .filter(({ wanted }) => wanted.size > 0);
  const owners = rules.filter(({ path }) => path[0] === 'relationships');
  const isWidened = names.filter((name) => WIDENING.includes(name)).length > owners.length;
  const others = rules.filter((rule) => !owners.includes(rule)).map((rule) => [rule]);
  return owners.length === 0 || isWidened ? others : [...others, owners];
}

function valuesOf(list: string, { part = String }: RecordFilter): ReadonlySet<string> {
  const values = list.split(',').map((value) => part(value.trim()).toLowerCase());
  return new Set(values.filter((value) => value !== ''));
}

/** A quick check without parsing, which matching records pass: the value is at a record's end. */
function looksRight(record: Buffer, { name, before = '', wanted }: Rule): boolean {
  const at = name === 'prefix' ? record.indexOf(before) : record.lastIndexOf(before);
  if (at < 0) return false;
  const from = at + before.length;
  return wanted.has(
    record.toString('latin1', from, record.indexOf(name === 'prefix' ? '/' : '"', from)),
  );
}

/** `the client a.b and the provider c`; undefined if a value is right, or is not in the record. */
function wrongValues(record: Buffer, rules: readonly Rule[]): string | undefined {
  const parsed = parsedRecord(record, 'leave out the filters');
  const wrongs = rules.map((rule) => {
    const value = comparedValue(parsed, rule);
    return value === undefined || rule.wanted.has(value.toLowerCase())
      ? undefined
      : `the ${rule.name} ${value}`;
  });
  return wrongs.includes(undefined) ? undefined : wrongs.join(' and ');
}

/** The value that a filter compares; undefined if the record lacks it. */
export function comparedValue(
  record: unknown,
  { path, part = String }: RecordFilter,
): string | undefined {
  const value = valueAt(record, path);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text === undefined ? undefined : part(text);
}
