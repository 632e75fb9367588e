import { distance } from 'fastest-levenshtein';

/** The word that was probably meant, if one is near enough; the case of letters counts least. */
export function closest(word: string, words: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  const near = words
    .map((candidate) => ({ candidate, away: distance(lower, candidate.toLowerCase()) }))
    .sort((a, b) => a.away - b.away)[0];
  if (near === undefined) return undefined;
  return near.away <= Math.max(1, Math.floor(word.length * 0.4)) ? near.candidate : undefined;
}
