import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import { delimitedLine } from '../../src/formats/output/csv.ts';
import { emulate, PASSWORD, REPOSITORY, type TestEmulator } from './emulator.ts';
import { type AtEnd, temporaryDirectory } from './temporary.ts';

export type Row = Record<string, string>;
export type Attributes = Record<string, unknown>;
/** The formats in which a list of records is exported, and `get` for one record by `dois get`. */
export type Format = 'csv' | 'tsv' | 'ndjson' | 'json' | 'get';

/** Values of a record by their columns; null takes a value or an item away. */
export type Values = Readonly<Record<string, string | null>>;

export interface Result {
  readonly doi: string;
  readonly outcome: string;
  readonly errors: readonly { path: string; message: string; conflict?: Row }[];
  readonly warnings?: readonly { path: string; message: string }[];
}

export interface Update {
  readonly code: number;
  readonly stderr: string;
  readonly results: readonly Result[];
  readonly outcomes: readonly string[];
  /** The attributes of each update that was sent, by DOI: several records are sent at once. */
  readonly puts: readonly Attributes[];
  readonly requests: number;
}

/** The request at which a run is killed, counted from 1, and whether it was carried out before. */
export interface Kill {
  readonly at: number;
  readonly isCarriedOut: boolean;
  /** Counts only requests of this method. */
  readonly method?: 'PUT' | 'POST' | undefined;
}

const person = (name: string) => ({ name, nameType: 'Personal' });
export const LAKE = {
  url: 'https://example.org/1',
  titles: [{ title: 'Lake' }],
  creators: [person('Doe, Jane'), person('Roe, Rick'), person('Poe, Pat')],
  publisher: { name: 'CERN' },
  publicationYear: 2024,
  types: { resourceTypeGeneral: 'Dataset' },
  subjects: [{ subject: 'water' }, { subject: 'ice' }],
  dates: [{ date: '2024-03-04', dateType: 'Issued' }],
  version: '1',
};

/**
 * An emulator with records that are exported, edited and sent back through a forwarder, which may
 * kill the run.
 */
export class Editing {
  readonly emulator: TestEmulator;
  #url = '';
  #count = 0;
  #requests = 0;
  #puts: Attributes[] = [];
  #kill: (Kill & { readonly now: () => void }) | undefined;
  #counted = 0;
  #isDead = false;

  private constructor(emulator: TestEmulator) {
    this.emulator = emulator;
  }

  static async start(atEnd: AtEnd): Promise<Editing> {
    const editing = new Editing(await emulate({ records: 0 }, atEnd));
    const forwarder = createServer((asked, answer) => void editing.#forward(asked, answer));
    await new Promise<void>((resolve) => void forwarder.listen(0, '127.0.0.1', resolve));
    atEnd(() => {
      forwarder.closeAllConnections();
      forwarder.close();
    });
    editing.#url = `http://127.0.0.1:${(forwarder.address() as AddressInfo).port}`;
    return editing;
  }

  async #forward(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = asked;
    const body = Buffer.concat(chunks);
    const kill = this.#kill;
    const isCounted = kill !== undefined && (kill.method ?? method) === method;
    if (isCounted) this.#counted += 1;
    const isLast = isCounted && !this.#isDead && this.#counted === kill.at;
    if (isLast && !kill.isCarriedOut) this.#die(kill);
    if (this.#isDead) return void answer.destroy();
    this.#requests += 1;
    if (method === 'PUT') this.#puts.push(JSON.parse(body.toString()).data.attributes);
    const forwarded = request(new URL(url, this.emulator.baseUrl), { method, headers }, (from) => {
      if (isLast) {
        this.#die(kill);
        from.resume();
        answer.destroy();
        return;
      }
      answer.writeHead(from.statusCode ?? 500, from.headers);
      // An answer that is cut off is so for the client.
      pipeline(from, answer, () => undefined);
    });
    forwarded.on('error', () => answer.destroy()).end(body);
  }

  #die({ now }: { now: () => void }): void {
    this.#isDead = true;
    now();
  }

  /** Makes records of a prefix of their own. @returns their DOIs. */
  async create(...records: readonly Attributes[]): Promise<string[]> {
    this.#count += 1;
    const dois = records.map((_, place) => `10.5072/edits-${this.#count}-${place}`);
    const stdin = records
      .map((one, place) => `${JSON.stringify({ doi: dois[place], ...one })}\n`)
      .join('');
    const { code, stderr } = await this.emulator.run(
      ['dois', 'create', '--file', '-', '--jobs', '1'],
      {
        stdin,
      },
    );
    expect(code, stderr).toBe(0);
    return dois;
  }

  /** Lets the clock of the service go on: it writes times in whole seconds. */
  later = (): Promise<unknown> => this.emulator.control('clock', { advanceMs: 2000 });

  /**
   * A colleague changes attributes of a record, each whole, at another time than everything else.
   */
  async theirs(doi: string, attributes: Attributes): Promise<void> {
    await this.later();
    await this.#request('PUT', `/dois/${encodeURIComponent(doi)}`, {
      data: { type: 'dois', attributes },
    });
    await this.later();
  }

  /** The attributes of a record as the service holds them. */
  async stored(doi: string): Promise<Attributes> {
    const path = `/dois/${encodeURIComponent(doi)}?affiliation=true&publisher=true`;
    return (await this.#request('GET', path)).data.attributes;
  }

  async #request(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ data: { attributes: Attributes } }> {
    const response = await fetch(`${this.emulator.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Basic ${btoa(`${REPOSITORY}:${PASSWORD}`)}`,
        'content-type': 'application/vnd.api+json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status} ${text}`);
    return JSON.parse(text);
  }

  /** Exports records. @param path of an earlier export to write again. */
  async exported(
    dois: readonly string[],
    format: Format,
    { fields, path: wanted }: { fields?: string | undefined; path?: string } = {},
  ): Promise<string> {
    await this.later();
    this.#count += 1;
    const ending = format === 'get' ? 'json' : format;
    const path = wanted ?? join(temporaryDirectory(), `export-${this.#count}.${ending}`);
    const ids = ['--filter', `ids=${dois.join()}`, '--sort', 'created', '--page-size', '100'];
    const more = fields === undefined ? [] : ['--fields', fields];
    const argv =
      format === 'get' ? ['get', dois[0] ?? ''] : ['list', ...ids, ...more, '--out', path];
    const { code, stderr, stdout } = await this.emulator.run(['dois', ...argv]);
    expect(code, stderr).toBe(0);
    if (format === 'get') writeFileSync(path, stdout);
    return path;
  }

  async update(path: string, ...more: readonly string[]): Promise<Update> {
    return this.#run(['dois', 'update', '--file', path, '--format', 'ndjson', ...more]);
  }

  /** An update that is killed: what its ledger holds at that moment is all that is left of it. */
  async killed(path: string, kill: Kill, ...more: readonly string[]): Promise<Update> {
    const ledger = `${path}.update-ledger`;
    let left: Buffer | undefined;
    const now = () => {
      left = existsSync(ledger) ? readFileSync(ledger) : undefined;
    };
    this.#kill = { ...kill, now };
    this.#counted = 0;
    try {
      // What follows the kill reaches nothing, and leaves no trace.
      return await this.update(path, '--retries', '0', ...more);
    } finally {
      if (this.#isDead && left === undefined) rmSync(ledger, { force: true });
      if (this.#isDead && left !== undefined) writeFileSync(ledger, left);
      this.#kill = undefined;
      this.#isDead = false;
    }
  }

  async #run(argv: readonly string[]): Promise<Update> {
    this.#requests = 0;
    this.#puts = [];
    const env = { DOI_CLI_BASE_URL: this.#url };
    const { code, stdout, stderr } = await this.emulator.run(argv, { env });
    const results = stdout
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Result);
    const outcomes = results.map(({ outcome }) => outcome);
    const puts = this.#puts.toSorted((one, other) =>
      String(one['doi']).localeCompare(String(other['doi']), 'en', { numeric: true }),
    );
    return { code, stderr, results, outcomes, puts, requests: this.#requests };
  }
}

const delimiterOf = (path: string) => (path.endsWith('tsv') ? '\t' : ',');
export const isTable = (path: string): boolean => /\.[ct]sv$/.test(path);

export const rowsOf = (path: string): Row[] =>
  parse(readFileSync(path), { columns: true, delimiter: delimiterOf(path) });

export function writeRows(
  path: string,
  rows: readonly Row[],
  heads = Object.keys(rows[0] ?? {}),
): void {
  const table = [heads, ...rows.map((row) => heads.map((head) => row[head] ?? ''))];
  writeFileSync(path, table.map((row) => delimitedLine(row, delimiterOf(path))).join(''));
}

/** Edits the rows of a file, as somebody with a spreadsheet does. */
export function editRows(path: string, change: (row: Row, place: number) => Row): void {
  writeRows(path, rowsOf(path).map(change));
}

interface Resource {
  readonly id: string;
  readonly attributes: Attributes;
}

/** Edits the records of a file of JSON, in any of its forms. */
export function editJson(path: string, change: (record: Resource) => void): void {
  const text = readFileSync(path, 'utf8');
  const isLines = path.endsWith('ndjson');
  const value = isLines
    ? text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Resource)
    : (JSON.parse(text) as Resource | Resource[]);
  const records = [value].flat();
  for (const record of records) change(record);
  const lines = () => records.map((record) => `${JSON.stringify(record)}\n`).join('');
  writeFileSync(path, isLines ? lines() : `${JSON.stringify(value, null, 2)}\n`);
}

/** Edits values of a record in a file of any format. */
export function edit(path: string, doi: string | undefined, values: Values): void {
  if (isTable(path)) {
    const unknown = Object.keys(values).find((name) => !(name in (rowsOf(path)[0] ?? {})));
    if (unknown !== undefined) throw new Error(`there is no column ${unknown}`);
    const cells = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, value ?? 'null']),
    );
    editRows(path, (row) => (row['doi'] === doi ? { ...row, ...cells } : row));
    return;
  }
  editJson(path, ({ id, attributes }) => {
    if (id !== doi) return;
    for (const [name, value] of Object.entries(values)) setValue(attributes, name, value);
  });
}

/** The members that make an item: without one of them, the item is taken away. */
const ITEM = /^(?:name|title|subject|date)$/;

export function setValue(attributes: Attributes, name: string, value: unknown): void {
  const steps = name.split(/[.[\]]+/).filter((step) => step !== '');
  const last = steps.pop() ?? '';
  let holder: unknown = attributes;
  for (const [at, step] of steps.entries()) {
    const own = holder as Record<string, unknown>;
    const isList = /^\d+$/.test(steps[at + 1] ?? last);
    own[step] ??= isList ? [] : {};
    if (value === null && at === steps.length - 1 && Array.isArray(own) && ITEM.test(last)) {
      own.splice(Number(step), 1);
      return;
    }
    holder = own[step];
  }
  (holder as Record<string, unknown>)[last] = value;
}
