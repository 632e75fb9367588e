/**
 * The query parameters of a request. A name may be written with dashes or underscores, as the
 * service accepts both; the last value of a repeated name counts.
 */
export class Params {
  readonly #values = new Map<string, string>();

  constructor(query: string) {
    for (const [name, value] of new URLSearchParams(query))
      this.#values.set(canonical(name), value);
  }

  get(name: string): string | undefined {
    return this.#values.get(canonical(name));
  }

  /**
   * The values of a comma-separated parameter, blanks included, or undefined when it is absent or
   * blank.
   */
  list(name: string): string[] | undefined {
    const value = this.get(name) ?? '';
    return value.trim() === '' ? undefined : value.split(',');
  }

  *entries(): Generator<[name: string, value: string]> {
    yield* this.#values;
  }
}

function canonical(name: string): string {
  return name.replaceAll('_', '-');
}

/** A name in camelCase, as answers have it; requests may have `-` or `_` between its words. */
export function camelCase(name: string): string {
  return name.trim().replaceAll(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Decodes a path segment. A segment with broken percent-encoding stays unchanged: it identifies
 * nothing, so a 404 follows.
 */
export function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
