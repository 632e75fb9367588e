import { countDois } from '../../../api/dois.ts';
import type { Context } from '../../../cli/context.ts';
import { adaptV8 } from '../../../cli/v8.ts';
import { listByCursor, listByNumber } from '../../../core/list.ts';
import type { Params } from '../../../harvest/walk/query-params.ts';
import type { Sink } from '../../../ui/sink.ts';
import { filterParams, type ListOptions, type ListPlan, ownParams, warnAboutList } from '../query/query.ts';
import { printRecords } from '../record/table.ts';
import { recordWriter } from './formats.ts';
import { printAll, printNumbered } from './pages.ts';
import type { RecordWriter } from './records.ts';

/**
 * Prints the records of a plan, or their count.
 * @param own takes the records instead of the format of the options.
 */
export async function printList(
  context: Context,
  plan: ListPlan,
  options: ListOptions,
  out?: Sink,
  own?: RecordWriter,
): Promise<void> {
  const isWide = plan.mode === 'cursor';
  const service = await context.service(
    'reads',
    isWide ? (options.rate ?? 'service') : undefined,
    options.rate === undefined,
  );
  warnAboutList(context, service, options);
  const extra = await ownParams(service, options);
  if (plan.mode === 'count') {
    await (out ?? context.out).write(`${await countDois(service, [...plan.params, ...extra])}\n`);
    return;
  }
  const onScreen = context.host.terminal.stdout && out === undefined;
  const format = options.format ?? (onScreen && plan.mode === 'numbered' ? 'table' : 'ndjson');
  const query: Params = [...filterParams(options), ...extra];
  const list =
    plan.mode === 'cursor'
      ? listByCursor(service, query, { ...options, pageSize: plan.pageSize, now: context.host.now })
      : listByNumber(service, query, (page) => [...plan.params(page), ...extra], plan);
  const print = async (sink: Sink) => {
    const printTable = async (names: readonly string[], rows: readonly (readonly string[])[]) =>
      printRecords(context, await context.baseUrl(), names, rows, out);
    const writer = own ?? recordWriter(format, sink, { fields: options.fields, printTable });
    const listing = { context, list, writer, limit: options.limit };
    if (plan.mode === 'numbered') return printNumbered(listing, plan);
    adaptV8();
    await printAll(listing, onScreen);
  };
  // A table has a pager of its own.
  const isPaged = onScreen && own === undefined && format !== 'table';
  await (isPaged ? context.paged(print) : print(out ?? context.out));
}
