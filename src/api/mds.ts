import { readText } from './http/body.ts';
import type { Call } from './http/call.ts';
import type { Http } from './http/http.ts';

/** What MDS keeps about a DOI: where it leads, its XML, and files in other media types. */
export type MdsResource = 'doi' | 'metadata' | 'media';

const TEXT = 'text/plain;charset=UTF-8';
const XML = 'application/xml;charset=UTF-8';
const MOST_BYTES = 32 * 1024 * 1024;

/** The text of a resource, as it is sent; undefined when the DOI exists and has none (204). */
export async function getText(http: Http, resource: MdsResource, doi: string): Promise<string | undefined> {
  return http.call({
    ...PLAIN,
    method: 'GET',
    url: http.url(path(resource, doi)),
    accept: resource === 'metadata' ? 'application/xml' : 'text/plain',
    read: async (response) => {
      const text = await readText(response, MOST_BYTES);
      return response.status === 204 || text.trim() === '' ? undefined : text;
    },
  });
}

/** Sets where a DOI leads. The record becomes Findable, for which it must have metadata. */
export async function putUrl(http: Http, doi: string, url: string): Promise<string> {
  const body = `doi=${doi}\nurl=${url}`;
  return write(http, {
    method: 'PUT',
    url: http.url(path('doi', doi)),
    body,
    contentType: TEXT,
    idempotent: true,
  });
}

/**
 * Registers metadata: of the DOI that is named, of a random one under a prefix, or of the one that the XML names. A
 * random one is never asked for twice.
 */
export async function sendMetadata(http: Http, name: string | undefined, xml: string): Promise<string> {
  const request = { body: xml, contentType: XML };
  if (name === undefined) return write(http, { ...request, method: 'POST', url: http.url('/metadata') });
  const url = http.url(path('metadata', name));
  return write(http, { ...request, method: 'PUT', url, idempotent: name.includes('/') });
}

/** Makes a Findable DOI a Registered one. */
export async function hideMetadata(http: Http, doi: string): Promise<string> {
  return write(http, { method: 'DELETE', url: http.url(path('metadata', doi)) });
}

/** Adds a media type with its address. Done twice, it would be there twice. */
export async function addMedia(http: Http, doi: string, type: string, address: string): Promise<string> {
  const url = http.url(path('media', doi));
  return write(http, { method: 'POST', url, body: `${type}=${address}`, contentType: TEXT });
}

/** A write and what it is answered with; an interrupt waits for it. */
async function write(http: Http, call: Omit<Call<string>, 'read'>): Promise<string> {
  return http.call({
    ...PLAIN,
    accept: 'text/plain',
    ...call,
    uninterruptible: true,
    read: (response) => readText(response, MOST_BYTES),
  });
}

/** MDS refuses in plain text; HTML comes from the proxies in front. */
const PLAIN = {
  errorMessage: (text: string) => (text.trim() === '' || /^\s*[<{]/.test(text) ? undefined : text.trim()),
};

/** The DOI as one segment, so that a suffix of dots or slashes cannot lead elsewhere. */
function path(resource: MdsResource, doi: string): string {
  return `/${resource}/${encodeURIComponent(doi)}`;
}
