import { strlen } from 'cli-table3/src/utils.js';

/**
 * The columns that a text takes on a terminal: wide characters take two. It is the measure of the library that draws
 * tables: cells that are cut by another one would not be aligned.
 */
export const widthOf: (text: string) => number = strlen;

let segmenter: Intl.Segmenter | undefined;

/** The characters of a text, at most so many, each of which may be a cluster of several code points. */
function characters(text: string, most = Number.POSITIVE_INFINITY): string[] {
  // Node needs milliseconds to make one.
  segmenter ??= new Intl.Segmenter();
  const found: string[] = [];
  for (const { segment } of segmenter.segment(text)) {
    if (found.length >= most) break;
    found.push(segment);
  }
  return found;
}

/**
 * The text, cut to a number of columns with an ellipsis as its last character. No character is cut in two, as
 * cli-table3 would do.
 */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  if (columns < 1) return '';
  const kept = characters(text, columns);
  const over = () => widthOf(kept.join('')) - (columns - 1);
  // Most characters that are too many are two columns wide.
  while (over() > 0) kept.splice(-Math.ceil(over() / 2));
  return `${kept.join('').trimEnd()}…`;
}

/**
 * The lines of a text, broken between words where they are wider than a number of columns. cli-table3 would cut words
 * that are too long, such as addresses and texts in Japanese.
 */
export function wrap(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(1, columns)));
}

function wrapLine(line: string, columns: number): string[] {
  const lines: string[] = [];
  let current = '';
  let width = 0;
  const breakLine = () => {
    if (current !== '') lines.push(current.trimEnd());
    [current, width] = ['', 0];
  };
  const add = (piece: string, wide: number) => {
    if (width + wide > columns) breakLine();
    if (current === '' && piece === ' ') return;
    current += piece;
    width += wide;
  };
  for (const word of line.split(/( )/)) {
    const wide = widthOf(word);
    if (wide <= columns) {
      add(word, wide);
      continue;
    }
    // Scripts without spaces, and addresses, which are easiest to copy from as few lines as possible.
    breakLine();
    for (const character of characters(word)) add(character, widthOf(character));
  }
  breakLine();
  return lines.length === 0 ? [''] : lines;
}
