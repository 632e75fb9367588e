import { createDoi, type Doi, findDoi, getDoi, updateDoi } from '../../../api/dois.ts';
import { retryDelayMs } from '../../../api/http/retry.ts';
import { matchesRequest } from '../../../api/record-match.ts';
import type { Service } from '../../../api/service.ts';
import type { Event } from '../../../api/states.ts';
import { createRecord, type FixedDoi } from '../../../bulk/create-record.ts';
import type { LineResult } from '../../../bulk/entry.ts';
import type { BulkLedger } from '../../../bulk/ledger.ts';
import { LineStatus } from '../../../bulk/line-index.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError, type Problem } from '../../../errors.ts';
import { parseRecord } from '../record/document.ts';
import { getExistingDoi } from '../record/existing-doi.ts';
import { findingsIn, withLocations } from '../record/findings.ts';
import { type Action, checkState, refuseIneffective } from '../record/state-checks.ts';
import { findingsAgainst } from '../record/update-findings.ts';
import {
  errorsIn,
  type LineOptions,
  type LineRecord,
  problemsOf,
  readLine,
  refuse,
  withDoi,
} from './line-record.ts';

/** Carries out lines: creates each record exactly once, or updates it. */
export class LineWork {
  readonly #context: Context;
  readonly #service: Service;
  readonly #ledger: BulkLedger;
  readonly #options: LineOptions;

  constructor(context: Context, service: Service, ledger: BulkLedger, options: LineOptions) {
    this.#context = context;
    this.#service = service;
    this.#ledger = ledger;
    this.#options = options;
  }

  /** @throws {CliError} the failure of this line; {@link InDoubt} when the record may exist. */
  async carryOut(text: string, line: number, of: string): Promise<LineResult> {
    const record = readLine(text, line, this.#options);
    refuse(problemsOf(record, this.#options));
    const action = this.#options.command === 'update' ? 'updated' : 'created';
    const work = action === 'updated' ? this.#update(record) : this.#create(record, line, of);
    const doi = await work.catch((error: unknown) => {
      throw withLocations(error, record.parsed);
    });
    return {
      line,
      doi: doi.id,
      state: stateOf(doi),
      outcome: action,
      errors: stateProblems(doi, action, record.event),
    };
  }

  /** The result of a line that failed. */
  failed(text: string, line: number, fixed: string | undefined, error: CliError): LineResult {
    const { doi } = parseRecord(text, this.#options.name, line);
    // The hint says what the service's message leaves out: the prefix belongs to another account.
    const why = error.kind === 'credentials' && error.hint !== undefined ? ` (${error.hint})` : '';
    const listed = error.problems.length > 0 ? error.problems : [{ path: null, message: error.message }];
    const errors = listed.map((problem) => ({
      ...problem,
      message: this.#context.redactor.mask(`${problem.message}${why}`),
    }));
    return { line, doi: doi ?? fixed ?? null, state: null, outcome: 'failed', errors };
  }

  async #create(record: LineRecord, line: number, of: string): Promise<Doi> {
    const { retries } = this.#context.options;
    const { event: _, ...attributes } = record.parsed.attributes;
    return createRecord(
      {
        now: this.#context.host.now,
        create: (doi) => createDoi(this.#service, withDoi(record.body, doi)),
        find: (doi) => findDoi(this.#service, doi, { expanded: true }),
        matches: (stored) => matchesRequest(stored, attributes, { exact: false }),
        fix: ({ doi, generated, at }) =>
          this.#ledger.fix({ line, of, doi, generated, at: new Date(at).toISOString() }),
        pause: (attempt, error) => this.#pause(attempt, error),
      },
      {
        doi: record.doi,
        prefix: record.prefix,
        doubtful: this.#ledger.index.status(line) === LineStatus.doubtful,
        fixed: await this.#fixedBefore(record, line),
        retries,
      },
    );
  }

  /** The DOI of an earlier run: always kept for a line in doubt, and for a failed line if it still fits. */
  async #fixedBefore({ doi, prefix }: LineRecord, line: number): Promise<FixedDoi | undefined> {
    const entry = await this.#ledger.fixed(line);
    if (entry === undefined) return undefined;
    const fits = entry.generated && doi === undefined && entry.doi.startsWith(`${prefix}/`);
    if (this.#ledger.index.status(line) !== LineStatus.doubtful && !fits) return undefined;
    return { doi: entry.doi, generated: entry.generated, at: Date.parse(entry.at) };
  }

  async #update({ doi = '', parsed, event, body }: LineRecord): Promise<Doi> {
    // An update of a DOI that does not exist would create it (observed).
    const before = await getExistingDoi(this.#service, doi, { expanded: true });
    if (this.#options.validate) {
      refuseIneffective(this.#context, event, before);
      refuse(errorsIn(findingsIn(parsed, 'update', findingsAgainst(before, parsed, event))));
    }
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await updateDoi(this.#service, doi, body);
      } catch (error) {
        const isTransient =
          error instanceof CliError &&
          (error.kind === 'unavailable' || (error.kind === 'throttled' && error.status !== 429));
        if (!isTransient || attempt > this.#context.options.retries) throw error;
        await this.#pause(attempt, error);
        // Send it again only if the lost attempt had no effect.
        const now = await getDoi(this.#service, doi, { expanded: true });
        if (matchesRequest(now.attributes, { ...parsed.attributes, event }, { exact: false })) return now;
      }
    }
  }

  async #pause(attempt: number, error: CliError): Promise<void> {
    const { host, messages } = this.#context;
    if (error.kind === 'throttled' && this.#service.rateLimiter !== undefined) {
      // The rate limiter holds back all lines together, including this one.
      this.#service.rateLimiter.onThrottled(undefined);
      return;
    }
    const delay = retryDelayMs(attempt, host.random(), undefined);
    messages.trace(`${error.message}; looking for the DOI in ${(delay / 1000).toFixed(1)} s`);
    await host.sleep(delay, host.signal);
  }
}

function stateOf({ attributes }: Doi): string | null {
  const { state } = attributes;
  return typeof state === 'string' ? state : null;
}

/** A state that differs from the one asked for, as a problem of the line instead of an error. */
function stateProblems(doi: Doi, action: Action, event: Event | undefined): Problem[] {
  try {
    checkState(doi, action, event, '');
    return [];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return [{ path: 'state', message: error.message }];
  }
}
