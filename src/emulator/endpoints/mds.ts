import { type Answer, Refusal, type Request } from '../http/answer.ts';
import { decode } from '../http/segment.ts';
import type { Account } from '../state/accounts.ts';
import { activeAccount, type Identity } from '../state/identity.ts';
import { resourceDocument } from '../state/resource-document.ts';
import type { World } from '../state/world.ts';
import { consumerHeaders } from './consumer.ts';
import { makeNamed, type Written } from './dois-create.ts';
import { inFormat, mayRead } from './dois-get.ts';
import { freeDoi } from './dois-random.ts';
import { change } from './dois-update.ts';
import { identifierIn, readXml } from './read-xml.ts';

/** The path of the MDS API in the emulator. The real API has its own host. */
export const MDS_PREFIX = '/mds/';

const XML_TYPE = 'application/vnd.datacite.datacite+xml';
const DOI_UNKNOWN = 'DOI is unknown to MDS';
const DENIED = 'Access is denied';

/** The MDS API: bodies and errors are text or XML (service.md, M1). */
export function mds(world: World, request: Request, identity: Identity, path: string): Answer {
  try {
    const account = signedIn(identity);
    const [, resource = '', rest = ''] = /^(\w+)(?:\/(.*))?$/.exec(path) ?? [];
    const door = DOORS[`${request.method} ${resource}`];
    if (door === undefined) return text(404, 'Resource not found');
    const answer = door(world, request, account, decode(rest).toLowerCase());
    return { ...answer, headers: { ...consumerHeaders(account), ...answer.headers } };
  } catch (error) {
    if (!(error instanceof Refusal) || error.answer.contentType === PLAIN) throw error;
    // MDS sends the errors of the REST API as plain text.
    return text(error.answer.status, 'Metadata format not recognized');
  }
}

type Door = (world: World, request: Request, account: Account, doi: string) => Answer;

const DOORS: Readonly<Record<string, Door>> = {
  'GET doi': getUrl,
  'PUT doi': putUrl,
  'POST doi': putUrl,
  'DELETE doi': deleteDraft,
  'GET metadata': getMetadata,
  'PUT metadata': putMetadata,
  'POST metadata': putMetadata,
  'DELETE metadata': hide,
  'GET media': getMedia,
  'POST media': postMedia,
};

const PLAIN = 'text/plain; charset=utf-8';

function text(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, body, contentType: PLAIN, headers };
}

/**
 * The account that signed in. It takes an API key with an empty password; the service does not (service.md,
 * M2).
 */
function signedIn(identity: Identity): Account {
  const account = activeAccount(identity);
  if (account !== undefined) return account;
  const missing = 'An Authentication object was not found in the SecurityContext';
  const body = identity.kind === 'anonymous' ? missing : 'Bad credentials';
  throw new Refusal(text(401, body, { 'www-authenticate': 'Basic realm="mds.datacite.org"' }));
}

function getUrl(world: World, _: Request, account: Account, doi: string): Answer {
  const { entry, attributes } = own(world, account, doi, 'DOI not found');
  if (entry === undefined) return text(403, DENIED);
  const { url } = attributes;
  // No content for a DOI without an address (service.md, M9).
  return typeof url === 'string' && url !== '' ? text(200, url) : { status: 204 };
}

/**
 * The body has the lines `doi=…` and `url=…` (service.md, M3). They are taken as sent, while the service
 * unescapes them (service.md, M4).
 */
function putUrl(world: World, request: Request, account: Account, doi: string): Answer {
  const lines = new Map(
    request.body.split('\n').map((line) => {
      const at = line.indexOf('=');
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()] as const;
    }),
  );
  const [named = '', url = ''] = [lines.get('doi')?.toLowerCase(), lines.get('url')];
  if (named === '') return text(400, "param 'doi' required");
  if (doi !== '' && named !== doi) return text(400, 'doi parameter does not match doi of resource');
  if (url === '') return text(400, "param 'url' required");
  if (!/^(https?|ftp):\/\/\S+$/.test(url)) return text(400, 'Not a valid HTTP(S) or FTP URL');
  return written(upsert(world, account, named, { url, source: 'mds', event: 'publish' }), () =>
    text(201, 'OK'),
  );
}

function deleteDraft(world: World, _: Request, account: Account, doi: string): Answer {
  const { entry } = own(world, account, doi, 'DOI not found');
  if (entry === undefined) return text(403, DENIED);
  if (world.catalogue.kind(entry).state !== 'draft') return text(405, 'Method not allowed');
  world.catalogue.remove(entry);
  return text(200, 'OK');
}

function getMetadata(world: World, _: Request, account: Account, doi: string): Answer {
  const entry = world.catalogue.find(doi);
  if (entry === undefined || !mayRead(account, world.catalogue.kind(entry))) return text(404, DOI_UNKNOWN);
  const body = inFormat(world, entry, XML_TYPE) ?? '';
  return { status: 200, body, contentType: 'application/xml; charset=utf-8' };
}

/**
 * Registers metadata for the DOI in the path, else for the DOI in the XML, else for a random DOI of the
 * prefix. The service makes a random DOI of a prefix whatever the XML says (service.md, M6).
 */
function putMetadata(world: World, request: Request, account: Account, doi: string): Answer {
  if (/x-www-form-urlencoded/.test(request.headers['content-type'] ?? '')) {
    return text(415, 'Content type application/x-www-form-urlencoded is not supported');
  }
  const xml = request.body;
  if (xml.trim() === '') return text(415, 'Metadata format not recognized');
  readXml(xml);
  const given = doi.includes('/') ? doi : identifierIn(xml);
  const name = given !== '' || doi === '' ? given : freeDoi(world, doi);
  if (!/^10\.\d{4,9}\/\S+$/.test(name)) return text(404, DOI_UNKNOWN);
  const encoded = Buffer.from(xml).toString('base64');
  const result = upsert(world, account, name, { xml: encoded, source: 'mds', event: 'show' });
  const location = `${request.origin}${MDS_PREFIX}metadata/${name}`;
  return written(result, () => text(201, `OK (${name.toUpperCase()})`, { location }));
}

/** A Findable record becomes a Registered one (service.md, M7). */
function hide(world: World, _: Request, account: Account, doi: string): Answer {
  const { entry } = own(world, account, doi, DOI_UNKNOWN);
  if (entry === undefined) return text(403, DENIED);
  return written(change(world, account, entry, doi, { event: 'hide' }), () => text(200, 'OK'));
}

function getMedia(world: World, _: Request, account: Account, doi: string): Answer {
  const { entry } = own(world, account, doi, DOI_UNKNOWN);
  if (entry === undefined) return text(403, DENIED);
  const media = world.media.get(doi) ?? [];
  if (media.length === 0) return text(404, 'No media for the DOI');
  return text(200, media.map(({ type, url }) => `${type}=${url}`).join('\n'));
}

/** The body is `<media type>=<URL>` (service.md, M8); the URL is not cut at an equals sign here. */
function postMedia(world: World, request: Request, account: Account, doi: string): Answer {
  const { entry } = own(world, account, doi, DOI_UNKNOWN);
  if (entry === undefined) return text(403, DENIED);
  if (request.body === '') return text(400, 'Media type and URL missing');
  const [, type = '', url = ''] = /^(.*?)=(.*)$/s.exec(request.body.trim()) ?? [];
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(type)) return text(422, 'Media type is invalid');
  if (!/^(https?|ftp|s3|gs|dat):\/\/\S+$/.test(url)) return text(422, 'Url is invalid');
  world.media.set(doi, [...(world.media.get(doi) ?? []), { type, url }]);
  return text(200, 'OK');
}

function upsert(world: World, account: Account, doi: string, given: Record<string, unknown>): Written {
  const entry = world.catalogue.find(doi);
  return entry === undefined
    ? makeNamed(world, account, doi, given)
    : change(world, account, entry, doi, given);
}

function written(result: Written, done: () => Answer): Answer {
  if (result === 'forbidden') return text(403, DENIED);
  if ('doi' in result) return done();
  const [source = '', title = ''] = result[0] ?? [];
  const label = source.replaceAll('_', ' ');
  return text(422, `${label[0]?.toUpperCase() ?? ''}${label.slice(1)} ${title}`);
}

/** A record of the account; `entry` is undefined when the record belongs to another account. */
function own(world: World, account: Account, doi: string, unknown: string) {
  const entry = world.catalogue.find(doi);
  if (entry === undefined) throw new Refusal(text(404, unknown));
  if (world.catalogue.kind(entry).clientId !== account.id) return { entry: undefined, attributes: {} };
  const view = { fields: new Set(['url']), detail: false, affiliation: false, publisher: false };
  const document = JSON.parse(resourceDocument(world.catalogue, entry, view).toString()) as {
    data: { attributes: Record<string, unknown> };
  };
  return { entry, attributes: document.data.attributes };
}
