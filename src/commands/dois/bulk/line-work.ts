import type { Doi } from '../../../api/dois.ts';
import { retryDelayMs } from '../../../api/http/retry.ts';
import type { Service } from '../../../api/service.ts';
import { STATES } from '../../../api/states.ts';
import type { Context } from '../../../cli/context.ts';
import type { Lock } from '../../../disk/lock/lock.ts';
import { CliError, type Problem } from '../../../errors.ts';
import type { LineResult } from '../../../records/entry.ts';
import type { BulkLedger } from '../../../records/ledger.ts';
import type { LineTask } from '../../../records/run.ts';
import { doiOfLine, type LineOptions } from './line-record.ts';

/** What carrying out lines takes. */
export interface LineWork {
  readonly context: Context;
  readonly service: Service;
  readonly ledger: BulkLedger;
  /** Of the ledger. */
  readonly lock: Lock;
  readonly lines: LineOptions;
}

/**
 * The result of a line that did not fail.
 * @param doi the record as the service has just sent it.
 */
export function resultOf(
  { context }: Pick<LineWork, 'context'>,
  { line }: LineTask,
  { id, attributes }: Doi,
  more: Pick<LineResult, 'outcome' | 'changes' | 'errors' | 'dropped'>,
): LineResult {
  const state = STATES.find((one) => one === attributes['state']) ?? null;
  const { outcome, changes, errors, ...others } = more;
  const asOf = state === null ? undefined : new Date(context.host.now()).toISOString();
  return { line, doi: id, state, asOf, outcome, changes, errors, ...others };
}

/** The result of a line that failed. */
export function failedResult(
  { context, lines }: Pick<LineWork, 'context' | 'lines'>,
  { text, line }: LineTask,
  fixed: string | undefined,
  error: CliError,
): LineResult {
  const doi = doiOfLine(text, line, lines) ?? fixed ?? null;
  // The hint says what the service's message leaves out: whose the prefix is (service.md, W8).
  const why = error.kind === 'credentials' && error.hint !== undefined ? ` (${error.hint})` : '';
  const listed = error.problems.length > 0 ? error.problems : [{ path: null, message: error.message }];
  const mask = (text: string) => context.redactor.mask(text);
  const errors = listed.map(({ path, message, ...more }) => ({
    path: path && mask(path),
    message: mask(`${message}${why}`),
    ...more,
  }));
  return { line, doi, state: null, outcome: 'failed', errors };
}

/** @throws {CliError} kind `rejected` with these problems, if there are any. */
export function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new CliError('rejected', 'the record is not valid', { problems });
}

/** Waits before a record is looked for, or a request is sent again. */
export async function pause(
  { context, service }: Pick<LineWork, 'context' | 'service'>,
  attempt: number,
  error: CliError,
): Promise<void> {
  const { host, messages } = context;
  if (error.kind === 'throttled' && service.rateLimiter !== undefined) {
    // The rate limiter holds back all lines together, including this one.
    service.rateLimiter.onThrottled(undefined);
    return;
  }
  const delay = retryDelayMs(attempt, host.random(), undefined);
  messages.trace(`${error.message}; looking for the DOI in ${(delay / 1000).toFixed(1)} s`);
  await host.sleep(delay, host.signal);
}
