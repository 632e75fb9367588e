import { parseDoi, parsePrefixes } from '../../values.ts';

/** A DOI, or a prefix such as `10.5072`. */
export function parseDoiOrPrefix(text: string): string {
  return text.includes('/') ? parseDoi(text) : parsePrefixes(text);
}

/** Where a DOI leads: the service takes http, https and ftp (observed). */
export function parseLandingUrl(text: string): string {
  if (/^(https?|ftp):\/\/[^\s\p{Cc}]+$/u.test(text)) return text;
  throw new Error(`'${text}' is not a URL such as https://example.org/1`);
}

/** A media type without parameters. */
export function parseMediaType(text: string): string {
  if (/^[\w.+-]+\/[\w.+-]+$/.test(text)) return text;
  throw new Error(`'${text}' is not a media type such as application/pdf`);
}
