import { problem, Refusal } from '../http/answer.ts';
import { ATTRIBUTES } from '../records/attributes.ts';
import {
  type Candidate,
  hasInvalidMetadata,
  type Wrong,
  wrongIn,
} from '../records/metadata/check.ts';
import { containerOf } from '../records/metadata/container.ts';
import { type Item, isBlank, isItem, textOf } from '../records/metadata/values.ts';
import type { Kind, State } from '../records/pattern.ts';
import { isoSeconds } from '../records/times.ts';
import { resourceTypeId } from '../records/types.ts';
import type { StoredDoi } from '../state/stored-doi.ts';
import { type Accepted, xmlAfter } from './accept.ts';

/** The state of a record before a write. */
interface Before {
  readonly kind: Pick<Kind, 'clientId' | 'providerId' | 'prefix' | 'state'>;
  readonly times: { readonly created: number; readonly registered: number | undefined };
  readonly attributes: Item;
  readonly xml: string | undefined;
  readonly isNew: boolean;
  /** The domains that its repository allows. */
  readonly domains: string | undefined;
}

/**
 * The record after a write, or its errors.
 *
 * @param seconds the time of the write, since 1970
 * @throws Refusal with 500 for a version that does not fit into the database
 */
export function buildRecord(
  doi: string,
  before: Before,
  accepted: Accepted,
  seconds: number,
): StoredDoi | readonly Wrong[] {
  const state = stateAfter(before.kind.state, accepted.event);
  // A schema version of null counts as missing.
  const schemaVersion = accepted.attributes['schemaVersion'] ?? before.attributes['schemaVersion'];
  const merged: Item = { ...before.attributes, ...accepted.attributes, doi, schemaVersion };
  const xml = xmlAfter(accepted, merged, before.xml);
  const resolves = state !== 'draft';
  const complete = resolves || accepted.checked;
  const candidate: Candidate = {
    doi,
    attributes: merged,
    xml,
    isNew: before.isNew,
    resolves,
    complete,
  };
  const wrong = [...wrongIn(candidate), ...(resolves ? foreignUrl(merged['url'], before) : [])];
  if (wrong.length > 0) return wrong;
  for (const [name, column, most] of COLUMNS) {
    if (textOf(merged[name]).length <= most) continue;
    throw new Refusal(problem(500, `Mysql2::Error: Data too long for column '${column}' at row 1`));
  }
  if (resolves && hasInvalidMetadata(candidate)) return [['metadata', 'Is invalid']];
  const registered = before.times.registered ?? (resolves ? seconds : undefined);
  const year = Number(merged['publicationYear'] ?? Number.NaN);
  const published = Number.isInteger(year) ? year : undefined;
  const changed = !before.isNew && xml !== before.xml ? 1 : 0;
  return {
    doi,
    kind: { ...before.kind, state, resourceTypeId: typeOf(merged) },
    times: { created: before.times.created, updated: seconds, registered, published },
    attributes: {
      ...merged,
      container:
        containerOf(merged) ??
        accepted.attributes['container'] ??
        // A container that the service made from other attributes is removed with them.
        (containerOf(before.attributes) ? {} : merged['container']),
      metadataVersion: Number(merged['metadataVersion']) + changed,
      isActive: state === 'findable',
      state,
      registered: registered === undefined ? null : isoSeconds(registered),
      published: published === undefined ? null : String(published),
      updated: isoSeconds(seconds),
    },
    xml,
  };
}

/** Columns for texts of a limited length. */
const COLUMNS = [
  ['version', 'version_info', 191],
  ['schemaVersion', 'schema_version', 191],
  ['source', 'source', 191],
  ['reason', 'reason', 255],
] as const;

/** An address outside of the domains of the repository (service.md, F15). */
function foreignUrl(url: unknown, { domains = '*', kind }: Before): Wrong[] {
  const [, host] = /^\w+:\/\/(?:[^/?#]*@)?(\[[^\]]*\]|[^/?#:]*)/.exec(String(url)) ?? [];
  if (host === undefined || domains === '*') return [];
  const isAllowed = domains
    .split(',')
    .some((domain) => (domain.startsWith('*.') ? host.endsWith(domain.slice(1)) : host === domain));
  const text = `URL ${url} is not allowed by repository ${kind.clientId} domain settings.`;
  return isAllowed ? [] : [['url', text]];
}

/**
 * The state after an event (service.md, W3). A registered record never becomes a Draft again; an
 * event that is unknown or does not fit the state is ignored (service.md, W4).
 */
function stateAfter(before: State, event: unknown): State {
  if (event === 'publish') return 'findable';
  if (event === 'register' && before === 'draft') return 'registered';
  if (event === 'show' && before === 'registered') return 'findable';
  return event === 'hide' && before === 'findable' ? 'registered' : before;
}

/** The type in the spelling of the `resource-type-id` filter; empty without one. */
function typeOf({ types }: Item): string {
  const general = isItem(types) ? types['resourceTypeGeneral'] : undefined;
  return isBlank(general) ? '' : resourceTypeId(String(general));
}

/** An empty record, its members in the order of the service. */
export function emptyRecord(created: string): Item {
  const values: Item = {
    ...{ doi: '', container: {}, types: {}, metadataVersion: 0, source: 'api', isActive: false },
    ...{ state: 'draft', created, updated: '' },
  };
  const empty = (name: string) => {
    if (/(s|List)$/.test(name)) return [];
    return name.endsWith('Count') ? 0 : null;
  };
  return Object.fromEntries(ATTRIBUTES.map(([name]) => [name, values[name] ?? empty(name)]));
}
