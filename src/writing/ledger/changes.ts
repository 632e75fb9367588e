import { same } from '../../api/record-match.ts';
import { type JsonObject, type Path, pathText } from '../../text/json-values.ts';

/** A value that a request changes. */
export interface Change {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** The changes that an update makes to a record's attributes, as single values. */
export function changesOf(before: JsonObject, sent: JsonObject): readonly Change[] {
  return Object.entries(sent).flatMap(([name, after]) => changesAt([name], before[name], after));
}

function changesAt(path: Path, before: unknown, after: unknown): Change[] {
  if (same(before, after)) return [];
  const [old, now] = [membersOf(before), membersOf(after)];
  if (old === undefined || now === undefined || Array.isArray(before) !== Array.isArray(after)) {
    return [{ path: pathText(path), before: before ?? undefined, after: after ?? undefined }];
  }
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((step) =>
    changesAt([...path, step], old.get(step), now.get(step)),
  );
}

function membersOf(value: unknown): Map<string | number, unknown> | undefined {
  if (Array.isArray(value)) return new Map(value.entries());
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)) : undefined;
}

/** The changes in JSON output: null where there is no value. */
export function changesMember(changes: readonly Change[]): readonly Change[] {
  return changes.map(({ path, before = null, after = null }) => ({ path, before, after }));
}

/** A change as a diff: a line for the old value and one for the new. null counts as absent. */
export function changeText({ path, before, after }: Change): string {
  const line = (sign: string, value: unknown) =>
    value === undefined || value === null ? '' : `${sign} ${path}: ${JSON.stringify(value)}\n`;
  return line('-', before) + line('+', after);
}
