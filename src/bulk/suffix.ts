import { randomBytes } from 'node:crypto';

// Douglas Crockford's base 32, https://www.crockford.com/base32.html: without i, l, o and u, which are easily
// misread.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const CHARACTERS = 10;
const BITS = BigInt(CHARACTERS * 5);
const GROUP = /.{4}(?=.)/g;

/**
 * A random DOI with this prefix, in the style that DataCite suggests (https://blog.datacite.org/cool-dois/)
 * and that the service itself generates: base 32 in groups of four, the last two characters a checksum. Its
 * 50 random bits take four characters more than the service's suffixes: among a million DOIs no two are equal
 * by chance (2,000 to 1), and a record with such a DOI is known to be ours.
 */
export function randomDoi(prefix: string): string {
  return `${prefix}/${suffixOf(randomBytes(8).readBigUInt64BE() >> (64n - BITS))}`;
}

/**
 * A number below 2^50 as a suffix: ten characters and two check digits (ISO 7064, modulo 97-10), in groups of
 * four.
 */
export function suffixOf(number: bigint): string {
  let text = '';
  for (let rest = number, left = CHARACTERS; left > 0; left -= 1, rest >>= 5n) {
    text = `${ALPHABET[Number(rest & 31n)]}${text}`;
  }
  const check = 98n - ((number * 100n) % 97n);
  return `${text}${String(check).padStart(2, '0')}`.replace(GROUP, '$&-');
}
