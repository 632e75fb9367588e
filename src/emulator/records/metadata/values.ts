/** The attributes of a record, or any JSON object. */
export type Item = Readonly<Record<string, unknown>>;

export function isItem(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A list as it is, nothing as an empty list, anything else as a list of one, as the service does.
 */
export function wrap(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

/** The objects of a list, or the one object. */
export function items(value: unknown): Item[] {
  return wrap(value).filter(isItem);
}

/** Text of a text or number; empty for everything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export function isBlank(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '';
  if (Array.isArray(value)) return value.length === 0;
  return (
    value === undefined || value === null || (isItem(value) && Object.keys(value).length === 0)
  );
}

/** An object without the members that have no value. */
export function filled(members: Item): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).filter(
      ([, value]) => value !== undefined && value !== null && value !== '',
    ),
  );
}

/** An object without nulls. */
export function present(members: Item): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null),
  );
}
