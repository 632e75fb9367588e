import { isNonEmptyString } from '../text/json-values.ts';
import { doiPath } from './dois.ts';
import { BadBody, MAX_SMALL_BYTES, readJson } from './http/body.ts';
import { type ProbedService, throwProbed } from './probe.ts';

/** The address of a DOI of the account; undefined for a Draft without one (service.md, O5). */
export function registeredUrl(service: ProbedService, doi: string): Promise<string | undefined> {
  const { http } = service;
  const request = http.call({
    method: 'GET',
    url: http.url(`${doiPath(doi)}/get-url`),
    read: async (response) => {
      if (response.status === 204) return undefined;
      const { url } = await readJson(response, MAX_SMALL_BYTES);
      if (isNonEmptyString(url)) return url;
      throw new BadBody('the answer holds no address');
    },
  });
  return request.catch((error: unknown) => throwProbed(service, error));
}
