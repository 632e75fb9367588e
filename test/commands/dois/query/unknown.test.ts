import { expect, it } from 'vitest';
import { emulate } from '../../../helpers/emulator.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

const COUNT = ['dois', 'list', '--count'];
const STATS = ['dois', 'stats', '--by', 'state', '--format', 'json'];
const NONE = ['--query', 'titles.title:nosuchtitle'];

it.each<[string, string[], RegExp | '']>([
  [
    'a repository',
    [...COUNT, '--client-id', 'nosuch.repo'],
    /^warning: the service knows no repository nosuch.repo\n$/,
  ],
  [
    'a provider',
    [...COUNT, '--provider-id', 'nosuch'],
    /^warning: the service knows no provider nosuch\n$/,
  ],
  [
    'one of several',
    [...COUNT, '--client-id', 'demo.repo,nosuch.repo', ...NONE],
    /^warning: .* nosuch.repo\n$/,
  ],
  ['statistics', [...STATS, '--client-id', 'nosuch.repo'], /knows no repository nosuch.repo/],
  ['a list', ['dois', 'list', '--provider-id', 'nosuch'], /knows no provider nosuch\n$/],
  ['a whole list', ['dois', 'list', '--all', '--provider-id', 'nosuch'], /no provider nosuch\n$/],
  [
    'an estimate',
    ['dois', 'harvest', '--estimate', '--provider-id', 'nosuch'],
    /knows no provider nosuch\n$/,
  ],
  ['a repository that it knows', [...COUNT, '--client-id', 'DEMO.REPO', ...NONE], ''],
  ['a provider that it knows', [...COUNT, '--provider-id', 'cern', ...NONE], ''],
  ['no account', [...COUNT, ...NONE], ''],
])(
  'a query that finds nothing of %s says what the service does not know',
  async (_, argv, message) => {
    const service = await emulate();
    const { code, stdout, stderr } = await service.anonymous(argv);
    expect([code, stdout]).toEqual([0, /^$|^0\n$|"total": 0|^DOIs +0\n/]);
    if (message === '') expect(stderr).toBe('');
    else expect(stderr).toMatch(message);
  },
);

it('a harvest of nothing says so, and what the service does not know', async () => {
  const argv = ['dois', 'harvest', '--dir', temporaryDirectory(), '--provider-id', 'nosuch'];
  const { code, stderr } = await (await emulate()).anonymous(argv);
  const warnings =
    'warning: no DOI matches the query\nwarning: the service knows no provider nosuch\n';
  expect([code, stderr.replace(/in \d+ s/, '')]).toEqual([0, `${warnings}0 DOIs ; complete\n`]);
});

it('a query that finds something asks for nothing more, and a failure is no warning', async () => {
  const service = await emulate();
  await service.anonymous([...COUNT, '--client-id', 'demo.repo']);
  expect(await service.log()).toHaveLength(1);
  await service.control('faults', { faults: ['500@2', '500@3'] });
  const { code, stdout, stderr } = await service.anonymous([
    ...COUNT,
    '--client-id',
    'nosuch.repo',
  ]);
  expect([code, stdout, stderr]).toEqual([0, '0\n', '']);
});
