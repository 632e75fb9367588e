import { BadBody } from '../../api/http.ts';
import { createKey, listKeys, type NewApiKey } from '../../api/keys.ts';
import type { ApiKey } from '../../api/types.ts';
import type { Context, Service } from '../../context.ts';
import { CliError } from '../../errors.ts';

export interface CreateOptions {
  readonly name: string;
  readonly keyOnly?: boolean;
  readonly format?: 'text' | 'json';
}

/**
 * Creates a key and prints it on stdout: the only time and the only place that it is shown.
 * @throws {CliError} kind `output` when stdout cannot take it: the error names the key that is lost.
 */
export async function createKeyCommand(context: Context, options: CreateOptions): Promise<void> {
  if (options.keyOnly && options.format === 'json') {
    throw new CliError('usage', '--key-only and --format json exclude each other');
  }
  const service = await context.service('keys');
  // A POST with a wrong password is answered 404 (observed); this GET reports it as what it is.
  const before = await listKeys(service.http, false);
  const twin = before.find((key) => key.attributes.name === options.name);
  if (twin !== undefined) {
    context.messages.warn(`an active key named '${options.name}' exists already (id ${twin.id})`);
  }
  const key = await create(context, service, options.name, before);
  context.redactor.addSecret(key.attributes.key);
  try {
    await context.host.stdout.write(rendered(key, options));
  } catch (error) {
    throw new CliError(
      'output',
      `the key with id ${key.id} was created, but it could not be written and is lost (${(error as Error).message})`,
      { hint: `doi-cli keys revoke ${key.id} --yes`, cause: error },
    );
  }
  context.messages.warn('this is the only time that the key is shown: store it now');
}

async function create(
  context: Context,
  { http }: Service,
  name: string,
  before: readonly ApiKey[],
): Promise<NewApiKey> {
  try {
    return await createKey(http, name);
  } catch (error) {
    if (!isInDoubt(error)) throw error;
    const known = new Set(before.map((key) => key.id));
    const orphan = (await listKeys(http, false)).find(
      (key) => !known.has(key.id) && key.attributes.name === name,
    );
    if (orphan === undefined) throw error;
    context.messages.note(
      `the service created a key with id ${orphan.id}, but its answer was lost on the way`,
    );
    throw new CliError(
      'unavailable',
      `the new key with id ${orphan.id} is lost: ${(error as Error).message}`,
      {
        hint: `doi-cli keys revoke ${orphan.id} --yes`,
        cause: error,
      },
    );
  }
}

/** No answer, or one that says nothing certain: the key may exist. */
function isInDoubt(error: unknown): boolean {
  return error instanceof BadBody || (error instanceof CliError && error.kind === 'unavailable');
}

function rendered(key: NewApiKey, { keyOnly, format }: CreateOptions): string {
  if (keyOnly) return `${key.attributes.key}\n`;
  if (format === 'json') return `${JSON.stringify(key, null, 2)}\n`;
  const { name, keyPrefix, created } = key.attributes;
  return [
    `Key      ${key.attributes.key}`,
    `Name     ${name}`,
    `Id       ${key.id}`,
    `Prefix   ${keyPrefix}`,
    `Created  ${created}`,
    '',
  ].join('\n');
}
