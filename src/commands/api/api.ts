import { Readable } from 'node:stream';
import { BadBody } from '../../api/http/body.ts';
import type { Call } from '../../api/http/call.ts';
import { PAGE_SIZE } from '../../api/pagination.ts';
import type { Service } from '../../api/service.ts';
import { confirmation } from '../../cli/confirmation.ts';
import type { Context } from '../../cli/context.ts';
import type { OptionsOf } from '../../cli/option-types.ts';
import { walkShown } from '../../core/list.ts';
import { listByLinks } from '../../core/list-pages.ts';
import type { Need } from '../../credentials/resolve.ts';
import { CliError, toCliError, usageError } from '../../errors.ts';
import { readError, recordSource } from '../../formats/input/source.ts';
import { jsonLines } from '../../formats/output/row-writer.ts';
import { indentJson, JsonProblem, parsePlaced } from '../../text/json.ts';
import { jsonIn } from '../../text/json-values.ts';
import { textOf } from '../../text/lines.ts';
import { parseFrom, parseInteger } from '../../text/parsers.ts';
import { readInput } from '../../ui/input.ts';
import { Progress } from '../../ui/progress.ts';
import type { api } from './index.ts';
import { bodyOf, type Endpoint, parseField, parseHeader, targetOf } from './target.ts';

type Pairs = readonly (readonly [name: string, value: string])[];

interface ApiRequest extends Endpoint {
  readonly method: Call<unknown>['method'];
  readonly body: string | undefined;
  readonly headers: Pairs;
}

/** Sends a request to any endpoint, and prints the answer, or the records of all pages. */
export async function apiCommand(
  context: Context,
  path: string,
  options: OptionsOf<typeof api>,
): Promise<void> {
  const target = targetOf(path, await context.services.baseUrl());
  const { inputFile: input, paginate } = options;
  const pairs = (name: string, texts: readonly string[] = [], parse: typeof parseField) =>
    texts.map((text) => parseFrom(name, text, parse));
  const field = pairs('--field', options.field, parseField);
  const header = pairs('--header', options.header, parseHeader);
  const method = options.method ?? (input === undefined ? 'GET' : 'POST');
  const isRead = method === 'GET';
  if (paginate && !isRead) throw usageError('--paginate is for GET', 'leave it out');
  if (input !== undefined && (isRead || method === 'DELETE'))
    throw usageError(`a ${method} has no body`, 'leave out --input, or add --method PUT');
  const takesQuery = isRead || method === 'DELETE' || input !== undefined;
  const params = [...target.params, ...(takesQuery ? field : [])];
  const size = paginate ? pageSizeOf(params) : 0;
  await refuseKeyWrites(context, target, isRead);
  if (input === '-' && !options.yes)
    throw usageError('stdin has the body, and cannot answer a question', context.again(['--yes']));
  const confirmed = confirmation(context, {
    yes: options.yes || isRead,
    reason: `a ${method} may change records and asks for confirmation`,
    declined: 'nothing was sent',
  });
  const body = takesQuery ? await inputOf(context, input) : bodyOf(field);
  const request = { ...target, params, method, body, headers: header };
  const service = await serviceFor(context, target, isRead);
  const { http } = service;
  const url = http.url(target.path, params);
  await confirmed(`Send a ${method} to ${http.mask(url.href)}?`);
  if (paginate) return printPages(context, service, request, size);
  await printAnswer(context, service, request, url);
}

// As large as the service sends them (service.md, P1).
const MOST_RECORDS = 1000;

/** @throws {CliError} kind `usage` for a parameter that selects a page. */
function pageSizeOf(params: Pairs): number {
  const paging = params.find(
    ([name]) => /^(page\[|scroll[-_]id$)/.test(name) && name !== PAGE_SIZE,
  );
  if (paging !== undefined)
    throw usageError(`--paginate reads all pages from the first one`, `leave out ${paging[0]}`);
  const size = params.findLast(([name]) => name === PAGE_SIZE)?.[1];
  return size === undefined
    ? MOST_RECORDS
    : parseFrom(PAGE_SIZE, size, parseInteger(1, MOST_RECORDS));
}

// The service also routes paths with a format, such as `.xml`.
const KEYS = /^\/credentials\/api[-_]keys(?![\w-])/;

/**
 * A new key is shown only once (service.md, K4): `keys create` makes sure that it is not lost, and
 * `keys revoke` that no copy of a revoked key stays in the keychain.
 */
async function refuseKeyWrites(
  context: Context,
  { name }: Endpoint,
  isRead: boolean,
): Promise<void> {
  if (isRead || !KEYS.test(name)) return;
  await context.services.credentials('keys');
  throw usageError(
    'api only lists keys: a new key is shown once and must not be lost',
    'doi-cli keys create --name <name>, or doi-cli keys revoke <key>',
  );
}

// As much as the service accepts (service.md, E12).
const MAX_INPUT_BYTES = 10 * 1024 * 1024;

/** The JSON of a file, which is sent unaltered; from UTF-16 or compressed files, as UTF-8. */
async function inputOf(context: Context, file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const { name, chunks } = recordSource(context, file);
  try {
    const bytes = await readInput(context, Readable.from(chunks()), name, MAX_INPUT_BYTES);
    const text = textOf({ bytes }, name);
    parsePlaced(text);
    return text;
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw readError(context, name, error);
    throw usageError(
      `${name}:${error.line}: ${error.message}`,
      'correct the file; nothing was sent',
    );
  }
}

/**
 * Endpoints for which the service ignores credentials (service.md, A7). They get none: the answers
 * would not name the account.
 */
const PUBLIC = [
  /^\/(heartbeat|events|activities|enrichments|resource-types|reports)(\/|$)/,
  /^\/(dois\/.+|clients|repositories|providers)\/[^/]+\/(activities|events)$/,
  /^\/10\./,
];

async function serviceFor(context: Context, { name }: Endpoint, isRead: boolean): Promise<Service> {
  if (isRead && PUBLIC.some((pattern) => pattern.test(name))) {
    await context.services.profile();
    return context.services.connect(undefined, { rate: 'service' });
  }
  return context.services.open(needOf(name, isRead), 'service');
}

function needOf(name: string, isRead: boolean): Need {
  if (KEYS.test(name)) return 'keys';
  return isRead ? 'reads' : 'writes';
}

async function printPages(
  context: Context,
  service: Service,
  { path, params, headers }: ApiRequest,
  pageSize: number,
): Promise<void> {
  const filters = params.filter(([name]) => name !== PAGE_SIZE);
  const { stdout } = context.host.terminal;
  const progress = await Progress.start(context, stdout, undefined, 'record');
  const list = listByLinks(service, service.http.url(path, filters), pageSize, headersOf(headers));
  const walk = { progress, noun: 'record', isLong: false };
  const { notes } = await walkShown(list, jsonLines(context.out, String), walk).catch(
    (error: unknown) => {
      throw withHint(error);
    },
  );
  notes.forEach(context.messages.note);
}

const headersOf = (headers: Pairs) => () => Object.fromEntries(headers);

// Enough for a page of a thousand records.
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

async function printAnswer(
  context: Context,
  service: Service,
  { method, body, headers }: ApiRequest,
  url: URL,
): Promise<void> {
  const isRead = method === 'GET';
  const send = () =>
    service.http.call({
      ...{ method, url, uninterruptible: !isRead, headers: headersOf(headers) },
      probesNotFound: true,
      ...(body === undefined ? {} : { body }),
      read: async (response) => {
        const bytes = await response.body(MAX_ANSWER_BYTES);
        const isJson = /\bjson\b/i.test(response.header('content-type') ?? '');
        if (bytes.length > 0 && isJson && jsonIn(bytes.toString()) === undefined)
          throw new BadBody('the answer is not valid JSON');
        return { bytes, isJson };
      },
    });
  const answer = await (isRead ? send() : context.untilAnswered(send)).catch((error: unknown) => {
    throw withHint(error);
  });
  const { bytes, isJson } = answer;
  if (bytes.length === 0) return context.messages.note('the service answered without content');
  const isShown = isJson && context.host.terminal.stdout;
  const text = isShown ? indentJson(bytes.toString()) : bytes;
  const end = bytes.at(-1) === 0x0a ? '' : '\n';
  await context.paged((safe) => safe.write(text, end));
}

/**
 * An endpoint that ignores credentials seems to refuse them, because it does not name the account.
 */
function withHint(error: unknown): unknown {
  const known = toCliError(error);
  if (!(error instanceof CliError) || known.kind !== 'credentials' || known.status !== undefined)
    return error;
  const hint = 'if the endpoint takes no credentials, add --anonymous';
  return known.with({ hint: known.hint === undefined ? hint : `${known.hint}; ${hint}` });
}
