import stringWidth from 'string-width';

/** The columns of a text on a terminal: wide characters take two, colour codes none. */
export const widthOf = (text: string): number => stringWidth(text);

let segmenter: Intl.Segmenter | undefined;

/** The characters of a text; each may be a cluster of several code points. */
function* characters(text: string): Generator<string> {
  // Creating a segmenter takes milliseconds.
  segmenter ??= new Intl.Segmenter();
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/** Cuts a text between characters to a number of columns, with an ellipsis at the end. */
export function cut(text: string, columns: number): string {
  if (columns < 1) return '';
  let kept = '';
  let width = 0;
  for (const character of characters(text)) {
    width += widthOf(character);
    if (width > columns) return `${kept.trimEnd()}…`;
    if (width < columns) kept += character;
  }
  return text;
}

/** The lines of a text, broken between words, and within words that are wider than the columns. */
export function wrap(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(1, columns)));
}

/** A command, or an option with a quoted value, that people copy as a whole. */
const COPIED = /doi-cli \S.*?(?=(?: or|, or|[;,)]) |[;,)]?$)|--[\w-]+ '[^']*'/g;

/**
 * A message wrapped between words. A command or option to copy is never broken: it gets its own
 * line if it does not fit.
 */
export function wrapMessage(text: string, columns: number): string {
  const lines = [''];
  const add = (word: string) => {
    const last = lines.at(-1) ?? '';
    const joined = last === '' ? word : `${last} ${word}`;
    if (last === '' || widthOf(joined) <= columns) lines[lines.length - 1] = joined;
    else lines.push(word);
  };
  let end = 0;
  for (const { 0: command, index } of text.matchAll(COPIED)) {
    if (text[index - 1] !== ' ' && index > 0) continue;
    for (const word of text.slice(end, index).split(' ')) if (word !== '') add(word);
    const [mark = ''] = /^\S*/.exec(text.slice(index + command.length)) ?? [];
    add(command + mark);
    end = index + command.length + mark.length;
  }
  for (const word of text.slice(end).split(' ')) if (word !== '') add(word);
  return lines.join('\n');
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
    // Text without spaces, and addresses, which are easiest to copy from as few lines as possible.
    breakLine();
    for (const character of characters(word)) add(character, widthOf(character));
  }
  breakLine();
  return lines.length === 0 ? [''] : lines;
}
