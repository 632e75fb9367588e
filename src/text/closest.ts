import { distance, closest as nearest } from 'fastest-levenshtein';

/** The most similar word, if it is similar enough; case is ignored. */
export function closest(word: string, words: readonly string[]): string | undefined {
  if (words.length === 0) return undefined;
  const lower = word.toLowerCase();
  const byLower = new Map(words.map((candidate) => [candidate.toLowerCase(), candidate]));
  const match = nearest(lower, [...byLower.keys()]);
  return distance(lower, match) <= Math.max(1, Math.floor(word.length * 0.4))
    ? byLower.get(match)
    : undefined;
}

/** `; did you mean 'title'?`, or an empty text if no word is similar enough. */
export function didYouMean(word: string, words: readonly string[]): string {
  const meant = closest(word, words);
  return meant === undefined ? '' : `; did you mean '${meant}'?`;
}
