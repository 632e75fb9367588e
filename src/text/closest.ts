import { distance } from 'fastest-levenshtein';

/** Beginnings that turn a word into its opposite. */
const NEGATION = /^(un|de|dis|in|non?-?|not-?|without-?)$/;

/**
 * The most similar word, if it is similar enough; case is ignored. A word is never similar to its
 * opposite, as `exclude-x` is to `include-x`.
 */
export function closest(word: string, words: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  // At most two letters of five may differ.
  let least = Math.max(1, Math.floor(word.length * 0.4)) + 1;
  let best: string | undefined;
  for (const candidate of words) {
    const other = candidate.toLowerCase();
    if (!beginsAlike(lower, other) || areOpposites(lower, other)) continue;
    const edits = isSwap(lower, other) ? 1 : distance(lower, other);
    if (edits < least) [best, least] = [candidate, edits];
  }
  return best;
}

/** Mistyped words rarely begin with another letter: `date` does not mean `rate`. */
function beginsAlike(word: string, other: string): boolean {
  return word[0] === other[0] || word[0] === other[1] || word[1] === other[0];
}

function areOpposites(word: string, other: string): boolean {
  const [short, long] = [word, other].sort((a, b) => a.length - b.length) as [string, string];
  return (
    (long.endsWith(short) && NEGATION.test(long.slice(0, long.length - short.length))) ||
    word.includes('exclude') !== other.includes('exclude')
  );
}

function isSwap(word: string, other: string): boolean {
  if (word.length !== other.length || word === other) return false;
  const at = [...word].findIndex((_, index) => word[index] !== other[index]);
  const swapped = `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`;
  return swapped === other;
}

/** `; did you mean 'title'?`, or an empty text if no word is similar enough. */
export function didYouMean(word: string, words: readonly string[]): string {
  const meant = closest(word, words);
  return meant === undefined ? '' : `; did you mean '${meant}'?`;
}
