import { NotStored } from '../../../api/dois.ts';
import type { Service } from '../../../api/service.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError } from '../../../errors.ts';
import { InDoubt } from '../../../writing/create-record.ts';
import { MemoryLedger } from '../../../writing/ledger/run-ledger.ts';
import type { ChangeRequest } from '../../../writing/request.ts';
import { RespelledValues } from '../../../writing/respelled.ts';
import { type WriteContext, type WriteOutcome, write } from '../../../writing/write.ts';

interface OneOptions {
  /** Called only after the file has passed its checks. */
  readonly connect: () => Promise<Service>;
  readonly dryRun?: boolean | undefined;
  readonly unchecked?: WriteContext['unchecked'];
}

/** Writes a single record, as a run of one line with a ledger in memory. */
export async function writeOne(
  context: Context,
  request: ChangeRequest,
  { connect, dryRun, unchecked }: OneOptions,
): Promise<WriteOutcome> {
  const ledger = new MemoryLedger(context.host.now());
  const warn = (text: string) => context.messages.note(text);
  const send = <T>(sent: () => Promise<T>) => context.untilAnswered(sent);
  const writes = dryRun ? undefined : { ledger, send };
  try {
    const outcome = await write({ context, connect, unchecked, warn, writes }, request, {
      line: 1,
      of: '',
    });
    const respelled = new RespelledValues();
    respelled.add(outcome.respelled);
    respelled.lines().forEach(warn);
    return outcome;
  } catch (error) {
    throw withNextCommand(context, error, ledger.reserved);
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
  const isTaken =
    error.status === 422 &&
    error.problems.some(({ path, message }) => path === 'doi' && /taken/i.test(message));
  return isTaken ? error.with({ hint: `to see that record: ${get}` }) : error;
}
