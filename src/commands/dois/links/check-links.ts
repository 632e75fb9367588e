import { setMaxListeners } from 'node:events';
import { getDoi } from '../../../api/dois.ts';
import { LinkChecker } from '../../../api/http/link-checker.ts';
import type { Context } from '../../../cli/context.ts';
import type { OptionsOf } from '../../../cli/option-types.ts';
import { forEachLimited } from '../../../concurrency/promises.ts';
import type { Undated } from '../../../core/dates.ts';
import { paramsOf, requireCursor, withoutUsual } from '../../../core/filters.ts';
import { EarlierLinks } from '../../../core/links/earlier-links.ts';
import { type LinkRun, linkRun } from '../../../core/links/link-run.ts';
import { type ListedPage, listAll, walkShown } from '../../../core/list.ts';
import { toCliError, usageError } from '../../../errors.ts';
import { readDois } from '../../../formats/named-dois.ts';
import { counted, formatDuration, number } from '../../../text/words.ts';
import { dated, ownParams, warnAboutList } from '../query/filters.ts';
import { resultTarget, withResults } from '../results/results.ts';
import type { checkLinks } from './index.ts';
import { linkLayout } from './link-layout.ts';

type TypedOptions = OptionsOf<typeof checkLinks>;
type CheckLinksOptions = Undated<TypedOptions>;

// Records are requested page by page while their links are checked.
const PAGE_SIZE = 100;

/**
 * Requests the addresses of DOIs, without credentials and cookies, and prints each result.
 * @returns exit code 1 with `--exit-code` if an address is broken.
 */
export async function checkLinksCommand(context: Context, typed: TypedOptions): Promise<number> {
  const options = await dated(context, typed);
  requireSelection(options);
  const { file, out, limit, jobs } = options;
  const target = resultTarget(context, options);
  const dois = file === undefined ? undefined : (await readDois(context, file)).slice(0, limit);
  const earlier = out === undefined ? undefined : await EarlierLinks.of(out);
  if (earlier !== undefined && earlier.size > 0)
    context.messages.status(
      `continues with the ${counted(earlier.size, 'result')} in ${earlier.path}`,
    );
  const checker = await openChecker(context, options);
  const first = dois === undefined ? 'asking for the first page' : 'waiting for the first answer';
  const begun = context.host.now();
  const counts = { checked: 0, broken: 0, unknown: 0 };
  let links: LinkRun | undefined;
  try {
    await withResults(context, target, linkLayout(), first, async (shown) => {
      links = linkRun({ ...shown, host: context.host, checker, earlier, counts });
      await (dois === undefined
        ? checkListed(context, options, links)
        : checkNamed(context, dois, jobs, links));
    });
    await earlier?.remove();
  } catch (error) {
    throw links?.ended(error, out) ?? error;
  } finally {
    await checker.close();
    const { checked, broken, unknown } = counts;
    const duration = formatDuration(context.host.now() - begun);
    const what = `${counted(checked, 'DOI')} checked in ${duration}`;
    if (checked > 0 && !context.host.signal.aborted)
      context.messages.note(`${what}: ${number(broken)} broken, ${number(unknown)} unknown`);
  }
  return options.exitCode && counts.broken > 0 ? 1 : 0;
}

// Landing pages answer sooner than lists, and a run requests many.
const MAX_TIMEOUT_MS = 30_000;

/** Opens the checker of addresses. */
async function openChecker(
  context: Context,
  { rate, allowPrivate = false }: Pick<TypedOptions, 'rate' | 'allowPrivate'>,
): Promise<LinkChecker> {
  const { host, messages, options } = context;
  // Every request and wait listens to the signal, and Node warns at more than ten listeners.
  setMaxListeners(0, host.signal);
  await context.services.profile();
  const { http } = await context.services.connect(undefined);
  return new LinkChecker({
    ...host,
    userAgent: http.userAgent,
    rate,
    timeoutMs: Math.min(options.timeout, MAX_TIMEOUT_MS),
    retries: options.retries,
    allowPrivate,
    trace: (line) => messages.trace(line),
  });
}

/** @throws {CliError} kind `usage` without a selection: checking all DOIs would be a mistake. */
function requireSelection(options: CheckLinksOptions): void {
  const isFiltered = withoutUsual(paramsOf(options)).length > 0 || options.mine === true;
  if (options.file === undefined ? isFiltered : !isFiltered) return;
  throw options.file === undefined
    ? usageError('name the DOIs to check', 'add --mine, another filter or --file <path>')
    : usageError('--file excludes filters', 'leave one of them out');
}

/** Checks listed records. Drafts are skipped unless selected: their DOIs do not resolve. */
async function checkListed(
  context: Context,
  options: CheckLinksOptions,
  links: LinkRun,
): Promise<void> {
  const { limit, jobs, state } = options;
  const pageSize = Math.min(limit ?? PAGE_SIZE, PAGE_SIZE);
  const service = await context.services.open('reads', 'service');
  warnAboutList(context, service, options);
  const filters = paramsOf({ ...options, fields: ['url', 'state'] });
  requireCursor(filters, '--all');
  const query = [...filters, ...(await ownParams(service, options))];
  const all = listAll(service, query, { pageSize, limit, jobs: 1, now: context.host.now });
  const write = async (page: ListedPage) => {
    links.expect(page.total && Math.min(page.total, limit ?? page.total));
    const records = Array.from(page, (record) => JSON.parse(record.toString()) as Listed);
    await forEachLimited(records, jobs, async ({ id, attributes }) => {
      const isWanted = state !== undefined || attributes?.state !== 'draft';
      await (isWanted ? links.check(id, attributes?.url) : links.leaveOut());
    });
  };
  const { notes } = await walkShown(all, { write }, { limit });
  notes.forEach(context.messages.note);
}

interface Listed {
  readonly id: string;
  readonly attributes?: { readonly url?: unknown; readonly state?: unknown };
}

async function checkNamed(
  context: Context,
  dois: readonly string[],
  jobs: number,
  links: LinkRun,
): Promise<void> {
  const service = await context.services.open('reads', 'service');
  links.expect(dois.length);
  await forEachLimited(dois, jobs, async (doi) => {
    const record = await getDoi(service, doi).catch((error: unknown) => {
      if (toCliError(error).kind !== 'not-found') throw error;
    });
    if (record !== undefined) return links.check(doi, record.attributes['url']);
    await links.add(doi, null, { status: null, ok: false, error: 'the DOI was not found' });
  });
}
