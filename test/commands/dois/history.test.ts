import { describe, expect, it } from 'vitest';
import { emulate } from '../../helpers/emulator.ts';
import { run } from '../../helpers/run.ts';
import { type Answer, answer, serve } from '../../helpers/server.ts';

const activity = (version: number, more: object = {}) => ({
  id: `request-${version}`,
  type: 'activities',
  attributes: {
    'prov:wasGeneratedBy': `https://api.datacite.org/activities/request-${version}`,
    'prov:generatedAtTime': '2026-01-02T03:04:05.000Z',
    'prov:wasDerivedFrom': 'https://api.datacite.org/dois/10.5072/a',
    'prov:wasAttributedTo': 'https://api.datacite.org/repositories/demo.repo',
    action: version === 1 ? 'create' : 'update',
    version,
    changes: {
      url: ['https://a.example/', 'https://b.example/'],
      aasm_state: ['draft', 'findable'],
    },
    ...more,
  },
});

/** The service, which answers everybody as it answers an anonymous reader (service.md, O7). */
const anonymously = (body: unknown): Answer =>
  answer(200, body, { 'x-anonymous-consumer': 'true' });
const page = (number: number, data: readonly unknown[], total: number) =>
  anonymously({ data, meta: { total, totalPages: 1, page: number }, links: {} });

const history = async (answers: readonly Answer[], ...more: string[]) => {
  const { url, asked } = await serve(...answers);
  const env = { DOI_CLI_BASE_URL: url.href, DOI_CLI_REPOSITORY: 'A.B', DOI_CLI_PASSWORD: 'secret' };
  const argv = ['dois', 'history', '10.5072/A', '--retries', '0', ...more];
  return { asked, ...(await run(argv, { env })) };
};

describe('dois history', () => {
  it('prints each change on a line, and sends no credentials', async () => {
    const made = await history([page(1, [activity(1), activity(2)], 2)]);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(
      made.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([activity(1), activity(2)]);
    expect(made.asked).toHaveLength(1);
    expect(made.asked[0]?.headers.authorization).toBeUndefined();
    const { pathname, searchParams } = new URL(made.asked[0]?.url ?? '', 'http://x');
    expect(pathname).toBe('/dois/10.5072%2Fa/activities');
    expect(Object.fromEntries(searchParams)).toEqual({
      sort: 'created',
      publisher: 'true',
      'page[size]': '100',
      'page[number]': '1',
    });
  });

  it('tells what was written, of a Draft too', async () => {
    const emulator = await emulate();
    const attributes = JSON.stringify({ doi: '10.5072/x', titles: [{ title: 'A' }] });
    await emulator.run(['dois', 'create', '--file', '-'], { stdin: attributes });
    await emulator.run(['dois', 'update', '10.5072/x', '--set', 'version=2']);
    const { stdout } = await emulator.run(['dois', 'history', '10.5072/X', '--format', 'csv']);
    expect(stdout.split('\n').map((line) => line.replace(/^[^,]*,/, ''))).toEqual([
      'version,action,account,changed',
      expect.stringMatching(/^1,create,demo\.repo,.*titles/),
      '2,update,demo.repo,version',
      '',
    ]);
  });

  it('is a table of who changed what', async () => {
    const { stdout } = await history([page(1, [activity(1)], 1)], '--format', 'csv');
    expect(stdout).toBe(
      'time,version,action,account,changed\n2026-01-02T03:04:05.000Z,1,create,demo.repo,"url, state"\n',
    );
    const odd = [activity(1, { changes: null, 'prov:wasAttributedTo': null, version: null })];
    expect((await history([page(1, odd, 1)], '--format', 'csv')).stdout).toContain('Z,,create,,\n');
  });

  it('counts pages itself, and reads them to the end', async () => {
    const made = await history([page(1, [activity(1), activity(2)], 3), page(2, [activity(3)], 3)]);
    expect(made.code).toBe(0);
    expect(made.stdout.match(/\n/g)).toHaveLength(3);
    expect(made.asked[1]?.url).toContain(encodeURIComponent('page[number]=2').replace('%3D', '='));
  });

  it('says that nothing is known', async () => {
    const { code, stdout, stderr } = await history([page(1, [], 0)]);
    expect([code, stdout, stderr]).toEqual([0, '', 'the service knows no history of 10.5072/A\n']);
  });

  it.each<[string, readonly Answer[], number, RegExp]>([
    [
      'fewer changes than it counts',
      [page(1, [activity(1)], 2), page(2, [], 2)],
      3,
      /counts 2 .*only 1/,
    ],
    [
      'the same page again',
      [page(1, [activity(1)], 2), page(1, [activity(1)], 2)],
      3,
      /on two pages/,
    ],
    ['no total', [anonymously({ data: [] })], 5, /not a list of changes/],
    [
      'a change without an id',
      [anonymously({ data: [{ attributes: {} }], meta: { total: 1 } })],
      5,
      /not a list/,
    ],
    [
      'an object',
      [anonymously({ data: activity(1), meta: { total: 1 } })],
      5,
      /not a list of changes/,
    ],
  ])('does not print %s', async (_, answers, expected, message) => {
    const { code, stdout, stderr } = await history(answers);
    expect([code, stdout, stderr]).toEqual([expected, '', expect.stringMatching(message)]);
  });
});
