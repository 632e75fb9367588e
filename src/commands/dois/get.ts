import { getDoiAs, isJsonFormat, type OtherFormat } from '../../api/doi-formats.ts';
import { asNotFound, type Doi, getDoi } from '../../api/dois.ts';
import { registeredUrl } from '../../api/registered-url.ts';
import type { Service } from '../../api/service.ts';
import type { Context } from '../../cli/context.ts';
import { jobsFor } from '../../core/open-service.ts';
import { CliError, toCliError, usageError } from '../../errors.ts';
import { indentJson } from '../../text/json.ts';
import { visible } from '../../text/redact.ts';
import { number } from '../../text/words.ts';
import { webAddress } from '../../ui/look.ts';
import { Progress } from '../../ui/progress.ts';
import type { Sink } from '../../ui/sink.ts';

type Format = 'text' | 'json' | 'ndjson' | 'url' | OtherFormat;

interface GetOptions {
  readonly file?: string;
  /** Text on a terminal by default, JSON elsewhere. */
  readonly format?: Format;
  readonly style?: string;
  readonly locale?: string;
  readonly web?: boolean;
}

/** The text of one DOI. @throws {CliError} kind `not-found` when there is no such DOI. */
type Read = (doi: string) => Promise<string>;

const ONE_A_FILE: readonly Format[] = ['datacite-xml', 'jats', 'csv'];

/** Prints DOI records, for people or as the service sent them, or opens the landing page of one. */
export async function getDoiCommand(
  context: Context,
  named: readonly string[],
  options: GetOptions,
): Promise<void> {
  const { style, locale, web } = options;
  const dois = await differentDois(context, named, options.file);
  const isOne = dois.length === 1;
  const json = isOne ? 'json' : 'ndjson';
  const usual = context.host.terminal.stdout ? 'text' : json;
  const { format = usual } = options;
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
  const service = await context.service('reads', isJson ? 'service' : 'formats', true);
  const read = web ? undefined : await readerOf(context, service, format, options);
  if (read !== undefined && !isOne) return printMany(context, service, dois, format, read);
  const [doi = ''] = dois;
  try {
    if (read === undefined) return await openPage(context, await getDoi(service, doi));
    const text = withLineEnd(await read(doi));
    await context.paged((safe, raw) => (format === 'text' ? raw : safe).write(text));
  } catch (error) {
    throw toCliError(error).status === 404
      ? asNotFound(error, doi, service, hintFor(service))
      : error;
  }
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

/**
 * Makes a function that reads a DOI in a format. Terminals get their own line ends: RIS has others.
 */
async function readerOf(
  context: Context,
  service: Service,
  format: Format,
  options: GetOptions,
): Promise<Read> {
  const { stdout, columns } = context.host.terminal;
  const readJson = async (doi: string): Promise<string> => {
    const { text } = await getDoi(service, doi);
    return format === 'json' ? indentJson(text) : text;
  };
  switch (format) {
    case 'json':
    case 'ndjson':
      return readJson;
    case 'text': {
      const [baseUrl, { recordView }] = await Promise.all([
        context.baseUrl(),
        import('./record/view.ts'),
      ]);
      const view = {
        look: context.look,
        width: stdout ? columns || undefined : undefined,
        baseUrl,
      };
      return async (doi) => recordView(await getDoi(service, doi), view);
    }
    case 'url':
      return async (doi) => {
        const url = await urlOf(service, doi);
        return stdout ? visible(url) : url;
      };
    case 'datacite-xml':
      return (doi) => xmlOf(service, doi);
    case 'citation':
      return citationsOf(context, service, options);
    default:
      return async (doi) => {
        const text = await getDoiAs(service, doi, format);
        if (isJsonFormat(format)) return indentJson(text);
        return stdout ? text.replaceAll('\r\n', '\n') : text;
      };
  }
}

/**
 * Reads citations. For an unknown style the service answers in APA without saying so (service.md,
 * O6): the first citation is compared with one in APA.
 */
function citationsOf(context: Context, service: Service, { style, locale }: GetOptions): Read {
  const params = Object.entries({ style, locale }).filter(
    (param): param is [string, string] => !!param[1],
  );
  let isKnown = style === undefined || style === 'apa';
  return async (doi) => {
    const text = await getDoiAs(service, doi, 'citation', params);
    if (isKnown) return text;
    isKnown = true;
    if (text === (await getDoiAs(service, doi, 'citation'))) {
      const unknown =
        locale === undefined ? `style '${style}'` : `style '${style}' or locale '${locale}'`;
      context.messages.warn(`this is the citation in APA: the service may not know the ${unknown}`);
    }
    return text;
  };
}

/** DataCite XML, or the XML in the record if the service cannot generate it. */
async function xmlOf(service: Service, doi: string): Promise<string> {
  try {
    return await getDoiAs(service, doi, 'datacite-xml');
  } catch (error) {
    if (!(error instanceof CliError) || !['rejected', 'not-found'].includes(error.kind))
      throw error;
    const { xml } = (await getDoi(service, doi)).attributes;
    if (typeof xml !== 'string' || xml === '') throw error;
    return Buffer.from(xml, 'base64').toString('utf8');
  }
}

async function urlOf(service: Service, doi: string): Promise<string> {
  const url = await registeredUrl(service, doi).catch(async (error: unknown) => {
    if (toCliError(error).status !== 403) throw error;
    // The service tells an account only the addresses of its own DOIs; the record names it as well.
    const { url: inRecord } = (await getDoi(service, doi)).attributes;
    return typeof inRecord === 'string' && inRecord !== '' ? inRecord : undefined;
  });
  if (url === undefined) throw new CliError('not-found', `${doi} has no address`);
  return url;
}

/** Opens the landing page of a record in the browser, or prints its address where there is none. */
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

/** Prints several DOIs in order, as one text. DOIs that do not exist are an error at the end. */
async function printMany(
  context: Context,
  service: Service,
  dois: readonly string[],
  format: Format,
  read: Read,
): Promise<void> {
  const isLines = format === 'text' || format === 'ndjson' || format === 'url';
  const isArray = format === 'json' || (!isLines && isJsonFormat(format));
  const blankLine = format === 'text' || format === 'bibtex' ? '\n' : '';
  const between = isArray ? ',\n' : blankLine;
  const missing: string[] = [];
  const withoutAddress: string[] = [];
  const readOne = (doi: string) =>
    read(doi).catch((error: unknown) => {
      const { kind, status } = toCliError(error);
      if (kind !== 'not-found') throw error;
      (status === undefined ? withoutAddress : missing).push(doi);
      return '';
    });
  const progress = await Progress.start(
    context,
    context.host.terminal.stdout,
    'waiting for the first answer',
  );
  const print = async (sink: Sink) => {
    let [done, before] = [0, isArray ? '[\n' : ''];
    for await (const text of textsOf(dois, jobsFor(service), readOne)) {
      context.host.signal.throwIfAborted();
      done += 1;
      progress.update(done, dois.length);
      if (text === '') continue;
      await sink.write(before + (isArray ? text.trimEnd() : withLineEnd(text)));
      before = between;
    }
    // After an error the array stays open, so that it is not mistaken for complete JSON.
    if (isArray) await sink.write(before === '[\n' ? '[\n]\n' : '\n]\n');
  };
  await context
    .paged((safe, raw) => print(format === 'text' ? raw : safe))
    .finally(() => progress.stop());
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
  throw new CliError('not-found', texts.join('; '), { hint });
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
