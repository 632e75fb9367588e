import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Request } from '../http/answer.ts';
import { decode } from '../http/params.ts';

/** The parts of an Authorization header of AWS Signature Version 4. */
interface Signature {
  readonly accessKeyId: string;
  /** Day, region, service and `aws4_request`. */
  readonly scope: readonly string[];
  /** In lower case. */
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

const HEADER = new RegExp(
  String.raw`^AWS4-HMAC-SHA256 Credential=([^/,\s]+)/(\d{8}/[\w-]+/s3/aws4_request),` +
    String.raw`\s*SignedHeaders=([\w;-]+),\s*Signature=([\da-f]{64})$`,
);

/**
 * The headers that every request must sign: otherwise the signature protects less than it seems to.
 */
const REQUIRED = ['host', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'];

/**
 * Reads the Authorization header; undefined when it is of another kind or signs too few headers.
 */
export function readSignature(header: string | undefined): Signature | undefined {
  const [, accessKeyId = '', scope = '', names = '', signature = ''] =
    HEADER.exec(header ?? '') ?? [];
  const signedHeaders = names.split(';');
  if (signature === '' || !REQUIRED.every((name) => signedHeaders.includes(name))) return undefined;
  return { accessKeyId, scope: scope.split('/'), signedHeaders, signature };
}

/** The time of the signature in milliseconds since 1970; NaN when it is missing. */
export function signedAt({ headers }: Request): number {
  const [, ...parts] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(headers['x-amz-date'])) ?? [];
  const [year, month, ...rest] = parts.map(Number);
  return year === undefined || month === undefined
    ? Number.NaN
    : Date.UTC(year, month - 1, ...rest);
}

/** Whether the signature matches the secret and this request. */
export function isSignedWith(secret: string, request: Request, given: Signature): boolean {
  const [day = '', region = '', service = ''] = given.scope;
  const date = String(request.headers['x-amz-date'] ?? '');
  if (!date.startsWith(day)) return false;
  const canonical = [
    request.verb,
    encodedPath(request.path),
    canonicalQuery(request.query),
    ...given.signedHeaders.map(
      (name) =>
        `${name}:${String(request.headers[name] ?? '')
          .trim()
          .replace(/ +/g, ' ')}`,
    ),
    '',
    given.signedHeaders.join(';'),
    String(request.headers['x-amz-content-sha256']),
  ].join('\n');
  const digest = createHash('sha256').update(canonical).digest('hex');
  const text = ['AWS4-HMAC-SHA256', date, given.scope.join('/'), digest].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce(
    (from: Buffer, part) => createHmac('sha256', from).update(part).digest(),
    Buffer.from(`AWS4${secret}`),
  );
  const expected = createHmac('sha256', key).update(text).digest();
  return timingSafeEqual(expected, Buffer.from(given.signature, 'hex'));
}

function encodedPath(path: string): string {
  return path
    .split('/')
    .map((segment) => encoded(decode(segment)))
    .join('/');
}

function canonicalQuery(query: string): string {
  const pairs = query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => pair.split('='));
  return pairs
    .map(([name = '', ...value]) => `${encoded(decode(name))}=${encoded(decode(value.join('=')))}`)
    .sort()
    .join('&');
}

/** Percent-encodes all but letters, digits and `-._~`. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
