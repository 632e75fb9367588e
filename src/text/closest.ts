import { distance } from 'fastest-levenshtein';

/**
 * The word that was probably meant, if one is similar enough; case is ignored.
 * @param most how many edits away it may be.
 */
export function closest(
  word: string,
  words: readonly string[],
  most = Math.max(1, Math.floor(word.length * 0.4)),
): string | undefined {
  const lower = word.toLowerCase();
  const [nearest] = words
    .map((candidate) => ({ candidate, edits: edits(lower, candidate.toLowerCase()) }))
    .filter(({ edits }) => edits <= most)
    .sort((a, b) => a.edits - b.edits);
  return nearest?.candidate;
}

/** The number of edits from one word to another; two letters that changed places are one. */
function edits(word: string, candidate: string): number {
  // Only where it may be: the square of a long word takes minutes.
  const swapped =
    word.length === candidate.length &&
    [...candidate].some(
      (letter, at) =>
        `${candidate.slice(0, at)}${candidate[at + 1] ?? ''}${letter}${candidate.slice(at + 2)}` === word,
    );
  return swapped ? 1 : distance(word, candidate);
}

/** `; did you mean 'title'?`, or nothing when no word is similar enough. */
export function didYouMean(word: string, words: readonly string[]): string {
  const meant = closest(word, words);
  return meant === undefined ? '' : `; did you mean '${meant}'?`;
}
