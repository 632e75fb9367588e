import { BadBody, readText } from '../api/http/body.ts';
import type { WireResponse } from '../api/http/transport.ts';

export interface BucketObject {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  /** ISO 8601 UTC. */
  readonly lastModified: string;
  /** Without quotes. */
  readonly etag: string;
}

export interface Listing {
  readonly objects: readonly BucketObject[];
  /** In characters. */
  readonly length: number;
  /** The continuation token of the next page; undefined on the last one. */
  readonly next: string | undefined;
}

const NO_LISTING = 'the answer is not a listing of a bucket';
// The limit of object stores; in the listing, a byte takes up to three characters.
const MAX_KEY_LENGTH = 3 * 1024;

/**
 * Reads one page of ListObjectsV2. Requested with `encoding-type=url` (service.md, D4), it has flat
 * elements without markup in their text, so splitting it takes linear time. @throws {BadBody} when
 * it is cut short or not a listing.
 */
export async function readListing(response: WireResponse): Promise<Listing> {
  const xml = await readText(response);
  const { length } = xml;
  const [head = '', ...pieces] = xml.split('<Contents>');
  const elements = pieces.map((piece) => piece.split('</Contents>'));
  const rest = head + elements.map(([, after]) => after).join('');
  const isWhole =
    /<ListBucketResult[\s>]/.test(head) && xml.trimEnd().endsWith('</ListBucketResult>');
  const count = textOf(rest, 'KeyCount') ?? elements.length;
  if (
    !isWhole ||
    elements.some((parts) => parts.length !== 2) ||
    Number(count) !== elements.length
  ) {
    throw new BadBody(NO_LISTING);
  }
  const objects = elements.map(([item = '']) => objectOf(item));
  if (textOf(rest, 'IsTruncated') !== 'true') return { objects, length, next: undefined };
  const next = textOf(rest, 'NextContinuationToken');
  if (!next) throw new BadBody('the listing of the bucket is incomplete and has no next page');
  return { objects, length, next };
}

function objectOf(item: string): BucketObject {
  const [key = '', size = '', modified = '', etag = ''] = [
    'Key',
    'Size',
    'LastModified',
    'ETag',
  ].map((name) => textOf(item, name));
  const isObject =
    key.length > 0 &&
    key.length <= MAX_KEY_LENGTH &&
    /^.{1,1024}$/.test(etag) &&
    /^\d{1,15}$/.test(size);
  if (!isObject) throw new BadBody(NO_LISTING);
  try {
    return {
      key: decodeURIComponent(key.replaceAll('+', ' ')),
      size: Number(size),
      lastModified: new Date(modified).toISOString(),
      etag: etag.replaceAll('"', ''),
    };
  } catch {
    // A broken escape, or an invalid date.
    throw new BadBody(NO_LISTING);
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

function textOf(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replaceAll(/&(?:#(\d{1,6})|(\w+));/g, (whole, code, entity) =>
    code === undefined ? (ENTITIES[String(entity)] ?? whole) : String.fromCodePoint(Number(code)),
  );
}

/**
 * The message of an object store's error, such as `Access Denied (AccessDenied)`; undefined for
 * other text.
 */
export function storeMessage(xml: string): string | undefined {
  const [code, message] = [textOf(xml, 'Code'), textOf(xml, 'Message')];
  if (!xml.includes('<Error>') || !code) return undefined;
  return message ? `${message} (${code})` : code;
}
