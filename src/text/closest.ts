import { distance } from 'fastest-levenshtein';

/** The word that was probably meant, if one is similar enough; case is ignored. */
export function closest(word: string, words: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  const most = Math.max(1, Math.floor(word.length * 0.4));
  const [nearest] = words
    .map((candidate) => ({ candidate, edits: distance(lower, candidate.toLowerCase()) }))
    .filter(({ edits }) => edits <= most)
    .sort((a, b) => a.edits - b.edits);
  return nearest?.candidate;
}

/** `; did you mean 'title'?`, or nothing when no word is similar enough. */
export function didYouMean(word: string, words: readonly string[]): string {
  const meant = closest(word, words);
  return meant === undefined ? '' : `; did you mean '${meant}'?`;
}
