import { createDoi, type Doi, deleteDoi, findDoi, updateDoi } from '../api/dois.ts';
import { retryDelayMs } from '../api/http/retry.ts';
import { matchesRequest } from '../api/record-match.ts';
import type { Service } from '../api/service.ts';
import { transferDoi } from '../api/transfer.ts';
import type { CliError } from '../errors.ts';
import { createBody } from './body.ts';
import { type CreatePort, createRecord, generatedDoi } from './create-record.ts';
import { withLocations } from './findings.ts';
import type { LineTask, ReservedDoi } from './ledger/entry.ts';
import type { RunLedger } from './ledger/run-ledger.ts';
import type { Plan } from './plan.ts';
import type { CreateRequest } from './request.ts';
import type { WriteRun } from './write-run.ts';

/**
 * Sends a plan. @returns the record after the request; undefined for a deleted record.
 * @throws {InDoubt} where a new record may or may not exist; {@link CliError}, with the service's
 *   problems at their lines of the record.
 */
export async function sendPlan(
  run: WriteRun,
  plan: Plan,
  task: LineTask,
): Promise<Doi | undefined> {
  const service = await run.service();
  const { request, before, body, compared, record } = plan;
  const located = (error: unknown): never => {
    throw withLocations(error, record());
  };
  if (request.command === 'create') return create(run, request, plan, task).catch(located);
  if (before === undefined) throw new Error('there is no record to change');
  return run.send(async () => {
    if (request.command === 'transfer') return transferDoi(service, before.id, request.to);
    if (body !== undefined) return updateDoi(service, before, body, compared).catch(located);
    await deleteDoi(service, before.id);
    return undefined;
  });
}

async function create(
  run: WriteRun,
  { record, event, prefix = '' }: CreateRequest,
  { compared }: Plan,
  { line, of }: LineTask,
): Promise<Doi> {
  const { io, ledger } = run;
  const service = await run.service();
  if (compared === undefined) throw new Error('a new record is compared with its request');
  const port: CreatePort = {
    now: io.host.now,
    begun: ledger.begun,
    generate: (attempt) => generatedDoi(prefix, ledger.seed, line, of, attempt),
    // The DOI is in the ledger, where the next run finds it.
    create: (doi) =>
      run.send(() => createDoi(service, createBody(record, event, { doi }), compared)),
    find: (doi) => findDoi(service, doi),
    matches: (stored) => matchesRequest(...compared(stored), { exact: false }),
    reserve: (reserved) => ledger.reserve({ line, of, ...reserved }),
    pause: (attempt, error) => pause(io, service, attempt, error),
  };
  return createRecord(port, {
    doi: record.doi,
    doubtful: ledger.isDoubtful(line),
    reserved: await earlierReservation(ledger, record.doi, prefix, line),
    retries: io.options.retries,
  });
}

async function pause(
  { host, messages }: WriteRun['io'],
  service: Service,
  attempt: number,
  error: CliError,
): Promise<void> {
  if (error.kind === 'throttled' && service.rateLimiter !== undefined) {
    // The rate limiter delays all lines, including this one.
    service.rateLimiter.onThrottled(undefined);
    return;
  }
  const delay = retryDelayMs(attempt, host.random(), undefined);
  messages.trace(`${error.message}; looking for the DOI in ${(delay / 1000).toFixed(1)} s`);
  await host.sleep(delay, host.signal);
}

/** The DOI of an earlier run: kept for a line in doubt, and for a failed line if it still fits. */
async function earlierReservation(
  ledger: RunLedger,
  chosenDoi: string | undefined,
  prefix: string,
  line: number,
): Promise<ReservedDoi | undefined> {
  const entry = await ledger.reservation(line);
  if (entry === undefined) return undefined;
  const { doi, generated, at } = entry;
  const fits = generated && chosenDoi === undefined && doi.startsWith(`${prefix}/`);
  return ledger.isDoubtful(line) || fits ? { doi, generated, at } : undefined;
}
