import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/errors.ts';
import { WalkTotals } from '../../../src/harvest/walk/walk-totals.ts';
import { pageOf } from '../../helpers/pages.ts';

/**
 * The verdict on pages given as records, repeats and total, `2 of 3; 1+1 of ?`: its notes, or its
 * error.
 * @param now the service's count when it is asked once more; undefined fails a test that must not
 *   ask.
 */
async function verdict(
  pages: string,
  now?: number | Error,
  share = { before: 0, asked: Number.POSITIVE_INFINITY },
): Promise<string> {
  const totals = new WalkTotals();
  for (const text of pages.split('; ')) {
    const [, given, repeated = '0', named = '?'] = /^(\d+)(?:\+(\d+))? of (.+)$/.exec(text) ?? [];
    const [count, repeats] = [Number(given), Number(repeated)];
    const total = named === '?' ? undefined : JSON.parse(named);
    const page = pageOf({
      data: Array.from({ length: count + repeats }, () => ({})),
      meta: { total },
    });
    totals.addPage({ page, count });
  }
  const ask = async () => {
    if (now instanceof Error) throw now;
    if (now === undefined) throw new Error('asked for the count once more');
    return now;
  };
  return totals.compare(ask, share).then(
    (notes) => notes.join('; '),
    (error: CliError) => `${error.kind}: ${error.message}`,
  );
}

const unusable = new CliError(
  'unexpected',
  'the service gave no usable count of DOIs (meta.total)',
);

describe('the verdict of a walk', () => {
  it.each([
    ['every record came', '2 of 3; 1 of 3', undefined, ''],
    ['nothing matches', '0 of 0', 0, ''],
    ['a record came twice', '2 of 3; 1+1 of 3', undefined, '1 repeated record left out'],
    [
      'records were added',
      '2 of 3; 2 of 4',
      4,
      'the total moved from 3 to 4 DOIs during the harvest',
    ],
    ['a record was hidden before it came', '2 of 4; 1 of 3', 3, 'the total moved from 4 to 3 DOIs'],
    ['a record was hidden after it came', '2 of 4; 2 of 3', 3, 'the total moved from 4 to 3 DOIs'],
    ['a page in between names nonsense', '2 of 4; 2 of 0; 0 of 4', 4, ''],
    ['no page has a total, and the count has', '2 of ?', 2, ''],
  ] as const)('is good when %s', async (_, pages, now, notes) => {
    expect(await verdict(pages, now)).toMatch(notes === '' ? /^$/ : new RegExp(`^${notes}`));
  });

  it.each([
    ['too few', '2 of 36409', 36_409, /counts 36,409 DOIs, but gave only 2$/],
    ['too many', '4 of 3', 3, /counts 3 DOIs, but gave 4$/],
    [
      'a repeat in place of a record',
      '2 of 3; 0+1 of 3',
      3,
      /gave only 2; 1 repeated record left out$/,
    ],
    [
      'fewer than both counts',
      '1 of 4; 1 of 3',
      3,
      /first counted 4, then 3 DOIs, but gave only 2$/,
    ],
    [
      'totals that shrink with what arrives',
      '2 of 9; 2 of 4',
      9,
      /counts 9 DOIs, but gave only 4$/,
    ],
    ['totals that grow with what arrives', '2 of 2; 2 of 4', 9, /counts 9 DOIs, but gave only 4$/],
    [
      'a count that excuses too much',
      '2 of 9; 2 of 0',
      0,
      /first counted 9, then 0 DOIs, but gave only 4$/,
    ],
    ['a nonsense total in between', '2 of 9; 2 of 0; 2 of 9', 9, /counts 9 DOIs, but gave only 6$/],
    [
      'no total at all',
      '2 of ?',
      unusable,
      /no usable count .*unknown whether more than 2 DOIs match$/,
    ],
  ] as const)('is incomplete at %s', async (_, pages, now, message) => {
    expect(await verdict(pages, now)).toMatch(/^incomplete: /);
    expect(await verdict(pages, now)).toMatch(message);
  });

  it.each(['3', 3.5, -3, 1e300, null, true, [3], { total: 3 }])(
    'asks again where the total is %j',
    async (total) => {
      expect(await verdict(`3 of ${JSON.stringify(total)}`, 3)).toBe('');
      expect(await verdict(`3 of 3; 0 of ${JSON.stringify(total)}`, 9)).toMatch(/^incomplete: /);
    },
  );

  it('compares a part of a list with the part of the total that it covers', async () => {
    const part = { before: 10, asked: 5 };
    expect(await verdict('5 of 99', undefined, part)).toBe('');
    expect(await verdict('5 of ?', undefined, part)).toBe('');
    expect(await verdict('2 of 12', undefined, part)).toBe('');
    expect(await verdict('0 of 7', undefined, part)).toBe('');
    expect(await verdict('4 of 99', 99, part)).toMatch(/gave only 4 of the 5 asked for/);
    expect(await verdict('2 of ?', 12, part)).toBe('');
  });

  it('passes on why the service could not count', async () => {
    const down = new CliError('unavailable', 'HTTP 503');
    expect(await verdict('2 of 9', down)).toBe('unavailable: HTTP 503');
  });
});
