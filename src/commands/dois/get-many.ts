import { isJsonFormat, type OtherFormat } from '../../api/doi-formats.ts';
import type { Service } from '../../api/service.ts';
import type { Context } from '../../cli/context.ts';
import { jobsFor } from '../../cli/service.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { CliError, toCliError, usageError } from '../../errors.ts';
import { InOrder } from '../../records/in-order.ts';
import { number } from '../../text/words.ts';
import { Progress } from '../../ui/progress.ts';
import type { Sink } from '../../ui/sink.ts';

/** Formats of which one file can hold several records. */
type ManyFormat = 'text' | 'json' | 'ndjson' | 'url' | OtherFormat;

interface ManyOptions {
  readonly format: ManyFormat;
  /** The text of one DOI. @throws {CliError} kind `not-found` when there is no such DOI. */
  readonly read: (service: Service, doi: string) => Promise<string>;
}

// How many answers may wait for an earlier one.
const LOOKAHEAD = 100;
const ONE_A_FILE: readonly ManyFormat[] = ['datacite-xml', 'jats', 'csv'];

/** @throws {CliError} kind `usage` for a format of which a file holds one record. */
export function requireForMany(format: ManyFormat): void {
  if (!ONE_A_FILE.includes(format)) return;
  throw usageError(
    `a file of ${format} holds one record`,
    format === 'csv' ? 'doi-cli dois list --format csv' : '--format ndjson, or one DOI at a time',
  );
}

/**
 * Prints several DOIs in their order as one text: lines, one JSON array, or one file of BibTeX or RIS.
 * @throws {CliError} kind `not-found` at the end, with the DOIs that were not found; another error ends it at once.
 */
export async function getManyDois(
  context: Context,
  dois: readonly string[],
  { format, read }: ManyOptions,
): Promise<void> {
  const service = await context.service('reads');
  const { terminal } = context.host;
  const { head, between, tail, isArray } = layoutOf(format);
  const missing: string[] = [];
  const readOne = async (doi: string) => {
    const text = await read(service, doi).catch((error: unknown) => {
      if (toCliError(error).kind !== 'not-found') throw error;
      missing.push(doi);
      return '';
    });
    // On a terminal, the CR of RIS would be shown as a character.
    return terminal.stdout ? text.replaceAll('\r\n', '\n') : text;
  };
  const progress = await Progress.start(context, terminal.stdout, 'waiting for the first answer');
  const print = async (sink: Sink) => {
    let [done, before] = [0, head];
    const write = async (text: string) => {
      done += 1;
      progress.update(done, dois.length);
      if (text === '') return;
      const own = isArray ? text.trimEnd() : withLineEnd(text);
      await sink.write(before + own);
      before = between;
    };
    await readAll(context, service, dois, readOne, new InOrder(write, LOOKAHEAD));
    // A text that was cut off has no end, so that it is no JSON.
    await sink.write(isArray && missing.length === dois.length ? head + tail.trimStart() : tail);
  };
  await context.paged((safe, raw) => print(format === 'text' ? raw : safe)).finally(() => progress.stop());
  if (missing.length === 0) return;
  const inOrder = dois.filter((doi) => missing.includes(doi));
  const message = `${number(missing.length)} of ${number(dois.length)} DOIs were not found: ${inOrder.join(', ')}`;
  const hint = service.credentials ? undefined : 'Draft and Registered DOIs need credentials';
  throw new CliError('not-found', message, { hint });
}

async function readAll(
  { host: { signal } }: Context,
  service: Service,
  dois: readonly string[],
  read: (doi: string) => Promise<string>,
  results: InOrder<string>,
): Promise<void> {
  const jobs = new Semaphore(jobsFor(service));
  let failed = false;
  for (const doi of dois) {
    const release = await jobs.acquire();
    signal.throwIfAborted();
    if (failed) break;
    const text = read(doi).finally(release);
    text.catch(() => {
      failed = true;
    });
    await results.push(() => text);
  }
  await results.end();
}

function withLineEnd(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

/** What is before the first record, between two, and after the last. */
function layoutOf(format: ManyFormat) {
  const isOwn = format === 'text' || format === 'ndjson' || format === 'url';
  const isArray = format === 'json' || (!isOwn && isJsonFormat(format));
  if (isArray) return { head: '[\n', between: ',\n', tail: '\n]\n', isArray };
  const between = format === 'text' || format === 'bibtex' ? '\n' : '';
  return { head: '', between, tail: '', isArray };
}
