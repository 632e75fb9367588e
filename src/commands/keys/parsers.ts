import { isWholeKey, keyPrefixOf } from '../../text/parsers.ts';

/** An id, a key prefix or a name, as typed; refuses a whole key, and does not repeat it in the error. */
export function parseKeyReference(text: string): string {
  if (text.trim() === '') throw new Error('a key is named by its id, its prefix or its exact name');
  if (isWholeKey(text)) {
    throw new Error(
      `this is a whole API key, and other users of this machine can see the command line: type its prefix, ${keyPrefixOf(text.trim())}`,
    );
  }
  return text;
}
