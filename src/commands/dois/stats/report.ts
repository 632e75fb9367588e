import { visible } from '../../../text/redact.ts';
import { counted, number } from '../../../text/words.ts';
import { VERSION } from '../../../version.ts';
import { dimension } from './dimensions.ts';
import { type Counted, type Group, shown } from './groups.ts';

const STYLE = `
:root{color-scheme:light dark;--ink:#1d2733;--soft:#5b6875;--line:#d8dee5;--bar:#2f6fb3;\
--rest:#a9b5c2;--page:#fff;--card:#f6f8fa}
@media(prefers-color-scheme:dark){:root{--ink:#e6ebf1;--soft:#9aa7b5;--line:#36414d;--bar:#6aa7e6;\
--rest:#56626f;--page:#12181f;--card:#1a222b}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:2rem 1rem;background:var(--page);color:var(--ink);\
font:16px/1.5 system-ui,sans-serif}
h1{margin:0;font-size:2.2rem}h2{margin:0 0 .5rem;font-size:1.1rem}\
h2:first-letter{text-transform:uppercase}
p{margin:.3rem 0}.soft,footer{color:var(--soft);font-size:.875rem}code{overflow-wrap:anywhere}
section{margin:1.5rem 0;padding:1rem;background:var(--card);border:1px solid var(--line);\
border-radius:.5rem;break-inside:avoid}
table{border-collapse:collapse;width:100%;table-layout:fixed;font-size:.875rem}
td,th{padding:.15rem .5rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}
td:nth-child(3),th:nth-child(3){width:11rem;text-align:right;white-space:nowrap}
@media(max-width:36rem){body{padding:1rem .75rem;font-size:17px}h1{font-size:1.7rem}\
table,.soft,footer{font-size:1rem}section{padding:.75rem}
tr:first-child{display:none}tr{display:grid;grid-template-columns:1fr auto;padding:.3rem 0}\
td{padding:0 .25rem}
td:nth-child(3){width:auto}td:nth-child(2){grid-column:1/-1;order:3}}
.bar{height:1rem;margin-top:.15rem;border-radius:2px;background:var(--bar)}\
.rest .bar{background:var(--rest)}.rest{color:var(--soft)}
`;

/**
 * One HTML page for light and dark screens, without scripts and without external resources. Text of
 * the service is escaped.
 */
export function report(stats: Counted): string {
  const { total, source, countedAt, groups, owner } = stats;
  const { baseUrl, directory, account } = source;
  const query = source.params.map((pair) => pair.join('=')).join(' ') || 'all DOIs';
  const whole = `${counted(total, 'DOI')}: ${query}`;
  const title = owner === undefined ? counted(total, 'DOI') : `${owner}: ${counted(total, 'DOI')}`;
  const { host } = new URL(baseUrl);
  const from = directory === null ? host : `${directory}, a copy of ${host}`;
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(countedAt),
  );
  const reader = escaped(account ?? 'an anonymous reader');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${escaped(owner === undefined ? whole : title)}</title>
<style>${STYLE}</style>
<h1>${escaped(title)}</h1>
${filterText(stats)}<p class="soft">Counted on ${day} at ${escaped(from)}, as ${reader} sees it</p>
${completenessSection(stats)}${groups.map((group) => section(group, total)).join('\n')}
<footer>doi-cli ${VERSION}, ${escaped(countedAt)}: <code>${escaped(query)}</code></footer>
</html>
`;
}

/** Words for the dimensions that have the service's names. */
const HEADS: Readonly<Record<string, string>> = {
  created: 'year of creation',
  registered: 'year of registration',
  published: 'year of publication',
  client: 'repository',
  provider: 'member',
  'schema-version': 'version of the schema',
  'link-check': 'last check of the link',
};

/** The filters in words. The filter by owner is left out where the heading shows it. */
function filterText({ source, owner }: Counted): string {
  const others = source.params.filter(
    ([name]) => owner === undefined || (name !== 'client-id' && name !== 'provider-id'),
  );
  if (others.length === 0) return '';
  const words = others.map(([name, value]) => `${name.replaceAll('-', ' ')} ${value}`).join(', ');
  return `<p>${escaped(words)}</p>\n`;
}

/** The number of records with each property, with a link to the list of incomplete ones. */
function completenessSection({ completeness, lackingFile, total }: Counted): string {
  if (completeness === undefined) return '';
  const { has, lacking } = completeness;
  const lines = has.map(({ name, count }) => line(name, count, total, total));
  const verb = lacking === 1 ? 'lacks' : 'lack';
  const all = `${counted(lacking, 'DOI')} ${verb} at least one of these`;
  const list = lackingFile === undefined ? all : `<a href="${encodeURI(lackingFile)}">${all}</a>`;
  const note = lacking === 0 ? 'no DOI lacks any of these' : list;
  const names = '<tr><th>with<th><th>DOIs';
  const table = `<table>${names}${lines.join('')}</table><p class="soft">${note}</p>`;
  return `<section><h2>completeness</h2>${table}</section>\n`;
}

/**
 * A row of a table: label, bar, count, and its share of the total.
 * @param most the count of a bar of full length.
 */
function line(
  label: string,
  count: number,
  most: number,
  total: number,
  isRest = false,
  length = count,
): string {
  const share = total > 0 ? ` · ${((100 * count) / total).toFixed(1)} %` : '';
  const width = ((100 * length) / Math.max(1, most)).toFixed(1);
  const bar = `<div class="bar" style="width:${width}%"></div>`;
  const row = isRest ? '<tr class="rest">' : '<tr>';
  return `${row}<td>${escaped(label)}<td>${bar}<td>${number(count)}${share}`;
}

function section(group: Group, total: number): string {
  const { head, rows } = shown(group);
  // Next to years, the bar of all that is not among them would be the longest.
  const { years } = dimension(group.by);
  const barOf = ({ count, isRest }: (typeof rows)[number]) => (years && isRest ? 0 : count);
  const most = Math.max(1, ...rows.map(barOf));
  const lines = rows.map((row) => line(row.label, row.count, most, total, row.isRest, barOf(row)));
  const title = `<h2>${escaped(head.replace(group.by, HEADS[group.by] ?? group.by))}</h2>`;
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
