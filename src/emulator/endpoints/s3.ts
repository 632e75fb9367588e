import { createHash } from 'node:crypto';
import type { Answer, Request } from '../http/answer.ts';
import { Params } from '../http/params.ts';
import { decode } from '../http/segment.ts';
import { BUCKET } from '../state/datafile.ts';
import { byBytes, type StoredObject } from '../state/datafile-objects.ts';
import type { FaultRule } from '../state/faults.ts';
import type { World } from '../state/world.ts';
import { isSignedWith, readSignature, signedAt } from './sigv4.ts';

/** The path of the object store in the emulator; the next segment is the bucket. */
export const S3_PREFIX = '/s3/';

const MAX_SKEW_MS = 15 * 60_000;
/** Fewer than the 1000 of the real store, so that a small listing already has several pages. */
const KEYS_ON_PAGE = 100;
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
  return key === ''
    ? list(world, new Params(request.query))
    : getObject(world, request, key, fault);
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

function list(world: World, params: Params): Answer {
  if (params.get('list-type') !== '2')
    return refusal(400, 'InvalidArgument', 'Only list-type=2 is known here');
  const prefix = params.get('prefix') ?? '';
  const most = Math.min(KEYS_ON_PAGE, Number(params.get('max-keys') ?? KEYS_ON_PAGE));
  const token = params.get('continuation-token');
  const after = token === undefined ? undefined : Buffer.from(token, 'base64url').toString();
  const escaped = params.get('encoding-type') === 'url';
  // The real store leaves slashes as they are, and public clients rely on the encoding.
  const encoded = (text: string) =>
    escaped ? encodeURIComponent(text).replaceAll('%2F', '/') : text;
  if (after === '') return refusal(400, 'InvalidArgument', 'The continuation token is incorrect');
  const matching = world.datafile.objects
    .keys()
    .filter((key) => key.startsWith(prefix) && (after === undefined || byBytes(after, key) < 0));
  const keys = matching.slice(0, most);
  const contents = keys.map((key) => {
    const { body, etag, modified } = world.datafile.objects.get(key) as StoredObject;
    return element(
      'Contents',
      element('Key', xml(encoded(key))),
      element('LastModified', new Date(modified).toISOString()),
      element('ETag', `&quot;${etag}&quot;`),
      element('Size', body.length),
      element('StorageClass', 'STANDARD'),
    );
  });
  const more = matching.length > keys.length;
  const next = Buffer.from(keys.at(-1) ?? '').toString('base64url');
  const parts = [
    element('Name', BUCKET),
    element('Prefix', xml(encoded(prefix))),
    element('KeyCount', keys.length),
    element('MaxKeys', most),
    escaped ? element('EncodingType', 'url') : '',
    element('IsTruncated', more),
    more ? element('NextContinuationToken', next) : '',
    ...contents,
  ];
  const start = '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">';
  return document(200, `${start}${parts.join('')}</ListBucketResult>`);
}

function element(name: string, ...content: readonly (string | number | boolean)[]): string {
  return `<${name}>${content.join('')}</${name}>`;
}

function getObject(world: World, request: Request, key: string, fault?: FaultRule): Answer {
  const object = world.datafile.objects.get(key);
  if (object === undefined) return refusal(404, 'NoSuchKey', 'The specified key does not exist.');
  const { body, etag, modified, sha256 } = object;
  const match = request.headers['if-match'];
  if (match !== undefined && match !== '*' && match !== `"${etag}"`) {
    return refusal(
      412,
      'PreconditionFailed',
      'At least one of the pre-conditions you specified did not hold',
    );
  }
  const headers = {
    etag: `"${etag}"`,
    'last-modified': new Date(modified).toUTCString(),
    'accept-ranges': 'bytes',
  };
  const sent = fault?.kind === 'damage-object' ? damaged(body) : body;
  const common = { contentType: 'binary/octet-stream', uncompressed: true };
  const range = /^bytes=(\d+)-(\d*)$/.exec(String(request.headers.range ?? ''));
  if (range === null) {
    const wanted = request.headers['x-amz-checksum-mode']?.toString().toUpperCase() === 'ENABLED';
    const checksum = wanted && sha256 !== undefined ? { 'x-amz-checksum-sha256': sha256 } : {};
    return { ...common, status: 200, body: sent, headers: { ...headers, ...checksum } };
  }
  const from = Number(range[1]);
  const to = Math.min(
    body.length - 1,
    range[2] === '' ? Number.POSITIVE_INFINITY : Number(range[2]),
  );
  if (from >= body.length || to < from) {
    return refusal(416, 'InvalidRange', 'The requested range is not satisfiable');
  }
  const content = { 'content-range': `bytes ${from}-${to}/${body.length}` };
  return {
    ...common,
    status: 206,
    body: sent.subarray(from, to + 1),
    headers: { ...headers, ...content },
  };
}

/** The same bytes with a different last one. */
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
