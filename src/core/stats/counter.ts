import type { JsonObject } from '../../text/json-values.ts';
import { dimension, valuesIn } from './dimensions.ts';
import { type Group, groupOf } from './groups.ts';

interface Counter {
  add(record: JsonObject): void;
  group(): Group;
}

// A record with any number of licenses must not fill the memory.
const MOST_VALUES = 100_000;

export function counterOf(by: string): Counter {
  const counted = dimension(by);
  const { years, title = (id: string) => id, values: all, names } = counted;
  const counts = new Map<string, number>((all ?? []).map((id) => [id, 0]));
  const titles = new Titles();
  let [none, others] = [0, 0];
  return {
    add(record) {
      const values = valuesIn(record, counted);
      if (values.size === 0) none += 1;
      for (const value of values) {
        const known = counts.get(value);
        if (known === undefined && counts.size >= MOST_VALUES) others += 1;
        else counts.set(value, (known ?? 0) + 1);
      }
      if (names !== undefined) titles.add(names(record));
    },
    group() {
      const buckets = [...counts].map(([id, count]) => ({
        id,
        title: titles.of(id) ?? title(id),
        count,
      }));
      // As the service orders them: the latest years first, other values by their counts.
      if (all === undefined)
        buckets.sort((a, b) =>
          years ? Number(b.id) - Number(a.id) : b.count - a.count || (a.id < b.id ? -1 : 1),
        );
      return groupOf(by, buckets, { others, none });
    },
  };
}

/** The most frequent names of values: an organization has a name in each language and spelling. */
class Titles {
  readonly #names = new Map<string, Map<string, number>>();
  #count = 0;

  /** Adds the names in a record: each counts once for each record. */
  add(pairs: readonly (readonly [id: string, name: string])[]): void {
    const unique = new Map(pairs.map((pair) => [pair.join('\n'), pair]));
    for (const [id, name] of unique.values()) {
      if (name === '') continue;
      const names = this.#names.get(id) ?? new Map<string, number>();
      if (!names.has(name) && this.#count >= MOST_VALUES) continue;
      if (!names.has(name)) this.#count += 1;
      names.set(name, (names.get(name) ?? 0) + 1);
      this.#names.set(id, names);
    }
  }

  of(id: string): string | undefined {
    const names = [...(this.#names.get(id) ?? [])];
    return names.sort(([a, most], [b, more]) => more - most || (a < b ? -1 : 1))[0]?.[0];
  }
}
