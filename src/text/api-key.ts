import { visible } from './redact.ts';

/**
 * @throws {Error} for a whole API key: other users can see typed words in process lists, and
 *   records are public.
 */
export function refuseKey(text: string): void {
  if (isWholeKey(text))
    throw new Error('this is a whole API key, which must not be typed here or stored in a record');
}

/**
 * Whether a text looks like a whole API key (service.md, K3). Do not refuse keys of another format:
 * it may change.
 */
export function isWholeKey(text: string): boolean {
  return /^DC\.[A-Za-z0-9]{32}$/.test(text.trim());
}

/** The `keyPrefix` of an API key: its first 11 characters (service.md, K2). */
export function keyPrefixOf(key: string): string {
  return key.slice(0, 11);
}

/** The prefix of a whole API key; null for anything else, which may be a misplaced password. */
export function shownPrefix(secret: string): string | null {
  return isWholeKey(secret) ? keyPrefixOf(secret.trim()) : null;
}

// The width of the service's column (service.md, K6).
const MAX_NAME = 191;

/** The name of a new key, trimmed. */
export function parseKeyName(text: string): string {
  const name = text.trim();
  if (name === '') throw new Error('the name is empty: write what the key is for');
  if (isWholeKey(name))
    throw new Error('this is a whole API key, and names are not secret: choose another name');
  if (visible(name) !== name)
    throw new Error('a name must not contain line breaks, control or invisible characters');
  if ([...name].length > MAX_NAME) throw new Error(`a name has at most ${MAX_NAME} characters`);
  return name;
}
