import { randomUUID } from 'node:crypto';
import { snake } from '../records/metadata/check.ts';
import type { Item } from '../records/metadata/values.ts';
import type { Account } from './accounts.ts';
import type { StoredDoi } from './stored-doi.ts';

/** One write of a record. */
interface Activity {
  readonly id: string;
  readonly action: 'create' | 'update';
  /** The id of the account that wrote. */
  readonly account: string;
  readonly time: string;
  /** The number of this write of the record, from 1. */
  readonly version: number;
  /** New values by attribute; after an update, the old and the new value. */
  readonly changes: Item;
}

/** The columns of the database whose names differ from the attributes (service.md, O7). */
const COLUMNS: Readonly<Record<string, string>> = { state: 'aasm_state', version: 'version_info' };

/** The history of the records that clients have written. */
export class Activities {
  readonly #byDoi = new Map<string, Activity[]>();

  add(
    record: StoredDoi,
    action: Activity['action'],
    account: Account,
    sent: Item,
    before: Item = {},
  ): void {
    const known = this.of(record.doi);
    const names = Object.keys({ ...sent, state: true });
    const pairs = names
      .map((name) => [name, before[name], record.attributes[name]] as const)
      .filter(([, old, now]) => JSON.stringify(old) !== JSON.stringify(now))
      .map(([name, old, now]) => [
        COLUMNS[name] ?? snake(name),
        action === 'create' ? now : [old ?? null, now],
      ]);
    const activity: Activity = {
      id: randomUUID(),
      action,
      account: account.id,
      time: String(record.attributes['updated']),
      version: known.length + 1,
      changes: Object.fromEntries(pairs) as Item,
    };
    this.#byDoi.set(record.doi, [...known, activity]);
  }

  /** Oldest first. */
  of(doi: string): readonly Activity[] {
    return this.#byDoi.get(doi) ?? [];
  }
}
