import { setMaxListeners } from 'node:events';
import { getDoi } from '../../api/dois.ts';
import { LinkChecker, type LinkResult } from '../../api/http/link-checker.ts';
import type { Rate } from '../../api/http/rate-limiter.ts';
import type { Context } from '../../cli/context.ts';
import { forEachLimited } from '../../concurrency/for-each.ts';
import { paramsOf } from '../../core/filter-params.ts';
import { isStop, toCliError, usageError } from '../../errors.ts';
import { selected } from '../../harvest/walk/repeat-guard.ts';
import { readDois } from '../../records/named-dois.ts';
import { isNonEmptyString } from '../../text/json-values.ts';
import { counted, number } from '../../text/words.ts';
import { planList, printList } from './list/list.ts';
import type { Given } from './query/dates.ts';
import { dated, type FilterOptions } from './query/filters.ts';

interface CheckLinksOptions extends FilterOptions {
  readonly file?: string;
  readonly limit?: number;
  /** For each host. */
  readonly rate: Rate;
  readonly jobs: number;
  readonly allowPrivate?: boolean;
  readonly exitCode?: boolean;
}

// Landing pages answer sooner than lists, and a run has many to ask.
const MAX_TIMEOUT_MS = 30_000;
// Progress is shown, and the next records are requested, page by page.
const PAGE_SIZE = 100;

/**
 * Asks the addresses of DOIs whether they answer, and prints each result as soon as it is known. No
 * credentials and no cookies go to them.
 * @returns exit code 1 with `--exit-code` if an address is broken, else 0.
 */
export async function checkLinksCommand(context: Context, given: Given<CheckLinksOptions>): Promise<number> {
  const options = dated<CheckLinksOptions>(context, given);
  requireSelection(options);
  const dois = options.file === undefined ? undefined : await readDois(context, options.file);
  const links = await startChecks(context, options);
  try {
    if (dois === undefined) await checkListed(context, options, links);
    else await checkNamed(context, dois.slice(0, options.limit), options.jobs, links);
  } finally {
    await links.end();
  }
  return options.exitCode && links.counts.broken > 0 ? 1 : 0;
}

/** @throws {CliError} kind `usage`: the addresses of all DOIs of the service would be a mistake. */
function requireSelection(options: CheckLinksOptions): void {
  const filters = paramsOf(options).filter(([name]) => name !== 'disable-facets');
  const isFiltered = filters.length > 0 || options.mine === true;
  if (options.file === undefined ? isFiltered : !isFiltered) return;
  throw options.file === undefined
    ? usageError('name the DOIs to check', 'give --mine')
    : usageError('--file excludes filters', 'leave one of them out');
}

/** Checks the records of a list. Drafts are left out unless asked for: nothing resolves to their addresses. */
async function checkListed(context: Context, options: CheckLinksOptions, links: LinkRun): Promise<void> {
  // The rate is that of the hosts, which are what limits.
  const { limit, jobs, rate: _, ...selection } = options;
  const { state } = selection;
  const pageSize = Math.min(limit ?? PAGE_SIZE, PAGE_SIZE);
  const list = {
    ...selection,
    ...(limit === undefined ? {} : { limit }),
    fields: ['url', 'state'],
    all: true,
    jobs: 1,
    pageSize,
  };
  const printed = printList(context, planList(list), list, undefined, {
    async page(walked, most) {
      const records = [...selected(walked, most)].map((bytes) => JSON.parse(bytes.toString()) as Listed);
      const wanted = records.filter(({ attributes }) => state !== undefined || attributes?.state !== 'draft');
      await forEachLimited(wanted, jobs, ({ id, attributes }) => links.check(id, attributes?.url));
    },
    end: async () => undefined,
  });
  await printed.catch((error: unknown) => {
    // What the list says of a stop is of its pages: the results say how far the checks came.
    throw isStop(error) ? toCliError(context.host.signal.reason) : error;
  });
}

type LinkRun = Awaited<ReturnType<typeof startChecks>>;

interface Listed {
  readonly id: string;
  readonly attributes?: { readonly url?: unknown; readonly state?: unknown };
}

/** Reads each DOI and checks its address. A DOI that does not exist is a broken link. */
async function checkNamed(
  context: Context,
  dois: readonly string[],
  jobs: number,
  links: LinkRun,
): Promise<void> {
  const service = await context.service('reads', 'service');
  await forEachLimited(dois, jobs, async (doi) => {
    const found = await getDoi(service, doi).catch((error: unknown) => {
      if (toCliError(error).kind !== 'not-found') throw error;
    });
    if (found !== undefined) return links.check(doi, found.attributes['url']);
    await links.print(doi, null, { status: null, ok: false, error: 'the DOI was not found' });
  });
}

/** The checks of a run, which count their results. */
async function startChecks(context: Context, { rate, allowPrivate = false }: CheckLinksOptions) {
  const { host, messages, options, out } = context;
  // Every request and wait in progress listens to it; Node warns of a leak at more than ten.
  setMaxListeners(0, host.signal);
  await context.profile();
  const { http } = await context.connect(undefined);
  const checker = new LinkChecker({
    ...host,
    userAgent: http.userAgent,
    rate,
    timeoutMs: Math.min(options.timeout, MAX_TIMEOUT_MS),
    retries: options.retries,
    allowPrivate,
    trace: (line) => messages.trace(line),
  });
  const counts = { checked: 0, broken: 0, unknown: 0 };
  const print = async (doi: string, url: string | null, { status, ok, ...more }: LinkResult) => {
    counts.checked += 1;
    if (ok === false) counts.broken += 1;
    if (ok === null) counts.unknown += 1;
    const checkedAt = new Date(host.now()).toISOString();
    await out.write(`${JSON.stringify({ doi, url, status, ok, ...more, checkedAt })}\n`);
  };
  return {
    counts,
    print,
    async check(doi: string, url: unknown): Promise<void> {
      if (isNonEmptyString(url)) return print(doi, url, await checker.check(url));
      await print(doi, null, { status: null, ok: false, error: 'the record has no address' });
    },
    /** Closes the connections, and says how many addresses are broken. */
    async end(): Promise<void> {
      await checker.close();
      const { checked, broken, unknown } = counts;
      if (checked === 0) return;
      messages.note(
        `${counted(checked, 'DOI')} checked: ${number(broken)} broken, ${number(unknown)} unknown`,
      );
    },
  };
}
