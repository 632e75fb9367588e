import { strlen as stringWidth } from 'cli-table3/src/utils.js';

/** Code points of one column each, none of which joins its neighbours: nearly all text in Latin, Greek and Cyrillic. */
const NARROW = /^[ -~¡-¬®-ʯΑ-ΡΣ-ώА-я–-”…]*$/;

let segmenter: Intl.Segmenter | undefined;

/** The characters of a text, each of which may be a cluster of several code points. */
function segments(text: string): Iterable<Intl.SegmentData> {
  // Node needs milliseconds to make one.
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}

/** The library needs microseconds for each character, and a text has few different ones. */
const known = new Map<string, number>();
const MOST_KNOWN = 10_000;

/** The columns of one character, which may be a cluster of several code points. */
function widthOfOne(character: string): number {
  const before = known.get(character);
  if (before !== undefined) return before;
  const width = stringWidth(character);
  if (known.size < MOST_KNOWN && character.length < 20) known.set(character, width);
  return width;
}

/**
 * The columns that a text takes on a terminal: wide characters take two, combining ones none.
 * @param most stops the count: the result for a wider text is some number above it.
 */
export function widthOf(text: string, most = Number.POSITIVE_INFINITY): number {
  // A hundred times as fast for what is usual.
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segments(text)) {
    width += widthOfOne(segment);
    if (width > most) break;
  }
  return width;
}

/** The text, cut to a number of columns with an ellipsis as its last character. No character is cut in two. */
export function cut(text: string, columns: number): string {
  if (widthOf(text, columns) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of segments(text)) {
    width += widthOfOne(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return columns > 0 ? `${kept.trimEnd()}…` : '';
}

/** The lines of a text, broken between words where they are wider than a number of columns. */
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
    const wide = widthOf(word, columns);
    if (wide <= columns) {
      add(word, wide);
      continue;
    }
    // Scripts without spaces, and addresses, which are easiest to copy from as few lines as possible.
    breakLine();
    for (const { segment } of segments(word)) add(segment, widthOfOne(segment));
  }
  breakLine();
  return lines.length === 0 ? [''] : lines;
}
