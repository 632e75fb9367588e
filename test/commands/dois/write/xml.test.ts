import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { checkRecord } from '../../../../src/metadata/check.ts';
import { emulate } from '../../../helpers/emulator.ts';
import { lacks } from '../../../helpers/platform.ts';
import { run } from '../../../helpers/run.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

const FILE = 'test/fixtures/xml/repository.xml';
const XML = readFileSync(FILE, 'utf8');
const SOFTWARE = 'test/fixtures/xml/software';
const DOI = '10.5072/from-xml';
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const create = [
  ...['dois', 'create', '--file', FILE],
  ...['--url', 'https://example.org/1', '--event', 'publish'],
];

describe('DataCite XML in a file (service.md, S9)', () => {
  it('is created as it is, with the attributes that the service reads from it', async () => {
    const emulator = await emulate();
    const { code, stdout, stderr } = await emulator.run(create);
    expect(code, stderr).toBe(0);
    const { id, attributes } = JSON.parse(stdout);
    expect(id).toBe(DOI);
    expect(attributes).toMatchObject({
      state: 'findable',
      url: 'https://example.org/1',
      titles: [{ title: 'Cracks &amp; glazes', lang: 'en' }, { title: 'Measured twice' }],
      creators: [{ familyName: 'Carberry' }, { nameType: 'Organizational' }],
    });
    expect(Buffer.from(attributes.xml, 'base64').toString()).toContain('A Group of Potters');
  });

  it('has fewer items in the record than in the file: a warning says so (service.md, S12)', async () => {
    const emulator = await emulate();
    const date = (text: string) => `<date dateType="Collected">${text}</date>`;
    const dates = ['2021-06-01T08:30Z', '2020/2021', '2020-05/', ' ', '2020/2021']
      .map(date)
      .join('');
    const two = '<subjects><subject>sea</subject><subject>sea</subject></subjects>';
    const xml = XML.replace(/<dates>.*<\/dates>/s, '')
      .replace(/<subjects>.*<\/subjects>/s, '')
      .replace('</resource>', `<dates>${dates}</dates>${two}</resource>`);
    // A ledger goes next to the folder.
    const folder = join(temporaryDirectory(), 'records');
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.xml'), xml);
    const text = 'warning: dates: the service kept 2 of 4 dates\n';
    const one = ['dois', 'create', '--file', join(folder, 'a.xml')];
    const { code, stderr } = await emulator.run(one);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`a.xml: ${text}`)]);
    expect(stderr).not.toContain('subjects');
    const update = ['dois', 'update', '--file', folder];
    writeFileSync(join(folder, 'a.xml'), xml.replace('Measured twice', 'Measured once'));
    const { stdout, ...updated } = await emulator.run(update);
    expect([updated.code, updated.stderr]).toEqual([0, expect.stringContaining(text)]);
    expect(linesOf(stdout)).toMatchObject([
      {
        outcome: 'updated',
        errors: [],
        dropped: [{ path: 'dates', message: 'the service kept 2 of 4 dates' }],
      },
    ]);
    // JSON is not read as XML is.
    const json = JSON.stringify({ dates: [{ date: '2020-05/', dateType: 'Collected' }] });
    const kept = await emulator.run(['dois', 'update', DOI, '--file', '-'], { stdin: json });
    expect([kept.code, kept.stderr]).toEqual([0, expect.not.stringContaining('kept')]);
  });

  it('that updates a record is always sent, and shows what it has changed', async () => {
    const emulator = await emulate();
    await emulator.run(create);
    const got = await emulator.run(['dois', 'get', DOI, '--format', 'datacite-xml']);
    const stdin = got.stdout.replace('Measured twice', 'Measured once');
    const update = ['dois', 'update', '--file', '-'];
    const dry = await emulator.run([...update, '--dry-run', '--format', 'text'], { stdin });
    expect([dry.code, dry.stdout]).toEqual([0, '+ xml: "replaces all metadata"\n']);
    const sent = await emulator.run(update, { stdin });
    expect(sent.code, sent.stderr).toBe(0);
    const { attributes } = JSON.parse(sent.stdout);
    expect(attributes.titles).toMatchObject([{}, { title: 'Measured once' }]);
    await emulator.run(update, { stdin });
    const requests = await emulator.log();
    expect(requests.filter(({ method }) => method === 'PUT')).toHaveLength(2);
  });

  it('that updates records of a folder shows the changes in a table', async () => {
    const emulator = await emulate();
    await emulator.run(create);
    const folder = temporaryDirectory();
    mkdirSync(join(folder, 'records'));
    writeFileSync(
      join(folder, 'records', 'a.xml'),
      XML.replace('Measured twice', 'Measured once').replace(/<subjects>.*<.subjects>/s, ''),
    );
    const argv = ['dois', 'update', '--file', join(folder, 'records')];
    const options = { terminal: { stdout: true, columns: 120 } };
    const { code, stdout, stderr } = await emulator.run(argv, options);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/titles\[1\]\.title +"?Measured twice"? +"?Measured once/);
    expect(stdout).toMatch(/subjects/);
    expect(stdout).not.toMatch(/creators|dates|replaces/);
    // The ledger knows that it is done.
    const again = await emulator.run(argv);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('1 done before')]);
  });

  it.each([
    [
      'an element that is not known',
      XML.replace('<sizes>', '<nonsuch/><sizes>'),
      'resource/nonsuch',
      42,
    ],
    [
      'an attribute that is not known',
      XML.replace(' xml:lang="en"', ' lang="en"'),
      'titles/title[1]/@lang',
      18,
    ],
    [
      'an element of no namespace',
      XML.replace('<version>', '<version xmlns="">'),
      'resource/version',
      45,
    ],
    [
      'an address that is none',
      XML.replace('rightsURI="https', 'rightsURI="1'),
      'rights[1]/@rightsURI',
      47,
    ],
    ['a lacking element', XML.replace(/<publisher>.*<\/publisher>/, ''), 'resource', 3],
    ['an empty element', XML.replace('>A Repository<', '><'), 'resource/publisher', 21],
    [
      'a lacking attribute',
      XML.replace(' contributorType="ContactPerson"', ''),
      'contributor[1]/@contributorType',
      28,
    ],
    [
      'elements in another order',
      XML.replace(/(<givenName>.*<\/givenName>)\s*(<familyName>.*<\/familyName>)/, '$2$1'),
      'creator[1]/givenName',
      8,
    ],
    [
      'two of one',
      XML.replace('<version>', '<version>1</version><version>'),
      'resource/version',
      45,
    ],
    ['a value that is in no list', XML.replace('"Subtitle"', '"subtitle"'), 'titles/title[2]', 19],
    ['a place off the earth', XML.replace('>41.8<', '>141.8<'), 'pointLatitude', 57],
  ])('with %s is an error with its place, before any request', async (_, text, path, line) => {
    const { code, stdout } = await run(
      ['dois', 'validate', '--file', '-', '--event', 'publish', '--format', 'json'],
      {
        stdin: text.replace('</resource>', '</resource>\n'),
      },
    );
    expect(code).toBe(1);
    const [{ findings }] = JSON.parse(stdout);
    const errors = findings.filter(
      ({ severity, path: at }: Record<string, string>) => severity === 'error' && at !== 'url',
    );
    expect(errors).toEqual([
      expect.objectContaining({ path: expect.stringContaining(path), line }),
    ]);
  });

  it.each(readdirSync(SOFTWARE))('of software (%s) is created without a word', async (name) => {
    const emulator = await emulate();
    const argv = [...create.slice(0, 3), join(SOFTWARE, name), ...create.slice(4)];
    const { code, stdout, stderr } = await emulator.run(argv);
    expect([code, stderr.replace(/^.*warning: resource\/creators\/.*\n/gm, '')]).toEqual([0, '']);
    expect(JSON.parse(stdout).attributes).toMatchObject({
      state: 'findable',
      titles: [{ title: expect.stringMatching(/^Depth/) }],
    });
  });

  it('of an older kernel is refused, with the version that the service takes', async () => {
    const stdin = XML.replaceAll('kernel-4', 'kernel-3');
    const { code, stderr } = await run(
      [...create.slice(0, 3), '-', ...create.slice(4), '--dry-run'],
      {
        stdin,
      },
    );
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/kernel-3, which the service no longer supports.*kernel-4\?/),
    ]);
  });

  it('with a wrong structure is a warning for a Draft, which may hold any XML', () => {
    const xml = Buffer.from(XML.replace('<sizes>', '<nonsuch/><sizes>')).toString('base64');
    expect(checkRecord({ doi: DOI, xml }, 'draft')).toEqual([
      expect.objectContaining({ severity: 'warning', path: 'resource/nonsuch' }),
    ]);
  });

  it('without a known type of contributor is refused as a Draft, too, but not in a related item', () => {
    const item = (type: string) =>
      `<relatedItems><relatedItem relatedItemType="Book" relationType="Cites"><titles><title>A</title></titles><contributors>
        <contributor${type}><contributorName>B</contributorName></contributor></contributors></relatedItem></relatedItems>`;
    const kinds = ['', ' contributorType="Nobody"'].flatMap((type) => [
      XML.replace(' contributorType="ContactPerson"', type),
      XML.replace('<sizes>', `${item(type)}<sizes>`),
    ]);
    const severities = kinds.map((text) => {
      const xml = Buffer.from(text).toString('base64');
      return checkRecord({ doi: DOI, xml }, 'draft').map(({ severity }) => severity);
    });
    expect(severities).toEqual([['error'], ['warning'], ['error'], ['warning']]);
  });

  it.each([
    ['is not well-formed', XML.replace('</titles>', ''), /stdin:\d+:\d+: .*not well-formed XML/],
    [
      'is of another schema',
      '<record xmlns="http://www.openarchives.org/OAI/2.0/"/>',
      /not of the DataCite Metadata Schema/,
    ],
    [
      'is nested too deeply',
      `${XML.split('<identifier')[0]}${'<a>'.repeat(200_000)}`,
      /well-formed/,
    ],
    ['is in another encoding', XML.replace('UTF-8', 'ISO-8859-1'), /iconv -f ISO-8859-1/],
    [
      'refers to an entity of another file',
      XML.replace('<resource', '<!DOCTYPE resource [<!ENTITY a SYSTEM "b">]><resource').replace(
        '&amp;',
        '&a;',
      ),
      /refers to entities .*: replace them, as with xmllint --noent/,
    ],
  ])('that %s is refused', async (_, stdin, message) => {
    const { code, stderr, stdout } = await run(['dois', 'create', '--file', '-', '--dry-run'], {
      stdin,
    });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it('takes a DOI from the service where it names a placeholder', async () => {
    const emulator = await emulate();
    const stdin = XML.replace('10.5072/FROM-XML', ':tba');
    const { code, stdout, stderr } = await emulator.run(
      ['dois', 'create', '--file', '-', '--prefix', '10.5072', '--url', 'https://doi.org/{doi}'],
      { stdin },
    );
    expect(code, stderr).toBe(0);
    const { id, attributes } = JSON.parse(stdout);
    expect(id).toMatch(/^10\.5072\/./);
    expect(attributes.url).toBe(`https://doi.org/${id}`);
  });

  it('is told apart from JSON, which holds its own url', async () => {
    const file = `${temporaryDirectory()}/record.json`;
    writeFileSync(file, '{"doi":"10.5072/a"}');
    const { code, stderr } = await run([
      'dois',
      'create',
      '--file',
      file,
      '--url',
      'https://example.org/',
      '--dry-run',
    ]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('unless the file is XML')]);
  });
});

describe('a folder of DataCite XML', () => {
  function folderOf(files: Readonly<Record<string, string>>): string {
    const folder = temporaryDirectory();
    mkdirSync(join(folder, 'records'));
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(folder, 'records', name), text);
    return join(folder, 'records');
  }
  const withDoi = (doi: string) => XML.replace('10.5072/FROM-XML', doi);
  const url = 'https://example.org/{suffix}';

  it('is created once, and names the file of each record', async () => {
    const emulator = await emulate();
    const folder = folderOf({
      '10.xml': withDoi('10.5072/TEN'),
      '9.xml': withDoi('10.5072/NINE'),
      'bad.xml': withDoi('10.5072/BAD').replace('<sizes>', '<nonsuch/><sizes>'),
      'notes.txt': 'no record',
    });
    const argv = ['dois', 'create', '--file', folder, '--url', url, '--event', 'publish'];
    const { code, stdout, stderr } = await emulator.run(argv);
    expect(code, stderr).toBe(1);
    expect(linesOf(stdout)).toMatchObject([
      { file: join(folder, '9.xml'), doi: '10.5072/nine', outcome: 'created', state: 'findable' },
      { file: join(folder, '10.xml'), doi: '10.5072/ten', outcome: 'created' },
      {
        file: join(folder, 'bad.xml'),
        outcome: 'failed',
        errors: [{ path: 'resource/nonsuch', line: 42 }],
      },
    ]);
    expect(stderr).toContain(`${join(folder, 'bad.xml')}:42: error: resource/nonsuch: `);
    const { attributes } = JSON.parse((await emulator.run(['dois', 'get', '10.5072/nine'])).stdout);
    expect(attributes.url).toBe('https://example.org/NINE');
    writeFileSync(join(folder, 'bad.xml'), withDoi('10.5072/BAD'));
    const again = await emulator.run([...argv, '--out', join(folder, 'results.csv')]);
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).toContain('1 created, 2 done before');
    expect(readFileSync(join(folder, 'results.csv'), 'utf8')).toMatch(
      /^file,doi,.*\n9\.xml,10\.5072\/nine,/,
    );
  });

  it('names other files that look like records, and takes only regular files', async () => {
    const folder = folderOf({ 'a.xml': XML, 'b.xml.txt': XML, '.c.xml': XML, 'notes.md': '' });
    mkdirSync(join(folder, '2024'));
    writeFileSync(join(folder, '2024', 'd.xml'), XML);
    const { stderr } = await run(['dois', 'validate', '--file', folder]);
    expect(stderr).toContain(
      `${folder}: not read: 2024${sep}, b.xml.txt; to include them, let names of XML end ` +
        'in .xml, and name files and folders with --file\n',
    );
    mkdirSync(join(folder, 'e.xml'));
    expect(await run(['dois', 'validate', '--file', folder])).toMatchObject({ code: 0 });
  });

  it.skipIf(lacks('posixShell'))('refuses a FIFO, and takes a name with a line break', async () => {
    const folder = folderOf({ 'a\nb.xml': XML });
    expect((await run(['dois', 'validate', '--file', folder])).stderr).toContain('record is valid');
    execFileSync('mkfifo', [join(folder, 'c.xml')]);
    const { code, stderr } = await run(['dois', 'validate', '--file', folder]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('c.xml: it is not a regular file')]);
  });

  it.skipIf(lacks('posixShell')).each([
    ['a FIFO', 'it is not a regular file'],
    ['a folder', 'it is a folder'],
    ['nothing', 'no such file'],
  ])('is refused where a file becomes %s while others are read', async (what, reason) => {
    const folder = folderOf({ 'a.xml': XML, 'b.xml': XML });
    const path = join(folder, 'b.xml');
    let written = '';
    const stdout = {
      async write(text: string | Uint8Array) {
        written += text;
        rmSync(path, { force: true });
        if (what === 'a FIFO') execFileSync('mkfifo', [path]);
        if (what === 'a folder') mkdirSync(path);
      },
    };
    const argv = ['dois', 'validate', '--file', folder, '--format', 'ndjson'];
    const { code, stderr } = await run(argv, { stdout });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`cannot read ${path}: ${reason}`)]);
    expect(linesOf(written)).toHaveLength(1);
  });

  it.skipIf(lacks('posixShell'))(
    'may be a pipe, but none of several files, which are read twice',
    async () => {
      const [file, pipe] = [
        join(temporaryDirectory(), 'a.xml'),
        join(temporaryDirectory(), 'b.xml'),
      ];
      writeFileSync(file, XML);
      execFileSync('mkfifo', [pipe]);
      for (const verb of [['create', '--dry-run', '--anonymous'], ['validate']]) {
        const { code, stderr } = await run(['dois', ...verb, '--file', file, '--file', pipe]);
        expect([code, stderr]).toEqual([
          2,
          expect.stringContaining(`cannot read ${pipe}: it is not a regular file`),
        ]);
      }
      const running = run(['dois', 'validate', '--file', pipe]);
      await promisify(execFile)('sh', ['-c', 'cat "$0" > "$1"', FILE, pipe]);
      expect(await running).toMatchObject({ code: 0 });
    },
  );

  it('has no URL, which a record that is not a Draft needs', async () => {
    const folder = folderOf({ 'a.xml': XML });
    const { code, stdout } = await run([
      'dois',
      'validate',
      '--file',
      folder,
      '--event',
      'publish',
    ]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('warning: url: is missing, and XML has none: create it with --url'),
    ]);
  });

  it('without XML is refused', async () => {
    const empty = await run(['dois', 'validate', '--file', temporaryDirectory()]);
    expect([empty.code, empty.stderr]).toEqual([
      2,
      expect.stringContaining('a folder without XML files'),
    ]);
  });
});
