import { camelCase, type Params } from '../http/params.ts';
import type { Kind } from '../records/pattern.ts';
import type { View } from '../records/source.ts';
import type { Account } from '../state/accounts.ts';
import type { World } from '../state/world.ts';

/** The defaults for requests without `affiliation` or `publisher`. */
export type Defaults = Pick<World, 'clock' | 'objectsFrom'>;

/**
 * How to write records. `detail` acts on any value, even `false` (service.md, F6); a sparse
 * fieldset always keeps `id` and `type` (service.md, F7).
 */
export function readView(defaults: Defaults, params: Params): View {
  const names = params.list('fields[dois]')?.map(camelCase);
  return {
    fields: names === undefined ? undefined : new Set(names),
    detail: (params.get('detail') ?? '') !== '',
    affiliation: wantsObjects(defaults, params, 'affiliation'),
    publisher: wantsObjects(defaults, params, 'publisher'),
    agency: (params.get('include-other-registration-agencies') ?? '') !== '',
  };
}

/**
 * Whether a request gets affiliations or the publisher as objects: for exactly `true`, and from a
 * certain date for everything except `false` (service.md, F6).
 */
export function wantsObjects(
  { clock, objectsFrom }: Defaults,
  params: Params,
  name: 'affiliation' | 'publisher',
): boolean {
  const value = params.get(name);
  return clock.now() < objectsFrom ? value === 'true' : value !== 'false';
}

/** How to write a single record, which always has its details and all members. */
export function readSingleView(
  defaults: Defaults,
  params: Params,
  account: Account | undefined,
  kind: Kind,
): View {
  const landingPage =
    account !== undefined && [kind.clientId, kind.providerId].includes(account.id);
  return {
    ...readView(defaults, params),
    fields: undefined,
    detail: true,
    single: true,
    landingPage,
  };
}
