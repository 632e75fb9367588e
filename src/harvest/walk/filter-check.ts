import type { Page } from '../page/page.ts';
import type { Params } from './query-params.ts';
import { incomplete } from './repeat-guard.ts';

/** Returns what a record holds against the filters, such as `the state draft`; undefined if nothing for sure. */
type Rule = (page: Page, index: number, record: Buffer) => string | undefined;

/**
 * Makes a check of pages against those filters of a query that a record shows without doubt: state, prefix,
 * repository and provider (service.md, F10). A service that ignores a filter answers with other records.
 * @returns a function that returns its page, and throws a CliError, kind `incomplete`, at a record that the
 *   filters exclude.
 */
export function filterCheck(params: Params): (page: Page) => Page {
  const rules = rulesOf(params);
  return (page) => {
    if (rules.length === 0) return page;
    for (let index = 0; index < page.count; index += 1) {
      const record = page.record(index);
      for (const rule of rules) {
        const wrong = rule(page, index, record);
        if (wrong === undefined) continue;
        throw incomplete(
          `the service sent a record that the filters exclude: ${page.id(index)} has ${wrong}`,
        );
      }
    }
    return page;
  };
}

// These select records without regard to other filters.
const ALONE = ['id', 'ids', 'enriched'];
// A record that matches any of these is listed (service.md, F5); only the first two show in it.
const WIDENING =
  /^(client-id|provider-id|(affiliation|funder|organization|member)-id|has-(affiliation|organization|funder|member))$/;

function rulesOf(params: Params): readonly Rule[] {
  // The service takes `_` for `-` in names.
  const names = params.map(([name]) => name.replaceAll('_', '-'));
  if (names.some((name, index) => ALONE.includes(name) || names.indexOf(name) !== index)) return [];
  const values = (wanted: string) =>
    new Set(
      (params[names.indexOf(wanted)]?.[1] ?? '')
        .split(',')
        .map((value) => value.trim().toLowerCase())
        .filter((value) => value !== ''),
    );
  const [state, prefix] = [values('state'), values('prefix')];
  const owners = OWNERS.map((owner) => ({ ...owner, wanted: values(`${owner.name}-id`) })).filter(
    ({ wanted }) => wanted.size > 0,
  );
  const others = names.filter((name) => WIDENING.test(name)).length - owners.length;
  return [
    ...(state.size > 0 ? [stateRule(state)] : []),
    ...(prefix.size > 0 ? [prefixRule(prefix)] : []),
    ...(owners.length > 0 && others === 0 ? [ownerRule(owners)] : []),
  ];
}

function prefixRule(wanted: ReadonlySet<string>): Rule {
  return (page, index) => {
    const prefix = page.id(index)?.split('/', 1)[0];
    return prefix === undefined || wanted.has(prefix) ? undefined : `the prefix ${prefix}`;
  };
}

// Each rule first guesses in the bytes, because a record that matches must cost next to nothing. It searches
// from the end, where the service puts these members. Only what does not look right is parsed.
const STATE = Buffer.from('"state":');
const RELATIONSHIPS = Buffer.from('"relationships":');

function stateRule(wanted: ReadonlySet<string>): Rule {
  return (_page, _index, record) => {
    const at = record.lastIndexOf(STATE);
    if (at < 0 || wanted.has(textAt(record, at + STATE.length + 1))) return undefined;
    const { attributes } = JSON.parse(record.toString()) as { attributes?: { state?: unknown } | null };
    const state = attributes?.state;
    return state === undefined || wanted.has(plain(state).toLowerCase())
      ? undefined
      : `the state ${plain(state)}`;
  };
}

interface Owner {
  readonly name: 'client' | 'provider';
  readonly member: Buffer;
  /** From the member to its id. */
  readonly id: Buffer;
  readonly wanted: ReadonlySet<string>;
}

const OWNERS = (['client', 'provider'] as const).map((name) => ({
  name,
  member: Buffer.from(`"${name}":`),
  id: Buffer.from(`"${name}":{"data":{"id":"`),
}));

/** A record that matches one of the owners is listed. One that it does not name is unknown. */
function ownerRule(owners: readonly Owner[]): Rule {
  return (_page, _index, record) => {
    const at = record.lastIndexOf(RELATIONSHIPS);
    if (at < 0) return undefined;
    for (const { member, id, wanted } of owners) {
      const found = record.indexOf(id, at);
      if (found < 0 ? record.indexOf(member, at) < 0 : wanted.has(textAt(record, found + id.length)))
        return undefined;
    }
    const { relationships } = JSON.parse(record.toString()) as { relationships?: Relationships | null };
    const wrongs = owners.map(({ name, wanted }) => {
      const relationship = relationships?.[name];
      const id = plain(relationship?.data?.id ?? null);
      return relationship === undefined || wanted.has(id.toLowerCase()) ? undefined : `the ${name} ${id}`;
    });
    return wrongs.includes(undefined) ? undefined : wrongs.join(' and ');
  };
}

type Relationships = Readonly<
  Record<string, { readonly data?: { readonly id?: unknown } | null } | undefined>
>;

/** A text as it is, and any other value as JSON. */
function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The text of a JSON string, whose content begins at an offset, as far as it has no escapes. */
function textAt(record: Buffer, from: number): string {
  return record.toString('latin1', from, record.indexOf(0x22, from));
}
