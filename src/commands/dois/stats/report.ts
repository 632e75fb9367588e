import { visible } from '../../../text/redact.ts';
import { counted, number } from '../../../text/words.ts';
import { VERSION } from '../../../version.ts';
import { dimension } from './dimensions.ts';
import { type Counted, type Group, shown } from './groups.ts';

const STYLE = `
:root{color-scheme:light dark;--ink:#1d2733;--soft:#5b6875;--line:#d8dee5;--bar:#2f6fb3;--rest:#a9b5c2;--page:#fff;--card:#f6f8fa}
@media(prefers-color-scheme:dark){:root{--ink:#e6ebf1;--soft:#9aa7b5;--line:#36414d;--bar:#6aa7e6;--rest:#56626f;--page:#12181f;--card:#1a222b}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:2rem 1rem;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
h1{margin:0;font-size:2.2rem}h2{margin:0 0 .5rem;font-size:1.1rem}h2:first-letter{text-transform:uppercase}
p{margin:.3rem 0}.soft,footer{color:var(--soft);font-size:.875rem}code{overflow-wrap:anywhere}
section{margin:1.5rem 0;padding:1rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem;break-inside:avoid}
table{border-collapse:collapse;width:100%;table-layout:fixed;font-size:.875rem}
td,th{padding:.15rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}
td:nth-child(3),th:nth-child(3){width:11rem;text-align:right;white-space:nowrap}
.bar{height:1rem;margin-top:.15rem;border-radius:2px;background:var(--bar)}.rest .bar{background:var(--rest)}.rest{color:var(--soft)}
`;

/**
 * One HTML page without scripts and without anything from elsewhere, for light and dark screens. All text of the
 * service is escaped.
 */
export function report(stats: Counted): string {
  const { total, source, countedAt, groups } = stats;
  const query = source.params.map((pair) => pair.join('=')).join(' ') || 'all DOIs';
  const from =
    source.directory === null ? source.baseUrl : `${source.directory}, a copy of ${source.baseUrl}`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escaped(`${counted(total, 'DOI')}: ${query}`)}</title>
<style>${STYLE}</style>
<h1>${counted(total, 'DOI')}</h1>
<p><code>${escaped(query)}</code></p>
<p class="soft">${escaped(from)}, as ${escaped(source.account ?? 'an anonymous reader')} sees it, ${escaped(countedAt)}</p>
${groups.map((group) => section(group, total)).join('\n')}
<footer>doi-cli ${VERSION}</footer>
</html>
`;
}

function section(group: Group, total: number): string {
  const { head, rows } = shown(group);
  // Next to years, the bar of all that is not among them would be the longest.
  const { years } = dimension(group.by);
  const barOf = ({ count, isRest }: (typeof rows)[number]) => (years && isRest ? 0 : count);
  const most = Math.max(1, ...rows.map(barOf));
  const lines = rows.map((row) => {
    const share = total > 0 ? ` · ${((100 * row.count) / total).toFixed(1)} %` : '';
    const bar = `<div class="bar" style="width:${((100 * barOf(row)) / most).toFixed(1)}%"></div>`;
    const start = row.isRest ? '<tr class="rest">' : '<tr>';
    return `${start}<td>${escaped(row.label)}<td>${bar}<td>${number(row.count)}${share}`;
  });
  const title = `<h2>${escaped(head)}</h2>`;
  if (lines.length === 0) return `<section>${title}<p class="soft">no records</p></section>`;
  const note = group.several
    ? '<p class="soft">a record with several values is counted for each of them</p>'
    : '';
  const names = `<tr><th>${escaped(group.by)}<th><th>DOIs`;
  return `<section>${title}<table>${names}${lines.join('')}</table>${note}</section>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text for HTML, in attributes too. Characters that reorder or hide text are made visible. */
function escaped(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
