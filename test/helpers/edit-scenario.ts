import { expect } from 'vitest';
import {
  attributesWith,
  type Edit,
  type Expected,
  edited,
  expectedOf,
  idOf,
  rootsOf,
  SINGLES,
  sameValues,
  type Values,
  valuesOf,
} from './edit-oracle.ts';
import {
  type Attributes,
  type Editing,
  editJson,
  type Kill,
  type Row,
  rowsOf,
  type Update,
} from './editing.ts';
import { type Habit, writeSheet } from './spreadsheet-habits.ts';

const RECORD = {
  url: 'https://example.org/1',
  version: '1.0',
  publicationYear: 2021,
  publisher: { name: 'Institute 1' },
  types: { resourceTypeGeneral: 'Dataset', resourceType: 'Table 1' },
  titles: [
    { title: 'Title 1', lang: 'en' },
    { title: 'See', titleType: 'TranslatedTitle' },
  ],
  dates: [{ date: '2021-02-15', dateType: 'Issued' }],
  subjects: [{ subject: 'water' }],
  geoLocations: [{ geoLocationPoint: { pointLatitude: 5.5, pointLongitude: 115 } }],
};
export const FILE_FORMATS = ['csv', 'tsv', 'ndjson', 'json'] as const;
type FileFormat = (typeof FILE_FORMATS)[number];

/**
 * A time at which a colleague edits records, a file is edited and sent, and the run may be killed.
 */
export interface Round {
  /** Whether it begins with a new export, and does not go on with the file of the round before. */
  readonly isNew: boolean;
  readonly theirs: readonly Edit[];
  readonly mine: readonly Edit[];
  readonly kill: Kill | undefined;
  /** What a colleague edits after the kill. */
  readonly between: readonly Edit[];
  readonly habits: readonly Habit[];
}

/** A record, its values in the file, and what they are compared with. */
interface Edited {
  readonly doi: string;
  file: Values;
  base: Values;
  /** The time of the last update of the base, for files that only tell it. */
  updated: unknown;
  /** The time in the file. */
  readonly exported: unknown;
  /** Whether it may also be an earlier time. */
  isTimeOpen: boolean;
  /** The values in the file that are known to be sent: such a line is not looked at again. */
  done: Values | undefined;
}

/** What the service holds of a record. */
interface Stored {
  readonly values: Values;
  readonly updated: unknown;
}

/** What a round has sent, by DOI. */
interface Sent {
  readonly sent: ReadonlyMap<string, Attributes>;
  /** What was stored when the run was killed, of records whose result the ledger may have. */
  readonly early: ReadonlyMap<string, Stored | undefined>;
  /** Records that a colleague has changed between the two runs. */
  readonly undone: ReadonlySet<string>;
}

/**
 * Files that are exported, edited and sent back, with what they and the service must hold after
 * each round.
 */
export class Scenario {
  readonly #editing: Editing;
  readonly #format: FileFormat;
  readonly #records: Edited[] = [];
  #path = '';
  /** The rows of the last export, by DOI. */
  #exported = new Map<string, Row>();
  #exportedValues = new Map<string, Values>();

  constructor(editing: Editing, format: FileFormat) {
    this.#editing = editing;
    this.#format = format;
  }

  get #isTable(): boolean {
    return this.#format === 'csv' || this.#format === 'tsv';
  }

  async run(people: readonly number[], rounds: readonly Round[]): Promise<void> {
    const records = people.map((count) => ({
      ...RECORD,
      creators: Array.from({ length: count }, (_, place) => ({
        name: `Person ${place}`,
        nameType: 'Personal',
      })),
    }));
    const dois = await this.#editing.create(...records);
    for (const [place, round] of rounds.entries()) {
      if (place === 0 || round.isNew) await this.#export(dois);
      await this.#round(round);
    }
  }

  async #export(dois: readonly string[]): Promise<void> {
    const path = this.#path === '' ? {} : { path: this.#path };
    this.#path = await this.#editing.exported(dois, this.#format, path);
    const earlier = new Map(this.#records.map((record) => [record.doi, record]));
    this.#records.length = 0;
    for (const doi of dois) {
      const attributes = await this.#editing.stored(doi);
      const values = valuesOf(attributes);
      const { updated } = attributes;
      const { done, exported } = earlier.get(doi) ?? {};
      const isSameLine = done && exported === updated && sameValues(done, values);
      this.#exportedValues.set(doi, values);
      this.#records.push({
        doi,
        file: values,
        base: values,
        updated,
        exported: updated,
        isTimeOpen: false,
        // A record that has not changed has the same line as before.
        done: isSameLine ? values : undefined,
      });
    }
    if (this.#isTable)
      this.#exported = new Map(rowsOf(this.#path).map((row) => [row['doi'] ?? '', row]));
  }

  async #colleague(edits: readonly Edit[]): Promise<void> {
    for (const one of edits) {
      const record = this.#records[one.record % this.#records.length];
      if (record === undefined) continue;
      const attributes = await this.#editing.stored(record.doi);
      const before = valuesOf(attributes);
      const changed = attributesWith(attributes, before, edited(before, one));
      if (Object.keys(changed).length > 0) await this.#editing.theirs(record.doi, changed);
    }
  }

  async #round({ theirs, mine, kill, between, habits }: Round): Promise<void> {
    await this.#colleague(theirs);
    for (const one of mine) {
      const record = this.#records[one.record % this.#records.length];
      if (record !== undefined) record.file = edited(record.file, one);
    }
    this.#write(habits);
    let stored = await this.#stored();
    const sent = new Map<string, Attributes>();
    // Records whose edit a colleague has taken back since: it is sent again, unless the ledger has it.
    const undone = new Set<string>();
    const remember = ({ puts }: Update) => {
      for (const put of puts) {
        const doi = String(put['doi']);
        expect(sent.has(doi) && !undone.has(doi), `${doi} is sent once`).toBe(false);
        sent.set(doi, put);
      }
    };
    // What may be in the ledger already is not looked at again.
    const early = new Map<string, Stored | undefined>();
    if (kill !== undefined) {
      const killed = await this.#editing.killed(this.#path, kill);
      remember(killed);
      const now = await this.#stored();
      for (const { doi, outcome } of killed.results) {
        if (outcome !== 'failed') early.set(doi, now.get(doi));
      }
      for (const doi of sent.keys()) early.set(doi, now.get(doi));
      for (const record of this.#records) {
        const [was, is] = [stored.get(record.doi), now.get(record.doi)];
        const isSent = sent.has(record.doi);
        if (was && is)
          expect(is.values).toEqual(isSent ? this.#expected(record, was).after : was.values);
      }
      await this.#colleague(between);
      stored = await this.#stored();
      for (const record of this.#records) {
        const [was, is] = [now.get(record.doi), stored.get(record.doi)];
        const isChanged = was && is && !sameValues(was.values, is.values);
        if (isChanged && sent.has(record.doi)) undone.add(record.doi);
      }
    }
    const update = await this.#editing.update(this.#path);
    remember(update);
    await this.#check(update, stored, { sent, early, undone });
    await this.#again(update);
  }

  #expected(record: Edited, { values, updated }: Stored): Expected {
    if (this.#isTable) return expectedOf(record.base, record.file, values);
    // What the file says is compared with the record as it is, if that has the time that is known.
    if (record.done !== undefined && sameValues(record.done, record.file)) {
      // In an array, an edit moves the records below it to other lines, which are compared again.
      return { after: values, mustFail: false, mayFail: this.#format === 'json' };
    }
    const isKnown = updated === record.updated;
    return {
      after: record.file,
      mustFail: !isKnown && !record.isTimeOpen && !sameValues(record.file, values),
      mayFail: record.isTimeOpen,
    };
  }

  async #check(
    { code, results, stderr }: Update,
    stored: ReadonlyMap<string, Stored>,
    { sent, early, undone }: Sent,
  ): Promise<void> {
    const now = await this.#stored();
    expect(results.map(({ doi }) => doi).sort(), stderr).toEqual(
      this.#records.map(({ doi }) => doi).sort(),
    );
    expect(code === 0, stderr).toBe(results.every(({ outcome }) => outcome !== 'failed'));
    for (const record of this.#records) {
      const { doi, base, file } = record;
      const [was, is] = [stored.get(doi), now.get(doi)];
      const { outcome, errors } = results.find((one) => one.doi === doi) ?? {};
      if (was === undefined || is === undefined) throw new Error(`${doi} is gone`);
      const { after, mustFail, mayFail } = this.#expected(record, was);
      const shown = JSON.stringify({ outcome, errors, base, file, was: was.values, is: is.values });
      // A line whose result was in the ledger when the run was killed is done.
      const isEarly = early.has(doi);
      if (mustFail && !isEarly) expect(outcome, shown).toBe('failed');
      if (!mustFail && !mayFail && !isEarly) expect(outcome, shown).not.toBe('failed');
      const isKept = outcome === 'failed' || isEarly;
      const isSentAgain = isKept && undone.has(doi) && sameValues(is.values, after);
      expect(is.values, shown).toEqual(isKept && !isSentAgain ? was.values : after);
      const put = sent.get(doi);
      const allowed = new Set([
        'doi',
        ...rootsOf(file, base),
        // JSON sends what differs from the record, also an edit that is taken back.
        ...(this.#isTable ? [] : rootsOf(file, this.#exportedValues.get(doi) ?? base)),
      ]);
      for (const name of Object.keys(put ?? {}))
        expect(allowed, `${name}: ${shown}`).toContain(name);
      if (outcome === 'failed') continue;
      if (!this.#isTable && record.done && sameValues(record.done, file)) {
        // The line was done before. That of an array may have moved, and was compared then.
        record.isTimeOpen ||= this.#format === 'json';
        continue;
      }
      Object.assign(record, {
        base: this.#isTable ? file : is.values,
        updated: is.updated,
        // The ledger may have the time of before the kill, or that of now.
        isTimeOpen: early.has(doi) && early.get(doi)?.updated !== is.updated,
        done: file,
      });
    }
  }

  /** The same command again changes nothing. */
  async #again({ results }: Update): Promise<void> {
    const before = await this.#stored();
    const again = await this.#editing.update(this.#path);
    expect(again.puts).toEqual([]);
    const failed = (all: Update['results']) =>
      all.filter(({ outcome }) => outcome === 'failed').map(({ doi }) => doi);
    expect(failed(again.results).sort()).toEqual(failed(results).sort());
    expect(await this.#stored()).toEqual(before);
  }

  async #stored(): Promise<Map<string, Stored>> {
    const all = this.#records.map(async ({ doi }) => {
      const attributes = await this.#editing.stored(doi);
      // What is never edited stays as it was.
      const { subjects, geoLocations } = RECORD;
      expect(attributes).toMatchObject({ subjects, geoLocations });
      return [doi, { values: valuesOf(attributes), updated: attributes['updated'] }] as const;
    });
    return new Map(await Promise.all(all));
  }

  #write(habits: readonly Habit[]): void {
    if (!this.#isTable) {
      editJson(this.#path, ({ id, attributes }) => {
        const record = this.#records.find(({ doi }) => doi === id);
        const before = valuesOf(attributes);
        if (record) Object.assign(attributes, attributesWith(attributes, before, record.file));
      });
      return;
    }
    const cells = new Map(
      this.#records.map(({ doi, file }) => [
        doi,
        this.#cellsOf(this.#exportedValues.get(doi) ?? file, file),
      ]),
    );
    writeSheet(this.#path, [...this.#exported.values()], cells, habits);
  }

  /** The cells in which the values of a file differ from those of the export. */
  #cellsOf(exported: Values, file: Values): Row {
    const cells: Row = {};
    for (const name of SINGLES) {
      const value = file.single[name];
      if (value !== exported.single[name]) cells[name] = value === '' ? 'null' : value;
    }
    const places = exported.people.map(idOf);
    const added = file.people.filter((person) => !places.includes(idOf(person)));
    for (const [place, id] of [...places, ...added.map(idOf)].entries()) {
      const [before, after] = [
        exported.people[place],
        file.people.find((person) => idOf(person) === id),
      ];
      if (after?.name !== before?.name) cells[`creators[${place}].name`] = after?.name ?? 'null';
      if (after !== undefined && after.given !== (before?.given ?? '')) {
        cells[`creators[${place}].givenName`] = after.given;
      }
    }
    return cells;
  }
}
