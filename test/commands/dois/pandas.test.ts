import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Attributes, Editing, LAKE } from '../../helpers/editing.ts';
import { lacks } from '../../helpers/platform.ts';
import { sharedDirectory } from '../../helpers/temporary.ts';

const READ = 'pd.read_csv(source)';

/**
 * A way to use pandas: its title, the table as Python reads and changes it, the arguments with
 * which it is written, and the ending of the file, `.csv` unless another is named.
 */
type Habit = readonly [title: string, table: string, writing: string, ending?: string];

const HABITS: readonly Habit[] = [
  ['the default settings', READ, ''],
  ['index=False', READ, 'index=False'],
  ['keep_default_na=False', 'pd.read_csv(source, keep_default_na=False)', 'index=False'],
  ['dtype=str', 'pd.read_csv(source, dtype=str)', 'index=False'],
  ['semicolons', READ, "index=False, sep=';'"],
  ['semicolons and decimal commas', READ, "index=False, sep=';', decimal=','"],
  ['a byte order mark', READ, "index=False, encoding='utf-8-sig'"],
  ['UTF-16', READ, "index=False, encoding='utf-16'"],
  ['quotes around all cells', READ, 'index=False, quoting=csv.QUOTE_ALL'],
  ['quotes around texts', READ, 'index=False, quoting=csv.QUOTE_NONNUMERIC'],
  ['tabs', READ, "index=False, sep='\\t'", '.tsv'],
  ['tabs in a file of CSV', READ, "index=False, sep='\\t'"],
  ['gzip', READ, 'index=False', '.csv.gz'],
  ['sorted rows', `${READ}.sort_values('titles[0].title', ascending=False)`, ''],
  ['columns in another order', `${READ}.sort_index(axis=1)`, 'index=False'],
  ['the DOI as the index', `${READ}.set_index('doi')`, ''],
  ['years as Int64', `${READ}.astype({'publicationYear': 'Int64'})`, 'index=False'],
  ['years as float', `${READ}.astype({'publicationYear': float})`, 'index=False'],
  ['convert_dtypes()', `${READ}.convert_dtypes()`, 'index=False'],
  ['astype(str)', `${READ}.astype(str)`, 'index=False'],
  ["fillna('')", `${READ}.astype(object).fillna('')`, 'index=False'],
  ['NA for empty cells', READ, "index=False, na_rep='NA'"],
  ['fractions of two digits', READ, "index=False, float_format='%.2f'"],
  ['times that are parsed', 'pd.read_csv(source, parse_dates=["created", "updated"])', ''],
];

/** What is refused, with the message. */
const REFUSED: readonly (readonly [...Habit, RegExp])[] = [
  ['a column more', `${READ}.assign(note='?')`, '', '.csv', /column \\"note\\".*--map 'note=/],
  [
    'an index that was read as a column',
    `${READ}.reset_index(names='Unnamed: 0')`,
    'index=False',
    '.csv',
    /column \\"Unnamed: 0\\".*--map 'Unnamed: 0=/,
  ],
  ['Latin-1', READ, "encoding='latin-1'", '.csv', /row 2: titles\[0\]\.title is not UTF-8/],
  ['quotes with a backslash', READ, "doublequote=False, escapechar='\\\\'", '.csv', /a quote in/],
];

/** Values that programs like to change, in columns with and without empty cells. */
const ODD: readonly Attributes[] = [
  { titles: [{ title: 'NA' }], version: '2', language: 'nan' },
  { titles: [{ title: 'None' }], subjects: [{ subject: '2020' }, { subject: 'n/a' }] },
  { titles: [{ title: '"Deep lakes"' }], descriptions: [described('a; b,\tc\nd "e"')] },
  { fundingReferences: [{ funderName: 'NSF', awardNumber: '154543' }], version: undefined },
  { fundingReferences: [{ funderName: 'NSF', awardNumber: '007' }], language: 'no' },
  { geoLocations: [{ geoLocationPoint: { pointLongitude: 25, pointLatitude: -7.5 } }] },
  { version: undefined, formats: ['=1+1'], sizes: ['1e5'] },
  { creators: [{ name: 'Null, Inf', familyName: 'Null', givenName: 'Inf' }], sizes: ['1 000'] },
];

function described(description: string) {
  return { description, descriptionType: 'Abstract' };
}

describe.skipIf(lacks('pandas'))('an export that pandas reads and writes', () => {
  const folder = sharedDirectory();
  const habits = [...HABITS, ...REFUSED];
  let editing: Editing;
  let dois: readonly string[] = [];
  const fileOf = (title: string, isEdited = false): string => {
    const at = habits.findIndex(([name]) => name === title);
    return join(folder, `${isEdited ? 'edited' : 'plain'}-${at}${habits[at]?.[3] ?? '.csv'}`);
  };
  const titleOf = (place: number) => `Ökologie ${place}`;

  beforeAll(async () => {
    editing = await Editing.start(afterAll);
    // Each habit has a record that it edits.
    const records = habits.map((_, place) => ({ ...LAKE, titles: [{ title: titleOf(place) }] }));
    dois = await editing.create(...records, ...ODD.map((odd) => ({ ...LAKE, ...odd })));
    await editing.later();
    const source = join(folder, 'mine.csv');
    const list = ['dois', 'list', '--all', '--mine', '--out', source];
    const { code, stderr } = await editing.emulator.run(list);
    expect(code, stderr).toBe(0);
    const lines = habits.flatMap(([title, table, writing], place) => {
      const to = (path: string) => [JSON.stringify(path), writing].filter(Boolean).join(', ');
      const [old, now] = [titleOf(place), `Edit ${place}`].map((text) => JSON.stringify(text));
      return [
        `table = ${table}`,
        `table.to_csv(${to(fileOf(title))})`,
        `table['titles[0].title'] = table['titles[0].title'].replace(${old}, ${now})`,
        `table.to_csv(${to(fileOf(title, true))})`,
      ];
    });
    const script = ['import csv, pandas as pd', `source = ${JSON.stringify(source)}`, ...lines];
    execFileSync('python3', ['-'], { input: script.join('\n'), stdio: ['pipe', 'pipe', 'pipe'] });
  });

  it.each(HABITS.map(([title]) => title))('with %s has no edits', async (title) => {
    const { code, outcomes, stderr } = await editing.update(fileOf(title), '--dry-run');
    expect([code, outcomes], stderr).toEqual([0, dois.map(() => 'unchanged')]);
  });

  it.each(HABITS.map(([title]) => title))(
    'with %s, and one edit, sends it and nothing else',
    async (title) => {
      const place = HABITS.findIndex(([name]) => name === title);
      const { code, puts, stderr } = await editing.update(fileOf(title, true));
      expect(code, stderr).toBe(0);
      expect(puts).toEqual([{ doi: dois[place], titles: [{ title: `Edit ${place}` }] }]);
    },
  );

  it.each(REFUSED.map(([title, , , , message]) => [title, message] as const))(
    'with %s is refused',
    async (title, message) => {
      const { code, puts, stderr } = await editing.update(fileOf(title, true));
      expect([code, puts, stderr]).toEqual([2, [], message]);
    },
  );

  it.each(['note', 'Unnamed: 0'])('with a column %s that --map leaves out', async (head) => {
    const title = REFUSED[head === 'note' ? 0 : 1]?.[0] ?? '';
    const { code, outcomes, stderr } = await editing.update(
      fileOf(title),
      '--map',
      `${head}=`,
      '--dry-run',
    );
    expect([code, outcomes], stderr).toEqual([0, dois.map(() => 'unchanged')]);
  });
});
