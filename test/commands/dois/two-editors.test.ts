import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { delimitedLine } from '../../../src/text/csv.ts';
import { emulate } from '../../helpers/emulator.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

type Row = Record<string, string>;

const RECORDS = 150;
const ROUNDS = 14;
const EDITS = 30;
const FIELDS = ['url', 'version', 'titles[0].title', 'publisher.name', 'creators[1].familyName'];
const doiOf = (place: number) => `10.5072/shared-${place}`;
const RECORD = {
  titles: [{ title: 'Lake' }],
  creators: [{ name: 'Doe, Jane' }, { name: 'Roe, Rick', familyName: 'Roe' }],
  publisher: { name: 'Institute' },
  publicationYear: 2024,
  types: { resourceTypeGeneral: 'Dataset' },
  url: 'https://example.org/',
  version: '1',
};

/** A generator of numbers from 0 to 1 that gives the same ones for a seed. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** What somebody exported, with the edits that are not sent yet, by DOI. */
interface Sheet {
  readonly path: string;
  readonly exported: ReadonlyMap<string, Row>;
  readonly edits: Map<string, Row>;
}

it('two people edit the same 150 records, and no edit is lost', async () => {
  const emulator = await emulate({ records: 0 });
  const random = generator(2);
  const stdin = Array.from({ length: RECORDS }, (_, place) =>
    JSON.stringify({ doi: doiOf(place), ...RECORD }),
  );
  expect(
    (await emulator.run(['dois', 'create', '--file', '-'], { stdin: `${stdin.join('\n')}\n` }))
      .code,
  ).toBe(0);
  // What a plain reading of the rules says that the service holds.
  const held = new Map<string, Row>();
  const sheets: (Sheet | undefined)[] = [undefined, undefined];
  let [conflicts, files] = [0, 0];

  async function exportSheet(who: number): Promise<void> {
    files += 1;
    const path = join(temporaryDirectory(), `${who}-${files}.csv`);
    expect((await emulator.run(['dois', 'list', '--all', '--mine', '--out', path])).code).toBe(0);
    const rows: Row[] = parse(readFileSync(path), { columns: true });
    expect(rows).toHaveLength(RECORDS);
    const exported = new Map(rows.map((row) => [row['doi'] ?? '', row]));
    for (const [doi, row] of exported) {
      const own = held.get(doi);
      if (own === undefined)
        held.set(doi, Object.fromEntries(FIELDS.map((name) => [name, row[name] ?? ''])));
      else expect(Object.fromEntries(FIELDS.map((name) => [name, row[name]])), doi).toEqual(own);
    }
    sheets[who] = { path, exported, edits: new Map() };
  }

  function edit(who: number, { edits }: Sheet): void {
    for (let done = 0; done < EDITS; done += 1) {
      // Some records are edited by both again and again.
      const doi = doiOf(Math.floor(random() ** 2 * RECORDS));
      const name = FIELDS[Math.floor(random() * FIELDS.length)] ?? '';
      const value = `${name === 'url' ? 'https://example.org/' : ''}${who}-${Math.floor(random() * 1e6)}`;
      edits.set(doi, { ...edits.get(doi), [name]: value });
    }
  }

  async function send({ path, exported, edits }: Sheet): Promise<void> {
    const rows = [...exported].map(([doi, row]) => ({ ...row, ...edits.get(doi) }));
    const heads = Object.keys(rows[0] ?? {});
    const cells: Row[] = rows.toSorted(() => random() - 0.5);
    writeFileSync(
      path,
      [heads, ...cells.map((row) => heads.map((head) => row[head] ?? ''))]
        .map((fields) => delimitedLine(fields))
        .join(''),
    );
    const before = (await emulator.log()).length;
    const { stdout } = await emulator.run(['dois', 'update', '--file', path]);
    const requests = (await emulator.log()).slice(before);
    let writes = 0;
    for (const line of stdout.trim().split('\n')) {
      const { doi, outcome, errors } = JSON.parse(line) as {
        doi: string;
        outcome: string;
        errors: { path: string }[];
      };
      const [own = {}, asked = {}, old = {}] = [held.get(doi), edits.get(doi), exported.get(doi)];
      const lost = Object.keys(asked).filter(
        (name) => own[name] !== old[name] && own[name] !== asked[name],
      );
      expect([outcome === 'failed', errors.map(({ path: at }) => at).sort()], doi).toEqual([
        lost.length > 0,
        lost.sort(),
      ]);
      if (lost.length > 0) conflicts += 1;
      else held.set(doi, { ...own, ...asked });
      if (outcome === 'updated') writes += 1;
    }
    const puts = requests.filter(({ method }) => method === 'PUT').length;
    expect(puts).toBe(writes);
    expect(requests.length, 'asks only about edited rows').toBeLessThanOrEqual(2 * edits.size + 2);
  }

  for (let round = 0; round < ROUNDS; round += 1) {
    const who = Math.floor(random() * 2);
    const sheet = sheets[who];
    if (sheet === undefined) await exportSheet(who);
    else if (sheet.edits.size === 0) edit(who, sheet);
    else {
      await send(sheet);
      sheets[who] = undefined;
    }
  }
  await exportSheet(0);
  expect(conflicts).toBeGreaterThan(0);
});
