import { sameValue } from '../../../api/record-match.ts';
import { type Path, pathText } from '../../../text/json-positions.ts';

/** What an update would do to one value of a record. */
export interface Change {
  readonly path: string;
  /** Undefined where there is nothing. */
  readonly before: unknown;
  readonly after: unknown;
}

/** What the attributes sent would change in those of a record, down to the single values. */
export function changesOf(
  before: Readonly<Record<string, unknown>>,
  sent: Readonly<Record<string, unknown>>,
): readonly Change[] {
  return Object.entries(sent).flatMap(([name, after]) => between([name], before[name], after));
}

function between(path: Path, before: unknown, after: unknown): Change[] {
  if (sameValue(before, after, { exact: true })) return [];
  const [old, now] = [membersOf(before), membersOf(after)];
  if (old === undefined || now === undefined || Array.isArray(before) !== Array.isArray(after)) {
    return [{ path: pathText(path), before: before ?? undefined, after: after ?? undefined }];
  }
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((step) =>
    between([...path, step], old.get(step), now.get(step)),
  );
}

/** The members or items of a value; undefined where it has none. */
function membersOf(value: unknown): Map<string | number, unknown> | undefined {
  if (Array.isArray(value)) return new Map(value.entries());
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;
}

/** A change as lines for people: what goes, and what comes. */
export function changeText({ path, before, after }: Change): string {
  const line = (sign: string, value: unknown) => `${sign} ${path}: ${JSON.stringify(value)}\n`;
  return `${before === undefined ? '' : line('-', before)}${after === undefined ? '' : line('+', after)}`;
}
