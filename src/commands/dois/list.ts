import { accountOf } from '../../api/account.ts';
import { countDois } from '../../api/dois.ts';
import type { Service } from '../../api/service.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, ClosedPipe, toCliError, usageError } from '../../errors.ts';
import { pageFetcher } from '../../harvest/page/fetch-page.ts';
import { walkList, walkNumbered } from '../../harvest/walk/list-walk.ts';
import type { WalkedPage } from '../../harvest/walk/repeat-guard.ts';
import { keepHeapSmall } from '../../harvest/walk/small-heap.ts';
import { RUN_AGAIN, Tally } from '../../harvest/walk/tally.ts';
import { formatDuration, number, plural } from '../../text/words.ts';
import { OutFile } from '../../ui/out-file.ts';
import { Progress } from '../../ui/progress.ts';
import { type RecordWriter, recordWriter } from './list-formats.ts';
import { remark } from './query/list-warnings.ts';
import { type ListOptions, type Params, type Plan, planList, type RecordFormat } from './query/query.ts';

type Numbered = Extract<Plan, { mode: 'numbered' }>;

/** Lists DOI records: one page or some, every one, or only how many there are. */
export async function listDoisCommand(context: Context, options: ListOptions): Promise<void> {
  const plan = planList(options);
  if (options.out === '-') throw usageError('--out takes the name of a file', 'leave --out away for stdout');
  const out = options.out === undefined ? undefined : await OutFile.open(options.out);
  try {
    const service = await context.service('reads');
    remark(context, service, options);
    const extra: Params = options.mine ? [['client-id', await accountOf(service)]] : [];
    await print(context, service, plan, extra, options, out);
    await out?.commit();
  } catch (error) {
    if (out === undefined) throw error;
    // What made the list fail is what matters.
    await out
      .discard()
      .catch((cause: Error) => context.messages.warn(`leftovers of ${options.out}: ${cause.message}`));
    throw nothingWritten(error, options.out);
  }
}

/** A file appears complete or not at all: the hint of a stream would be wrong. */
function nothingWritten(error: unknown, path: string | undefined): unknown {
  if (!(error instanceof CliError) || error.kind !== 'incomplete') return error;
  const status = error.status === undefined ? {} : { status: error.status };
  return new CliError(error.kind, `${error.message}; nothing was written to ${path}`, {
    hint: 'run it again; without --out the records that arrive are kept',
    ...status,
    cause: error,
  });
}

async function print(
  context: Context,
  service: Service,
  plan: Plan,
  extra: Params,
  options: ListOptions,
  out: OutFile | undefined,
): Promise<void> {
  if (plan.mode === 'count') {
    await (out ?? context.out).write(`${await countDois(service, [...plan.params, ...extra])}\n`);
    return;
  }
  const onScreen = context.host.terminal.stdout && out === undefined;
  const format: RecordFormat = options.format ?? (onScreen && plan.mode === 'numbered' ? 'table' : 'ndjson');
  const width = onScreen ? context.host.terminal.columns || undefined : undefined;
  // A table has its cells made safe already, and colours of its own.
  const sink = out ?? (format === 'table' ? context.host.stdout : context.out);
  const writer = recordWriter(format, sink, {
    fields: options.fields,
    color: context.color && onScreen,
    width,
  });
  const fetch = pageFetcher(service);
  const url = (params: Params) => service.http.url('/dois', [...params, ...extra]);
  if (plan.mode === 'cursor') {
    keepHeapSmall();
    await harvest(context, walkList(fetch, url(plan.params)), writer, plan.limit, onScreen);
  } else {
    const pages = walkNumbered(fetch, (page) => url(plan.params(page)), plan);
    const tally = new Tally();
    await copy(pages, writer, tally, plan.limit);
    const nothing = tally.records === 0 ? 'no DOIs match' : undefined;
    if (nothing !== undefined && plan.pageSize > 0) context.messages.note(nothing);
    for (const text of tally.remarks()) context.messages.note(text);
    partial(context, tally, plan);
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
    await copy(pages, writer, tally, limit, () =>
      progress.update(tally.records, least(limit, tally.lastTotal)),
    );
    progress.stop();
    const cut = limit !== undefined && tally.records >= limit;
    const remarks = cut ? tally.remarks() : tally.verdict();
    const of = cut && tally.lastTotal !== undefined ? ` of ${number(tally.lastTotal)}` : '';
    const count = `${number(tally.records)}${of} ${plural(tally.records, 'DOI')} in ${formatDuration(progress.elapsed)}`;
    context.messages.note([count, ...remarks].join('; '));
  } catch (error) {
    progress.stop();
    throw stopped(error, tally);
  }
}

/** Writes pages until their end or the limit; what is written is whole, whatever stops it. */
async function copy(
  pages: AsyncGenerator<WalkedPage>,
  writer: RecordWriter,
  tally: Tally,
  limit = Number.POSITIVE_INFINITY,
  written: () => void = () => undefined,
): Promise<void> {
  try {
    for await (const walked of pages) {
      const count = Math.min(walked.count, limit - tally.records);
      await writer.page(walked, count);
      tally.addPage(walked, count);
      written();
      if (tally.records >= limit) break;
    }
  } catch (error) {
    const writable = !(error instanceof ClosedPipe || (error instanceof CliError && error.kind === 'output'));
    // A list that stops in the middle still needs its closing bracket.
    if (writable && tally.records > 0) await writer.end();
    throw error;
  }
  await writer.end();
}

/** What ended a harvest after its first record left it incomplete, whatever the reason; refused credentials stay that. */
function stopped(error: unknown, tally: Tally): unknown {
  if (error instanceof ClosedPipe || tally.records === 0) return error;
  const { kind, message, hint, status } = toCliError(error);
  if (
    kind === 'credentials' ||
    kind === 'output' ||
    kind === 'interrupted' ||
    kind === 'terminated' ||
    kind === 'hung-up'
  )
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

/**
 * Says what a list is a part of.
 * @throws {CliError} kind `incomplete` when fewer records came than were asked for, although the service counts more.
 */
function partial(context: Context, { records, firstTotal, lastTotal }: Tally, plan: Numbered): void {
  if (lastTotal === undefined || firstTotal === undefined) return;
  const rest = Math.min(firstTotal, lastTotal) - (plan.first - 1) * plan.pageSize;
  if (plan.limit !== undefined && records < Math.min(plan.limit, rest)) {
    throw new CliError(
      'incomplete',
      `the service counts ${number(lastTotal)} DOIs, but gave only ${number(records)} of the ${number(plan.limit)} asked for`,
      { hint: RUN_AGAIN },
    );
  }
  if (records >= lastTotal && plan.first === 1) return;
  context.messages.note(`${number(records)} of ${number(lastTotal)} DOIs; --all for every one`);
}

function least(limit: number | undefined, total: number | undefined): number | undefined {
  return limit === undefined ? total : Math.min(limit, total ?? limit);
}
