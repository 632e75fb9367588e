import type { Look } from '../ui/look.ts';

/** The width of a help text where the terminal has none, and the widest that reads well. */
const USUAL_WIDTH = 80;
const MAX_WIDTH = 100;
/** A description narrower than this goes below its term. */
const NARROWEST_DESCRIPTION = 30;

/** What a help says, before it is laid out. */
export interface Help {
  readonly usage: string;
  readonly description: string;
  readonly sections: readonly (readonly [title: string, rows: readonly HelpRow[]])[];
  /** Command lines that work as typed. */
  readonly examples: readonly string[];
  /** The lines at the end. */
  readonly notes: readonly string[];
}

type HelpRow = readonly [term: string, description: string];

/** A help as text. @param columns of the terminal; 0 or undefined where there is none, or one without a width. */
export function helpText({ usage, description, sections, examples, notes }: Help, columns?: number): string {
  const width = Math.min(columns || USUAL_WIDTH, MAX_WIDTH);
  const terms = sections.flatMap(([, rows]) => rows.map(([term]) => term.length));
  const termWidth = Math.max(0, ...terms);
  return [
    folded(`Usage: ${usage}`, width).replaceAll('\n', '\n  '),
    folded(description, width),
    ...sections
      .filter(([, rows]) => rows.length > 0)
      .map(([title, rows]) =>
        [`${title}:`, ...rows.map((each) => rowText(each, termWidth, width))].join('\n'),
      ),
    `Examples:\n${examples.map((line) => `  $ ${foldedCommand(line, width)}`).join('\n')}`,
    `${notes.map((line) => folded(line, width)).join('\n')}\n`,
  ].join('\n\n');
}

/** A help text with heads that stand out. */
export function styledHelp(text: string, look: Look): string {
  return text.replace(/^(?:Usage:|[A-Z][A-Za-z ]*:$)/gm, (head) => look.paint('bold', head));
}

function rowText([term, description]: HelpRow, termWidth: number, width: number): string {
  const isNarrow = width - termWidth - 4 < NARROWEST_DESCRIPTION;
  const indent = ' '.repeat(isNarrow ? 6 : termWidth + 4);
  const text = folded(description, width - indent.length).replaceAll('\n', `\n${indent}`);
  return isNarrow ? `  ${term}\n${indent}${text}` : `  ${term.padEnd(termWidth)}  ${text}`.trimEnd();
}

/** A text in lines of a width, broken at blanks; as it is where that would be too narrow to read. */
function folded(text: string, width: number): string {
  if (width < NARROWEST_DESCRIPTION) return text;
  const lines: string[] = [];
  let line = '';
  for (const piece of text.match(/\s*\S+/g) ?? []) {
    if (line === '' || line.length + piece.length <= width) {
      line += piece;
    } else {
      lines.push(line);
      line = piece.trimStart();
    }
  }
  return [...lines, line].join('\n');
}

/** A command line in lines of the terminal's width, each but the last with a backslash at its end. */
function foldedCommand(line: string, width: number): string {
  const lines = [''];
  // Blanks inside of quotes are no place to fold.
  for (const word of line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []) {
    const last = lines.at(-1) ?? '';
    const room = width - (lines.length === 1 ? 4 : 6) - 2;
    if (last !== '' && last.length + 1 + word.length > room) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.join(' \\\n      ');
}
