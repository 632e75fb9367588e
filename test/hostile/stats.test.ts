import { describe, expect, it } from 'vitest';
import { against } from '../helpers/against.ts';
import { answer } from '../helpers/server.ts';

const NAMES = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onload='alert(1)",
  '</title></svg><iframe src="https://evil.example">',
  '&lt;script&gt;',
  '\u202egnp.exe \u001b[31mred\u0007\u0000',
  'x'.repeat(5000),
  '👩‍👩‍👧'.repeat(200),
];

// Other than a newline, or what reorders text.
const CONTROL = /[^\P{Cc}\n]|\u202e/u;

const facet = (counts: unknown) => ({
  data: [],
  meta: { total: 100, states: counts, clients: counts },
});
const buckets = NAMES.map((title, index) => ({ id: `id${index}`, title, count: 10 }));

const stats = (body: unknown, ...more: string[]) =>
  against(['dois', 'stats', '--by', 'state,client', '--retries', '1', ...more], answer(200, body), {
    terminal: { columns: 60 },
  });

describe('names of repositories', () => {
  it('are text in a report', async () => {
    const { code, stdout } = await stats(facet(buckets), '--format', 'html', '--query', '"<b>"');
    expect(code).toBe(0);
    // Only the page's own elements and attributes, whatever names say.
    const tags = [...stdout.matchAll(/<\/?([a-z0-9]+)((?:\s+[a-z-]+(?:="[^"<>]*")?)*)\s*\/?>/gi)];
    expect(stdout.match(/</g)?.length).toBe(tags.length + 1);
    const elements = new Set(tags.map(([, name = '']) => name.toLowerCase()));
    expect([...elements].sort()).toEqual([
      ...'bdi body caption code div footer h1 h2 head header html main meta p section'.split(' '),
      ...'span style table tbody td th thead title tr'.split(' '),
    ]);
    // The length of a bar is the only style.
    const others = tags.map(([, , attributes = '']) =>
      attributes.replace(/ style="width:\d+\.\d%"/, ''),
    );
    expect(others.filter((each) => /\s(on\w*|src|href|style)=/i.test(each))).toEqual([]);
    expect(stdout).toContain("default-src 'none'");
    expect(stdout).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(stdout).toContain('&amp;lt;script&amp;gt;');
    expect(stdout).not.toMatch(CONTROL);
    expect(stdout).not.toMatch(/https?:\/\/(?!127\.0\.0\.1|evil)/);
  });

  it.each(['table', 'csv'])(
    'control no terminal and make no line of their own (%s)',
    async (format) => {
      const { code, stdout } = await stats(facet(buckets), '--format', format);
      expect(code).toBe(0);
      expect(stdout).not.toMatch(CONTROL);
      expect(stdout.split('\n').length).toBeLessThan(2 * NAMES.length + 10);
    },
  );

  it('are no formulas in a spreadsheet', async () => {
    const buckets = [{ id: '=1+1', title: '=cmd|calc', count: 100 }];
    expect((await stats(facet(buckets), '--format', 'csv')).stdout).toContain(
      "client,'=1+1,'=cmd|calc,100\n",
    );
  });
});

describe('counts', () => {
  it.each<[string, unknown]>([
    ['a facet that is missing', { data: [], meta: { total: 1, states: [] } }],
    ['a facet that is no list', facet({ findable: 1 })],
    ['a count below 0', facet([{ id: 'a', title: 'a', count: -1 }])],
    ['a count that is no whole number', facet([{ id: 'a', title: 'a', count: 1.5 }])],
    ['a count as text', facet([{ id: 'a', title: 'a', count: '1' }])],
    ['a bucket without an id', facet([{ title: 'a', count: 1 }])],
    ['a bucket that is null', facet([null])],
    ['an answer without a total', { data: [], meta: { states: [], clients: [] } }],
    ['a total below 0', { data: [], meta: { total: -1, states: [], clients: [] } }],
    ['a list', []],
  ])('refuses %s', async (_, body) => {
    expect(await stats(body)).toMatchObject({
      code: 5,
      stdout: '',
      stderr: /^error: no usable answer from /m,
    });
  });

  it('that are more than the total are said', async () => {
    const { code, stderr } = await stats(facet([{ id: 'a', title: 'a', count: 101 }]));
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^warning: the service's counts by state add up to 101, more than its total of 100$/m,
    );
  });

  it('of nothing are nothing (service.md, P20)', async () => {
    const { code, stdout } = await stats({ data: [], meta: { total: 0 } });
    expect([code, JSON.parse(stdout).groups[0]]).toEqual([
      0,
      expect.objectContaining({ buckets: [], rest: [] }),
    ]);
  });
});
