import { createDoi, type Doi, findDoi, getDoi, updateDoi } from '../../../api/dois.ts';
import { retryDelayMs } from '../../../api/http/retry.ts';
import { matchesRequest } from '../../../api/record-match.ts';
import type { Service } from '../../../api/service.ts';
import { type Event, stateAfter } from '../../../api/states.ts';
import { createRecord, type FixedDoi } from '../../../bulk/create-record.ts';
import type { BulkLedger } from '../../../bulk/ledger.ts';
import { Status } from '../../../bulk/line-index.ts';
import type { LineResult } from '../../../bulk/result.ts';
import type { Context } from '../../../cli/context.ts';
import { CliError, type Problem, usageError } from '../../../errors.ts';
import type { Finding } from '../../../metadata/check.ts';
import { jsonPositions, positionAt } from '../../../text/json-positions.ts';
import { type ParsedRecord, parseRecord, requestOf } from '../record/document.ts';
import { findingsIn, problemOf, refusal } from '../record/findings.ts';
import { absent, checkState, type Deed } from '../record/print-record.ts';
import { refuseUnfit } from '../record/refuse-event.ts';
import { beside } from '../record/update-findings.ts';

/** How the lines of a file are to be read. */
export interface LineOptions {
  readonly command: 'create' | 'update';
  /** What to call the file in messages. */
  readonly name: string;
  readonly event: Event | undefined;
  /** Where records without a DOI get one that name no prefix. */
  readonly prefix: string | undefined;
  /** Whether records are checked before they are sent. */
  readonly validate: boolean;
}

/** A line as it is to be sent. */
interface LineRecord {
  readonly parsed: ParsedRecord;
  readonly doi: string | undefined;
  readonly prefix: string | undefined;
  readonly event: Event | undefined;
  readonly body: string;
}

/**
 * The record of one line.
 * @throws {CliError} kind `usage` when there is none, or it says neither which DOI it is nor where to make one.
 */
export function readLine(text: string, line: number, options: LineOptions): LineRecord {
  const parsed = parseRecord(text, options.name, line);
  const source = `${options.name}:${line}`;
  const { body, event } = requestOf({ ...parsed, source }, options.event);
  const { doi } = parsed;
  const own = parsed.attributes['prefix'];
  const prefix = typeof own === 'string' && own !== '' ? own : options.prefix;
  if (doi === undefined && options.command === 'update') {
    throw usageError(`${source}: the record names no doi`, 'add "doi" to its attributes');
  }
  if (doi === undefined && prefix === undefined) {
    throw usageError(
      `${source}: the attributes name neither a doi nor a prefix`,
      'add --prefix 10.5072, or "doi" or "prefix" to the record',
    );
  }
  return { parsed, doi, prefix, event, body };
}

/** What is wrong with a record; nothing when it may be sent. */
export function problemsOf(record: LineRecord, options: LineOptions): Problem[] {
  return errorsIn(findings(record, options));
}

function findings({ parsed, event }: LineRecord, { command, validate }: LineOptions): readonly Finding[] {
  return validate ? findingsIn(parsed, command === 'create' ? stateAfter(event) : 'update') : [];
}

function errorsIn(found: readonly Finding[]): Problem[] {
  return found.filter(({ severity }) => severity === 'error').map(problemOf);
}

/** @throws {CliError} kind `rejected` when errors are among the findings. */
function refuse(found: readonly Finding[]): void {
  const problems = errorsIn(found);
  if (problems.length > 0) throw new CliError('rejected', 'the record is not valid', { problems });
}

/** Carries out lines: creates records, each of them once, or updates them. */
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

  /** @throws what is wrong with the line, as the run over all lines expects it. */
  async carryOut(text: string, line: number, of: string): Promise<LineResult> {
    const record = readLine(text, line, this.#options);
    refuse(findings(record, this.#options));
    const deed = this.#options.command === 'update' ? 'updated' : 'created';
    const work = deed === 'updated' ? this.#update(record) : this.#create(record, line, of);
    const doi = await work.catch((error: unknown) => {
      throw refusal(error, record.parsed);
    });
    return {
      line,
      doi: doi.id,
      state: stateOf(doi),
      outcome: deed,
      errors: stateProblems(doi, deed, record.event),
    };
  }

  /** The result of a line that failed. */
  failed(text: string, line: number, fixed: string | undefined, error: CliError): LineResult {
    const { doi } = parseRecord(text, this.#options.name, line);
    // The service's words do not say what it is about: that the prefix is somebody else's.
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
        keeps: (kept) => matchesRequest(kept, attributes, { exact: false }),
        fix: ({ doi, generated, at }) =>
          this.#ledger.fix({ line, of, doi, generated, at: new Date(at).toISOString() }),
        pause: (attempt, error) => this.#pause(attempt, error),
      },
      {
        doi: record.doi,
        prefix: record.prefix,
        doubtful: this.#ledger.index.status(line) === Status.doubtful,
        fixed: await this.#fixedBefore(record, line),
        retries,
      },
    );
  }

  /** What an earlier run fixed: of a line in doubt in any case, of one that failed if it still fits. */
  async #fixedBefore({ doi, prefix }: LineRecord, line: number): Promise<FixedDoi | undefined> {
    const entry = await this.#ledger.fixed(line);
    if (entry === undefined) return undefined;
    const fits = entry.generated && doi === undefined && entry.doi.startsWith(`${prefix}/`);
    if (this.#ledger.index.status(line) !== Status.doubtful && !fits) return undefined;
    return { doi: entry.doi, generated: entry.generated, at: Date.parse(entry.at) };
  }

  async #update({ doi = '', parsed, event, body }: LineRecord): Promise<Doi> {
    // Updating what does not exist would create it (observed).
    const before = await getDoi(this.#service, doi, { expanded: true }).catch((error: unknown) => {
      throw absent(error, doi, 'these credentials');
    });
    if (this.#options.validate) {
      refuseUnfit(this.#context, event, before);
      refuse(findingsIn(parsed, 'update', beside(before, parsed, event)));
    }
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await updateDoi(this.#service, doi, body);
      } catch (error) {
        const passes =
          error instanceof CliError &&
          (error.kind === 'unavailable' || (error.kind === 'throttled' && error.status !== 429));
        if (!passes || attempt > this.#context.options.retries) throw error;
        await this.#pause(attempt, error);
        // Not sent again before it is seen that it had no effect.
        const now = await getDoi(this.#service, doi, { expanded: true });
        if (matchesRequest(now.attributes, { ...parsed.attributes, event }, { exact: false })) return now;
      }
    }
  }

  async #pause(attempt: number, error: CliError): Promise<void> {
    const { host, messages } = this.#context;
    if (error.kind === 'throttled' && this.#service.rateLimiter !== undefined) {
      // All lines are held back together, this one among them.
      this.#service.rateLimiter.onThrottled(undefined);
      return;
    }
    const delay = retryDelayMs(attempt, host.random(), undefined);
    messages.trace(`${error.message}; asking what became of it in ${(delay / 1000).toFixed(1)} s`);
    await host.sleep(delay, host.signal);
  }
}

/** A request with its DOI; one that names it already is sent as it is spelled. */
function withDoi(body: string, doi: string): string {
  const attributes = positionAt(jsonPositions(body), ['data', 'attributes']);
  if (attributes?.members === undefined) throw new CliError('unexpected', 'the request has no attributes');
  const given = attributes.members.get('doi');
  const text = JSON.stringify(doi);
  if (given === undefined) {
    const member = `"doi":${text}${attributes.members.size > 0 ? ',' : ''}`;
    return body.slice(0, attributes.start + 1) + member + body.slice(attributes.start + 1);
  }
  const before = JSON.parse(body.slice(given.start, given.end)) as unknown;
  return typeof before === 'string' && before !== ''
    ? body
    : body.slice(0, given.start) + text + body.slice(given.end);
}

function stateOf({ attributes }: Doi): string | null {
  const { state } = attributes;
  return typeof state === 'string' ? state : null;
}

/** The service may leave a record in another state and answer with success all the same (observed). */
function stateProblems(doi: Doi, deed: Deed, event: Event | undefined): Problem[] {
  try {
    checkState(doi, deed, event, '');
    return [];
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return [{ path: 'state', message: error.message }];
  }
}
