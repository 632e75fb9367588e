import { isJsonFormat } from '../../api/doi-formats.ts';
import { asNotFound, type Doi, getDoi } from '../../api/dois.ts';
import type { Service } from '../../api/service.ts';
import type { Context } from '../../cli/context.ts';
import type { OptionsOf } from '../../cli/option-types.ts';
import { jobsFor } from '../../core/open-service.ts';
import { CliError, toCliError, usageError } from '../../errors.ts';
import { jsonArray, jsonLines, type RowWriter } from '../../formats/output/row-writer.ts';
import { number } from '../../text/words.ts';
import { webAddress } from '../../ui/look.ts';
import { outTarget, writeOutFile } from '../../ui/out-file.ts';
import { Progress } from '../../ui/progress.ts';
import type { Sink } from '../../ui/sink.ts';
import type { get } from './index.ts';
import { type Output, type Read, type RecordFormat, readerOf } from './record/reader.ts';

type GetOptions = OptionsOf<typeof get>;

const ENDINGS: Readonly<Record<string, RecordFormat>> = {
  ...{ '.json': 'json', '.ndjson': 'ndjson', '.jsonl': 'ndjson', '.txt': 'text' },
  ...{ '.bib': 'bibtex', '.ris': 'ris', '.xml': 'datacite-xml', '.csv': 'csv' },
};

const ONE_A_FILE: readonly RecordFormat[] = ['datacite-xml', 'jats', 'csv'];

/** Prints DOI records, for people or as the service sent them, or opens the landing page of one. */
export async function getDoiCommand(
  context: Context,
  named: readonly string[],
  options: GetOptions,
): Promise<void> {
  const { style, locale, web } = options;
  const dois = await differentDois(context, named, options.file);
  const isOne = dois.length === 1;
  const { output, format: chosen } = outputOf(context, options);
  const json = isOne ? 'json' : 'ndjson';
  const format = chosen ?? (output.onScreen ? 'text' : json);
  if (format !== 'citation' && (style ?? locale) !== undefined) {
    throw usageError('--style and --locale are for citations', 'add --format citation');
  }
  if (!isOne && web) throw usageError('--web opens one page', 'name one DOI');
  if (!isOne && ONE_A_FILE.includes(format)) {
    const hint =
      format === 'csv' ? 'doi-cli dois list --format csv' : '--format ndjson, or one DOI at a time';
    throw usageError(`a file of ${format} holds one record`, hint);
  }
  const isJson = ['json', 'ndjson', 'text', 'url'].includes(format);
  const service = await context.services.open('reads', isJson ? 'service' : 'formats');
  const read = web ? undefined : await readerOf(context, service, format, options, output);
  if (read !== undefined && !isOne) return printMany(context, service, dois, format, read, output);
  const [doi = ''] = dois;
  try {
    if (read === undefined) return await openPage(context, await getDoi(service, doi));
    await output.print(async (safe, raw) =>
      (format === 'text' ? raw : safe).write(withLineEnd(await read(doi))),
    );
  } catch (error) {
    throw toCliError(error).status === 404
      ? asNotFound(error, doi, service, hintFor(service))
      : error;
  }
}

/** @throws {CliError} kind `usage` for a name of a file that cannot be written. */
function outputOf(
  context: Context,
  { out, format }: GetOptions,
): { readonly output: Output; readonly format: RecordFormat | undefined } {
  if (out === undefined) {
    const onScreen = context.host.terminal.stdout;
    const print: Output['print'] = (write) => context.paged(write);
    return { output: { isFile: false, onScreen, print }, format };
  }
  const target = outTarget<RecordFormat>(out, ENDINGS, format);
  const { warn } = context.messages;
  const print: Output['print'] = (write) =>
    writeOutFile(out, { packing: target.packing, warn }, (sink) => write(sink, sink));
  return { output: { isFile: true, onScreen: false, print }, format: target.format };
}

const hintFor = ({ credentials }: Service) =>
  credentials === undefined ? 'Draft and Registered DOIs need credentials' : undefined;

/**
 * @throws {CliError} kind `usage` without DOIs, and for DOIs on the command line beside `--file`.
 */
async function differentDois(
  context: Context,
  named: readonly string[],
  file: string | undefined,
): Promise<readonly string[]> {
  if (file !== undefined && named.length > 0) {
    throw usageError(
      'DOIs on the command line and --file exclude each other',
      'write all into the file',
    );
  }
  if (file !== undefined)
    return (await import('../../formats/named-dois.ts')).readDois(context, file);
  if (named.length === 0) throw usageError('name a DOI', 'doi-cli dois get 10.5438/0012');
  return [...new Map(named.map((doi) => [doi.toLowerCase(), doi])).values()];
}

async function openPage(
  { host, messages, out }: Context,
  { id, attributes: { url } }: Doi,
): Promise<void> {
  const address = typeof url === 'string' ? webAddress(url) : undefined;
  if (address === undefined) throw new CliError('not-found', `${id} has no web address`);
  const { openInBrowser } = await import('../../ui/user-programs.ts');
  // A script needs the address, not a window.
  if (host.terminal.stdout && (await openInBrowser(address, host.env)))
    messages.note(`opened ${address}`);
  else await out.write(`${address}\n`);
}

/**
 * Prints several DOIs in order, as one text. DOIs that do not exist are an error at the end; a file
 * would not be complete without them.
 */
async function printMany(
  context: Context,
  service: Service,
  dois: readonly string[],
  format: RecordFormat,
  read: Read,
  output: Output,
): Promise<void> {
  const missing: string[] = [];
  const withoutAddress: string[] = [];
  const readOne = (doi: string) =>
    read(doi).catch((error: unknown) => {
      const { kind, status } = toCliError(error);
      if (kind !== 'not-found') throw error;
      (status === undefined ? withoutAddress : missing).push(doi);
      return '';
    });
  const progress = await Progress.start(context, output.onScreen, 'waiting for the first answer');
  const print = async (sink: Sink) => {
    const writer = writerOf(format, sink);
    let done = 0;
    for await (const text of textsOf(dois, jobsFor(service), readOne)) {
      context.host.signal.throwIfAborted();
      done += 1;
      progress.update(done, dois.length);
      if (text !== '') await writer.write([text]);
    }
    // After an error the array stays open, so that it is not mistaken for complete JSON.
    await writer.end();
  };
  const requireAll = () => {
    const problems = [
      [missing, 'were not found'] as const,
      [withoutAddress, 'have no address'] as const,
    ].filter(([named]) => named.length > 0);
    if (problems.length === 0) return;
    const texts = problems.map(([named, problem]) => {
      const names = dois.filter((doi) => named.includes(doi)).join(', ');
      return `${number(named.length)} of ${number(dois.length)} DOIs ${problem}: ${names}`;
    });
    const hint = missing.length > 0 ? hintFor(service) : undefined;
    if (!output.isFile) throw new CliError('not-found', texts.join('; '), { hint });
    throw new CliError('not-found', [...texts, 'nothing was written'].join('; '), {
      hint: hint ?? 'leave out --out to print the others',
    });
  };
  await output
    .print(async (safe, raw) => {
      await print(format === 'text' ? raw : safe);
      if (output.isFile) requireAll();
    })
    .finally(() => progress.stop());
  requireAll();
}

/** Writes texts as an array or one after the other, in formats for people with a line between. */
function writerOf(format: RecordFormat, sink: Sink): RowWriter<string> {
  const isLines = format === 'text' || format === 'ndjson' || format === 'url';
  if (format === 'json' || (!isLines && isJsonFormat(format)))
    return jsonArray(sink, (text) => text.trimEnd());
  let before = '';
  return jsonLines(sink, (text) => {
    const separate = before + text.replace(/\n$/, '');
    before = format === 'text' || format === 'bibtex' ? '\n' : '';
    return separate;
  });
}

/** The texts of DOIs in their order; as many are read at once as the rate allows. */
async function* textsOf(dois: readonly string[], jobs: number, read: Read): AsyncGenerator<string> {
  const reading: Promise<string>[] = [];
  for (const doi of dois) {
    const text = read(doi);
    // An error is thrown when it is the text's turn.
    text.catch(() => undefined);
    reading.push(text);
    if (reading.length >= jobs) yield (await reading.shift()) ?? '';
  }
  yield* reading;
}

const withLineEnd = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);
