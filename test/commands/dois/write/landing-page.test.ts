import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Editing, edit, type Format, LAKE, rowsOf, writeRows } from '../../../helpers/editing.ts';
import { run as runBare } from '../../../helpers/run.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

let editing: Editing;
beforeAll(async () => {
  editing = await Editing.start(afterAll);
});

const BRACE = /does not belong to \{doi\}, \{prefix\} or \{suffix\}: write %7B and %7D/;
const run = (argv: readonly string[], stdin?: string) =>
  editing.emulator.run(['dois', ...argv], stdin === undefined ? {} : { stdin });
const url = async (doi: string) => (await editing.stored(doi))['url'];
const fileOf = (name: string, text: string) => {
  const path = join(temporaryDirectory(), name);
  writeFileSync(path, text);
  return path;
};
const writes = async () =>
  (await editing.emulator.log()).filter(({ method }) => method !== 'GET').length;
const linesOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const suffixOf = (doi: string) => doi.slice(doi.indexOf('/') + 1);

describe('a new record has its landing page', () => {
  const TEMPLATE = 'https://example.org/{prefix}/{suffix}?doi={doi}';
  const urlFor = (doi: string) => `https://example.org/${doi}?doi=${doi}`;

  it.each([
    ['its options', ['--doi', '10.5072/page;1'], undefined],
    ['its options, without a DOI', ['--prefix', '10.5072'], undefined],
    ['a record as JSON', ['--file', '-'], { doi: '10.5072/page-2' }],
    ['a suffix as JSON', ['--file', '-'], { prefix: '10.5072', suffix: 'page-3' }],
    ['a record without a DOI', ['--file', '-', '--prefix', '10.5072'], {}],
  ])('of %s', async (_, options, record) => {
    const stdin = record && JSON.stringify({ ...record, url: TEMPLATE });
    const argv = record ? options : [...options, '--title', 'A', '--url', TEMPLATE];
    const named = !options.includes('--prefix');
    const dry = await run(['create', ...argv, '--dry-run'], stdin);
    expect(dry.code, dry.stderr).toBe(0);
    expect(dry.stdout.includes('{suffix}')).toBe(!named);
    const { code, stdout, stderr } = await run(['create', ...argv], stdin);
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain('the service stores');
    const { id, attributes } = JSON.parse(stdout);
    expect(attributes.url).toBe(urlFor(id).replaceAll(';', '%3B'));
  });

  it.each([
    ['records.csv', `doi,url,titles[0].title\n10.5072/page-4,${TEMPLATE},A\n,${TEMPLATE},B\n`],
    [
      'records.ndjson',
      [{ doi: '10.5072/PAGE-5' }, { titles: [{ title: 'B' }] }]
        .map((record) => `${JSON.stringify({ ...record, url: TEMPLATE })}\n`)
        .join(''),
    ],
  ])('in a run of %s, which is not repeated', async (name, text) => {
    const path = fileOf(name, text);
    const argv = ['create', '--file', path, '--prefix', '10.5072', '--format', 'ndjson'];
    const dry = await run([...argv, '--dry-run']);
    expect([dry.code, linesOf(dry.stdout).map(({ outcome }) => outcome)]).toEqual([
      0,
      ['valid', 'valid'],
    ]);
    const { code, stdout, stderr } = await run(argv);
    expect(code, stderr).toBe(0);
    expect(stderr).not.toContain('the service stores');
    const before = await writes();
    for (const { doi } of linesOf(stdout))
      expect(String(await url(doi)).toLowerCase()).toBe(urlFor(doi));
    expect((await run(argv)).code).toBe(0);
    expect(await writes()).toBe(before);
  });

  it('whose answer was lost: it is found again by its page', async () => {
    const { emulator } = editing;
    const path = fileOf('lost.ndjson', `${JSON.stringify({ url: TEMPLATE })}\n{}\n`);
    const argv = ['create', '--file', path, '--prefix', '10.5072', '--format', 'ndjson'];
    const at = (await emulator.log()).length;
    await emulator.control('faults', { faults: ['lost-answer@1,2,3'] });
    const first = await run([...argv, '--retries', '0']);
    await emulator.control('faults', { faults: [] });
    const { code, stdout, stderr } = await run(argv);
    expect([first.code === 0, code], stderr).toEqual([false, 0]);
    const [created] = linesOf(stdout);
    expect(await url(created.doi)).toBe(urlFor(created.doi));
    const posts = (await emulator.log()).slice(at).filter(({ method }) => method === 'POST');
    expect(posts).toHaveLength(2);
  });

  it('has the braces of an address encoded', async () => {
    const page = 'https://example.org/%7Bsuffix%7D';
    const { code, stdout } = await run(['create', '--prefix', '10.5072', '--url', page]);
    expect([code, JSON.parse(stdout).attributes.url]).toEqual([0, page]);
  });

  it.each(['{DOI}', '{id}', '{{suffix}}', '{suffix'])('refuses %s', async (brace) => {
    const before = await editing.emulator.log();
    const page = `https://example.org/${brace}`;
    const option = await run(['create', '--prefix', '10.5072', '--url', page]);
    expect(option).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(BRACE) });
    const record = JSON.stringify({ doi: '10.5072/brace', url: page });
    for (const verb of ['create', 'update']) {
      const { code, stderr } = await run([verb, '--file', '-'], record);
      expect([verb, code, stderr]).toEqual([verb, 2, expect.stringMatching(BRACE)]);
    }
    const many = fileOf('r.csv', `doi,url\n10.5072/brace,${page}\n`);
    const { code, stdout } = await run(['create', '--file', many, '--format', 'ndjson']);
    expect([code, linesOf(stdout)]).toMatchObject([1, [{ errors: [{ path: 'url' }] }]]);
    const reads = (log: typeof before) => log.filter(({ method }) => method === 'POST').length;
    expect(reads(await editing.emulator.log())).toBe(reads(before));
  });
});

describe('an update sets the landing page', () => {
  const TEMPLATE = 'https://new.example.org/{suffix}';
  const urlFor = (doi: string) => `https://new.example.org/${suffixOf(doi)}`;

  it('of the DOIs of a file, of a query, and of one', async () => {
    const dois = await editing.create(LAKE, LAKE);
    const [doi = ''] = dois;
    const file = fileOf('ids.csv', `doi\n${dois.join('\n')}\n`);
    const where = ['--where', `query=doi:${dois.map((each) => `"${each}"`).join(' OR doi:')}`];
    for (const [page, which] of [
      ['https://a.example.org/{suffix}', ['--file', file]],
      ['https://b.example.org/?doi={doi}', [...where, '--yes']],
      ['https://c.example.org/{prefix}', [doi]],
    ] as const) {
      const argv = ['update', ...which, '--set', `url=${page}`, '--format', 'ndjson'];
      const filled = (each: string) =>
        page
          .replace('{suffix}', suffixOf(each))
          .replace('{doi}', each)
          .replace('{prefix}', '10.5072');
      const dry = await run([...argv, '--dry-run']);
      expect(dry.code, dry.stderr).toBe(0);
      expect(dry.stdout).toContain(filled(doi));
      expect(dry.stdout).not.toMatch(/\{(doi|suffix|prefix)\}/);
      const { code, stderr } = await run(argv);
      expect(code, stderr).toBe(0);
      for (const each of which[0] === doi ? [doi] : dois)
        expect(await url(each)).toBe(filled(each));
      const before = await writes();
      expect((await run(argv)).code).toBe(0);
      expect(await writes()).toBe(before);
    }
  });

  it.each<Format>(['csv', 'tsv', 'ndjson', 'json', 'get'])('in an export as %s', async (format) => {
    const dois = await editing.create(LAKE, ...(format === 'get' ? [] : [LAKE]));
    const path = await editing.exported(dois, format);
    for (const doi of dois) edit(path, doi, { url: TEMPLATE });
    const first = await editing.update(path);
    expect(first).toMatchObject({ code: 0, puts: dois.map((doi) => ({ url: urlFor(doi) })) });
    expect(await editing.update(path)).toMatchObject({ code: 0, puts: [] });
    if (format === 'get') return;
    // Another edit of the same file leaves the page alone.
    for (const doi of dois) edit(path, doi, { version: '2' });
    const { code, puts } = await editing.update(path);
    expect([code, puts.map((put) => 'url' in put)]).toEqual([0, dois.map(() => false)]);
  });

  it('in a table and in records made by hand', async () => {
    const [doi = ''] = await editing.create(LAKE);
    const other = TEMPLATE.replace('new', 'other');
    for (const [path, page] of [
      [fileOf('mine.csv', `doi,url\n${doi},${TEMPLATE}\n`), urlFor(doi)],
      [
        fileOf('mine.json', JSON.stringify({ doi, url: other })),
        urlFor(doi).replace('new', 'other'),
      ],
    ] as const) {
      expect(await editing.update(path)).toMatchObject({ code: 0, puts: [{ url: page }] });
      expect(await editing.update(path)).toMatchObject({ code: 0, puts: [] });
    }
    // A record without a DOI gets that of the command line.
    const argv = ['update', doi, '--file', '-', '--format', 'json'];
    expect((await run(argv, JSON.stringify({ url: TEMPLATE }))).code).toBe(0);
    expect(await url(doi)).toBe(urlFor(doi));
  });

  it.each<Format>(['csv', 'ndjson'])('again after a killed run of %s', async (format) => {
    for (const isCarriedOut of [true, false]) {
      const dois = await editing.create(LAKE, LAKE);
      const path = await editing.exported(dois, format);
      for (const doi of dois) edit(path, doi, { url: TEMPLATE });
      await editing.killed(path, { at: 1, isCarriedOut, method: 'PUT' }, '--jobs', '1');
      const { code, puts } = await editing.update(path);
      expect([code, puts.length]).toEqual([0, isCarriedOut ? 1 : 2]);
      expect(await Promise.all(dois.map(url))).toEqual(dois.map(urlFor));
    }
  });

  it('as its colleague does, or in conflict with one', async () => {
    const dois = await editing.create(LAKE, LAKE);
    const [same = '', other = ''] = dois;
    const path = await editing.exported(dois, 'csv');
    for (const doi of dois) edit(path, doi, { url: TEMPLATE });
    await editing.theirs(same, { url: urlFor(same) });
    await editing.theirs(other, { url: 'https://theirs.example.org/' });
    const { code, outcomes, puts, results } = await editing.update(path);
    expect([code, outcomes, puts]).toEqual([1, ['unchanged', 'failed'], []]);
    expect(results[1]?.errors).toMatchObject([{ path: 'url', conflict: {} }]);
    expect(rowsOf(path)[0]?.['exported']).not.toContain('{');
  });

  it('not of braces that are stored, and that it does not change', async () => {
    const page = 'https://example.org/{id}/{suffix}';
    const [doi = ''] = await editing.create(LAKE);
    await editing.theirs(doi, { url: page });
    for (const format of ['csv', 'ndjson', 'get'] as const) {
      const path = await editing.exported([doi], format);
      expect(await editing.update(path)).toMatchObject({ code: 0, puts: [] });
      edit(path, doi, { version: format });
      const { code, puts, stderr } = await editing.update(path);
      expect([code, puts.map((put) => 'url' in put), stderr]).toEqual([
        0,
        [false],
        expect.not.stringContaining('%7B'),
      ]);
    }
    const set = ['update', doi, '--set', 'language=en'];
    expect((await run(set)).code).toBe(0);
    expect(await url(doi)).toBe(page);
    const path = await editing.exported([doi], 'csv');
    writeRows(
      path,
      rowsOf(path).map((row) => ({ ...row, url: `${row['url']}/{x}` })),
    );
    expect(await editing.update(path)).toMatchObject({ code: 1, puts: [] });
  });

  it('not with other braces, before anything is asked', async () => {
    const count = (await editing.emulator.log()).length;
    for (const which of [['10.5072/a'], ['--where', 'state=draft', '--yes'], ['--file', 'x.csv']]) {
      const set = ['--set', 'url=https://example.org/{id}', '--no-validate'];
      const { code, stderr } = await run(['update', ...which, ...set]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(BRACE)]);
    }
    expect(await editing.emulator.log()).toHaveLength(count);
  });
});

it.each([
  ['https://example.org/{suffix}', 0],
  ['https://example.org/%7Bsuffix%7D', 0],
  ['https://example.org/{SUFFIX}', 1],
  ['https://example.org/suffix}', 1],
])('validate checks %s', async (page, expected) => {
  for (const [name, text] of [
    ['r.json', JSON.stringify({ doi: '10.5072/a', ...LAKE, url: page }, null, 1)],
    ['r.csv', `doi,url\n10.5072/a,${page}\n`],
  ] as const) {
    const path = fileOf(name, text);
    const { code, stdout } = await runBare(['dois', 'validate', '--file', path]);
    expect([code, BRACE.test(stdout)]).toEqual([expected, expected === 1]);
    if (expected === 1)
      expect(stdout).toMatch(/r\.(json:3: error: url|csv, row 2: error: column url): "/);
  }
});
