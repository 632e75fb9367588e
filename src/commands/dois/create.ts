import { readFile } from 'node:fs/promises';
import { BadBody } from '../../api/http.ts';
import type { DoiRecord } from '../../api/types.ts';
import type { Context, Service } from '../../context.ts';
import { CliError, toCliError, usageError } from '../../errors.ts';
import { readPage } from '../../harvest/fetch-page.ts';
import type { Page } from '../../harvest/page.ts';

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
  const text = await readInput(context, options.file);
  const document = doiDocument(text, options.file === '-' ? 'stdin' : options.file, options.event);
  if (options.dryRun) {
    await context.host.stdout.write(`${indentJson(document.body)}\n`);
    context.messages.note('nothing was sent (--dry-run)');
    return;
  }
  const service = await context.service('writes');
  const page = await post(service, document);
  const record = page.record(0).toString();
  const { id, attributes } = JSON.parse(record) as DoiRecord;
  const format = options.format ?? (context.host.terminal.stdout ? 'text' : 'json');
  const lines = [
    `DOI    ${id}`,
    `State  ${attributes?.['state']}`,
    `URL    ${attributes?.['url'] ?? 'none'}`,
    '',
  ];
  await context.host.stdout.write(
    format === 'json'
      ? `${indentJson(record)}\n`
      : lines.map((line) => context.messages.clean(line)).join('\n'),
  );
  checkState(id, attributes?.['state'], document.event);
}

async function readInput(context: Context, file: string): Promise<string> {
  try {
    if (file !== '-') return await readFile(file, 'utf8');
    const chunks: Buffer[] = [];
    for await (const chunk of context.host.stdin) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks).toString('utf8');
  } catch (error) {
    throw usageError(
      `cannot read ${file}: ${(error as Error).message}`,
      'doi-cli dois create --file record.json',
    );
  }
}

async function post({ http }: Service, document: DoiDocument): Promise<Page> {
  try {
    return await http.call({
      method: 'POST',
      url: http.url('/dois'),
      body: document.body,
      read: async (response) => {
        const page = await readPage(response);
        if (page.kind !== 'single') throw new BadBody('the answer is not one DOI record');
        return page;
      },
    });
  } catch (error) {
    throw inDoubt(error, document);
  }
}

/** Where the answer was lost the record may exist: say how to find out instead of sending it again. */
function inDoubt(error: unknown, { doi }: DoiDocument): CliError {
  const known = toCliError(error);
  if (known.kind !== 'unavailable' || doi === undefined) return known;
  return new CliError(known.kind, known.message, {
    hint: `before you try again: doi-cli dois get ${doi}`,
    ...(known.status === undefined ? {} : { status: known.status }),
    cause: error,
  });
}
