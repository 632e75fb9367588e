import { STATUS_CODES } from 'node:http';
import type { CheckedLink } from '../../../core/links/earlier-links.ts';
import { number } from '../../../text/words.ts';
import { type EndTable, firstRows, MOST_ROWS } from '../results/results.ts';

const HEADS = ['doi', 'url', 'status', 'ok', 'finalUrl', 'error', 'checkedAt'] as const;
const MOST_OF_HOST = 3;

/** The columns of checked links in CSV, and the tables at the end of a run on a terminal. */
export function linkLayout() {
  return {
    heads: HEADS,
    cells: (link: CheckedLink) => HEADS.map((head) => String(link[head] ?? '')),
    tables: [brokenLinks(), hosts()],
  };
}

function brokenLinks(): EndTable<CheckedLink> {
  const silent = new Map<string, number>();
  const columns = [
    { name: 'doi', least: 16 },
    { name: 'address', least: 16 },
    { name: 'reason', least: 20, wraps: true },
  ];
  return firstRows<CheckedLink>(true, columns, (link) => {
    if (link.ok !== false) return [];
    const key = `${hostOf(link)} ${link.error}`;
    if (link.status === null && link.url !== null) silent.set(key, (silent.get(key) ?? 0) + 1);
    if ((silent.get(key) ?? 0) > MOST_OF_HOST) return undefined;
    return [[link.doi, link.url ?? '(none)', reasonOf(link)]];
  });
}

function hosts(): EndTable<CheckedLink> {
  const byHost = new Map<string, { links: number; broken: number; reasons: Map<string, number> }>();
  const wrong = () => [...byHost].filter(([, { reasons }]) => reasons.size > 0);
  return {
    isProblem: true,
    columns: [
      { name: 'host', least: 16 },
      { name: 'DOIs' },
      { name: 'broken' },
      { name: 'what', least: 20, wraps: true },
    ],
    add(link) {
      const host = hostOf(link);
      const known = byHost.get(host) ?? { links: 0, broken: 0, reasons: new Map() };
      byHost.set(host, known);
      known.links += 1;
      if (link.ok === false) known.broken += 1;
      if (link.ok !== true)
        known.reasons.set(reasonOf(link), (known.reasons.get(reasonOf(link)) ?? 0) + 1);
    },
    get rows() {
      return wrong()
        .toSorted(([, a], [, b]) => b.broken - a.broken || b.links - a.links)
        .slice(0, MOST_ROWS)
        .map(([host, { links, broken, reasons }]) => {
          const what = [...reasons].map(([reason, count]) =>
            reasons.size > 1 ? `${reason} (${number(count)})` : reason,
          );
          return [host, number(links), number(broken), what.join(', ')];
        });
    },
    get more() {
      return Math.max(0, wrong().length - MOST_ROWS);
    },
  };
}

function hostOf({ url, finalUrl }: CheckedLink): string {
  const at = finalUrl ?? url ?? '';
  return URL.canParse(at) ? new URL(at).host : '(none)';
}

const CERTIFICATES: readonly (readonly [code: RegExp, words: string])[] = [
  [/CERT_HAS_EXPIRED/, 'certificate expired'],
  [/ALTNAME_INVALID/, 'certificate of another host'],
  [/SELF_SIGNED/, 'self-signed certificate'],
  [/UNABLE_TO_/, 'certificate of an unknown authority'],
];

/** Why a link is broken or unknown: `404 not byHost`, `no such host`. */
function reasonOf({ status, error = '' }: CheckedLink): string {
  if (error === `HTTP ${status}`)
    return `${status} ${(STATUS_CODES[status ?? 0] ?? '').toLowerCase()}`.trim();
  if (error === 'the host name is unknown') return 'no such host';
  return CERTIFICATES.find(([code]) => code.test(error))?.[1] ?? error;
}
