import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shellWord } from '../../../../src/text/shell-word.ts';
import { emulate, type TestEmulator } from '../../../helpers/emulator.ts';
import { run as runBare } from '../../../helpers/run.ts';
import { answer, reset, serve } from '../../../helpers/server.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

const RECORD = {
  titles: [{ title: 'A test' }],
  creators: [
    {
      name: 'Doe, Jane',
      affiliation: [
        {
          name: 'A',
          affiliationIdentifier: 'https://ror.org/04wxnsj81',
          affiliationIdentifierScheme: 'ROR',
        },
      ],
    },
  ],
  publisher: {
    name: 'Demo',
    publisherIdentifier: 'https://ror.org/04wxnsj81',
    publisherIdentifierScheme: 'ROR',
  },
  publicationYear: 2026,
  types: { resourceTypeGeneral: 'Dataset' },
  url: 'https://example.org/1',
};

/** Creates a record with a DOI. */
async function make({ run }: TestEmulator, doi: string, more: object = {}): Promise<void> {
  const stdin = JSON.stringify({ doi, ...RECORD, ...more });
  const { code, stderr } = await run(['dois', 'create', '--file', '-'], { stdin });
  expect(code, stderr).toBe(0);
}
const OBJECTS = '?affiliation=true&publisher=true';
/** The attributes of a record; without a query, its affiliations and its publisher are names. */
const attributesOf = async ({ baseUrl, env }: TestEmulator, doi: string, query = OBJECTS) => {
  const basic = Buffer.from(`${env['DOI_CLI_REPOSITORY']}:${env['DOI_CLI_PASSWORD']}`).toString(
    'base64',
  );
  const response = await fetch(`${baseUrl}/dois/${encodeURIComponent(doi)}${query}`, {
    headers: { authorization: `Basic ${basic}` },
  });
  return response.status === 404
    ? undefined
    : ((await response.json()) as { data: { attributes: Record<string, unknown> } }).data
        .attributes;
};
const writes = async ({ log }: TestEmulator) =>
  (await log())
    .map(({ method }) => method)
    .filter((method) => method !== 'GET' && method !== 'POST');

describe('dois update', () => {
  it('does not take identifiers away by sending back names alone', async () => {
    const emulator = await emulate();
    await make(emulator, '10.5072/a');
    const { stdout: whole } = await emulator.run('dois get 10.5072/a --format ndjson'.split(' '));
    const update = ['dois', 'update', '10.5072/a', '--file', '-'];
    // A record as it was read asks for nothing.
    const same = await emulator.run([...update, '--format', 'text'], { stdin: whole });
    expect(same).toMatchObject({ code: 0, stderr: /has these values already/ });
    const { creators, publisher } = (await attributesOf(emulator, '10.5072/a', '')) ?? {};
    expect([creators, publisher]).toEqual([
      [expect.objectContaining({ affiliation: ['A'] })],
      'Demo',
    ]);
    const edited = JSON.stringify({ doi: '10.5072/a', creators, publisher });
    const { code, stderr } = await emulator.run([...update, '--format', 'text'], { stdin: edited });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /error: creators\[0\]\.affiliation\[0\]: "A" is a name alone.*as dois get prints it/,
    );
    expect(stderr).toMatch(/error: publisher: "Demo" is a name alone/);
    const said = stderr.trimEnd().split('\n');
    expect(said, 'says nothing twice').toHaveLength(new Set(said).size);
    const file = join(temporaryDirectory(), 'records.ndjson');
    writeFileSync(file, edited);
    expect(await emulator.run(['dois', 'update', '--file', file])).toMatchObject({
      code: 1,
      stdout: /is a name alone/,
    });
    expect(await writes(emulator)).toEqual([]);
    expect(await attributesOf(emulator, '10.5072/a')).toMatchObject(RECORD);

    // Another name means another publisher, and an object states that there is no identifier.
    const stdin = JSON.stringify({
      publisher: 'Other',
      creators: [{ name: 'Doe, Jane', affiliation: [{ name: 'A' }] }],
    });
    expect(await emulator.run(update, { stdin })).toMatchObject({ code: 0 });
  });
  it('sets single values, and sends the attributes that they are in as they are kept', async () => {
    const emulator = await emulate();
    await make(emulator, '10.5072/a');
    const argv =
      `dois update 10.5072/a --set creators[0].givenName=Jane --set publisher.name=Other --set
      subjects[].subject=one`.split(/\s+/);
    expect(await emulator.run(argv)).toMatchObject({ code: 0 });
    expect(await attributesOf(emulator, '10.5072/a')).toMatchObject({
      creators: [{ ...RECORD.creators[0], givenName: 'Jane' }],
      publisher: { ...RECORD.publisher, name: 'Other' },
      subjects: [{ subject: 'one' }],
      titles: RECORD.titles,
    });
    const both = ['dois', 'update', '10.5072/a', '--file', '-', '--set', 'titles[0].lang=en'];
    expect(
      await emulator.run(both, { stdin: '{"titles":[{"title":"B"}],"version":"3"}' }),
    ).toMatchObject({
      code: 0,
    });
    expect(await attributesOf(emulator, '10.5072/a')).toMatchObject({
      titles: [{ title: 'B', lang: 'en' }],
      version: '3',
    });
  });
  it('names the line of the file beside --set, and --set without a file', async () => {
    const emulator = await emulate({ records: 0 });
    await make(emulator, '10.5072/a');
    const path = join(temporaryDirectory(), 'r.json');
    writeFileSync(path, '{\n  "language": "en",\n  "dates": [{ "date": "foo" }]\n}\n');
    const set = ['dois', 'update', '10.5072/a', '--set', 'version=2'];
    const beside = await emulator.run([...set, '--file', path]);
    expect(beside).toMatchObject({
      code: 0,
      stderr: /r\.json:3: warning: dates\[0\]\.date: "foo"/,
    });
    expect(beside.stderr).not.toContain('--set');
    const alone = await emulator.run([...set, '--set', 'dates[0].date=bar']);
    expect(alone.stderr).toContain('--set: warning: dates[0].date: "bar"');
  });
  it.each([
    ['title=B', 'title: is not a property of the schema; did you mean titles?'],
    ['titles=B', 'titles is a list'],
    ['titles.title=B', 'titles is a list'],
    ['url=s/old/new/', 'url: "s/old/new/" is not an address'],
    ['year=2026', 'hint: write a path such as titles[0].title or publicationYear'],
  ])('refuses --set %s before any request', async (set, stderr) => {
    const emulator = await emulate({ records: 0 });
    expect(await emulator.run(['dois', 'update', '10.5072/a', '--set', set])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(stderr),
    });
    expect(await emulator.log()).toEqual([]);
  });
  it('takes no DOI beside a file of several records', async () => {
    const emulator = await emulate({ records: 0 });
    const stdin = '{"doi":"10.5072/a"}\n{"doi":"10.5072/b"}\n';
    expect(
      await emulator.run(['dois', 'update', '10.5072/a', '--file', '-'], { stdin }),
    ).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('hint: leave out the DOI to update them all\n'),
    });
  });
  it.each<[string, Record<string, unknown>, string]>([
    ['titel', { titel: 'Foo' }, 'titel: is not a property of the schema; did you mean titles?'],
    [
      'titles[1].titel',
      { titles: [{ title: 'x' }, { title: 'y', titel: 'Foo' }] },
      'titles[1].titel: is not a property',
    ],
    [
      'publisher.names',
      { publisher: { name: 'D', names: 'Foo' } },
      'publisher.names: is not a property',
    ],
  ])(
    'refuses the unknown %s in every form, unless with --no-validate',
    async (path, attributes, message) => {
      const emulator = await emulate({ records: 0 });
      await make(emulator, '10.5072/a');
      const sent = (await emulator.log()).length;
      const whole = JSON.stringify({ doi: '10.5072/a', ...attributes });
      const one = ['dois', 'update', '10.5072/a', '--quiet'];
      const many = ['dois', 'update', '--quiet', '--file'];
      const [list, records, sheet] = ['dois.txt', 'many.ndjson', 'many.csv'].map((name, at) => {
        const texts = [
          '10.5072/a\n',
          `{"doi":"10.5072/b","version":"2"}\n${whole}\n`,
          `doi,${path}\n10.5072/a,Foo\n`,
        ];
        const file = join(temporaryDirectory(), name);
        writeFileSync(file, texts[at] ?? '');
        return file;
      });
      const set = ['--set', `${path}=Foo`];
      for (const argv of [
        [...one, ...set],
        [...one, '--file', '-'],
        [...many, list ?? '', ...set],
        [...many, records ?? ''],
      ]) {
        const { code, stdout, stderr } = await emulator.run(argv, { stdin: whole });
        expect([code, stdout, stderr], argv.join(' ')).toEqual([
          2,
          '',
          expect.stringContaining(message),
        ]);
      }
      const table = await emulator.run([...many, sheet ?? '']);
      expect([table.code, table.stderr]).toEqual([
        2,
        expect.stringContaining(`the column "${path}" is not known`),
      ]);
      expect((await emulator.log()).slice(sent).filter(({ method }) => method !== 'GET')).toEqual(
        [],
      );
      expect((await emulator.run([...one, ...set, '--no-validate'])).code).toBe(0);
      expect(
        (await emulator.run([...one, '--file', '-', '--no-validate'], { stdin: whole })).code,
      ).toBe(0);
      expect((await emulator.run([...many, records ?? '', '--no-validate'])).stderr).not.toContain(
        message,
      );
    },
  );
  it('takes what the service holds, although nobody knows it here', async () => {
    const emulator = await emulate({ records: 1000 });
    const list = ['dois', 'list', '--mine', '--all', '--filter', 'publisher=true'];
    const { stdout } = await emulator.run([...list, '--format', 'ndjson']);
    expect(stdout).toContain('"relationships"');
    const sent = await emulator.run(['dois', 'update', '--file', '-', '--dry-run'], {
      stdin: stdout,
    });
    const lines = (text: string) => text.trim().split('\n');
    const unchanged = lines(sent.stdout).filter((line) => line.includes('"outcome":"unchanged"'));
    expect([sent.code, unchanged.length > 5, unchanged.length]).toEqual([
      0,
      true,
      lines(stdout).length,
    ]);
    const [first = ''] = stdout.split('\n');
    const { id, attributes } = JSON.parse(first) as { id: string; attributes: object };
    const odd = { type: 'dois', attributes: { doi: id, ...attributes, titel: 'Foo' } };
    const { code, stderr } = await emulator.run(['dois', 'update', id, '--file', '-'], {
      stdin: JSON.stringify(odd),
    });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/error: .*titel: is not a property/)]);
  });
  it('checks what is given before anything is sent', async () => {
    const emulator = await emulate();
    await make(emulator, '10.5072/a');
    const before = (await emulator.log()).length;
    const file = join(temporaryDirectory(), 'update.json');
    writeFileSync(file, '{\n  "titles": [{ "titleType": "Sub" }]\n}\n');
    const { code, stderr } = await emulator.run([
      ...'dois update 10.5072/a --file'.split(' '),
      file,
      '--format',
      'text',
    ]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(
        `${file}:2: error: titles[0].titleType: "Sub" is not in the controlled list; allowed: AlternativeTitle, Subtitle, TranslatedTitle, Other\n` +
          `${file}:2: warning: titles[0].title: is missing\n`,
      ),
    ]);
    const table = ['dois', 'update', '10.5072/a', '--file', '-', '--set', 'version=2'];
    expect(await emulator.run(table, { stdin: 'doi,version\n10.5072/a,1\n' })).toMatchObject({
      code: 2,
      stderr: /--set goes with no spreadsheet/,
    });
    expect(await emulator.log()).toHaveLength(before);
    expect(
      await emulator.run(
        'dois update 10.5072/a --set types.resourceTypeGeneral=dataset'.split(' '),
      ),
    ).toMatchObject({ code: 2, stderr: /did you mean Dataset/ });
    expect(
      await emulator.run('dois update 10.5072/a --set titles=[] --event publish'.split(' ')),
    ).toMatchObject({ code: 2, stderr: /titles: is missing: a Findable/ });
    const dry = 'dois update 10.5072/a --set version=2 --dry-run'.split(' ');
    expect(await emulator.run(dry)).toMatchObject({
      code: 0,
      stderr: '1 change in 10.5072/a; nothing was sent (--dry-run)\n',
    });
    expect(await writes(emulator)).toEqual([]);
    expect(
      await emulator.run(['dois', 'update', '10.5072/a', '--file', '-', '--event', 'publish'], {
        stdin: '{"url":"https://e.org"}',
      }),
    ).toMatchObject({ code: 0 });
    // An update may not remove what a Findable record needs.
    expect(await emulator.run(['dois', 'update', '10.5072/a', '--set', 'titles=[]'])).toMatchObject(
      {
        code: 2,
        stderr: /titles: is missing/,
      },
    );
    const refused = await emulator.run(
      'dois update 10.5072/a --set titles=[] --no-validate --format text'.split(' '),
    );
    expect(refused).toMatchObject({
      code: 1,
      stderr:
        /^--set: error: titles: DOI 10\.5072\/a: Missing child element.*\nerror: the service refused the record \(HTTP 422\)/,
    });
  });
  it('refuses a member that --set has twice, before anything is sent', async () => {
    const emulator = await emulate({ records: 0 });
    for (const more of [[], ['--no-validate']]) {
      const argv = [
        'dois',
        'update',
        '10.5072/a',
        '--set',
        'titles[]={"title":"a","title":"b"}',
        ...more,
      ];
      expect(await emulator.run(argv)).toMatchObject({
        code: 2,
        stderr: /--set: the member "title" appears/,
      });
    }
    expect(await emulator.log()).toEqual([]);
  });
});

describe('dois publish, register and hide', () => {
  it('say what each of several lacks, and that some were changed', async () => {
    const emulator = await emulate();
    await make(emulator, '10.5072/a');
    for (const doi of ['10.5072/b', '10.5072/c']) await make(emulator, doi, { url: null });
    const publish = ['dois', 'publish', '10.5072/b', '10.5072/c', '10.5072/none'];
    const { code, stderr } = await emulator.run([...publish.slice(0, 4), '--format', 'text']);
    const lacks = (doi: string) =>
      `${doi}: error: url: is missing: a Findable record needs it\n` +
      `error: ${doi} has 1 error; nothing was sent\n` +
      `hint: doi-cli dois update ${doi} --set ${shellWord('url=…')}\n`;
    expect([code, stderr]).toEqual([
      2,
      `${lacks('10.5072/b')}${lacks('10.5072/c')}error: 2 of 2 DOIs were not published: 10.5072/b, 10.5072/c\n`,
    ]);
    const named = ['10.5072/a', '10.5072/b', '10.5072/A'];
    const mixed = await emulator.run(['dois', 'publish', ...named, '--format', 'text']);
    expect(mixed).toMatchObject({
      code: 1,
      stderr: /1 of 2 DOIs were not published: 10\.5072\/b\n$/,
    });
    const json = await emulator.run([...publish, '--format', 'json']);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stderr).error).toMatchObject({
      kind: 'not-found',
      message: /3 of 3 DOIs/,
      problems: [
        { path: '10.5072/b', message: /has 1 error/ },
        { path: '10.5072/b: url', message: /is missing/ },
        { path: '10.5072/c', message: /has 1 error/ },
        { path: '10.5072/c: url', message: /is missing/ },
        { path: '10.5072/none', message: /does not exist/ },
      ],
    });
  });
  it('report a state other than the one asked for', async () => {
    const record = (state: string) =>
      answer(200, { data: { id: '10.5072/a', attributes: { ...RECORD, state } } });
    const { url } = await serve(record('draft'), record('draft'));
    const env = { DOI_CLI_BASE_URL: url.href, DOI_CLI_API_KEY: 'DC.key' };
    expect(await runBare(['dois', 'publish', '10.5072/a'], { env })).toMatchObject({
      code: 1,
      stdout: /"draft"/,
      stderr: /was published, but its state is draft, not findable as requested/,
    });
  });
});

describe('dois delete', () => {
  it('deletes Drafts, with --yes or after asking', async () => {
    const emulator = await emulate();
    for (const doi of ['10.5072/a', '10.5072/b', '10.5072/c']) await make(emulator, doi);
    expect(await emulator.run(['dois', 'delete', '10.5072/a', '--yes'])).toMatchObject({
      code: 0,
      stdout: 'Deleted 10.5072/a\n',
    });
    const terminal = { stdin: true, stderr: true };
    const asked = await emulator.run(['dois', 'delete', '10.5072/b', '10.5072/c'], {
      terminal,
      stdin: 'y\n',
    });
    expect(asked).toMatchObject({ code: 0, stdout: 'Deleted 10.5072/b\nDeleted 10.5072/c\n' });
    expect(asked.stderr).toBe(
      "  10.5072/b 'A test'\n  10.5072/c 'A test'\nDelete these 2 Drafts for good? [y/N] ",
    );
    for (const doi of ['10.5072/a', '10.5072/b', '10.5072/c'])
      expect(await attributesOf(emulator, doi)).toBeUndefined();
  });
  it('does not take a failure for success', async () => {
    const draft = answer(200, { data: { id: '10.5072/a', attributes: { state: 'draft' } } });
    const { url, asked } = await serve(
      draft,
      reset,
      draft,
      answer(405, { errors: [{ title: 'Method not allowed' }] }),
    );
    const env = { DOI_CLI_BASE_URL: url.href, DOI_CLI_API_KEY: 'DC.key' };
    expect(await runBare(['dois', 'delete', '10.5072/a', '--yes'], { env })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: /405/,
    });
    expect(asked.map(({ method }) => method)).toEqual(['GET', 'DELETE', 'GET', 'DELETE']);
  });
});

it('an update of a Draft may lack what its creation may lack', async () => {
  const emulator = await emulate();
  const stdin = JSON.stringify({
    doi: '10.5072/funder',
    fundingReferences: [{ funderName: 'F', funderIdentifier: 'https://f.example/1' }],
  });
  const created = await emulator.run(['dois', 'create', '--file', '-'], { stdin });
  const changed = stdin.replace('"F"', '"G"');
  const update = ['dois', 'update', '10.5072/funder', '--file', '-'];
  const updated = await emulator.run(update, { stdin: changed });
  for (const { code, stderr } of [created, updated]) {
    expect(code).toBe(0);
    expect(stderr).toContain('warning: fundingReferences[0].funderIdentifierType: is missing');
  }
});

it('takes back the DataCite JSON of a record, with its edits (service.md, W15)', async () => {
  const emulator = await emulate();
  await make(emulator, '10.5072/back', { subjects: [{ subject: 'lakes' }] });
  const get = ['dois', 'get', '10.5072/back', '--format', 'datacite-json'];
  const { stdout } = await emulator.run(get);
  expect(JSON.parse(stdout)).toMatchObject({ providerId: /./, clientId: 'demo.repo' });
  const update = ['dois', 'update', '--file', '-'];
  for (const [stdin, stderr] of [
    [stdout, /has these values already/],
    [stdout.replace('lakes', 'ponds'), /each value that differs from its record replaces it/],
  ] as const)
    expect(await emulator.run(update, { stdin })).toMatchObject({ code: 0, stderr });
  const { subjects } = (await attributesOf(emulator, '10.5072/back')) ?? {};
  expect(subjects).toMatchObject([{ subject: 'ponds' }]);
  const copy = stdout.replace(/10.5072.back/gi, '10.5072/copy');
  expect(await emulator.run(['dois', 'create', '--file', '-'], { stdin: copy })).toMatchObject({
    code: 0,
    stderr: '',
  });
});
