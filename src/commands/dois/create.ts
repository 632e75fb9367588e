import { readFile } from 'node:fs/promises';
import { createDoi, type Doi } from '../../api/dois.ts';
import type { Event } from '../../api/states.ts';
import type { Context, Service } from '../../context.ts';
import { CliError, usageError } from '../../errors.ts';
import { visible } from '../../redact.ts';
import { indentJson } from '../../ui/indent-json.ts';
import { checkState, type DoiDocument, decodeUtf8, doiDocument, parseRecord } from './document.ts';

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
  const source = options.file === '-' ? 'stdin' : options.file;
  const document = doiDocument(onlyRecord(decodeUtf8(bytes, source), source), options.event);
  if (options.dryRun) {
    await context.out.write(`${document.body.trim()}\n`);
    context.messages.note('nothing was sent (--dry-run)');
    return;
  }
  const service = await context.service('writes');
  const { id, attributes, text } = await post(context, service, document);
  const format = options.format ?? (context.host.terminal.stdout ? 'text' : 'json');
  const lines = [
    `DOI    ${id}`,
    `State  ${attributes['state']}`,
    `URL    ${attributes['url'] ?? 'none'}`,
    '',
  ];
  await context.out.write(
    format === 'json' ? `${indentJson(text)}\n` : lines.map((line) => visible(line)).join('\n'),
  );
  checkState(id, attributes['state'], document.event, context.suggest('dois', 'get', id));
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

function onlyRecord(text: string, source: string) {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length > 1 && lines.every(isJson)) {
    throw usageError(`${source} holds ${lines.length} records`, 'create takes one record at a time');
  }
  return parseRecord(text, source);
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

async function post(context: Context, service: Service, document: DoiDocument): Promise<Doi> {
  const { signal } = context.host;
  const patience = () =>
    context.messages.progress('waiting for the answer, so that it is known whether the DOI exists');
  signal.addEventListener('abort', patience, { once: true });
  try {
    return await createDoi(service, document.body);
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
