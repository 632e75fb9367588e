import type { JsonPosition } from './json-positions.ts';

/** A piece of a text, by its indexes, and what takes its place. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A text with edits that do not overlap. The rest of it keeps its spelling. */
export function edited(text: string, edits: readonly Edit[]): string {
  let result = '';
  let done = 0;
  for (const { start, end, text: own } of edits.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(done, start) + own;
    done = end;
  }
  return result + text.slice(done);
}

/** The edit that removes a member of an object; undefined where there is no such member. */
export function removalOf(json: string, object: JsonPosition, name: string): Edit | undefined {
  const members = [...(object.members ?? [])];
  const at = members.findIndex(([own]) => own === name);
  const position = members[at]?.[1];
  if (position === undefined) return undefined;
  const before = members[at - 1]?.[1];
  if (before !== undefined) return { start: before.end, end: position.end, text: '' };
  // The first member goes with the comma behind it.
  const end = members.length === 1 ? position.end : json.indexOf(',', position.end) + 1;
  return { start: object.start + 1, end, text: '' };
}
