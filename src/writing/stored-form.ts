import type { Attributes } from '../api/dois.ts';
import { type ParsedRecord, withNumberTexts } from '../formats/input/record.ts';
import { comparisonWith } from '../metadata/corrections.ts';
import { rewritten } from '../metadata/rewriting.ts';
import { listOf } from '../text/json-values.ts';
import type { Edits } from './edits.ts';
import { sameKey } from './keyed-list.ts';
import { changesOf } from './ledger/entry.ts';

/**
 * The edited attributes, in which values that the service would rewrite as stored values, or as
 * values before the edits, have that form: they are no edits (service.md, W21).
 */
export function inStoredForm(
  { mine, base }: Edits,
  record: ParsedRecord,
  stored: Attributes,
): Attributes {
  const [before, written] = comparisonWith(withNumberTexts(mine, record), [])(stored);
  const values = Object.entries(mine).map(([name, value]) => {
    if (!(name in written)) return [name, value];
    const isStored = changesOf({ [name]: before[name] }, { [name]: written[name] }).length === 0;
    if (isStored) return [name, stored[name]];
    const [items, forms] = [listOf(value), listOf(written[name])];
    if (items.length === 0 || items.length !== forms.length) return [name, value];
    const known = formsOf(name, [base, stored]);
    return [name, items.map((item, index) => known(item, forms[index]))];
  });
  return Object.fromEntries(values);
}

/** Finds the item that the service would write as a form; the item itself if there is none. */
function formsOf(
  name: string,
  versions: readonly (Attributes | undefined)[],
): (item: unknown, form: unknown) => unknown {
  const known = new Map<string | undefined, unknown>();
  for (const version of versions) {
    const items = listOf(version?.[name]);
    const forms = listOf(rewritten({ [name]: items }, version)[name]);
    if (items.length !== forms.length) continue;
    for (const [index, form] of forms.entries()) known.set(sameKey(form, name), items[index]);
  }
  return (item, form) =>
    sameKey(item, name) === sameKey(form, name) ? item : (known.get(sameKey(form, name)) ?? item);
}
