import { type Answer, Refusal, type Request } from '../http/answer.ts';
import { decode, Params } from '../http/params.ts';
import { identifierIn, isDataciteXml } from '../records/metadata/read-xml.ts';
import type { Account } from '../state/accounts.ts';
import type { Entry } from '../state/catalogue.ts';
import { activeAccount, type Identity } from '../state/identity.ts';
import type { World } from '../state/world.ts';
import { accept } from './accept.ts';
import { consumerHeaders } from './consumer.ts';
import { makeNamed, type Written } from './dois-create.ts';
import { inFormat, mayRead } from './dois-get.ts';
import { ownDois } from './dois-parts.ts';
import { randomDoi } from './dois-random.ts';
import { attributesOf, change } from './dois-update.ts';

/** The path of the MDS API in the emulator. The real API has its own host. */
export const MDS_PREFIX = '/mds/';

const XML_TYPE = 'application/vnd.datacite.datacite+xml';
const DOI_NOT_FOUND = 'DOI not found';
const DOI_UNKNOWN = 'DOI is unknown to MDS';
const NO_MEDIA = 'No media for the DOI';
const DENIED = 'Access is denied';
const DOI = /^10\.\d{4,5}\/.+$/;
const RESOLVER = /https?:\/\/?(?:(?:dx\.)?doi\.org|handle\.(?:stage|test)\.datacite\.org)\//.source;
const BEFORE_DOI = new RegExp(String.raw`^(?:${RESOLVER})?(?:doi:)?(?=10\.)`);

/** The MDS API: bodies and errors are text or XML (service.md, M1). */
export function mds(world: World, request: Request, identity: Identity, path: string): Answer {
  const open = OPEN[`${request.method} ${path}`];
  if (open !== undefined) return { ...open, headers: consumerHeaders(undefined) };
  // `/doi/<doi>/media` is another spelling of `/media/<doi>`.
  const spelled = path.replace(/^doi\/(.+)\/media$/, 'media/$1');
  const [, resource = '', rest = ''] = /^(\w+)(?:\/(.*))?$/.exec(spelled) ?? [];
  const door = DOORS[`${request.method} ${resource}${rest === '' ? '' : '/'}`];
  if (door === undefined) return text(404, 'Resource not found', consumerHeaders(undefined));
  const sent = sentName(request);
  const name = decode(rest).toLowerCase().replace(BEFORE_DOI, '');
  const answer = attempt(() => door(world, request, activeAccount(identity), name));
  return { ...answer, headers: { 'x-credential-username': sent, ...answer.headers } };
}

/** MDS sends the first error of the REST API as plain text. */
function attempt(door: () => Answer): Answer {
  try {
    return door();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.answer.contentType === PLAIN) return error.answer;
    const { errors } = JSON.parse(String(error.answer.body)) as {
      errors: readonly { title: string }[];
    };
    return text(error.answer.status, errors[0]?.title ?? '');
  }
}

/** @param account undefined for credentials that the REST API does not accept */
type Door = (world: World, request: Request, account: Account | undefined, doi: string) => Answer;

const DOORS: Readonly<Record<string, Door>> = {
  'GET doi': listUrls,
  'GET doi/': getUrl,
  'PUT doi/': putUrl,
  'PATCH doi/': putUrl,
  'POST doi': putUrl,
  'DELETE doi/': deleteDraft,
  'GET metadata': getMetadata,
  'GET metadata/': getMetadata,
  'PUT metadata/': putMetadata,
  'POST metadata': putMetadata,
  'POST metadata/': putMetadata,
  'DELETE metadata/': hide,
  'GET media/': getMedia,
  'POST media/': postMedia,
};

const PLAIN = 'text/plain; charset=utf-8';

function text(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return { status, body, contentType: PLAIN, headers };
}

/** Answers that need no credentials. */
const OPEN: Readonly<Record<string, Answer>> = {
  'GET heartbeat': text(200, 'OK'),
  'GET login': text(501, 'One-time login and session cookies not supported by this service'),
};

const BAD_CREDENTIALS = text(401, 'Bad credentials');

/**
 * The user name of the request. Neither it nor the password may be empty (service.md, M2). Only the
 * REST API checks whether they are right.
 */
function sentName({ headers }: Request): string {
  const sent = Buffer.from(
    /^Basic\s+(.*)$/i.exec(headers.authorization ?? '')?.[1] ?? '',
    'base64',
  ).toString();
  const [, name] = /^\s*([^\s:][^:]*):[\s\S]*\S/.exec(sent) ?? [];
  if (name !== undefined) return name;
  throw new Refusal({
    ...text(401, 'An Authentication object was not found in the SecurityContext'),
    headers: { 'www-authenticate': 'Basic realm="mds.datacite.org"' },
  });
}

function listUrls(world: World, _: Request, account: Account | undefined): Answer {
  if (account === undefined) return BAD_CREDENTIALS;
  const dois = ownDois(world, account);
  return dois.length === 0 ? { status: 204 } : text(200, dois.join('\n'));
}

/**
 * With refused credentials, every DOI can be read, as without credentials (service.md, O5, M11).
 */
function getUrl(world: World, _: Request, account: Account | undefined, doi: string): Answer {
  const entry = world.catalogue.find(doi);
  if (entry === undefined) return account ? text(404, DOI_NOT_FOUND) : BAD_CREDENTIALS;
  if (account !== undefined && world.catalogue.kind(entry).clientId !== account.id)
    return text(403, DENIED);
  const { url } = attributesOf(world, entry);
  // No content for a DOI without an address (service.md, M9).
  return typeof url === 'string' && url !== '' ? text(200, url) : { status: 204 };
}

/**
 * The body has the lines `doi=…` and `url=…` (service.md, M3), which are unescaped (service.md,
 * M4).
 */
function putUrl(world: World, request: Request, account: Account | undefined, doi: string): Answer {
  const { body, query, headers } = request;
  const isForm = /^(?:application\/x-www-form-urlencoded|$)/.test(headers['content-type'] ?? '');
  const params = new Params(isForm ? `${query}&${body}` : query);
  const [byParams, to] = [doi || params.get('doi'), params.get('url')];
  if (byParams && to) return register(world, account, byParams.toLowerCase(), to);
  if (body.trim() === '') return { status: 400 };
  const lines = new Map(
    body.split('\n').map((line) => {
      const [name = '', ...rest] = line.split('=');
      return [name, rest.length === 0 ? 'value' : unescaped(rest.join('=').trim())] as const;
    }),
  );
  const [sent = '', url = ''] = [lines.get('doi')?.toLowerCase(), lines.get('url')];
  if (sent === '') return text(400, "param 'doi' required");
  if (doi !== '' && sent !== doi) return text(400, 'doi parameter does not match doi of resource');
  if (url === '') return text(400, "param 'url' required");
  return register(world, account, sent, url);
}

function register(world: World, account: Account | undefined, doi: string, url: string): Answer {
  // MDS does not set a status for errors before it calls the REST API: it is 200 (service.md, M3).
  if (!/^(https?|ftp):\/\/\S/.test(url)) return text(200, 'Not a valid HTTP(S) or FTP URL');
  const result = upsert(world, account, doi, {
    url,
    should_validate: 'true',
    source: 'mds',
    event: 'publish',
  });
  if (result === 'unknown') return text(404, DOI_NOT_FOUND);
  return written(result, () => text(201, 'OK'));
}

/** Unescapes a form: `+` is a space, and invalid escapes stay. */
function unescaped(value: string): string {
  return value.replaceAll('+', ' ').replaceAll(/(?:%[\da-f]{2})+/gi, decode);
}

function deleteDraft(world: World, _: Request, account: Account | undefined, doi: string): Answer {
  const entry = ownEntry(world, account, doi, DOI_NOT_FOUND);
  if (world.catalogue.kind(entry).state !== 'draft') return text(405, 'Method not allowed');
  world.catalogue.remove(entry);
  return text(200, 'OK');
}

function getMetadata(world: World, _: Request, account: Account | undefined, doi: string): Answer {
  if (!DOI.test(doi)) return text(404, DOI_NOT_FOUND);
  const entry = world.catalogue.find(doi);
  if (entry === undefined || !mayRead(account, world.catalogue.kind(entry)))
    return text(404, DOI_UNKNOWN);
  const body = inFormat(world, entry, XML_TYPE) ?? '';
  return { status: 200, body, contentType: 'application/xml; charset=utf-8' };
}

/**
 * Registers metadata for the DOI in the path, else for a random DOI of the prefix in the path, else
 * for the DOI in the XML (service.md, M6).
 */
function putMetadata(
  world: World,
  request: Request,
  account: Account | undefined,
  doi: string,
): Answer {
  const { body } = request;
  if (/x-www-form-urlencoded/.test(request.headers['content-type'] ?? '')) {
    return text(415, 'Content type application/x-www-form-urlencoded is not supported');
  }
  const isXml = isDataciteXml(body);
  if (body.trim() !== '' && !isXml) return text(415, 'Metadata format not recognized');
  const number = Number(new Params(request.query).get('number')?.replaceAll(/\D/g, '') ?? 0);
  const inside = doi === '' && isXml ? (identifierIn(body)?.toLowerCase() ?? '') : '';
  const prefix = /^10\.\d{4,9}(?=$|\/)/.test(doi) && !DOI.test(doi);
  const name = prefix ? randomDoi(doi, number) : doi || inside;
  if (!DOI.test(name)) return text(404, DOI_NOT_FOUND);
  const xml = body === '' ? {} : { xml: Buffer.from(body).toString('base64') };
  const result = upsert(world, account, name, {
    ...xml,
    should_validate: 'true',
    source: 'mds',
    event: 'show',
  });
  const location = `${request.origin}${MDS_PREFIX}metadata/${name}`;
  return written(result, () => text(201, `OK (${name.toUpperCase()})`, { location }));
}

/** A Findable record becomes a Registered one, and an unknown DOI a Draft (service.md, M7). */
function hide(world: World, _: Request, account: Account | undefined, doi: string): Answer {
  if (!DOI.test(doi)) return text(404, DOI_NOT_FOUND);
  const done = world.catalogue.find(doi) === undefined ? text(201, ' ') : text(200, 'OK');
  return written(upsert(world, account, doi, { event: 'hide' }), () => done);
}

/** Everybody may read media. */
function getMedia(world: World, _: Request, __: Account | undefined, doi: string): Answer {
  if (!DOI.test(doi)) return text(404, DOI_NOT_FOUND);
  if (world.catalogue.find(doi) === undefined) return text(404, DOI_UNKNOWN);
  const media = world.media.get(doi)?.toReversed() ?? [];
  if (media.length === 0) return text(404, NO_MEDIA);
  return text(200, media.map(({ type, url }) => `${type}=${url}`).join('\n'));
}

/** The body is `<media type>=<URL>`; text after a second equals sign is lost (service.md, M8). */
function postMedia(
  world: World,
  request: Request,
  account: Account | undefined,
  doi: string,
): Answer {
  if (!DOI.test(doi)) return text(404, DOI_NOT_FOUND);
  // Without a status, as for `PUT /doi`.
  if (request.body === '') return text(200, 'Media type and URL missing');
  ownEntry(world, account, doi, NO_MEDIA);
  const [type = '', url = ''] = request.body.split('=');
  if (url === '') return text(422, "Can't be blank");
  if (!/^(https?|ftp|gs|s3|dos):\/\/\S+$/.test(url)) return text(422, 'Is invalid');
  const created = new Date(world.clock.wholeSecond()).toISOString();
  world.media.set(doi, [
    ...(world.media.get(doi) ?? []),
    { type: type || 'text/plain', url, created },
  ]);
  return text(200, 'OK');
}

/** A write by the REST API; `unknown` for a new DOI with refused credentials. */
function upsert(
  world: World,
  account: Account | undefined,
  doi: string,
  attributes: Record<string, unknown>,
): Written | 'unknown' {
  const entry = world.catalogue.find(doi);
  // A new record needs a repository, so these credentials get a 404 (service.md, A9).
  if (account === undefined) {
    if (entry === undefined) return 'unknown';
    throw new Refusal(BAD_CREDENTIALS);
  }
  const accepted = accept(attributes);
  return entry === undefined
    ? makeNamed(world, account, doi, accepted)
    : change(world, account, entry, doi, accepted);
}

/** MDS passes on only the first error, without its attribute. */
function written(result: Written | 'unknown', done: () => Answer): Answer {
  if (result === 'unknown') return text(404, "The resource you are looking for doesn't exist.");
  if (result === 'forbidden') return text(403, DENIED);
  return 'doi' in result ? done() : text(422, result[0]?.[1] ?? '');
}

/** The entry of a DOI that belongs to the account. @throws Refusal for any other DOI. */
function ownEntry(world: World, account: Account | undefined, doi: string, unknown: string): Entry {
  const entry = world.catalogue.find(doi);
  if (entry === undefined) throw new Refusal(text(404, unknown));
  if (account === undefined) throw new Refusal(BAD_CREDENTIALS);
  if (world.catalogue.kind(entry).clientId !== account.id) throw new Refusal(text(403, DENIED));
  return entry;
}
