import { dimension } from '../../../core/stats/dimensions.ts';
import { type Counted, type Group, type GroupRow, shown } from '../../../core/stats/groups.ts';
import { visible } from '../../../text/redact.ts';
import { counted, number } from '../../../text/words.ts';
import { VERSION } from '../../../version.ts';

const STYLE = `
:root{color-scheme:light dark;--ink:#1d2733;--soft:#505c68;--line:#d8dee5;--bar:#2f6fb3;\
--rest:#737f8c;--page:#fff;--card:#f6f8fa}
@media(prefers-color-scheme:dark){:root{--ink:#e6ebf1;--soft:#a3b0bd;--line:#36414d;--bar:#6aa7e6;\
--rest:#8794a2;--page:#12181f;--card:#1a222b}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:2rem 1rem;background:var(--page);color:var(--ink);\
font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{margin:0;font-size:2.2rem;line-height:1.2}h2{margin:0 0 .5rem;font-size:1.1rem}
p{margin:.3rem 0}.soft,footer{color:var(--soft);font-size:.875rem}
section{margin:1.5rem 0;padding:1rem;background:var(--card);border:1px solid var(--line);\
border-radius:.5rem;break-inside:avoid}
table{border-collapse:collapse;width:100%;table-layout:fixed;font-size:.875rem}
caption,td,th{text-align:left}td,th{padding:.15rem .5rem;vertical-align:top;font-weight:400}
thead th{color:var(--soft)}
th:nth-child(2),td:nth-child(2){width:7.5rem;text-align:right}th:nth-child(3){width:50%}
.share{display:flex;gap:.5rem;align-items:center}.share span{width:3.8rem;text-align:right}
.track{flex:1;height:.9rem;border-radius:2px;background:var(--line)}
.bar{height:100%;border-radius:2px;background:var(--bar);print-color-adjust:exact}
.rest .bar{background:var(--rest)}.rest,.rest th{color:var(--soft)}
@media(max-width:36rem){body{padding:1rem .75rem}h1{font-size:1.7rem}section{padding:.75rem}
td,th{padding:.25rem .2rem}th:nth-child(2),td:nth-child(2){width:6rem}th:nth-child(3){width:6.5rem}
.share{display:block}.share span{display:block;width:auto}.track{height:.6rem}}
`;

/**
 * One HTML page for light and dark screens and for paper, complete in itself: without scripts,
 * links and other files. Text of the service is escaped.
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
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(owner === undefined ? whole : title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${escaped(title)}</h1>
${filterText(stats)}<p class="soft">Counted on ${day} at ${escaped(from)}, as ${reader} sees it. \
A full bar is 100 % of ${counted(total, 'DOI')}.</p>
</header>
<main>
${groups.map((group) => section(group, total)).join('\n')}
</main>
<footer>doi-cli ${VERSION}, ${escaped(countedAt)}: <code>${escaped(query)}</code></footer>
</body>
</html>
`;
}

/** Headings for names of the service and of the program. */
const HEADINGS: Readonly<Record<string, string>> = {
  created: 'Year of creation of the DOI',
  registered: 'Year of registration of the DOI',
  updated: 'Year of the last change',
  published: 'Year of publication',
  year: 'Year of publication',
  issued: 'Year of issue',
  type: 'Resource type',
  client: 'Repository',
  provider: 'Member',
  license: 'License id',
  affiliation: 'Affiliation with a ROR id',
  'link-check': 'Last check of the link',
  'schema-version': 'Version of the metadata schema',
};

/** A heading in words: `creators.given_name` as `Creators: given name`. */
function headingOf(by: string): string {
  const words = by
    .replace('.', ': ')
    .replace(/[-_]/g, ' ')
    .replace(/\b(?:doi|orcid|ror|url)\b/g, (name) => name.toUpperCase());
  return HEADINGS[by] ?? words.replace(/^./, (first) => first.toUpperCase());
}

/** Filters whose names are not words. */
const FILTERS: Readonly<Record<string, string>> = {
  'client-id': 'repository',
  'provider-id': 'member',
  'resource-type-id': 'resource type',
};

/** Parameters that select no records, but change their form. */
const FORM: readonly string[] = ['affiliation', 'publisher', 'detail', 'fields[dois]'];

/** The filters in words. The filter by owner is left out where the heading shows it. */
function filterText({ source, owner }: Counted): string {
  const known = owner === undefined ? FORM : [...FORM, 'client-id', 'provider-id'];
  const others = source.params.filter(([name]) => !known.includes(name));
  if (others.length === 0) return '';
  const words = others
    .map(([name, value]) => `${FILTERS[name] ?? name.replaceAll('-', ' ')} ${value}`)
    .join(', ');
  return `<p>Only ${escaped(words)}</p>\n`;
}

/** A row of a table: label, count, and the share of the total with its bar. */
function line({ label, count, isRest }: GroupRow, total: number): string {
  const percent = ((100 * count) / Math.max(1, total)).toFixed(1);
  // The sum of several values of a record may be more than the total.
  const width = Math.min(100, Number(percent)).toFixed(1);
  const bar = `<div class="bar" style="width:${width}%"></div>`;
  const share = `<div class="share"><span>${percent} %</span>\
<div class="track" aria-hidden="true">${bar}</div></div>`;
  const row = isRest ? '<tr class="rest">' : '<tr>';
  const name = `<th scope="row"><bdi>${escaped(label)}</bdi></th>`;
  return `${row}${name}<td>${number(count)}</td><td>${share}</td></tr>`;
}

function section(group: Group, total: number): string {
  const { extent, rows } = shown(group);
  const heading = `<h2>${escaped(headingOf(group.by) + extent)}</h2>`;
  if (rows.length === 0) return `<section>${heading}<p class="soft">no records</p></section>`;
  const values = rows.filter(({ isRest }) => !isRest);
  const rest = rows.filter(({ isRest }) => isRest);
  const { years } = dimension(group.by);
  const inOrder = [...(years ? values.toReversed() : values), ...rest];
  const head = ['Value', 'DOIs', 'Share of all DOIs'].map((name) => `<th scope="col">${name}</th>`);
  const lines = inOrder.map((row) => line(row, total)).join('\n');
  const note = group.several ? `<p class="soft">${SEVERAL}</p>` : '';
  return `<section><table><caption>${heading}</caption>
<thead><tr>${head.join('')}</tr></thead>
<tbody>
${lines}
</tbody></table>${note}</section>`;
}

const SEVERAL = 'a DOI with several of these is counted for each';

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
