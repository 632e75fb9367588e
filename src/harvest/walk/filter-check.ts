import { parseBounded, valueAt } from '../../text/json-values.ts';
import type { Page } from '../page/page.ts';
import type { Params } from './query-params.ts';
import { incomplete } from './repeat-guard.ts';

interface Rule {
  readonly name: string;
  /** What the service writes before the value. */
  readonly before: string;
  readonly path: readonly string[];
  /** In lower case. */
  readonly wanted: ReadonlySet<string>;
}

const SHOWN = [
  { filter: 'state', name: 'state', before: '"state":"', path: ['attributes', 'state'] },
  { filter: 'prefix', name: 'prefix', before: '{"id":"', path: ['id'] },
  ...['client', 'provider'].map((name) => ({
    filter: `${name}-id`,
    name,
    before: `"${name}":{"data":{"id":"`,
    path: ['relationships', name, 'data', 'id'],
  })),
];
// These select records without regard to other filters.
const ALONE = ['id', 'ids', 'enriched'];
// A record that matches any of these is listed (service.md, F5); only the first two show in it.
const WIDENING =
  /^(client-id|provider-id|(affiliation|funder|organization|member)-id|has-(affiliation|organization|funder|member))$/;

/**
 * Makes a check of pages against those filters of a query that a record shows without doubt: state, prefix,
 * repository and provider (service.md, F10). A service that ignores a filter answers with other records.
 * @returns a function that returns its page, and throws a CliError, kind `incomplete`, at a record that the
 *   filters exclude.
 */
export function filterCheck(params: Params): (page: Page) => Page {
  const groups = rulesOf(params);
  return (page) => {
    for (let index = 0; groups.length > 0 && index < page.count; index += 1) {
      const record = page.record(index);
      for (const rules of groups) {
        const wrong = rules.some((rule) => looksRight(record, rule)) ? undefined : wrongValues(record, rules);
        if (wrong === undefined) continue;
        throw incomplete(
          `the service sent a record that the filters exclude: ${page.id(index)} has ${wrong}`,
        );
      }
    }
    return page;
  };
}

/** A record matches one rule of each list. */
function rulesOf(params: Params): readonly (readonly Rule[])[] {
  // The service takes `_` for `-` in names.
  const names = params.map(([name]) => name.replaceAll('_', '-'));
  if (names.some((name, index) => ALONE.includes(name) || names.indexOf(name) !== index)) return [];
  const rules = SHOWN.map(({ filter, ...rule }) => ({
    ...rule,
    wanted: valuesOf(params[names.indexOf(filter)]?.[1] ?? ''),
  })).filter(({ wanted }) => wanted.size > 0);
  const owners = rules.filter(({ path }) => path[0] === 'relationships');
  const isWidened = names.filter((name) => WIDENING.test(name)).length > owners.length;
  const others = rules.filter((rule) => !owners.includes(rule)).map((rule) => [rule]);
  return owners.length === 0 || isWidened ? others : [...others, owners];
}

function valuesOf(list: string): ReadonlySet<string> {
  const values = list.split(',').map((value) => value.trim().toLowerCase());
  return new Set(values.filter((value) => value !== ''));
}

/** A guess without parsing, which a record that matches passes: the value stands at the end of a record. */
function looksRight(record: Buffer, { name, before, wanted }: Rule): boolean {
  const at = name === 'prefix' ? record.indexOf(before) : record.lastIndexOf(before);
  if (at < 0) return false;
  const from = at + before.length;
  return wanted.has(record.toString('latin1', from, record.indexOf(name === 'prefix' ? '/' : '"', from)));
}

/** `the client a.b and the provider c`; undefined where one of the values is right, or the record lacks it. */
function wrongValues(record: Buffer, rules: readonly Rule[]): string | undefined {
  const parsed = parseBounded(record.toString());
  const wrongs = rules.map(({ name, path, wanted }) => {
    const value = valueAt(parsed, path);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const shown = name === 'prefix' ? text?.split('/', 1)[0] : text;
    return shown === undefined || wanted.has(shown.toLowerCase()) ? undefined : `the ${name} ${shown}`;
  });
  return wrongs.includes(undefined) ? undefined : wrongs.join(' and ');
}
