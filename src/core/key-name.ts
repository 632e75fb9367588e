import { isWholeKey } from '../text/parsers.ts';
import { visible } from '../text/redact.ts';

// The width of the service's column (service.md, K6).
const MAX_NAME = 191;

/** The name of a new key, trimmed. */
export function parseKeyName(text: string): string {
  const name = text.trim();
  if (name === '') throw new Error('a key needs a name that says what it is for');
  if (isWholeKey(name))
    throw new Error('this is a whole API key, and names are no secret: choose another name');
  if (visible(name) !== name) {
    throw new Error('a name must not hold a line break, a control character or an invisible character');
  }
  if ([...name].length > MAX_NAME) throw new Error(`a name has at most ${MAX_NAME} characters`);
  return name;
}
