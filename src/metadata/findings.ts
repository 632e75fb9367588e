import { childFinder, nodeAt, type PlacedJson } from '../text/json.ts';
import { type Path, pathText } from '../text/json-values.ts';
import { lineFinder } from '../text/lines.ts';
import { visible } from '../text/redact.ts';

/** An error is a value that the service refuses, a warning one that it accepts or drops. */
export type Severity = 'error' | 'warning';

export interface Finding {
  readonly severity: Severity;
  /** The path below the attributes as text: `creators[0].nameIdentifiers[0].nameIdentifier`. */
  readonly path: string;
  readonly steps: Path;
  /** The problem, as text that follows the path. */
  readonly message: string;
  readonly value?: unknown;
  readonly allowed?: readonly string[] | undefined;
  readonly suggestion?: string | undefined;
  readonly dropped?: boolean;
  readonly line?: number;
  /** The character in that line, from 1, where the text is not JSON. */
  readonly character?: number;
  /** In a spreadsheet: the number of the row instead of the line, and the head of the column. */
  readonly row?: number;
  readonly column?: string;
}

/** A finding at a path. */
export function findingAt(
  severity: Severity,
  steps: Path,
  details: Pick<Finding, 'message' | 'value' | 'allowed' | 'suggestion' | 'dropped'>,
): Finding {
  return { severity, path: pathText(steps), steps, ...details };
}

interface Places {
  /** The line on which the record begins, from 1; undefined if it is not in a file. */
  readonly line: number | undefined;
  /** The JSON of the record, and the path of its attributes; undefined for other formats. */
  readonly json?: (PlacedJson & { readonly at: Path }) | undefined;
}

/** Adds lines to findings; a missing value gets the line of the object that lacks it. */
export function withLines(
  findings: readonly Finding[],
  { line: first, json }: Places,
): readonly Finding[] {
  if (first === undefined || findings.length === 0) return findings;
  if (json === undefined)
    return findings.map((finding) => ({ ...finding, line: first + (finding.line ?? 1) - 1 }));
  const attributes = nodeAt(json, json.at);
  const [childOf, lineOf] = [childFinder(), lineFinder(json.text)];
  return findings.map((finding) => {
    let node = attributes ?? json.root;
    for (const step of attributes === undefined ? [] : finding.steps) {
      const child = node && childOf(node, step);
      if (child === undefined) break;
      node = child;
    }
    return { ...finding, line: first + lineOf(node?.offset ?? 0) - 1 };
  });
}

const MAX_VALUE_LENGTH = 60;

/** The message about a property that the schema lacks; its value is not shown. */
export const UNKNOWN_PROPERTY = 'is not a property of the schema';

/** A finding as one line of text, without its line number. */
export function findingText(finding: Finding): string {
  const { severity, path, message, value, allowed, suggestion, dropped, column } = finding;
  const isShown = value !== undefined && typeof value !== 'object' && message !== UNKNOWN_PROPERTY;
  const shown = isShown ? `${short(JSON.stringify(value))} ` : '';
  const meant =
    suggestion === undefined ? '' : `; did you mean ${short(suggestion, 4 * MAX_VALUE_LENGTH)}?`;
  // A suggestion replaces the list of allowed values.
  const list = allowed === undefined || meant !== '' ? '' : `; allowed: ${allowed.join(', ')}`;
  // A line break in a value could forge a message.
  const what = dropped ? `${severity}: the service would drop this` : severity;
  return visible(`${what}: ${placeText(path, column)}${shown}${message}${meant}${list}`);
}

/** A path as it is for each item of a list: `creators[].name`. */
export const withoutIndices = (path: string) => path.replace(/\[\d+\]/g, '[]');

const VALUES =
  /"(?:[^"\\]|\\.)*"|(?<=holds )'.*?'(?=,)|(?<=would (?:be|be stored as|end in) )[\dX]+/g;

/** A message without values: the wrong ones, and the numbers that would be right. */
export const withoutValues = (message: string) => message.replace(VALUES, '"…"');

/** The place in front of a message: a column of a spreadsheet, or else the path. */
export function placeText(path: string | null, column: string | undefined): string {
  if (column !== undefined) return `column ${column}: `;
  return path ? `${path}: ` : '';
}

function short(text: string, most = MAX_VALUE_LENGTH): string {
  // A value may have millions of characters.
  const characters = [...text.slice(0, 2 * most + 2)];
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : text;
}
