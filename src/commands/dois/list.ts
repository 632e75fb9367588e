import type { Context, Service } from '../../context.ts';
import { CliError, ClosedPipe, toCliError, usageError } from '../../errors.ts';
import { pageFetcher } from '../../harvest/fetch-page.ts';
import { number, Tally } from '../../harvest/verdict.ts';
import { type WalkedPage, walkCursor, walkNumbered } from '../../harvest/walk.ts';
import { OutFile } from '../../ui/out-file.ts';
import { Progress, spell } from '../../ui/progress.ts';
import { type RecordFormat, type RecordWriter, recordWriter } from '../../ui/records.ts';
import type { Sink } from '../../ui/sink.ts';
import { accountOf, countDois } from './count.ts';
import { type ListOptions, type Params, type Plan, planList, unknownFilters } from './query.ts';

/** Lists DOI records: one page or some, every one, or only how many there are. */
export async function listDoisCommand(context: Context, options: ListOptions): Promise<void> {
  const plan = planList(options);
  const out = options.out === undefined ? undefined : await OutFile.open(options.out);
  try {
    const service = await context.service('reads');
    remark(context, service, options);
    const extra: Params = options.mine ? [['client-id', await accountOf(service)]] : [];
    await print(context, service, plan, extra, options, out ?? context.host.stdout);
    await out?.commit();
  } catch (error) {
    await out?.discard();
    throw error;
  }
}

async function print(
  context: Context,
  service: Service,
  plan: Plan,
  extra: Params,
  options: ListOptions,
  sink: Sink,
): Promise<void> {
  if (plan.mode === 'count') {
    await sink.write(`${await countDois(service, [...plan.params, ...extra])}\n`);
    return;
  }
  const onScreen = context.host.terminal.stdout && options.out === undefined;
  const format: RecordFormat = options.format ?? (onScreen && plan.mode === 'numbered' ? 'table' : 'ndjson');
  const width = onScreen ? context.host.terminal.columns || undefined : undefined;
  const writer = recordWriter(format, sink, {
    fields: options.fields,
    color: context.color && onScreen,
    width,
  });
  const fetch = pageFetcher(service);
  const url = (params: Params) => service.http.url('/dois', [...params, ...extra]);
  if (plan.mode === 'cursor') {
    await harvest(context, walkCursor(fetch, url(plan.params)), writer, plan.limit, onScreen);
  } else {
    const pages = walkNumbered(fetch, (page) => url(plan.params(page)), plan);
    const tally = await copy(pages, writer, plan.limit);
    await writer.end();
    partial(context, tally, plan.first);
  }
}

/** `--all`: with progress, and at the end the proof that it is all. */
async function harvest(
  context: Context,
  pages: AsyncGenerator<WalkedPage>,
  writer: RecordWriter,
  limit: number | undefined,
  onScreen: boolean,
): Promise<void> {
  const progress = await Progress.start(context, onScreen);
  const tally = new Tally();
  try {
    await copy(pages, writer, limit, tally, () =>
      progress.update(tally.records, least(limit, tally.lastTotal)),
    );
    await writer.end();
    progress.stop();
    const cut = limit !== undefined && tally.records >= limit;
    const remarks = cut ? [] : tally.verdict();
    const count =
      cut && tally.lastTotal !== undefined
        ? `${number(tally.records)} of ${number(tally.lastTotal)}`
        : number(tally.records);
    context.messages.note([`${count} DOIs in ${spell(progress.elapsed)}`, ...remarks].join('; '));
  } catch (error) {
    progress.stop();
    throw stopped(error, tally);
  }
}

/** Writes pages until their end or the limit. */
async function copy(
  pages: AsyncGenerator<WalkedPage>,
  writer: RecordWriter,
  limit = Number.POSITIVE_INFINITY,
  tally = new Tally(),
  written: () => void = () => undefined,
): Promise<Tally> {
  for await (const walked of pages) {
    const most = limit - tally.records;
    await writer.page(walked, most);
    tally.addPage({ ...walked, count: Math.min(walked.count, most) });
    written();
    if (tally.records >= limit) break;
  }
  return tally;
}

/** What ended a harvest after its first record left it incomplete, whatever the reason; refused credentials stay that. */
function stopped(error: unknown, tally: Tally): unknown {
  if (error instanceof ClosedPipe || tally.records === 0) return error;
  const { kind, message, hint, status } = toCliError(error);
  if (kind === 'credentials' || kind === 'output' || kind === 'interrupted' || kind === 'terminated')
    return error;
  const of = tally.lastTotal === undefined ? '' : ` of ${number(tally.lastTotal)}`;
  return new CliError(
    'incomplete',
    `the harvest stopped after ${number(tally.records)}${of} DOIs: ${message}`,
    {
      hint: hint ?? 'run it again; what was written is valid',
      ...(status === undefined ? {} : { status }),
      cause: error,
    },
  );
}

function partial(context: Context, { records, lastTotal }: Tally, firstPage: number): void {
  if (lastTotal === undefined || (records >= lastTotal && firstPage === 1)) return;
  context.messages.note(`${number(records)} of ${number(lastTotal)} DOIs; --all for every one`);
}

function least(limit: number | undefined, total: number | undefined): number | undefined {
  return limit === undefined ? total : Math.min(limit, total ?? limit);
}

/** What a person should know before trusting the list. */
function remark(context: Context, { credentials }: Service, options: ListOptions): void {
  for (const name of unknownFilters(options.filter ?? [])) {
    context.messages.warn(
      `the service is not known to have a filter '${name}': it may ignore it and list everything`,
    );
  }
  if (credentials === undefined) {
    if (options.mine) {
      throw usageError(
        '--mine needs credentials: anonymously nothing is yours',
        'set DOI_CLI_API_KEY, or --client-id',
      );
    }
    return;
  }
  if (!options.mine && options.clientId === undefined && options.state === undefined) {
    context.messages.note(
      'note: with credentials and without --client-id or --state this holds Draft and Registered records of' +
        ' other repositories too (--mine, --state findable or --anonymous for less)',
    );
  }
}
