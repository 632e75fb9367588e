import { BadBody } from '../api/http/body.ts';

/** An object of the bucket, from a listing. */
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
  /** The continuation token of the next page; undefined on the last one. */
  readonly next: string | undefined;
}

/**
 * Reads one page of ListObjectsV2. Requested with `encoding-type=url` (service.md, D4), its elements are flat
 * and their text is free of markup, so searching does; anything unexpected is an error. Every search begins
 * where the one before ended: the time is linear in the length, whatever the text.
 * @throws {BadBody} when the page is cut short or is not a listing.
 */
export function parseListing(xml: string): Listing {
  if (!/<ListBucketResult[\s>]/.test(xml) || !xml.trimEnd().endsWith('</ListBucketResult>'))
    throw new BadBody(NO_LISTING);
  const { items, rest } = splitContents(xml);
  const count = textOf(rest, 'KeyCount');
  if (count !== undefined && Number(count) !== items.length) throw new BadBody(NO_LISTING);
  const more = textOf(rest, 'IsTruncated') === 'true';
  const next = textOf(rest, 'NextContinuationToken');
  if (more && !next) throw new BadBody('the listing of the bucket is incomplete and names no next page');
  return { objects: items.map(objectOf), next: more ? next : undefined };
}

/** The texts of the `Contents` elements, and the text around them. */
function splitContents(xml: string): { items: readonly string[]; rest: string } {
  const [open, close] = ['<Contents>', '</Contents>'];
  const items: string[] = [];
  const around: string[] = [];
  let at = 0;
  for (let begin = xml.indexOf(open); begin >= 0; begin = xml.indexOf(open, at)) {
    const end = xml.indexOf(close, begin);
    if (end < 0) throw new BadBody(NO_LISTING);
    around.push(xml.slice(at, begin));
    items.push(xml.slice(begin + open.length, end));
    at = end + close.length;
  }
  return { items, rest: around.join('') + xml.slice(at) };
}

const NO_LISTING = 'the answer is not a listing of a bucket';

// An object store takes no longer key; in the listing, a byte takes up to three characters.
const MAX_KEY_LENGTH = 1024;

const fits = (text: string, most: number): boolean => text !== '' && text.length <= most;

function objectOf(item: string): BucketObject {
  const [key = '', size = '', modified = '', etag = ''] = ['Key', 'Size', 'LastModified', 'ETag'].map(
    (name) => textOf(item, name),
  );
  if (
    !fits(key, 3 * MAX_KEY_LENGTH) ||
    !fits(etag, MAX_KEY_LENGTH) ||
    !/^\d{1,15}$/.test(size) ||
    Number.isNaN(Date.parse(modified))
  ) {
    throw new BadBody(NO_LISTING);
  }
  return {
    key: decoded(key),
    size: Number(size),
    lastModified: new Date(modified).toISOString(),
    etag: etag.replaceAll('"', ''),
  };
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    throw new BadBody(NO_LISTING);
  }
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function textOf(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replaceAll(/&(?:#(\d{1,6})|(\w+));/g, (whole, code, entity) =>
    code === undefined ? (ENTITIES[String(entity)] ?? whole) : String.fromCodePoint(Number(code)),
  );
}

/** The message of an object store error: `Access Denied (AccessDenied)`; undefined if the text is not one. */
export function storeMessage(xml: string): string | undefined {
  const [code, message] = [textOf(xml, 'Code'), textOf(xml, 'Message')];
  if (!xml.includes('<Error>') || !code) return undefined;
  return message ? `${message} (${code})` : code;
}
