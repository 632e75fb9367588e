import { isObject } from '../text/json-values.ts';
import { AS_OBJECTS, clientIn, type Doi } from './dois.ts';
import { BadBody, readJson } from './http/body.ts';
import type { HttpService } from './service.ts';

// As many records of 60 KB as there are DOIs in one URL.
const MAX_LIST_BYTES = 64 * 1024 * 1024;

/**
 * The records of some DOIs, from a list: a list may lack changes of the last seconds (service.md,
 * P15, F10).
 * @param dois without commas, and few enough for one URL.
 */
export function listDois({ http }: HttpService, dois: readonly string[]): Promise<readonly Doi[]> {
  const params = [
    ['ids', dois.join(',')],
    ['page[size]', String(dois.length)],
    ...AS_OBJECTS,
  ] as const;
  return http.call({
    method: 'GET',
    url: http.url('/dois', params),
    read: async (response) => {
      const { data } = await readJson(response, MAX_LIST_BYTES);
      if (!Array.isArray(data)) throw new BadBody('the answer is not a list of DOI records');
      return data.flatMap((resource: unknown): Doi[] => {
        const { id, attributes } = (resource ?? {}) as Partial<Doi>;
        return typeof id === 'string' && isObject(attributes)
          ? [{ id, attributes, client: clientIn(resource), text: JSON.stringify(resource) }]
          : [];
      });
    },
  });
}
