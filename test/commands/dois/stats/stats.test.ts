import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Counted } from '../../../../src/core/stats/groups.ts';
import type * as Metadata from '../../../../src/metadata/schema/types.ts';
import { newDirectory } from '../../../harvest/copy-on-disk.ts';
import { emulate, type TestEmulator } from '../../../helpers/emulator.ts';
import { jsonLines } from '../../../helpers/json-lines.ts';
import { sharedDirectory, temporaryDirectory } from '../../../helpers/temporary.ts';

const ALL =
  'created,registered,year,state,type,client,provider,prefix,schema-version,license,link-check';

async function statsOf({ run }: TestEmulator, ...more: string[]): Promise<Counted> {
  const { code, stdout, stderr } = await run(['dois', 'stats', ...more]);
  expect([code, stderr.replace(/^(note|warning).*\n/gm, '')]).toEqual([0, '']);
  return JSON.parse(stdout) as Counted;
}

/** A copy of all 900 records with what `--detail` adds, which the tests of this file share. */
const shared = sharedDirectory();
let copied: Promise<string> | undefined;
function sharedCopy({ run }: TestEmulator): Promise<string> {
  copied ??= (async () => {
    const dir = join(shared, 'copy');
    expect(await run(['dois', 'harvest', '--dir', dir, '--detail'])).toMatchObject({ code: 0 });
    return dir;
  })();
  return copied;
}

const group = (stats: Counted, by: string) => stats.groups.find((one) => one.by === by);

/** Counts by the same names at the service and in the shared copy, which has to agree. */
async function bothOf(emulator: TestEmulator, ...argv: string[]) {
  const service = await statsOf(emulator, ...argv);
  const copy = await statsOf(emulator, ...argv, '--dir', await sharedCopy(emulator));
  expect(copy.total).toBe(service.total);
  for (const { by, buckets } of service.groups) {
    const counts = new Map(group(copy, by)?.buckets.map(({ id, count }) => [id, count]));
    const expected = buckets.map(({ count }) => count);
    expect([by, buckets.map(({ id }) => counts.get(id))]).toEqual([by, expected]);
  }
  return { service, copy };
}

describe('dois stats', () => {
  it('describes a query in one request without records, and one more for each ten earlier years (service.md, P2, P20)', async () => {
    const emulator = await emulate({ records: 900 });
    const stats = await statsOf(emulator, '--by', ALL, '--state', 'findable');
    const log = await emulator.log();
    expect(log.filter(({ path }) => !/[?&](created|registered)=/.test(path))).toHaveLength(1);
    expect(log).toHaveLength(3);
    const params = new URL(log[0]?.path ?? '', 'http://x').searchParams;
    expect([params.get('page[size]'), params.get('disable-facets'), params.get('state')]).toEqual([
      '0',
      'false',
      'findable',
    ]);
    const { stdout } = await emulator.run(['dois', 'list', '--count', '--state', 'findable']);
    expect(stats.total).toBe(Number(stdout));
    expect(stats.groups.map(({ by }) => by).join()).toBe(ALL);
    expect(group(stats, 'state')).toEqual({
      by: 'state',
      buckets: [{ id: 'findable', title: 'Findable', count: stats.total }],
      rest: [],
      values: 1,
      several: false,
    });
  });

  it('says what a facet leaves out: the counts and the rest are the total (service.md, P22)', async () => {
    const stats = await statsOf(await emulate({ records: 900 }), '--by', ALL);
    for (const { by, buckets, rest, several } of stats.groups) {
      const sum = [...buckets, ...rest].reduce((all, { count }) => all + count, 0);
      if (!several) expect([by, sum]).toEqual([by, stats.total]);
    }
    expect(group(stats, 'client')).toMatchObject({ values: null, rest: [{ what: 'others' }] });
    expect(group(stats, 'created')).toMatchObject({ values: 16, rest: [] });
    expect(group(stats, 'link-check')).toMatchObject({
      rest: [{ what: 'none', count: stats.total }],
    });
  });

  it('counts a copy as the service counts, in the same words, and every value of it', async () => {
    const names =
      'created,registered,year,state,type,client,provider,prefix,schema-version,license,language';
    const { service, copy } = await bothOf(await emulate({ records: 900 }), '--by', names);
    const typesOf = (stats: Counted) => group(stats, 'type')?.buckets.map(({ title }) => title);
    expect(typesOf(copy)).toEqual(typesOf(service));
    expect(typesOf(copy)).toContain('Journal Article');
    expect(copy.source).toMatchObject({ baseUrl: /^http:/, directory: join(shared, 'copy') });
    const clients = group(copy, 'client');
    expect(clients).toMatchObject({ values: clients?.buckets.length, rest: [] });
  });

  it('counts each DOI of a copy once, in its latest version', async () => {
    const emulator = await emulate({ records: 200 });
    const dir = newDirectory();
    const harvest = () => emulator.run(['dois', 'harvest', '--dir', dir, '--mine']);
    const made = (event: string[]) =>
      emulator.run([
        ...'dois create --doi 10.5072/stats-1 --title t --creator C --publisher P'.split(' '),
        ...['--year', '2026', '--type', 'Dataset', '--url', 'https://example.org', ...event],
      ]);
    await made([]);
    await harvest();
    const before = await statsOf(emulator, '--dir', dir, '--by', 'state');
    await emulator.run(['dois', 'publish', '10.5072/stats-1']);
    await harvest();
    const after = await statsOf(emulator, '--dir', dir, '--by', 'state');
    const count = (stats: Counted, id: string) =>
      group(stats, 'state')?.buckets.find((bucket) => bucket.id === id)?.count ?? 0;
    expect(after.total).toBe(before.total);
    expect(count(after, 'draft')).toBe(count(before, 'draft') - 1);
    expect(count(after, 'findable')).toBe(count(before, 'findable') + 1);
  });

  it('begins with the latest year of a copy', async () => {
    const emulator = await emulate({ records: 200 });
    const dir = newDirectory();
    const stdin = JSON.stringify({ prefix: '10.5072', publicationYear: 24 });
    expect(
      (await emulator.run(['dois', 'create', '--file', '-', '--no-validate'], { stdin })).code,
    ).toBe(0);
    await emulator.run(['dois', 'harvest', '--dir', dir, '--mine']);
    const years = group(await statsOf(emulator, '--dir', dir, '--by', 'year'), 'year')?.buckets.map(
      ({ id }) => Number(id),
    );
    expect(years?.at(-1)).toBe(24);
    expect(years).toEqual([...(years ?? [])].sort((a, b) => b - a));
  });

  it('is bars on a terminal, as wide as it is', async () => {
    const emulator = await emulate({ records: 900 });
    for (const columns of [24, 40, 80, 200]) {
      const { code, stdout } = await emulator.run(['dois', 'stats', '--by', ALL, '--no-color'], {
        terminal: { stdout: true, columns },
      });
      expect(code).toBe(0);
      expect(stdout).toMatch(/^900 DOIs\n\nCREATED\n2026 /);
      const widest = Math.max(...stdout.split('\n').map((line) => Array.from(line).length));
      expect(widest).toBeLessThanOrEqual(columns);
      if (columns === 80)
        expect(stdout).toContain('figshare Academic Research System (figshare.ars)');
    }
  });

  it('warns of a copy that lacks what it counts by', async () => {
    const emulator = await emulate();
    const names = newDirectory();
    const asNames = ['--filter', 'affiliation=false', '--filter', 'publisher=false'];
    await emulator.run(['dois', 'harvest', '--dir', names, '--mine', ...asNames]);
    const lacking = 'affiliation,creators.ror,provider,publisher_ror';
    const { stderr } = await emulator.run(['dois', 'stats', '--dir', names, '--by', lacking]);
    expect(stderr.match(/^warning: .*$/gm)).toEqual([
      'warning: this copy holds affiliations as names, without ROR ids; a new copy has them',
      'warning: this copy was harvested without --detail: it holds no provider; a new copy with it does',
      'warning: this copy holds publishers as names, without ROR ids; a new copy has them',
    ]);
  });

  it('is the same in each format, at the service and in a copy', async () => {
    const emulator = await emulate({ records: 900 });
    const [dir, out] = [newDirectory(), join(temporaryDirectory(), 'report.html')];
    await emulator.run(['dois', 'harvest', '--mine', '--dir', dir]);
    await emulator.run(['dois', 'stats', '--mine', '--out', out]);
    const page = readFileSync(out, 'utf8');
    const names = 'completeness,state,type,year,created,client,license,affiliation';
    const by = ['--by', names];
    const stats = await statsOf(emulator, '--mine', ...by);
    const copy = await statsOf(emulator, '--dir', dir, ...by);
    const csv = await emulator.run(['dois', 'stats', '--mine', ...by, '--format', 'csv']);
    const table = await emulator.run(['dois', 'stats', '--mine', ...by, '--format', 'table']);
    for (const { by, buckets } of stats.groups) {
      for (const { id, title, count } of buckets) {
        expect(group(copy, by)?.buckets.find((one) => one.id === id)?.count).toBe(count);
        expect(page).toMatch(new RegExp(`<bdi>[^<]*</bdi></th><td>${count}</td>`));
        expect(csv.stdout).toMatch(new RegExp(`^${by},${id},.*,${count}$`, 'm'));
        expect(table.stdout).toMatch(new RegExp(`${title.slice(0, 8)}.* ${count}  `));
      }
    }
    const count = (id: string) =>
      group(stats, 'completeness')?.buckets.find((bucket) => bucket.id === id)?.count ?? -1;
    const none = group(stats, 'license')?.rest.find(({ what }) => what === 'none')?.count;
    expect(count('license')).toBe(stats.total - (none ?? 0));
    expect(group(copy, 'affiliation')?.rest).toEqual([
      { what: 'none', count: stats.total - count('ror') },
    ]);
    expect(group(copy, 'affiliation')?.buckets[0]?.title).toMatch(/[^/]{8} /);
    expect(page).toContain(`<h1>Demonstration Repository: ${stats.total} DOIs</h1>`);
  });

  it('counts completeness in a copy only, where the service has too many records to read', async () => {
    const emulator = await emulate({ records: 10_001 });
    expect(await emulator.run(['dois', 'stats', '--by', 'completeness'])).toMatchObject({
      code: 2,
      stderr: /10,001 DOIs is counted in a copy only[\s\S]*harvest --dir copy/,
    });
    const { code, stderr } = await emulator.run(['dois', 'stats', '--format', 'html']);
    expect([code, stderr]).toEqual([0, /is counted in a copy only/]);
  });

  it('names an affiliation by the most frequent of its names', async () => {
    const emulator = await emulate({ records: 0 });
    const dir = newDirectory();
    const record = (name: string) => ({
      prefix: '10.5072',
      creators: [
        {
          name: 'A',
          affiliation: [
            {
              name,
              affiliationIdentifier: 'https://ror.org/01ggx4157',
              affiliationIdentifierScheme: 'ROR',
              schemeUri: 'https://ror.org',
            },
          ],
        },
      ],
    });
    const stdin = ['CERN Library', 'CERN', 'CERN'].map((name) => JSON.stringify(record(name)));
    const created = await emulator.run(['dois', 'create', '--file', '-', '--no-validate'], {
      stdin: stdin.join('\n'),
    });
    expect(created.code).toBe(0);
    await emulator.run(['dois', 'harvest', '--dir', dir, '--mine']);
    const bucket = { id: 'ror.org/01ggx4157', title: 'CERN', count: 3 };
    for (const source of [['--dir', dir], ['--mine']]) {
      const stats = await statsOf(emulator, '--by', 'affiliation', ...source);
      expect(group(stats, 'affiliation')?.buckets).toEqual([bucket]);
    }
  });

  it.each(['html', 'json', 'csv'])(
    'writes --out by its ending .%s, and no other file',
    async (ending) => {
      const emulator = await emulate();
      const out = join(temporaryDirectory(), `report.${ending}`);
      const { code, stdout, stderr } = await emulator.run([
        ...'dois stats --mine --out'.split(' '),
        out,
      ]);
      expect([code, stdout, stderr]).toEqual([0, '', `wrote ${out}\n`]);
      expect(readdirSync(dirname(out))).toEqual([basename(out)]);
      const text = readFileSync(out, 'utf8');
      expect(text).toMatch(
        {
          html: /^<!doctype html>[\s\S]*<table>/,
          json: /^\{\n/,
          csv: /^by,id,title,count\nstate,/,
        }[ending] ?? /x/,
      );
    },
  );

  it.each<[string[], RegExp]>([
    [['--by', 'typ'], /'typ' is nothing to count by; did you mean 'type'\?/],
    [['--by', 'published'], /'published' is nothing to count by/],
    [['--out', 'x.txt'], /the ending does not tell the format/],
    [['--out', 'x.html.gz'], /the ending does not tell the format/],
    [['--dir', '/nonexistent/x'], /there is no harvest/],
    [['--filter', 'facets=states'], /the filter facets has no meaning for stats/],
    [['--filter', 'ids=10.5072/x'], /the filter ids has no meaning for stats/],
    [['--by', 'publisher'], /does not count by publisher: only a copy/],
    [['--by', 'funding.founder'], /did you mean 'funding\.funder'/],
    [['--created', '2999-01-01..'], /is in the future/],
  ])('refuses %j before any request', async (argv, message) => {
    const emulator = await emulate();
    const result = await emulator.run(['dois', 'stats', ...argv]);
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: message });
    expect(await emulator.log()).toEqual([]);
  });

  it.each([
    ['--state', 'findable'],
    ['--resource-type-id', 'Dataset,journal-article'],
    ['--client-id', 'DEMO.REPO,cern.zenodo'],
    ['--provider-id', 'demo', '--client-id', 'cern.zenodo'],
    ['--prefix', '10.5072', '--state', 'draft,registered'],
    ['--created', '2019..2021'],
    ['--registered', '2020'],
    ['--updated', '2024-02..', '--created', '..2025-05-01T00:00:00Z'],
  ])('counts of a copy what the service finds with %s %s', async (...filters) => {
    const emulator = await emulate({ records: 900 });
    const { service } = await bothOf(emulator, '--by', 'state,type,client', ...filters);
    expect(service.total).toBeGreaterThan(0);
    expect(service.total).toBeLessThan(900);
  });

  it.each<[string[], RegExp]>([
    [['--query', 'lake'], /--query cannot be applied to a copy/],
    [['--query', ''], /./],
    [['--mine'], /--mine cannot be applied to a copy.*\n.*--client-id/],
    [['--filter', 'user-id=lake'], /the filter user-id cannot be applied to a copy/],
    [['--filter', 'colour=red'], /the filter colour cannot be applied to a copy/],
    [['--updated', '2999'], /is in the future/],
  ])('refuses %j for a copy', async (filters, message) => {
    const emulator = await emulate({ records: 900 });
    const dir = await sharedCopy(emulator);
    const asked = (await emulator.log()).length;
    const result = await emulator.run(['dois', 'stats', '--dir', dir, ...filters]);
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: message });
    expect(await emulator.log()).toHaveLength(asked);
  });

  it('refuses a filter on what the records of a copy do not have', async () => {
    const emulator = await emulate();
    const [plain, sparse] = [newDirectory(), newDirectory()];
    await emulator.run(['dois', 'harvest', '--dir', plain]);
    await emulator.run(['dois', 'harvest', '--dir', sparse, '--fields', 'titles,state']);
    const tried = [
      [plain, '--provider-id', 'demo', 'provider'],
      [sparse, '--client-id', 'demo.repo', 'client'],
      [sparse, '--created', '2020', 'created'],
    ];
    for (const [dir = '', option = '', value = '', what = ''] of tried) {
      const { code, stderr } = await emulator.run(['dois', 'stats', '--dir', dir, option, value]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`its records have no ${what}`)]);
    }
    expect((await statsOf(emulator, '--dir', sparse, '--state', 'draft')).total).toBeGreaterThan(0);
    const argv = ['dois', 'stats', '--dir', sparse, '--by', 'state,title,license'];
    const { stderr } = await emulator.run(argv);
    expect(stderr).toMatch(/^warning: .* --fields titles,state: it holds no license\n$/);
  });

  it('counts a copy by any column, and says how many records lack it', async () => {
    const emulator = await emulate({ records: 900 });
    const dir = await sharedCopy(emulator);
    const names =
      'publisher,creators.orcid,creators.ror,funding.funder,related.relation,licenses.license,updated,sizes';
    const stats = await statsOf(emulator, '--dir', dir, '--by', names, '--state', 'findable');
    const { stdout } = await emulator.run(['dois', 'list', '--all', '--state', 'findable']);
    type Listed = { attributes: Metadata.Attributes & { updated: string } };
    const lines = jsonLines<Listed>(stdout);
    expect(stats.total).toBe(lines.length);
    const lacking = (by: string) =>
      group(stats, by)?.rest.find(({ what }) => what === 'none')?.count ?? 0;
    const withOrcid = lines.filter(({ attributes }) =>
      /orcid\.org\/\d/.test(JSON.stringify(attributes.creators)),
    );
    expect(lacking('creators.orcid')).toBe(lines.length - withOrcid.length);
    expect(withOrcid.length).toBeGreaterThan(0);
    const unfunded = lines.filter(
      ({ attributes }) => (attributes.fundingReferences ?? []).length === 0,
    );
    expect(lacking('funding.funder')).toBe(unfunded.length);
    const nameOf = ({ publisher }: Metadata.Attributes) =>
      typeof publisher === 'string' ? publisher : publisher?.name;
    const publishers = new Set(lines.map(({ attributes }) => nameOf(attributes)));
    expect(group(stats, 'publisher')?.values).toBe(publishers.size);
    for (const { id, count } of group(stats, 'updated')?.buckets ?? []) {
      expect([id, count]).toEqual([
        id,
        lines.filter(({ attributes }) => attributes.updated.startsWith(id)).length,
      ]);
    }
    const table = await emulator.run([
      ...'dois stats --by creators.orcid --format table --dir'.split(' '),
      dir,
    ]);
    expect(table.stdout).toMatch(/\(none\) +\d+ +\d+ %/);
  });
});
