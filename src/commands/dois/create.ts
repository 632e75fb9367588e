import { readFile } from 'node:fs/promises';
import { BadBody } from '../../api/http.ts';
import type { DoiRecord } from '../../api/types.ts';
import type { Context, Service } from '../../context.ts';
import { CliError, usageError } from '../../errors.ts';
import { readPage } from '../../harvest/fetch-page.ts';
import type { Page } from '../../harvest/page.ts';

import { visible } from '../../redact.ts';
import { indentJson } from '../../ui/indent-json.ts';
import { checkState, type DoiDocument, doiDocument, type Event } from './document.ts';

export interface CreateOptions {
  readonly file: string;
  readonly event?: Event;
  readonly dryRun?: boolean;
  readonly format?: 'text' | 'json';
}

/**
 * Creates one DOI and prints the record that came back.
 * @throws {CliError} kind `rejected` also when the record is in another state than the one asked for.
 */
export async function createDoiCommand(context: Context, options: CreateOptions): Promise<void> {
  const bytes = await readInput(context, options.file);
  const document = doiDocument(bytes, options.file === '-' ? 'stdin' : options.file, options.event);
  if (options.dryRun) {
    await context.out.write(`${document.body.trim()}\n`);
    context.messages.note('nothing was sent (--dry-run)');
    return;
  }
  const service = await context.service('writes');
  const page = await post(context, service, document);
  const record = page.record(0).toString();
  const { id, attributes } = JSON.parse(record) as DoiRecord;
  const format = options.format ?? (context.host.terminal.stdout ? 'text' : 'json');
  const lines = [
    `DOI    ${id}`,
    `State  ${attributes?.['state']}`,
    `URL    ${attributes?.['url'] ?? 'none'}`,
    '',
  ];
  await context.out.write(
    format === 'json' ? `${indentJson(record)}\n` : lines.map((line) => visible(line)).join('\n'),
  );
  checkState(id, attributes?.['state'], document.event, context.suggest('dois', 'get', id));
}

async function readInput(context: Context, file: string): Promise<Buffer> {
  try {
    if (file !== '-') return await readFile(file);
    const chunks: Buffer[] = [];
    for await (const chunk of context.host.stdin) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks);
  } catch (error) {
    throw usageError(
      `cannot read ${file}: ${(error as Error).message}`,
      'doi-cli dois create --file record.json',
    );
  }
}

async function post(context: Context, { http }: Service, document: DoiDocument): Promise<Page> {
  const { signal } = context.host;
  const patience = () =>
    context.messages.progress('waiting for the answer, so that it is known whether the DOI exists');
  signal.addEventListener('abort', patience, { once: true });
  try {
    return await http.call({
      method: 'POST',
      url: http.url('/dois'),
      body: document.body,
      uninterruptible: true,
      read: async (response) => {
        const page = await readPage(response);
        if (page.kind !== 'single') throw new BadBody('the answer is not one DOI record');
        return page;
      },
    });
  } catch (error) {
    throw inDoubt(context, error, document);
  } finally {
    signal.removeEventListener('abort', patience);
  }
}

/** Where the answer was lost the record may exist: say how to find out instead of sending it again. */
function inDoubt(context: Context, error: unknown, { doi }: DoiDocument): unknown {
  if (!(error instanceof CliError) || error.kind !== 'unavailable') return error;
  const look =
    doi === undefined
      ? context.suggest('dois', 'list', '--mine', '--sort', '-created', '--limit', '5')
      : context.suggest('dois', 'get', doi);
  return new CliError(error.kind, error.message, {
    hint: `before you try again: ${look}`,
    ...(error.status === undefined ? {} : { status: error.status }),
    cause: error,
  });
}
