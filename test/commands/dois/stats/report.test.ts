import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { report } from '../../../../src/commands/dois/stats/report.ts';
import type { Counted } from '../../../../src/core/stats/groups.ts';
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
    { ...group, by: 'creators.orcid', buckets: buckets.slice(0, 1), values: 1, several: true },
  ],
  owner: 'The <b>Repository</b>',
};

describe('a report', () => {
  const page = report(STATS);
  const texts = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, text]) => text);

  it('names everything once, in words', () => {
    expect(texts(/<h2>(.*?)<\/h2>/g)).toEqual([
      'Repository (3 shown)',
      'Year of creation of the DOI',
      'License id',
      'Creators: ORCID',
    ]);
    expect(new Set(texts(/<th scope="col">(.*?)<\/th>/g))).toEqual(
      new Set(['Value', 'DOIs', 'Share of all DOIs']),
    );
    expect(page).toContain('<p>Only query &lt;i&gt;&quot;x&quot;&lt;/i&gt;</p>');
  });
  it('has one scale, and says it', () => {
    expect(page).toContain('A full bar is 100 % of 60 DOIs.');
    const bars = texts(/<tr.*?<td>(\d+ ?<\/td>.*?width:[\d.]+%)/g);
    for (const bar of bars) {
      const [, count, share, width] =
        /^(\d+).*<span>([\d.]+) %.*width:([\d.]+)%/.exec(bar ?? '') ?? [];
      expect([share, width]).toEqual([width, ((Number(count) / 60) * 100).toFixed(1)]);
    }
    expect(bars).toHaveLength(8);
  });
  it('shows years in the order of time', () => {
    expect(texts(/<bdi>(20\d\d)<\/bdi>/g)).toEqual(['2024', '2025', '2026']);
  });
  it('is complete in itself, and readable for all', () => {
    expect(page).not.toMatch(/<(?:a|link|script|img)\b|url\(|@import/);
    expect(page.match(/class="track"(?! aria-hidden="true")/g)).toBeNull();
    expect(page.match(/<(?:header|main|footer)>/g)).toEqual(['<header>', '<main>', '<footer>']);
    expect(page.match(/<table><caption><h2>/g)).toHaveLength(3);
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(page).not.toMatch(/<t[dh][^>]*><\/t[dh]>/);
  });
});

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
    expect(dom).toContain('Counted on 22 November 2026 at api.example.org');
    expect(dom).not.toMatch(/<(script|img|iframe|b|i)\b/);
    expect(dom).toContain('&lt;script&gt;document.title="run"&lt;/script&gt; (id0)');
  });
});
