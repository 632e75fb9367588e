import type { Lie, Reply } from './service.ts';

/** Lies on every answer with records, or only on those that ask from this page of 50 records on. */
export const always = (change: (reply: Reply) => void) => lieWhere(() => true, change);
export const onPage = (page: number, change: (reply: Reply) => void) =>
  lieWhere((at) => at === page, change);
export const fromPage = (page: number, change: (reply: Reply) => void) =>
  lieWhere((at) => at >= page, change);

function lieWhere(where: (page: number) => boolean, change: (reply: Reply) => void): Lie {
  return (reply, { params }) => {
    if (params.get('page[size]') === '0') return undefined;
    const cursor = params.get('page[cursor]') ?? '1';
    if (where(cursor === '1' ? 1 : Number(cursor.slice(1)) / 50 + 1)) change(reply);
    return undefined;
  };
}

/** Lies on answers to counts too. */
export const everywhere =
  (change: (reply: Reply) => void): Lie =>
  (reply) =>
    void change(reply);

export const empty = (reply: Reply, total?: unknown) => {
  reply.body.data = [];
  reply.body.links = {};
  if (total !== undefined) reply.body.meta['total'] = total;
};
export const end = (reply: Reply, total: unknown) => {
  reply.body.links = {};
  reply.body.meta['total'] = total;
};
export const total = (value: unknown) => (reply: Reply) => {
  reply.body.meta['total'] = value;
};
export const links = (change: (next: URL) => void) => (reply: Reply) => {
  if (typeof reply.body.links['next'] !== 'string') return;
  const next = new URL(reply.body.links['next']);
  change(next);
  reply.body.links['next'] = next.href;
};
/** Has the next link lead to another cursor. */
export const leadsTo = (cursor: string) =>
  links((next) => next.searchParams.set('page[cursor]', cursor));
/** Leaves this many records of a page. */
export function cut(reply: Reply, count: number): void {
  reply.body.data.length = count;
}

/** Ways to print a list, by name. */
export const WAYS: [string, string[]][] = [
  ['stdout', []],
  ['--quiet', ['--quiet']],
  ['csv', ['--format', 'csv']],
  ['json', ['--format', 'json']],
  ['--limit', ['--limit', '240']],
];

/** Lists every record, in pages of 50. */
export const ALL = ['dois', 'list', '--all', '--page-size', '50'];

/** How many records the output holds. */
export function printed(stdout: string, args: readonly string[]): number {
  if (args.includes('json')) return stdout === '' ? 0 : (JSON.parse(stdout) as unknown[]).length;
  const lines = stdout.split('\n').length - 1;
  return args.includes('csv') ? Math.max(0, lines - 1) : lines;
}
