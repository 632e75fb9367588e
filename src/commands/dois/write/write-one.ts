import { type Doi, NotStored } from '../../../api/dois.ts';
import type { Service } from '../../../api/service.ts';
import { stateAfter } from '../../../api/states.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError, toCliError } from '../../../errors.ts';
import { indentJson } from '../../../text/json.ts';
import { visible } from '../../../text/redact.ts';
import { counted } from '../../../text/words.ts';
import type { Look } from '../../../ui/look.ts';
import { InDoubt } from '../../../writing/create-record.ts';
import { type Change, changesMember, changeText } from '../../../writing/ledger/changes.ts';
import { MemoryLedger } from '../../../writing/ledger/memory-ledger.ts';
import type { ChangeRequest } from '../../../writing/request.ts';
import { addRespelled, type RespelledValues, respelledLines } from '../../../writing/respelled.ts';
import { isTaken } from '../../../writing/result.ts';
import { type WriteOutcome, write } from '../../../writing/write.ts';
import type { WriteRun } from '../../../writing/write-run.ts';
import type { ReportFormat } from '../bulk/input.ts';
import { styleOfState } from '../record/state-style.ts';

/**
 * Writes a single record, as a run of one line with a ledger in memory.
 * @param service called only after the record has passed its checks.
 */
export async function writeOne(
  context: Context,
  request: ChangeRequest,
  service: () => Promise<Service>,
  mode: WriteRun['mode'],
): Promise<WriteOutcome> {
  const ledger = new MemoryLedger(context.host.now());
  const { note: warn } = context.messages;
  const send = <T>(sent: () => Promise<T>) => context.untilAnswered(sent);
  try {
    const run: WriteRun = { io: context, mode, service, ledger, send, warn };
    const outcome = await write(run, request, { line: 1, of: '' });
    if (outcome.respelled?.length) {
      const respelled: RespelledValues = new Map();
      addRespelled(respelled, outcome.respelled);
      respelledLines(respelled).forEach(warn);
    }
    return outcome;
  } catch (error) {
    throw withNextCommand(context, error, ledger.reserved?.doi);
  }
}

/** Adds the next command to an error, where the DOI is taken or the record may exist. */
function withNextCommand(context: Context, thrown: unknown, doi: string | undefined): unknown {
  const error = thrown instanceof InDoubt ? thrown.reason : thrown;
  if (!(error instanceof CliError) || doi === undefined) return error;
  const get = context.suggest('dois', 'get', doi);
  if (thrown instanceof InDoubt) {
    const hint = `before you try again: ${get}`;
    if (error instanceof NotStored) return error.with({ hint });
    return error.with({ message: `${error.message}; ${doi} may have been created`, hint });
  }
  return error.status === 422 && error.problems.some(isTaken)
    ? error.with({ hint: `to see that record: ${get}` })
    : error;
}

/**
 * Prints a record.
 * @param action what was done to it, if anything; an output error says so as well.
 */
async function printRecord(
  context: Context,
  doi: Doi,
  format: ReportFormat = context.host.terminal.stdout ? 'text' : 'json',
  action?: string,
): Promise<void> {
  const { id, text } = doi;
  try {
    if (format === 'ndjson') await context.out.write(`${text}\n`);
    else if (format === 'json') await context.out.write(`${indentJson(text)}\n`);
    else await context.host.stdout.write(`${writtenLine(context.look, doi, action)}\n`);
  } catch (error) {
    const failure = toCliError(error);
    if (failure.kind !== 'output' || action === undefined) throw error;
    throw failure.with({
      message: `${id} was ${action}, but ${failure.message}`,
      hint: context.suggest('dois', 'get', id),
    });
  }
}

/** `Created 10.5072/abc (draft) https://example.org/` */
function writtenLine(
  look: Look,
  { id, attributes: { state, url } }: Doi,
  action: string | undefined,
): string {
  const done = action === undefined ? [] : [action.replace(/^./, (letter) => letter.toUpperCase())];
  const shown = visible(String(state));
  const address = typeof url === 'string' && url !== '' ? url : undefined;
  return [
    ...done,
    visible(id),
    `(${look.paint(styleOfState(shown), shown)})`,
    address === undefined ? 'without a URL' : visible(address),
  ].join(' ');
}

/**
 * Prints what was done, or would be. The service may answer with success and leave a record in
 * another state than requested (service.md, W4): that is an error.
 */
export async function printOutcome(
  context: Context,
  { outcome, doi = '', record, event, problem, changes }: WriteOutcome,
  format: ReportFormat | undefined,
  dryRun = false,
): Promise<void> {
  if (dryRun && changes !== undefined) return printPreview(context, doi, changes, format);
  if (outcome === 'deleted' || record === undefined) {
    const result = { doi, state: null, outcome: 'deleted', errors: [] };
    return context.out.write(jsonOf(result, format) ?? `Deleted ${doi}\n`);
  }
  if (outcome === 'unchanged') {
    const status = event === undefined ? 'has these values' : `is ${stateAfter(event)}`;
    context.messages.note(`${doi} ${status} already; nothing was sent`);
    return printRecord(context, record, format);
  }
  await printRecord(context, record, format, outcome);
  if (problem !== undefined) {
    throw new CliError('rejected', problem, { hint: context.suggest('dois', 'get', doi) });
  }
}

function jsonOf(value: object, format: ReportFormat = 'text'): string | undefined {
  return format === 'text'
    ? undefined
    : `${JSON.stringify(value, undefined, format === 'json' ? 2 : 0)}\n`;
}

function coloured(look: Look, text: string): string {
  const styled = (line: string) =>
    look.paint(line.startsWith('-') ? 'red' : 'green', visible(line));
  return text.replace(/^.+$/gm, styled);
}

async function printPreview(
  context: Context,
  doi: string,
  changes: readonly Change[],
  format: ReportFormat | undefined,
): Promise<void> {
  const { host, look, out } = context;
  const text =
    jsonOf({ doi, changes: changesMember(changes) }, format) ?? changes.map(changeText).join('');
  if (host.terminal.stdout && (format ?? 'text') === 'text')
    await host.stdout.write(coloured(look, text));
  else await out.write(text);
  const what =
    changes.length === 0
      ? `${doi} would stay as it is`
      : `${counted(changes.length, 'change')} in ${doi}`;
  context.messages.note(`${what}; nothing was sent (--dry-run)`);
}
