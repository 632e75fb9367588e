import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it } from 'vitest';
import { delimitedLine } from '../../../src/formats/output/csv.ts';
import { type Cell, columnNamed, columnsFor } from '../../../src/formats/spreadsheet/column.ts';
import { readCsv } from '../../../src/formats/spreadsheet/csv-reader.ts';
import { rowChanges } from '../../../src/formats/spreadsheet/row.ts';
import { cellIn } from '../../../src/formats/spreadsheet/value.ts';
import { emulate } from '../../helpers/emulator.ts';
import { lacks } from '../../helpers/platform.ts';
import { sharedDirectory, temporaryDirectory } from '../../helpers/temporary.ts';

/** Texts that spreadsheets like to change. */
const ODD = [
  ...`1.0 1.10 007 1e5 1E+05 9783161484100 12,5 $5 (2024) -0 2024-05-01 2024-05 01.05.2024 5/1/2024
    2024-05-01T10:00:00 12:30 3/4 2.0.1 SEP2 TRUE false null =1+1 -x @a 'quoted ''=x "quoted" a;b a,b
    0000-0002-1825-0097 978-3-16-148410-0 10-11 e Infinity NaN #1 .5 5. 1_000 1'000`.split(/\s+/),
  ...'1 000|50 %|5 €|1 1/2|March 5|March 5, 2024|5 May|5. Mai 2024|May 2020'.split('|'),
  ...['Monday, 5 May 2025', '+49 30', 'a\tb', 'a\nb', 'a\r\nb', ' spaces ', '中文 😀'],
];

const examples = readFileSync('test/fixtures/examples/kernel-4.ndjson', 'utf8')
  .trim()
  .split('\n')
  .map((line) => (JSON.parse(line) as { attributes: Record<string, unknown> }).attributes);

const records = [
  ...examples,
  ...ODD.map((text, index) => ({
    doi: `10.5072/odd-${index}`,
    titles: [{ title: text }],
    version: text,
    subjects: Array.from({ length: 8 }, () => ({ subject: text })),
    dates: [{ date: text, dateType: 'Issued' }],
    creators: [{ name: text, affiliation: [{ name: text }, { name: text }] }],
  })),
];

// Commas, quotes, UTF-8; on the way back, cells as they are shown.
const READ = '44,34,76,1';
const writing = (delimiter: string) => `${delimiter},34,76,1,,0,false,true,false`;
const CSV = 'Text - txt - csv (StarCalc)';
const DTD = 'PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN"';
const MACROS = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE script:module ${DTD} "module.dtd">
<script:module xmlns:script="http://openoffice.org/2000/script" script:name="Module1" script:language="StarBasic">
Function Opened(source As String, filter As String)
  Dim how(2) As New com.sun.star.beans.PropertyValue
  how(0).Name = "Hidden": how(0).Value = True
  If filter &lt;&gt; "" Then
    how(1).Name = "FilterName": how(1).Value = filter
    how(2).Name = "FilterOptions": how(2).Value = "${READ}"
  End If
  Opened = StarDesktop.loadComponentFromURL(source, "_blank", 0, how())
End Function
Sub Save(document, target As String, filter As String, options As String)
  Dim how(1) As New com.sun.star.beans.PropertyValue
  how(0).Name = "FilterName": how(0).Value = filter
  how(1).Name = "FilterOptions": how(1).Value = options
  document.storeToURL(target, how())
  document.close(True)
End Sub
Sub Edit(source As String, edits As String, target As String)
  document = Opened(source, "${CSV}")
  file = FreeFile
  Open edits For Input As #file
  Do While Not EOF(file)
    Line Input #file, one
    parts = Split(one, "|")
    document.Sheets(0).getCellByPosition(CLng(parts(0)), CLng(parts(1))).FormulaLocal = parts(2)
  Loop
  Close #file
  Save(document, target, "${CSV}", "${writing('44')}")
End Sub
Sub Through(folder As String, format As String, filter As String, options As String)
  Save(Opened(folder &amp; "/dois.csv", "${CSV}"), folder &amp; "/dois." &amp; format, filter, "")
  Save(Opened(folder &amp; "/dois." &amp; format, ""), folder &amp; "/" &amp; format &amp; ".csv", "${CSV}", options)
End Sub
Sub RoundTrips(folder As String)
  Through(folder, "xlsx", "Calc MS Excel 2007 XML", "${writing('44')}")
  Through(folder, "ods", "calc8", "${writing('59')}")
End Sub
</script:module>
`;
const XML = '<?xml version="1.0" encoding="UTF-8"?>';
const LIBRARY = 'xmlns:library="http://openoffice.org/2000/library"';
/** A profile with the macros. LibreOffice would replace them if it took the profile for a new one. */
const PROFILE = {
  'registrymodifications.xcu': `${XML}
<oor:items xmlns:oor="http://openoffice.org/2001/registry"><item oor:path="/org.openoffice.Setup/Office">
<prop oor:name="ooSetupInstCompleted" oor:op="fuse"><value>true</value></prop></item></oor:items>`,
  'basic/script.xlc': `${XML}\n<!DOCTYPE library:libraries ${DTD} "libraries.dtd">
<library:libraries ${LIBRARY}><library:library library:name="Standard" library:link="false"/></library:libraries>`,
  'basic/Standard/script.xlb': `${XML}\n<!DOCTYPE library:library ${DTD} "library.dtd">
<library:library ${LIBRARY} library:name="Standard"><library:element library:name="Module1"/></library:library>`,
  'basic/Standard/Module1.xba': MACROS,
};

/** Runs a macro in a new LibreOffice: a start takes several seconds. */
function soffice(folder: string, macro: string, ...args: readonly string[]): void {
  for (const [name, text] of Object.entries(PROFILE)) {
    const path = join(folder, 'profile', 'user', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile'))}`;
  const url = `macro:///Standard.Module1.${macro}(${args.map((arg) => `"${arg}"`).join(',')})`;
  const { status, stderr } = spawnSync('soffice', ['--headless', '--norestore', profile, url], {
    encoding: 'utf8',
    timeout: 300_000,
    env: { ...process.env, HOME: folder, TMPDIR: folder },
  });
  if (status !== 0) throw new Error(`soffice: ${stderr}`);
}

/**
 * An edit of a sheet: the column, from 0, the row of the spreadsheet, from 1, and what is typed.
 */
type Edit = readonly [column: number, row: number, typed: string];

/** Opens a CSV file in LibreOffice, types into some cells, and saves it. */
function typeInto(folder: string, path: string, edits: readonly Edit[]): void {
  const [typed, saved] = [join(folder, 'edits.txt'), join(folder, 'saved.csv')];
  writeFileSync(
    typed,
    `${edits.map(([column, row, text]) => `${column}|${row - 1}|${text}`).join('\n')}\n`,
  );
  soffice(folder, 'Edit', pathToFileURL(path).href, typed, pathToFileURL(saved).href);
  copyFileSync(saved, path);
}

async function cellsOf(bytes: Buffer): Promise<readonly (readonly string[])[]> {
  const rows: (readonly string[])[] = [];
  for await (const { cells } of readCsv(
    Readable.from([bytes]) as AsyncIterable<Buffer>,
    'dois.csv',
  ))
    rows.push(cells);
  return rows;
}

describe.skipIf(lacks('libreOffice'))('a round trip through LibreOffice', () => {
  const folder = sharedDirectory();
  beforeAll(() => {
    const columns = columnsFor(undefined);
    const rows = records.map((record) =>
      delimitedLine(columns.map((column) => cellIn(record, column))),
    );
    writeFileSync(
      join(folder, 'dois.csv'),
      delimitedLine(columns.map(({ name }) => name)) + rows.join(''),
    );
    soffice(folder, 'RoundTrips', pathToFileURL(folder).href);
  });

  it.each([
    ['xlsx', []],
    // It drops a tab.
    ['ods', ['a\tb']],
  ])('as %s changes nothing', async (format, doubtful) => {
    const bytes = readFileSync(join(folder, `${format}.csv`));
    const [heads = [], ...read] = await cellsOf(bytes);
    expect(read).toHaveLength(records.length);
    const warned: unknown[] = [];
    for (const [index, cells] of read.entries()) {
      const own = heads.flatMap((head, at): Cell[] => {
        const column = columnNamed(head);
        return column === undefined ? [] : [{ column, cell: cells[at] ?? '' }];
      });
      const { attributes, findings } = rowChanges(own, records[index], { isExport: true });
      expect(attributes).toEqual({});
      for (const { severity, message } of findings) {
        expect([severity, message]).toEqual(['warning', /lacks control characters/]);
      }
      if (findings.length > 0) warned.push(records[index]?.['version']);
    }
    expect(warned).toEqual(doubtful);
  });
});

type Row = Record<string, string>;
const ROWS = 60;
const EDITED = ['titles[0].title', 'subjects[0].subject', 'url'];

describe.skipIf(lacks('libreOffice'))('a librarian with LibreOffice', () => {
  it('edits 30 records, and 30 again in the same file', async () => {
    const emulator = await emulate({ records: 6000 });
    const folder = temporaryDirectory();
    const path = join(folder, 'mine.csv');
    const exported = async (to: string): Promise<Map<string, Row>> => {
      const { code, stderr } = await emulator.run(['dois', 'list', '--all', '--mine', '--out', to]);
      expect(code, stderr).toBe(0);
      const rows: Row[] = parse(readFileSync(to), { columns: true });
      return new Map(rows.map(({ updated: _, exported: __, ...row }) => [row['doi'] ?? '', row]));
    };
    let before = await exported(path);
    expect(before.size).toBeGreaterThan(ROWS);
    const heads = Object.keys([...before.values()][0] ?? {});
    const findable = [...before.values()].flatMap(({ state }, index) =>
      state === 'findable' ? [index] : [],
    );
    for (const round of [1, 2]) {
      // Ten records are edited in both rounds.
      const places = findable.slice((round - 1) * 20, (round - 1) * 20 + 30);
      const edits = places.map((place, index): Edit => {
        const name = EDITED[index % EDITED.length] ?? '';
        const text =
          name === 'url' ? `https://example.org/${round}/${index}` : `Edit ${round}: ${index}`;
        return [heads.indexOf(name), place + 2, text];
      });
      typeInto(folder, path, edits);
      const sent = (await emulator.log()).length;
      const { code, stdout, stderr } = await emulator.run(['dois', 'update', '--file', path]);
      expect(code, stderr).toBe(0);
      const requests = (await emulator.log()).slice(sent);
      expect(requests.filter(({ method }) => method === 'PUT')).toHaveLength(edits.length);
      expect(requests.length).toBeLessThanOrEqual(3 + 30 + 30);
      const outcomes = stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as Row)['outcome']);
      // The results of a run that is continued include those of earlier runs.
      expect(outcomes.filter((one) => one === 'updated')).toHaveLength(round === 1 ? 30 : 50);
      expect(outcomes.filter((one) => one === 'unchanged')).toHaveLength(
        before.size - (round === 1 ? 30 : 50),
      );
      const wanted = [...before.values()].map((row) => ({ ...row }));
      for (const [column, row, text] of edits)
        Object.assign(wanted[row - 2] ?? {}, { [heads[column] ?? '']: text });
      const after = await exported(join(folder, `after-${round}.csv`));
      const differ = wanted.filter(
        (row) => JSON.stringify(row) !== JSON.stringify(after.get(row['doi'] ?? '')),
      );
      expect(differ).toEqual([]);
      before = after;
    }
  });
});
