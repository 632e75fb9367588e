import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Counted } from '../../../../src/commands/dois/stats/groups.ts';
import { report } from '../../../../src/commands/dois/stats/report.ts';
import { browser, lacks } from '../../../helpers/platform.ts';
import { temporaryDirectory } from '../../../helpers/temporary.ts';

const NAMES = [
  '<script>document.title="run"</script>',
  '"><img src=x onerror=alert(1)>',
  '</title></svg><b>',
];
const buckets = NAMES.map((title, index) => ({ id: `id${index}`, title, count: 10 * (index + 1) }));
const years = ['2026', '2025', '2024'].map((id) => ({ id, title: id, count: 20 }));
const group = { rest: [], several: false };
const STATS: Counted = {
  total: 60,
  countedAt: '2026-11-22T00:00:00.000Z',
  source: {
    baseUrl: 'https://api.example.org/',
    params: [['query', '<i>"x"</i>']],
    account: null,
    directory: null,
  },
  groups: [
    { ...group, by: 'client', buckets, values: null, rest: [{ what: 'others', count: 0 }] },
    { ...group, by: 'created', buckets: years, values: 3 },
    { ...group, by: 'license', buckets: [], values: 0, several: true },
  ],
};

describe.skipIf(lacks('browser'))('a report in a browser', () => {
  it('shows its charts, and what names say as text', () => {
    const dir = temporaryDirectory();
    const page = join(dir, 'report.html');
    writeFileSync(page, report(STATS));
    const dom = execFileSync(
      browser() ?? '',
      [
        ...['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${join(dir, 'profile')}`],
        ...['--dump-dom', `file://${page}`],
      ],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: 50_000 },
    );
    expect(dom).toContain('<title>60 DOIs: query=&lt;i&gt;"x"&lt;/i&gt;</title>');
    expect(dom.match(/<table>/g)).toHaveLength(2);
    expect(dom.match(/<div class="bar" style="width:\d+\.\d%">/g)).toHaveLength(7);
    expect(dom.match(/<section>/g)).toHaveLength(3);
    expect(dom).not.toMatch(/<(script|img|iframe|b|i)\b/);
    expect(dom).toContain('&lt;script&gt;document.title="run"&lt;/script&gt; (id0)');
  });
});
