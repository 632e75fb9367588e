import { describe, expect, it } from 'vitest';
import { parseCreator } from '../../../../src/commands/dois/write/attributes.ts';
import { CliError } from '../../../../src/errors.ts';
import { emulate } from '../../../helpers/emulator.ts';
import { run as runBare } from '../../../helpers/run.ts';
import { type Answer, answer, serve } from '../../../helpers/server.ts';

const OPTIONS = [
  ...['--title', 'A title', '--title', 'Another'],
  ...[
    '--creator',
    'Doe, Jane; orcid=0000-0002-1825-0097; affiliation=A, B & Co',
    '--creator',
    'An Institute',
  ],
  ...'--publisher Demo --year 2026 --type Dataset --url https://example.org/1'.split(' '),
  ...['--description', 'About', '--subject', 'one', '--subject', 'two'],
];

describe('a creator on the command line', () => {
  it.each([
    ['An Institute', { name: 'An Institute' }],
    [
      'Doe, Jane',
      { name: 'Doe, Jane', nameType: 'Personal', familyName: 'Doe', givenName: 'Jane' },
    ],
    ['AT&T; Research', { name: 'AT&T; Research' }],
    [
      'Doe,Jane;ORCID=https://orcid.org/0000-0002-1825-0097;affiliation=X;affiliation=Y',
      {
        name: 'Doe, Jane',
        nameType: 'Personal',
        familyName: 'Doe',
        givenName: 'Jane',
        nameIdentifiers: [
          {
            nameIdentifier: 'https://orcid.org/0000-0002-1825-0097',
            nameIdentifierScheme: 'ORCID',
            schemeUri: 'https://orcid.org',
          },
        ],
        affiliation: [{ name: 'X' }, { name: 'Y' }],
      },
    ],
  ])('%s', (text, creator) => {
    expect(parseCreator(text)).toEqual(creator);
  });
  it.each([
    '',
    ';orcid=1',
    'Doe; orcid=',
    'Doe; ror=x',
    'Doe; affiliation=https://ror.org/04wxnsj81',
  ])('%j is refused', (text) => {
    expect(() => parseCreator(text)).toThrow();
  });
  it.each([
    'Doe, Jane; Roe, Jim',
    'Doe, Jane;',
    'Lake Institute; Sea Institute',
    'Doe, Jane; Roe, Jim; orcid=0000-0002-1825-0097',
    'Doe, Jane and Roe, Jim',
    'Doe, J., & Roe, J.',
  ])('%j is more than one', (text) => {
    expect(() => parseCreator(text)).toThrow('repeat --creator for each');
  });
  it.each([
    'Doe, Jane; 0000-0002-1825-0097',
    'Doe, Jane (0000-0002-1825-0097)',
    'Doe, Jane 000000021825009X',
    'Doe, Jane; https://orcid.org/0000-0002-1825-0097',
    'Doe, Jane <orcid.org/0000-0002-1825-0097>',
  ])('%j has its ORCID iD in the name', (text) => {
    expect(() => parseCreator(text)).toThrow('Doe, Jane;orcid=0000-0002-1825-0097');
  });
  it('that is refused sends nothing', async () => {
    const { run, log } = await emulate();
    const args = ['dois', 'create', '--prefix', '10.5072', '--creator', 'Doe, Jane; Roe, Jim'];
    expect(await run(args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('repeat --creator for each'),
    });
    expect(await log()).toEqual([]);
  });
});

describe('dois create from options', () => {
  it('sends a Draft with a type that is not in the list, with a warning', async () => {
    const { run } = await emulate();
    const stdin = JSON.stringify({ prefix: '10.5072', types: { resourceTypeGeneral: 'dataset' } });
    expect(await run(['dois', 'create', '--file', '-'], { stdin })).toMatchObject({
      code: 0,
      stderr: /^stdin:1: warning: types\.resourceTypeGeneral: "dataset" .* did you mean Dataset\?/,
    });
    const published = await run(['dois', 'create', '--file', '-', '--event', 'publish'], { stdin });
    expect(published).toMatchObject({ code: 2, stderr: /error: types\.resourceTypeGeneral/ });
  });
  it('says why the state differs', async () => {
    const made =
      (attributes: object): Answer =>
      (response, exchange) => {
        const { data } = JSON.parse(exchange.body) as { data: { attributes: { doi: string } } };
        const all = { ...data.attributes, ...attributes };
        answer(201, { data: { id: data.attributes.doi, attributes: all } })(response, exchange);
      };
    const { url } = await serve(
      made({ state: 'draft' }),
      made({ state: 'draft', reason: 'Not yet' }),
    );
    const env = { DOI_CLI_BASE_URL: url.href, DOI_CLI_API_KEY: 'DC.key' };
    const argv = [
      ...'dois create --prefix 10.5072'.split(' '),
      ...OPTIONS,
      ...'--event publish --format text'.split(' '),
    ];
    expect(await runBare(argv, { env })).toMatchObject({
      code: 1,
      stdout: /\(draft\)/,
      stderr:
        /was created, but its state is draft, not findable as requested: the service ignored the event\nhint: doi-cli dois get/,
    });
    expect(await runBare(argv, { env })).toMatchObject({
      code: 1,
      stderr: /as requested: Not yet/,
    });
  });
  it('finds with --dry-run what the run would find', async () => {
    const { run, anonymous, log } = await emulate({ records: 0 });
    const create = (doi: string) => ['dois', 'create', '--doi', doi, '--title', 'A'];
    await run(create('10.5072/taken'));
    const made = (await log()).length;
    const stdin = ['10.9999/a', '10.5072/taken', '10.5072/new']
      .map((doi) => JSON.stringify({ doi, titles: [{ title: 'A' }] }))
      .join('\n');
    expect(await run([...create('10.9999/a'), '--dry-run'])).toMatchObject({
      code: 2,
      stderr: /^error: doi: is below 10\.9999, which is not a prefix of demo\.repo/,
    });
    expect(await run([...create('10.5072/taken'), '--dry-run'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'error: 10.5072/taken exists already\nhint: to see that record: doi-cli dois get 10.5072/taken\n',
    });
    const many = ['dois', 'create', '--file', '-', '--dry-run'];
    const { code, stdout, stderr } = await run(many, { stdin });
    const results = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect([code, results.map(({ outcome }) => outcome)]).toEqual([
      1,
      ['failed', 'failed', 'valid'],
    ]);
    expect(stderr).toContain('stdin:2: error: doi: exists already (10.5072/taken)');
    expect((await log()).slice(made).filter(({ method }) => method !== 'GET')).toEqual([]);
    const blind = await anonymous(many, { stdin });
    expect([blind.code, blind.stderr]).toEqual([
      0,
      expect.stringMatching(/none are set: not checked whether the account may create the DOI/),
    ]);
  });
  it('takes a prefix for a file that names none', async () => {
    const { run } = await emulate();
    const create = ['dois', 'create', '--file', '-', '--prefix', '10.5072', '--dry-run'];
    const { stdout } = await run(create, { stdin: '{"titles":[]}' });
    expect(JSON.parse(stdout).data.attributes).toMatchObject({ prefix: '10.5072', titles: [] });
    expect(stdout.split('\n')).toHaveLength(2);
    const shown = await run(create, { stdin: '{"titles":[]}', terminal: { stdout: true } });
    expect(JSON.parse(shown.stdout)).toEqual(JSON.parse(stdout));
    expect(shown.stdout).toMatch(/^\{\n {2}"data": \{\n/);
    expect(await run(create, { stdin: '{"doi":"10.5072/a"}' })).toMatchObject({
      stdout: /"attributes":\{"schemaVersion":"[^"]+","doi":"10\.5072\/a"\}/,
    });
  });
});

it('says that the record exists when it cannot be printed', async () => {
  const { run, log } = await emulate();
  const full = async () => {
    throw new CliError('output', 'cannot write the output: no space left on device');
  };
  const { code, stderr } = await run(['dois', 'create', '--prefix', '10.5072'], {
    stdout: { write: full },
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^error: (10\.5072\/\S+) was created, but cannot write the output: .*\nhint: doi-cli dois get \1\n$/,
  );
  expect((await log()).filter(({ method }) => method === 'POST')).toHaveLength(1);
});

it.each([
  ['above', '// mine\n{"prefix": "10.5072"}\n', 1],
  ['inside of', '{\n  // mine\n  "prefix": "10.5072"\n}\n', 2],
])('takes no comment %s a record', async (_, stdin, line) => {
  const { run, log } = await emulate();
  const { code, stderr } = await run(['dois', 'create', '--file', '-', '--format', 'text'], {
    stdin,
  });
  expect(code).toBe(2);
  expect(stderr).toMatch(new RegExp(`stdin.*\\b${line}\\b.*a comment, which JSON does not have`));
  expect(await log()).toEqual([]);
});

describe('a prefix and suffixes', () => {
  const create = ['dois', 'create', '--file', '-', '--prefix', '10.5072'];

  it('make the DOIs of a spreadsheet', async () => {
    const { run } = await emulate();
    const stdin = 'end,titles[0].title\na-1,One\na-2,Two\n';
    const { code, stdout } = await run([...create, '--map', 'end=suffix'], { stdin });
    const dois = stdout.split('\n', 2).map((line) => JSON.parse(line).doi);
    expect([code, dois]).toEqual([0, ['10.5072/a-1', '10.5072/a-2']]);
  });

  it('are refused by row if they make no DOI', async () => {
    const { run } = await emulate();
    const stdin = 'suffix,titles[0].title\na-1,One\na 2,Two\n';
    const { code, stderr } = await run(create, { stdin });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/row 3: suffix: '10\.5072\/a 2'/)]);
    const whole = await run(create, { stdin: 'suffix,url\nhttps://doi.org/10.5072/a,\n' });
    expect([whole.code, whole.stderr]).toEqual([
      2,
      expect.stringMatching(/row 2: suffix names a DOI/),
    ]);
  });

  it('make the DOI of a record in JSON, which validate accepts', async () => {
    const { run } = await emulate();
    const record = { prefix: '10.5072', suffix: 'b-1', titles: [{ title: 'One' }] };
    const stdin = JSON.stringify(record);
    const checked = await run(['dois', 'validate', '--file', '-'], { stdin });
    expect(checked).toMatchObject({ code: 0, stdout: expect.not.stringContaining('suffix') });
    const { stdout } = await run(['dois', 'create', '--file', '-'], { stdin });
    expect(JSON.parse(stdout)).toMatchObject({ id: '10.5072/b-1' });
  });
});
