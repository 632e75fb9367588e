import { readFile } from 'node:fs/promises';
import { addMedia, hideMetadata, putUrl, sendMetadata } from '../../api/mds.ts';
import { confirmation } from '../../cli/confirmation.ts';
import type { Context } from '../../cli/context.ts';
import { CliError, usageError } from '../../errors.ts';
import { readStdin } from '../../ui/input.ts';
import { type MdsOptions, mdsService } from './service.ts';
import { checkedAddress, checkedMediaType, checkedUrl } from './values.ts';

export interface UrlOptions extends MdsOptions {
  readonly url?: string;
  readonly file?: string;
}

export interface MetadataOptions extends MdsOptions {
  readonly file: string;
}

export interface MediaOptions extends UrlOptions {
  readonly type?: string;
}

/** More than the service takes, and than metadata ever is. */
const MOST_BYTES = 20 * 1024 * 1024;

/** Sets where a DOI leads, and prints the service's answer. */
export async function putUrlCommand(context: Context, doi: string, options: UrlOptions): Promise<void> {
  const url = await addressFor(context, doi, options);
  const { http } = await mdsService(context, options);
  const answer = await putUrl(http, doi, url).catch((error: unknown) => {
    const { kind, message, status } = error as CliError;
    // Documented as 412, while the service's own source answers 422.
    if (!(error instanceof CliError) || (status !== 412 && status !== 422)) throw error;
    throw new CliError(kind, message, {
      hint: `register its metadata first: ${context.suggest('mds', 'metadata', 'post', doi, '--file', 'metadata.xml')}`,
      status,
      cause: error,
    });
  });
  await print(context, answer);
}

/**
 * Registers metadata and prints the service's answer, which names the DOI.
 * @param name a DOI, a prefix, or undefined for the DOI in the XML.
 */
export async function postMetadataCommand(
  context: Context,
  name: string | undefined,
  options: MetadataOptions,
): Promise<void> {
  const xml = await input(context, options.file);
  if (xml.trim() === '')
    throw usageError(`${called(options.file)} is empty`, 'name a file with DataCite XML');
  const { http } = await mdsService(context, options);
  await print(context, await sendMetadata(http, name, xml));
}

/**
 * Hides a Findable DOI, after asking.
 * @throws {CliError} kind `usage` when nobody can be asked and `--yes` is missing, before any request.
 */
export async function deleteMetadataCommand(
  context: Context,
  doi: string,
  options: MdsOptions & { readonly yes?: boolean },
): Promise<void> {
  const confirmed = confirmation(context, {
    yes: options.yes,
    reason: 'hiding a DOI asks for confirmation',
    retry: context.suggest('mds', 'metadata', 'delete', doi, '--yes'),
    declined: 'nothing was hidden',
  });
  await confirmed(`Hide ${doi}, so that it is found no longer?`);
  const { http } = await mdsService(context, options);
  await print(context, await hideMetadata(http, doi));
}

/** Adds one media type with its address, and prints the service's answer. */
export async function postMediaCommand(context: Context, doi: string, options: MediaOptions): Promise<void> {
  const { type, url } = await mediaOf(context, options);
  const { http } = await mdsService(context, options);
  await print(context, await addMedia(http, doi, type, url));
}

async function addressFor(context: Context, doi: string, { url, file }: UrlOptions): Promise<string> {
  if ((url === undefined) === (file === undefined)) {
    throw usageError(
      url === undefined ? 'the address is missing' : '--url and --file exclude each other',
      'give --url <url>, or --file with doi=… and url=… in it',
    );
  }
  if (url !== undefined) return checkedUrl(url);
  const lines = (await input(context, file ?? '')).split(/\r?\n/).filter((line) => line.trim() !== '');
  const found = new Map(lines.map((line) => splitAt(line, '=')));
  const [named, address] = [found.get('doi'), found.get('url')];
  if (address === undefined || lines.length > 2 || (lines.length === 2 && named === undefined)) {
    throw usageError(`${called(file)} must hold two lines, doi=… and url=…`);
  }
  if (named !== undefined && named.toLowerCase() !== doi.toLowerCase()) {
    throw usageError(`${called(file)} is about ${named}, and not about ${doi}`);
  }
  return checkedUrl(address);
}

async function mediaOf(context: Context, { type, url, file }: MediaOptions) {
  if (file !== undefined && (type !== undefined || url !== undefined)) {
    throw usageError('--file excludes --type and --url');
  }
  if (type !== undefined && url !== undefined) {
    return { type: checkedMediaType(type), url: checkedAddress(url) };
  }
  if (file === undefined) throw usageError('give --type and --url, or --file with type=url in it');
  const lines = (await input(context, file)).split(/\r?\n/).filter((line) => line.trim() !== '');
  const [only = '', ...others] = lines;
  const [left, right] = splitAt(only, '=');
  if (others.length > 0 || right === '') throw usageError(`${called(file)} must hold one line, type=url`);
  return { type: checkedMediaType(left), url: checkedAddress(right) };
}

function splitAt(line: string, mark: string): [string, string] {
  const at = line.indexOf(mark);
  return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

/** A file as text. What is not UTF-8 would arrive as something else than it says. */
async function input(context: Context, file: string): Promise<string> {
  const bytes =
    file === '-' ? await readStdin(context, MOST_BYTES) : await readFile(file).catch(unreadable(file));
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw usageError(
      `${called(file)} is not UTF-8`,
      'convert it first, for example: iconv -f LATIN1 -t UTF-8',
    );
  }
}

function unreadable(file: string): (error: unknown) => never {
  return (error) => {
    throw usageError(`cannot read ${file}: ${(error as Error).message}`);
  };
}

function called(file: string | undefined): string {
  return file === '-' || file === undefined ? 'stdin' : file;
}

async function print(context: Context, answer: string): Promise<void> {
  await context.out.write(`${answer.trim() || 'OK'}\n`);
}
