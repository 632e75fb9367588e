import { createDoi, type Doi } from '../../api/dois.ts';
import type { Context, Service } from '../../context.ts';
import { CliError } from '../../errors.ts';
import { visible } from '../../redact.ts';
import { indentJson } from '../../ui/indent-json.ts';
import type { BulkFlags } from './bulk.ts';
import { givenInput, saysBulk } from './bulk-input.ts';
import { checkState, type DoiDocument, decodeUtf8, doiDocument, parseRecord } from './document.ts';

export interface CreateOptions extends BulkFlags {
  readonly file: string;
  readonly format?: 'text' | 'json' | 'ndjson';
}

/**
 * Creates one DOI and prints the record that came back.
 * @throws {CliError} kind `rejected` also when the record is in another state than the one asked for.
 */
export async function createDoiCommand(context: Context, options: CreateOptions): Promise<void> {
  const given = await givenInput(context, options.file, { bulk: saysBulk(options) });
  if (given.kind === 'bulk') {
    const { bulkCommand } = await import('./bulk.ts');
    return bulkCommand(context, 'create', given.input, options);
  }
  const { bytes } = given;
  const source = options.file === '-' ? 'stdin' : options.file;
  const document = doiDocument(parseRecord(decodeUtf8(bytes, source), source), options.event);
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
