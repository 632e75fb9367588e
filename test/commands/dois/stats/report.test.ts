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
  owner: 'The <b>Repository</b>',
  completeness: { total: 60, has: [{ name: 'license', count: 45 }], lacking: 15 },
  lackingFile: 'report "x"-lacking.csv',
};

describe.skipIf(lacks('browser'))('a report in a browser', () => {
  it('shows its charts, and what names say as text', () => {
    const dir = temporaryDirectory();
    const page = join(dir, 'report.html');
    writeFileSync(page, report(STATS));
    const dom = execFileSync(
      browser() ?? '',
      [
        ...[
          '--headless',
          '--no-sandbox',
          '--disable-gpu',
          `--user-data-dir=${join(dir, 'profile')}`,
        ],
        ...['--dump-dom', `file://${page}`],
      ],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: 300_000 },
    );
    expect(dom).toContain('<title>The &lt;b&gt;Repository&lt;/b&gt;: 60 DOIs</title>');
    expect(dom.match(/<table>/g)).toHaveLength(3);
    expect(dom.match(/<div class="bar" style="width:\d+\.\d%">/g)).toHaveLength(8);
    expect(dom.match(/<section>/g)).toHaveLength(4);
    expect(dom).toContain(
      '<a href="report%20%22x%22-lacking.csv">15 DOIs lack at least one of these</a>',
    );
    expect(dom).toContain('Counted on 22 November 2026 at api.example.org');
    expect(dom).not.toMatch(/<(script|img|iframe|b|i)\b/);
    expect(dom).toContain('&lt;script&gt;document.title="run"&lt;/script&gt; (id0)');
  });
});
