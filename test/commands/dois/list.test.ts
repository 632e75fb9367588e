import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { against } from '../../helpers/against.ts';
import { emulate, PASSWORD, REPOSITORY, type TestEmulator } from '../../helpers/emulator.ts';
import { idsIn, jsonLines } from '../../helpers/json-lines.ts';
import { answer } from '../../helpers/server.ts';
import { temporaryDirectory } from '../../helpers/temporary.ts';

const lines = (text: string) => text.split('\n').filter((line) => line !== '');

/** Compares lines with the records of a query as the service spells them, with nothing but fetch. */
async function expectAll({ baseUrl }: TestEmulator, query: string, stdout: string): Promise<void> {
  const printed = lines(stdout);
  let index = 0;
  const paging = 'disable-facets=true&page[size]=100&page[cursor]=1';
  let url: string | undefined =
    `${baseUrl}/dois?${query}&affiliation=true&publisher=true&${paging}`;
  while (url !== undefined) {
    const text = await (await fetch(url)).text();
    const document = JSON.parse(text) as { data: unknown[]; links: { next?: string } };
    for (const record of document.data) {
      const line = printed[index] ?? 'null';
      expect(JSON.parse(line)).toEqual(record);
      expect(text.includes(line), `record ${index} is spelled as it was sent`).toBe(true);
      index += 1;
    }
    url = document.links.next;
  }
  expect(printed).toHaveLength(index);
}

describe('dois list --all', () => {
  it('asks a wrong address no more often for smaller pages', async () => {
    const page = answer(200, '<html></html>', { 'content-type': 'text/html' });
    const { code, asked } = await against(['dois', 'list', '--all', '--anonymous'], page);
    expect([code, asked.length]).toEqual([5, 3]);
  });

  it('prints every record of a query, exactly as the service sent it', async () => {
    const emulator = await emulate();
    const { code, stdout, stderr } = await emulator.anonymous([
      ...['dois', 'list', '--all', '--provider-id', 'cern', '--page-size', '7'],
    ]);
    expect(code).toBe(0);
    await expectAll(emulator, 'provider-id=cern', stdout);
    expect(lines(stdout).length).toBeGreaterThan(20);
    expect(stderr).toMatch(new RegExp(`^${lines(stdout).length} DOIs in \\d+ s\n$`));
    const one = await emulator.anonymous('dois list --all --provider-id cern --limit 1'.split(' '));
    expect(one.stderr).toMatch(new RegExp(`^1 of ${lines(stdout).length} DOIs in \\d+ s\n$`));
  });
  it('is empty where nothing matches', async () => {
    const { anonymous } = await emulate();
    const empty = ['dois', 'list', '--all', '--client-id', 'no.body'];
    expect(await anonymous(empty)).toMatchObject({ code: 0, stdout: '', stderr: /^0 DOIs/ });
    expect((await anonymous([...empty, '--format', 'json'])).stdout).toBe('[]\n');
  });
});

describe('dois list', () => {
  it('prints one page and says what it is a part of', async () => {
    const { anonymous } = await emulate();
    const { code, stdout, stderr } = await anonymous(['dois', 'list']);
    expect([code, idsIn(stdout).length]).toEqual([0, 25]);
    expect(stderr).toMatch(
      /^25 of \d{3} DOIs, page 1 of 1\d: --page 2 shows more, --all lists every one\n$/,
    );
    expect((await anonymous(['dois', 'list', '--quiet'])).stderr).toBe('');
  });
  it('counts, pages and sorts as the service does', async () => {
    const { anonymous } = await emulate();
    const count = Number((await anonymous(['dois', 'list', '--count'])).stdout);
    const first = idsIn((await anonymous(['dois', 'list', '--limit', '60'])).stdout);
    const second = idsIn(
      (await anonymous(['dois', 'list', '--page', '2', '--page-size', '30'])).stdout,
    );
    expect(second).toEqual(first.slice(30));
    const newest = await anonymous(['dois', 'list', '--sort', '-created', '--limit', '1000']);
    expect(idsIn(newest.stdout)).toHaveLength(count);
    const created = jsonLines(newest.stdout).map(({ attributes }) => attributes.created);
    expect(created).toEqual([...created].sort().reverse());
    expect((await anonymous(['dois', 'list', '--page-size', '0'])).stdout).toBe('');
  });
  it('prints a table on a terminal, in its width, and elsewhere uncut', async () => {
    const { anonymous } = await emulate();
    const wide = await anonymous(['dois', 'list', '--format', 'table']);
    expect(wide.stdout).toMatch(/^DOI +STATE +YEAR +TYPE +TITLE\n/);
    expect(wide.stdout).not.toContain('…');
    const narrow = await anonymous(['dois', 'list', '--no-color'], {
      terminal: { stdout: true, columns: 90 },
    });
    expect(narrow.stdout).toMatch(/^DOI +STATE/);
    expect(narrow.stdout).toContain('…');
    expect(narrow.stdout).not.toContain('\u001b');
  });
  it('narrows to the account in use with --mine, whatever the credentials', async () => {
    const { run, anonymous, newKey } = await emulate();
    const { key } = await newKey('k');
    const mine = await run(['dois', 'list', '--all', '--mine']);
    expect(mine.code).toBe(0);
    const clients = jsonLines(mine.stdout).map(({ relationships }) => relationships.client.data.id);
    expect(new Set(clients)).toEqual(new Set(['demo.repo']));
    const withKey = await anonymous(['dois', 'list', '--all', '--mine'], {
      env: { DOI_CLI_API_KEY: key },
    });
    expect(withKey.stdout).toBe(mine.stdout);
    expect(await anonymous(['dois', 'list', '--mine'])).toMatchObject({
      code: 4,
      stderr: /needs credentials.*\nhint: .*doi-cli auth login\n/,
    });
    expect((await anonymous(['dois', 'list', '--mine', '--anonymous'])).stderr).toContain(
      'hint: name the account with --client-id',
    );
  });
  it('notes what a list with credentials holds', async () => {
    const { run } = await emulate();
    const other = /Draft and Registered records of other repositories/;
    expect((await run(['dois', 'list'])).stderr).toMatch(other);
    for (const narrower of [
      ['--mine'],
      ['--state', 'findable'],
      ['--client-id', 'a.b'],
      ['--anonymous'],
    ]) {
      expect((await run(['dois', 'list', ...narrower])).stderr).not.toMatch(other);
    }
  });
  it('lists the records of a member with --mine, also for a harvest', async () => {
    const { run, log } = await emulate({
      accounts: [
        { id: REPOSITORY, password: PASSWORD },
        { id: 'DEMO', password: 'member' },
      ],
    });
    const env = { DOI_CLI_REPOSITORY: 'DEMO', DOI_CLI_PASSWORD: 'member' };
    const mine = await run(['dois', 'list', '--mine', '--count'], { env });
    expect(Number(mine.stdout)).toBeGreaterThan(0);
    expect(mine.stdout).toBe(
      (await run(['dois', 'list', '--count', '--provider-id', 'demo'])).stdout,
    );
    const dir = join(temporaryDirectory(), 'mine');
    expect(await run(['dois', 'harvest', '--mine', '--dir', dir], { env })).toMatchObject({
      code: 0,
    });
    const paths = (await log()).map(({ path }) => path);
    expect(paths.filter((path) => path.includes('client-id'))).toEqual([]);
    expect(paths.at(-1)).toContain('provider-id=demo');
  });
  it('says that filters widen each other', async () => {
    const { run } = await emulate();
    const list = ['dois', 'list', '--mine', '--filter'];
    expect((await run([...list, 'has-funder=true'])).stderr).toMatch(
      /match any one of .*has-funder/,
    );
    expect((await run([...list, 'has-person=true'])).stderr).not.toMatch(/match any one of/);
  });
  it('warns of a filter that the service would ignore', async () => {
    const { anonymous } = await emulate();
    expect((await anonymous(['dois', 'list', '--filter', 'provider=cern'])).stderr).toMatch(
      /warning: .*filter 'provider'/,
    );
  });
  it.each([
    [['--page-size', '1001'], /from 0 to 1000/],
    [['--page', '0'], /from 1/],
    [['--all', '--sort', 'name'], /--sort/],
    [['--count', '--limit', '1'], /--limit/],
    [['--mine', '--client-id', 'a.b'], /cannot be used with .*--client-id/],
    [['--filter', 'has-affiliation=false'], /has-affiliation takes only true/],
    [['--out', '/nonexistent/folder/x'], /folder/],
  ])('refuses %j before any request', async (args, message) => {
    const { anonymous, log } = await emulate();
    const { code, stdout, stderr } = await anonymous(['dois', 'list', ...args]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    // The message of a wrong value says what is right.
    expect(/^hint: /m.test(stderr)).toBe(
      !/^error: (option )?'?-.* <.+>.*: |^error: the filter \S+ takes|argument .* is invalid/m.test(
        stderr,
      ),
    );
    expect(await log()).toEqual([]);
  });
});

describe('dois list, of a service that errs', () => {
  it('prints what it says where it answers 200 all the same', async () => {
    const words = answer(200, { errors: [{ title: 'index is\nerror: closed' }] });
    const stderr = 'error: index is error: closed\n';
    for (const more of [[], ['--all'], ['--count']])
      expect(await against(['dois', 'list', ...more], words)).toMatchObject({ code: 1, stderr });
  });
  it('leaves valid JSON behind when it stops', async () => {
    const links = { next: '/dois?page[cursor]=x' };
    const page = answer(200, { data: [{ id: 'a', type: 'dois' }], meta: { total: 2 }, links });
    const argv = ['dois', 'list', '--all', '--page-size', '1', '--format', 'json'];
    const { code, stdout, stderr } = await against(argv, [page, answer(400, {})]);
    expect([code, JSON.parse(stdout)]).toEqual([3, [{ id: 'a', type: 'dois' }]]);
    expect(JSON.parse(stderr)).toMatchObject({ error: { kind: 'incomplete', status: 400 } });
  });
  it.each(['csv', 'json', 'ndjson', 'table'])('cannot drive a terminal by %s', async (format) => {
    const title = 'a\u001b[2J\u009b31m\u202e';
    const data = [{ id: '10.1/x', attributes: { titles: [{ title }] } }];
    const argv = ['dois', 'list', '--format', format, '--no-color'];
    const list = answer(200, { data, meta: { total: 1 } });
    const { stdout } = await against(argv, list, { terminal: { stdout: true } });
    expect(stdout).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
    if (format.endsWith('json')) expect([JSON.parse(stdout)].flat()).toEqual(data);
  });
  it('is not asked for states that an anonymous reader does not see', async () => {
    const { anonymous, log } = await emulate();
    const refused = { code: 4, stderr: /only Findable/ };
    for (const state of ['draft', 'findable,registered'])
      expect(await anonymous(['dois', 'list', '--state', state])).toMatchObject(refused);
    expect(await log()).toEqual([]);
  });
});
