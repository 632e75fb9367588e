import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { delimitedLine } from '../../../../src/formats/output/csv.ts';
import { emulate, PASSWORD, REPOSITORY, type TestEmulator } from '../../../helpers/emulator.ts';
import { COMPLETE_RECORD } from '../../../helpers/records.ts';
import { run } from '../../../helpers/run.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

const OTHER = { DOI_CLI_REPOSITORY: 'DEMO.OTHER', DOI_CLI_PASSWORD: 'other' };
const VALIDATE = ['dois', 'validate'];
const FAULTS = {
  kind: { titles: [{ title: 'A', titleType: 'Sub' }] },
  orcid: {
    creators: [1, 2].map((number) => ({
      name: `Doe, Jane ${number}`,
      nameIdentifiers: [
        {
          nameIdentifier: `https://orcid.org/0000-0002-1825-009${number}`,
          nameIdentifierScheme: 'ORCID',
        },
      ],
    })),
  },
  page: { url: undefined },
  date: { dates: [{ date: 'soon', dateType: 'Issued' }] },
};

type Row = Record<string, string>;
const rowsIn = (text: string, delimiter = ','): Row[] =>
  parse(text, { columns: true, delimiter }) as Row[];
const recordOf = (doi: string, fault: keyof typeof FAULTS | undefined) => ({
  ...COMPLETE_RECORD,
  doi: `10.5072/${doi}`,
  ...(fault && FAULTS[fault]),
});

async function stored(
  faults: readonly (keyof typeof FAULTS | undefined)[],
  options: Parameters<typeof emulate>[0] = {},
): Promise<TestEmulator> {
  const accounts = [
    { id: REPOSITORY, password: PASSWORD },
    { id: 'DEMO.OTHER', password: 'other' },
  ];
  const emulator = await emulate({ records: 0, accounts, ...options });
  const create = async (records: readonly object[], env = {}) => {
    const stdin = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    const argv = ['dois', 'create', '--file', '-', '--no-validate'];
    const { code, stderr } = await emulator.run(argv, { stdin, env });
    expect(code, stderr).toBe(0);
  };
  await create(faults.map((fault, place) => recordOf(String(place).padStart(3, '0'), fault)));
  // A Draft of a colleague, who has an account of their own.
  await create([recordOf('other', 'kind')], OTHER);
  return emulator;
}

const sheet = (name = 'fix.csv') => join(temporaryDirectory(), name);

describe('dois validate of stored records', () => {
  it('counts the records of each kind of finding, most first', async () => {
    const emulator = await stored(['kind', undefined, 'date', 'orcid', 'kind', 'kind']);
    const all = await emulator.run([...VALIDATE, '--mine', '--state', 'findable']);
    expect(all.code).toBe(1);
    const [, ...lines] = all.stdout.trimEnd().split('\n');
    const table = lines.map((line) => line.trim().split(/ {2,}/));
    expect(table).toEqual([
      ['3', 'error', 'titles[].titleType', 'is not in the controlled list'],
      ['1', 'warning', 'dates[].date', expect.stringMatching(/^is not a date such as/)],
      // Two persons of one record.
      [
        '1',
        'warning',
        'creators[].nameIdentifiers[].nameIdentifier',
        expect.stringMatching(/^is not an ORCID iD: .* would be "…",/),
      ],
    ]);
    expect(all.stderr).toBe('demo.repo: 3 errors, 3 warnings in 6 records\n');
    const drafts = await emulator.run([...VALIDATE, '--mine']);
    expect(drafts).toMatchObject({
      code: 0,
      stderr: 'demo.repo: 0 errors, 6 warnings in 6 records\n',
    });
    expect(await emulator.run([...VALIDATE, '--mine', '--strict'])).toMatchObject({ code: 1 });
  });

  it.each([
    [
      'ndjson',
      (text: string) =>
        text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
    ],
    ['json', (text: string) => JSON.parse(text)],
  ])('prints an object for each record as %s', async (format, read) => {
    const emulator = await stored(['kind', undefined]);
    const argv = [...VALIDATE, '--mine', '--event', 'publish', '--format', format];
    const { code, stdout } = await emulator.run(argv);
    expect([code, read(stdout)]).toMatchObject([
      1,
      [
        { line: 1, doi: '10.5072/000', state: 'findable', valid: false, findings: [{ line: 1 }] },
        { line: 2, doi: '10.5072/001', state: 'findable', valid: true, findings: [] },
      ],
    ]);
    const none = await emulator.run([
      ...VALIDATE,
      '--where',
      'state=registered',
      '--format',
      format,
    ]);
    expect(none).toMatchObject({
      code: 0,
      stdout: format === 'json' ? '[]\n' : '',
      stderr: 'no DOI of demo.repo matches\n',
    });
  });

  it('fits its table into a terminal', async () => {
    const emulator = await stored(['kind', 'orcid']);
    const terminal = { stdin: true, stdout: true, stderr: true, columns: 80 };
    const { stdout } = await emulator.run([...VALIDATE, '--mine'], { terminal });
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).toMatch(/creators\[\]\.nameIdentifiers/);
    expect(stdout.replace(/\s+/g, ' ')).toContain('is not in the controlled list');
  });

  it('takes the filters of an update', async () => {
    const emulator = await stored(['kind', 'date', undefined]);
    const publish = ['dois', 'publish', '10.5072/002', '--yes'];
    expect(await emulator.run(publish)).toMatchObject({ code: 0 });
    const where = async (...filters: readonly string[]) => {
      const options = filters.flatMap((filter) => ['--where', filter]);
      const { code, stderr } = await emulator.run([...VALIDATE, ...options]);
      return [code, stderr];
    };
    expect(await where('state=findable')).toEqual([0, 'demo.repo: the record is valid\n']);
    const two = [0, 'demo.repo: 0 errors, 2 warnings in 2 records\n'];
    expect(await where('state=draft', 'created=1d..')).toEqual(two);
    expect(await where('client-id=demo.other')).toEqual([2, expect.stringContaining('demo.other')]);
    expect(await where('stat=draft')).toEqual([
      2,
      expect.stringContaining("'stat' is not a filter"),
    ]);
    const mine = [...VALIDATE, '--mine', '--where', 'state=draft'];
    expect(await emulator.run(mine)).toMatchObject({ code: 0, stderr: two[1] });
  });

  it('repairs records through a sheet of those with findings', async () => {
    const kinds = ['kind', 'page', 'date'] as const;
    // Each fault ten times among 80 records.
    const faults = Array.from({ length: 80 }, (_, place) =>
      place < 60 && place % 2 === 1 ? kinds[place % 3] : undefined,
    );
    const emulator = await stored(faults);
    const out = sheet();
    const check = [...VALIDATE, '--where', 'state=draft', '--event', 'publish', '--out', out];
    const first = await emulator.run(check);
    expect(first.code).toBe(1);
    expect(first.stdout).toMatch(/^10 +error +url +is missing/m);
    expect(first.stderr).toBe(
      'demo.repo: 20 errors, 10 warnings in 80 records\n' +
        `${out}: 30 records to edit; then doi-cli dois update --file ${out}\n`,
    );
    const rows = rowsIn(readFileSync(out, 'utf8'));
    expect(rows).toHaveLength(30);
    expect(Object.keys(rows[0] ?? {}).slice(-2)).toEqual(['exported', 'findings']);
    const repaired = rows.map((row): Row => {
      if (row['findings']?.startsWith('error: titles[0].titleType: "Sub" is not in the controlled'))
        return { ...row, 'titles[0].titleType': 'Subtitle' };
      if (row['findings']?.startsWith('error: url: is missing'))
        return { ...row, url: 'https://example.org/found' };
      expect(row['findings']).toMatch(/^warning: dates\[0\]\.date: "soon" is not a date/);
      return { ...row, 'dates[0].date': '2026-05-04' };
    });
    const lines = [Object.keys(rows[0] ?? {}), ...repaired.map(Object.values)];
    writeFileSync(out, lines.map((cells) => delimitedLine(cells as string[], ',')).join(''));
    const before = (await emulator.log()).filter(({ method }) => method === 'PUT').length;
    const checked = await emulator.run([...VALIDATE, '--file', out, '--event', 'publish']);
    expect(checked).toMatchObject({ code: 0, stderr: /: all 30 records are valid\n/ });
    const update = await emulator.run(['dois', 'update', '--file', out]);
    expect(update).toMatchObject({ code: 0, stderr: /^30 records in .*: 30 updated\n$/ });
    const puts = (await emulator.log()).filter(({ method }) => method === 'PUT').length;
    expect(puts - before).toBe(30);
    const second = await emulator.run(check);
    expect(second).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'demo.repo: all 80 records are valid\n',
    });
    expect(rowsIn(readFileSync(out, 'utf8'))).toEqual([]);
  });

  it('leaves out the column of findings when it reads a sheet', async () => {
    const emulator = await stored(['kind', 'orcid']);
    const out = sheet();
    expect(await emulator.run([...VALIDATE, '--mine', '--out', out])).toMatchObject({ code: 0 });
    const edited = readFileSync(out, 'utf8').replaceAll('warning: ', 'dealt with: ');
    writeFileSync(out, edited);
    const update = await emulator.run(['dois', 'update', '--file', out]);
    expect(update).toMatchObject({ code: 0, stderr: /2 unchanged/ });
    const orcids = rowsIn(edited).map(({ findings = '' }) => findings.split('; dealt with: '));
    expect(orcids[1]).toEqual([
      expect.stringMatching(/^dealt with: creators\[0\]\.orcid: /),
      expect.stringMatching(/^creators\[1\]\.orcid: /),
    ]);
    const publish = await emulator.run(['dois', 'publish', '--file', out, '--dry-run']);
    expect(publish.stdout.match(/10\.5072\/00[01]/g)).toHaveLength(2);
    const copies = edited.replace(/^10\.5072\/0/gm, '10.5072/copy-0');
    const copied = await emulator.run(['dois', 'create', '--file', '-'], { stdin: copies });
    expect(copied.stderr).toMatch(/: 2 created\n$/);
    // A table made by hand stays one: its cells are compared with the stored record.
    const own = 'doi,language,findings\n10.5072/000,de,mine\n';
    const made = await emulator.run(['dois', 'update', '--file', '-'], { stdin: own });
    expect(made).toMatchObject({ code: 0, stderr: /does not say what was exported.*1 updated/s });
    const created = 'doi,titles[0].title,findings\n10.5072/new,New,none\n';
    const create = await emulator.run(['dois', 'create', '--file', '-'], { stdin: created });
    expect(create).toMatchObject({ code: 0, stdout: expect.not.stringContaining('findings') });
  });

  it('does not overwrite what a colleague has changed since', async () => {
    const emulator = await stored(['kind']);
    const out = sheet();
    await emulator.run([...VALIDATE, '--mine', '--out', out]);
    const set = ['dois', 'update', '10.5072/000', '--set', 'titles[0].titleType=Other'];
    expect(await emulator.run(set)).toMatchObject({ code: 0 });
    writeFileSync(out, readFileSync(out, 'utf8').replace(',Sub,', ',Subtitle,'));
    const update = await emulator.run(['dois', 'update', '--file', out]);
    expect(update.code).toBe(1);
    expect(JSON.parse(update.stdout)).toMatchObject({ errors: [{ conflict: {} }] });
  });

  it.each([
    ['fix.tsv', '\t', (bytes: Buffer) => bytes],
    ['fix.csv.gz', ',', gunzipSync],
    ['fix', ',', (bytes: Buffer) => bytes],
  ])('writes %s', async (name, delimiter, unpacked) => {
    const emulator = await stored([undefined, 'kind']);
    const out = sheet(name);
    const argv = [...VALIDATE, '--mine', '--out', out, '--format', 'ndjson'];
    const { stdout } = await emulator.run(argv);
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
    const rows = rowsIn(unpacked(readFileSync(out)).toString(), delimiter);
    expect(rows.map(({ doi }) => doi)).toEqual(['10.5072/001']);
  });

  it.each([
    [[], /name either a file, or stored records .*\nhint: doi-cli dois validate --mine/],
    [['--mine', '--file', 'x.json'], /name either a file.*\nhint: doi-cli dois validate --mine/],
    [['--where', 'state=draft', '--file', 'x.json'], /name either a file/],
    [['--file', 'x.json', '--out', 'fix.csv'], /\nhint: doi-cli dois validate --mine --out fix/],
    [['--out', 'fix.csv'], /name either a file/],
    [['--mine', '--out', 'fix.ndjson'], /no format has the ending \.ndjson/],
    [['--mine', '--map', 'Title=titles[0].title'], /--mine.*--map/],
    [['--where', 'state'], /--where state/],
  ])('refuses %j before any request', async (more, message) => {
    const emulator = await emulate({ records: 0 });
    expect(await emulator.run([...VALIDATE, ...more])).toMatchObject({ code: 2, stderr: message });
    expect(await emulator.log()).toEqual([]);
  });

  it('needs credentials', async () => {
    const { anonymous } = await emulate({ records: 0 });
    expect(await anonymous([...VALIDATE, '--mine'])).toMatchObject({ code: 4 });
    expect(await run([...VALIDATE, '--mine', '--anonymous'])).toMatchObject({ code: 2 });
  });

  it('ends with an error, and without a file, where the list breaks off', async () => {
    const emulator = await stored(['kind', 'date', undefined]);
    const out = sheet();
    await emulator.control('faults', { faults: ['lose'] });
    const { code, stdout, stderr } = await emulator.run([...VALIDATE, '--mine', '--out', out]);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain(`; nothing was written to ${out}\n`);
    expect(stderr).not.toContain('nothing was changed');
    expect(existsSync(out)).toBe(false);
  });
});
