import type { Params } from '../http/params.ts';
import type { View } from '../records/source.ts';

/**
 * How to write records. `affiliation` and `publisher` act on exactly `true`, `detail` on any value, even
 * `false` (service.md, F6); a sparse fieldset always keeps `id` and `type` (service.md, F7).
 */
export function readView(params: Params): View {
  const names = params.list('fields[dois]')?.map(camelCase);
  return {
    fields: names === undefined ? undefined : new Set(names),
    detail: (params.get('detail') ?? '') !== '',
    affiliation: params.get('affiliation') === 'true',
    publisher: params.get('publisher') === 'true',
  };
}

/** Field names may also be written with underscores. */
function camelCase(name: string): string {
  return name.replaceAll(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
