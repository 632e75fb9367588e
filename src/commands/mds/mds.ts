import { verifyApiKey } from '../../api/account.ts';
import type { Http } from '../../api/http/http.ts';
import {
  addMedia,
  getText,
  hideMetadata,
  type MdsResource,
  putUrl,
  sendMetadata,
} from '../../api/mds.ts';
import { DEFAULT_BASE_URL, TEST_BASE_URL } from '../../api/service.ts';
import { confirmation } from '../../cli/confirmation.ts';
import type { Context } from '../../cli/context.ts';
import { openInput } from '../../disk/input-file.ts';
import { CliError, usageError } from '../../errors.ts';
import { readError } from '../../formats/input/source.ts';
import { EntityError, withoutEntities } from '../../metadata/xml/entities.ts';
import { MalformedXml } from '../../metadata/xml/parse.ts';
import { readDataciteXml } from '../../metadata/xml/read.ts';
import { cutFindings } from '../../metadata/xml-attributes.ts';
import { normalizeBaseUrl } from '../../settings/settings.ts';
import { textOf } from '../../text/lines.ts';
import { readInput } from '../../ui/input.ts';
import { placedText } from '../../writing/findings.ts';

export interface MdsOptions {
  readonly mdsUrl?: URL;
}

/**
 * Opens the MDS API with credentials. Stored credentials belong to the REST API of the base URL and
 * are sent only to the MDS API of the same service; credentials in the environment go to any URL
 * that the user chose.
 */
async function openMds(
  context: Context,
  options: MdsOptions,
  need: 'mds' | 'mds-list' = 'mds',
): Promise<Http> {
  const baseUrl = await context.baseUrl();
  const mdsUrl = mdsUrlOf(context, options, baseUrl);
  const sameService = [baseUrl.origin, mdsUrlFor(baseUrl)?.origin].includes(mdsUrl.origin);
  let credentials = await context.credentials(need, { environmentOnly: !sameService });
  if (credentials?.kind === 'api-key' && credentials.account === undefined) {
    // MDS registers a new DOI for the account sent with a key (service.md, M2): take it from the
    // environment, or from the REST API of the same service.
    const account =
      context.host.env['DOI_CLI_REPOSITORY'] ||
      (sameService ? await verifyApiKey(await context.connect(credentials)) : undefined);
    if (account !== undefined) credentials = { ...credentials, account };
  }
  return (await context.connect(credentials, { baseUrl: mdsUrl, isMds: true })).http;
}

/**
 * The URL of MDS from --mds-url, from --test or --base-url, the environment, or the base URL, in
 * this order.
 */
function mdsUrlOf(context: Context, { mdsUrl }: MdsOptions, baseUrl: URL): URL {
  const { test, baseUrl: chosen } = context.options;
  if (test && mdsUrl !== undefined) throw usageError('--test and --mds-url exclude each other');
  const derived = mdsUrlFor(baseUrl);
  const url =
    mdsUrl ??
    (test || chosen !== undefined ? derived : undefined) ??
    context.urlFromEnv('DOI_CLI_MDS_URL', 'unset it for the default') ??
    derived;
  if (url !== undefined) return url;
  throw usageError(
    `the URL of the MDS API that belongs to ${normalizeBaseUrl(baseUrl)} is unknown`,
    'set it with --mds-url <url> or DOI_CLI_MDS_URL',
  );
}

const MDS_URLS: Readonly<Record<string, string>> = {
  [DEFAULT_BASE_URL]: 'https://mds.datacite.org',
  [TEST_BASE_URL]: 'https://mds.test.datacite.org',
};

/** The MDS API of the service with this base URL; undefined if unknown. */
function mdsUrlFor(baseUrl: URL): URL | undefined {
  const mds = MDS_URLS[normalizeBaseUrl(baseUrl)];
  return mds === undefined ? undefined : new URL(mds);
}

/** Prints the URL, the XML metadata or the media of a DOI. */
export async function readCommand(
  context: Context,
  resource: MdsResource,
  doi: string,
  options: MdsOptions,
): Promise<void> {
  const text = await getText(await openMds(context, options), resource, doi);
  const what = resource === 'doi' ? 'address' : resource;
  if (text === undefined) throw new CliError('not-found', `${doi} has no ${what} in MDS`);
  if (resource === 'doi') return context.printLine(text);
  await print(context, text);
}

/**
 * Prints the registered DOIs below the account's first prefix, one per line, as MDS spells them.
 */
export async function listCommand(context: Context, options: MdsOptions): Promise<void> {
  const text = await getText(await openMds(context, options, 'mds-list'), 'doi');
  if (text === undefined) return context.messages.note('MDS lists no DOIs');
  // On a terminal, other lines could imitate messages of this program.
  if (!text.split('\n').every((line) => /^(10\.|\s*$)/.test(line))) {
    throw new CliError('unavailable', 'the answer of MDS is not a list of DOIs');
  }
  await print(context, text);
}

function print({ out }: Context, text: string): Promise<void> {
  return out.write(text.endsWith('\n') ? text : `${text}\n`);
}

async function send(
  context: Context,
  options: MdsOptions,
  write: (http: Http) => Promise<string>,
): Promise<void> {
  const http = await openMds(context, options);
  await context.printLine(await context.untilAnswered(() => write(http)));
}

/** More than the service accepts, and far more than any metadata. */
const MAX_BYTES = 20 * 1024 * 1024;

// The service accepts http, https and ftp for a DOI (service.md, W6), and more schemes for a file,
// whose address it cuts off at `=` (service.md, M8). A line break would start another entry.
const DOI_URL = /^(https?|ftp):\/\/[^\s\p{Cc}]+$/u;
const FILE_URL = /^(https?|ftp|gs|s3|dos):\/\/[^\s\p{Cc}]+$/u;
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+$/;

function check(text: string, pattern: RegExp, example: string): void {
  if (!pattern.test(text)) throw usageError(`'${text}' is not ${example}`);
}

export async function putUrlCommand(
  context: Context,
  doi: string,
  options: MdsOptions & { readonly url: string },
): Promise<void> {
  check(options.url, DOI_URL, 'a URL such as https://example.org/1');
  await send(context, options, (http) => putUrl(http, doi, options.url)).catch((error: unknown) => {
    // The documentation says 412, the service's own source 422 (service.md, M5).
    if (!(error instanceof CliError) || (error.status !== 412 && error.status !== 422)) throw error;
    const post = context.suggest('mds', 'metadata', 'post', doi, '--file', 'metadata.xml');
    throw error.with({ hint: `register its metadata first: ${post}` });
  });
}

/**
 * Registers metadata for a DOI, for a new DOI below a prefix, or for the DOI in the XML, and prints
 * the DOI.
 */
export async function postMetadataCommand(
  context: Context,
  name: string | undefined,
  options: MdsOptions & { readonly file: string },
): Promise<void> {
  const { file } = options;
  const source = file === '-' ? 'stdin' : file;
  const stream = file === '-' ? context.host.stdin : openInput(file);
  const bytes = await readInput(context, stream, source, MAX_BYTES).catch((error: unknown) => {
    throw readError(context, source, error);
  });
  const xml = resolvedXml(textOf({ bytes }, source), source);
  if (xml.trim() === '') throw usageError(`${source} is empty`, 'use a file with DataCite XML');
  const read = readDataciteXml(xml);
  if (read !== undefined && !(read instanceof MalformedXml)) {
    for (const finding of cutFindings(read))
      context.messages.warn(placedText(source, finding).replace(/warning: /, ''));
  }
  await send(context, options, (http) => sendMetadata(http, name, xml));
}

function resolvedXml(text: string, source: string): string {
  try {
    return withoutEntities(text);
  } catch (error) {
    throw error instanceof EntityError ? usageError(`${source}: ${error.message}`) : error;
  }
}

/** Hides a Findable DOI. For an unknown DOI, MDS would create a Draft (service.md, M7). */
export async function deleteMetadataCommand(
  context: Context,
  doi: string,
  options: MdsOptions & { readonly yes?: boolean },
): Promise<void> {
  const confirmed = confirmation(context, {
    yes: options.yes,
    reason: 'hiding a DOI asks for confirmation',
    declined: 'nothing was hidden',
  });
  await confirmed(`Hide ${doi}, from the search index?`);
  await send(context, options, async (http) => {
    await getText(http, 'metadata', doi);
    return hideMetadata(http, doi);
  });
}

export async function postMediaCommand(
  context: Context,
  doi: string,
  options: MdsOptions & { readonly type: string; readonly url: string },
): Promise<void> {
  const { type, url } = options;
  check(type, MEDIA_TYPE, 'a media type such as application/pdf');
  check(
    url,
    FILE_URL,
    'an address such as https://example.org/1.pdf (http, https, ftp, gs, s3 or dos)',
  );
  if (url.includes('=')) {
    const kept = url.slice(0, url.indexOf('='));
    const hint = 'dois update --set contentUrl=… keeps any address';
    throw usageError(`MDS would cut '${url}' off at its equals sign and keep '${kept}'`, hint);
  }
  await send(context, options, (http) => addMedia(http, doi, type, url));
}
