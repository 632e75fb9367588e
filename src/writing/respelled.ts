import type { Respelling } from '../api/record-match.ts';
import { abridged, counted, number } from '../text/words.ts';

/** The respelled values of a run: for each attribute an example, and the numbers of values. */
export type RespelledValues = Map<
  string,
  { readonly first: Respelling; readonly values: number; readonly records: number }
>;

/** Adds the values of a record. */
export function addRespelled(all: RespelledValues, respelled: readonly Respelling[]): void {
  const names = new Set<string>();
  for (const first of respelled) {
    const { name } = first;
    const known = all.get(name) ?? { first, values: 0, records: 0 };
    const records = known.records + (names.has(name) ? 0 : 1);
    all.set(name, { first: known.first, values: known.values + 1, records });
    names.add(name);
  }
}

/** A sentence for each attribute. */
export function respelledLines(all: RespelledValues): readonly string[] {
  return [...all.values()].map(({ first: { path, before, after }, values, records }) => {
    const where = numbersOf(values, records);
    const value = Array.isArray(before)
      ? `${shown(before)} of ${path}`
      : `${path} ${shown(before)}`;
    return `the service stores ${value} as ${shown(after)}${where}`;
  });
}

function numbersOf(values: number, records: number): string {
  if (records === 1) return values === 1 ? '' : ` (one of ${number(values)} values)`;
  const several = values > records ? `, ${number(values)} values` : '';
  return ` (in ${counted(records, 'record')}${several})`;
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return counted(value.length, 'item');
  return abridged(JSON.stringify(value), 100);
}
