/** The attributes of a record, or any JSON object. */
export type Item = Readonly<Record<string, unknown>>;

export function isItem(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A list unchanged, an absent value as an empty list, and any other value as a list with one item,
 * as the service does.
 */
export function wrap(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

/** The objects in a list, or a list with the object itself. */
export function items(value: unknown): Item[] {
  return wrap(value).filter(isItem);
}

/** A text or number as text; empty for any other value. */
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
