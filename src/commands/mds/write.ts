import { isUtf8 } from 'node:buffer';
import { addMedia, hideMetadata, putUrl, sendMetadata } from '../../api/mds.ts';
import { confirmation } from '../../cli/confirmation.ts';
import type { Context } from '../../cli/context.ts';
import { untilAnswered } from '../../cli/uninterruptible.ts';
import { openInput } from '../../disk/input-file.ts';
import { systemReason } from '../../disk/system-error.ts';
import { CliError, usageError } from '../../errors.ts';
import { readInput, readStdin } from '../../ui/input.ts';
import { type MdsOptions, mdsService } from './service.ts';

/** More than the service accepts, and far more than any metadata. */
const MAX_BYTES = 20 * 1024 * 1024;

type Form = { readonly pattern: RegExp; readonly example: string };
// The service accepts http, https and ftp for a DOI (service.md, W6), and more schemes for a file; it cuts the
// address of a file off at `=` (service.md, M8). A line break would begin another entry.
const DOI_URL: Form = {
  pattern: /^(https?|ftp):\/\/[^\s\p{Cc}]+$/u,
  example: 'a URL such as https://example.org/1',
};
const FILE_URL: Form = {
  pattern: /^(https?|ftp|gs|s3|dos):\/\/[^\s\p{Cc}]+$/u,
  example: 'an address such as https://example.org/1.pdf (http, https, ftp, gs, s3 or dos)',
};
const MEDIA_TYPE: Form = { pattern: /^[\w.+-]+\/[\w.+-]+$/, example: 'a media type such as application/pdf' };

/** Sets the URL of a DOI and prints the service's answer. */
export async function putUrlCommand(
  context: Context,
  doi: string,
  options: MdsOptions & { readonly url: string },
): Promise<void> {
  const url = checked(options.url, DOI_URL);
  const { http } = await mdsService(context, options);
  const answer = await untilAnswered(context, () => putUrl(http, doi, url)).catch((error: unknown) => {
    // The documentation says 412, the service's own source 422 (service.md, M5).
    if (!(error instanceof CliError) || (error.status !== 412 && error.status !== 422)) throw error;
    const post = context.suggest('mds', 'metadata', 'post', doi, '--file', 'metadata.xml');
    throw error.with({ hint: `register its metadata first: ${post}` });
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
  options: MdsOptions & { readonly file: string },
): Promise<void> {
  const xml = await input(context, options.file);
  if (xml.trim() === '') {
    throw usageError(`${sourceName(options.file)} is empty`, 'name a file with DataCite XML');
  }
  const { http } = await mdsService(context, options);
  await print(context, await untilAnswered(context, () => sendMetadata(http, name, xml)));
}

/**
 * Hides a Findable DOI after confirmation.
 * @throws {CliError} kind `usage`, before any request, without `--yes` and without a terminal to ask on.
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
  await confirmed(`Hide ${doi}, from the search index?`);
  const { http } = await mdsService(context, options);
  await print(context, await untilAnswered(context, () => hideMetadata(http, doi)));
}

/** Adds a media type with its URL and prints the service's answer. */
export async function postMediaCommand(
  context: Context,
  doi: string,
  options: MdsOptions & { readonly type: string; readonly url: string },
): Promise<void> {
  const [type, url] = [checked(options.type, MEDIA_TYPE), fileUrl(options.url)];
  const { http } = await mdsService(context, options);
  await print(context, await untilAnswered(context, () => addMedia(http, doi, type, url)));
}

function fileUrl(text: string): string {
  const url = checked(text, FILE_URL);
  if (!url.includes('=')) return url;
  const kept = url.slice(0, url.indexOf('='));
  const hint = 'give an address without an equals sign; dois update --set contentUrl=… keeps any address';
  throw usageError(`MDS would cut '${url}' off at its equals sign and keep '${kept}'`, hint);
}

/** Reads a file or stdin as UTF-8 text. */
async function input(context: Context, file: string): Promise<string> {
  const bytes =
    file === '-'
      ? await readStdin(context, MAX_BYTES)
      : await readInput(context, openInput(file), file, MAX_BYTES).catch((error: unknown) => {
          if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
          throw usageError(`cannot read ${file}: ${systemReason(error)}`, 'name a file, or - for stdin');
        });
  if (isUtf8(bytes)) return bytes.toString();
  const hint = 'convert it first, for example: iconv -f LATIN1 -t UTF-8';
  throw usageError(`${sourceName(file)} is not UTF-8`, hint);
}

function sourceName(file: string): string {
  return file === '-' ? 'stdin' : file;
}

function checked(text: string, { pattern, example }: Form): string {
  if (pattern.test(text)) return text;
  throw usageError(`'${text}' is not ${example}`);
}

async function print(context: Context, answer: string): Promise<void> {
  await context.out.write(`${answer.trim() || 'OK'}\n`);
}
