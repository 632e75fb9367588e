import type { Params } from '../http/params.ts';
import type { Kind } from '../records/pattern.ts';
import type { View } from '../records/source.ts';
import type { Account } from '../state/accounts.ts';

/**
 * How to write records. `affiliation` and `publisher` act on exactly `true`, `detail` on any value,
 * even `false` (service.md, F6); a sparse fieldset always keeps `id` and `type` (service.md, F7).
 */
export function readView(params: Params): View {
  const names = params.list('fields[dois]')?.map(camelCase);
  return {
    fields: names === undefined ? undefined : new Set(names),
    detail: (params.get('detail') ?? '') !== '',
    affiliation: params.get('affiliation') === 'true',
    publisher: params.get('publisher') === 'true',
    agency: (params.get('include-other-registration-agencies') ?? '') !== '',
  };
}

/** How to write a single record, which always has its details and all members. */
export function readSingleView(params: Params, account: Account | undefined, kind: Kind): View {
  const landingPage =
    account !== undefined && [kind.clientId, kind.providerId].includes(account.id);
  return { ...readView(params), fields: undefined, detail: true, single: true, landingPage };
}

/** Field names may also be written with underscores. */
function camelCase(name: string): string {
  return name.replaceAll(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
