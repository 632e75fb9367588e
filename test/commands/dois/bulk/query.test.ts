import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stopReason } from '../../../../src/errors.ts';
import type { LineResult } from '../../../../src/writing/ledger/entry.ts';
import { emulate, PASSWORD, REPOSITORY, type TestEmulator } from '../../../helpers/emulator.ts';
import { COMPLETE_RECORD } from '../../../helpers/records.ts';
import { sharedDirectory } from '../../../helpers/temporary.ts';

const OTHER = { DOI_CLI_REPOSITORY: 'DEMO.OTHER', DOI_CLI_PASSWORD: 'other' };
const MEMBER = { DOI_CLI_REPOSITORY: 'DEMO', DOI_CLI_PASSWORD: 'member' };
const TERMINAL = { stdin: true, stdout: true, stderr: true };
const folder = sharedDirectory();

const doi = (place: number) => `10.5072/${String(place).padStart(3, '0')}`;
const results = (stdout: string) =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LineResult);

/** Drafts of a repository, and one Draft of another repository of the same member. */
async function drafts(count: number): Promise<TestEmulator> {
  const accounts = [
    { id: REPOSITORY, password: PASSWORD },
    { id: 'DEMO.OTHER', password: 'other' },
    { id: 'DEMO', password: 'member' },
  ];
  const emulator = await emulate({ records: 0, accounts });
  const create = async (dois: readonly string[], env = {}) => {
    const lines = dois.map((doi) => `${JSON.stringify({ ...COMPLETE_RECORD, doi })}\n`);
    const stdin = lines.join('');
    const { code, stderr } = await emulator.run(['dois', 'create', '--file', '-'], { stdin, env });
    expect(code, stderr).toBe(0);
  };
  await create(Array.from({ length: count }, (_, place) => doi(place + 1)));
  await create(['10.5072/other'], OTHER);
  return emulator;
}

async function dois({ run }: TestEmulator, state: string): Promise<readonly string[]> {
  const list = ['dois', 'list', '--all', '--provider-id', 'demo', '--state', state];
  const { code, stdout, stderr } = await run([...list, '--fields', 'doi'], { env: MEMBER });
  expect(code, stderr).toBe(0);
  return results(stdout)
    .map(({ id }: LineResult & { readonly id?: string }) => id ?? '')
    .sort();
}

const writes = async ({ log }: TestEmulator) =>
  (await log()).filter(({ method }) => method === 'PUT').length;

const PUBLISH = ['dois', 'publish', '--where', 'state=draft'];
const ALL = ['--where', 'client-id=demo.repo'];

describe('a change of all DOIs of a query', () => {
  it('changes those of the account in use, and prints the result of each', async () => {
    const emulator = await drafts(3);
    const { code, stdout, stderr } = await emulator.run([...PUBLISH, '--yes']);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/^3 DOIs in .*: 3 published\n$/);
    const seen = results(stdout).map(({ line, doi, outcome }) => [line, doi, outcome]);
    expect(seen).toEqual([1, 2, 3].map((place) => [place, doi(place), 'published']));
    expect(await dois(emulator, 'findable')).toEqual([doi(1), doi(2), doi(3)]);
    expect(await dois(emulator, 'draft')).toEqual(['10.5072/other']);
  });

  it('sets a value, which the same command finds there the second time', async () => {
    const emulator = await drafts(3);
    const update = ['dois', 'update', ...ALL, '--set', 'language=de', '--yes'];
    expect(await emulator.run(update)).toMatchObject({ code: 0, stderr: /: 3 updated\n/ });
    expect(await emulator.run(update)).toMatchObject({ code: 0, stderr: /: 3 unchanged\n/ });
    expect(await writes(emulator)).toBe(3);
  });

  it('asks on a terminal, with their number', async () => {
    const emulator = await drafts(3);
    const no = await emulator.run(PUBLISH, { terminal: TERMINAL, stdin: 'n\n' });
    expect(no).toMatchObject({ code: 1, stderr: /Publish 3 DOIs of demo\.repo\? A registered/ });
    expect(await writes(emulator)).toBe(0);
    const yes = await emulator.run(PUBLISH, { terminal: TERMINAL, stdin: 'y\n' });
    expect(yes).toMatchObject({ code: 0, stderr: /3 published/ });
    const hide = ['dois', 'hide', ...ALL, '--reason', 'Withdrawn'];
    const hidden = await emulator.run(hide, { terminal: TERMINAL, stdin: 'y\n' });
    expect(hidden).toMatchObject({ code: 0, stderr: /Hide 3 DOIs of demo\.repo\?.*3 hidden/s });
    const set = ['dois', 'update', ...ALL, '--set', 'version=2'];
    const updated = await emulator.run(set, { terminal: TERMINAL, stdin: 'y\n' });
    expect(updated).toMatchObject({ code: 0, stderr: /Update 3 DOIs of demo\.repo\?.*3 updated/s });
  });

  it('shows what the first three DOIs would get before it asks about an update', async () => {
    const emulator = await emulate({ records: 0 });
    const records = [1, 2, 3, 4].map((n) => ({ doi: `10.5072/p${n}`, url: `https://a.org/${n}` }));
    const stdin = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    expect((await emulator.run(['dois', 'create', '--file', '-'], { stdin })).code).toBe(0);
    const argv = [
      'dois',
      'update',
      '--where',
      'state=draft',
      '--set',
      'url=https://b.org/{suffix}',
    ];
    const no = await emulator.run(argv, { terminal: TERMINAL, stdin: 'n\n' });
    expect(no.code).toBe(1);
    const [shown = ''] = no.stderr.split('Update 4 DOIs');
    expect(shown.match(/https:\/\/a\.org\/\d +https:\/\/b\.org\/p\d/g)).toHaveLength(3);
    expect(no.stdout).toBe('');
    const { attributes } = JSON.parse((await emulator.run(['dois', 'get', '10.5072/p1'])).stdout);
    expect(attributes.url).toBe('https://a.org/1');
  });

  it.each([
    [5, 2, '5 DOIs: 3 unchanged, 2 would change; nothing was sent yet'],
    [20, 3, '6 DOIs: 3 unchanged, 3 would change; nothing was sent yet'],
    [3, 0, '3 DOIs: 3 unchanged; nothing was sent yet'],
  ])('shows the first that change, after others: %s DOIs', async (count, rows, summary) => {
    const emulator = await emulate({ records: 0 });
    const records = Array.from({ length: count }, (_, place) => ({
      doi: doi(place),
      version: place < 3 ? '2' : '1',
    }));
    const stdin = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    expect(
      (await emulator.run(['dois', 'create', '--file', '-', '--jobs', '1'], { stdin })).code,
    ).toBe(0);
    const before = (await emulator.log()).length;
    const argv = ['dois', 'update', ...ALL, '--set', 'version=2'];
    const { code, stderr } = await emulator.run(argv, { terminal: TERMINAL, stdin: 'n\n' });
    expect([code, stderr]).toEqual([1, expect.stringContaining(summary)]);
    expect(stderr.match(/version +1 +2/g) ?? []).toHaveLength(rows);
    const reads = (await emulator.log())
      .slice(before)
      .filter(({ path }) => path.startsWith('/dois/'));
    expect(reads.length).toBeLessThanOrEqual(8);
  });

  it.each([['publish'], ['register'], ['hide'], ['update', '--set', 'version=2']])(
    'needs --yes where nobody can be asked, before any request: %s',
    async (...command) => {
      const emulator = await emulate({ records: 0 });
      const { code, stderr } = await emulator.run(['dois', ...command, ...ALL]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/asks for .*\nhint: .* --yes\n$/s)]);
      expect(await emulator.log()).toEqual([]);
    },
  );

  it('shows with --dry-run what would change', async () => {
    const emulator = await drafts(2);
    const { code, stdout, stderr } = await emulator.run([...PUBLISH, '--dry-run']);
    expect([code, stderr]).toEqual([0, '2 DOIs: 2 would change; nothing was sent (--dry-run)\n']);
    expect(results(stdout)).toMatchObject([{ changes: [{ after: 'findable' }] }, {}]);
    expect(await writes(emulator)).toBe(0);
  });

  it('ends well where no DOI matches, without a question', async () => {
    const emulator = await drafts(1);
    const hide = ['dois', 'hide', '--where', 'state=findable'];
    for (const options of [{}, { terminal: TERMINAL }]) {
      const yes = 'terminal' in options ? [] : ['--yes'];
      const { code, stdout, stderr } = await emulator.run([...hide, ...yes], options);
      expect([code, stdout]).toEqual([0, '']);
      expect(stderr).toMatch(/^no DOI of demo\.repo matches$/m);
    }
  });

  it.each([
    [['client-id=demo.other'], /only DOIs of demo\.repo, the account .* not of demo\.other/],
    [['client-id=demo.repo,x.y'], /not of x\.y\nhint: .*auth status shows/],
    [['provider-id=demo'], /not of demo\n/],
    [['ids=10.5072/other'], /--where: with the filter ids the service ignores all others/],
    [['stat=draft'], /'stat' is not a filter such as state=draft; did you mean 'state'\?/],
    [['state'], /--where state: '' is not a DOI state/],
    [['state=published'], /--where state: /],
    [['state=draft', 'state=findable'], /--where state is given twice/],
    [
      ['state=draft,created=2026-11'],
      /--where takes one filter\nhint: --where state=draft --where created=2026-11\n/,
    ],
    [['created=tomorrow'], /--where created: /],
    [['has-funder=true'], /--where: has-funder would add DOIs of other repositories/],
    [['random=true'], /--where: random selects no DOIs/],
    [['publisher=false'], /--where: publisher selects no DOIs/],
    [['sample=5'], /--where: sample selects no DOIs/],
    [['license=mit', 'license=cc-by-4.0'], /--where license is given twice/],
    [['toString=1'], /'toString' is not a filter such as state=draft/],
    [['state=draft', '10.5072/001'], /DOIs on the command line and --where exclude each other/],
    [['state=draft', '--file', 'dois.txt'], /--file and --where exclude each other/],
    [['state=draft', '--ledger', 'x'], /--ledger is for the records of a file\nhint: leave it out/],
  ])('refuses %j', async (words, message) => {
    const isFilter = (word: string) => /^[\w-]+=|^state$/.test(word) && !word.startsWith('-');
    const filters = words.flatMap((word) => (isFilter(word) ? ['--where', word] : [word]));
    const emulator = await drafts(1);
    for (const command of [['publish'], ['update', '--set', 'version=2']]) {
      const refused = await emulator.run(['dois', ...command, ...filters, '--yes']);
      expect(refused).toMatchObject({ code: 2, stdout: '', stderr: message });
    }
    expect(await writes(emulator)).toBe(0);
  });

  it('takes filters as people write them', async () => {
    const { run, log } = await drafts(1);
    for (const written of ['--subject=lake', 'subject = lake', '--subject = lake']) {
      const dryRun = ['dois', 'publish', '--where', written, '--where', 'client_id=demo.repo'];
      expect(await run([...dryRun, '--dry-run'])).toMatchObject({ code: 0, stderr: /no DOI/ });
      expect((await log()).at(-1)?.path).toMatch(/client-id=demo\.repo&subject=lake&/);
    }
  });

  it('takes no update without --set', async () => {
    const { run } = await emulate({ records: 0 });
    const update = ['dois', 'update', ...ALL, '--event', 'publish', '--yes'];
    expect(await run(update)).toMatchObject({
      code: 2,
      stderr: /an update with --where needs --set/,
    });
  });

  it('is refused for a member, which may only transfer DOIs', async () => {
    const emulator = await drafts(1);
    expect(await emulator.run([...PUBLISH, '--yes'], { env: MEMBER })).toMatchObject({
      code: 2,
      stderr: /demo is a .* \(provider\), which can only transfer DOIs/,
    });
    expect(await writes(emulator)).toBe(0);
  });

  it('sends nothing if the list is not complete', async () => {
    const emulator = await drafts(3);
    await emulator.control('faults', { faults: ['lose'] });
    const { code, stdout, stderr } = await emulator.run([...PUBLISH, '--yes']);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(/^error: .*; nothing was changed$/m);
    expect(await writes(emulator)).toBe(0);
  });

  it('finds out what a lost answer means', async () => {
    const emulator = await drafts(3);
    await emulator.control('faults', { faults: ['lost-answer@2', 'reset@1'] });
    const { code, stderr } = await emulator.run([...PUBLISH, '--yes', '--jobs', '1']);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/3 published/)]);
    expect(await dois(emulator, 'findable')).toHaveLength(3);
  });

  it('leaves what fails to the same command, and names each DOI', async () => {
    const emulator = await drafts(2);
    const bad = { doi: doi(9), titles: [{ title: 'No URL' }] };
    const stdin = JSON.stringify(bad);
    expect((await emulator.run(['dois', 'create', '--file', '-'], { stdin })).code).toBe(0);
    const { code, stdout, stderr } = await emulator.run([...PUBLISH, '--yes']);
    expect(code).toBe(1);
    expect(results(stdout).map(({ outcome }) => outcome)).toEqual(
      expect.arrayContaining(['published', 'published', 'failed']),
    );
    expect(stderr).toMatch(/^10\.5072\/009: error: /m);
    expect(stderr).toMatch(/hint: correct the DOIs that failed; the same command again changes/);
  });

  it('continues with what is left after a run that was stopped, and keeps no file', async () => {
    const emulator = await drafts(40);
    const own = join(folder, 'tmp');
    mkdirSync(own);
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = own;
    try {
      const stop = new AbortController();
      const published: string[] = [];
      const stdout = {
        write: async (...chunks: readonly unknown[]) => {
          published.push(...results(chunks.map(String).join('')).map(({ doi }) => doi ?? ''));
          if (published.length >= 5) stop.abort(stopReason('SIGTERM'));
        },
      };
      const { signal } = stop;
      const stopped = await emulator.run([...PUBLISH, '--yes', '--jobs', '1'], { stdout, signal });
      expect(stopped).toMatchObject({
        code: 143,
        stderr: /stopped: \d+ of 40 records are done\nhint: the same command again continues\n$/,
      });
      expect(readdirSync(own)).toEqual([]);
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
    const done = (await dois(emulator, 'findable')).length;
    expect(done).toBeGreaterThanOrEqual(5);
    const rest = await emulator.run([...PUBLISH, '--yes']);
    expect(rest).toMatchObject({ code: 0, stderr: new RegExp(`: ${40 - done} published`) });
    expect(await writes(emulator)).toBe(40);
    expect(await dois(emulator, 'findable')).toHaveLength(40);
  });
});
