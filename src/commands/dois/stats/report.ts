import { visible } from '../../../text/redact.ts';
import { counted, number } from '../../../text/words.ts';
import { VERSION } from '../../../version.ts';
import { dimension } from './dimensions.ts';
import { type Counted, type Group, headOf, labelOf, shortened } from './groups.ts';

// Units of the charts; the page scales them.
const WIDTH = 720;
const LABELS = 270;
const ROW = 26;
const COLUMN_HEIGHT = 180;
const MOST_CELLS = 32;

const STYLE = `
:root{color-scheme:light dark;--ink:#1d2733;--soft:#5b6875;--line:#d8dee5;--bar:#2f6fb3;--rest:#a9b5c2;--page:#fff;--card:#f6f8fa}
@media(prefers-color-scheme:dark){:root{--ink:#e6ebf1;--soft:#9aa7b5;--line:#36414d;--bar:#6aa7e6;--rest:#56626f;--page:#12181f;--card:#1a222b}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:2rem 1rem;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
h1{margin:0;font-size:2.2rem}h2{margin:0 0 .5rem;font-size:1.1rem}h2:first-letter{text-transform:uppercase}
p{margin:.3rem 0}.soft,footer{color:var(--soft);font-size:.875rem}code{overflow-wrap:anywhere}
section{margin:1.5rem 0;padding:1rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem;break-inside:avoid}
svg{display:block;width:100%;height:auto;font-size:13px}
svg text{fill:var(--ink)}svg .n{fill:var(--soft)}.b{fill:var(--bar)}.r{fill:var(--rest)}
summary{cursor:pointer;color:var(--soft);font-size:.875rem;margin-top:.5rem}
table{border-collapse:collapse;width:100%;font-size:.875rem}
td,th{padding:.15rem .5rem;border-bottom:1px solid var(--line);text-align:left;overflow-wrap:anywhere}td:last-child,th:last-child{text-align:right;white-space:nowrap}
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

interface Row {
  readonly label: string;
  readonly count: number;
  /** Records outside of the buckets. */
  readonly isRest: boolean;
}

function section(whole: Group, total: number): string {
  const group = shortened(whole);
  const rows: Row[] = [
    ...group.buckets.map(({ id, title, count }) => ({ label: labelOf(id, title), count, isRest: false })),
    ...group.rest.map(({ what, count }) => ({ label: what, count, isRest: true })),
  ];
  const { years } = dimension(group.by);
  const head = escaped(headOf(group));
  const notes = [
    // Next to years, all that is not among them would be the tallest column.
    ...(years ? group.rest.map(({ what, count }) => `not in the chart: ${what}, ${number(count)}`) : []),
    ...(group.several ? ['a record with several values is counted for each of them'] : []),
  ].map((text) => `<p class="soft">${text}</p>`);
  if (rows.length === 0) return `<section><h2>${head}</h2><p class="soft">no records</p></section>`;
  const chart = years ? columns(rows.filter(({ isRest }) => !isRest).reverse()) : lines(rows, total);
  const cells = rows.map(({ label, count }) => `<tr><td>${escaped(label)}<td>${number(count)}`).join('');
  return `<section><h2>${head}</h2>${svg(head, chart)}${notes.join('')}
<details><summary>Numbers</summary><table><tr><th>${escaped(group.by)}<th>DOIs${cells}</table></details></section>`;
}

interface Chart {
  readonly height: number;
  readonly shapes: string;
}

const svg = (name: string, { height, shapes }: Chart): string =>
  // The first label of narrow columns begins left of its column.
  `<svg viewBox="-14 0 ${WIDTH + 14} ${height}" role="img" aria-label="${name}">${shapes}</svg>`;

/** A horizontal bar for each row. */
function lines(rows: readonly Row[], total: number): Chart {
  const most = Math.max(1, ...rows.map(({ count }) => count));
  const room = WIDTH - LABELS - 130;
  const shapes = rows.map(({ label, count, isRest }, index) => {
    const y = index * ROW;
    const width = size((count / most) * room);
    const share = total > 0 ? ` · ${((100 * count) / total).toFixed(1)} %` : '';
    return (
      `<g><title>${escaped(label)}: ${number(count)}</title>` +
      `<text x="${LABELS - 10}" y="${y + 17}" text-anchor="end">${escaped(cut(label))}</text>` +
      `<rect class="${isRest ? 'r' : 'b'}" x="${LABELS}" y="${y + 4}" width="${width}" height="${ROW - 8}" rx="2"/>` +
      `<text class="n" x="${LABELS + Number(width) + 6}" y="${y + 17}">${number(count)}${share}</text></g>`
    );
  });
  return { height: rows.length * ROW, shapes: shapes.join('') };
}

/** A column for each year, the earliest first. */
function columns(rows: readonly Row[]): Chart {
  const most = Math.max(1, ...rows.map(({ count }) => count));
  const step = Math.min(72, WIDTH / rows.length);
  const isNarrow = step < 44;
  const base = COLUMN_HEIGHT + 20;
  const shapes = rows.map(({ label, count }, index) => {
    const height = size((count / most) * COLUMN_HEIGHT);
    const x = size(index * step + step * 0.1);
    const middle = size(index * step + step / 2);
    const top = base - Number(height);
    const place = isNarrow
      ? `x="${middle}" y="${base + 12}" text-anchor="end" transform="rotate(-60 ${middle} ${base + 12})"`
      : `x="${middle}" y="${base + 18}" text-anchor="middle"`;
    const figure = isNarrow
      ? ''
      : `<text class="n" x="${middle}" y="${top - 5}" text-anchor="middle">${short(count)}</text>`;
    return (
      `<g><title>${escaped(label)}: ${number(count)}</title>` +
      `<rect class="b" x="${x}" y="${top}" width="${size(step * 0.8)}" height="${height}" rx="2"/>` +
      `${figure}<text ${place}>${escaped(cut(label))}</text></g>`
    );
  });
  return { height: base + (isNarrow ? 48 : 28), shapes: shapes.join('') };
}

const size = (length: number): string => String(Math.round(length * 10) / 10);

const short = (count: number): string =>
  new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 }).format(count);

/** By letters, as a reader counts them: half of an emoji is none. Some are twice as wide. */
function cut(label: string): string {
  const letters = Array.from(new Intl.Segmenter('en').segment(visible(label)), ({ segment }) => segment);
  let cells = 0;
  const end = letters.findIndex((letter) => {
    cells += WIDE.test(letter) ? 2 : 1;
    return cells > MOST_CELLS;
  });
  return end < 0 ? letters.join('') : `${letters.slice(0, end - 1).join('')}…`;
}

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]|\p{Extended_Pictographic}/u;

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
