import { usageError } from '../../errors.ts';

/**
 * Where a DOI leads: the service takes http, https and ftp (observed).
 * @throws {CliError} kind `usage` for anything else.
 */
export function checkedUrl(text: string): string {
  if (/^(https?|ftp):\/\/[^\s\p{Cc}]+$/u.test(text)) return text;
  throw usageError(`'${text}' is not a URL such as https://example.org/1`);
}

/**
 * Where a file is. The service takes more schemes than of a DOI; a line break would begin another entry.
 * @throws {CliError} kind `usage` for what is no address at all.
 */
export function checkedAddress(text: string): string {
  if (/^[a-z][a-z\d+.-]*:\/\/[^\s\p{Cc}]+$/iu.test(text)) return text;
  throw usageError(`'${text}' is not an address such as https://example.org/1.pdf`);
}

/**
 * A media type without parameters.
 * @throws {CliError} kind `usage` for anything else.
 */
export function checkedMediaType(text: string): string {
  if (/^[\w.+-]+\/[\w.+-]+$/.test(text)) return text;
  throw usageError(`'${text}' is not a media type such as application/pdf`);
}
