import { CliError } from '../../errors.ts';
import type { Page } from '../page/page.ts';

type Form = 'names' | 'objects';

// Records without any affiliation take long to search, and more of them hardly show more.
const COMPARED_RECORDS = 100;
const QUOTE = 0x22;
const BRACE = 0x7b;
const PUBLISHER = Buffer.from('"publisher":');
const AFFILIATION_OBJECT = Buffer.from('"affiliation":[{');
const AFFILIATION_NAME = Buffer.from('"affiliation":["');

/** The form of a member in the bytes of a record; undefined if the record does not show it. */
const MEMBERS: readonly (readonly [
  member: string,
  formIn: (record: Buffer) => Form | undefined,
])[] = [
  [
    'publishers',
    (record) => {
      // A related item, whose publisher is a name, comes later.
      const at = record.indexOf(PUBLISHER);
      const first = at < 0 ? undefined : record[at + PUBLISHER.length];
      if (first === QUOTE) return 'names';
      return first === BRACE ? 'objects' : undefined;
    },
  ],
  [
    'affiliations',
    (record) => {
      if (record.includes(AFFILIATION_OBJECT)) return 'objects';
      return record.includes(AFFILIATION_NAME) ? 'names' : undefined;
    },
  ],
];

/** The service has changed the form of affiliations or publishers (service.md, F6). */
export class MixedForms extends CliError {
  constructor(member: string, before: Form, now: Form) {
    super('incomplete', `the service has changed ${member} from ${before} to ${now}`);
    this.name = 'MixedForms';
  }
}

/**
 * Notes whether records have affiliations and publishers as names or as objects. All records of an
 * answer have the same form, so the first that shows it is enough.
 */
export class FormCheck {
  readonly #forms = new Map<string, Form>();

  /** Compares a page with the records before it. @throws {MixedForms} @returns the page. */
  check(page: Page): Page {
    this.checkRecords(recordsOf(page));
    return page;
  }

  /** Compares the first records of one answer with those before them. @throws {MixedForms}. */
  checkRecords(records: Iterable<Buffer>): void {
    let open = MEMBERS;
    let left = COMPARED_RECORDS;
    for (const record of records) {
      open = open.filter(([member, formIn]) => {
        const form = formIn(record);
        if (form === undefined) return true;
        const before = this.#forms.get(member) ?? form;
        if (before !== form) throw new MixedForms(member, before, form);
        this.#forms.set(member, form);
        return false;
      });
      left -= 1;
      if (open.length === 0 || left === 0) return;
    }
  }
}

function* recordsOf(page: Page): Generator<Buffer> {
  for (let index = 0; index < page.count; index += 1) yield page.record(index);
}
