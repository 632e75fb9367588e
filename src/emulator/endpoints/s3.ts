import { createHash } from 'node:crypto';
import type { Answer, Request } from '../http/answer.ts';
import { decode, Params } from '../http/params.ts';
import { BUCKET } from '../state/datafile.ts';
import { byBytes, type StoredObject } from '../state/datafile-objects.ts';
import type { FaultRule } from '../state/faults.ts';
import type { World } from '../state/world.ts';
import { isSignedWith, readSignature, signedAt } from './sigv4.ts';

/** The path of the object store in the emulator; the next segment is the bucket. */
export const S3_PREFIX = '/s3/';

const MAX_SKEW_MS = 15 * 60_000;
const KEYS_ON_PAGE = 1000;
const EMPTY_SHA256 = createHash('sha256').digest('hex');

/**
 * The object store of the data file: ListObjectsV2 and GetObject, for requests signed with valid
 * credentials.
 */
export function s3(world: World, request: Request, fault?: FaultRule): Answer {
  if (fault?.kind === 'slow-down')
    return refusal(503, 'SlowDown', 'Please reduce your request rate.');
  if (fault?.kind === 'expired-token') return EXPIRED;
  const refused = checkSignature(world, request);
  if (refused !== undefined) return refused;
  const [bucket = '', ...rest] = request.path.slice(S3_PREFIX.length).split('/');
  if (decode(bucket) !== BUCKET)
    return refusal(404, 'NoSuchBucket', 'The specified bucket does not exist');
  if (request.method !== 'GET') return refusal(403, 'AccessDenied', 'Access Denied');
  const key = rest.map(decode).join('/');
  if (key !== '') return getObject(world, request, key, fault);
  return request.verb === 'HEAD'
    ? { status: 200, headers: { 'x-amz-bucket-region': 'eu-west-1' } }
    : list(world, new Params(request.query));
}

/** Whether a request is for an object, and not for a listing. */
export function isObjectRequest({ path }: Pick<Request, 'path'>): boolean {
  return path.slice(S3_PREFIX.length).includes('/') && !path.endsWith('/');
}

function checkSignature(world: World, request: Request): Answer | undefined {
  const { headers } = request;
  if (headers.authorization === undefined) return refusal(403, 'AccessDenied', 'Access Denied');
  const given = readSignature(headers.authorization);
  if (given === undefined)
    return refusal(400, 'AuthorizationHeaderMalformed', 'The authorization header is malformed');
  const session = world.datafile.session(given.accessKeyId);
  if (session === undefined) {
    return refusal(
      403,
      'InvalidAccessKeyId',
      'The AWS Access Key Id you provided does not exist in our records.',
    );
  }
  // The machine's time: clients do not know the emulator's clock.
  if (!(Math.abs(Date.now() - signedAt(request)) <= MAX_SKEW_MS)) {
    return refusal(
      403,
      'RequestTimeTooSkewed',
      'The difference between the request time and the current time is too large.',
    );
  }
  if (![EMPTY_SHA256, 'UNSIGNED-PAYLOAD'].includes(String(headers['x-amz-content-sha256']))) {
    return refusal(
      400,
      'XAmzContentSHA256Mismatch',
      'The provided checksum does not match what was computed.',
    );
  }
  if (!isSignedWith(session.secret, request, given)) {
    return refusal(
      403,
      'SignatureDoesNotMatch',
      'The request signature we calculated does not match the signature you provided.',
    );
  }
  if (headers['x-amz-security-token'] !== session.token) {
    return refusal(400, 'InvalidToken', 'The provided token is malformed or otherwise invalid.');
  }
  return world.datafile.hasExpired(session) ? EXPIRED : undefined;
}

const invalid = (message: string) => refusal(400, 'InvalidArgument', message);

/**
 * ListObjectsV2, or ListObjects without `list-type=2`. Keys with the delimiter after the prefix are
 * listed as their common beginning, which counts as one key.
 */
function list(world: World, params: Params): Answer {
  const isNew = params.get('list-type') === '2';
  const [prefix, delimiter] = [params.get('prefix') ?? '', params.get('delimiter') ?? ''];
  const encoding = params.get('encoding-type');
  if ((encoding ?? 'url') !== 'url') return invalid('Invalid Encoding Method specified in Request');
  // The real store does not encode slashes, and public clients rely on the encoding.
  const encoded = (text: string) =>
    xml(encoding === 'url' ? encodeURIComponent(text).replaceAll('%2F', '/') : text);
  const asked = params.get('max-keys') ?? String(KEYS_ON_PAGE);
  if (!/^\d{1,10}$/.test(asked))
    return invalid('Provided max-keys not an integer or within integer range');
  const most = Math.min(KEYS_ON_PAGE, Number(asked));
  const token = params.get('continuation-token');
  const from = params.get(isNew ? 'start-after' : 'marker') ?? '';
  const after = token === undefined || !isNew ? from : Buffer.from(token, 'base64url').toString();
  if (after === '' && token !== undefined && isNew)
    return invalid('The continuation token provided is incorrect');
  const names = world.datafile.objects
    .keys()
    .filter((key) => key.startsWith(prefix))
    .map((key) => {
      const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
      return end < 0 ? key : key.slice(0, end + delimiter.length);
    });
  const matching = [...new Set(names)].filter((name) => after === '' || byBytes(after, name) < 0);
  const shown = matching.slice(0, most);
  const last = shown.at(-1) ?? '';
  const more = most > 0 && matching.length > shown.length;
  const optional = (name: string, text: string | undefined) => (text ? element(name, text) : '');
  const entries = shown.map((name) => {
    const object = world.datafile.objects.get(name);
    return object === undefined || (delimiter !== '' && name.indexOf(delimiter, prefix.length) >= 0)
      ? element('CommonPrefixes', element('Prefix', encoded(name)))
      : contents(encoded(name), object);
  });
  const parts = [
    element('Name', BUCKET),
    element('Prefix', encoded(prefix)),
    isNew ? optional('StartAfter', encoded(from)) : element('Marker', encoded(from)),
    isNew ? optional('ContinuationToken', token) + element('KeyCount', shown.length) : '',
    element('MaxKeys', most),
    optional('Delimiter', encoded(delimiter)),
    optional('EncodingType', encoding),
    element('IsTruncated', more),
    more && isNew ? element('NextContinuationToken', Buffer.from(last).toString('base64url')) : '',
    more && !isNew && delimiter !== '' ? element('NextMarker', encoded(last)) : '',
    ...entries.sort((a, b) => Number(a.startsWith('<Common')) - Number(b.startsWith('<Common'))),
  ];
  const start = '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">';
  return document(200, `${start}${parts.join('')}</ListBucketResult>`);
}

function contents(key: string, { body, etag, modified }: StoredObject): string {
  return element(
    'Contents',
    element('Key', key),
    element('LastModified', new Date(modified).toISOString()),
    element('ETag', `&quot;${etag}&quot;`),
    element('Size', body.length),
    element('StorageClass', 'STANDARD'),
  );
}

function element(name: string, ...content: readonly (string | number | boolean)[]): string {
  return `<${name}>${content.join('')}</${name}>`;
}

function getObject(world: World, request: Request, key: string, fault?: FaultRule): Answer {
  const object = world.datafile.objects.get(key);
  if (object === undefined) return refusal(404, 'NoSuchKey', 'The specified key does not exist.');
  const { body, etag, modified, sha256 } = object;
  const headers = {
    etag: `"${etag}"`,
    'last-modified': new Date(modified).toUTCString(),
    'accept-ranges': 'bytes',
  };
  const condition = failedCondition(request, object);
  if (condition === 304) return { status: 304, headers };
  if (condition === 412)
    return refusal(
      412,
      'PreconditionFailed',
      'At least one of the pre-conditions you specified did not hold',
    );
  const sent = fault?.kind === 'damage-object' ? damaged(body) : body;
  const common = { contentType: 'binary/octet-stream', uncompressed: true };
  const range = rangeOf(String(request.headers.range ?? ''), body.length);
  if (range === undefined) {
    const wanted = request.headers['x-amz-checksum-mode']?.toString().toUpperCase() === 'ENABLED';
    const checksum = wanted && sha256 !== undefined ? { 'x-amz-checksum-sha256': sha256 } : {};
    return { ...common, status: 200, body: sent, headers: { ...headers, ...checksum } };
  }
  const [from, to] = range;
  if (from > to) return refusal(416, 'InvalidRange', 'The requested range is not satisfiable');
  const content = { 'content-range': `bytes ${from}-${to}/${body.length}` };
  const part = sent.subarray(from, to + 1);
  return { ...common, status: 206, body: part, headers: { ...headers, ...content } };
}

/** The status of a condition that does not hold. A condition by tag wins over one by time. */
function failedCondition({ headers }: Request, { etag, modified }: StoredObject) {
  const names = (tags: string) =>
    tags.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^(?:W\/)?"|"$/g, '')));
  const since = (name: string) => Date.parse(String(headers[name]));
  const [match, noMatch] = [headers['if-match'], headers['if-none-match']];
  if (match !== undefined ? !names(match) : modified > since('if-unmodified-since')) return 412;
  const isKnown = noMatch !== undefined ? names(noMatch) : modified <= since('if-modified-since');
  return isKnown ? 304 : undefined;
}

/**
 * The first and last byte of a range; the first is after the last if there is no such byte.
 * Undefined without a readable single range: the store then sends everything.
 */
function rangeOf(header: string, length: number): [from: number, to: number] | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '')
    return [Number(last) === 0 ? length : Math.max(0, length - Number(last)), length - 1];
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return [Number(first), last === '' ? length - 1 : Math.min(length - 1, Number(last))];
}

/** The same bytes, except for the last one. */
function damaged(body: Buffer): Buffer {
  const copy = Buffer.from(body);
  const last = copy.length - 1;
  if (last >= 0) copy[last] = (copy[last] ?? 0) ^ 1;
  return copy;
}

const EXPIRED = refusal(400, 'ExpiredToken', 'The provided token has expired.');

function refusal(status: number, code: string, message: string): Answer {
  return document(status, `<Error><Code>${code}</Code><Message>${xml(message)}</Message></Error>`);
}

function document(status: number, body: string): Answer {
  return {
    status,
    body: `<?xml version="1.0" encoding="UTF-8"?>\n${body}`,
    contentType: 'application/xml',
    uncompressed: true,
  };
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
